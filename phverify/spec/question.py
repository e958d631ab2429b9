"""The negation of a rule as 0/1 linear systems.

Is there a model, and a row in it, where the rule is false?  Unknown are the places of
the individuals that the rule names, and the clauses of its schemas.  ``encodings/`` has
the proofs of what ``universe`` takes together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.encoder import NOWHERE, Encoder, Place, member
from phverify.spec.ground import Ground
from phverify.spec.instances import Instance, written
from phverify.spec.parts import split
from phverify.spec.signature import Signature
from phverify.spec.system import TRUE, Literal, System, Terms, system, total
from phverify.spec.universe import Scope, Universe, scope, universe
from phverify.spec.walk import is_global, is_ground

Literals = tuple[Literal, ...]
People = Mapping[str, s.Person | s.Var]


def counted(instance: Instance, ground: Ground) -> bool:
    """Whether counting alone shows that an instance is valid."""
    match instance.body:
        case s.At(s.Person(person), body) if is_ground(body):
            # The individual may be at any row of the class: the body must hold at all.
            home = ground.table.homes[person]
            return ground.everywhere(body, range(home, home + 1))
        # Somebody may be at any row at all.
        case s.At(s.Var(), body) if is_ground(body):
            return ground.everywhere(body, ground.everyone)
    if not is_ground(instance.body):
        return False
    return ground.everywhere(instance.body, ground.everyone)


def systems(
    instance: Instance, assumptions: s.Formulas, ground: Ground
) -> Iterator[System | None]:
    """All the ways in which an instance could be false, each a system.

    None is one that constants rule out.  The instance is valid, under the assumptions,
    iff no system has a solution.
    """
    signature = ground.table.data.signature
    given = [written(assumption, signature) for assumption in assumptions]

    def universe_of(scope: Scope) -> Universe:
        return universe(ground, scope)

    asked = question(instance, given, signature, universe_of)
    for case in asked.cases:
        yield system(asked.terms, (*case.literals, *asked.asserted))


@dataclass(frozen=True, eq=False)
class Case:
    """One way in which an instance can be false.

    What must hold, at which kind of row it is false, and the points that the instance's
    variables stand for.
    """

    literals: Literals
    universe: Universe
    place: Place
    people: People


@dataclass(frozen=True, eq=False)
class Question:
    """What is ``asserted`` of every placement, and the cases of which one must hold.

    The cases are worked out as they are asked for.
    """

    scope: Scope
    universe: Universe
    terms: Terms
    asserted: Literals
    cases: Iterator[Case]


def question(
    instance: Instance,
    given: list[s.Formula],
    signature: Signature,
    universe_of: Callable[[Scope], Universe],
    pause: Callable[[], None] = lambda: None,
) -> Question:
    """The negation of an instance under assumptions without schemas.

    ``universe_of`` says what a question sees of the release; ``pause`` is called for
    each new term: it may raise.
    """
    clauses = instance.clauses
    columns = tuple(dict.fromkeys(b.attribute for b in clauses))
    position = {b.var.name: columns.index(b.attribute) for b in clauses}

    numbers: dict[s.Formula, int] = {}
    # Cells list the truths of parts in the order in which they are met here.
    body = split(instance.body, numbers)
    assumed = [split(assumption, numbers) for assumption in given]
    seen = scope([body, *assumed], list(numbers), columns, bool(instance.people))

    encoder = Encoder(universe_of(seen), position, Terms(), pause)
    # The order gives unknowns their numbers, and with them proofs their systems.
    asserted = list(encoder.placements())
    asserted += _lengths(clauses, signature, encoder.terms)
    asserted += map(encoder.true_everywhere, assumed)
    cases = _cases(encoder, body, instance.people, (), {})
    return Question(seen, encoder.universe, encoder.terms, tuple(asserted), cases)


def _lengths(
    clauses: s.Binders, signature: Signature, terms: Terms
) -> Iterator[Literal]:
    """A clause has between one and so many values."""
    for clause in clauses:
        name = clause.var.name
        domain = signature.attributes[clause.attribute].domain
        values = range(len(domain))
        chosen = [terms.unknown(member(name, value)) for value in values]
        some = total(((1, has) for has in chosen), -1)
        yield terms.at_least(some)
        not_more = total(((-1, has) for has in chosen), clause.length)
        yield terms.at_least(not_more)


def _cases(
    encoder: Encoder,
    body: s.Formula,
    people: tuple[s.Var, ...],
    guards: Literals,
    chosen: People,
) -> Iterator[Case]:
    """The variables' individuals in all places, then rows where the body is false."""
    if not people:
        yield from _false_somewhere(encoder, body, guards, chosen)
        return

    variable, rest = people[0], people[1:]
    # Two variables may stand for one individual, and a variable for one named.
    for point in encoder.universe.points:
        inner = s.substitute(body, {variable.name: point.name})
        named = {**chosen, variable.name: point.name}
        yield from _cases(encoder, inner, rest, guards, named)
    # Anyone else is on a free row of some cell.
    for group, cell in encoder.universe.kinds():
        there = encoder.occurs(group, cell)
        child = encoder.child(encoder.universe.with_point(variable, group, cell))
        anyone = {**chosen, variable.name: variable}
        yield from _cases(child, body, rest, (*guards, there), anyone)


def _false_somewhere(
    encoder: Encoder, body: s.Formula, guards: Literals, chosen: People
) -> Iterator[Case]:
    # Of a formula that is true everywhere or nowhere no row need be chosen.
    places = [(NOWHERE, TRUE)] if is_global(body) else encoder.worlds()
    for place, there in places:
        false_there = -encoder.truth(body, place)
        literals = (*guards, there, false_there)
        yield Case(literals, encoder.universe, place, chosen)
