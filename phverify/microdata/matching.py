"""The search for the mappings that turn one table into another, whose rows are in any
order.

Candidate pairs (value, image) of each quasi-identifier are narrowed by exact counts: in
every context, the rows of the values that become u are as many as the rows of u.  A
row's context is its other columns and, for each other quasi-identifier, the connected
block of the candidate pairs in which its value lies; the sharper the candidates of one
column, the sharper the contexts of the rest.  What narrowing leaves open is settled by
complete backtracking.  Only counts of codes are looked at, so that neither the result
nor the effort depends on the order of the rows.

What the mappings mean, and which columns and bounds to search with, is up to
sanitization.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phverify.exact import Bools, Ints, IntsPair
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.quotient import packed
from phverify.microdata.table import Column, Label
from phverify.spec.source import Values

EFFORT = 10_000_000
"""Nodes times distinct rows at most (but ten nodes always); entries of one narrowing
step, and candidate pairs of the nodes on the way down, at most.
"""


class TooHard(Exception):
    """The search passed its bounds before the question was settled."""


@dataclass(frozen=True, eq=False)
class Both:
    """One column in both tables, coded by sorted labels; ``images`` equals ``values``
    unless quasi-identifying.
    """

    name: str
    before: Ints
    after: Ints
    values: Values
    images: Values

    @property
    def pairs(self) -> list[tuple[Label, Label, int]]:
        """The values with what became of them row by row, in order, each pair with the
        first row that shows it.
        """
        keys, rows = np.unique(
            self.before * len(self.images) + self.after, return_index=True
        )
        values, images = np.divmod(keys, len(self.images))
        found = zip(values.tolist(), images.tolist(), rows.tolist(), strict=True)
        return [
            (self.values[value], self.images[image], row) for value, image, row in found
        ]

    def mapping(self, codes: Ints) -> dict[Label, Label]:
        """The released value of each value, by the codes of both."""
        return {
            value: self.images[code]
            for value, code in zip(self.values, codes.tolist(), strict=True)
        }


def both(name: str, before: Column, after: Column, shared: bool) -> Both:
    """A column of two tables; where values should be ``shared``, one code means the
    same in both.
    """
    together = (*before.labels, *after.labels)
    values, images = (
        _ordered(together if shared else column.labels) for column in (before, after)
    )
    old, new = Column.coded(before.labels, values), Column.coded(after.labels, images)
    return Both(name, old[before.codes], new[after.codes], values, images)


def _ordered(labels: Iterable[Label]) -> Values:
    return tuple(
        sorted(set(labels), key=lambda label: (label is not None, label or ""))
    )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Candidate pairs of one quasi-identifier, sorted: ``value[k]`` may become
    ``image[k]``.
    """

    value: Ints
    image: Ints


State = tuple[Pairs, ...]
Sides = tuple[Ints, Ints]
"""Of the original, and of the release."""


@dataclass(frozen=True, eq=False)
class _Cells:
    """The distinct rows of one table: quasi-identifier codes, the code of all other
    columns, how many rows.
    """

    quasi: tuple[Ints, ...]
    rest: Ints
    counts: Ints


