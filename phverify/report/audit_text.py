"""A report of an audit as lines of text: a pure function.  What is disclosed comes
first, then step by step.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import zip_longest
from typing import Any

from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.statements import one_line, shortened
from phverify.disclosure.protected import Fact
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    NOTHING,
    OPEN,
    SAFE,
    UNSUPPORTED,
    VERDICTS,
    AuditReport,
    Distance,
    Finding,
    Reconstruction,
    Remaining,
    Step,
)
from phverify.errors import printable
from phverify.report.audit_json import hidden, unquoted
from phverify.words import plural

SHOWN = 8
"""Up to so many facts of a step are shown one by one."""
FEW = 3
"""How many are shown of more than that."""
ROWS = 20
"""How many rows of a reconstructed table are shown."""
WIDTH = 160
"""A longer statement is cut where it is shown."""
Findings = Sequence[Finding]
Cells = tuple[Remaining, ...]
Left = Mapping[Fact, Cells]
"""What the cells of each fact may be."""
NOT_AUDITED = {
    "unsupported": "not understood",
    "failed": "failed whatever the data",
    "refused": "refused",
}


def to_lines(report: AuditReport, redact: bool = False) -> list[str]:
    """The report as text, verdicts first word of their lines.  ``redact`` leaves out
    all values of sensitive cells.
    """
    text = _Text(report, redact)
    return [
        printable(line)
        for line in (*text.head(), *text.summary(), *text.steps(), *text.covers())
    ]


class _Text:
    """The parts of the text, top to bottom; ``asked`` are the statements by number,
    each with its answer.
    """

    def __init__(self, report: AuditReport, redact: bool) -> None:
        self.report, self.redact = report, redact
        self.reason = unquoted if redact else str
        self.asked = {
            step.number: _cut(step.sql) + ("" if redact else _answered(step))
            for step in report.steps
        }
        self.shown: dict[Fact, tuple[str, tuple[int, ...], Cells]] = {}

    # what is audited

    def head(self) -> Iterator[str]:
        report = self.report
        asked = plural(len(report.steps) - 1, "query")
        if report.cut:
            asked = f"{len(report.steps) - 1} of {plural(report.asked, 'query')}"
        yield (
            f"{report.source}, {report.table}: {plural(report.rows, 'row')}; {asked} of"
            " the log"
        )
        key, *others = report.public
        known = [
            f"{key} (which names each row)",
            *others,
            *(f"the table {name}" for name in report.external),
        ]
        yield f"  the adversary knows: {', '.join(known)}, and the answers below"
        for name, domain in report.domains:
            yield f"  unknown: {name}, one of {domain}"
        yield ""

    # what came out

    def summary(self) -> Iterator[str]:
        report = self.report
        last = report.steps[-1]
        found = grouped((finding.verdict, finding) for finding in last.findings)
        yield from self.disclosures(found.pop(DISCLOSED, []))
        if report.reconstruction:
            yield from self.reconstruction(report.reconstruction)
        if report.cut:
            yield self.cut(last)
        elif not last.findings:
            yield "SAFE: no fact is protected in this table"
        else:
            yield from (
                self.total(verdict, found[verdict])
                for verdict in VERDICTS
                if verdict in found
            )
        for status, said in NOT_AUDITED.items():
            lines = [
                f"query {step.number} (line {step.line})"
                for step in report.steps
                if step.status == status
            ]
            if lines:
                yield f"  not audited, {said}: {', '.join(lines[:SHOWN])}" + (
                    " .." if len(lines) > SHOWN else ""
                )
        if report.cut:
            yield "  the rest of the log was not audited"
        elif report.stopped:
            yield f"  the run was stopped: {report.stopped}"
        elif not report.complete:
            yield "  the rest of the log was not audited (--first)"
        yield ""

    def cut(self, last: Step) -> str:
        """Of a run that was stopped before the last query: what had been decided is not
        so after all of them.
        """
        when = (
            f"after query {last.number} of {self.report.asked:,}"
            if last.number
            else "before the first query"
        )
        counts = Counter(finding.verdict for finding in last.findings)
        then = ", ".join(
            f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS if counts[verdict]
        )
        open_ = plural(len(last.findings) - counts[DISCLOSED], "fact")
        said = (
            f"UNDECIDED: {open_} after the last query; the run was stopped {when}:"
            f" {self.report.stopped}"
        )
        return said + (f" (by then {then})" if then else "")

    def disclosures(self, disclosed: Findings) -> Iterator[str]:
        """One paragraph for all facts that the same queries gave away at the same
        step.
        """
        groups = sorted(
            grouped(((f.since, f.core), f) for f in disclosed).items(),
            key=lambda item: item[0],
        )
        for (since, core), findings in groups[:SHOWN]:
            when = f"by query {since}" if since else "before the first query"
            shown = [self.fact(finding.fact) for finding in findings[:FEW]]
            shown += [f"{len(findings) - FEW:,} more"] if len(findings) > FEW else []
            follow = "follow" if len(findings) > 1 else "follows"
            yield f"DISCLOSED {when}: {_listed(shown)} {follow} from {_origin(core)}"
            yield from self.queries(core)
            yield f"    ({_sure(findings[0])})"
        if more := sum(len(findings) for _, findings in groups[SHOWN:]):
            yield (
                f"DISCLOSED: and {plural(more, 'fact')} more, each told at its query"
                " below"
            )

    def queries(self, core: Sequence[int]) -> Iterator[str]:
        return (f"    {number}: {self.asked[number]}" for number in core)

    def total(self, verdict: str, findings: Findings) -> str:
        said = self.commonest(findings)
        if verdict == SAFE:
            said = "for each there is another world with the same answers"
        elif verdict == UNSUPPORTED:
            said = f"nothing is sure, as {said}"
        return (
            f"{verdict.upper()}: {plural(len(findings), 'fact')} after the last query;"
            f" {said}"
        )

    def reconstruction(self, found: Reconstruction) -> Iterator[str]:
        if found.status == DETERMINED:
            says = "determines" if len(found.core) == 1 else "determine"
            yield (
                f"DISCLOSED as a whole: {_origin(found.core)} {says} all"
                f" {plural(self.report.rows, 'row')}:"
            )
            yield from () if self.redact else _table(found)
            yield from self.queries(found.core)
            yield (
                f"    the only solution, up to which row is whose: {_agreed(found.by)}"
            )
            if found.core and found.minimal:
                yield (
                    "    none of these queries can be left out: without any one of them"
                    " other tables are possible"
                )
        elif found.status == OPEN:
            yield (
                f"SAFE as a whole: other tables of {', '.join(found.columns)} have the"
                " same answers"
            )
            if not self.redact:
                yield f"    there may be {_instead(found)}"
        elif found.status == NOTHING:
            yield (
                "SAFE as a whole: the table has no rows, so that there is nothing to"
                " reconstruct"
            )
        else:
            yield f"{found.status.upper()} as a whole: {self.reason(found.reason)}"

    # step by step

    def steps(self) -> Iterator[str]:
        told: set[Fact] = set()
        for step in self.report.steps:
            found = grouped((finding.verdict, finding) for finding in step.findings)
            disclosed = found.pop(DISCLOSED, [])
            new = [finding for finding in disclosed if finding.fact not in told]
            told.update(finding.fact for finding in new)
            if not step.number and not new:
                continue
            asked = f"query {step.number}, line {step.line}: {self.asked[step.number]}"
            yield asked if step.number else "before the first query"
            if step.status != "answered":
                yield f"  {step.status.upper()} {self.reason(step.reason)}"
            if step.status in ("failed", "silent"):
                continue  # it told nothing, and all is as it was
            for finding in new[:SHOWN]:
                yield (
                    f"  DISCLOSED {self.fact(finding.fact)}: from"
                    f" {_origin(finding.core)}"
                )
            if len(new) > SHOWN:
                yield f"  DISCLOSED and {plural(len(new) - SHOWN, 'more fact')}"
            if before := len(disclosed) - len(new):
                yield f"  disclosed before: {plural(before, 'fact')}"
            for verdict in VERDICTS:
                yield from self.group(step, verdict, found.get(verdict, []))

    def group(self, step: Step, verdict: str, findings: Findings) -> Iterator[str]:
        """The facts of a verdict; those that are as they were are only counted."""
        if not findings:
            return
        cells = {(cell.key, cell.column): cell for cell in step.remaining}
        left: dict[Fact, Cells] = {}
        new = []
        for finding in findings:
            fact = finding.fact
            left[fact] = tuple(cells[place] for place in fact.names if place in cells)
            # a world is one object in all findings that show it: those of a large table
            # take long to compare
            now = verdict, tuple(map(id, finding.worlds)), left[fact]
            if self.shown.get(fact) != now:
                new.append(finding)
            self.shown[fact] = now
        why = self.commonest(findings)
        as_before = "" if new or self.redact else ", all as before"
        yield (
            f"  {verdict.upper()} {plural(len(findings), 'fact')}"
            + (f": {why}" if why else "")
            + as_before
        )
        if not new or self.redact:
            return
        far = {
            finding.fact: far
            for finding, far in zip_longest(step.findings, step.distances)
        }
        several = len(new) > SHOWN
        for finding in (
            heapq.nsmallest(FEW, new, key=lambda one: _width(left[one.fact]))
            if several
            else new
        ):
            yield f"    {_one(finding, left[finding.fact], far[finding.fact])}"
        if several:
            yield f"    and {len(new) - FEW:,} more; in all: {_ranges(new, left)}"
        if len(findings) > len(new):
            yield f"    and {len(findings) - len(new):,} as before"

    # what it means

    def covers(self) -> Iterator[str]:
        verdicts = {
            finding.verdict for step in self.report.steps for finding in step.findings
        }
        yield from (
            "",
            (
                "What this covers: the worlds with the public columns as they are, and"
                " in the unknown cells any values"
            ),
            (
                "  of their domains. Not covered: how likely a value is; what else the"
                " adversary knows; other answers."
            ),
        )
        if DISCLOSED in verdicts:
            yield (
                "  Disclosed is what no world with these answers has otherwise: two"
                " solvers said so, or a combination"
            )
            yield (
                "  of answers that was checked in fractions, or all solutions of their"
                " equations, found in integers."
            )
        if SAFE in verdicts:
            yield (
                "  Safe is what another world has otherwise, in which DuckDB gave every"
                " one of these answers again."
            )
        if UNSUPPORTED in verdicts:
            yield (
                "  A query with an answer that is not audited may say anything: after"
                " it, nothing is called safe."
            )
        found = ", ".join(
            f"{share.stage} {share.verdicts:,}"
            for share in self.report.stages
            if share.verdicts
        )
        yield f"  ({', '.join(self.report.solvers)}" + (
            f"; verdicts by {found})" if found else ")"
        )

    # pieces

    def fact(self, fact: Fact) -> str:
        """A disclosed fact, with the value that became known."""
        if self.redact:
            return hidden(fact)
        formula = fact.protected.kind in ("fact", "formula")
        return fact.text() + ("" if formula else f" = {_cell(fact.value)}")

    def commonest(self, findings: Findings) -> str:
        """The commonest reason of some findings."""
        reasons = Counter(
            self.reason(finding.reason) for finding in findings if finding.reason
        )
        return next((text for text, _ in reasons.most_common(1)), "")


def _answered(step: Step) -> str:
    """The answer of a statement that has one."""
    if step.status != "answered" or not step.number:
        return ""
    rows = [", ".join(map(_cell, row)) for row in step.answer[:FEW]]
    shown = _cut("; ".join(rows)) if rows else "no row"
    return f" -> {shown}{_more(step.answer, 'more row')}"


def _more(several: Sized, what: str, sign: str = ",") -> str:
    """How many there are beside the few that are shown."""
    return (
        f"{sign} and {plural(len(several) - FEW, what)}" if len(several) > FEW else ""
    )


def _origin(core: Sequence[int]) -> str:
    """The queries of a core."""
    if not core:
        return "the declared domains alone"
    return (
        f"query {core[0]}"
        if len(core) == 1
        else f"queries {_listed(list(map(str, core)))}"
    )


def _sure(finding: Finding) -> str:
    """Who says so, and whether fewer queries are enough."""
    least = (
        "none of them can be left out; "
        if len(finding.core) > 1
        else "it is enough by itself; "
    )
    if not finding.minimal:
        least = "fewer may be enough: time ran out; "
    return (least if finding.core else "") + _agreed(finding.by)


def _agreed(by: Sequence[str]) -> str:
    """Who found something out."""
    return f"{' and '.join(by)} agree" if len(by) > 1 else f"found by {''.join(by)}"


def _listed(texts: Sequence[str]) -> str:
    return (
        f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else "".join(texts)
    )


def _cut(sql: str) -> str:
    return shortened(one_line(sql), WIDTH)


def _cell(value: Any) -> str:
    return "missing" if value is None else str(value)


def _table(found: Reconstruction) -> Iterator[str]:
    """The rows that are determined, in aligned columns."""
    shown = [found.columns, *(tuple(map(_cell, row)) for row in found.rows[:ROWS])]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "    " + "  ".join(map(str.ljust, row, widths)).rstrip()
    if len(found.rows) > ROWS:
        yield f"    and {plural(len(found.rows) - ROWS, 'more row')}"


def _instead(found: Reconstruction) -> str:
    """The rows of another table, each beside the one that it replaces."""
    shown = []
    for key, *rows in list(zip(found.keys, found.others, found.rows, strict=True))[
        :FEW
    ]:
        other, row = (f"({', '.join(map(_cell, cells))})" for cells in rows)
        shown.append(f"{other} instead of {row} for {key}")
    return ", ".join(shown) + _more(found.keys, "more row")


def _one(finding: Finding, cells: Cells, far: Distance | None) -> str:
    """A fact, what its cells may be, how far it is from being known, and what they are
    in a second world.
    """
    said = finding.fact.text()
    if cells:
        may = _listed([cell.text() for cell in cells])
        said += f": they may be {may}" if len(cells) > 1 else f": it may be {may}"
    if far is not None and far.value is not None:
        said += f", distance {far.value}"
    return f"{said}; in another world {_changed(finding)}" if finding.worlds else said


def _changed(finding: Finding) -> str:
    """What is otherwise in a second world, the protected cells first."""
    own, world = set(finding.fact.names), finding.worlds[0]
    changes = [change for change in world if (change.key, change.column) in own]
    changes += [
        change
        for change in world[: FEW + len(own)]
        if (change.key, change.column) not in own
    ]
    shown, column = [], ""
    for change in changes[:FEW]:
        where = (
            f"of {change.key} "
            if change.column == column
            else f"{change.column} of {change.key} is "
        )
        shown.append(where + _cell(change.other))
        column = change.column
    more = len(world) - FEW
    return ", ".join(shown) + (
        f", and {more:,} more {'cells differ' if more > 1 else 'cell differs'}"
        * (more > 0)
    )


def _width(cells: Cells) -> float:
    """How little is known of some cells."""
    if not cells:
        return float("inf")
    return sum(
        (len(range(c.low, c.high + 1)) if c.values is None else len(c.values))
        + c.missing
        for c in cells
    )


def _ranges(findings: Iterable[Finding], left: Left) -> str:
    """What the cells may be, counted."""
    cells = {
        (cell.key, cell.column): cell
        for finding in findings
        for cell in left[finding.fact]
    }
    found = Counter(f"{cell.column} {cell.text()}" for cell in cells.values())
    several = [
        f"{text} ({plural(count, 'cell')})" for text, count in found.most_common(FEW)
    ]
    return "; ".join(several) + _more(found, "other range", ";")
