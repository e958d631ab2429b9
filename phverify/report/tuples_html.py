"""A release by tuples as a page: the verdict first, then the boxes, cost and bound over
time, and what is released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.generalization.standing import Standing
from phverify.recoding.measures import Measures
from phverify.recoding.result import RecodingResult
from phverify.report.page import (
    Banner,
    Bar,
    BarChart,
    DataTable,
    Drawing,
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    TableColumn,
    Tone,
    share_of,
)
from phverify.report.pictures import boxes_svg
from phverify.report.public_costs import (
    page_bound,
    page_cost,
    page_gap,
    page_history,
    told,
)
from phverify.report.release_blocks import (
    HIDDEN,
    SCALES,
    SPREAD,
    history_chart,
    may_be_withheld,
    promises,
    roughly,
    size_chart,
    spread_chart,
    table_size,
    terms,
    uncovered,
)
from phverify.report.search_space import LEFT_OUT
from phverify.spec.recoding import TupleRecoding
from phverify.spec.sides import BoxSide
from phverify.words import cell, percent, plural

CLASSES = 50
"""So many classes are shown, the largest first."""
BOXES = 300
"""So many boxes are drawn."""


def to_page(result: RecodingResult, public: bool = False) -> Page:
    """The page of a release by tuples; a public one leaves out what the data say."""
    word, tone = _verdict(result)
    blocks = tuple(_covered(result, public))
    sections = [PageSection("What this verdict covers", blocks)]
    subject = "the released table"
    if result.cost is None:
        subject = "the most general release"
    sections += promises(result.checks, public, subject)
    if told(result.objective, public):
        history = page_history(_history(result), result.objective, public)
        timed = tuple(history_chart(history, result.objective))
        sections.append(PageSection("Cost and bound over time", timed))
    if result.shown is not None:
        recoding = result.shown.recoding
        # Boxes and classes quote values.
        hidden = public or result.shown.redact
        sections.append(_release(result, recoding, public))
        sections.append(_boxes(recoding, hidden))
        sections.append(_columns(recoding, hidden))
    return Page(
        title="What is the best release that keeps the privacy promises?",
        subject=_subject(result, public),
        verdict=Banner(word, _sentence(result, public), tone),
        sections=tuple(sections),
        public=public,
    )


def _subject(result: RecodingResult, public: bool) -> str:
    columns = plural(len(result.nodes), "quasi-identifier")
    # as many tuples as records would say that everybody is unique
    if not public:
        columns = f"{plural(result.tuples, 'tuple')} of {columns}"
    records = table_size(result.rows, result.budget > 0, public)
    return f"{records}, {columns}; space tuples, objective {result.objective}"


def _history(result: RecodingResult) -> list[Standing]:
    """Cost and bound on the way, and at the end, after classes were split."""
    history = list(result.history)
    if history and result.cost is not None and result.cost != history[-1].cost:
        seconds = max(result.seconds, history[-1].seconds)
        history.append(Standing(seconds, result.cost, result.bound))
    return history


def _verdict(result: RecodingResult) -> tuple[str, Tone]:
    """The word of the verdict, and its tone."""
    if result.verdict == "infeasible":
        return "INFEASIBLE", "bad"
    if result.verdict == "undecided":
        return "UNDECIDED", "open"
    if result.gap == 0:
        return "OPTIMAL", "good"
    if not result.reached:
        return "PROVED, but the gap was not reached", "open"
    return "PROVED", "good"


def _sentence(result: RecodingResult, public: bool) -> str:
    """The verdict as a lawyer reads it."""
    if result.verdict == "infeasible":
        return (
            "No release by tuples keeps every rule of the policy: even the most general"
            " one breaks a rule."
        )
    if result.cost is None or result.gap is None:
        return (
            "It is not known whether there is a release that keeps every rule: the"
            " search ended before one was found."
        )
    cost = page_cost(result.cost, result.objective, public)
    said = (
        "There is a release that keeps every rule of the policy: its"
        f" {result.objective} is {cost}."
    )
    if result.gap == 0:
        return f"{said} No other release by tuples that keeps every rule has less."
    # Rounded down, so that what is shown is a bound, too.
    bound = page_bound(result.bound, result.objective, public)
    gap = percent(page_gap(result.gap, public))
    said = (
        f"{said} It need not be the best one, but none by tuples has less than"
        f" {bound}: at most {gap} of this one's"
        f" {result.objective} can be saved."
    )
    if not result.reached and result.wanted is not None:
        said += (
            f" The gap of {percent(result.wanted)} that was asked for is not reached."
        )
    return said


def _covered(result: RecodingResult, public: bool) -> Iterator[PageBlock]:
    yield Paragraph(
        "The verdict is about all releases in which records with the same"
        " quasi-identifiers are released alike, each as a box that holds it: a node of"
        f" a hierarchy, a range, or * in every column. {SCALES[result.objective]}"
    )
    if result.disjoint:
        yield Paragraph("No box may hold a tuple of another class.")
    if result.budget:
        yield Paragraph(may_be_withheld(result.budget, result.rows, public))
    yield Facts(tuple(_nodes(result, public)))
    if not public:
        yield Paragraph(f"For the bound: {result.necessary.said()}.")
    if result.reason and not public:
        tone: Tone = "bad" if result.verdict == "infeasible" else "open"
        yield Remark("Why", result.reason, tone)
    yield from terms(result.notes, result.warnings, public)
    yield from uncovered()


def _nodes(result: RecodingResult, public: bool) -> Iterator[tuple[str, str]]:
    """What the cells of each column may become; for everybody not of how many."""
    for name, text in result.nodes.items():
        _, _, how = text.partition(", ")
        yield name, how if public else text


def _release(
    result: RecodingResult, recoding: TupleRecoding, public: bool
) -> PageSection:
    """What is released, in the measures of the field."""
    sizes = recoding.sizes
    pairs = [
        ("Records released", roughly(sum(sizes), public)),
        ("Records withheld", roughly(result.suppressed, public)),
        ("Classes", roughly(result.classes, public)),
        ("Cells that are *", roughly(result.stars, public)),
    ]
    if result.measures is not None:
        pairs += _measured(result.measures, public)
    blocks: list[PageBlock] = []
    if public:
        blocks.append(Paragraph(LEFT_OUT))
    else:
        pairs += _different(recoding)
    shown = (Facts(tuple(pairs)), size_chart(sizes, public))
    return PageSection("What is released", (*shown, *blocks))


def _different(recoding: TupleRecoding) -> Iterator[tuple[str, str]]:
    """How many different values each column has; one more may be one person's."""
    for k, side in enumerate(recoding.space.sides):
        shown = {cells[k] for cells in recoding.shown}
        values = plural(len(side.values), "value")
        yield f"Different values of {side.name}", f"{len(shown):,} shown, of {values}"


