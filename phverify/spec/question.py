"""The negation of a rule as 0/1 linear systems: is there a model and a row where the rule is false?

Unknown are the places of the individuals that the rule names, and the clauses of its schemas.  Rows of a class that
agree on the parts of the rule that name nobody (its profile) are interchangeable, unless the rule names one of them by
its pseudonym; so are whole classes with the same profiles that hold nobody named.  ``encodings/`` has the proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from phverify.spec.data import Unsettled
from phverify.spec.encoder import Encoder, Place, is_global
from phverify.spec.meaning import Meaning, Table
from phverify.spec.schema import assignments, many
from phverify.spec.system import TRUE, System, Terms, system, total
from phverify.spec.tuples import Formula, alike, below, children, likelihoods, substitute
from phverify.spec.universe import Universe, universe

INSTANCES = 20_000
"""So many instances of a schema inside a formula are written out."""


@dataclass(frozen=True)
class Instance:
    """A formula that must be true whoever its ``people`` are and whatever its ``clauses`` say; binders of schemas."""

    body: Formula
    people: tuple[str, ...] = ()
    clauses: tuple[Any, ...] = ()


def instances(f: Formula, table: Table, found: Instance | None = None) -> Iterator[Instance]:
    """A rule is valid iff all its instances are: conjunctions apart, values and agents run through."""
    found = found or Instance(f)
    match f:
        case ("and", parts):
            for part in parts:
                yield from instances(part, table, found)
        case ("forall", binders, body):
            people = (*found.people, *(b[0] for b in binders if b[1] == "individuals"))
            clauses = (*found.clauses, *(b for b in binders if b[1] == "clauses"))
            listed = tuple(b for b in binders if b[1] in ("values", "agents"))
            for values in assignments(listed, table.data):
                yield from instances(substitute(body, values), table, Instance(body, people, clauses))
        case _:
            yield used(Instance(written(f, table), found.people, found.clauses))


def used(found: Instance) -> Instance:
    """Without variables that do not occur in the body."""
    names = set(variables(found.body))
    people = tuple(name for name in found.people if name in names)
    return Instance(found.body, people, tuple(b for b in found.clauses if b[0] in names))


def variables(f: Formula) -> Iterator[str]:
    for node in below(f):
        match node:
            case ("who" | "at", ("var", name), *_) | ("clause", name):
                yield name


def written(f: Formula, table: Table, room: int = INSTANCES) -> Formula:
    """The formula with schemas written out, except those over individuals.

    Raises Unsettled when they have more instances than there is ``room`` for, those inside one another multiplied.
    """
    match f:
        case ("forall" | "exists", binders, body):
            people = tuple((b,) for b in binders if b[1] == "individuals")
            listed = tuple(b for b in binders if b[1] != "individuals")
            count = prod(many(b, table.data) for b in listed)
            if count > room:
                raise Unsettled("a schema inside a formula has too many instances to write out")
            bodies = tuple(written(substitute(body, v), table, room // count) for v in assignments(listed, table.data))
            result: Formula = ("and" if f[0] == "forall" else "or", bodies)
            for binder in reversed(people):
                result = (f[0], binder, result)
            return result
    return rebuilt(f, table, room)


def rebuilt(f: Formula, table: Table, room: int) -> Formula:
    def linear(side: Any) -> Any:
        return tuple((c, quantity(q)) for c, q in side[0]), side[1]

    def quantity(q: Formula) -> Formula:
        return ("abs", linear(q[1])) if q[0] == "abs" else ("l", q[1], written(q[2], table, room))

    match f:
        case ("not", body):
            return ("not", written(body, table, room))
        case ("and" | "or", parts):
            return (f[0], tuple(written(part, table, room) for part in parts))
        case ("implies" | "iff", left, right):
            return (f[0], written(left, table, room), written(right, table, room))
        case ("some" | "every" | "at", who, body):
            return (f[0], who, written(body, table, room))
        case ("compare", left, op, right):
            return ("compare", linear(left), op, linear(right))
    return f


def is_ground(f: Formula) -> bool:
    """Whether a formula names nobody and has no variable left: its truth at a row is the same in all models."""
    match f:
        case ("who" | "at" | "clause" | "forall" | "exists", *_):
            return False
        case ("is", _, _, values) if any(type(v) is tuple for v in values):
            return False
        case ("some" | "every", agent, _) if type(agent) is tuple:
            return False
        case ("compare", left, _, right):
            if any(type(term[1]) is tuple for side in (left, right) for term in likelihoods(side)):
                return False
    return all(map(is_ground, children(f)))


def counted(found: Instance, meaning: Meaning) -> bool:
    """Whether counting alone shows that an instance is valid."""
    table, body = meaning.table, found.body
    if is_ground(body):
        return all(meaning.true(body, row) for row in _everywhere(body, table))
    match body:
        case ("at", ("person", k), inner) if is_ground(inner):
            return all(meaning.true(inner, row) for row in table.classes[table.homes[k]])
        case ("at", ("var", _), inner) if is_ground(inner):
            return all(meaning.true(inner, row) for row in _everywhere(inner, table))
    return False


def _everywhere(body: Formula, table: Table) -> Iterable[int]:
    """All rows, or one of each class where the formula says the same of all of them."""
    return (rows[0] for rows in table.classes) if alike(body) else range(table.data.rows)


def at_home(found: Instance, table: Table) -> tuple[Formula, int] | None:
    """For ``@i phi`` with an individual i and a ground phi: phi and the class of i, which is all that matters."""
    match found.body:
        case ("at", ("person", k), inner) if is_ground(inner):
            return inner, table.homes[k]
    return None


def systems(found: Instance, assumptions: tuple[Formula, ...], meaning: Meaning) -> Iterator[System | None]:
    """All the ways in which an instance could be false, each a system; None is one that constants rule out.

    The instance is valid, under the assumptions, iff no system has a solution.
    """
    table = meaning.table
    given = [written(a, table) for a in assumptions]
    columns = tuple(dict.fromkeys(b[2] for b in found.clauses))
    parts: list[Formula] = []
    split = [_split(f, parts) for f in (found.body, *given)]
    everywhere = bool(found.people) or not all(map(_local, split))
    start = universe(meaning, parts, columns, split, everywhere)
    encoder = Encoder(start, {b[0]: columns.index(b[2]) for b in found.clauses}, Terms(), table)
    asserted = [*encoder.placements(), *_lengths(found, encoder)]
    for f in split[1:]:
        asserted += [encoder.true_everywhere(f)]
    for literals in _cases(encoder, split[0], found.people):
        yield system(encoder.terms, (*literals, *asserted))


def _split(f: Formula, parts: list[Formula]) -> Formula:
    """The formula with its maximal ground parts numbered."""
    if f in (("true",), ("false",)):
        return f
    if is_ground(f):
        if f not in parts:
            parts.append(f)
        return ("part", parts.index(f))

    def linear(side: Any) -> Any:
        return tuple((c, quantity(q)) for c, q in side[0]), side[1]

    def quantity(q: Formula) -> Formula:
        return ("abs", linear(q[1])) if q[0] == "abs" else ("l", q[1], _split(q[2], parts))

    match f:
        case ("not", body):
            return ("not", _split(body, parts))
        case ("and" | "or", inner):
            return (f[0], tuple(_split(part, parts) for part in inner))
        case ("implies" | "iff", left, right):
            return (f[0], _split(left, parts), _split(right, parts))
        case ("some" | "every" | "at" | "forall" | "exists", who, body):
            return (f[0], who, _split(body, parts))
        case ("compare", left, op, right):
            return ("compare", linear(left), op, linear(right))
    return f


def _local(f: Formula) -> bool:
    """Whether a formula speaks only of the classes of the individuals and rows that it names."""
    return is_global(f) and not any(_far(node) for node in below(f))


def _far(node: Formula) -> bool:
    match node:
        case ("forall" | "exists", _, _):
            return True
        case ("some" | "every", agent, _):
            return bool(agent != "a1")
        case ("compare", left, _, right):
            return any(term[1] != "a1" for side in (left, right) for term in likelihoods(side))
    return False


def _lengths(found: Instance, encoder: Encoder) -> Iterator[int]:
    """A clause has between one and so many values."""
    for name, _, column, length in found.clauses:
        chosen = [encoder.chosen(name, v) for v in range(len(encoder.table.data.domains[column]))]
        yield encoder.terms.at_least(total(((1, c) for c in chosen), -1))
        yield encoder.terms.at_least(total(((-1, c) for c in chosen), length))


def _cases(encoder: Encoder, body: Formula, people: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """Put the variables' individuals in all kinds of places, then look for a row where the body is false."""
    if not people:
        for place, there in _worlds(encoder, body):
            yield there, -encoder.truth(body, place)
        return
    variable, *rest = people
    for point in encoder.universe.points:
        yield from _cases(encoder, substitute(body, {variable: point.name}), tuple(rest))
    for g, c in encoder.universe.kinds():
        there = encoder.occurs(g, c)
        child = encoder.child(encoder.universe.with_point(("var", variable), g, c))
        for literals in _cases(child, body, tuple(rest)):
            yield (there, *literals)


def _worlds(encoder: Encoder, body: Formula) -> Iterator[tuple[Place | None, int]]:
    if is_global(body):
        yield None, TRUE
        return
    yield from encoder.worlds()


__all__ = ["Instance", "Universe", "counted", "instances", "is_ground", "systems", "written"]
