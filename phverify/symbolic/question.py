"""One instance as one question to the solver: is there a model and a world where it is false?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.spec import syntax as s
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import apart
from phverify.spec.walk import agents, is_global, split
from phverify.symbolic.encode import NOWHERE, Encoder, World, clause_holds
from phverify.symbolic.instances import Instance, write_inner
from phverify.symbolic.release import Release
from phverify.symbolic.universe import Universe, universe


@dataclass(frozen=True, eq=False)
class Case:
    """One way in which the instance can be false: the term that says so, and where.

    ``people`` maps the instance's variables to the points that they stand for.
    """

    term: t.Term
    universe: Universe
    world: World
    people: Mapping[str, s.Person | s.Var]


@dataclass(frozen=True, eq=False)
class Question:
    """The constraints that every placement obeys, and the cases of which one must hold."""

    instance: Instance
    parts: tuple[s.Formula, ...]
    clauses: tuple[str, ...]
    constraints: tuple[t.Term, ...]
    cases: tuple[Case, ...]

    def text(self, title: str) -> str:
        """The question as SMT-LIB: unsatisfiable iff the instance is valid."""
        return script([*self.constraints, t.disj(case.term for case in self.cases)], title)


def ask(instance: Instance, assumptions: tuple[s.Formula, ...], release: Release, deadline: Deadline) -> Question:
    """Encode the negation of an instance under assumptions."""
    parts: list[s.Formula] = []
    body = split(instance.body, parts)
    given = [split(write_inner(apart(a), release.signature), parts) for a in assumptions]
    clauses = tuple(dict.fromkeys(binder.attribute for binder in instance.clauses))
    start = _universe(release, [body, *given], tuple(parts), clauses, bool(instance.people))
    position = {b.var.name: clauses.index(b.attribute) for b in instance.clauses}
    encoder = Encoder(start, position, deadline)
    constraints = [*start.placements(), *_clause_bounds(instance, release)]
    for formula in given:
        constraints += true_everywhere(encoder, formula)
    cases = tuple(until_certain(_cases(encoder, body, list(instance.people), t.TRUE, {})))
    return Question(instance, tuple(parts), clauses, tuple(constraints), cases)


def until_certain(cases: Iterator[Case]) -> Iterator[Case]:
    """The cases up to the first that holds in every model: no further one is needed."""
    for case in cases:
        yield case
        if case.term is t.TRUE:
            return


def _universe(
    release: Release, formulas: list[s.Formula], parts: tuple[s.Formula, ...], clauses: tuple[str, ...], people: bool
) -> Universe:
    named, rows = mentioned(formulas)
    everywhere = people or not named | rows or not all(map(is_global, formulas)) or _looks_around(formulas, release)
    inner = any(isinstance(node, s.Quantified) for f in formulas for node in s.subformulas(f))
    homes = {person: release.class_of(person) for person in sorted(named, key=lambda p: p.index)}
    cells = {row.index: release.cell_of_row(row.index) for row in sorted(rows, key=lambda r: r.index)}
    return universe(release.ground, parts, clauses, homes, cells, everywhere or inner, not inner)


def _looks_around(formulas: list[s.Formula], release: Release) -> bool:
    """Whether some agent that sees more than one class is asked about a formula that is not ground."""
    nodes = (node for formula in formulas for node in s.subformulas(formula))
    return any(not release.ground.local(str(agent)) for node in nodes for agent in agents(node))


def _clause_bounds(instance: Instance, release: Release) -> Iterator[t.Term]:
    """A clause has between one and ``length`` values."""
    for binder in instance.clauses:
        values = range(len(release.quotient.labels[binder.attribute]))
        chosen = t.count((1, clause_holds(binder.var.name, v)) for v in values)
        yield t.at_least(chosen, 1)
        yield t.at_least(-1 * chosen, -binder.length)


def true_everywhere(encoder: Encoder, formula: s.Formula) -> Iterator[t.Term]:
    """A formula is true in a model when it is true at all its worlds."""
    if is_global(formula):
        yield encoder.truth(formula, NOWHERE)
        return
    for world, there in encoder.worlds():
        yield t.disj((t.neg(there), encoder.truth(formula, world)))


def _cases(
    encoder: Encoder, body: s.Formula, people: list[s.Var], guard: t.Term, chosen: Mapping[str, s.Person | s.Var]
) -> Iterator[Case]:
    """Put the variables' individuals in all kinds of places, then look for a world where the body is false."""
    if not people:
        yield from _worlds(encoder, body, guard, chosen)
        return
    var, rest = people[0], people[1:]
    for point in encoder.universe.points:
        inner = s.substitute(body, {var.name: point.name})
        yield from _cases(encoder, inner, rest, guard, {**chosen, var.name: point.name})
    for g, group in enumerate(encoder.universe.groups):
        for c in range(len(group.cells)):
            there = t.conj((guard, encoder.universe.occurs(g, c)))
            if there is not t.FALSE:
                child = encoder.child(encoder.universe.with_point(var, g, c))
                yield from _cases(child, body, rest, there, {**chosen, var.name: var})


def _worlds(encoder: Encoder, body: s.Formula, guard: t.Term, chosen: Mapping[str, s.Person | s.Var]) -> Iterator[Case]:
    worlds = [(NOWHERE, t.TRUE)] if is_global(body) else encoder.worlds()
    for world, there in worlds:
        term = t.conj((guard, there, t.neg(encoder.truth(body, world)))) if there is not t.FALSE else t.FALSE
        if term is not t.FALSE:
            yield Case(term, encoder.universe, world, chosen)
