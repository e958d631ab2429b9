"""Which classes of a candidate may be withheld together, and which are said to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from phverify.spec.bitset import Bits, bits, members
from phverify.spec.data import Label, Refused
from phverify.spec.schemes import Truth
from phverify.spec.violations import Classes, Labels, Violations

WAYS = 12
"""Of so many classes all sets are tried that could be withheld."""


def ways(violations: Violations, candidate: Truth) -> Iterator[frozenset[Labels]]:
    """All sets of classes that could be withheld such that no part is broken.

    Raises Refused when there are too many to try.
    """
    classes = violations.classes(candidate)
    # A class that breaks a part is withheld, or the policy is broken.
    must = [one for one in classes if _breaks(violations, one[1])]
    # More would be withheld in any other way: there is none.
    if _unfit(violations, must):
        return
    free = []
    for one in classes:
        if one not in must and not _unfit(violations, [*must, one]):
            free.append(one)
    if len(free) > WAYS:
        raise Refused(
            "a candidate could withhold too many sets of classes to look at them all"
        )
    # Withholding more changes the table that agents see, for good or bad.
    for length in range(len(free) + 1):
        for some in combinations(free, length):
            withheld = [*must, *some]
            if not _unfit(violations, withheld):
                yield frozenset(labels for labels, _ in withheld)


def withheld_rows(
    violations: Violations, candidate: Truth, said: Sequence[Sequence[Label]]
) -> list[int]:
    """The rows of the classes that are said to be withheld.

    Raises Refused if they do not exist, or may not be withheld.
    """
    wanted = set(map(tuple, said))
    classes = violations.classes(candidate)
    withheld = [one for one in classes if one[0] in wanted]
    # Also refuses a class that is named twice.
    if len(withheld) != len(said):
        raise Refused("a class that is said to be withheld does not exist")
    why_not = _unfit(violations, withheld)
    if why_not:
        raise Refused(why_not)
    rows: list[int] = []
    for _, own in withheld:
        rows += members(own)
    return sorted(rows)


def _breaks(violations: Violations, rows: Bits) -> bool:
    """Whether a class breaks a part that is about it."""
    for part in violations.asked.parts:
        # A part about people says nothing of classes that hold none of them.
        about_it = not part.people or rows & bits(part.people)
        if about_it and not violations.counting.satisfies(part, rows):
            return True
    return False


def _unfit(violations: Violations, classes: Classes) -> str:
    """Why these classes may not be withheld together."""
    count = sum(rows.bit_count() for _, rows in classes)
    if count > violations.budget:
        return f"{count} records are withheld, and {violations.budget} may be"
    named = bits(violations.asked.named)
    if any(rows & named for _, rows in classes):
        return "somebody who is named is withheld"
    return ""
