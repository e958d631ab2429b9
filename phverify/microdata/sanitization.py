"""Whether a release really is a truthful sanitization of an original table (Definition
6).

Truthful: some bijection of the rows and, for each quasi-identifier, one function from
original to released values together turn the original into the release, all other
columns unchanged.  A hierarchy allows its column only functions that generalize along
it.

Where the identifier column stands in both tables, or the policy says so, the bijection
is known (see pairing).  Otherwise any bijection may be the one: the given order is
tried first, then the functions are searched for (see matching), and whoever asks about
single people must ask whether their classes are the same in all explanations.  This
module codes the columns, compares the tables in the given order and by their counts,
and says what was found or what stands against it.  Labels are sorted first, so that the
search does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.exact import Ints, IntsPair
from phverify.microdata.hierarchy import Hierarchies, absent
from phverify.microdata.matching import (
    Both,
    Pairs,
    Puzzle,
    TooHard,
    both,
    codes_of,
    image_of,
)
from phverify.microdata.pairing import Pairing
from phverify.microdata.table import Label, Table
from phverify.spec.source import Mappings
from phverify.words import plural

NODES = 5_000
"""Search nodes at most; fewer for large tables, where a node costs more (see
matching.EFFORT).
"""
SHOWN = 5
"""Problems of one kind that are listed."""
KNOWN = {
    "identifier": "the rows paired by the identifier column",
    "policy": 'the rows in the same order, as the policy says (rows = "same order")',
}
TELLING = 'keep the rows in their order and say rows = "same order" in the policy'
"""How a user can tell which rows belong together."""
Known = Literal["identifier", "policy", "order", "matching"]
"""How it is known which rows belong together: by the identifier column, because the
policy says that the rows are in the same order, because the given order fits (another
may fit, too), or by a search for mappings.
"""


@dataclass(frozen=True, eq=False)
class Sanitization:
    """Mappings that explain a release, and what Definition 6 calls them."""

    mappings: Mappings
    """For each quasi-identifier, the released value of each original value."""
    by: Known
    """How it is known which rows belong together."""
    proper: bool
    """Whether original indiscernibility is a proper subset of the released one."""
    trivial: bool
    """Whether every released quasi-identifier has a single value."""
    home: Ints
    """For each original row, a release row in the class of that person."""
    puzzle: Puzzle | None
    """Where other mappings may explain the release as well; None where it is known that
    none does.
    """

    @property
    def same_order(self) -> bool:
        """Whether the rows correspond one to one in the given order, as far as is
        known.
        """
        return self.by in ("policy", "order") or bool(
            np.array_equal(self.home, np.arange(len(self.home)))
        )

    @cached_property
    def unique(self) -> bool:
        """Whether no other mappings explain the release; False when the search for
        others was cut short.
        """
        try:
            return self.puzzle is None or len(self.puzzle.again().first_two()) < 2
        except TooHard:
            return False

    @property
    def certain(self) -> bool:
        """Whether it is known, without a further search, that no other mappings explain
        the release.
        """
        return self.puzzle is None or bool(self.__dict__.get("unique"))

    def open_classes(self, people: Iterable[int]) -> dict[int, str]:
        """Those of the people who are in another class when other mappings are the true
        ones.

        By individual (a row of the original), the quasi-identifier that is open.  A
        question that is not settled within bounds counts as open.
        """
        if self.unique or self.puzzle is None:
            return {}
        puzzle = self.puzzle.again()
        start = puzzle.start()

        @cache
        def elsewhere(f: int, value: int) -> bool:
            b = puzzle.known[f]
            image = b.images.index(self.mappings[b.name][b.values[value]])
            try:
                return puzzle.elsewhere(start, f, value, image)
            except TooHard:
                return True

        found: dict[int, str] = {}
        for person in people:
            for f, b in enumerate(puzzle.known):
                if elsewhere(f, int(b.before[person])):
                    found.setdefault(person, b.name)
        return found


def sanitization(
    original: Table,
    release: Table,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Hierarchies,
    paired: Pairing | None = None,
) -> Sanitization:
    """The mappings that make the release a truthful sanitization of the original.

    A hierarchy restricts its column's mappings to generalizations along it.  Without
    ``paired``, which says what rows belong together, the given row order is tried
    first, then any order. Raises InputError with what stands against it.
    """
    _check_shape(original, release, (*quasi, *others))
    _check_lines(original, quasi, hierarchies)
    released = release if paired is None else release.taken(paired.rows)
    known = [
        both(name, original.columns[name], released.columns[name], False)
        for name in quasi
    ]
    kept = [
        both(name, original.columns[name], released.columns[name], True)
        for name in others
    ]
    problems = [*_changed(kept), *_forks(known), *_strays(known, hierarchies)]
    in_order = [image_of(b, Pairs(b.before, b.after)) for b in known]
    if paired is not None and problems:
        what = f"is no sanitization of the original, {KNOWN[paired.by]}"
        raise InputError([Problem(release.source, what), *problems])
    if paired is not None:
        return _result(known, in_order, paired.rows, paired.by)
    rest = codes_of(kept, original.rows)
    puzzle = Puzzle.of(known, rest, hierarchies, NODES)
    if not problems:
        return _result(known, in_order, np.arange(original.rows), "order", puzzle)
    differ = np.count_nonzero(np.any([b.before != b.after for b in kept], axis=0))
    if (surplus := int(np.abs(_surplus(*rest)).sum())) and differ <= surplus:
        raise InputError(
            problems
        )  # putting the counts right takes about as many changes: this order is meant
    if surplus:
        singles = [p for b in kept for p in _miscounts([b], (b.before, b.after))]
        raise InputError(singles or _miscounts(kept, rest))
    near = problems if 4 * differ <= original.rows else []
    return _shuffled(puzzle, near)


def _check_shape(original: Table, release: Table, names: Sequence[str]) -> None:
    problems = [
        Problem(
            table.source,
            f"there is no column {name!r} in the {role}",
            nearest(name, table.columns, "its columns"),
        )
        for role, table in (("original", original), ("release", release))
        for name in names
        if name not in table.columns
    ]
    if original.rows != release.rows:
        what = (
            f"the original has {plural(original.rows, 'row')} and the release"
            f" {release.rows}: a sanitization keeps all rows"
        )
        problems.append(Problem(release.source, what))
    if problems:
        raise InputError(problems)


def _check_lines(
    original: Table, quasi: Sequence[str], hierarchies: Hierarchies
) -> None:
    """A hierarchy has a line for every value of its column: what has none could become
    anything.  Raises InputError.
    """
    problems = []
    for name in quasi:
        lost = (
            absent(hierarchies[name], original.columns[name].labels)
            if name in hierarchies
            else []
        )
        for value in lost[:SHOWN]:
            what = f"the value {value!r} of the original is not in the hierarchy"
            problems.append(
                Problem(
                    f"quasi-identifier {name}", what, "add a line for it", private=True
                )
            )
    if problems:
        raise InputError(problems)


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)


def _wrong(b: Both, what: str, hint: str = "") -> Problem:
    return Problem(f"quasi-identifier {b.name}", what, hint, private=True)


def _changed(kept: Sequence[Both]) -> Problems:
    """Row by row: cells that should be unchanged and are not."""
    problems = []
    for b in kept:
        for row in np.flatnonzero(b.before != b.after)[:SHOWN]:
            before, after = (
                _quoted(b.values[b.before[row]]),
                _quoted(b.values[b.after[row]]),
            )
            what = f"{b.name} is {before} in the original and {after} in the release"
            problems.append(Problem(f"row {row + 1}", what, private=True))
    return problems


def _forks(known: Sequence[Both]) -> Problems:
    """Row by row: original values with two released values, each with the first row
    that shows it.
    """
    problems = []
    for b in known:
        images: dict[Label, list[tuple[int, Label]]] = {}
        for value, image, row in b.pairs:
            images.setdefault(value, []).append((row, image))
        forked = [value for value, found in images.items() if len(found) > 1]
        for value in forked[:SHOWN]:
            one, two = (
                f"{_quoted(image)} (row {row + 1})"
                for row, image in sorted(images[value])[:2]
            )
            problems.append(
                _wrong(b, f"the value {_quoted(value)} became both {one} and {two}")
            )
    return problems


def _strays(known: Sequence[Both], hierarchies: Hierarchies) -> Problems:
    """Row by row: original values whose released value is no generalization of them in
    the hierarchy.
    """
    problems = []
    for b in known:
        allowed = {
            value: hierarchies[b.name].generalizations(value)
            for value in b.values
            if b.name in hierarchies
        }
        strayed = [
            pair for pair in b.pairs if pair[1] not in allowed.get(pair[0], pair)
        ]
        for value, image, row in strayed[:SHOWN]:
            what = (
                f"the value {_quoted(value)} became {_quoted(image)} (row {row + 1}), "
            )
            what += "which is no generalization of it in the hierarchy"
            problems.append(
                _wrong(
                    b,
                    what,
                    f"the hierarchy has {', '.join(map(_quoted, allowed[value]))}",
                )
            )
    return problems


def _surplus(before: Ints, after: Ints) -> Ints:
    size = int(max(before.max(), after.max())) + 1
    return np.bincount(after, minlength=size) - np.bincount(before, minlength=size)


def _miscounts(kept: Sequence[Both], codes: IntsPair) -> Problems:
    """The values (or tuples of values) that are more or fewer in the release."""
    problems = []
    for code in np.flatnonzero(_surplus(*codes))[:SHOWN]:
        before, after = (np.flatnonzero(side == code) for side in codes)
        cells = [
            b.before[before[0]] if len(before) else b.after[after[0]] for b in kept
        ]
        texts = [_quoted(b.values[cell]) for b, cell in zip(kept, cells, strict=True)]
        what = (
            f"the value {texts[0]} occurs"
            if len(kept) == 1
            else f"the values ({', '.join(texts)}) occur together"
        )
        what += (
            f" {_times(len(before))} in the original and {_times(len(after))} in the"
            " release"
        )
        problems.append(Problem(", ".join(b.name for b in kept), what, private=True))
    return problems


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"


def _result(
    known: Sequence[Both],
    images: Sequence[Ints],
    home: Ints,
    by: Known,
    puzzle: Puzzle | None = None,
) -> Sanitization:
    mappings = {
        b.name: b.mapping(codes) for b, codes in zip(known, images, strict=True)
    }
    before, after = codes_of(known, len(home))
    proper = len(np.unique(after)) < len(np.unique(before))
    return Sanitization(
        mappings, by, proper, all(len(b.images) == 1 for b in known), home, puzzle
    )


def _shuffled(puzzle: Puzzle, near: Problems) -> Sanitization:
    """Mappings for rows in another order.  ``near`` are the problems of the given
    order, if that may be meant.
    """
    try:
        found = puzzle.first_two()
    except TooHard:
        what = (
            "which mappings explain the release, whose rows are in another order, was"
            " not settled within bounds"
        )
        hint = f"give hierarchies for the quasi-identifiers, or {TELLING}"
        raise InputError([*near, Problem("release", what, hint)]) from None
    if not found:
        raise InputError(_nothing(puzzle, near))
    images = [
        image_of(b, pairs) for b, pairs in zip(puzzle.known, found[0], strict=True)
    ]
    return _result(
        puzzle.known,
        images,
        puzzle.home(images),
        "matching",
        puzzle if len(found) == 2 else None,
    )


def _nothing(puzzle: Puzzle, near: Problems) -> Problems:
    """Why nothing explains the release; the hierarchies are suspected, too, and tried
    without.

    ``near`` are the problems of the given order, if that may be meant: then they say
    where the release departs.
    """
    what = (
        "no order of the rows and no mappings of the quasi-identifiers turn the"
        " original into it"
    )
    used = [b for b in puzzle.known if b.name in puzzle.hierarchies]
    if not used:
        return [*near, Problem("release", what)]
    hint = "without the hierarchies there are none either"
    try:
        if replace(puzzle, hierarchies={}).first_two():
            hint = (
                "without the hierarchies there are such mappings: mend the hierarchies,"
                " or leave out those of "
            )
            hint += (
                "columns that were recoded otherwise (by --space intervals or"
                " partitions)"
            )
    except TooHard:
        hint = "without the hierarchies the question was not settled within bounds"
    problem = Problem(
        "release",
        f"{what} along the hierarchies of {', '.join(b.name for b in used)}",
        hint,
    )
    orphans = []
    for b in used:
        paths = puzzle.hierarchies[b.name]
        lost = [
            v
            for v in b.values
            if v is not None and not {*b.images} & {*paths.generalizations(v)}
        ]
        for value in lost[:SHOWN]:
            what = f"neither the value {_quoted(value)} nor a generalization of it "
            what += "in the hierarchy occurs in the release"
            orphans.append(_wrong(b, what))
    return [*(near or orphans), problem]
