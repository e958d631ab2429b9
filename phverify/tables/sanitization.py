"""Whether a release really is a truthful sanitization of an original table (Definition 6).

Truthful: some bijection of the rows and, for each quasi-identifier, one function from original to
released values together turn the original into the release, all other columns unchanged.

If the given row order is such a bijection, that settles it.  Otherwise the functions are searched
for.  Candidate pairs (value, image) are narrowed by exact counts: in every context, the rows of
the values that become u are as many as the rows of u.  A row's context is its other columns and,
for each other quasi-identifier, the connected block of the candidate pairs in which its value
lies; the sharper the candidates of one column, the sharper the contexts of the rest.  What
narrowing leaves open is settled by complete backtracking.  Labels are sorted first and only counts
are looked at, so that neither the result nor the effort depends on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phverify.errors import InputError, Problem, nearest
from phverify.exact import Bools, Ints
from phverify.tables.hierarchy import Hierarchy
from phverify.tables.quotient import packed
from phverify.tables.table import Column, Label, Table

NODES = 5_000
"""Search nodes at most; fewer for large tables, where a node costs more (see EFFORT)."""
EFFORT = 10_000_000
"""Nodes times distinct rows at most (but ten nodes always), and entries of one narrowing step at most."""
SHOWN = 5
"""Problems of one kind that are listed."""


@dataclass(frozen=True, eq=False)
class Sanitization:
    """Mappings that explain a release, and what Definition 6 calls them."""

    mappings: Mapping[str, Mapping[Label, Label]]
    """For each quasi-identifier, the released value of each original value."""
    same_order: bool
    """Whether rows correspond one to one in the given order."""
    unique: bool
    """Whether no other mappings (along the hierarchies given) explain the release.

    True by convention when the order is the same; False when the search for others was cut short.
    """
    proper: bool
    """Whether original indiscernibility is a proper subset of the released one."""
    trivial: bool
    """Whether every released quasi-identifier has a single value."""
    home: Ints
    """For each original row, a release row in the class of that person."""


class _TooHard(Exception):
    """The search passed its bounds before the question was settled."""


@dataclass(frozen=True, eq=False)
class _Both:
    """One column in both tables, coded by sorted labels; ``images`` equals ``values`` unless quasi-identifying."""

    name: str
    before: Ints
    after: Ints
    values: tuple[Label, ...]
    images: tuple[Label, ...]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Candidate pairs of one quasi-identifier, sorted: ``value[k]`` may become ``image[k]``."""

    value: Ints
    image: Ints


