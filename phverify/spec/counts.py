"""Likelihood formulas as terms: sums over how many rows satisfy a formula."""

from __future__ import annotations

from math import lcm

from phverify.spec import syntax as s
from phverify.spec.encoder import Encoder, Place
from phverify.spec.linear import Cleared, cleared
from phverify.spec.system import FALSE, TRUE, Literal, Sum, Terms, added, total


def compared(encoder: Encoder, difference: s.Linear, op: str, place: Place) -> Literal:
    """The term that says whether ``difference op 0``."""
    linear = cleared(difference)
    sizes = {agent: _size(encoder, agent, place) for agent in linear.agents}
    # A likelihood is a count divided by the size of the agent's cell.
    scale = lcm(*sizes.values())
    value = _value(encoder, linear, scale, sizes, place)

    # All three terms are made, whichever is wanted: their order gives them numbers.
    nonnegative = encoder.terms.at_least(value)
    nonpositive = encoder.terms.at_least(value.times(-1))
    zero = encoder.terms.conj((nonnegative, nonpositive))
    truths = {
        "<=": nonpositive,
        ">=": nonnegative,
        "<": -nonnegative,
        ">": -nonpositive,
        "=": zero,
        "!=": -zero,
    }
    return truths[op]


def _value(
    encoder: Encoder, linear: Cleared, scale: int, sizes: dict[str, int], place: Place
) -> Sum:
    """The value of a sum of likelihoods, times ``scale``."""
    sums = [Sum({}, linear.constant * scale)]
    for coefficient, term in linear.terms:
        agent = str(term.agent)
        # Whole, since the size of the cell divides the scale.
        rows = _count(encoder, agent, term.body, place)
        sums.append(rows.times(coefficient * scale // sizes[agent]))
    for sign, inner in linear.magnitudes:
        value = _value(encoder, inner, scale, sizes, place)
        magnitude = _magnitude(encoder.terms, value)
        sums.append(magnitude.times(sign))
    return added(sums)


def _count(encoder: Encoder, agent: str, body: s.Formula, place: Place) -> Sum:
    """How many rows of the agent's cell satisfy the body."""
    counted: list[tuple[int, Literal]] = []
    points: list[Sum] = []
    for other, _, many in encoder.around(agent, place):
        truth = encoder.truth(body, other)
        if other.point >= 0:
            points.append(encoder.terms.value(truth))
            continue
        # The number of free rows times the truth there, unknown by unknown.
        free = encoder.free(other.group, other.cell).times(many)
        counted.append((free.constant, truth))
        for unknown, coefficient in free.parts.items():
            both = encoder.terms.conj((unknown, truth))
            counted.append((coefficient, both))
    return added([total(counted), *points])


def _size(encoder: Encoder, agent: str, place: Place) -> int:
    """The rows of the agent's cell."""
    rows = 0
    around = encoder.universe.around(agent, place.group)
    for group, many in around:
        in_one_class = encoder.universe.groups[group].size
        rows += in_one_class * many
    return rows


def _magnitude(terms: Terms, body: Sum) -> Sum:
    """The absolute value of a sum: itself where it is >= 0, else the opposite.

    That is ``2 * [body >= 0] * body - body``, with products as compound terms.
    """
    up = terms.at_least(body)
    if up in (TRUE, FALSE):
        return body.times(up)
    parts = [(2 * body.constant, up)]
    for unknown, coefficient in body.parts.items():
        above = terms.conj((unknown, up))
        below = terms.conj((unknown, -up))
        parts.append((coefficient, above))
        parts.append((-coefficient, below))
    return total(parts, -body.constant)
