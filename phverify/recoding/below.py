"""The lower side in a thread of its own: the best bound so far, at any moment."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.recoding.certificate import Bound
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.prices import bounds
from phverify.recoding.walker import Distinct

PATIENCE = 3.0
"""Seconds for a last step; the best bound so far is there anyway."""


@dataclass(eq=False)
class BoundsBelow:
    """Looks for better prices until it is ended.

    ``deadline`` is its own: whoever ends it moves it.
    """

    problem: PosedRecoding
    deadline: Deadline
    best: Bound | None = None
    defect: BaseException | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: list[Ints] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        # Compiled walks let other threads run: both sides work at once.
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin, where it has not begun."""
        if self.thread.ident is None:
            self.thread.start()

    def offer(self, classes: Iterable[Ints]) -> None:
        """Classes that the upper side met: columns of the relaxation."""
        with self.lock:
            # Taken by the other thread between two solutions of the relaxation.
            self.waiting += classes

    def wait(self, seconds: float) -> None:
        """Wait until it is done, or for so long."""
        self.thread.join(seconds)

    def end(self) -> None:
        """End it, and wait a little for its last step.

        Raises what went wrong in it.
        """
        # Looked at between walks; one that is under way ends on its own.
        self.deadline.end = 0.0
        if self.thread.ident is not None:
            self.thread.join(PATIENCE)
        if self.defect is not None:
            raise self.defect

    def _met(self) -> list[Ints]:
        with self.lock:
            waiting, self.waiting = self.waiting, []
        return waiting

    def _run(self) -> None:
        problem = self.problem
        try:
            found = bounds(
                problem.grid,
                problem.necessary.records,
                self.deadline,
                distinct_values(problem),
                problem.budget,
                self._met,
                problem.space.priced != "entropy",
            )
            for bound in found:
                self._take(bound)
        except BaseException as error:
            # It is raised where somebody waits for the bound.
            self.defect = error
        self.done = True

    def _take(self, bound: Bound) -> None:
        """A bound that is better, or why there is none."""
        if self.best is None or bound.value > self.best.value:
            self.best = bound
        elif bound.note:
            self.best = replace(self.best, note=bound.note)


def distinct_values(problem: PosedRecoding) -> list[Distinct]:
    """The columns of which each class needs several values."""
    columns = problem.necessary.distinct.items()
    return [Distinct(least, _histogram(problem, name)) for name, least in columns]


def _histogram(problem: PosedRecoding, column: str) -> Ints:
    """How often each value of a column occurs in each tuple."""
    place = {value: k for k, value in enumerate(problem.rules.whole(column))}
    table: Ints = np.zeros((len(problem.space.tuples), len(place)), dtype=np.int64)
    for number, counts in enumerate(problem.rules.by_tuple(column)):
        for value, count in counts.items():
            table[number, place[value]] = count
    return table
