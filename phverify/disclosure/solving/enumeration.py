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
from phverify.disclosure.solving import branch_conditions, lattice
from phverify.disclosure.solving.branching import BranchTree
from phverify.disclosure.solving.equations import Equations, Ints
from phverify.disclosure.solving.lattice import Lattice, Reals
from phverify.disclosure.solving.linear_question import (
    Key,
    LinearQuestion,
    Reader,
    Values,
)
from phverify.errors import Defect

NAME = "lattice enumeration"
RETAINED, GROWING = 64, 2
"""So many searches are retained, and of so many the tree as well."""
MOST, EXAMINED = 8192, 16
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
    """All solutions of some equations: those found so far, which are all when it is
    ``done``.
    """

    def __init__(self, equations: Equations | None) -> None:
        self.equations = equations or NONE
        self.solutions: list[Ints] = []
        self.done = False
        # Whether a dive brought nothing, so that none is begun for a quick answer.
        self.dry = False
        # Whether the basis was reduced more.
        self.refined = False
        self.checked: branch_conditions.Checked | None = None
        self.tree: BranchTree | None = None
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
        if self.done or self.hopeless:
            return
        if soon and self.dry:
            return
        if not self.ready(deadline):
            return
        if not self.dry:
            yield from self.dives(deadline, toward)
        if not soon and self.tree is not None:
            # Patience may put another tree in its place.
            deadline = self.patience(self.tree, deadline)
            grown = self.tree.grow(deadline)
            yield from self.noted(grown)
        self.done = self.tree is not None and self.tree.done

    def dives(self, deadline: Deadline, toward: Reals | None) -> Iterator[list[Ints]]:
        """Solutions that lean to where they are wanted."""
        before = len(self.solutions)
        wishes = 0 if toward is None else np.count_nonzero(toward)
        for pull in PULLS[int(wishes > FEW)]:
            if self.tree is not None:
                aim = None if toward is None else pull * toward
                yield from self.noted(self.tree.dive(deadline, aim))
        # From now on a quick answer does not wait for another dive.
        self.dry = len(self.solutions) == before

    def noted(self, more: Iterator[list[Ints]]) -> Iterator[list[Ints]]:
        """Solutions as the tree gives them; too many end the search."""
        try:
            for points in more:
                self.solutions += points
                yield points
                if len(self.solutions) > MOST:
                    self.hopeless, self.tree = True, None
                    return
        except (MemoryError, KeyboardInterrupt):
            # Nodes may be lost: this tree proves nothing any more.
            self.hopeless, self.tree = True, None
            raise

    def ready(self, deadline: Deadline) -> bool:
        """Whether there is a tree; it is begun where there is time."""
        left = deadline.left()
        enough = left is None or left > self.shortest
        if self.tree is None and enough:
            # What was checked once serves for a tree that is begun anew.
            self.checked = self.checked or self.prepared()
            if self.checked is None:
                self.hopeless = True
            else:
                self.tree = BranchTree(self.checked)
        return self.tree is not None

    def patience(self, tree: BranchTree, deadline: Deadline) -> Deadline:
        """The time for going through the tree: all, or where that is not nearly enough
        a part of it.
        """
        left = deadline.left()
        if left is None:
            return deadline
        self.guess = nodes = self.guess or tree.guess()
        if nodes > QUICK and not self.refined and left > 2 * self.shortest:
            self.refined = True
            tours = LONG if nodes < 2 * left * RATE else SHORT
            better = self.prepared(tours, left / 4)
            if better is not None:
                # Begin anew with the better basis.
                self.checked, self.tree, self.solutions = better, BranchTree(better), []
        left = max(0.0, deadline.left() or 0.0)
        if nodes < left * RATE:
            return deadline
        return Deadline(left / PART)

    def prepared(
        self, tours: int = 0, seconds: float = 0.0
    ) -> branch_conditions.Checked | None:
        """What a tree is computed from; None where no lattice or no proof is found."""
        start = self.start
        if self.checked:
            start = self.checked.lattice
        proposal = lattice.proposed(self.equations, start, tours, seconds)
        if proposal is not None:
            return branch_conditions.checked(proposal)
        return None

    def values(self, point: Ints) -> Values:
        """A solution as values of the atoms."""
        of_columns = zip(self.equations.columns, point.tolist(), strict=True)
        return {**self.equations.fixed, **dict(of_columns)}

    def inherit(self, fewer: Search) -> None:
        """Take over the lattice of fewer rows over the same columns, and those of their
        solutions that are left.
        """
        its_columns = fewer.equations.columns
        places = [its_columns.index(column) for column in self.equations.columns]
        start = fewer.checked.lattice if fewer.checked else fewer.start
        self.start = start.permuted(places) if start else None
        its_solutions = np.array(fewer.solutions, dtype=np.int64)
        points = its_solutions.reshape(-1, len(places))[:, places]
        # The solutions of all rows are among those of fewer rows.
        sums = points @ self.equations.matrix.T
        holds = (sums == self.equations.right).all(axis=1)
        self.solutions, self.done = list(points[holds]), fewer.done


