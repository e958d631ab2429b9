"""The classes of a release on a page: their sizes, the worst of them, and how strict
criteria could be.

What stands on a public page is made of sums that hide small classes: sizes below
``SMALL`` are one bin, numbers of classes are rounded down to multiples of it, and
thresholds are rounded to the side on which they are weaker.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.errors import InputError
from phverify.logic.criterion_words import criterion_words
from phverify.measurement.result import (
    ClassView,
    ColumnCounts,
    MeasuredCriterion,
    Portrait,
    SizeBin,
)
from phverify.measurement.threshold import Threshold
from phverify.report.measure_text import forced_by
from phverify.report.page import (
    Bar,
    BarChart,
    BarPair,
    DataTable,
    PageBlock,
    PageSection,
    PairedBars,
    Paragraph,
    TableColumn,
    share_of,
)
from phverify.report.thresholds import log2_enclosure, measured_text, threshold_text
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import params
from phverify.spec.parser import parse
from phverify.words import cell, plural

SMALL = 5
"""Fewer rows than that, and a class is small; fewer classes, and they are few."""
OPTIONS = ("distance", "reference", "absent")
"""Parameters that are words of the language, and no values."""
EDGES = (1, SMALL, 10, 20, 50, 100)
"""Where the bins of a public page begin."""
STEP = Fraction(1, 20)
"""Thresholds of public pages are multiples of this."""
ABOVE = Fraction(1)
"""Above this a public page says no more."""


def sizes_chart(bins: Sequence[SizeBin]) -> BarChart:
    """The histogram of class sizes."""
    most = max((one.classes for one in bins), default=0)
    bars = []
    for one in bins:
        number = f"{one.classes:,} ({one.rows:,} rows)"
        bars.append(Bar(_range(one), number, share_of(one.classes, most)))
    return BarChart(
        "Classes by their size",
        "rows in a class",
        "classes (rows in them)",
        tuple(bars),
    )


def _range(one: SizeBin) -> str:
    if one.least == one.most:
        return f"{one.least:,}"
    return f"{one.least:,} to {one.most:,}"


def public_sizes(bins: Sequence[SizeBin]) -> BarChart:
    """The same in few bins, with numbers that no small number follows from."""
    totals = dict.fromkeys(EDGES, 0)
    for one in bins:
        # Bins of the portrait end where these begin: none lies in two.
        edge = max(edge for edge in EDGES if edge <= one.least)
        totals[edge] += one.classes
    # Rounded down: a number below five would tell of few people.
    rounded = {edge: count - count % SMALL for edge, count in totals.items()}
    most = max(rounded.values())
    bars = []
    ends = [*EDGES[1:], None]
    for edge, following in zip(EDGES, ends, strict=True):
        label = f"{edge} to {following - 1}" if following else f"{edge} or more"
        count = rounded[edge]
        number = f"{count:,} or more" if count else f"fewer than {SMALL}"
        bars.append(Bar(label, number, share_of(count, most)))
    caption = "Classes by their size, roughly"
    return BarChart(caption, "rows in a class", "classes", tuple(bars))


def classes_section(portrait: Portrait, suppressed: tuple[str, ...]) -> PageSection:
    """How large classes are, and the worst of them."""
    views = [
        _view(view, number, suppressed)
        for number, view in enumerate(portrait.worst, start=1)
    ]
    return PageSection("The classes", (sizes_chart(portrait.sizes),), tuple(views))


def public_classes(portrait: Portrait) -> PageSection:
    """How large classes are, roughly."""
    words = Paragraph(
        f"Numbers of classes are rounded down to multiples of {SMALL}, so that none is"
        " told that is small."
    )
    return PageSection("The classes", (public_sizes(portrait.sizes), words))


def _view(view: ClassView, number: int, suppressed: tuple[str, ...]) -> PageSection:
    where = forced_by(view.cls, suppressed)
    blocks: list[PageBlock] = [Paragraph(f"{where}: {view.why}.")]
    blocks += [_distribution(counts, view.cls.rows) for counts in view.columns]
    return PageSection(f"Class {number}", tuple(blocks))


def _distribution(counts: ColumnCounts, rows: int) -> PairedBars:
    """A confidential column in a class beside the whole table."""
    pairs = []
    whole = counts.rows
    for one in counts.values:
        inside, outside = share_of(one.inside, rows), share_of(one.whole, whole)
        pairs.append(
            BarPair(
                cell(one.value),
                f"{one.inside:,} ({inside:.1%})",
                inside,
                f"{one.whole:,} ({outside:.1%})",
                outside,
            )
        )
    more = ""
    if counts.others:
        more = f"{plural(counts.others, 'value')} more, less frequent in the class"
    caption = f"{counts.column} in this class and in the whole table"
    titles = ("value", "this class", "whole table")
    return PairedBars(caption, *titles, tuple(pairs), more)


# Thresholds


def measured_table(
    measured: Sequence[MeasuredCriterion], suppressed: tuple[str, ...]
) -> DataTable:
    """How strict each criterion could be, and the class that forces it."""
    columns = (
        TableColumn("criterion"),
        TableColumn("strictest that holds"),
        TableColumn("forced by the class"),
    )
    rows = []
    for one in measured:
        forced = forced_by(one.cls, suppressed) if one.cls else ""
        rows.append((one.criterion, measured_text(one), forced))
    return DataTable("How strict the criteria could be", columns, tuple(rows))


def public_measured(measured: Sequence[MeasuredCriterion]) -> DataTable:
    """The same without classes, rounded to the side on which it is weaker."""
    columns = (TableColumn("criterion"), TableColumn("column"), TableColumn("holds"))
    rows = []
    for one in measured:
        column = one.column or "all"
        rows.append((one.name, column, public_threshold(one.threshold)))
    # Two nodes of one hierarchy are not told apart here.
    each_once = tuple(dict.fromkeys(rows))
    return DataTable("How strict the criteria could be, roughly", columns, each_once)


def worded_criteria(
    measured: Sequence[MeasuredCriterion], public: bool
) -> Iterator[PageBlock]:
    """What each criterion promises, in words, its number by its name."""
    rows: dict[tuple[str, str], None] = {}
    for one in measured:
        words = _public_words(one) if public else _words(one)
        if words:
            rows[one.name if public else one.criterion, words] = None
    if rows:
        columns = (TableColumn("criterion"), TableColumn("what it promises"))
        yield DataTable("The criteria in words", columns, tuple(rows))


def _words(one: MeasuredCriterion) -> str:
    """The promise of a criterion; "" where a value of it is hidden."""
    node = _parsed(one)
    if node is None:
        return ""
    return criterion_words(node.name, node.args, dict(node.named))


def _public_words(one: MeasuredCriterion) -> str:
    """The same with no value of the policy."""
    node = _parsed(one)
    if node is None:
        return ""
    given = {param.name: param.name for param in params(one.name)}
    named = {name: text for name, text in given.items() if name not in OPTIONS}
    named |= {name: text for name, text in node.named if name in OPTIONS}
    if one.column:
        named["f"] = one.column
    return criterion_words(one.name, (), named, hidden=True)


def _parsed(one: MeasuredCriterion) -> s.Criterion | None:
    """The criterion as a formula; None where its text hides something."""
    try:
        node = parse(one.criterion)
    except InputError:
        return None
    assert isinstance(node, s.Criterion)
    return node


def public_threshold(threshold: Threshold | None) -> str:
    """A threshold at which the criterion holds, which says nothing of small classes."""
    if threshold is None:
        return "not measured"
    name = threshold.parameter
    if threshold.value is None:
        return f"with no {name}"
    if threshold.most:
        # Rounded to the weaker side: the criterion holds there, too.
        whole = math.floor(threshold.value)
        return f"{name} below {SMALL}" if whole < SMALL else f"{name} = {whole}"
    value = threshold.value
    if threshold.logarithm:
        # The upper end: the criterion holds for it, and for the exact number.
        value = Fraction(log2_enclosure(value)[1])
    if threshold.high is not None:
        value = threshold.high
    steps = math.ceil(value / STEP)
    # It holds above the value alone, so that the next multiple is the first one.
    if not threshold.attained and steps * STEP == value:
        steps += 1
    weaker = steps * STEP
    if weaker > ABOVE:
        return f"{name} above {ABOVE}"
    return f"{name} = {weaker}"


def asked_table(
    measured: Sequence[MeasuredCriterion], rule: str
) -> Iterator[PageBlock]:
    """How close the criteria of a rule are to what it asks."""
    columns = (
        TableColumn("criterion"),
        TableColumn("asked"),
        TableColumn("strictest that holds"),
        TableColumn("satisfied by all classes"),
    )
    rows = []
    for one in measured:
        for asked in one.asked:
            if asked.rule == rule and one.threshold is not None:
                wanted = asked.wanted(one.threshold.parameter)
                kept = "yes" if asked.kept else "no"
                found = threshold_text(one.threshold, one.asked)
                rows.append((one.criterion, wanted, found, kept))
    if rows:
        yield DataTable("How close it is", columns, tuple(rows))
