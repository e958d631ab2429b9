"""Database reconstruction: do the answers of a log determine every row, up to which row is whose?

Rows that no query tells apart can always exchange their cells, so that no single cell may be disclosed while the
table as a whole is known.  Asked is for a world with another bag of rows; among the rows of a class those with the
smaller value of one column come first, which every such bag allows.

The census block of Garfinkel, Abowd and Martindale, "Understanding Database Reconstruction Attacks on Public Data"
(2019), is the worked example (``phverify audit --demo census``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.decide import Known
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.query import Value
from phverify.disclosure.result import DETERMINED, NOTHING, OPEN, UNDECIDED, UNSUPPORTED, Reconstruction
from phverify.disclosure.solving.ask import Outcome, ask, confirmed, settled
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.cells import Frame, World
from phverify.disclosure.worlds.conditions import is_value

LIMIT = 60.0
"""Seconds for the question, where the budget leaves more."""
Cells = tuple[Value, ...]
Bag = Counter[tuple[Hashable, Cells]]
"""How often each row occurs, with its class."""


def reconstruction(
    frame: Frame, asked: Sequence[Known], classes: Sequence[Hashable], order: str, deadline: Deadline
) -> tuple[str, World | None]:
    """``determined``, ``open`` with a world of another bag of rows, or ``undecided``.

    Rows are compared with those of the same class, which no query tells apart; ``order`` is the column that they are
    sorted by.
    """
    outcome, world, _ = _Question(frame, classes, order).another(asked, deadline, settled)
    return {"sat": OPEN, "unsat": DETERMINED}.get(outcome.status, UNDECIDED), world


def reconstruct(
    frame: Frame,
    asked: Sequence[Known],
    classes: Sequence[Hashable],
    deadline: Deadline,
    taint: str,
    replay: Callable[[World], object],
) -> Reconstruction:
    """Whether the answers determine the table, and which of them do.

    ``taint`` says why what is not determined may be so by queries that are not audited.  ``replay`` raises Defect
    where a world, before it is shown, gives other answers.
    """
    columns = tuple(frame.truth)
    if not columns or not frame.rows:
        return Reconstruction(NOTHING, columns)
    left = deadline.left()
    deadline = Deadline(LIMIT if left is None else min(LIMIT, left))
    question = _Question(frame, classes, _order(frame))
    outcome, world, terms = question.another(asked, deadline)
    if world is not None:
        replay(world)
        gone, come, keys = question.difference(world)
        return Reconstruction(UNSUPPORTED if taint else OPEN, columns, gone, come, keys, reason=taint)
    if outcome.status == "unsat":
        core, minimal, outcome = _core(question, asked, (outcome, terms), deadline)
    if outcome.status != "unsat":
        return Reconstruction(UNDECIDED, columns, reason=outcome.reason)
    numbers = tuple(one.number for one in core)
    rows = question.shown(frame.truth)
    return Reconstruction(DETERMINED, columns, rows, core=numbers, minimal=minimal, by=outcome.by)


def _core(
    question: _Question, asked: Sequence[Known], answer: tuple[Outcome, list[t.Term]], deadline: Deadline
) -> tuple[list[Known], bool, Outcome]:
    """Queries that determine the table, whether none can be left out, and what a second solver says of them.

    The last ones are left out first, so that the core ends as early as can be.
    """
    core, minimal = list(asked), True
    for one in reversed(asked):
        rest = [other for other in core if other is not one]
        found, _, terms = question.another(rest, deadline)
        minimal = minimal and found.status != "unknown"
        core, answer = (rest, (found, terms)) if found.status == "unsat" else (core, answer)
    return core, minimal, confirmed(*answer, deadline)


def _order(frame: Frame) -> str:
    """The column with the most different values: it leaves the fewest ties."""
    return max(frame.truth, key=lambda column: len(set(frame.truth[column])))


class _Question:
    """Is there a world with another bag of rows?"""

    def __init__(self, frame: Frame, classes: Sequence[Hashable], order: str) -> None:
        self.frame, self.classes, self.order = frame, classes, order
        self.members = grouped((name, row) for row, name in enumerate(classes))

    def another(
        self,
        asked: Sequence[Known],
        deadline: Deadline,
        solver: Callable[[Sequence[t.Term], Deadline], Outcome] = ask,
    ) -> tuple[Outcome, World | None, list[t.Term]]:
        """unsat when the answers to these queries leave the true bag alone; otherwise a world, or unknown.

        The terms are the last question: beside the answers, that no arrangement of the true bag found so far is meant.
        """
        terms = [term for one in asked for term in one.effect.terms]
        terms += self.sorted()
        found = self.ordered()
        while True:
            terms.append(_differs(self.frame, found))
            outcome = solver(terms, deadline)
            if outcome.status != "sat":
                return outcome, None, terms
            found = self.frame.world(outcome.values)
            if self.bag(found) != self.bag(self.frame.truth):  # otherwise rows with equal values changed places
                return outcome, found, terms

    def bag(self, world: World) -> Bag:
        return Counter(zip(self.classes, zip(*world.values(), strict=True), strict=True))

    def difference(self, world: World) -> tuple[tuple[Cells, ...], tuple[Cells, ...], tuple[str, ...]]:
        """The true rows that a world has not, what it has instead in the rows of the same class, and their keys."""
        true, other = self.bag(self.frame.truth), self.bag(world)
        gone, come = true - other, other - true
        instead = grouped(sorted(come.elements(), key=lambda pair: _order_of(pair[1])))
        found = []
        rows = zip(self.frame.keys, self.classes, zip(*self.frame.truth.values(), strict=True), strict=True)
        for key, name, cells in rows:
            if gone[name, cells]:
                gone[name, cells] -= 1
                found.append((cells, instead[name].pop(0), str(key)))
        return tuple(c for c, _, _ in found), tuple(c for _, c, _ in found), tuple(key for _, _, key in found)

    def shown(self, world: World) -> tuple[Cells, ...]:
        return _rows(self.bag(world))

    def sorted(self) -> list[t.Term]:
        """The rows of a class in the order of one column."""
        cells = self.frame.cells[self.order]
        pairs = sorted((pair for rows in self.members.values() for pair in pairwise(rows)), key=lambda pair: pair[1])
        return [t.within(alone(cells[b].variable) - alone(cells[a].variable), 0, None) for a, b in pairs]

    def ordered(self) -> World:
        """The data, with the rows of each class in that order."""
        coding, cells = self.frame.codings[self.order], self.frame.truth[self.order]
        source = list(range(self.frame.rows))
        for rows in self.members.values():
            for row, other in zip(rows, sorted(rows, key=lambda row: coding.code(cells[row])), strict=True):
                source[row] = other
        return {column: tuple(values[other] for other in source) for column, values in self.frame.truth.items()}


def _rows(bag: Bag) -> tuple[Cells, ...]:
    """The rows of a bag in the order of their cells."""
    return tuple(sorted([row for _, row in bag.elements()], key=_order_of))


def _order_of(cells: Cells) -> list[tuple[bool, Value]]:
    return [(value is not None, value) for value in cells]


def _differs(frame: Frame, world: World) -> t.Term:
    """Some cell is another than in this world."""
    return t.disj(
        t.neg(is_value(frame.cells[column][row], frame.codings[column], value))
        for column, cells in world.items()
        for row, value in enumerate(cells)
    )
