"""Questions whose linear rows have few enough integer solutions to look at all of them, or many that are soon found.

Every solution of the rows is looked at: one where no other term is false answers the question; when all are enumerated
and in each some term is false, there is no answer, and the enumeration is the proof (``branching``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.solving import branching, lattice
from phverify.disclosure.solving.branching import Tree
from phverify.disclosure.solving.lattice import Equations, Ints, Lattice, Reals
from phverify.disclosure.solving.question import Key, Question, Reader, Values
from phverify.errors import Defect

NAME = "lattice enumeration"
KEPT, GROWING = 64, 2
"""So many searches are kept, and of so many what would be looked at next."""
MOST, LOOKS = 8192, 16
"""A search that has so many solutions does not go on; so many of those found together are looked at closely."""
FEW = 16
PULLS = ((2.0, 4.0), (2.0, 0.5))
"""How much nodes that lean to where solutions are wanted come before those in the middle: for few wishes, for many."""
SHORTEST, USUAL = 0.03, 80
"""Seconds below which no search is begun over so many unknowns; a lattice takes the fifth power of them."""
RATE, QUICK = 500_000, 200_000
"""About so many nodes are looked at in a second; with fewer a tree is not worth a better basis."""
SHORT, LONG = 1, 6
"""So many tours are made for a better basis: where it serves later searches, and where it serves this one."""
PART = 16
"""The part of the time for a tree that is too large for it."""


class Search:
    """All solutions of some equations: those ``found``, which are all when it is ``done``."""

    def __init__(self, equations: Equations | None, found: Sequence[Ints] = (), done: bool = False) -> None:
        self.equations, self.found, self.done = equations, list(found), done
        self.checked: branching.Checked | None = None
        self.tree: Tree | None = None
        self.hopeless = equations is None or not lattice.available()
        self.start: Lattice | None = None
        """The solutions of some of the equations, to start from."""
        self.guess: float | None = None
        self.dry = self.refined = False
        """Whether a search found nothing soon, so that none is begun for that; whether the basis was reduced more."""

    def more(self, deadline: Deadline, toward: Reals | None, soon: bool) -> Iterator[list[Ints]]:
        """Solutions, those that are found ``soon`` or all; some may have been found before."""
        if self.done or self.hopeless or (soon and self.dry) or not self.ready(deadline):
            return
        if not self.dry:
            yield from self.dives(deadline, toward)
        if not soon and self.tree is not None:
            deadline = self.patience(deadline)  # which may be for another tree
            yield from self.kept(self.tree.grow(deadline))
        self.done = self.tree is not None and self.tree.done

    def dives(self, deadline: Deadline, toward: Reals | None) -> Iterator[list[Ints]]:
        """Solutions that lean to where they are wanted."""
        before = len(self.found)
        wishes = 0 if toward is None else np.count_nonzero(toward)
        for pull in PULLS[int(wishes > FEW)]:
            if self.tree is not None:
                yield from self.kept(self.tree.dive(deadline, None if toward is None else pull * toward))
        self.dry = len(self.found) == before

    def kept(self, more: Iterator[list[Ints]]) -> Iterator[list[Ints]]:
        try:
            for points in more:
                self.found += points
                yield points
                if len(self.found) > MOST:
                    self.hopeless, self.tree = True, None
                    return
        except (MemoryError, KeyboardInterrupt):  # nodes may be lost: this tree proves nothing any more
            self.hopeless, self.tree = True, None
            raise

    def ready(self, deadline: Deadline) -> bool:
        """Whether there is a tree; it is begun where there is time."""
        left = deadline.left()
        if self.tree is None and (left is None or left > self.shortest):
            self.checked = self.checked or self.prepared()
            self.hopeless = self.checked is None
            self.tree = Tree(self.checked) if self.checked is not None else None
        return self.tree is not None

    @property
    def shortest(self) -> float:
        return SHORTEST * (len(self.equations.columns) / USUAL) ** 5 if self.equations is not None else 0.0

    def patience(self, deadline: Deadline) -> Deadline:
        """The time for going through the tree: all, or where that is not nearly enough a part of it."""
        left = deadline.left()
        if left is None:
            return deadline
        if self.nodes > QUICK and not self.refined and left > 2 * self.shortest:
            self.refine(LONG if self.nodes < 2 * left * RATE else SHORT, left / 4)
        left = max(0.0, deadline.left() or 0.0)
        return deadline if self.nodes < left * RATE else Deadline(left / PART)

    @property
    def nodes(self) -> float:
        """About how many nodes the tree has, or had at first."""
        if self.guess is None and self.tree is not None:
            self.guess = self.tree.guess()
        return self.guess or 0.0

    def refine(self, tours: int, seconds: float) -> None:
        """Begin anew with a better basis."""
        self.refined = True
        if better := self.prepared(tours, seconds):
            self.checked, self.tree, self.found = better, Tree(better), []

    def prepared(self, tours: int = 0, seconds: float = 0.0) -> branching.Checked | None:
        assert self.equations is not None
        start = self.checked.lattice if self.checked else self.start
        found = lattice.proposed(self.equations, start, tours, seconds)
        return branching.checked(found) if found is not None else None

    def values(self, point: Ints) -> Values:
        assert self.equations is not None
        return {**self.equations.fixed, **dict(zip(self.equations.columns, point.tolist(), strict=True))}

    def among(self, fewer: Search) -> bool:
        """Whether each solution is one of another search, of some of the rows and over the same columns."""
        one, other = self.equations, fewer.equations
        return one is not None and other is not None and set(one.columns) == set(other.columns)

    def inherit(self, fewer: Search) -> None:
        """Take over the solutions of fewer rows that are solutions of these, and the lattice."""
        assert self.equations is not None and fewer.equations is not None
        order = {column: k for k, column in enumerate(fewer.equations.columns)}
        places = [order[column] for column in self.equations.columns]
        start = fewer.checked.lattice if fewer.checked else fewer.start
        self.start = start.permuted(places) if start else None
        points = np.array(fewer.found, dtype=np.int64).reshape(-1, len(places))[:, places]
        holds = (points @ self.equations.matrix.T == self.equations.right).all(axis=1)
        self.found, self.done = list(points[holds]), fewer.done


class Aim:
    """Which solutions come first: those that fulfil many of a question's wishes."""

    def __init__(self, asked: Question, search: Search) -> None:
        self.asked, self.search = asked, search
        columns = {} if search.equations is None else {name: k for k, name in enumerate(search.equations.columns)}
        wishes = [(columns[atom], *range_, inside) for atom, range_, inside in asked.wishes() if atom in columns]
        self.places, self.low, self.high, self.inside = np.array(wishes, dtype=np.int64).reshape(-1, 4).T

    def toward(self) -> Reals | None:
        """For each column 1 where large values are wished for, -1 where small ones are."""
        if self.search.equations is None or not len(self.places):
            return None
        low, high = self.search.equations.low[self.places], self.search.equations.high[self.places]
        outside = self.inside == 0
        up = np.where(outside, (self.low <= low) & (self.high < high), self.low > low)
        down = np.where(outside, (self.high >= high) & (self.low > low), self.high < high)
        found = np.zeros(len(self.search.equations.columns))
        np.add.at(found, self.places, up.astype(float) - down.astype(float))
        return np.sign(found)

    def best(self, points: Sequence[Ints]) -> tuple[int, dict[str, int]] | None:
        """One of some solutions that answers the question, if one of the likeliest does; how many wishes it fulfils."""
        if not len(points):
            return None
        values = np.array(points)[:, self.places]
        fulfilled = (((self.low <= values) & (values <= self.high)) == (self.inside == 1)).sum(axis=1)
        for k in np.argsort(-fulfilled, kind="stable")[:LOOKS].tolist():
            found = self.search.values(points[k])
            if self.asked.says(found):
                return int(fulfilled[k]), self.asked.assigned(found)
        return None


