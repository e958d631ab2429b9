"""The negation of a rule as 0/1 linear systems: is there a model and a row where the rule is false?

Unknown are the places of the individuals that the rule names, and the clauses of its schemas.  Rows of a class that
agree on the parts of the rule that name nobody (its profile) are interchangeable, unless the rule names one of them by
its pseudonym; so are whole classes with the same profiles that hold nobody named.  ``encodings/`` has the proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from phverify.spec import syntax as s
from phverify.spec.data import Unsettled
from phverify.spec.encoder import NOWHERE, Encoder, Place
from phverify.spec.ground import Ground
from phverify.spec.models import Table
from phverify.spec.schemas import assignments, size
from phverify.spec.system import TRUE, System, Terms, system, total
from phverify.spec.universe import Universe, universe
from phverify.spec.walk import agents, is_global, is_ground, split

INSTANCES = 20_000
"""So many instances of a schema inside a formula are written out."""


@dataclass(frozen=True)
class Instance:
    """A formula that must be true whoever its ``people`` are and whatever its ``clauses`` say; binders of schemas."""

    body: s.Formula
    people: tuple[str, ...] = ()
    clauses: tuple[s.Binder, ...] = ()


def instances(f: s.Formula, table: Table, found: Instance | None = None) -> Iterator[Instance]:
    """A rule is valid iff all its instances are: conjunctions apart, values and agents run through."""
    found = found or Instance(f)
    match f:
        case s.And(parts):
            for part in parts:
                yield from instances(part, table, found)
        case s.Quantified(True, binders, body):
            people = (*found.people, *(b.var.name for b in binders if b.sort == "individuals"))
            clauses = (*found.clauses, *(b for b in binders if b.sort == "clauses"))
            listed = tuple(b for b in binders if b.sort in ("values", "agents"))
            for values in assignments(listed, table.data.signature):
                yield from instances(s.substitute(body, values), table, Instance(body, people, clauses))
        case _:
            yield used(Instance(written(f, table), found.people, found.clauses))


def used(found: Instance) -> Instance:
    """Without variables that do not occur in the body."""
    names = set(variables(found.body))
    people = tuple(name for name in found.people if name in names)
    return Instance(found.body, people, tuple(b for b in found.clauses if b.var.name in names))


def variables(f: s.Formula) -> Iterator[str]:
    for node in s.subformulas(f):
        match node:
            case s.Nominal(s.Var(name)) | s.At(s.Var(name)) | s.Chosen(s.Var(name)):
                yield name


def written(f: s.Formula, table: Table, room: int = INSTANCES) -> s.Formula:
    """The formula with schemas written out, except those over individuals.

    Raises Unsettled when they have more instances than there is ``room`` for, those inside one another multiplied.
    """
    if not isinstance(f, s.Quantified):
        return s.rebuild(f, lambda child: written(child, table, room))
    signature = table.data.signature
    listed = tuple(b for b in f.binders if b.sort != "individuals")
    count = prod(size(b, signature) for b in listed)
    if count > room:
        raise Unsettled("a schema inside a formula has too many instances to write out")
    left = room // max(count, 1)
    bodies = tuple(written(s.substitute(f.body, v), table, left) for v in assignments(listed, signature))
    result: s.Formula = s.And(bodies) if f.universal else s.Or(bodies)
    for binder in reversed([b for b in f.binders if b.sort == "individuals"]):
        result = s.Quantified(f.universal, (binder,), result)
    return result


def counted(found: Instance, ground: Ground) -> bool:
    """Whether counting alone shows that an instance is valid."""
    body = found.body
    classes: Iterable[int] = ground.everyone
    match body:
        case s.At(s.Person(k), inner) if is_ground(inner):
            body, classes = inner, [ground.table.homes[k]]
        case s.At(s.Var(), inner) if is_ground(inner):
            body = inner
    return is_ground(body) and ground.everywhere(body, classes)


def at_home(found: Instance, table: Table) -> tuple[s.Formula, int] | None:
    """For ``@i phi`` with an individual i and a ground phi: phi and the class of i, which is all that matters."""
    match found.body:
        case s.At(s.Person(k), inner) if is_ground(inner):
            return inner, table.homes[k]
    return None


def systems(found: Instance, assumptions: tuple[s.Formula, ...], ground: Ground) -> Iterator[System | None]:
    """All the ways in which an instance could be false, each a system; None is one that constants rule out.

    The instance is valid, under the assumptions, iff no system has a solution.
    """
    table = ground.table
    given = [written(a, table) for a in assumptions]
    columns = tuple(dict.fromkeys(b.attribute for b in found.clauses))
    parts: list[s.Formula] = []
    cut = [split(f, parts) for f in (found.body, *given)]
    everywhere = bool(found.people) or not all(map(_local, cut))
    start = universe(ground, parts, columns, cut, everywhere)
    encoder = Encoder(start, {b.var.name: columns.index(b.attribute) for b in found.clauses}, Terms(), table)
    asserted = [*encoder.placements(), *_lengths(found, encoder)]
    for f in cut[1:]:
        asserted += [encoder.true_everywhere(f)]
    for literals in _cases(encoder, cut[0], found.people):
        yield system(encoder.terms, (*literals, *asserted))


def _local(f: s.Formula) -> bool:
    """Whether a formula speaks only of the classes of the individuals and rows that it names."""
    return is_global(f) and not any(_far(node) for node in s.subformulas(f))


def _far(node: s.Formula) -> bool:
    return isinstance(node, s.Quantified) or any(agent != "a1" for agent in agents(node))


def _lengths(found: Instance, encoder: Encoder) -> Iterator[int]:
    """A clause has between one and so many values."""
    for b in found.clauses:
        chosen = [encoder.has(b.var.name, v) for v in range(len(encoder.table.data.domains[b.attribute]))]
        yield encoder.terms.at_least(total(((1, c) for c in chosen), -1))
        yield encoder.terms.at_least(total(((-1, c) for c in chosen), b.length))


def _cases(encoder: Encoder, body: s.Formula, people: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """Put the variables' individuals in all kinds of places, then look for a row where the body is false."""
    if not people:
        for place, there in _worlds(encoder, body):
            yield there, -encoder.truth(body, place)
        return
    variable, *rest = people
    for point in encoder.universe.points:
        yield from _cases(encoder, s.substitute(body, {variable: point.name}), tuple(rest))
    for g, c in encoder.universe.kinds():
        there = encoder.occurs(g, c)
        child = encoder.child(encoder.universe.with_point(s.Var(variable), g, c))
        for literals in _cases(child, body, tuple(rest)):
            yield (there, *literals)


def _worlds(encoder: Encoder, body: s.Formula) -> Iterator[tuple[Place, int]]:
    if is_global(body):
        yield NOWHERE, TRUE
        return
    yield from encoder.worlds()


__all__ = ["Instance", "Universe", "counted", "instances", "systems", "written"]
