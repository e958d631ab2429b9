"""Database reconstruction: do the answers of a log determine every row, up to which row
is whose?

Rows that no query tells apart can always exchange their cells, so that no single cell
may be disclosed while the table as a whole is known.  Asked is for a world with another
bag of rows; among the rows of a class those with the smaller value of one column come
first, which every such bag allows.

The census block of Garfinkel, Abowd and Martindale, "Understanding Database
Reconstruction Attacks on Public Data" (2019), is the worked example (``phverify audit
--demo census``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import pairwise
from operator import attrgetter

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.core import Asked, smallest
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.query import Value
from phverify.disclosure.result import (
    DETERMINED,
    NOTHING,
    OPEN,
    UNDECIDED,
    UNSUPPORTED,
    Reconstruction,
)
from phverify.disclosure.solving.ask import SolverOutcome, ask, confirmed, settled
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.unknowns import AuditFrame, Classes, World

LIMIT = 60.0
"""Seconds for the question, where the budget leaves more."""
Row = tuple[Value, ...]
Bag = Counter[tuple[Hashable, Row]]
"""How often each row occurs, with its class."""


def reconstruction(
    frame: AuditFrame, asked: Asked, classes: Classes, order: str, deadline: Deadline
) -> tuple[str, World | None]:
    """``determined``, ``open`` with a world of another bag of rows, or ``undecided``.

    Rows are compared with those of the same class, which no query tells apart;
    ``order`` is the column that they are sorted by.
    """
    question = _Question(frame, classes, order)
    outcome, world, _ = question.another(asked, deadline, settled)
    verdict = UNDECIDED
    if outcome.status == "sat":
        verdict = OPEN
    if outcome.status == "unsat":
        verdict = DETERMINED
    return verdict, world


def reconstruct(
    frame: AuditFrame,
    asked: Asked,
    classes: Classes,
    deadline: Deadline,
    taint: str,
    replay: Callable[[World], object],
) -> Reconstruction:
    """Whether the answers determine the table, and which of them do; the last ones are
    left out first, so that they end as early as can be.

    ``taint`` says why what is not determined may be so by queries that are not audited.
    ``replay`` raises Defect where a world, before it is shown, gives other answers.
    """
    columns = tuple(frame.truth)
    if not columns or not frame.rows:
        return Reconstruction(NOTHING, columns)
    time = deadline.within(LIMIT)
    # The column with the most different values leaves the fewest ties.
    order = max(columns, key=lambda column: len(set(frame.truth[column])))
    question = _Question(frame, classes, order)
    outcome, world, terms = question.another(asked, time)
    if world is not None:
        replay(world)
        true, other, keys = question.difference(world)
        gone, come = frame.rows_of(true), frame.rows_of(other)
        # What is open by audited queries may be settled by the others.
        verdict = UNSUPPORTED if taint else OPEN
        return Reconstruction(verdict, columns, gone, come, keys, reason=taint)
    if outcome.status != "unsat":
        return Reconstruction(UNDECIDED, columns, reason=outcome.reason)

    def status(rest: Asked) -> str:
        nonlocal outcome, terms
        answer, _, again = question.another(rest, time)
        if answer.status == "unsat":
            outcome, terms = answer, again
        return answer.status

    # Each core that suffices leaves its terms behind, for the confirmation.
    core, minimal = smallest(asked[::-1], status)
    # One solver found the queries that suffice; a second one must agree.
    outcome = confirmed(outcome, terms, time)
    if outcome.status != "unsat":
        return Reconstruction(UNDECIDED, columns, reason=outcome.reason)
    rows = tuple(sorted(zip(*frame.truth.values(), strict=True), key=_order_of))
    numbers = tuple(sorted(one.number for one in core))
    rows = frame.rows_of(rows)
    return Reconstruction(
        DETERMINED, columns, rows, core=numbers, minimal=minimal, by=outcome.by
    )


class _Question:
    """Is there a world with another bag of rows?"""

    def __init__(self, frame: AuditFrame, classes: Classes, order: str) -> None:
        self.frame = frame
        self.classes = classes
        self.order = order
        by_class = grouped((name, row) for row, name in enumerate(classes))
        self.members = by_class.values()

    def another(
        self,
        asked: Asked,
        deadline: Deadline,
        solver: Callable[[list[t.Term], Deadline], SolverOutcome] = ask,
    ) -> tuple[SolverOutcome, World | None, list[t.Term]]:
        """unsat when the answers to these queries leave the true bag alone; otherwise a
        world, or unknown.

        The terms are the last question: beside the answers, that the rows of a class
        are in order, and that no arrangement of the true bag found so far is meant.
        """
        frame = self.frame
        terms: list[t.Term] = []
        for one in sorted(asked, key=attrgetter("number")):
            terms += one.terms
        terms += self.in_order()
        # The rows of a class may change places: one order of each bag is looked for.
        arrangement = self.arranged()
        while True:
            # Ties leave several orders of the true bag: each that turns up is left out.
            terms.append(self.differs(arrangement))
            outcome = solver(terms, deadline)
            if outcome.status != "sat":
                return outcome, None, terms
            world = frame.world(outcome.values)
            if self.bag(world) != self.bag(frame.truth):
                return outcome, world, terms
            # Rows with equal values have changed places: the true bag once more.
            arrangement = world

    def in_order(self) -> list[t.Term]:
        """The rows of each class are in the order of one column."""
        cells = self.frame.cells[self.order]
        pairs = [pair for rows in self.members for pair in pairwise(rows)]
        pairs.sort(key=lambda pair: pair[1])
        terms = []
        for before, after in pairs:
            first = alone(cells[before].variable)
            second = alone(cells[after].variable)
            in_order = t.within(second - first, 0, None)
            terms.append(in_order)
        return terms

    def arranged(self) -> World:
        """The data with the rows of each class in that order."""
        cells = self.frame.cells[self.order]
        true = self.frame.truth[self.order]

        def code(row: int) -> int:
            return cells[row].coding.code(true[row])

        source = list(range(self.frame.rows))
        for rows in self.members:
            for row, other in zip(rows, sorted(rows, key=code), strict=True):
                source[row] = other
        return self.frame.moved(source)

    def differs(self, world: World) -> t.Term:
        """Some cell is not as it is in a world."""
        different = []
        for column, cells in self.frame.cells.items():
            there = world[column]
            pairs = zip(cells, there, strict=True)
            for cell, value in pairs:
                same = cell.has(value)
                otherwise = t.neg(same)
                different.append(otherwise)
        return t.disj(different)

    def bag(self, world: World) -> Bag:
        """How often each row occurs in a world."""
        rows = zip(*world.values(), strict=True)
        return Counter(zip(self.classes, rows, strict=True))

    def difference(
        self, world: World
    ) -> tuple[tuple[Row, ...], tuple[Row, ...], tuple[str, ...]]:
        """The true rows that a world has not, what it has instead in the rows of the
        same class, and their keys.
        """
        true = self.bag(self.frame.truth)
        other = self.bag(world)
        gone, come = true - other, other - true
        instead = grouped(sorted(come.elements(), key=lambda pair: _order_of(pair[1])))
        pairs: list[tuple[Row, Row, str]] = []
        true_rows = zip(*self.frame.truth.values(), strict=True)
        table = zip(self.frame.keys, self.classes, true_rows, strict=True)
        for key, name, cells in table:
            if gone[name, cells]:
                # A counter: of rows that occur twice, one may be gone.
                gone[name, cells] -= 1
                pairs.append((cells, instead[name].pop(0), str(key)))
        rows, others, keys = zip(*pairs, strict=True)
        return rows, others, keys


def _order_of(cells: Row) -> list[tuple[bool, Value]]:
    return [(value is not None, value) for value in cells]