def _measured(measures: Measures, public: bool) -> Iterator[tuple[str, str]]:
    yield "Loss", page_cost(measures.loss, "loss", public)
    if measures.precision is not None:
        yield "Precision", page_cost(measures.precision, "precision", public)
    if told("entropy", public):
        yield "Non-uniform entropy", f"{float(measures.entropy):.4f} bits a cell"
    # squares of small classes could be told apart
    if not public:
        mean = float(measures.average_class)
        yield "Records a class", f"{mean:.2f} on average"
        yield "Discernibility", f"{measures.discernibility:,}"


def _boxes(recoding: TupleRecoding, hidden: bool) -> PageSection:
    """How wide the boxes are in each column; the largest classes."""
    if hidden:
        left_out = Paragraph("The classes and their boxes are left out in this form.")
        return PageSection("The boxes", (left_out,))
    sides = recoding.space.sides
    blocks: list[PageBlock] = []
    for k, side in enumerate(sides):
        blocks.append(_widths(recoding, k, side))
    # More columns have no plane to be drawn in.
    if len(sides) == 2:
        blocks.append(_plane(recoding))
    blocks.append(_largest(recoding))
    return PageSection("The boxes", tuple(blocks))


def _widths(recoding: TupleRecoding, k: int, side: BoxSide) -> BarChart:
    """Records by how many values of a column their released cell may be."""
    records: Counter[int] = Counter()
    for numbers, box in zip(recoding.classes, recoding.boxes, strict=True):
        first, last = box[k]
        records[_doubling(last - first + 1)] += recoding.space.records(numbers)
    highest = max(records.values(), default=0)
    bars = []
    for least, count in sorted(records.items()):
        label = (
            "1 value, as it was" if least == 1 else _between(least, len(side.values))
        )
        bars.append(Bar(label, f"{count:,}", share_of(count, highest)))
    caption = f"{side.name}: how many values a released cell may be"
    return BarChart(caption, "values", "records", tuple(bars))


