"""How the adversary's knowledge grows, query by query: a timeline, and what is left of
the values of each protected cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from phverify.disclosure.log.statements import shortened
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    VERDICTS,
    AuditReport,
    FactFinding,
    Remaining,
    Step,
)
from phverify.report.audit_phrases import (
    FEW,
    and_more,
    listed,
    origin_of,
    values_left,
)
from phverify.report.audit_story import AuditStory
from phverify.report.page import (
    Bar,
    BarChart,
    DataTable,
    PageBlock,
    PageSection,
    Paragraph,
    TableColumn,
    Timeline,
    TimelineEvent,
    Tone,
    share_of,
)
from phverify.report.risk_text import short
from phverify.words import plural

STEPS = 200
"""So many steps a timeline has; of more, those at which something happened."""
ACROSS = 8
"""So many steps stand beside one another in a table."""
DOWN = 30
"""So many facts stand in a table of what is left."""
WIDE = 60
"""Characters of a cell of that table."""
GUILTY = "GIVES AWAY"
NEEDED = "TAKES PART"
"""Marks of a query that gave something away, and of one from which it follows, too."""
LATE = "KNOWN BY NOW"
"""The mark of a query by which something follows that may have done so before."""

Place = tuple[str, str]
"""Key and column of a cell."""


class KnownRanges:
    """What the cells of some facts may be after each step; ``narrowest`` are the facts
    of which most is known at the end.

    Each step is gone through once, however many facts are asked about.
    """

    def __init__(self, report: AuditReport, others: Sequence[ProtectedFact]) -> None:
        last = report.steps[-1]
        facts = [finding.fact for finding in last.findings]
        self.facts = len(facts)
        index = {(cell.key, cell.column): cell for cell in last.remaining}

        def left_at_last(fact: ProtectedFact) -> int:
            return amount([index[place] for place in fact.names if place in index])

        # The fewer values are left, the nearer the fact is to being known.
        facts.sort(key=left_at_last)
        self.narrowest = facts[:DOWN]
        wanted: set[Place] = set()
        for fact in (*self.narrowest, *others):
            wanted.update(fact.names)
        self.by_step: dict[int, dict[Place, Remaining]] = {}
        for step in report.steps:
            self.by_step[step.number] = _cells(step, wanted)

    def of(self, fact: ProtectedFact, step: Step) -> list[Remaining]:
        """What the cells of a fact may be after a step, where that was worked out."""
        cells = self.by_step[step.number]
        return [cells[place] for place in fact.names if place in cells]


def _cells(step: Step, wanted: set[Place]) -> dict[Place, Remaining]:
    cells = {}
    for cell in step.remaining:
        place = cell.key, cell.column
        if place in wanted:
            cells[place] = cell
    return cells


def amount(cells: Sequence[Remaining]) -> int:
    """How many combinations of values are left, each cell by itself."""
    combinations = 1
    for cell in cells:
        combinations *= values_left(cell)
    return combinations


def knowledge_section(story: AuditStory, ranges: KnownRanges) -> PageSection:
    """The log as a timeline, and how much is left after each query."""
    blocks = [_timeline(story)]
    if not story.redact:
        blocks += _nearest(story)
        blocks += _left(story, ranges)
    return PageSection("The log, query by query", tuple(blocks))


# the timeline


@dataclass(frozen=True)
class GuiltyQueries:
    """The queries that gave something away, those by which something follows that may
    have done so before (``late``), and all from which it follows.
    """

    gave: Set[int]
    late: Set[int]
    needed: Set[int]

    @property
    def all(self) -> Set[int]:
        """Those that have a mark."""
        first = self.gave | self.late
        return first | self.needed


def guilty_queries(report: AuditReport) -> GuiltyQueries:
    """The queries from which something follows."""
    gave: set[int] = set()
    late: set[int] = set()
    needed: set[int] = set()
    for finding in report.steps[-1].findings:
        if finding.verdict == DISCLOSED:
            first = gave if finding.exact else late
            first.add(finding.since)
            needed.update(finding.core)
    whole = report.reconstruction
    if whole is not None and whole.status == DETERMINED:
        needed.update(whole.core)
        # of queries that are not all needed the last one may be one of those
        first = gave if whole.minimal else late
        first.add(max(whole.core, default=0))
    return GuiltyQueries(gave, late, needed)


def mark_of(step: Step, guilty: GuiltyQueries) -> tuple[str, Tone]:
    """The word that marks a step, if there is one."""
    if step.number in guilty.gave:
        return GUILTY, "bad"
    if step.number in guilty.late:
        return LATE, "bad"
    if step.number in guilty.needed:
        return NEEDED, "open"
    if step.status in ("unsupported", "contradicted", "refused"):
        return "NOT AUDITED", "open"
    if step.status == "bounded":
        return "TAKEN FOR MORE", "open"
    return "", "plain"


def marked_steps(steps: Sequence[Step], marked: Set[int]) -> list[Step]:
    """The steps that a timeline has: all, or the marked ones first."""
    if len(steps) <= STEPS:
        return list(steps)
    room = STEPS - len(marked)
    shown: list[Step] = []
    for step in steps:
        if step.number in marked or room > 0:
            # Marked steps have their room already.
            room -= step.number not in marked
            shown.append(step)
    return shown[:STEPS]


def _timeline(story: AuditStory) -> PageBlock:
    steps = story.report.steps
    guilty = guilty_queries(story.report)
    events = []
    shown = marked_steps(steps, guilty.all)
    for step in shown:
        word, tone = mark_of(step, guilty)
        lines = tuple(_told(step, story))
        events.append(TimelineEvent(_title(step, story), lines, word, tone))
    caption = (
        f"Every statement in its order. {GUILTY}: a fact, or the whole table, follows"
        f" from then on; {NEEDED}: it follows later, from this answer and others"
    )
    if guilty.late:
        caption += f"; {LATE}: something follows by then, perhaps from before"
    left = len(steps) - len(shown)
    if left:
        caption += f"; {plural(left, 'other step')} left out"
    return Timeline(caption, tuple(events))


def _title(step: Step, story: AuditStory) -> str:
    if not step.number:
        return "Before the first query"
    return f"Query {step.number}, line {step.line}: {story.asked[step.number]}"


def _told(step: Step, story: AuditStory) -> Iterator[str]:
    """What a step changed, and how the facts stand after it."""
    if step.status != "answered":
        yield f"{step.status}: {story.reason(step.reason)}".removesuffix(": ")
    new = _new_at(step)
    for finding in new[:FEW]:
        yield f"Now known: {story.fact(finding.fact)}, from {origin_of(finding.core)}"
    if len(new) > FEW:
        yield f"Now known{and_more(new, 'more fact')}"
    whole = story.report.reconstruction
    if whole is not None and whole.status == DETERMINED and step.number in whole.core:
        yield f"The whole table follows from {origin_of(whole.core)}"
    later = _needed_later(step, story)
    if later:
        yield later
    if step.findings:
        yield f"Facts after it: {counted_verdicts(step)}"


def counted_verdicts(step: Step) -> str:
    """How many facts have which verdict, the worst first."""
    counts = Counter(finding.verdict for finding in step.findings)
    return listed([f"{counts[one]:,} {one}" for one in VERDICTS if counts[one]])


def _new_at(step: Step) -> list[FactFinding]:
    """What a step disclosed."""
    new = []
    for finding in step.findings:
        if finding.verdict == DISCLOSED and finding.since == step.number:
            new.append(finding)
    return new


def _needed_later(step: Step, story: AuditStory) -> str:
    """With which later queries a step gave facts away."""
    later: set[int] = set()
    for finding in story.report.steps[-1].findings:
        disclosed = finding.verdict == DISCLOSED and step.number in finding.core
        if disclosed and finding.since > step.number:
            later.add(finding.since)
    if not later:
        return ""
    first = sorted(later)[:FEW]
    named = listed([str(number) for number in first])
    return f"A fact follows from it and others after query {named}"


# how much is left


def _nearest(story: AuditStory) -> Iterator[PageBlock]:
    """How far the adversary is from the nearest protected fact."""
    steps = story.report.steps
    guilty = guilty_queries(story.report)
    bars = []
    for step in marked_steps(steps, guilty.all):
        near = step.nearest
        if near is not None:
            # Distance 0: the fact is given away.
            tone: Tone = "plain" if near else "bad"
            bars.append(Bar(_after(step), short(near), float(near), tone))
    if bars:
        yield BarChart(
            "How far what is known is from the nearest protected fact, from 0, where it"
            " is given away, to 1",
            "when",
            "distance",
            tuple(bars),
        )


def _after(step: Step) -> str:
    if not step.number:
        return "before the first query"
    return f"after query {step.number}"


def _shown(cells: Sequence[Remaining]) -> str:
    """How many values are left, and which."""
    if not cells:
        return "not worked out"
    which = shortened(listed(list(map(_values, cells))), WIDE)
    tight = len(cells) == 1 and cells[0].tight
    most = "" if tight else "at most "
    return f"{most}{amount(cells):,}: {which}"


def _values(cell: Remaining) -> str:
    """The values that are left; "at most" stands before what is not tight."""
    if cell.values is None and cell.low == cell.high and not cell.missing:
        return str(cell.low)
    # "at most" stands before the number of values already.
    return replace(cell, tight=True).text()


def known_bars(
    fact: ProtectedFact, story: AuditStory, ranges: KnownRanges
) -> Iterator[PageBlock]:
    """How many values are left for the cells of a fact, step by step."""
    steps = _changing(story, [fact], ranges)
    first = amount(ranges.of(fact, steps[0]))
    bars = []
    for step in steps:
        cells = ranges.of(fact, step)
        if cells and first:
            length = share_of(float(Fraction(amount(cells), first)), 1.0)
            bars.append(Bar(_after(step), _shown(cells), length))
    if len(bars) > 1:
        caption = f"What is left for {fact.text()}"
        yield BarChart(caption, "when", "values that are possible", tuple(bars))


def _changing(
    story: AuditStory, facts: Sequence[ProtectedFact], ranges: KnownRanges
) -> list[Step]:
    """The first step, and the last ones after which less was left of some facts."""
    changing: list[Step] = []
    before: list[list[Remaining]] = []
    for step in story.report.steps:
        now = [ranges.of(fact, step) for fact in facts]
        # Knowledge only grows: where nothing changed, the query told nothing of these
        # facts.
        if now != before or not changing:
            changing.append(step)
        before = now
    if len(changing) <= ACROSS:
        return changing
    # What was left at first, and how it ended.
    return [changing[0], *changing[1 - ACROSS :]]


def _left(story: AuditStory, ranges: KnownRanges) -> Iterator[PageBlock]:
    """A table: facts below one another, steps beside one another."""
    steps = _changing(story, ranges.narrowest, ranges)
    rows = []
    for fact in ranges.narrowest:
        cells = [_shown(ranges.of(fact, step)) for step in steps]
        rows.append((story.fact(fact, known=False), *cells))
    if not rows or not any(step.remaining for step in steps):
        return
    columns = [TableColumn("fact")]
    columns += [TableColumn(_after(step)) for step in steps]
    more = ""
    left = ranges.facts - len(rows)
    if left:
        more = f"and {plural(left, 'more fact')}, of which less is known"
    yield Paragraph(
        "Knowledge grows as possible values go: where one is left, it is known."
        " Steps after which nothing was otherwise are left out."
    )
    caption = "How many values are left for each protected fact"
    yield DataTable(caption, tuple(columns), tuple(rows), more)