_State = tuple[_Pairs, ...]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The distinct rows of one table: quasi-identifier codes, the code of all other columns, how many rows."""

    quasi: tuple[Ints, ...]
    rest: Ints
    counts: Ints


def sanitization(
    original: Table,
    release: Table,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> Sanitization:
    """The mappings that make the release a truthful sanitization of the original.

    The given row order is tried first; then any order, where a hierarchy restricts its column's
    mappings to generalizations.  Raises InputError with what stands against it.
    """
    _check_shape(original, release, (*quasi, *others))
    known = [_both(name, original.columns[name], release.columns[name], False) for name in quasi]
    kept = [_both(name, original.columns[name], release.columns[name], True) for name in others]
    in_order = [*_changed(kept), *_forks(known)]
    if not in_order:
        images = [_image_of(b, _Pairs(b.before, b.after)) for b in known]
        return _result(known, images, np.arange(original.rows), True, True)
    rest, differ = _rest(kept, original.rows), _differ(kept, original.rows)
    _check_counts(kept, rest, differ, in_order)
    near = in_order if 4 * np.count_nonzero(differ) <= original.rows else []
    return _shuffled(_Puzzle.of(known, rest), hierarchies, near)


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


def _both(name: str, before: Column, after: Column, shared: bool) -> _Both:
    values, images = _ordered(before.labels), _ordered(after.labels)
    if shared:
        values = images = _ordered((*before.labels, *after.labels))
    return _Both(name, _recoded(before, values), _recoded(after, images), values, images)


def _ordered(labels: Iterable[Label]) -> tuple[Label, ...]:
    return tuple(sorted(set(labels), key=lambda label: (label is not None, label or "")))


def _recoded(column: Column, labels: tuple[Label, ...]) -> Ints:
    position = {label: k for k, label in enumerate(labels)}
    return np.array([position[label] for label in column.labels], dtype=np.int64)[column.codes]


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)


def _changed(kept: Sequence[_Both]) -> list[Problem]:
    """Row by row: cells that should be unchanged and are not."""
    return [
        Problem(
            f"row {row + 1}",
            f"{b.name} is {_quoted(b.values[b.before[row]])} in the original "
            f"and {_quoted(b.values[b.after[row]])} in the release",
        )
        for b in kept
        for row in np.flatnonzero(b.before != b.after)[:SHOWN]
    ]


def _forks(known: Sequence[_Both]) -> list[Problem]:
    """Row by row: original values with two released values, each with the first row that shows it."""
    problems = []
    for b in known:
        keys, first = np.unique(b.before * len(b.images) + b.after, return_index=True)
        value = keys // len(b.images)
        for v in np.unique(value[1:][np.diff(value) == 0])[:SHOWN]:
            rows = np.sort(first[value == v])[:2]
            one, two = (f"{_quoted(b.images[b.after[row]])} (row {row + 1})" for row in rows)
            what = f"the value {_quoted(b.values[v])} became both {one} and {two}"
            problems.append(Problem(f"quasi-identifier {b.name}", what))
    return problems


def _rest(kept: Sequence[_Both], rows: int) -> tuple[Ints, Ints]:
    """One code per row for all unchanged columns together, the same code in both tables."""
    columns = [np.concatenate((b.before, b.after)) for b in kept]
    code = np.unique(packed(columns, [len(b.values) for b in kept], 2 * rows)[1], return_inverse=True)[1]
    return code[:rows], code[rows:]


def _differ(kept: Sequence[_Both], rows: int) -> Bools:
    """The rows that differ in a column that should be unchanged."""
    result = np.zeros(rows, dtype=bool)
    for b in kept:
        result |= b.before != b.after
    return result


def _check_counts(kept: Sequence[_Both], rest: tuple[Ints, Ints], differ: Bools, in_order: list[Problem]) -> None:
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


def _miscounts(kept: Sequence[_Both], codes: tuple[Ints, Ints]) -> list[Problem]:
    """The values (or tuples of values) that are more or fewer in the release."""
    problems = []
    for code in np.flatnonzero(_surplus(*codes))[:SHOWN]:
        before, after = (np.flatnonzero(side == code) for side in codes)
        cells = [b.before[before[0]] if len(before) else b.after[after[0]] for b in kept]
        texts = [_quoted(b.values[cell]) for b, cell in zip(kept, cells, strict=True)]
        what = f"the value {texts[0]} occurs" if len(kept) == 1 else f"the values ({', '.join(texts)}) occur together"
        what += f" {_times(len(before))} in the original and {_times(len(after))} in the release"
        problems.append(Problem(", ".join(b.name for b in kept), what))
    return problems


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"


def _image_of(b: _Both, pairs: _Pairs) -> Ints:
    """The image of each value, where the pairs are a function."""
    image = np.zeros(len(b.values), dtype=np.int64)
    image[pairs.value] = pairs.image
    return image


def _result(known: Sequence[_Both], images: Sequence[Ints], home: Ints, same: bool, unique: bool) -> Sanitization:
    mappings = {
        b.name: {value: b.images[image[k]] for k, value in enumerate(b.values)}
        for b, image in zip(known, images, strict=True)
    }
    before = packed([b.before for b in known], [len(b.values) for b in known], len(home))[1]
    after = packed([b.after for b in known], [len(b.images) for b in known], len(home))[1]
    proper = len(np.unique(after)) < len(np.unique(before))
    return Sanitization(mappings, same, unique, proper, all(len(b.images) == 1 for b in known), home)


def _shuffled(puzzle: _Puzzle, hierarchies: Mapping[str, Hierarchy], near: list[Problem]) -> Sanitization:
    """Mappings for rows in another order.  ``near`` are the problems of the given order, if that may be meant."""
    used = [b.name for b in puzzle.known if b.name in hierarchies]
    try:
        found = _first_two(puzzle, hierarchies)
    except _TooHard:
        what = "which mappings explain the release, whose rows are in another order, was not settled within bounds"
        hint = "keep the rows in the order of the original, or give hierarchies for the quasi-identifiers"
        raise InputError([*near, Problem("release", what, hint)]) from None
    if not found:
        raise InputError([*near, *_nothing(puzzle, hierarchies, used)])
    images = [_image_of(b, pairs) for b, pairs in zip(puzzle.known, found[0], strict=True)]
    return _result(puzzle.known, images, puzzle.home(images), False, len(found) == 1)


def _first_two(puzzle: _Puzzle, hierarchies: Mapping[str, Hierarchy]) -> list[_State]:
    """Up to two solutions; a second entry also stands for a search cut short after the first."""
    found: list[_State] = []
    try:
        for state in puzzle.solutions(puzzle.start(hierarchies)):
            found.append(state)
            if len(found) == 2:
                break
    except _TooHard:
        if not found:
            raise
        found.append(found[0])
    return found


def _nothing(puzzle: _Puzzle, hierarchies: Mapping[str, Hierarchy], used: Sequence[str]) -> list[Problem]:
    """Why nothing explains the release; the hierarchies are suspected, too, and tried without."""
    what = "no order of the rows and no mappings of the quasi-identifiers turn the original into it"
    if not used:
        return [Problem("release", what)]
    try:
        hint = "without the hierarchies there are none either"
        if next(puzzle.solutions(puzzle.start({})), None):
            hint = "without the hierarchies there are such mappings: mend the hierarchies or leave them out"
    except _TooHard:
        hint = "without the hierarchies the question was not settled within bounds"
    problem = Problem("release", f"{what} along the hierarchies of {', '.join(used)}", hint)
    return [*(p for b in puzzle.known if b.name in used for p in _orphans(b, hierarchies[b.name])), problem]


def _orphans(b: _Both, hierarchy: Hierarchy) -> list[Problem]:
    images, paths = set(b.images), hierarchy.paths
    lost = [v for v in b.values if v is not None and v in paths and not images & set(paths[v])]
    what = "neither the value {} nor a generalization of it in the hierarchy occurs in the release"
    return [Problem(f"quasi-identifier {b.name}", what.format(_quoted(v))) for v in lost[:SHOWN]]


@dataclass(frozen=True, eq=False)
class _Puzzle:
    """The search for mappings.  ``rest`` are the codes of the other columns, whose counts agree."""

    known: tuple[_Both, ...]
    rest: tuple[Ints, Ints]
    before: _Cells
    after: _Cells

    @staticmethod
    def of(known: Sequence[_Both], rest: tuple[Ints, Ints]) -> _Puzzle:
        before = _cells([b.before for b in known], [len(b.values) for b in known], rest[0])
        after = _cells([b.after for b in known], [len(b.images) for b in known], rest[1])
        return _Puzzle(tuple(known), rest, before, after)

    def start(self, hierarchies: Mapping[str, Hierarchy]) -> _State:
        """The candidates along the hierarchies; for values outside them, by what they occur with."""
        return tuple(self._candidates(f, hierarchies.get(b.name)) for f, b in enumerate(self.known))

    def _candidates(self, f: int, hierarchy: Hierarchy | None) -> _Pairs:
        paths = hierarchy.paths if hierarchy else {}
        place = {image: k for k, image in enumerate(self.known[f].images)}
        listed = [(k, paths[v]) for k, v in enumerate(self.known[f].values) if v is not None and v in paths]
        pairs = {(k, place[image]) for k, path in listed for image in path if image in place}
        if len(listed) < len(self.known[f].values):
            seeds, inside = self._seeds(f), {k for k, _ in listed}
            both = zip(seeds.value.tolist(), seeds.image.tolist(), strict=True)
            pairs |= {pair for pair in both if pair[0] not in inside}
        table = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return _Pairs(table[:, 0], table[:, 1])

    def _seeds(self, f: int) -> _Pairs:
        """For each value, the images in the rest code that it occurs with and that has the fewest images."""
        size, width = int(self.before.rest.max()) + 1, len(self.known[f].images)
        rest, image = np.divmod(np.unique(self.after.rest * width + self.after.quasi[f]), width)
        starts = np.searchsorted(rest, np.arange(size + 1))
        value, code = np.divmod(np.unique(self.before.quasi[f] * size + self.before.rest), size)
        order = np.lexsort((np.diff(starts)[code], value))
        best = code[order[np.flatnonzero(np.diff(value[order], prepend=-1))]]
        owner, entry = _spread(starts[best], np.diff(starts)[best])
        return _Pairs(owner, image[entry])

    def solutions(self, start: _State) -> Iterator[_State]:
        """All mappings that explain the release, each once, depth first.  Raises _TooHard."""
        stack, nodes = [start], min(NODES, max(10, EFFORT // len(self.before.rest)))
        while stack:
            nodes -= 1
            if nodes < 0:
                raise _TooHard
            state = self._narrowed(stack.pop())
            if state is None:
                continue
            if any(self._open(state, f) for f in range(len(state))):
                stack.extend(self._branches(state))
            elif self._explains([_image_of(b, p) for b, p in zip(self.known, state, strict=True)]):
                yield state

    def _open(self, state: _State, f: int) -> bool:
        return len(state[f].value) > len(self.known[f].values)

    def _branches(self, state: _State) -> list[_State]:
        """One state for each image of the value with the fewest candidates; the first is last, to be popped."""
        degrees = [np.bincount(pairs.value) for pairs in state]
        fewest = min(int(d[d > 1].min()) for d in degrees if d.max() > 1)
        f, value = next((f, int(np.argmax(d == fewest))) for f, d in enumerate(degrees) if fewest in d)
        own = state[f].value == value
        keeps = [~own | (state[f].image == image) for image in state[f].image[own][::-1]]
        return [(*state[:f], _Pairs(state[f].value[k], state[f].image[k]), *state[f + 1 :]) for k in keeps]

    def _narrowed(self, state: _State) -> _State | None:
        """The state after narrowing every open column until nothing changes; None if nothing is left."""
        if any(len(np.unique(p.value)) < len(b.values) for b, p in zip(self.known, state, strict=True)):
            return None
        size = -1
        while size != (size := sum(len(pairs.value) for pairs in state)):
            for f in range(len(state)):
                pairs = self._narrow(state, f) if self._open(state, f) else state[f]
                if pairs is None:
                    return None
                state = (*state[:f], pairs, *state[f + 1 :])
        return state

    def _narrow(self, state: _State, f: int) -> _Pairs | None:
        """Drop the pairs of a column that exceed an image's rows, and the rivals of pairs it cannot do without."""
        pairs, values = state[f], len(self.known[f].values)
        before, after, width = self._contexts(state, f)
        cells, need = _tally(self.before.quasi[f] * width + before, self.before.counts)
        rooms, supply = _tally(self.after.quasi[f] * width + after, self.after.counts)
        starts = np.searchsorted(cells, np.arange(values + 1) * width)
        owner, cell = _spread(starts[pairs.value], np.diff(starts)[pairs.value])
        keep = _kept(pairs, owner, need[cell], _find(rooms, pairs.image[owner] * width + cells[cell] % width), supply)
        if len(np.unique(pairs.value[keep])) < values:
            return None
        return _Pairs(pairs.value[keep], pairs.image[keep])

    def _contexts(self, state: _State, f: int) -> tuple[Ints, Ints, int]:
        """A number for the context of each cell of both tables, and how many contexts there are."""
        columns, sizes = [np.concatenate((self.before.rest, self.after.rest))], [int(self.before.rest.max()) + 1]
        for g, pairs in enumerate(state):
            if g != f:
                values, images = _blocks(pairs, len(self.known[g].values), len(self.known[g].images))
                columns.append(np.concatenate((values[self.before.quasi[g]], images[self.after.quasi[g]])))
                sizes.append(len(images))
        contexts, code = np.unique(packed(columns, sizes, len(columns[0]))[1], return_inverse=True)
        return code[: len(self.before.rest)], code[len(self.before.rest) :], len(contexts)

    def _keys(self, images: Sequence[Ints], rest: bool) -> tuple[Ints, Ints]:
        """Comparable keys of the mapped original rows and of the release rows."""
        columns = [np.concatenate((i[b.before], b.after)) for b, i in zip(self.known, images, strict=True)]
        sizes, rows = [len(b.images) for b in self.known], len(self.rest[0])
        if rest:
            columns, sizes = [*columns, np.concatenate(self.rest)], [*sizes, int(self.rest[0].max()) + 1]
        keys = packed(columns, sizes, 2 * rows)[1]
        return keys[:rows], keys[rows:]

    def _explains(self, images: Sequence[Ints]) -> bool:
        """Whether the mapped original and the release have the same rows, as often, in whatever order."""
        before, after = self._keys(images, True)
        return np.array_equal(np.sort(before), np.sort(after))

    def home(self, images: Sequence[Ints]) -> Ints:
        """For each original row, the first release row with the mapped quasi-identifiers."""
        before, after = self._keys(images, False)
        keys, first = np.unique(after, return_index=True)
        return first[np.searchsorted(keys, before)]


