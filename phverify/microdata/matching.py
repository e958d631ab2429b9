"""The search for the mappings that turn one table into another, whose rows are in any
order.

Candidate pairs (value, image) of each quasi-identifier are narrowed by exact counts:
see narrowing.  A row's context is its other columns and, for each other column,
the connected block of the candidate pairs in which its value lies; the sharper the
candidates of one column, the sharper the contexts of the rest.  What narrowing leaves
open is settled by complete backtracking.  Only counts of codes are looked at, so that
neither the result nor the effort depends on the order of the rows.

What the mappings mean, and which columns and bounds to search with, is up to
sanitization.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from phverify.exact import Ints
from phverify.microdata.coding import PairedColumn, Sides, codes_of
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.keys import packed
from phverify.microdata.narrowing import EFFORT, Pairs, TooHard, blocks, narrowed, needs

State = tuple[Pairs, ...]
"""The candidate pairs of each quasi-identifier."""


@dataclass(frozen=True, eq=False)
class _DistinctRows:
    """The distinct rows of one table.

    The code of each quasi-identifier, the code of all other columns, how many rows.
    """

    quasi: tuple[Ints, ...]
    rest: Ints
    counts: Ints


@dataclass(eq=False)
class MappingSearch:
    """The search for mappings of the ``known`` quasi-identifiers.

    ``rest`` are the codes of the other columns, whose counts agree.
    """

    known: tuple[PairedColumn, ...]
    rest: Sides
    before: _DistinctRows
    after: _DistinctRows
    hierarchies: Hierarchies
    nodes: int
    """Search nodes at most; EFFORT may allow fewer."""
    left: int = 5 * EFFORT
    """What may still be spent: candidate pairs, each time they are looked at."""

    def again(self) -> MappingSearch:
        """The same search with all its effort before it."""
        return replace(self, left=5 * EFFORT)

    @staticmethod
    def of(
        known: Sequence[PairedColumn],
        rest: Sides,
        hierarchies: Hierarchies,
        nodes: int,
    ) -> MappingSearch:
        """The search over these quasi-identifiers."""
        old = [column.before for column in known]
        new = [column.after for column in known]
        before = _distinct(old, [len(column.values) for column in known], rest[0])
        after = _distinct(new, [len(column.images) for column in known], rest[1])
        return MappingSearch(tuple(known), rest, before, after, hierarchies, nodes)

    def first_two(self) -> list[State]:
        """Up to two solutions.  Raises TooHard.

        A second entry also stands for a search that was cut short after the first.
        """
        solved: list[State] = []
        try:
            for state in self.solutions(self.start()):
                solved.append(state)
                if len(solved) == 2:
                    break
        except TooHard:
            if not solved:
                raise
            # Cut short: whether there are others is open, which counts as if there
            # were.
            solved.append(solved[0])
        return solved

    def start(self) -> State:
        """The candidates along the hierarchies, else by what the values occur with.

        Raises TooHard for too many.
        """
        state = []
        for f, column in enumerate(self.known):
            if column.name in self.hierarchies:
                images = self._upward(column)
            else:
                images = self._seeds(f)
            if sum(map(len, images)) > EFFORT:
                raise TooHard
            state.append(_pairs(images))
        return tuple(state)

    def _upward(self, column: PairedColumn) -> list[set[int]]:
        """For each value, the images that are generalizations of it."""
        hierarchy = self.hierarchies[column.name]
        place = {image: code for code, image in enumerate(column.images)}
        upward = []
        for value in column.values:
            above = hierarchy.generalizations(value)
            # Generalizations that the release does not show are no candidates.
            upward.append({place[image] for image in above if image in place})
        return upward

    def _seeds(self, f: int) -> list[set[int]]:
        """For each value, the fewest images that some rest code leaves to it.

        A value occurs with a rest code, and so must its image.
        """
        images: dict[int, set[int]] = {}
        new = zip(self.after.rest.tolist(), self.after.quasi[f].tolist(), strict=True)
        for rest, image in new:
            images.setdefault(rest, set()).add(image)
        column = self.known[f]
        fewest = [{*range(len(column.images))}] * len(column.values)
        old = zip(self.before.rest.tolist(), self.before.quasi[f].tolist(), strict=True)
        for rest, value in old:
            fewest[value] = min(fewest[value], images[rest], key=len)
        return fewest

    def solutions(self, start: State) -> Iterator[State]:
        """All mappings that explain the release, each once, depth first.

        Raises TooHard.
        """
        nodes = min(self.nodes, max(10, EFFORT // len(self.before.rest)))
        # Of each node on the way down, the branches that have not been looked at.
        waiting = [iter([start])]
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
                held.append(_size(state))
            elif self._explains(self.images_of(state)):
                yield state

    def elsewhere(self, start: State, f: int, value: int, image: int) -> bool:
        """Whether some mappings that explain the release give a value another image.

        Raises TooHard.
        """
        pairs = start[f]
        others = pairs.where((pairs.value != value) | (pairs.image != image))
        state = (*start[:f], others, *start[f + 1 :])
        return next(self.solutions(state), None) is not None

    def _open(self, state: State, f: int) -> bool:
        """Whether some value of a column has two candidates left."""
        candidates = len(state[f].value)
        return candidates > len(self.known[f].values)

    def _branches(self, state: State) -> Iterator[State]:
        """One state for each image of the value with the fewest candidates."""
        degrees = [np.bincount(pairs.value) for pairs in state]
        fewest = min(int(one[one > 1].min()) for one in degrees if one.max() > 1)
        f = next(f for f, one in enumerate(degrees) if fewest in one)
        value = int(np.argmax(degrees[f] == fewest))
        pairs = state[f]
        own = pairs.value == value
        for image in pairs.image[own]:
            chosen = pairs.where(~own | (pairs.image == image))
            yield (*state[:f], chosen, *state[f + 1 :])

    def _narrowed(self, state: State) -> State | None:
        """The state after narrowing every open column until nothing changes.

        None if some value has no candidate left.
        """
        for column, pairs in zip(self.known, state, strict=True):
            if not pairs.covers(len(column.values)):
                return None
        before = -1
        size = _size(state)
        while size != before:
            self.left -= size
            if self.left < 0:
                raise TooHard
            for f in range(len(state)):
                pairs_left = self._narrow(state, f)
                if pairs_left is None:
                    return None
                state = (*state[:f], pairs_left, *state[f + 1 :])
            before, size = size, _size(state)
        return state

    def _narrow(self, state: State, f: int) -> Pairs | None:
        """A column's pairs that fit into the rows of their images, without rivals of
        needed ones.  None if some value has none left.
        """
        pairs = state[f]
        # A decided column cannot become narrower.
        if not self._open(state, f):
            return pairs
        contexts, new_contexts, width = self._contexts(state, f)
        before = self.before.quasi[f] * width + contexts, self.before.counts
        after = self.after.quasi[f] * width + new_contexts, self.after.counts
        remaining = pairs.where(narrowed(pairs, needs(pairs, before, after, width)))
        if remaining.covers(len(self.known[f].values)):
            return remaining
        return None

    def _contexts(self, state: State, f: int) -> tuple[Ints, Ints, int]:
        """A number for the context of each distinct row of both tables, and how many
        contexts there are.
        """
        rows = len(self.before.rest)
        columns = [np.concatenate((self.before.rest, self.after.rest))]
        sizes = [int(self.before.rest.max()) + 1]
        for g, pairs in enumerate(state):
            if g == f:
                continue
            column = self.known[g]
            # Whatever the mapping is, it stays within blocks: they are what a row
            # surely keeps.
            values, images = blocks(pairs, len(column.values), len(column.images))
            old = values[self.before.quasi[g]]
            new = images[self.after.quasi[g]]
            columns.append(np.concatenate((old, new)))
            sizes.append(len(images))
        _, keys, _ = packed(columns, sizes, len(columns[0]))
        contexts, code = np.unique(keys, return_inverse=True)
        return code[:rows], code[rows:], len(contexts)

    def _explains(self, images: Sequence[Ints]) -> bool:
        """Whether the mapped original and the release have the same rows, as often, in
        whatever order.
        """
        rows = len(self.rest[0])
        before, after = codes_of(self._mapped(images), rows, self.rest)
        # As bags: nothing says in which order the rows stand.
        return np.array_equal(np.sort(before), np.sort(after))

    def home(self, images: Sequence[Ints]) -> Ints:
        """For each original row, the first release row with its mapped
        quasi-identifiers.
        """
        rows = len(self.rest[0])
        before, after = codes_of(self._mapped(images), rows)
        keys, first = np.unique(after, return_index=True)
        return first[np.searchsorted(keys, before)]

    def images_of(self, state: State) -> list[Ints]:
        """The image of each value of each column, where the state is decided."""
        columns = zip(self.known, state, strict=True)
        return [image_of(column, pairs) for column, pairs in columns]

    def _mapped(self, images: Sequence[Ints]) -> list[PairedColumn]:
        """The columns once the original is mapped."""
        mapped = []
        for column, image in zip(self.known, images, strict=True):
            before = image[column.before]
            mapped.append(replace(column, before=before, values=column.images))
        return mapped


def image_of(column: PairedColumn, pairs: Pairs) -> Ints:
    """The image of each value, where the pairs are a function."""
    image = np.zeros(len(column.values), dtype=np.int64)
    image[pairs.value] = pairs.image
    return image


def _size(state: State) -> int:
    """How many candidate pairs there are."""
    return sum(len(pairs.value) for pairs in state)


def _pairs(images: Sequence[set[int]]) -> Pairs:
    """The pairs of values with each of their images, sorted."""
    rows: list[tuple[int, int]] = []
    for value, own in enumerate(images):
        rows += [(value, image) for image in sorted(own)]
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return Pairs(table[:, 0], table[:, 1])


def _distinct(quasi: Sequence[Ints], sizes: Sequence[int], rest: Ints) -> _DistinctRows:
    all_sizes = [*sizes, int(rest.max()) + 1]
    _, keys, _ = packed([*quasi, rest], all_sizes, len(rest))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    distinct = tuple(codes[first] for codes in quasi)
    return _DistinctRows(distinct, rest[first], counts)
