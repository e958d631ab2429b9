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
from phverify.disclosure.decide import Asked, smallest
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
from phverify.disclosure.solving.ask import Outcome, ask, confirmed, settled
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
    outcome, world, _ = _Question(frame, classes, order).another(
        asked, deadline, settled
    )
    return {"sat": OPEN, "unsat": DETERMINED}.get(outcome.status, UNDECIDED), world


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
    # the column with the most different values leaves the fewest ties
    question = _Question(
        frame, classes, max(columns, key=lambda column: len(set(frame.truth[column])))
    )
    outcome, world, terms = question.another(asked, time)
    if world is not None:
        replay(world)
        gone, come, keys = question.difference(world)
        return Reconstruction(
            UNSUPPORTED if taint else OPEN, columns, gone, come, keys, reason=taint
        )
    if outcome.status != "unsat":
        return Reconstruction(UNDECIDED, columns, reason=outcome.reason)

    def status(rest: Asked) -> str:
        nonlocal outcome, terms
        found, _, again = question.another(rest, time)
        if found.status == "unsat":
            outcome, terms = found, again
        return found.status

    core, minimal = smallest(asked[::-1], status)
    outcome = confirmed(outcome, terms, time)
    if outcome.status != "unsat":
        return Reconstruction(UNDECIDED, columns, reason=outcome.reason)
    rows = tuple(sorted(zip(*frame.truth.values(), strict=True), key=_order_of))
    numbers = tuple(sorted(one.number for one in core))
    return Reconstruction(
        DETERMINED, columns, rows, core=numbers, minimal=minimal, by=outcome.by
    )


class _Question:
    """Is there a world with another bag of rows?"""

    def __init__(self, frame: AuditFrame, classes: Classes, order: str) -> None:
        self.frame, self.classes, self.order = frame, classes, order
        self.members = grouped((name, row) for row, name in enumerate(classes)).values()

    def another(
        self,
        asked: Asked,
        deadline: Deadline,
        solver: Callable[[list[t.Term], Deadline], Outcome] = ask,
    ) -> tuple[Outcome, World | None, list[t.Term]]:
        """unsat when the answers to these queries leave the true bag alone; otherwise a
        world, or unknown.

        The terms are the last question: beside the answers, that the rows of a class
        are in order, and that no arrangement of the true bag found so far is meant.
        """
        frame = self.frame
        terms = [
            term
            for one in sorted(asked, key=attrgetter("number"))
            for term in one.terms
        ]
        cells, true = frame.cells[self.order], frame.truth[self.order]
        pairs = sorted(
            (pair for rows in self.members for pair in pairwise(rows)),
            key=lambda pair: pair[1],
        )
        terms += [
            t.within(alone(cells[b].variable) - alone(cells[a].variable), 0, None)
            for a, b in pairs
        ]
        source = list(range(frame.rows))
        for rows in self.members:
            for row, other in zip(
                rows,
                sorted(rows, key=lambda row: cells[row].coding.code(true[row])),
                strict=True,
            ):
                source[row] = other
        found = frame.moved(source)
        while True:
            same = (
                cell.has(v)
                for c in frame.cells
                for cell, v in zip(frame.cells[c], found[c], strict=True)
            )
            terms.append(t.disj(map(t.neg, same)))
            outcome = solver(terms, deadline)
            if outcome.status != "sat":
                return outcome, None, terms
            found = frame.world(outcome.values)
            if self.bag(found) != self.bag(
                frame.truth
            ):  # otherwise rows with equal values changed places
                return outcome, found, terms

    def bag(self, world: World) -> Bag:
        return Counter(
            zip(self.classes, zip(*world.values(), strict=True), strict=True)
        )

    def difference(
        self, world: World
    ) -> tuple[tuple[Row, ...], tuple[Row, ...], tuple[str, ...]]:
        """The true rows that a world has not, what it has instead in the rows of the
        same class, and their keys.
        """
        true, other = self.bag(self.frame.truth), self.bag(world)
        gone, come = true - other, other - true
        instead = grouped(sorted(come.elements(), key=lambda pair: _order_of(pair[1])))
        found: list[tuple[Row, Row, str]] = []
        for key, name, cells in zip(
            self.frame.keys,
            self.classes,
            zip(*self.frame.truth.values(), strict=True),
            strict=True,
        ):
            if gone[name, cells]:
                gone[name, cells] -= 1
                found.append((cells, instead[name].pop(0), str(key)))
        rows, others, keys = zip(*found, strict=True)
        return rows, others, keys


def _order_of(cells: Row) -> list[tuple[bool, Value]]:
    return [(value is not None, value) for value in cells]
