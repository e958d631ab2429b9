"""Questions whose linear rows have few enough integer solutions to look at all of them,
or many that are soon found.

Every solution of the rows is looked at: one where no other term is false answers the
question; when all are enumerated and in each some term is false, there is no answer,
and the enumeration is the proof (``branching``).
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
"""A search that has so many solutions does not go on; so many of those found together
are looked at closely.
"""
FEW = 16
PULLS = ((2.0, 4.0), (2.0, 0.5))
"""How much nodes that lean to where solutions are wanted come before those in the
middle: for few wishes, for many.
"""
SHORTEST, USUAL = 0.03, 80
"""Seconds below which no search is begun over so many unknowns; a lattice takes the
fifth power of them.
"""
RATE, QUICK = 500_000, 200_000
"""About so many nodes are looked at in a second; with fewer a tree is not worth a
better basis.
"""
SHORT, LONG = 1, 6
"""So many tours are made for a better basis: where it serves later searches, and where
it serves this one.
"""
PART = 16
"""The part of the time for a tree that is too large for it."""


NOTHING = np.zeros(0, dtype=np.int64)
NONE = Equations((), NOTHING.reshape(0, 0), NOTHING, NOTHING, NOTHING, {})
"""Where the rows of a question are too large."""


class Search:
    """All solutions of some equations: those ``found``, which are all when it is
    ``done``.
    """

    def __init__(self, equations: Equations | None) -> None:
        self.equations = equations or NONE
        self.found: list[Ints] = []
        self.done = self.dry = self.refined = False
        """Whether a search found nothing soon, so that none is begun for that; whether
        the basis was reduced more.
        """
        self.checked: branching.Checked | None = None
        self.tree: Tree | None = None
        self.hopeless = equations is None or not lattice.available()
        self.start: Lattice | None = None
        """The solutions of some of the equations, to start from."""
        self.guess: float | None = None
        self.shortest = SHORTEST * (len(self.equations.columns) / USUAL) ** 5

    def more(
        self, deadline: Deadline, toward: Reals | None, soon: bool
    ) -> Iterator[list[Ints]]:
        """Solutions, those that are found ``soon`` or all; some may have been found
        before.
        """
        if (
            self.done
            or self.hopeless
            or (soon and self.dry)
            or not self.ready(deadline)
        ):
            return
        if not self.dry:
            yield from self.dives(deadline, toward)
        if not soon and self.tree is not None:
            deadline = self.patience(
                self.tree, deadline
            )  # which may be for another tree
            yield from self.kept(self.tree.grow(deadline))
        self.done = self.tree is not None and self.tree.done

    def dives(self, deadline: Deadline, toward: Reals | None) -> Iterator[list[Ints]]:
        """Solutions that lean to where they are wanted."""
        before = len(self.found)
        wishes = 0 if toward is None else np.count_nonzero(toward)
        for pull in PULLS[int(wishes > FEW)]:
            if self.tree is not None:
                yield from self.kept(
                    self.tree.dive(deadline, None if toward is None else pull * toward)
                )
        self.dry = len(self.found) == before

    def kept(self, more: Iterator[list[Ints]]) -> Iterator[list[Ints]]:
        try:
            for points in more:
                self.found += points
                yield points
                if len(self.found) > MOST:
                    self.hopeless, self.tree = True, None
                    return
        except (
            MemoryError,
            KeyboardInterrupt,
        ):  # nodes may be lost: this tree proves nothing any more
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

    def patience(self, tree: Tree, deadline: Deadline) -> Deadline:
        """The time for going through the tree: all, or where that is not nearly enough
        a part of it.
        """
        left = deadline.left()
        if left is None:
            return deadline
        self.guess = nodes = self.guess or tree.guess()
        if (
            nodes > QUICK and not self.refined and left > 2 * self.shortest
        ):  # begin anew with a better basis
            self.refined = True
            if better := self.prepared(
                LONG if nodes < 2 * left * RATE else SHORT, left / 4
            ):
                self.checked, self.tree, self.found = better, Tree(better), []
        left = max(0.0, deadline.left() or 0.0)
        return deadline if nodes < left * RATE else Deadline(left / PART)

    def prepared(
        self, tours: int = 0, seconds: float = 0.0
    ) -> branching.Checked | None:
        start = self.checked.lattice if self.checked else self.start
        found = lattice.proposed(self.equations, start, tours, seconds)
        return branching.checked(found) if found is not None else None

    def values(self, point: Ints) -> Values:
        return {
            **self.equations.fixed,
            **dict(zip(self.equations.columns, point.tolist(), strict=True)),
        }

    def inherit(self, fewer: Search) -> None:
        """Take over the lattice of fewer rows over the same columns, and those of their
        solutions that are left.
        """
        places = [
            fewer.equations.columns.index(column) for column in self.equations.columns
        ]
        start = fewer.checked.lattice if fewer.checked else fewer.start
        self.start = start.permuted(places) if start else None
        points = np.array(fewer.found, dtype=np.int64).reshape(-1, len(places))[
            :, places
        ]
        holds = (points @ self.equations.matrix.T == self.equations.right).all(axis=1)
        self.found, self.done = list(points[holds]), fewer.done


class Aim:
    """Which solutions come first: those that fulfil many of a question's wishes."""

    def __init__(self, asked: Question, search: Search) -> None:
        self.asked, self.search = asked, search
        columns = {name: k for k, name in enumerate(search.equations.columns)}
        wishes = [
            (columns[atom], *range_, inside)
            for atom, range_, inside in asked.wishes()
            if atom in columns
        ]
        self.wishes = np.array(wishes, dtype=np.int64).reshape(-1, 4)

    def toward(self) -> Reals | None:
        """For each column a positive number where large values are wished for, a
        negative one where small ones are.
        """
        found = np.zeros(len(self.search.equations.columns))
        for column, low, high, inside in self.wishes.tolist():
            least, most = (
                self.search.equations.low[column],
                self.search.equations.high[column],
            )
            if inside:
                found[column] += float(low > least) - float(high < most)
            else:
                found[column] += float(low <= least and high < most) - float(
                    high >= most and low > least
                )
        return np.sign(found) if len(self.wishes) else None

    def best(self, points: Sequence[Ints]) -> tuple[int, dict[str, int]] | None:
        """One of some solutions that answers the question, if one of the likeliest
        does; how many wishes it fulfils.
        """
        if not len(points):
            return None
        places, low, high, inside = self.wishes.T
        values = np.array(points)[:, places]
        fulfilled = (((low <= values) & (values <= high)) == (inside == 1)).sum(axis=1)
        for k in np.argsort(-fulfilled, kind="stable")[:LOOKS].tolist():
            found = self.search.values(points[k])
            if self.asked.says(found):
                return int(fulfilled[k]), self.asked.assigned(found)
        return None


