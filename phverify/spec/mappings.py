"""Which mappings explain a release: another one could put a person into another class.

A mapping explains a release if the mapped rows of the original are the rows of the
release, each as often, and every value becomes what its hierarchy allows.  All that is
known of a row beside its quasi-identifiers (the columns that nobody changes, an
identifier, its number where the rows are in order) is its ``rest``.

The search is complete: a value keeps the images that some row of the release allows for
each of its rows, a row of the release that is full takes nobody else, one that would
not be filled without somebody takes them; what this leaves open is tried out, value by
value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from phverify.spec.data import Label, Unsettled
from phverify.spec.source import Recoding, Values

Row = tuple[Values, Hashable]
"""The quasi-identifiers of a row, and its rest."""
Counts = Mapping[Row, int]
"""How often each row occurs."""
Options = Mapping[Row, list[Values]]
"""By row of the original, the released quasi-identifiers that it may have become."""
Images = Mapping[tuple[int, Label], frozenset[Label]]
"""By column number and original value what the value may become."""
State = tuple[Images, Options]
PAIRS = 5_000_000
"""Pairs of an original row and a released row that are looked at, at most."""
STEPS = 20_000_000
"""Pairs looked at in a whole search, at most."""


@dataclass(eq=False)
class Puzzle:
    """The distinct rows of both tables.  Raises Unsettled where there is too much to
    look at.
    """

    before: Counts
    after: Counts
    steps: int = STEPS

    def start(self, images: Images) -> State | None:
        """What is left when every value may become one of its images; None when nothing
        explains the release.
        """
        rooms: dict[Hashable, list[Values]] = {}
        for values, rest in self.after:
            rooms.setdefault(rest, []).append(values)
        options: dict[Row, list[Values]] = {}
        pairs = 0
        for row in self.before:
            options[row] = self._rooms(row, images, rooms.get(row[1], []))
            pairs += len(options[row])
            if pairs > PAIRS:
                raise Unsettled(
                    "the tables are too large to look for all mappings that explain the"
                    " release"
                )
        return self._narrowed(images, options)

    def _rooms(self, row: Row, images: Images, rooms: list[Values]) -> list[Values]:
        """Of the released rows with the same rest those that the images allow, where
        that is soon said: else all.
        """
        values, rest = row
        allowed = [images[key] for key in enumerate(values)]
        if prod(map(len, allowed)) >= len(rooms):
            return rooms
        ordered = [sorted(some, key=repr) for some in allowed]
        return [room for room in product(*ordered) if (room, rest) in self.after]

    def solvable(self, state: State) -> bool:
        """Whether some mapping explains the release."""
        return self.solution(state) is not None

    def solution(self, state: State) -> Images | None:
        """The images of a mapping that explains the release, one for each value; None
        where there is none.
        """
        waiting = [state]
        while waiting:
            narrowed = self._narrowed(*waiting.pop())
            if narrowed is None:
                continue
            images, options = narrowed
            open_ones = [key for key, allowed in images.items() if len(allowed) > 1]
            if not open_ones:
                return images
            # Few images make few branches; what they decide narrows the others.
            key = min(open_ones, key=lambda one: len(images[one]))
            chosen = sorted(images[key], key=repr)
            waiting += [
                ({**images, key: frozenset([image])}, options) for image in chosen
            ]
        return None

    def _narrowed(self, images: Images, options: Options) -> State | None:
        """What is left of the images and of the options; None when nothing explains the
        release.
        """
        left = dict(images)
        now = dict(options)
        before = -1
        size = _size(left, now)
        # Until a round rules nothing out.
        while size != before:
            sure, most = self._filled(now)
            for room, count in self.after.items():
                if not sure[room] <= count <= most[room]:
                    return None
            for row in now:
                now[row] = self._fitting(row, now[row], left, sure, most)
            for (values, _), rooms in now.items():
                for column, value in enumerate(values):
                    left[column, value] &= {room[column] for room in rooms}
            if not all(left.values()):
                return None
            before = size
            size = _size(left, now)
        return left, now

    def _filled(self, options: Options) -> tuple[Counter[Row], Counter[Row]]:
        """How many rows each released row surely takes, and how many it could take."""
        sure = Counter[Row]()
        most = Counter[Row]()
        for row, rooms in options.items():
            _, rest = row
            need = self.before[row]
            for room in rooms:
                most[room, rest] += need
            if len(rooms) == 1:
                only = rooms[0]
                sure[only, rest] += need
        return sure, most

    def _fitting(
        self, row: Row, rooms: list[Values], images: Images, sure: Counts, most: Counts
    ) -> list[Values]:
        """The released rows that the images allow and that have room; only those that
        cannot be filled without it.
        """
        self.steps -= len(rooms)
        if self.steps < 0:
            raise Unsettled(
                "which mappings explain the release was not settled within the"
                " checker's bounds"
            )
        values, rest = row
        need = self.before[row]
        allowed = [images[key] for key in enumerate(values)]
        # With one room left ``sure`` has counted these rows already.
        own = need if len(rooms) == 1 else 0
        fitting = []
        for room in rooms:
            taken = sure[room, rest] - own
            if taken + need > self.after[room, rest]:
                continue
            if all(u in some for u, some in zip(room, allowed, strict=True)):
                fitting.append(room)
        # Rooms that the other rows, all together, cannot fill: these rows must.
        lacking = [
            room for room in fitting if most[room, rest] - need < self.after[room, rest]
        ]
        return lacking or fitting


def elsewhere(
    puzzle: Puzzle,
    images: Images,
    mapping: Sequence[Recoding],
    people: Sequence[Values],
) -> int:
    """The number of the first of these people, from 1, whom another mapping puts into
    another class; 0 for nobody.

    ``mapping`` is one that explains the release, by column.
    """
    state = puzzle.start(images)
    assert state is not None
    left, options = state
    settled = set()
    for number, values in enumerate(people, start=1):
        for key in enumerate(values):
            if key in settled:
                continue
            column, value = key
            others = left[key] - {mapping[column][value]}
            if others and puzzle.solvable(({**left, key: others}, options)):
                return number
            settled.add(key)
    return 0


def _size(images: Images, options: Options) -> int:
    """How many images and rooms are left."""
    left = sum(map(len, images.values()))
    rooms = sum(map(len, options.values()))
    return left + rooms
