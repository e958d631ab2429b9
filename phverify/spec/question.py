"""The negation of a rule as 0/1 linear systems: is there a model and a row where the
rule is false?

Unknown are the places of the individuals that the rule names, and the clauses of its
schemas.  ``encodings/`` has the proofs of what ``universe`` takes together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.encoder import NOWHERE, Encoder, Place, member
from phverify.spec.ground import Ground
from phverify.spec.instances import Instance, written
from phverify.spec.signature import Signature
from phverify.spec.system import TRUE, Literal, System, Terms, system, total
from phverify.spec.universe import Scope, Universe, scope, universe
from phverify.spec.walk import is_global, is_ground, split

Literals = tuple[Literal, ...]
People = Mapping[str, s.Person | s.Var]


def counted(found: Instance, ground: Ground) -> bool:
    """Whether counting alone shows that an instance is valid."""
    match found.body:
        case s.At(s.Person(k), body) if is_ground(body):
            home = ground.table.homes[k]
            return ground.everywhere(body, range(home, home + 1))
        case s.At(s.Var(), body) if is_ground(body):
            return ground.everywhere(body, ground.everyone)
    return is_ground(found.body) and ground.everywhere(found.body, ground.everyone)


def systems(
    found: Instance, assumptions: s.Formulas, ground: Ground
) -> Iterator[System | None]:
    """All the ways in which an instance could be false, each a system; None is one that
    constants rule out.

    The instance is valid, under the assumptions, iff no system has a solution.
    """
    signature = ground.table.data.signature
    given = [written(a, signature) for a in assumptions]
    asked = question(found, given, signature, lambda seen: universe(ground, seen))
    for case in asked.cases:
        yield system(asked.terms, (*case.literals, *asked.asserted))


@dataclass(frozen=True, eq=False)
class Case:
    """One way in which an instance can be false: what must hold, and at which kind of
    row it is.

    ``people`` maps the instance's variables to the points that they stand for.
    """

    literals: Literals
    universe: Universe
    place: Place
    people: People


@dataclass(frozen=True, eq=False)
class Question:
    """What is ``asserted`` of every placement, and the cases of which one must hold, as
    they are found.
    """

    scope: Scope
    universe: Universe
    terms: Terms
    asserted: Literals
    cases: Iterator[Case]


def question(
    found: Instance,
    given: list[s.Formula],
    signature: Signature,
    look: Callable[[Scope], Universe],
    pause: Callable[[], None] = lambda: None,
) -> Question:
    """The negation of an instance under assumptions without schemas.

    ``look`` finds what a question sees of the release; ``pause`` is called for each new
    term: it may raise.
    """
    columns = tuple(dict.fromkeys(b.attribute for b in found.clauses))
    numbers: dict[s.Formula, int] = {}
    cut = [split(f, numbers) for f in (found.body, *given)]
    seen = scope(cut, list(numbers), columns, bool(found.people))
    position = {b.var.name: columns.index(b.attribute) for b in found.clauses}
    encoder = Encoder(look(seen), position, Terms(), pause)
    asserted = [
        *encoder.placements(),
        *_lengths(found.clauses, signature, encoder.terms),
    ]
    asserted += map(encoder.true_everywhere, cut[1:])
    cases = _cases(encoder, cut[0], found.people, (), {})
    return Question(seen, encoder.universe, encoder.terms, tuple(asserted), cases)


def _lengths(
    clauses: s.Binders, signature: Signature, terms: Terms
) -> Iterator[Literal]:
    """A clause has between one and so many values."""
    for b in clauses:
        values = range(len(signature.attributes[b.attribute].domain))
        chosen = [terms.unknown(member(b.var.name, v)) for v in values]
        yield terms.at_least(total(((1, c) for c in chosen), -1))
        yield terms.at_least(total(((-1, c) for c in chosen), b.length))


def _cases(
    encoder: Encoder,
    body: s.Formula,
    people: tuple[s.Var, ...],
    guards: Literals,
    chosen: People,
) -> Iterator[Case]:
    """Put the variables' individuals in all kinds of places, then look for a row where
    the body is false.
    """
    if not people:
        places = [(NOWHERE, TRUE)] if is_global(body) else encoder.worlds()
        for place, there in places:
            yield Case(
                (*guards, there, -encoder.truth(body, place)),
                encoder.universe,
                place,
                chosen,
            )
        return
    variable, rest = people[0], people[1:]
    for point in encoder.universe.points:
        inner = s.substitute(body, {variable.name: point.name})
        yield from _cases(
            encoder, inner, rest, guards, {**chosen, variable.name: point.name}
        )
    for g, c in encoder.universe.kinds():
        there = encoder.occurs(g, c)
        child = encoder.child(encoder.universe.with_point(variable, g, c))
        yield from _cases(
            child, body, rest, (*guards, there), {**chosen, variable.name: variable}
        )
