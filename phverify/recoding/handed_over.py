"""A recoding handed over: the released table as a frame or a file, and its certificate.

Where the rows were counted where they are, they are read for a frame and for a
certificate alone; a file is written from the files that the table is in.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phverify.budget import Deadline, Tell
from phverify.exact import Ints
from phverify.generalization.released_frame import frame
from phverify.generalization.rows_later import RowsLater
from phverify.generalization.typed_release import TypedRelease
from phverify.logic.printer import Style
from phverify.microdata.counted import GroupedRows
from phverify.microdata.rewriting import Rewriting, ShownClasses, changed_since
from phverify.microdata.table import CodedColumn
from phverify.recoding.certificate import Bound, Certified, certificate
from phverify.recoding.posed import PosedRecoding, pose
from phverify.recoding.release import judged, released, released_rows, rows_of_cells
from phverify.spec.recoding import TupleRecoding
from phverify.spec.source import Label
from phverify.spec.splits import Splits
from phverify.verification.result import Report


@dataclass(frozen=True, eq=False)
class HandedRelease:
    """What a search by tuples found, with what ``verify`` says of its release.

    ``source`` is the input as it was given, or RowsLater where it was counted.
    """

    problem: PosedRecoding
    recoding: TupleRecoding
    report: Report
    splits: Splits | None
    bound: Bound
    source: Any
    style: Style
    progress: Tell

    def in_memory(self, deadline: Deadline) -> HandedRelease:
        """The same with all rows in memory.  Raises InputError."""
        later = self.source
        if not isinstance(later, RowsLater):
            return self
        counted = self.problem
        posed = counted.posed
        problem = pose(
            posed.policy,
            later.table,
            posed.paths,
            counted.asked,
            counted.shuffle,
            counted.redact,
            deadline,
        )
        space = problem.space
        # Classes are numbers of tuples: they mean the same only where the tuples are
        # the same.
        if (space.tuples, space.counts) != (counted.space.tuples, counted.space.counts):
            raise changed_since(later.table.source)
        recoding = TupleRecoding(space, self.recoding.classes)
        return replace(self, problem=problem, recoding=recoding, source=later.source)

    def frame(self, deadline: Deadline, typed: bool) -> Any:
        """The released table as a frame, or ``typed`` to be written.

        Raises InputError.
        """
        here = self.in_memory(deadline)
        after = released(here.problem.posed, here.recoding)
        cells = rows_of_cells(here.problem.space, after)
        policy = here.problem.posed.policy
        rows = released_rows(here.recoding)
        order = here.order(after.rows)
        release = TypedRelease(here.source, policy, after, rows, order, cells)
        return frame(release, self.changed(), typed)

    def order(self, rows: int) -> Ints | None:
        """The new order of the released rows; None for their own."""
        if self.problem.shuffle is None:
            return None
        numbers = list(range(rows))
        random.Random(self.problem.shuffle).shuffle(numbers)
        return np.array(numbers)

    def certificate(self, deadline: Deadline) -> dict[str, Any]:
        """The certificate as plain data.  Raises Refused and BudgetExceeded."""
        here = self.in_memory(deadline)
        problem, report = here.problem, here.report
        if here is not self:
            # Its checker looks at the rows: so does the report that it is from.
            after = released(problem.posed, here.recoding)
            rows = released_rows(here.recoding)
            report = judged(problem.posed, after, rows, deadline, self.style)
        made = Certified(
            problem.posed,
            here.recoding,
            self.bound,
            self.splits,
            problem.asked.weights,
            problem.asked.ranges,
            problem.asked.share,
            problem.asked.cells,
            problem.asked.disjoint,
            problem.asked.publish,
        )
        return certificate(made, report, deadline, self.progress)

    def changed(self) -> set[str]:
        """The columns with a cell that is not released as it was."""
        names = set()
        for k, side in enumerate(self.problem.space.sides):
            if side.name in self.problem.space.medians:
                continue
            # A box of one value releases the cell as it was.
            if any(box[k][0] < box[k][1] for box in self.recoding.boxes):
                names.add(side.name)
        return names

    # Where the rows are

    def rewriting(self) -> Rewriting | None:
        """How the release is written where the rows are; None where they are here."""
        posed = self.problem.posed
        rows = posed.table.elsewhere
        if self.problem.shuffle is not None or not isinstance(rows, GroupedRows):
            return None
        finest = posed.bound.release.quotient
        columns = posed.bound.release.columns
        classes = finest.class_of([columns[name].codes for name in finest.quasi])
        tuples = np.zeros(finest.classes, dtype=np.int64)
        # The engine knows classes of the finest quotient, the search tuples in another
        # order.
        tuples[classes] = self.problem.space.row_tuple
        kept = np.ones(len(self.problem.space.tuples), dtype=bool)
        kept[list(self.recoding.withheld)] = False
        texts = {}
        values = {}
        changed = self.changed()
        for k, side in enumerate(self.problem.space.sides):
            shown = self._column(k)
            if side.name in changed:
                texts[side.name] = CodedColumn(shown.codes[tuples], shown.labels)
            elif side.name in self.problem.space.medians:
                known = CodedColumn.coded(shown.labels, columns[side.name].labels)
                values[side.name] = known[shown.codes[tuples]]
        shown_classes = ShownClasses(finest, kept[tuples], texts, values)
        return Rewriting(rows, columns, shown_classes, posed.policy.identifier)

    def _column(self, k: int) -> CodedColumn:
        """What is shown of each tuple in one column; of those withheld, anything."""
        number: dict[Label, int] = {}
        codes = np.zeros(len(self.problem.space.tuples), dtype=np.int64)
        pairs = zip(self.recoding.classes, self.recoding.shown, strict=True)
        for tuples, cells in pairs:
            # Equal cells of two classes have one code.
            codes[list(tuples)] = number.setdefault(cells[k], len(number))
        return CodedColumn(codes, tuple(number))