class Enumerations:
    """Searches that go on from question to question, as long as the questions have the same rows.

    ``solution`` is one that is known, such as the data: where it is one of some rows, and their enumeration has not
    found it, that is a Defect and no proof.
    """

    def __init__(self, solution: t.Assignment | None = None) -> None:
        self.solution = solution or {}
        self.reader = Reader()
        self.searches: dict[Key, Search] = {}
        self.in_vain: set[Key] = set()
        """Rows for which a solver gave up."""

    def vain(self, asked: Question) -> bool:
        """Whether a solver gave up on these rows, or on some of them."""
        return any(key <= asked.key for key in self.in_vain)

    def question(self, terms: Sequence[t.Term]) -> Question:
        """Terms as a question; where they contradict what was read earlier, that is forgotten."""
        found = self.reader.question(terms)
        if found is None:
            self.reader, self.searches, self.in_vain = Reader(), {}, set()
            found = self.reader.question(terms)
        if found is None:
            raise Defect("two unknowns have one name")
        return found

    def ask(self, asked: Question, deadline: Deadline, soon: bool = False) -> tuple[str, dict[str, int]]:
        """sat with values, unsat, or unknown; ``soon`` looks only for what is found soon."""
        search = self.search(asked)
        aim = Aim(asked, search)
        known = aim.best(search.found)
        if known and (search.done or search.dry or 2 * known[0] >= len(aim.places)):
            return "sat", known[1]
        for points in search.more(deadline, aim.toward(), soon or known is not None):
            if found := aim.best(points):
                return "sat", max(found, known or found, key=lambda pair: pair[0])[1]
        if known:  # what fulfils more wishes is not found soon
            return "sat", known[1]
        return self.all(asked, search) if search.done else ("unknown", {})

    def all(self, asked: Question, search: Search) -> tuple[str, dict[str, int]]:
        """What all solutions of the rows say."""
        if self.misses(asked, search):
            raise Defect("an enumeration of all solutions misses one that is known")
        status = "unsat"
        for values in map(search.values, search.found):
            said = asked.says(values)
            if said:
                return "sat", asked.assigned(values)
            status = "unknown" if said is None else status
        return status, {}

    def misses(self, asked: Question, search: Search) -> bool:
        """Whether the known solution is one of the rows, and is none of those found."""
        names = frozenset[str]().union(*(row.names for row in asked.rows))
        if search.equations is None or not asked.plain or not names <= self.solution.keys():
            return False
        if not all(t.evaluate(row.term, self.solution) for row in asked.rows):
            return False
        columns = {name: k for k, name in enumerate(search.equations.columns) if isinstance(name, str)}
        expected = np.array([self.solution[name] for name in columns], dtype=np.int64)
        points = np.array(search.found, dtype=np.int64).reshape(-1, len(search.equations.columns))
        return not bool((points[:, list(columns.values())] == expected).all(axis=1).any())

    def search(self, asked: Question) -> Search:
        """The search over some rows."""
        if asked.key not in self.searches:
            found = Search(asked.equations())
            fewer = [(other.done, len(key), other) for key, other in self.searches.items() if key <= asked.key]
            fewer = [one for one in fewer if found.among(one[2])]
            if fewer:  # best the one of which all solutions are known, then the one with most rows
                found.inherit(max(fewer, key=lambda one: one[:2])[2])
            self.searches[asked.key] = found
        self.searches[asked.key] = self.searches.pop(asked.key)  # the latest is last
        for number, key in enumerate(list(reversed(self.searches))):
            if number >= GROWING:
                self.searches[key].tree = None
            if number >= KEPT:
                del self.searches[key]
        return self.searches[asked.key]