def _cells(quasi: Sequence[Ints], sizes: Sequence[int], rest: Ints) -> _Cells:
    keys = packed([*quasi, rest], [*sizes, int(rest.max()) + 1], len(rest))[1]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return _Cells(tuple(codes[first] for codes in quasi), rest[first], counts)


def _spread(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """For runs of entries: the run and the number of each entry.  Raises _TooHard for too many."""
    total = int(lengths.sum())
    if total > EFFORT:
        raise _TooHard
    owner = np.repeat(np.arange(len(starts)), lengths)
    return owner, np.arange(total) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)


def _tally(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Distinct keys, sorted, and the sum of the counts of each."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, _sums(inverse, counts, len(distinct))


def _sums(places: Ints, counts: Ints, size: int) -> Ints:
    result = np.zeros(size, dtype=np.int64)
    np.add.at(result, places, counts)
    return result


def _find(keys: Ints, wanted: Ints) -> Ints:
    """The places of the wanted keys among the sorted ones, -1 where there is none."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def _blocks(pairs: _Pairs, values: int, images: int) -> tuple[Ints, Ints]:
    """The connected block of each value and of each image: the least image that can be reached."""
    of_image = np.arange(images)
    while True:
        of_value = np.full(values, images - 1)
        np.minimum.at(of_value, pairs.value, of_image[pairs.image])
        linked = of_image.copy()
        np.minimum.at(linked, pairs.image, of_value[pairs.value])
        if np.array_equal(linked, of_image):
            return of_value, of_image
        of_image = linked


def _kept(pairs: _Pairs, owner: Ints, need: Ints, room: Ints, supply: Ints) -> Bools:
    """Which pairs stay.  Entry k: pair ``owner[k]`` puts ``need[k]`` rows into ``room[k]``, which takes its supply.

    All pairs together must fill every room; decided values take their part of it first.
    """
    decided = (np.bincount(pairs.value)[pairs.value] == 1)[owner]
    fits, sure = room >= 0, (room >= 0) & decided
    spare = _sums(room[fits], need[fits], len(supply)) - supply
    if (spare < 0).any():
        return np.zeros(len(pairs.value), dtype=bool)
    left = supply - _sums(room[sure], need[sure], len(supply))
    bad, forced = np.zeros((2, len(pairs.value)), dtype=bool)
    bad[owner[~fits | (need > left[room] + np.where(decided, need, 0))]] = True
    forced[owner[fits & (need > spare[room])]] = True
    rivalled = np.isin(pairs.value, pairs.value[forced])
    return ~bad & (forced | ~rivalled)
