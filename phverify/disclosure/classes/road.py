"""The audit of many rows, from answers to findings.

Columns are apart, for no selection is about two of them; a repeated selection is one.
Verdicts are worked out by class once the whole log has been answered, and a step's
findings are what they were by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from phverify.budget import Deadline, why_stopped
from phverify.disclosure.classes.few import FewHistory
from phverify.disclosure.classes.fragment import (
    OutsideClasses,
    Selection,
    kind_of_column,
    told,
)
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.replays import ClassReplays
from phverify.disclosure.classes.selected import (
    Flags,
    Ints,
    SelectedRows,
    TableArrays,
    answered,
    first_of,
    follows,
)
from phverify.disclosure.classes.shown_worlds import ShownWorlds
from phverify.disclosure.classes.system import ColumnClasses
from phverify.disclosure.classes.tables import (
    CODES,
    CountedFindings,
    FactTable,
    MadeWhenAsked,
    Verdicts,
)
from phverify.disclosure.log import query as q
from phverify.disclosure.measure import measured
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.remaining import declared
from phverify.disclosure.result import (
    DISCLOSED,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
    Distance,
    FactFinding,
    Remaining,
    Step,
)
from phverify.disclosure.stages import DOMAINS, STAGES, StageShare
from phverify.disclosure.worlds.database import Database, Rows
from phverify.disclosure.worlds.unknowns import AuditFrame


class ClassRoad:
    """The state of an audit by classes.  Raises OutsideClasses, here and in ``learn``,
    for what it is not made for.
    """

    def __init__(
        self, frame: AuditFrame, source: Database, deadline: Deadline, each: float
    ) -> None:
        if source.sqlite is not None or not frame.rows:
            raise OutsideClasses("a file that SQLite answers, or no rows")
        self.frame = frame
        self.deadline = deadline
        self.each = each
        self.table = TableArrays(frame, source)
        self.facts = FactTable(frame, self.table)
        self.replays = ClassReplays(frame, source)
        self.columns: dict[str, ColumnClasses] = {}
        for name in frame.codings:
            self._column(name)
        self.selections: dict[str, list[Selection]] = {name: [] for name in frame.truth}
        self.asked: list[tuple[int, str, Rows, set[str]]] = []
        self.histories: dict[str, ColumnHistory] = {}
        self.worlds: dict[str, ShownWorlds] = {}
        # the last step before which all statements are audited
        self.untainted = 0

    def _column(self, name: str) -> None:
        """A column without a selection so far, if classes are made for it."""
        coding = self.frame.codings[name]
        kind = kind_of_column(coding)
        if kind:
            ends = coding.low, coding.high
            codes = self.table.code(name)
            self.columns[name] = ColumnClasses(
                kind,
                codes,
                ends,
            )

    def learn(self, query: q.SqlQuery, answer: Rows, number: int) -> None:
        """What the answer to a query says."""
        for one in told(query, self.frame):
            selection = one.selection
            classes = self.columns[selection.column]
            rows = self.table.selected(selection, classes.kind)
            coding = self.frame.codings[selection.column]
            if not answered(rows, query, one, answer, coding):
                raise OutsideClasses("an answer that does not say its sums")
            # Asked again, as another count of the same, or of fewer columns, it says
            # nothing new.
            if not classes.knows(rows) and not self._known(selection, rows):
                self.selections[selection.column].append(selection)
                classes.learn(rows, number)

    def _known(self, selection: Selection, rows: SelectedRows) -> bool:
        """Whether the sums of a selection follow from those of an earlier one."""
        learned = self.columns[selection.column].learned
        earlier = zip(self.selections[selection.column], learned, strict=True)
        for other, finer in earlier:
            within = set(selection.groups) <= set(other.groups)
            if within and follows(rows, finer):
                return True
        return False

    def replayed(self, sql: str, answer: Rows, number: int, named: set[str]) -> None:
        """A statement that every world is asked that may answer it otherwise."""
        sensitive = self.frame.codings.keys()
        read = named & sensitive
        if read:
            one = number, sql, answer, read
            self.asked.append(one)

    def decide(self, steps: int) -> BaseException | None:
        """Works out all verdicts, for a log of so many steps; what stopped it, where
        something did.

        A column may run out of its own time; nothing is decided after an interruption.
        """
        stopped: BaseException | None = None
        for column in self._columns_of_facts():
            history = self._history(column, steps)
            self.histories[column] = history
            history.decide()
            stopped = stopped or history.stopped
            if isinstance(history.stopped, KeyboardInterrupt | MemoryError):
                return history.stopped
        return stopped

    def leave_open(self, steps: int, stopped: BaseException | None) -> None:
        """Nothing is known of the columns that were not reached."""
        for column in self._columns_of_facts():
            if column not in self.histories:
                self.histories[column] = self._history(column, steps)
                self.histories[column].stopped = stopped

    def _columns_of_facts(self) -> list[str]:
        return list(dict.fromkeys(line.column for line in self.facts.lines))

    def _history(self, column: str, steps: int) -> ColumnHistory:
        """The verdicts about a column, none of which is known yet."""
        asked = self._protected(column)
        return FewHistory(
            self.columns[column],
            self._attributes(column),
            partial(self._replay, column),
            self.deadline,
            self.each * steps,
            asked,
        )

    def _protected(self, column: str) -> Flags:
        """The finest classes that some fact is about: no other is asked for."""
        finest = self.columns[column].finest
        asked = np.zeros(
            len(finest.sizes),
            dtype=bool,
        )
        for line in self.facts.lines:
            if line.column == column:
                names = finest.of_row[line.rows]
                asked[names] = True
        return asked

    def _replay(self, column: str, level: int, codes: Ints) -> None:
        """Executes what was answered before the selection that is left out."""
        numbers = self.columns[column].numbers
        end = numbers[level] if level < len(numbers) else None
        asked: dict[str, Rows] = {}
        for number, sql, answer, read in self.asked:
            if column in read and (end is None or number < end):
                asked[sql] = answer
        self.replays.replay(column, codes, asked.items())

    def _attributes(self, column: str) -> dict[int, Mapping[str, Ints]]:
        """The public columns and conditions of each selection, by finest class."""
        firsts = first_of(self.columns[column].finest.of_row.astype(np.int64))
        several: dict[int, Mapping[str, Ints]] = {}
        found: dict[str, Ints] = {}
        for place, selection in enumerate(self.selections[column]):
            names = [one for one in selection.groups if one != self.frame.policy.key]
            conditions = self.table.public_parts(selection)
            for name in names:
                if name not in found:
                    found[name] = self.table.public(name)[firsts]
            for sql in conditions:
                if sql not in found:
                    found[sql] = self.table.truth(sql)[0][firsts].astype(np.int64)
            several[place] = {name: found[name] for name in (*names, *conditions)}
        return several

    # findings

    def told(self, step: Step, taint: str) -> Step:
        """A step with its findings, and what is left of the cells."""
        if not taint:
            self.untainted = step.number
        findings = self.findings(step.number, taint)
        left = self.remaining(step.number, taint)
        far = self.distances(findings, step.number)
        return replace(step, findings=findings, remaining=left, distances=far)

    def level(self, column: str, number: int) -> int:
        """How many selections of a column there were by a step."""
        return int(np.searchsorted(self.columns[column].numbers, number, side="right"))

    def verdicts(self, number: int) -> Verdicts:
        """The verdict on each fact after a step, as a place in CODES."""
        parts = []
        for line in self.facts.lines:
            history = self.histories[line.column]
            level = self.level(line.column, number)
            of_class = np.ones(len(history.since), dtype=np.int8)
            of_class[history.free >= level] = CODES.index(SAFE)
            of_class[history.since <= level] = CODES.index(DISCLOSED)
            parts.append(of_class[self.columns[line.column].finest.of_row[line.rows]])
        return np.concatenate([np.zeros(0, dtype=np.int8), *parts])

    def findings(self, number: int, taint: str) -> CountedFindings[FactFinding]:
        """The findings after a step."""
        verdicts = self.verdicts(number)

        def make(place: int) -> FactFinding:
            verdict = CODES[verdicts[place]]
            return self.finding(place, verdict, taint)

        return CountedFindings(
            verdicts,
            taint,
            make,
        )

    def finding(self, place: int, verdict: str, taint: str) -> FactFinding:
        """One finding."""
        fact = self.facts.fact(place)
        line, row = self.facts.place(place)
        history = self.histories[line.column]
        numbers = self.columns[line.column].numbers
        name = int(self.columns[line.column].finest.of_row[row])
        if verdict == DISCLOSED:
            origins, by = history.core[name]
            core = sorted({numbers[one] for one in origins})
            since = numbers[history.since[name] - 1]
            stage = stage_of(by)
            one = len(core) == 1
            before = self.level(line.column, since - 1)
            exact = history.free[name] >= before and since - 1 <= self.untainted
            return FactFinding(
                fact,
                DISCLOSED,
                core=tuple(core),
                minimal=one,
                since=since,
                by=by,
                stage=stage,
                exact=bool(exact),
            )
        if verdict == UNDECIDED:
            reason = "neither a world nor a proof was found in time"
            if history.stopped is not None:
                reason = why_stopped(history.stopped)
            return FactFinding(fact, UNDECIDED, reason)
        stage = history.worlds[history.world[name]].stage
        if taint:
            # its world need not give what is not audited
            return FactFinding(fact, UNSUPPORTED, taint, stage=stage)
        worlds = (self.shown(line.column).of(row),)
        return FactFinding(fact, verdict, worlds=worlds, stage=stage)

    def shown(self, column: str) -> ShownWorlds:
        """The second worlds of a column, once it is decided."""
        if column not in self.worlds:
            classes = self.columns[column]
            history = self.histories[column]
            self.worlds[column] = ShownWorlds(column, self.frame, classes, history)
        return self.worlds[column]

    # what is left of the cells

    @cached_property
    def places(self) -> list[tuple[str, Ints]]:
        """The cells of all facts by column, each once."""
        asked: dict[str, Flags] = {}
        for line in self.facts.lines:
            nothing = np.zeros(self.frame.rows, dtype=bool)
            asked.setdefault(line.column, nothing)[line.rows] = True
        return [(column, np.flatnonzero(rows)) for column, rows in asked.items()]

    def remaining(self, number: int, taint: str) -> Sequence[Remaining]:
        """What each cell of the facts may be after a step; after what is not audited
        less may be left.
        """
        cells = self.places
        starts = np.cumsum([0, *(len(rows) for _, rows in cells)])

        def make(place: int) -> Remaining:
            part = int(np.searchsorted(starts, place, side="right")) - 1
            column, rows = cells[part]
            left = self.left(column, int(rows[place - starts[part]]), number)
            return replace(left, tight=left.tight and not taint)

        return MadeWhenAsked(int(starts[-1]), make)

    def left(self, column: str, row: int, number: int) -> Remaining:
        """What a cell may be after a step."""
        history = self.histories[column]
        name = self.columns[column].finest.of_row[row]
        level = self.level(column, number)
        key = str(self.frame.keys[row])
        known = replace(declared(column, self.frame.codings[column]), key=key)
        value = self.frame.truth[column][row]
        if history.since[name] <= level:
            if known.values is not None:
                return replace(known, values=(value,), tight=True)
            code = self.frame.codings[column].code(value)
            return replace(known, low=code, high=code, tight=True)
        both = known.values is not None and len(known.values) == 2
        return replace(known, tight=both and bool(history.free[name] >= level))

    def distances(
        self, findings: CountedFindings[FactFinding], number: int
    ) -> Sequence[Distance]:
        """How far what is known is from each fact."""

        def make(place: int) -> Distance:
            fact: ProtectedFact = self.facts.fact(place)
            line, row = self.facts.place(place)
            known = self.left(line.column, row, number)
            verdict = CODES[findings.verdicts[place]]
            if verdict == SAFE and findings.taint:
                verdict = UNSUPPORTED
            return measured(fact, verdict, [known], self.frame.policy)

        return MadeWhenAsked(len(findings), make)

    def shares(self, steps: Sequence[Step]) -> tuple[StageShare, ...]:
        """What each stage decided, a verdict counted where it was found: of facts that
        are disclosed at their step, of others at the last one.
        """
        counts = dict.fromkeys(STAGES, 0)
        for line in self.facts.lines if steps else ():
            history = self.histories[line.column]
            names = self.columns[line.column].finest.of_row[line.rows]
            level = self.level(line.column, steps[-1].number)
            disclosed = history.since[names] <= level
            for name in names[disclosed].tolist():
                counts[stage_of(history.core[name][1])] += 1
            free = names[~disclosed & (history.free[names] >= level)]
            for place, world in enumerate(history.worlds):
                counts[world.stage] += int((history.world[free] == place).sum())
        return tuple(
            [StageShare(name, count, 0.0) for name, count in counts.items() if count]
        )


def stage_of(by: tuple[str, ...]) -> str:
    """The stage of the cascade that those who prove something stand for."""
    stage = by[0].split(",")[0]
    return stage if stage in STAGES else DOMAINS