class Enumerations:
    """Searches that go on from question to question, as long as the questions have the
    same rows.

    ``solution`` is one that is known, such as the data: where it is one of some rows,
    and their enumeration has not found it, that is a Defect and no proof.
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
        """Terms as a question; where they contradict what was read earlier, that is
        forgotten.
        """
        found = self.reader.question(terms)
        if found is None:
            self.reader, self.searches, self.in_vain = Reader(), {}, set()
            found = self.reader.question(terms)
        if found is None:
            raise Defect("two unknowns have one name")
        return found

    def ask(
        self, asked: Question, deadline: Deadline, soon: bool = False
    ) -> tuple[str, dict[str, int]]:
        """sat with values, unsat, or unknown; ``soon`` looks only for what is found
        soon.
        """
        search = self.search(asked)
        aim = Aim(asked, search)
        known = aim.best(search.found)
        if known and (search.done or search.dry or 2 * known[0] >= len(aim.wishes)):
            return "sat", known[1]
        for points in search.more(deadline, aim.toward(), soon or known is not None):
            if found := aim.best(points):
                return "sat", max(found, known or found, key=lambda pair: pair[0])[1]
        if known:  # what fulfils more wishes is not found soon
            return "sat", known[1]
        return (
            self.all(asked, [search.values(point) for point in search.found])
            if search.done
            else ("unknown", {})
        )

    def all(
        self, asked: Question, solutions: Sequence[Values]
    ) -> tuple[str, dict[str, int]]:
        """What all solutions of the rows say."""
        if self.misses(asked, solutions):
            raise Defect("an enumeration of all solutions misses one that is known")
        status = "unsat"
        for values in solutions:
            said = asked.says(values)
            if said:
                return "sat", asked.assigned(values)
            status = "unknown" if said is None else status
        return status, {}

    def misses(self, asked: Question, solutions: Sequence[Values]) -> bool:
        """Whether the known solution is one of the rows, and is none of those found."""
        names = t.unknowns(asked.stated).names
        if not asked.plain or not names <= self.solution.keys():
            return False
        if not all(t.evaluate(term, self.solution) for term in asked.stated):
            return False
        for values in solutions:
            if all(
                values.get(name, self.solution[name]) == self.solution[name]
                for name in names
            ):
                return False
        return True

    def search(self, asked: Question) -> Search:
        """The search over some rows; the latest is kept last."""
        found = self.searches.pop(asked.key, None) or self.begun(asked)
        self.searches[asked.key] = found
        latest = list(self.searches)
        for key in latest[:-GROWING]:
            self.searches[key].tree = None
        for key in latest[:-KEPT]:
            del self.searches[key]
        return found

    def begun(self, asked: Question) -> Search:
        """A new search: best from one of which all solutions are known, then from the
        one with most rows.
        """
        found = Search(asked.equations())
        columns = set(found.equations.columns)
        fewer = {key: other for key, other in self.searches.items() if key <= asked.key}
        several = [
            key
            for key, other in fewer.items()
            if columns and set(other.equations.columns) == columns
        ]
        if several:
            found.inherit(
                fewer[max(several, key=lambda key: (fewer[key].done, len(key)))]
            )
        return found
