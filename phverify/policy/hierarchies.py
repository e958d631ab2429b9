"""Builders as a policy writes them under [hierarchies], and what is wrong with them
before any data are seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from phverify.errors import nearest
from phverify.policy.bounds import wrong_bounds
from phverify.policy.complaints import Complaints, written
from phverify.spec.builders import (
    BOUNDS,
    READ,
    ROOT,
    SIDES,
    UNITS,
    Builder,
    builder,
)
from phverify.spec.coding import CODING
from phverify.spec.decimals import decimal, fraction
from phverify.spec.source import Names, Plain, writable

BESIDE = ("start", *BOUNDS)
"""What may stand beside the name of a builder."""
EXAMPLES = {
    "intervals": "intervals = [5, 10, 20]",
    "ranges": "ranges = [[18, 30, 65], [18, 65]]",
    "round": "round = [5, 10]",
    "prefixes": "prefixes = [3, 2]",
    "dates": 'dates = ["month", "year"]',
    "masking": 'masking = "right"',
    "groups": 'groups = [{low = ["A", "B"], high = ["C", "D"]}]',
}


def read_builder(entry: Any, where: str) -> Builder:
    """The builder that a policy describes.  Raises InputError with all that is wrong
    with it.
    """
    looking = _Looking(where)
    looking.at(entry)
    looking.settle()
    # ``builder`` takes for granted what has been checked here
    return builder(entry)


class _Looking(Complaints):
    """What is wrong with one builder; every method looks at a part and collects its
    problems.
    """

    def at(self, entry: Any) -> None:
        if not isinstance(entry, Mapping):
            self.complain(
                f"is the path of a file or a builder, not {written(entry)}",
                f"for example: {{{EXAMPLES['prefixes']}}}",
            )
            return
        kind = self.kind(entry)
        if kind is not None and kind != CODING:
            # each builder is read by the method of its name
            getattr(self, kind)(entry[kind])
        if kind is not None:
            for what, hint in wrong_bounds(entry, kind):
                self.complain(what, hint)
        if kind == "intervals":
            self.numbers("start", [entry.get("start", 0)])

    def kind(self, entry: Plain) -> str | None:
        """The one builder that is named."""
        kinds = [key for key in entry if key in READ]
        unknown = [key for key in entry if key not in READ and key not in BESIDE]
        for key in unknown:
            self.complain(
                f"unknown builder {key!r}",
                nearest(str(key), (*READ, *BESIDE), "builders"),
            )
        named = kinds or any(name in entry for name in BOUNDS)
        if "start" in entry and named and "intervals" not in kinds:
            self.complain(
                "start belongs to intervals",
                f"for example: {{{EXAMPLES['intervals']}, start = 0}}",
            )
        bounded = any(name in entry for name in BOUNDS)
        # an unknown key may be a misspelt builder: it has been complained of
        if bounded and not kinds and not unknown:
            return CODING
        if not kinds and not unknown:
            self.complain(
                "names no builder", f"for example: {{{EXAMPLES['prefixes']}}}"
            )
        if len(kinds) > 1:
            self.complain(
                f"names several builders: {' and '.join(kinds)}", "a hierarchy has one"
            )
        if len(kinds) == 1:
            return kinds[0]
        return None

    def items(self, name: str, entry: Any, kind: str) -> list[Any]:
        """A list that is not empty."""
        if isinstance(entry, (list, tuple)) and entry:
            return list(entry)
        if isinstance(entry, (list, tuple)):
            what = "is an empty list"
        else:
            what = f"is a list, not {written(entry)}"
        self.complain(
            f"{name} {what}",
            f"for example: {EXAMPLES[kind]}; the last level, {ROOT}, comes by itself",
        )
        return []

    def numbers(self, name: str, items: Iterable[Any]) -> tuple[Fraction, ...]:
        result = []
        for item in items:
            number = fraction(item)
            if number is None:
                self.complain(
                    f"{name}: {written(item)} is no number",
                    "numbers are written as 5, 0.5 or '1/3'",
                )
            elif not writable(number):
                self.complain(f"{name}: a number has more than 300 digits")
            else:
                result.append(number)
        return tuple(result)

    def intervals(self, entry: Any) -> None:
        self.multiples("intervals", "width", entry)

    def round(self, entry: Any) -> None:
        self.multiples("round", "step", entry)

    def multiples(self, kind: str, word: str, entry: Any) -> None:
        """Levels nest only where each number divides the next."""
        entries = self.items(kind, entry, kind)
        sizes = self.numbers(kind, entries)
        for size in sizes:
            if size <= 0:
                self.complain(
                    f"{kind}: the {word} {decimal(size)} is not above 0",
                    EXAMPLES[kind],
                )
        for fine, coarse in pairwise(sizes):
            # those that are not above 0 have been complained of already
            if min(fine, coarse) > 0 and (coarse <= fine or coarse % fine):
                self.complain(*_no_multiple(kind, word, fine, coarse))

    def ranges(self, entry: Any) -> None:
        levels = self.items("ranges", entry, "ranges")
        # one flat list: a level stands where a list of levels belongs
        if levels and not any(isinstance(level, (list, tuple)) for level in levels):
            self.complain(
                "ranges is a list of lists, one for each level",
                f"write ranges = [{written(levels)}]",
            )
            return
        cuts = [
            self.cuts(f"level {k} of ranges", level)
            for k, level in enumerate(levels, 1)
        ]
        for k, (fine, coarse) in enumerate(pairwise(cuts), 1):
            self.subset(k, fine, coarse)

    def cuts(self, name: str, level: Any) -> tuple[Fraction, ...]:
        entries = self.items(name, level, "ranges")
        cuts = self.numbers(name, entries)
        if any(low >= high for low, high in pairwise(cuts)):
            ascending = sorted(set(cuts))
            self.complain(
                f"{name}: the cut points {written(cuts)} do not increase",
                f"write {written(ascending)}",
            )
        return cuts

    def subset(
        self, level: int, fine: tuple[Fraction, ...], coarse: tuple[Fraction, ...]
    ) -> None:
        """A coarser level has some of the cut points of the finer one, not all."""
        for cut in coarse:
            if fine and cut not in fine:
                what = (
                    f"ranges: the cut point {decimal(cut)} of level {level + 1} is none"
                    f" of level {level}"
                )
                close = min(fine, key=lambda other: abs(other - cut))
                self.complain(what, f"the nearest one there is {decimal(close)}")
        if coarse and set(fine) == set(coarse):
            self.complain(
                f"ranges: levels {level} and {level + 1} have the same cut points",
                "leave one level out",
            )

    def prefixes(self, entry: Any) -> None:
        numbers = self.numbers("prefixes", self.items("prefixes", entry, "prefixes"))
        for number in numbers:
            if number < 1 or number.denominator > 1:
                hint = f"whole numbers from 1; the last level, {ROOT}, comes by itself"
                self.complain(
                    f"prefixes: {decimal(number)} is no number of characters to keep",
                    hint,
                )
        if any(long <= short for long, short in pairwise(numbers)):
            descending = written(sorted(set(numbers), reverse=True))
            what = (
                f"prefixes: {written(numbers)} does not decrease: each level keeps"
                " fewer characters"
            )
            self.complain(what, f"write prefixes = {descending}")

    def dates(self, entry: Any) -> None:
        units = self.items("dates", entry, "dates")
        for unit in units:
            if unit not in UNITS:
                hint = "weeks do not lie in one month; " if unit == "week" else ""
                self.complain(
                    f"dates: unknown unit {written(unit)}",
                    hint + nearest(str(unit), UNITS, "units"),
                )
        # the other units have been complained of already
        known = [UNITS.index(unit) for unit in units if unit in UNITS]
        if any(fine >= coarse for fine, coarse in pairwise(known)):
            each_once = sorted(set(known))
            ascending = written([UNITS[k] for k in each_once])
            self.complain(
                f"dates: {written(units)} does not go from fine to coarse",
                f"write dates = {ascending}",
            )

    def masking(self, side: Any) -> None:
        if side not in SIDES:
            self.complain(
                f"masking: unknown side {written(side)}",
                nearest(str(side), SIDES, "sides"),
            )

    def groups(self, entry: Any) -> None:
        if isinstance(entry, Mapping):
            self.complain(
                "groups is a list of tables, one for each level",
                "write groups = [{..}]",
            )
            return
        levels = [
            self.level(k, t)
            for k, t in enumerate(self.items("groups", entry, "groups"), 1)
        ]
        for k, (fine, coarse) in enumerate(pairwise(levels), 1):
            self.complete(
                k, [*fine], [m for members in coarse.values() for m in members]
            )
        # labels can be made only of levels that are complete and disjoint
        if levels and not self.problems:
            self.unambiguous(builder({"groups": entry}))

    def level(self, k: int, groups: Any) -> dict[str, Names]:
        """The members of each group."""
        if not isinstance(groups, Mapping) or not groups:
            self.complain(
                f"level {k} of groups is a table of groups, not {written(groups)}",
                EXAMPLES["groups"],
                True,
            )
            return {}
        table = {
            str(label): self.members(k, str(label), members)
            for label, members in groups.items()
        }
        held: dict[str, str] = {}
        for label, member in (
            (label, member) for label, members in table.items() for member in members
        ):
            if member in held:
                if held[member] != label:
                    where = f"in {held[member]!r} and in {label!r}"
                else:
                    where = f"twice in {label!r}"
                self.complain(
                    f"level {k} of groups: {member!r} stands {where}",
                    "each belongs into one group",
                    True,
                )
            held[member] = label
        for label in groups:
            # the only group of a level may be the root itself
            if label == "" or (label == ROOT and len(groups) > 1):
                if label:
                    hint = f"{ROOT} is the last level, which comes by itself"
                else:
                    hint = "it would look like a missing cell"
                self.complain(
                    f"level {k} of groups: a group cannot be called {label!r}", hint
                )
        return table

    def members(self, k: int, label: str, values: Any) -> Names:
        if not isinstance(values, (list, tuple)) or not values:
            what = (
                f"level {k} of groups: {label!r} is a list of values, not"
                f" {written(values)}"
            )
            # private: members of a group are values of the data
            self.complain(what, EXAMPLES["groups"], True)
            return ()
        for item in values:
            if not isinstance(item, str):
                what = f"level {k} of groups: {written(item)} in {label!r} is no text"
                self.complain(
                    what, f'values are written in quotes: "{written(item)}"', True
                )
        return tuple(item for item in values if isinstance(item, str))

    def complete(self, level: int, labels: list[str], members: list[str]) -> None:
        """A level's members are the groups of the level before."""
        for member in members:
            # a level without groups has been complained of already
            if labels and member not in labels:
                what = (
                    f"level {level + 1} of groups: {member!r} is no group of level"
                    f" {level}"
                )
                self.complain(
                    what, nearest(member, labels, f"groups of level {level}"), True
                )
        for label in labels:
            if label not in members:
                what = (
                    f"level {level + 1} of groups leaves out {label!r}, a group of"
                    f" level {level}"
                )
                self.complain(what, "each belongs into one group", True)

    def unambiguous(self, groups: Builder) -> None:
        """A label must not stand for two things: a group may be called as a value or
        group only if it holds it.
        """
        # each row goes up from a value to the root
        rows = [(value, *path) for value, path in groups.labels(()).items()]
        wrong = set()
        for level in range(1, len(groups.levels) + 1):
            labels = {row[level] for row in rows}
            wrong |= {
                name
                for row in rows
                for name in row[:level]
                if name in labels and row[level] != name
            }
        for name in sorted(wrong):
            self.complain(
                f"groups: a group is called {name!r} and does not hold {name!r}",
                "rename it",
                True,
            )


def _no_multiple(
    kind: str, word: str, fine: Fraction, coarse: Fraction
) -> tuple[str, str]:
    what = (
        f"{kind}: the {word} {decimal(coarse)} is no larger multiple of"
        f" {decimal(fine)}, the {word} before it"
    )
    # the narrowest one that holds narrower ones is twice as wide
    below = max(2 * fine, coarse // fine * fine)
    return (
        what,
        f"{word}s near it that nest: {decimal(below)} or {decimal(below + fine)}",
    )
