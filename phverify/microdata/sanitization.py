"""Whether a release really is a truthful sanitization of an original table (Definition 6).

Truthful: some bijection of the rows and, for each quasi-identifier, one function from original to
released values together turn the original into the release, all other columns unchanged.  A hierarchy
allows its column only functions that generalize along it.

Where the identifier column stands in both tables, or the policy says so, the bijection is known (see
pairing).  Otherwise any bijection may be the one: the given order is tried first, then the functions
are searched for (see matching), and whoever asks about single people must ask whether their classes
are the same in all explanations.  This module codes the columns, compares the tables in the given order
and by their counts, and says what was found or what stands against it.  Labels are sorted first, so that
the search does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.exact import Bools, Ints
from phverify.microdata.hierarchy import Hierarchies, Hierarchy, absent
from phverify.microdata.matching import Both, Pairs, Puzzle, State, TooHard, image_of
from phverify.microdata.pairing import Pairing
from phverify.microdata.quotient import packed
from phverify.microdata.table import Column, Label, Table
from phverify.spec.source import Values

NODES = 5_000
"""Search nodes at most; fewer for large tables, where a node costs more (see matching.EFFORT)."""
SHOWN = 5
"""Problems of one kind that are listed."""
KNOWN = {
    "identifier": "the rows paired by the identifier column",
    "policy": 'the rows in the same order, as the policy says (rows = "same order")',
}
TELLING = 'keep the rows in their order and say rows = "same order" in the policy'
"""How a user can tell which rows belong together."""
Known = Literal["identifier", "policy", "order", "matching"]
"""How it is known which rows belong together: by the identifier column, because the policy says that the rows are
in the same order, because the given order fits (another may fit, too), or by a search for mappings."""


@dataclass(frozen=True, eq=False)
class Sanitization:
    """Mappings that explain a release, and what Definition 6 calls them."""

    mappings: Mapping[str, Mapping[Label, Label]]
    """For each quasi-identifier, the released value of each original value."""
    by: Known
    """How it is known which rows belong together."""
    proper: bool
    """Whether original indiscernibility is a proper subset of the released one."""
    trivial: bool
    """Whether every released quasi-identifier has a single value."""
    home: Ints
    """For each original row, a release row in the class of that person."""
    others: _Others | None = field(default=None, repr=False)
    """Where other mappings may explain the release as well; None where the rows are paired for certain."""

    @property
    def same_order(self) -> bool:
        """Whether the rows correspond one to one in the given order, as far as is known."""
        return self.by in ("policy", "order") or bool(np.array_equal(self.home, np.arange(len(self.home))))

    @property
    def unique(self) -> bool:
        """Whether no other mappings explain the release; False when the search for others was cut short."""
        return self.others is None or self.others.none

    @property
    def certain(self) -> bool:
        """Whether it is known, without a further search, that no other mappings explain the release."""
        return self.others is None or self.others.settled

    def open_classes(self, people: Iterable[int]) -> dict[int, str]:
        """Those of the people who are in another class when other mappings are the true ones.

        By individual (a row of the original), the quasi-identifier that is open.  A question that is not settled
        within bounds counts as open.
        """
        return {} if self.unique or self.others is None else self.others.open(tuple(people))


@dataclass(frozen=True, eq=False)
class _Others:
    """The search for other explanations of a release than the one found, which has these images."""

    puzzle: Puzzle
    hierarchies: Hierarchies
    images: tuple[Ints, ...]

    @property
    def settled(self) -> bool:
        """Whether others have been looked for, and there are none."""
        return "none" in self.__dict__ and self.none

    @cached_property
    def none(self) -> bool:
        try:
            return len(_first_two(self.puzzle.again(), self.hierarchies)) < 2
        except TooHard:
            return False

    @cached_property
    def _start(self) -> State:
        return self.puzzle.start(self.hierarchies)

    def open(self, people: Sequence[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        asked: dict[tuple[int, int], bool] = {}
        puzzle = self.puzzle.again()
        for person in people:
            for f, b in enumerate(self.puzzle.known):
                value = int(b.before[person])
                if (f, value) not in asked:
                    asked[f, value] = self._elsewhere(puzzle, f, value)
                if asked[f, value]:
                    found.setdefault(person, b.name)
        return found

    def _elsewhere(self, puzzle: Puzzle, f: int, value: int) -> bool:
        try:
            return puzzle.elsewhere(self._start, f, value, int(self.images[f][value]))
        except TooHard:
            return True


def sanitization(
    original: Table,
    release: Table,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Hierarchies,
    paired: Pairing | None = None,
) -> Sanitization:
    """The mappings that make the release a truthful sanitization of the original.

    A hierarchy restricts its column's mappings to generalizations along it.  Without ``paired``, which says what
    rows belong together, the given row order is tried first, then any order.
    Raises InputError with what stands against it.
    """
    _check_shape(original, release, (*quasi, *others))
    _check_lines(original, quasi, hierarchies)
    order = np.arange(original.rows) if paired is None else paired.rows
    known = [_both(name, original.columns[name], release.columns[name], False) for name in quasi]
    kept = [_both(name, original.columns[name], release.columns[name], True) for name in others]
    row_by_row = [replace(b, after=b.after[order]) for b in known]
    problems = [*_changed([replace(b, after=b.after[order]) for b in kept]), *_forks(row_by_row)]
    problems += _strays(row_by_row, hierarchies)
    images = [image_of(b, Pairs(b.before, b.after)) for b in row_by_row]
    if paired is not None:
        if problems:
            raise InputError(
                [Problem(release.source, f"is no sanitization of the original, {KNOWN[paired.by]}"), *problems]
            )
        return _result(known, images, paired.rows, paired.by)
    rest = _rest(kept, original.rows)
    if not problems:
        found = _result(known, images, order, "order")
        return replace(found, others=_Others(Puzzle.of(known, rest, NODES), hierarchies, tuple(images)))
    differ = _differ(kept, original.rows)
    _check_counts(kept, rest, differ, problems)
    near = problems if 4 * np.count_nonzero(differ) <= original.rows else []
    return _shuffled(Puzzle.of(known, rest, NODES), hierarchies, near)


def _check_shape(original: Table, release: Table, names: Sequence[str]) -> None:
    problems = [
        Problem(table.source, f"there is no column {name!r} in the {role}", nearest(name, table.columns, "its columns"))
        for role, table in (("original", original), ("release", release))
        for name in names
        if name not in table.columns
    ]
    if original.rows != release.rows:
        what = f"the original has {original.rows} rows and the release {release.rows}: a sanitization keeps all rows"
        problems.append(Problem(release.source, what))
    if problems:
        raise InputError(problems)


def _check_lines(original: Table, quasi: Sequence[str], hierarchies: Hierarchies) -> None:
    """A hierarchy has a line for every value of its column: what has none could become anything.  Raises InputError."""
    problems = []
    for name in quasi:
        lost = absent(hierarchies[name], original.columns[name].labels) if name in hierarchies else []
        for value in lost[:SHOWN]:
            what = f"the value {value!r} of the original is not in the hierarchy"
            problems.append(Problem(f"quasi-identifier {name}", what, "add a line for it", private=True))
    if problems:
        raise InputError(problems)


def _both(name: str, before: Column, after: Column, shared: bool) -> Both:
    values, images = _ordered(before.labels), _ordered(after.labels)
    if shared:
        values = images = _ordered((*before.labels, *after.labels))
    return Both(name, _recoded(before, values), _recoded(after, images), values, images)


def _ordered(labels: Iterable[Label]) -> Values:
    return tuple(sorted(set(labels), key=lambda label: (label is not None, label or "")))


def _recoded(column: Column, labels: Values) -> Ints:
    position = {label: k for k, label in enumerate(labels)}
    return np.array([position[label] for label in column.labels], dtype=np.int64)[column.codes]


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)


def _changed(kept: Sequence[Both]) -> Problems:
    """Row by row: cells that should be unchanged and are not."""
    return [
        Problem(
            f"row {row + 1}",
            f"{b.name} is {_quoted(b.values[b.before[row]])} in the original "
            f"and {_quoted(b.values[b.after[row]])} in the release",
            private=True,
        )
        for b in kept
        for row in np.flatnonzero(b.before != b.after)[:SHOWN]
    ]


def _forks(known: Sequence[Both]) -> Problems:
    """Row by row: original values with two released values, each with the first row that shows it."""
    problems = []
    for b in known:
        keys, first = np.unique(b.before * len(b.images) + b.after, return_index=True)
        value = keys // len(b.images)
        for v in np.unique(value[1:][np.diff(value) == 0])[:SHOWN]:
            rows = np.sort(first[value == v])[:2]
            one, two = (f"{_quoted(b.images[b.after[row]])} (row {row + 1})" for row in rows)
            what = f"the value {_quoted(b.values[v])} became both {one} and {two}"
            problems.append(Problem(f"quasi-identifier {b.name}", what, private=True))
    return problems


def _strays(known: Sequence[Both], hierarchies: Hierarchies) -> Problems:
    """Row by row: original values whose released value is no generalization of them in the hierarchy."""
    problems = []
    for b in known:
        if b.name not in hierarchies:
            continue
        allowed = [hierarchies[b.name].generalizations(value) for value in b.values]
        keys, first = np.unique(b.before * len(b.images) + b.after, return_index=True)
        pairs = zip((keys // len(b.images)).tolist(), (keys % len(b.images)).tolist(), first.tolist(), strict=True)
        strayed = [(v, u, row) for v, u, row in pairs if b.images[u] not in allowed[v]]
        for v, u, row in strayed[:SHOWN]:
            what = f"the value {_quoted(b.values[v])} became {_quoted(b.images[u])} (row {row + 1}), "
            listed = ", ".join(map(_quoted, allowed[v]))
            hint = f"the hierarchy has {listed}"
            what += "which is no generalization of it in the hierarchy"
            problems.append(Problem(f"quasi-identifier {b.name}", what, hint, private=True))
    return problems


def _rest(kept: Sequence[Both], rows: int) -> tuple[Ints, Ints]:
    """One code per row for all unchanged columns together, the same code in both tables."""
    columns = [np.concatenate((b.before, b.after)) for b in kept]
    code = np.unique(packed(columns, [len(b.values) for b in kept], 2 * rows)[1], return_inverse=True)[1]
    return code[:rows], code[rows:]


def _differ(kept: Sequence[Both], rows: int) -> Bools:
    """The rows that differ in a column that should be unchanged."""
    result = np.zeros(rows, dtype=bool)
    for b in kept:
        result |= b.before != b.after
    return result


def _check_counts(kept: Sequence[Both], rest: tuple[Ints, Ints], differ: Bools, in_order: Problems) -> None:
    """In any order, the unchanged columns must have equal counts, one by one and together.

    Where putting the counts right takes about as many changes as the given order, that order is meant.
    """
    surplus = _surplus(*rest)
    if not surplus.any():
        return
    if np.count_nonzero(differ) <= int(np.abs(surplus).sum()):
        raise InputError(in_order)
    singles = [p for b in kept for p in _miscounts((b,), (b.before, b.after))]
    raise InputError(singles or _miscounts(kept, rest))


def _surplus(before: Ints, after: Ints) -> Ints:
    size = int(max(before.max(), after.max())) + 1
    return np.bincount(after, minlength=size) - np.bincount(before, minlength=size)


def _miscounts(kept: Sequence[Both], codes: tuple[Ints, Ints]) -> Problems:
    """The values (or tuples of values) that are more or fewer in the release."""
    problems = []
    for code in np.flatnonzero(_surplus(*codes))[:SHOWN]:
        before, after = (np.flatnonzero(side == code) for side in codes)
        cells = [b.before[before[0]] if len(before) else b.after[after[0]] for b in kept]
        texts = [_quoted(b.values[cell]) for b, cell in zip(kept, cells, strict=True)]
        what = f"the value {texts[0]} occurs" if len(kept) == 1 else f"the values ({', '.join(texts)}) occur together"
        what += f" {_times(len(before))} in the original and {_times(len(after))} in the release"
        problems.append(Problem(", ".join(b.name for b in kept), what, private=True))
    return problems


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"


def _result(known: Sequence[Both], images: Sequence[Ints], home: Ints, by: Known) -> Sanitization:
    mappings = {
        b.name: {value: b.images[image[k]] for k, value in enumerate(b.values)}
        for b, image in zip(known, images, strict=True)
    }
    before = packed([b.before for b in known], [len(b.values) for b in known], len(home))[1]
    after = packed([b.after for b in known], [len(b.images) for b in known], len(home))[1]
    proper = len(np.unique(after)) < len(np.unique(before))
    return Sanitization(mappings, by, proper, all(len(b.images) == 1 for b in known), home)


def _shuffled(puzzle: Puzzle, hierarchies: Hierarchies, near: Problems) -> Sanitization:
    """Mappings for rows in another order.  ``near`` are the problems of the given order, if that may be meant."""
    used = [b.name for b in puzzle.known if b.name in hierarchies]
    try:
        found = _first_two(puzzle, hierarchies)
    except TooHard:
        what = "which mappings explain the release, whose rows are in another order, was not settled within bounds"
        hint = f"give hierarchies for the quasi-identifiers, or {TELLING}"
        raise InputError([*near, Problem("release", what, hint)]) from None
    if not found:
        raise InputError(_nothing(puzzle, hierarchies, used, near))
    images = [image_of(b, pairs) for b, pairs in zip(puzzle.known, found[0], strict=True)]
    result = _result(puzzle.known, images, puzzle.home(images), "matching")
    return result if len(found) == 1 else replace(result, others=_Others(puzzle, hierarchies, tuple(images)))


def _first_two(puzzle: Puzzle, hierarchies: Hierarchies) -> list[State]:
    """Up to two solutions; a second entry also stands for a search cut short after the first."""
    found: list[State] = []
    try:
        for state in puzzle.solutions(puzzle.start(hierarchies)):
            found.append(state)
            if len(found) == 2:
                break
    except TooHard:
        if not found:
            raise
        found.append(found[0])
    return found


def _nothing(puzzle: Puzzle, hierarchies: Hierarchies, used: Sequence[str], near: Problems) -> Problems:
    """Why nothing explains the release; the hierarchies are suspected, too, and tried without.

    ``near`` are the problems of the given order, if that may be meant: then they say where the release departs.
    """
    what = "no order of the rows and no mappings of the quasi-identifiers turn the original into it"
    if not used:
        return [*near, Problem("release", what)]
    try:
        hint = "without the hierarchies there are none either"
        if next(puzzle.solutions(puzzle.start({})), None):
            hint = "without the hierarchies there are such mappings: mend the hierarchies, or leave out those of "
            hint += "columns that were recoded otherwise (by --space intervals or partitions)"
    except TooHard:
        hint = "without the hierarchies the question was not settled within bounds"
    problem = Problem("release", f"{what} along the hierarchies of {', '.join(used)}", hint)
    orphans = [p for b in puzzle.known if b.name in used for p in _orphans(b, hierarchies[b.name])]
    return [*(near or orphans), problem]


def _orphans(b: Both, hierarchy: Hierarchy) -> Problems:
    lost = [v for v in b.values if v is not None and not {*b.images} & {*hierarchy.generalizations(v)}]
    what = "neither the value {} nor a generalization of it in the hierarchy occurs in the release"
    return [Problem(f"quasi-identifier {b.name}", what.format(_quoted(v)), private=True) for v in lost[:SHOWN]]