class Aim:
    """Which solutions come first: those that fulfil many of a question's wishes."""

    def __init__(self, asked: LinearQuestion, search: Search) -> None:
        self.asked, self.search = asked, search
        columns = {name: k for k, name in enumerate(search.equations.columns)}
        wishes = []
        for atom, (low, high), inside in asked.wishes():
            if atom in columns:
                wishes.append((columns[atom], low, high, inside))
        self.wishes = np.array(wishes, dtype=np.int64).reshape(-1, 4)

    def toward(self) -> Reals | None:
        """For each column a positive number where large values are wished for, a
        negative one where small ones are.
        """
        if not len(self.wishes):
            return None
        given = self.search.equations
        leaning = np.zeros(len(given.columns))
        wishes = self.wishes.tolist()
        for column, low, high, inside in wishes:
            cuts_low = low > given.low[column]
            cuts_high = high < given.high[column]
            if inside:
                # Into a range that leaves out one end: away from that end.
                upward = float(cuts_low)
                downward = float(cuts_high)
                leaning[column] += upward - downward
            elif cuts_low != cuts_high:
                # Out of a range at one end: toward the other end.
                away = 1.0 if cuts_high else -1.0
                leaning[column] += away
        return np.sign(leaning)

    def best(self, points: Sequence[Ints]) -> tuple[int, dict[str, int]] | None:
        """One of some solutions that answers the question, if one of the likeliest
        does; how many wishes it fulfils.
        """
        if not len(points):
            return None
        places, low, high, inside = self.wishes.T
        values = np.array(points)[:, places]
        in_range = (low <= values) & (values <= high)
        fulfilled = (in_range == (inside == 1)).sum(axis=1)
        # To evaluate every term takes long: only where much speaks for it.
        likeliest = np.argsort(-fulfilled, kind="stable")[:EXAMINED]
        for k in likeliest.tolist():
            solution = self.search.values(points[k])
            if self.asked.says(solution):
                return int(fulfilled[k]), self.asked.assigned(solution)
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

    def vain(self, asked: LinearQuestion) -> bool:
        """Whether a solver gave up on these rows, or on some of them."""
        return any(key <= asked.key for key in self.in_vain)

    def question(self, terms: Sequence[t.Term]) -> LinearQuestion:
        """Terms as a question; where they contradict what was read earlier, that is
        forgotten.
        """
        question = self.reader.question(terms)
        if question is None:
            self.reader, self.searches, self.in_vain = Reader(), {}, set()
            question = self.reader.question(terms)
        if question is None:
            raise Defect("two unknowns have one name")
        return question

    def ask(
        self, asked: LinearQuestion, deadline: Deadline, soon: bool = False
    ) -> tuple[str, dict[str, int]]:
        """sat with values, unsat, or unknown; ``soon`` looks only for what is found
        soon.
        """
        search = self.search(asked)
        aim = Aim(asked, search)
        # Solutions of earlier questions about the same rows cost nothing.
        known = aim.best(search.solutions)
        if known is not None:
            fulfilled, values = known
            if search.done or search.dry or 2 * fulfilled >= len(aim.wishes):
                return "sat", values
        for points in search.more(deadline, aim.toward(), soon or known is not None):
            better = aim.best(points)
            if better is not None:
                _, values = max(better, known or better, key=lambda pair: pair[0])
                return "sat", values
        if known is not None:
            # What fulfils more wishes is not found soon.
            return "sat", known[1]
        if not search.done:
            return "unknown", {}
        return self.all(asked, [search.values(point) for point in search.solutions])

    def all(
        self, asked: LinearQuestion, solutions: Sequence[Values]
    ) -> tuple[str, dict[str, int]]:
        """What all solutions of the rows say."""
        if self.misses(asked, solutions):
            raise Defect("an enumeration of all solutions misses one that is known")
        status = "unsat"
        for values in solutions:
            answers = asked.says(values)
            if answers:
                return "sat", asked.assigned(values)
            if answers is None:
                status = "unknown"
        return status, {}

    def misses(self, asked: LinearQuestion, solutions: Sequence[Values]) -> bool:
        """Whether the known solution is one of the rows, and is none of those found."""
        names = t.unknowns(asked.stated).names
        if not asked.plain:
            return False
        if not names <= self.solution.keys():
            return False
        satisfied = all(t.evaluate(term, self.solution) for term in asked.stated)
        if not satisfied:
            return False
        known = [(name, self.solution[name]) for name in names]
        for values in solutions:
            # Of an unknown that is in no row a solution says nothing.
            same = all(values.get(name, value) == value for name, value in known)
            if same:
                return False
        return True

    def search(self, asked: LinearQuestion) -> Search:
        """The search over some rows; the latest stands last."""
        key = asked.key
        search = self.searches.pop(key, None)
        if search is None:
            search = self.begun(asked)
        self.searches[key] = search
        latest = list(self.searches)
        for old in latest[:-GROWING]:
            self.searches[old].tree = None
        for old in latest[:-RETAINED]:
            del self.searches[old]
        return search

    def begun(self, asked: LinearQuestion) -> Search:
        """A new search: best from one of which all solutions are known, then from the
        one with most rows.
        """
        equations = asked.equations()
        search = Search(equations)
        columns = set(search.equations.columns)
        if not columns:
            return search

        def rank(key: Key) -> tuple[bool, int]:
            return self.searches[key].done, len(key)

        of_fewer_rows = [key for key in self.searches if key <= asked.key]
        alike = []
        for key in of_fewer_rows:
            earlier = self.searches[key]
            if set(earlier.equations.columns) == columns:
                alike.append(key)
        if alike:
            best = max(alike, key=rank)
            search.inherit(self.searches[best])
        return search
