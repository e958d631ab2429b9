"""How many records are withheld in a candidate, and in everything finer.

By parts of the policy: an upward-closed one that a class breaks is broken by all that
is finer; a criterion that limits the shares of values says how much of a class is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.bitset import Bits
from phverify.spec.classes import PolicyPart
from phverify.spec.merging import UPWARD
from phverify.spec.schemes import Truth

if TYPE_CHECKING:
    from phverify.spec.criterion.limits import Limits
    from phverify.spec.violations import Violations

Limited = Sequence[tuple[str, "Limits"]]
"""What is left of classes, by column."""


def lost_records(violations: Violations, candidate: Truth) -> int:
    """So many records at least, class by class, until they are too many.

    What parts say that are about people is about their classes alone.
    """
    parts = violations.asked.parts
    everyone = violations.counting.everybody
    everybody = [number for number, part in enumerate(parts) if not part.people]
    upward = [number for number in everybody if violations.closed(number) == UPWARD]
    # Their closure is part of the argument, and must be shown.
    violations.used.update(upward)
    limits = {number: list(_limits(violations, parts[number])) for number in everybody}
    records = 0
    compared = list(compared_limits(violations, everyone, violations.budget))
    for _, rows in violations.classes(candidate):
        lost = [_lost(violations, n, limits[n], rows) for n in everybody]
        kept = _left(violations, compared, rows)
        lost.append(rows.bit_count() - kept)
        records += max(lost)
        # More need not be known.
        if records > violations.budget:
            break
    return records


def _lost(violations: Violations, number: int, limits: Limited, rows: Bits) -> int:
    """How many records of a class are lost by one part."""
    part = violations.asked.parts[number]
    if violations.counting.satisfies(part, rows):
        return 0
    every = rows.bit_count()
    if violations.closed(number) == UPWARD:
        return every
    return every - _left(violations, limits, rows)


def _left(violations: Violations, limits: Limited, rows: Bits) -> int:
    """How many records of a class are left within all limits."""
    table = violations.counting.table
    left = rows.bit_count()
    for column, own in limits:
        inside = table.counts(column, rows)
        kept = own.left(inside)
        left = min(left, kept)
    return left


def compared_limits(
    violations: Violations, released: Bits, withheld: int
) -> Iterator[tuple[str, Limits]]:
    """What criteria that compare classes with the released table leave of them.

    That table is what is left of some rows once at most so many more of them are
    ``withheld``.
    """
    for node in violations.asked.compared:
        criterion = violations.data.criterion(node)
        f = criterion.attribute
        whole = violations.counting.table.counts(f, released)
        limits = criterion.limits(whole, withheld)
        if limits is not None:
            yield f, limits


def _limits(violations: Violations, part: PolicyPart) -> Iterator[tuple[str, Limits]]:
    """What the criteria of a part leave of classes, by column."""
    for body in part.bodies:
        if not isinstance(body, s.Criterion):
            continue
        criterion = violations.data.criterion(body)
        whole = violations.counting.table.whole(criterion.attribute)
        limits = criterion.limits(whole)
        if limits is not None:
            yield criterion.attribute, limits
