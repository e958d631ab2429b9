"""Which classes of a candidate may be withheld together, and which are said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from phverify.spec.bitset import Bits, bits, members
from phverify.spec.data import Label, Refused
from phverify.spec.lost import Limited, compared_limits
from phverify.spec.schemes import Truth
from phverify.spec.violations import Classes, Labels, Violations

Chosen = frozenset[Labels]
"""Some of the classes."""
STEPS = 8192
"""So many choices of classes that could be withheld are followed up."""


def in_any_case(chosen: Chosen) -> bool:
    """Sets of classes are looked at whatever they cost."""
    return False


def ways(
    violations: Violations,
    candidate: Truth,
    too_dear: Callable[[Chosen], bool] = in_any_case,
) -> Iterator[Chosen]:
    """All sets of classes that could be withheld such that no part is broken, and no
    criterion for certain.

    A set that is ``too_dear`` is left out, and what holds it: withholding more costs no
    less.  Raises Refused when there are too many to try.
    """
    classes = violations.classes(candidate)
    # A class that breaks a part is withheld, or the policy is broken.
    must = {labels for labels, rows in classes if _breaks(violations, rows)}
    yield from Ways(violations, dict(classes), too_dear).beside(frozenset(must))


@dataclass(frozen=True, eq=False)
class Ways:
    """The sets of classes of a candidate that could be withheld."""

    violations: Violations
    classes: Mapping[Labels, Bits]
    too_dear: Callable[[Chosen], bool] = in_any_case

    def beside(self, must: Chosen) -> Iterator[Chosen]:
        """All sets that hold these classes.  Raises Refused."""
        waiting = [(must, Chosen())]
        for _ in range(STEPS):
            if not waiting:
                return
            withheld, released = waiting.pop()
            followed = self.followed(withheld)
            if followed is None or followed & released or self.too_dear(followed):
                continue
            free = self.free(followed, released)
            if free is None:
                yield followed
                continue
            # Withholding more changes the table that agents see, for good or bad.
            waiting.append((followed, released | {free}))
            waiting.append((followed | {free}, released))
        raise Refused(
            "a candidate could withhold too many sets of classes to look at them all"
        )

    def spare(self, withheld: Chosen) -> int:
        """How many more records may be withheld."""
        rows = sum(self.classes[labels].bit_count() for labels in withheld)
        return self.violations.budget - rows

    def free(self, withheld: Chosen, released: Chosen) -> Labels | None:
        """The first class that may be withheld besides, or not."""
        spare = self.spare(withheld)
        named = bits(self.violations.asked.named)
        for labels, rows in self.classes.items():
            chosen = labels in withheld or labels in released
            if chosen or rows & named:
                continue
            if rows.bit_count() <= spare:
                return labels
        return None

    def followed(self, withheld: Chosen) -> Chosen | None:
        """These classes and all that are withheld then; None if that may not be."""
        must = withheld
        while True:
            if _unfit(self.violations, [(one, self.classes[one]) for one in must]):
                return None
            broken = self.surely_broken(must)
            if not broken:
                return must
            must |= broken

    def surely_broken(self, withheld: Chosen) -> Chosen:
        """The classes left that break a criterion, whichever are withheld besides."""
        violations = self.violations
        everything = self.classes.items()
        left = {one: rows for one, rows in everything if one not in withheld}
        released = 0
        for rows in left.values():
            released |= rows
        spare = self.spare(withheld)
        limits = list(compared_limits(violations, released, spare))
        broken = []
        for one, rows in left.items():
            if not self.within(limits, rows):
                broken.append(one)
        return frozenset(broken)

    def within(self, limits: Limited, rows: Bits) -> bool:
        """Whether a class is within limits."""
        table = self.violations.counting.table
        size = rows.bit_count()
        return all(own.allows(table.counts(f, rows), size) for f, own in limits)


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