def _doubling(count: int) -> int:
    """The power of two at which the bin of a count begins."""
    return 1 << (count.bit_length() - 1)


def _between(least: int, most: int) -> str:
    last = min(2 * least - 1, most)
    return f"{least:,}" if last == least else f"{least:,} to {last:,}"


def _plane(recoding: TupleRecoding) -> PageBlock:
    """The boxes of two columns, the largest classes where there are many."""
    across, up = recoding.space.sides
    boxes = []
    for place in _by_size(recoding)[:BOXES]:
        (left, right), (low, high) = recoding.boxes[place]
        # Ranks are whole numbers: a box of one value is one wide.
        boxes.append((float(left), float(low), right + 1.0, high + 1.0))
    count = len(recoding.classes)
    said = f"The boxes of {len(boxes)}"
    return Drawing(
        f"Boxes: {across.name} to the right, {up.name} upwards",
        f"{said} of {plural(count, 'class')} in the plane of {across.name} and"
        f" {up.name}; the table below lists the largest.",
        boxes_svg(boxes, (len(across.values), len(up.values))),
    )


def _by_size(recoding: TupleRecoding) -> list[int]:
    """The numbers of the classes, the one with most records first."""
    space = recoding.space
    sizes = [space.records(numbers) for numbers in recoding.classes]
    return sorted(range(len(sizes)), key=lambda place: -sizes[place])


def _largest(recoding: TupleRecoding) -> DataTable:
    """What becomes of the tuples: the classes, with what they show."""
    space = recoding.space
    rows = []
    for place in _by_size(recoding)[:CLASSES]:
        numbers = recoding.classes[place]
        shown = [cell(label) for label in recoding.shown[place]]
        counts = [f"{space.records(numbers):,}", f"{len(numbers):,}"]
        rows.append((*shown, *counts))
    titles = [TableColumn(side.name) for side in space.sides]
    titles.append(TableColumn("records", number=True))
    titles.append(TableColumn("tuples", number=True))
    left = len(recoding.classes) - len(rows)
    more = f"The largest first; {left:,} smaller ones are left out." if left else ""
    caption = "The classes: what their tuples are released as"
    return DataTable(caption, tuple(titles), tuple(rows), more)


def _columns(recoding: TupleRecoding, hidden: bool) -> PageSection:
    """Each column before and after."""
    title = "The columns before and after"
    if hidden:
        return PageSection(title, (Paragraph(HIDDEN),))
    blocks: list[PageBlock] = [Paragraph(SPREAD)]
    for k, side in enumerate(recoding.space.sides):
        blocks.append(spread_chart(side.name, spread(recoding, k)))
    return PageSection(title, tuple(blocks))


def spread(
    recoding: TupleRecoding, k: int
) -> Sequence[tuple[str | None, int, Fraction]]:
    """The values of a column with their records before, and spread evenly after."""
    space = recoding.space
    values = space.sides[k].values
    before = [0] * len(values)
    for codes, count in zip(space.codes, space.counts, strict=True):
        before[codes[k]] += count
    # what begins and ends at a value; sums along the values are what lies there
    steps = [Fraction(0)] * (len(values) + 1)
    for numbers, box in zip(recoding.classes, recoding.boxes, strict=True):
        first, last = box[k]
        # Fractions: sums of what is spread come to whole records again.
        each = Fraction(space.records(numbers), last - first + 1)
        steps[first] += each
        steps[last + 1] -= each
    after = Fraction(0)
    told = []
    for rank, label in enumerate(values):
        after += steps[rank]
        if before[rank] or after:
            told.append((label, before[rank], after))
    return told
