"""A report of an audit as lines of text: a pure function.  What is disclosed comes first, then step by step."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
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
    UNDECIDED,
    UNSUPPORTED,
    VERDICTS,
    AuditReport,
    Change,
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
WIDTH = 160
"""A longer statement is cut where it is shown."""
Left = Mapping[tuple[str, str], Remaining]
"""What cells may be, by key and column."""


def to_lines(report: AuditReport, redact: bool = False) -> list[str]:
    """The report as text, verdicts first word of their lines.  ``redact`` leaves out all values of sensitive cells."""
    text = _Text(report, redact)
    return [printable(line) for line in (*text.head(), *text.summary(), "", *text.steps(), *text.covers())]


class _Text:
    """The parts of the text, top to bottom."""

    def __init__(self, report: AuditReport, redact: bool) -> None:
        self.report, self.redact = report, redact
        self.by_number = {step.number: step for step in report.steps}
        self.shown: dict[Fact, tuple[str, tuple[int, ...], tuple[Remaining, ...]]] = {}

    # what is audited

    def head(self) -> Iterator[str]:
        report = self.report
        asked = plural(len(report.steps) - 1, "query")
        asked = f"{len(report.steps) - 1} of {plural(report.asked, 'query')}" if report.cut else asked
        yield f"{report.source}, {report.table}: {plural(report.rows, 'row')}; {asked} of the log"
        key, *others = report.public
        known = f"{key} (which names each row)" + "".join(f", {name}" for name in others)
        known += "".join(f", the table {name}" for name in report.external)
        yield f"  the adversary knows: {known}, and the answers below"
        for name, domain in report.domains:
            yield f"  unknown: {name}, one of {domain}"
        yield ""

    # what came out

    def summary(self) -> Iterator[str]:
        last = self.report.steps[-1]
        yield from self.disclosures(last)
        if self.report.reconstruction:
            yield from self.reconstruction(self.report.reconstruction)
        if self.report.cut:
            yield self.cut(last)
        else:
            for verdict in VERDICTS[1:]:
                yield from self.total(verdict, [f for f in last.findings if f.verdict == verdict])
            if not last.findings:
                yield "SAFE: no fact is protected in this table"
        yield from self.notes()

    def cut(self, last: Step) -> str:
        """Of a run that was stopped before the last query: what had been decided is not so after all of them."""
        when = f"after query {last.number} of {self.report.asked:,}" if last.number else "before the first query"
        counts = Counter(finding.verdict for finding in last.findings)
        then = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS if counts[verdict])
        open_ = plural(len(last.findings) - counts[DISCLOSED], "fact")
        said = f"UNDECIDED: {open_} after the last query; the run was stopped {when}: {self.report.stopped}"
        return said + (f" (by then {then})" if then else "")

    def disclosures(self, last: Step) -> Iterator[str]:
        """One paragraph for all facts that the same queries gave away at the same step."""
        groups = grouped(((f.since, f.core), f) for f in last.findings if f.verdict == DISCLOSED)
        for (since, core), findings in sorted(groups.items(), key=lambda item: item[0])[:SHOWN]:
            yield self.disclosed(since, core, findings)
            yield from self.queries(core)
            yield f"    {_sure(findings[0])}"
        if len(groups) > SHOWN:
            facts = sum(len(found) for found in list(groups.values())[SHOWN:])
            yield f"DISCLOSED: and {plural(facts, 'fact')} more, each told at its query below"

    def disclosed(self, since: int, core: Sequence[int], findings: Sequence[Finding]) -> str:
        by = f"by query {since}" if since else "before the first query"
        shown = [self.fact(finding.fact) for finding in findings[:FEW]]
        shown += [f"{len(findings) - FEW:,} more"] if len(findings) > FEW else []
        return f"DISCLOSED {by}: {_listed(shown)} {'follow' if len(findings) > 1 else 'follows'} from {_origin(core)}"

    def queries(self, numbers: Iterable[int]) -> Iterator[str]:
        for number in numbers:
            step = self.by_number[number]
            yield f"    {number}: {_cut(step.sql)}{self.answered(step)}"

    def answered(self, step: Step) -> str:
        if self.redact or step.status != "answered" or not step.number:
            return ""
        rows = [", ".join(map(_cell, row)) for row in step.answer[:FEW]]
        if len(step.answer) == 1:
            return f" -> {_cut(rows[0])}"
        return f" -> {_cut('; '.join(rows)) or 'no row'}{_more(step.answer, 'more row')}"

    def total(self, verdict: str, findings: Sequence[Finding]) -> Iterator[str]:
        if not findings:
            return
        said = {
            SAFE: "for each there is another world with the same answers",
            UNDECIDED: _commonest(self.reason(f.reason) for f in findings),
            UNSUPPORTED: f"nothing is sure, as {_commonest(self.reason(f.reason) for f in findings)}",
        }[verdict]
        yield f"{verdict.upper()}: {plural(len(findings), 'fact')} after the last query; {said}"

    def notes(self) -> Iterator[str]:
        """What was not audited."""
        kinds = {"unsupported": "not understood", "failed": "failed whatever the data", "refused": "refused"}
        for status, said in kinds.items():
            lines = [f"query {s.number} (line {s.line})" for s in self.report.steps if s.status == status]
            if lines:
                yield f"  not audited, {said}: {', '.join(lines[:SHOWN])}" + (" .." if len(lines) > SHOWN else "")
        if self.report.cut:
            yield "  the rest of the log was not audited"
        elif self.report.stopped:
            yield f"  the run was stopped: {self.report.stopped}"
        elif not self.report.complete:
            yield "  the rest of the log was not audited (--first)"

    def reconstruction(self, found: Reconstruction) -> Iterator[str]:
        columns = ", ".join(found.columns)
        if found.status == DETERMINED:
            says = "determines" if len(found.core) == 1 else "determine"
            yield f"DISCLOSED as a whole: {_origin(found.core)} {says} all {plural(self.report.rows, 'row')}:"
            yield from self.table(found)
            yield from self.queries(found.core)
            yield f"    the only solution, up to which row is whose: {_agreed(found.by)}"
            if found.core and found.minimal:
                yield "    none of these queries can be left out: without any one of them other tables are possible"
        elif found.status == OPEN:
            yield f"SAFE as a whole: other tables of {columns} have the same answers"
            if not self.redact:
                yield f"    there may be {_instead(found)}"
        elif found.status == NOTHING:
            yield "SAFE as a whole: the table has no rows, so that there is nothing to reconstruct"
        else:
            yield f"{found.status.upper()} as a whole: {self.reason(found.reason)}"

    def table(self, found: Reconstruction) -> Iterator[str]:
        if self.redact:
            return
        shown = [found.columns, *(tuple(map(_cell, row)) for row in found.rows[:20])]
        widths = [max(len(row[k]) for row in shown) for k in range(len(found.columns))]
        for row in shown:
            yield "    " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        if len(found.rows) > 20:
            yield f"    and {plural(len(found.rows) - 20, 'more row')}"

    # step by step

    def steps(self) -> Iterator[str]:
        told: set[Fact] = set()
        for step in self.report.steps:
            new = [f for f in step.findings if f.verdict == DISCLOSED and f.fact not in told]
            told.update(f.fact for f in new)
            if step.number or new:
                yield from self.step(step, new)

    def step(self, step: Step, new: Sequence[Finding]) -> Iterator[str]:
        if step.number:
            yield f"query {step.number}, line {step.line}: {_cut(step.sql)}{self.answered(step)}"
        else:
            yield "before the first query"
        if step.status != "answered":
            yield f"  {step.status.upper()} {self.reason(step.reason)}"
            if step.status in ("failed", "silent"):
                return  # it told nothing, and all is as it was
        for finding in new[:SHOWN]:
            yield f"  DISCLOSED {self.fact(finding.fact)}: from {_origin(finding.core)}"
        if len(new) > SHOWN:
            yield f"  DISCLOSED and {plural(len(new) - SHOWN, 'more fact')}"
        before = sum(f.verdict == DISCLOSED for f in step.findings) - len(new)
        if before:
            yield f"  disclosed before: {plural(before, 'fact')}"
        for verdict in VERDICTS[1:]:
            yield from self.group(verdict, [f for f in step.findings if f.verdict == verdict], step)

    def group(self, verdict: str, findings: Sequence[Finding], step: Step) -> Iterator[str]:
        """The facts of a verdict; those that are as they were are only counted."""
        if not findings:
            return
        left = {(r.key, r.column): r for r in step.remaining}
        reasons = [self.reason(f.reason) for f in findings if f.reason]
        said = f"  {verdict.upper()} {plural(len(findings), 'fact')}" + (f": {_commonest(reasons)}" if reasons else "")
        # a world is one object in all findings that show it: those of a large table take long to compare
        now = {f.fact: (verdict, tuple(map(id, f.worlds)), _cells(f, left)) for f in findings}
        new = [f for f in findings if self.shown.get(f.fact) != now[f.fact]]
        self.shown |= now
        yield said + ("" if new or self.redact else ", all as before")
        if new and not self.redact:
            yield from self.details(new, step, left, len(findings) - len(new))

    def details(self, new: Sequence[Finding], step: Step, left: Left, before: int) -> Iterator[str]:
        several = len(new) > SHOWN
        far = {finding.fact: distance for finding, distance in zip(step.findings, step.distances, strict=False)}
        for finding in _narrowest(new, left) if several else new:
            yield f"    {self.one(finding, left, far.get(finding.fact))}"
        if several:
            yield f"    and {len(new) - FEW:,} more; in all: {_ranges(new, left)}"
        if before:
            yield f"    and {before:,} as before"

    def one(self, finding: Finding, left: Left, far: Distance | None) -> str:
        """A fact, what its cells may be, how far it is from being known, and what they are in a second world."""
        may = [cell.text() for cell in _cells(finding, left)]
        said = f": it may be {may[0]}" if len(may) == 1 else f": they may be {_listed(may)}" if may else ""
        said += f", distance {far.value}" if far is not None and far.value is not None else ""
        world = f"; in another world {_changed(finding.fact, finding.worlds[0])}" if finding.worlds else ""
        return f"{finding.fact.text()}{said}{world}"

    # what it means

    def covers(self) -> Iterator[str]:
        verdicts = {f.verdict for step in self.report.steps for f in step.findings}
        yield ""
        yield "What this covers: the worlds with the public columns as they are, and in the unknown cells any values"
        yield "  of their domains. Not covered: how likely a value is; what else the adversary knows; other answers."
        if DISCLOSED in verdicts:
            yield "  Disclosed is what no world with these answers has otherwise: two solvers said so, or a combination"
            yield "  of answers that was checked in fractions, or all solutions of their equations, found in integers."
        if SAFE in verdicts:
            yield "  Safe is what another world has otherwise, in which DuckDB gave every one of these answers again."
        if UNSUPPORTED in verdicts:
            yield "  A query with an answer that is not audited may say anything: after it, nothing is called safe."
        found = ", ".join(f"{share.stage} {share.verdicts:,}" for share in self.report.stages if share.verdicts)
        yield f"  ({', '.join(self.report.solvers)}" + (f"; verdicts by {found})" if found else ")")

    # pieces

    def fact(self, fact: Fact) -> str:
        """A disclosed fact, with the value that became known."""
        if self.redact:
            return hidden(fact)
        formula = fact.protected.kind in ("fact", "formula")
        return fact.text() + ("" if formula else f" = {_cell(fact.truth[0])}")

    def reason(self, text: str) -> str:
        return unquoted(text) if self.redact else text


def _more(several: Sized, what: str, sign: str = ",") -> str:
    """How many there are beside the few that are shown."""
    return f"{sign} and {plural(len(several) - FEW, what)}" if len(several) > FEW else ""


def _origin(core: Sequence[int]) -> str:
    """The queries of a core."""
    if not core:
        return "the declared domains alone"
    return f"query {core[0]}" if len(core) == 1 else f"queries {_listed([str(number) for number in core])}"


def _sure(finding: Finding) -> str:
    """Who says so, and whether fewer queries are enough."""
    if not finding.core:
        return f"({_agreed(finding.by)})"
    least = "none of them can be left out" if len(finding.core) > 1 else "it is enough by itself"
    return f"({least if finding.minimal else 'fewer may be enough: time ran out'}; {_agreed(finding.by)})"


def _agreed(by: Sequence[str]) -> str:
    """Who found something out."""
    return f"{' and '.join(by)} agree" if len(by) > 1 else f"found by {''.join(by)}"


def _listed(texts: Sequence[str]) -> str:
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else "".join(texts)


def _commonest(texts: Iterable[str]) -> str:
    return next((text for text, _ in Counter(texts).most_common(1)), "")


def _cut(sql: str) -> str:
    return shortened(one_line(sql), WIDTH)


def _cell(value: Any) -> str:
    return "missing" if value is None else str(value)


def _instead(found: Reconstruction) -> str:
    """The rows of another table, each beside the one that it replaces."""
    pairs = list(zip(found.keys, found.others, found.rows, strict=True))
    shown = [f"{_row(other)} instead of {_row(row)} for {key}" for key, other, row in pairs[:FEW]]
    return ", ".join(shown) + _more(pairs, "more row")


def _row(cells: Sequence[Any]) -> str:
    return f"({', '.join(map(_cell, cells))})"


def _cells(finding: Finding, left: Left) -> tuple[Remaining, ...]:
    """What is left of the cells of a fact."""
    return tuple(left[place] for place in finding.fact.names if place in left)


def _changed(fact: Fact, world: Sequence[Change]) -> str:
    """What is otherwise in a second world, the protected cells first."""
    own = set(fact.names)
    changes = [c for c in world if (c.key, c.column) in own]
    changes += [c for c in world[: FEW + len(own)] if (c.key, c.column) not in own]
    shown, column = [], ""
    for change in changes[:FEW]:
        again = change.column == column
        shown.append(
            f"{'' if again else f'{change.column} '}of {change.key} {'' if again else 'is '}{_cell(change.other)}"
        )
        column = change.column
    more = len(world) - FEW
    return ", ".join(shown) + (f", and {more:,} more {'cells differ' if more > 1 else 'cell differs'}" * (more > 0))


def _narrowest(findings: Sequence[Finding], left: Left) -> list[Finding]:
    """Some of whose cells the most is known."""

    def width(finding: Finding) -> float:
        cells = _cells(finding, left)
        return sum(_width(cell) for cell in cells) if cells else float("inf")

    return heapq.nsmallest(FEW, findings, key=width)


def _width(cell: Remaining) -> int:
    return (cell.high - cell.low + 1 if cell.values is None else len(cell.values)) + cell.missing


def _ranges(findings: Sequence[Finding], left: Left) -> str:
    """What the cells may be, counted."""
    cells = {(cell.key, cell.column): cell for finding in findings for cell in _cells(finding, left)}
    alike = {(cell.column, cell.what): cell for cell in cells.values()}
    counts = Counter((cell.column, cell.what) for cell in cells.values())
    found: Counter[str] = Counter()
    for place, cell in alike.items():
        found[f"{cell.column} {cell.text()}"] += counts[place]
    several = [f"{text} ({plural(count, 'cell')})" for text, count in found.most_common(FEW)]
    return "; ".join(several) + _more(found, "other range", ";")