@dataclass(eq=False)
class Puzzle:
    """The search for mappings.  ``rest`` are the codes of the other columns, whose
    counts agree.
    """

    known: tuple[Both, ...]
    rest: Sides
    before: _Cells
    after: _Cells
    hierarchies: Hierarchies
    nodes: int
    """Search nodes at most; EFFORT may allow fewer."""
    left: int = 5 * EFFORT
    """What may still be spent: candidate pairs that are looked at, each time they
    are.
    """

    def again(self) -> Puzzle:
        """The same search with all its effort before it."""
        return replace(self, left=5 * EFFORT)

    @staticmethod
    def of(
        known: Sequence[Both], rest: Sides, hierarchies: Hierarchies, nodes: int
    ) -> Puzzle:
        before = _cells(
            [b.before for b in known], [len(b.values) for b in known], rest[0]
        )
        after = _cells(
            [b.after for b in known], [len(b.images) for b in known], rest[1]
        )
        return Puzzle(tuple(known), rest, before, after, hierarchies, nodes)

    def first_two(self) -> list[State]:
        """Up to two solutions; a second entry also stands for a search cut short after
        the first.  Raises TooHard.
        """
        found: list[State] = []
        try:
            for state in self.solutions(self.start()):
                found.append(state)
                if len(found) == 2:
                    break
        except TooHard:
            if not found:
                raise
            found.append(found[0])
        return found

    def start(self) -> State:
        """The candidates along the hierarchies; without one, by what the values occur
        with.
        """
        found = []
        for f, b in enumerate(self.known):
            place = {image: k for k, image in enumerate(b.images)}
            images = self._seeds(f)
            if b.name in self.hierarchies:
                upward = [
                    self.hierarchies[b.name].generalizations(value)
                    for value in b.values
                ]
                images = [
                    {place[image] for image in above if image in place}
                    for above in upward
                ]
            if sum(map(len, images)) > EFFORT:
                raise TooHard
            pairs = [
                (value, image)
                for value, own in enumerate(images)
                for image in sorted(own)
            ]
            table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
            found.append(Pairs(table[:, 0], table[:, 1]))
        return tuple(found)

    def _seeds(self, f: int) -> list[set[int]]:
        """For each value, the images in the rest code that it occurs with and that has
        the fewest images.
        """
        images: dict[int, set[int]] = {}
        for rest, image in zip(
            self.after.rest.tolist(), self.after.quasi[f].tolist(), strict=True
        ):
            images.setdefault(rest, set()).add(image)
        fewest = [{*range(len(self.known[f].images))}] * len(self.known[f].values)
        for value, rest in zip(
            self.before.quasi[f].tolist(), self.before.rest.tolist(), strict=True
        ):
            fewest[value] = min(fewest[value], images[rest], key=len)
        return fewest

    def solutions(self, start: State) -> Iterator[State]:
        """All mappings that explain the release, each once, depth first.  Raises
        TooHard.
        """
        nodes = min(self.nodes, max(10, EFFORT // len(self.before.rest)))
        waiting = [
            iter([start])
        ]  # of each node on the way down, the branches that have not been looked at
        held = [0]
        while waiting:
            branch = next(waiting[-1], None)
            if branch is None:
                waiting.pop()
                held.pop()
                continue
            nodes -= 1
            if nodes < 0 or sum(held) > EFFORT:
                raise TooHard
            state = self._narrowed(branch)
            if state is None:
                continue
            if any(self._open(state, f) for f in range(len(state))):
                waiting.append(self._branches(state))
                held.append(sum(len(pairs.value) for pairs in state))
            elif self._explains(
                [image_of(b, p) for b, p in zip(self.known, state, strict=True)]
            ):
                yield state

    def elsewhere(self, start: State, f: int, value: int, image: int) -> bool:
        """Whether some mappings that explain the release give a value another image
        than this.  Raises TooHard.
        """
        pairs = start[f]
        kept = (pairs.value != value) | (pairs.image != image)
        others = Pairs(pairs.value[kept], pairs.image[kept])
        state = (*start[:f], others, *start[f + 1 :])
        return next(self.solutions(state), None) is not None

    def _open(self, state: State, f: int) -> bool:
        return len(state[f].value) > len(self.known[f].values)

    def _branches(self, state: State) -> Iterator[State]:
        """One state for each image of the value with the fewest candidates."""
        degrees = [np.bincount(pairs.value) for pairs in state]
        fewest = min(int(d[d > 1].min()) for d in degrees if d.max() > 1)
        f, value = next(
            (f, int(np.argmax(d == fewest)))
            for f, d in enumerate(degrees)
            if fewest in d
        )
        own = state[f].value == value
        for image in state[f].image[own]:
            kept = ~own | (state[f].image == image)
            yield (
                *state[:f],
                Pairs(state[f].value[kept], state[f].image[kept]),
                *state[f + 1 :],
            )

    def _narrowed(self, state: State) -> State | None:
        """The state after narrowing every open column until nothing changes; None if
        nothing is left.
        """
        if any(
            len(np.unique(p.value)) < len(b.values)
            for b, p in zip(self.known, state, strict=True)
        ):
            return None
        size = -1
        while size != (size := sum(len(pairs.value) for pairs in state)):
            self.left -= size
            if self.left < 0:
                raise TooHard
            for f in range(len(state)):
                pairs = self._narrow(state, f) if self._open(state, f) else state[f]
                if pairs is None:
                    return None
                state = (*state[:f], pairs, *state[f + 1 :])
        return state

    def _narrow(self, state: State, f: int) -> Pairs | None:
        """Drop the pairs of a column that exceed an image's rows, and the rivals of
        pairs it cannot do without.
        """
        pairs, values = state[f], len(self.known[f].values)
        before, after, width = self._contexts(state, f)
        cells, need = _tally(self.before.quasi[f] * width + before, self.before.counts)
        rooms, supply = _tally(self.after.quasi[f] * width + after, self.after.counts)
        starts = np.searchsorted(cells, np.arange(values + 1) * width)
        owner, cell = _spread(starts[pairs.value], np.diff(starts)[pairs.value])
        keep = _kept(
            pairs,
            owner,
            need[cell],
            _find(rooms, pairs.image[owner] * width + cells[cell] % width),
            supply,
        )
        if len(np.unique(pairs.value[keep])) < values:
            return None
        return Pairs(pairs.value[keep], pairs.image[keep])

    def _contexts(self, state: State, f: int) -> tuple[Ints, Ints, int]:
        """A number for the context of each cell of both tables, and how many contexts
        there are.
        """
        columns, sizes = (
            [np.concatenate((self.before.rest, self.after.rest))],
            [int(self.before.rest.max()) + 1],
        )
        for g, pairs in enumerate(state):
            if g != f:
                values, images = _blocks(
                    pairs, len(self.known[g].values), len(self.known[g].images)
                )
                columns.append(
                    np.concatenate(
                        (values[self.before.quasi[g]], images[self.after.quasi[g]])
                    )
                )
                sizes.append(len(images))
        contexts, code = np.unique(
            packed(columns, sizes, len(columns[0]))[1], return_inverse=True
        )
        return (
            code[: len(self.before.rest)],
            code[len(self.before.rest) :],
            len(contexts),
        )

    def _explains(self, images: Sequence[Ints]) -> bool:
        """Whether the mapped original and the release have the same rows, as often, in
        whatever order.
        """
        before, after = codes_of(self._mapped(images), len(self.rest[0]), self.rest)
        return np.array_equal(np.sort(before), np.sort(after))

    def home(self, images: Sequence[Ints]) -> Ints:
        """For each original row, the first release row with the mapped
        quasi-identifiers.
        """
        before, after = codes_of(self._mapped(images), len(self.rest[0]))
        keys, first = np.unique(after, return_index=True)
        return first[np.searchsorted(keys, before)]

    def _mapped(self, images: Sequence[Ints]) -> list[Both]:
        """The columns once the original is mapped."""
        return [
            replace(b, before=i[b.before], values=b.images)
            for b, i in zip(self.known, images, strict=True)
        ]


def codes_of(columns: Sequence[Both], rows: int, rest: Sides | None = None) -> Sides:
    """One code per row for all columns together, and the rest; the same code in both
    tables where labels are shared.
    """
    codes = [np.concatenate((b.before, b.after)) for b in columns]
    sizes = [max(len(b.values), len(b.images)) for b in columns]
    if rest is not None:
        codes, sizes = [*codes, np.concatenate(rest)], [*sizes, int(rest[0].max()) + 1]
    code = np.unique(packed(codes, sizes, 2 * rows)[1], return_inverse=True)[1]
    return code[:rows], code[rows:]


def image_of(b: Both, pairs: Pairs) -> Ints:
    """The image of each value, where the pairs are a function."""
    image = np.zeros(len(b.values), dtype=np.int64)
    image[pairs.value] = pairs.image
    return image


def _cells(quasi: Sequence[Ints], sizes: Sequence[int], rest: Ints) -> _Cells:
    keys = packed([*quasi, rest], [*sizes, int(rest.max()) + 1], len(rest))[1]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return _Cells(tuple(codes[first] for codes in quasi), rest[first], counts)


def _spread(starts: Ints, lengths: Ints) -> IntsPair:
    """For runs of entries: the run and the number of each entry.  Raises TooHard for
    too many.
    """
    total = int(lengths.sum())
    if total > EFFORT:
        raise TooHard
    owner = np.repeat(np.arange(len(starts)), lengths)
    return owner, np.arange(total) + np.repeat(
        starts - np.cumsum(lengths) + lengths, lengths
    )


def _tally(keys: Ints, counts: Ints) -> IntsPair:
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


def _blocks(pairs: Pairs, values: int, images: int) -> IntsPair:
    """The connected block of each value and of each image: the least image that can be
    reached.
    """
    of_image = np.arange(images)
    while True:
        of_value = np.full(values, images - 1)
        np.minimum.at(of_value, pairs.value, of_image[pairs.image])
        linked = of_image.copy()
        np.minimum.at(linked, pairs.image, of_value[pairs.value])
        if np.array_equal(linked, of_image):
            return of_value, of_image
        of_image = linked


def _kept(pairs: Pairs, owner: Ints, need: Ints, room: Ints, supply: Ints) -> Bools:
    """Which pairs stay.  Entry k: pair ``owner[k]`` puts ``need[k]`` rows into
    ``room[k]``, which takes its supply.

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
