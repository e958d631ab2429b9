"""A report of an audit as lines of text: a pure function.  What is disclosed comes
first, then step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from phverify.disclosure.grouping import grouped
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    NOTHING,
    OPEN,
    SAFE,
    UNSUPPORTED,
    VERDICTS,
    AuditReport,
    FactFinding,
    Reconstruction,
    Step,
    name_of_world,
)
from phverify.errors import printable
from phverify.report.audit_phrases import (
    FEW,
    Cells,
    Findings,
    Left,
    agreed,
    cells_left,
    counted_ranges,
    finding_line,
    how_sure,
    listed,
    origin_of,
    replaced_rows,
    step_of,
    table_lines,
    width_of,
)
from phverify.report.audit_story import (
    COVERED,
    AuditStory,
    known_columns,
    meanings,
)
from phverify.words import plural

SHOWN = 8
"""Up to so many facts of a step are shown one by one."""
NOT_AUDITED = {
    "unsupported": "not understood",
    "failed": "failed whatever the data",
    "contradicted": "answered otherwise than the table says",
    "refused": "refused",
}
BOUNDED = "taken for more than they say"


def to_lines(report: AuditReport, redact: bool = False) -> list[str]:
    """The report as text, verdicts first word of their lines.  ``redact`` leaves out
    all values of sensitive cells.
    """
    text = _Text(report, redact)
    return [
        printable(line)
        for line in (*text.head(), *text.summary(), *text.steps(), *text.covers())
    ]


def named(steps: Sequence[Step]) -> str:
    """Some statements by their numbers and lines."""
    names = [f"query {one.number} (line {one.line})" for one in steps[:SHOWN]]
    shown = ", ".join(names)
    return f"{shown} .." if len(steps) > SHOWN else shown


class _Text(AuditStory):
    """The parts of the text, top to bottom."""

    def __init__(self, report: AuditReport, redact: bool) -> None:
        super().__init__(report, redact)
        self.shown: dict[ProtectedFact, tuple[str, tuple[object, ...], Cells]] = {}

    # what is audited

    def head(self) -> Iterator[str]:
        """The table, what the adversary knows, and what is unknown."""
        report = self.report
        # the first step is what holds before any query
        count = len(report.steps) - 1
        asked = plural(count, "query")
        if report.cut:
            asked = f"{count} of {plural(report.asked, 'query')}"
        rows = plural(report.rows, "row")
        yield f"{report.source}, {report.table}: {rows}; {asked} of the log"
        known = known_columns(report)
        yield f"  the adversary knows: {known}, and the answers below"
        for name, domain in report.domains:
            yield f"  unknown: {name}, one of {domain}"
        for note in report.notes:
            yield f"  the log: {note}"
        yield ""

    # what came out

    def summary(self) -> Iterator[str]:
        """What is disclosed, what is not, and what was not audited."""
        report = self.report
        last = report.steps[-1]
        by_verdict = grouped((finding.verdict, finding) for finding in last.findings)
        # what is disclosed stays so, however the run ended
        yield from self.disclosures(by_verdict.pop(DISCLOSED, []))
        if report.reconstruction:
            yield from self.reconstruction(report.reconstruction)

        # After a run that was cut, nothing is safe after all queries.
        if report.cut:
            yield self.cut(last)
        elif not last.findings:
            yield "SAFE: no fact is protected in this table"
        else:
            for verdict in VERDICTS:
                if verdict in by_verdict:
                    yield self.total(verdict, by_verdict[verdict])
        yield from self.left_out()
        yield ""

    def left_out(self) -> Iterator[str]:
        """Which queries were not audited, and why the run ended."""
        report = self.report
        for status, said in NOT_AUDITED.items():
            steps = [step for step in report.steps if step.status == status]
            if steps:
                yield f"  not audited, {said}: {named(steps)}"
        bounded = [step for step in report.steps if step.status == "bounded"]
        if bounded:
            yield f"  {BOUNDED}: {named(bounded)}"
        if report.cut:
            yield "  the rest of the log was not audited"
        elif report.stopped:
            yield f"  the run was stopped: {report.stopped}"
        elif not report.complete:
            yield "  the rest of the log was not audited (--first)"

    def cut(self, last: Step) -> str:
        """Of a run that was stopped before the last query.

        What had been decided is not so after all of them.
        """
        report = self.report
        when = "before the first query"
        if last.number:
            when = f"after query {last.number} of {report.asked:,}"
        counts = Counter(finding.verdict for finding in last.findings)
        # what is disclosed stays so; all else might have come out otherwise
        undecided = plural(len(last.findings) - counts[DISCLOSED], "fact")
        said = (
            f"UNDECIDED: {undecided} after the last query; the run was stopped {when}:"
            f" {report.stopped}"
        )
        known = [verdict for verdict in VERDICTS if counts[verdict]]
        if not known:
            return said
        then = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in known)
        return f"{said} (by then {then})"

    def disclosures(self, disclosed: Findings) -> Iterator[str]:
        """One paragraph for all facts that the same queries gave away at one step."""
        # What the same queries gave away at once is one paragraph.
        alike = grouped(
            ((one.since, not one.exact, one.core), one) for one in disclosed
        )
        # by the time at which it happened
        groups = sorted(alike.items(), key=lambda item: item[0])
        for (since, late, core), findings in groups[:SHOWN]:
            when = "before the first query"
            if since:
                when = f"by {step_of(since, not late)}"
            shown = [self.fact(finding.fact) for finding in findings[:FEW]]
            if len(findings) > FEW:
                shown.append(f"{len(findings) - FEW:,} more")
            follow = "follow" if len(findings) > 1 else "follows"
            yield f"DISCLOSED {when}: {listed(shown)} {follow} from {origin_of(core)}"
            yield from self.queries(core)
            yield f"    ({how_sure(findings[0])})"
        more = sum(len(findings) for _, findings in groups[SHOWN:])
        if more:
            facts = plural(more, "fact")
            yield f"DISCLOSED: and {facts} more, each told at its query below"

    def queries(self, core: Sequence[int]) -> Iterator[str]:
        """Some queries, with their answers."""
        for number in core:
            yield f"    {number}: {self.asked[number]}"

    def total(self, verdict: str, findings: Findings) -> str:
        """How many facts have a verdict after the last query."""
        said = self.commonest(findings)
        if verdict == SAFE:
            said = "for each there is another world with the same answers"
        elif verdict == UNSUPPORTED:
            said = f"nothing is sure, as {said}"
        facts = plural(len(findings), "fact")
        return f"{verdict.upper()}: {facts} after the last query; {said}"

    def reconstruction(self, whole: Reconstruction) -> Iterator[str]:
        """What is said of the table as a whole."""
        if whole.status == DETERMINED:
            yield from self.determined(whole)
        elif whole.status == OPEN:
            columns = ", ".join(whole.columns)
            yield f"SAFE as a whole: other tables of {columns} have the same answers"
            # two tables that differ say what the cells may be
            if not self.redact:
                yield f"    there may be {replaced_rows(whole)}"
        elif whole.status == NOTHING:
            yield (
                "SAFE as a whole: the table has no rows, so that there is nothing to"
                " reconstruct"
            )
        else:
            yield f"{whole.status.upper()} as a whole: {self.reason(whole.reason)}"

    def determined(self, whole: Reconstruction) -> Iterator[str]:
        """A table that the answers leave no choice of."""
        says = "determines" if len(whole.core) == 1 else "determine"
        rows = plural(self.report.rows, "row")
        yield f"DISCLOSED as a whole: {origin_of(whole.core)} {says} all {rows}:"
        if not self.redact:
            yield from table_lines(whole)
        yield from self.queries(whole.core)
        yield f"    the only solution, up to which row is whose: {agreed(whole.by)}"
        if whole.core and whole.minimal:
            yield (
                "    none of these queries can be left out: without any one of them"
                " other tables are possible"
            )

    # step by step

    def steps(self) -> Iterator[str]:
        """Each query, and what is known after it."""
        known: set[ProtectedFact] = set()
        for step in self.report.steps:
            # What was disclosed stays so: only the new ones are named.
            disclosed = [one for one in step.findings if one.verdict == DISCLOSED]
            new = [finding for finding in disclosed if finding.fact not in known]
            known.update(finding.fact for finding in new)
            # before the first query mostly nothing is known
            if not step.number and not new:
                continue
            yield self.title(step)
            if step.status != "answered":
                yield f"  {step.status.upper()} {self.reason(step.reason)}"
            if step.status in ("failed", "silent"):
                continue  # it told nothing, and all is as it was
            yield from self.disclosed_now(new)
            before = len(disclosed) - len(new)
            if before:
                yield f"  disclosed before: {plural(before, 'fact')}"
            others = grouped((one.verdict, one) for one in step.findings)
            for verdict in VERDICTS:
                if verdict != DISCLOSED:
                    yield from self.group(step, verdict, others.get(verdict, []))

    def title(self, step: Step) -> str:
        """The query of a step."""
        number = step.number
        if not number:
            return "before the first query"
        asked = self.asked[number]
        return f"query {number}, line {step.line}: {asked}"

    def disclosed_now(self, new: Findings) -> Iterator[str]:
        """The facts that a step disclosed."""
        for finding in new[:SHOWN]:
            fact = self.fact(finding.fact)
            origin = origin_of(finding.core)
            when = "" if finding.exact else ", perhaps before this query"
            yield f"  DISCLOSED {fact}: from {origin}{when}"
        more = len(new) - SHOWN
        if more > 0:
            facts = plural(more, "more fact")
            yield f"  DISCLOSED and {facts}"

    def group(self, step: Step, verdict: str, findings: Findings) -> Iterator[str]:
        """The facts of a verdict; those that are as they were are only counted."""
        if not findings:
            return
        left = cells_left(step, findings)
        new = self.news(verdict, findings, left)
        why = self.commonest(findings)
        facts = plural(len(findings), "fact")
        line = f"  {verdict.upper()} {facts}"
        if why:
            line += f": {why}"
        if not new and not self.redact:
            line += ", all as before"
        yield line
        if not new or self.redact:
            return
        several = len(new) > SHOWN
        shown = new
        if several:
            # Of many those of which most is known.
            shown = heapq.nsmallest(FEW, new, key=lambda one: width_of(left[one.fact]))
        pairs = zip_longest(step.findings, step.distances)
        far = {finding.fact: distance for finding, distance in pairs}
        for finding in shown:
            cells = left[finding.fact]
            distance = far[finding.fact]
            line = finding_line(finding, cells, distance)
            yield f"    {line}"
        if several:
            ranges = counted_ranges(new, left)
            yield f"    and {len(new) - FEW:,} more; in all: {ranges}"
        before = len(findings) - len(new)
        if before:
            yield f"    and {before:,} as before"

    def news(self, verdict: str, findings: Findings, left: Left) -> list[FactFinding]:
        """The findings that are not as they were shown last; they are shown now."""
        new = []
        for finding in findings:
            fact = finding.fact
            worlds = tuple(map(name_of_world, finding.worlds))
            now = verdict, worlds, left[fact]
            if self.shown.get(fact) != now:
                new.append(finding)
            self.shown[fact] = now
        return new

    # what it means

    def covers(self) -> Iterator[str]:
        """What the verdicts say and what they do not."""
        yield ""
        yield from COVERED
        # only what was said is explained
        for lines in meanings(self.report):
            yield from lines
        shares = [share for share in self.report.stages if share.verdicts]
        by = ""
        if shares:
            # not facts: one fact may have another verdict after each query
            counted = ", ".join(f"{share.stage} {share.verdicts:,}" for share in shares)
            by = f"; verdicts by {counted}"
        solvers = ", ".join(self.report.solvers)
        yield f"  ({solvers}{by})"
