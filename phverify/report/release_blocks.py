"""What pages of searches share, whatever the space: terms, promises, time, sizes,
columns before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.generalization.standing import Standing
from phverify.measurement.result import SizeBin
from phverify.microdata.table import Label
from phverify.report.page import (
    BarPair,
    ChartCurve,
    CurveChart,
    CurvePoint,
    DataTable,
    PageBlock,
    PageSection,
    PairedBars,
    Paragraph,
    Points,
    Remark,
    TableColumn,
    share_of,
)
from phverify.report.portraits import SMALL, public_sizes, sizes_chart
from phverify.report.stated_secrets import assumption_texts, secret_blocks
from phverify.report.verify_text import MARKS
from phverify.rounded import below, in_places
from phverify.spec.source import rational
from phverify.verification.result import Report
from phverify.words import cell, plural

STEPS = 60
"""So many points of a curve are shown."""
BINS = 24
"""So many different class sizes are shown one by one."""
VALUES = 40
"""So many values of a column are shown."""
LONGEST = 2000
"""Characters of a promise that a page has."""
SCALES = {
    "loss": "Loss is the share of the other values that a released value may stand for:"
    " 0 is the table unchanged, 1 everything suppressed.",
    "precision": "Precision counts steps up the hierarchies as a share of all steps: 0"
    " is the table unchanged, 1 everything at the top.",
    "height": "Height is the number of steps up the hierarchies, all columns together.",
    "discernibility": "Discernibility adds up the squares of class sizes, a withheld"
    " record counting as the whole table: the less, the smaller the classes.",
    "entropy": "Entropy counts the bits a cell that a reader of the release would have"
    " to guess: 0 is the table unchanged.",
    "class-size": "Class size counts the records of the table for each class.",
    "ambiguity": "Ambiguity counts the original tuples that a released record may stand"
    " for, on average over the records: 1 is the table unchanged.",
}
"""What is least, in words."""
UNCOVERED = (
    "what other rules would promise: only the rules of the policy were examined",
    "other ways to change a table: noise, swapping, other hierarchies, other columns",
    "whether what is counted as loss is what the users of the release lose",
    "knowledge of an attacker that the policy does not assume, and other releases of"
    " the same or of overlapping data together with this one",
)
"""What no search speaks of."""


def cost_text(value: Fraction | None) -> str:
    """A cost, rounded to the nearest where it is no whole number."""
    if value is None:
        return "none known"
    if value.denominator == 1:
        return f"{value.numerator:,}"
    return in_places(value)


def bound_text(value: Fraction | None) -> str:
    """A lower bound; rounded down it is one, too."""
    if value is None:
        return "none known"
    if value.denominator == 1:
        return f"{value.numerator:,}"
    return below(value)


def terms(
    notes: Sequence[str], warnings: Sequence[str], public: bool
) -> Iterator[PageBlock]:
    """On what terms it was searched; they may quote values."""
    for label, texts in (("Note", notes), ("Warning", warnings)):
        if public and texts:
            # That there are notes may be said, and what they say may quote values.
            left_out = f"{len(texts)} left out in the public form"
            yield Remark(label, left_out, "open")
            continue
        for text in texts:
            yield Remark(label, text, "open" if label == "Warning" else "plain")


def uncovered() -> Iterator[PageBlock]:
    """What the verdict does not speak of."""
    yield Paragraph("The verdict says nothing about:")
    yield Points(UNCOVERED)


def promises(checks: Report | None, public: bool, subject: str) -> list[PageSection]:
    """Each rule in words, and what ``verify`` says of it for the ``subject``."""
    if checks is None:
        return []
    rows = []
    for number, rule in enumerate(checks.rules, start=1):
        # A promise may name individuals and values.
        said = rule.public_promise if public else rule.promise
        if len(said) > LONGEST:
            said = f"{said[:LONGEST]} .."
        name = f"Rule {number}" if public else rule.name
        rows.append((name, MARKS[rule.verdict], said))
    columns = (TableColumn("rule"), TableColumn("verdict"), TableColumn("promise"))
    blocks: tuple[PageBlock, ...] = (
        Paragraph(
            f"Every rule was decided anew for {subject}, by the definition of the rule"
            " and not by the search."
        ),
        DataTable("Rules and verdicts", columns, tuple(rows)),
        *secret_blocks(checks.secrets, public),
        *_assumed(checks, public),
    )
    return [PageSection("What is promised", blocks)]


def _assumed(checks: Report, public: bool) -> Iterator[PageBlock]:
    """On what the verdicts rest beside the table."""
    if not checks.assumptions:
        return
    yield Paragraph("The verdicts hold as long as these assumptions are true:")
    if public:
        left_out = f"{len(checks.assumptions)} left out in the public form"
        yield Remark("Assumptions", left_out, "open")
    else:
        yield Points(assumption_texts(checks))


def history_chart(history: Sequence[Standing], objective: str) -> Iterator[PageBlock]:
    """Cost and bound over time, in steps."""
    if not history:
        yield Paragraph("How cost and bound went was not kept for this search.")
        return
    last = history[-1].seconds
    costs = [(one.seconds, one.cost) for one in history if one.cost is not None]
    bounds = [(one.seconds, one.bound) for one in history]
    # One scale for both curves: they are compared.
    highest = max([value for _, value in (*costs, *bounds)])
    drawn = []
    named = (("best release so far", costs), ("none is below", bounds))
    for name, points in named:
        is_bound = name == "none is below"
        curve = _curve(name, points, last, highest, is_bound, history[-1].cost)
        if curve.points:
            drawn.append(curve)
    more = ""
    if max(len(costs), len(bounds)) > STEPS:
        more = f"Of {len(history):,} steps at most {STEPS} a curve are shown."
    final = history[-1]
    yield CurveChart(
        caption=f"{objective.capitalize()} over time",
        alternative=(
            f"Within {_time(last)} seconds the best release came to"
            f" {cost_text(final.cost)}, and the bound below which none is to"
            f" {_bound_beside(final.bound, final.cost)}."
        ),
        x="seconds",
        y=objective,
        scale=(0.0, last, 0.0, float(highest)),
        curves=tuple(drawn),
        more=more,
    )


def _bound_beside(bound: Fraction, cost: Fraction | None) -> str:
    """A bound; where it is the cost it is written as that."""
    return cost_text(cost) if bound == cost else bound_text(bound)


def _curve(
    name: str,
    points: Sequence[tuple[float, Fraction]],
    last: float,
    highest: Fraction,
    is_bound: bool,
    final: Fraction | None,
) -> ChartCurve:
    shown = []
    changed = last
    for seconds, value in _thinned(points):
        changed = seconds
        text = _bound_beside(value, final) if is_bound else cost_text(value)
        right = share_of(seconds, last)
        up = share_of(float(value), float(highest))
        shown.append(CurvePoint(right, up, _time(seconds), text))
    if shown and changed != last:
        # it stays as it was to the end
        end = shown[-1]
        shown.append(CurvePoint(1.0, end.up, _time(last), end.y))
    return ChartCurve(name, tuple(shown))


def _time(seconds: float) -> str:
    """Seconds; of short searches the milliseconds."""
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"


def _thinned(
    points: Sequence[tuple[float, Fraction]],
) -> list[tuple[float, Fraction]]:
    """Points where the value changes; of many some, the last among them."""
    changes: list[tuple[float, Fraction]] = []
    for seconds, value in points:
        # Steps begin where the value changes; points between draw the same line.
        if not changes or changes[-1][1] != value:
            changes.append((seconds, value))
    if len(changes) <= STEPS:
        return changes
    step = len(changes) / STEPS
    chosen = [changes[int(number * step)] for number in range(STEPS)]
    # The last one says where it ended.
    return [*chosen, changes[-1]]


def size_chart(sizes: Sequence[int], public: bool) -> PageBlock:
    """How many classes have which size; in few bins, and roughly, where ``public``."""
    different = len(set(sizes))
    counted: Counter[tuple[int, int]] = Counter()
    records: Counter[tuple[int, int]] = Counter()
    for size in sizes:
        # few bins of a public page begin where those of single sizes do
        ends = _bin(size, 0 if public else different)
        counted[ends] += 1
        records[ends] += size
    bins = []
    for least, most in sorted(counted):
        ends = least, most
        bins.append(SizeBin(least, most, counted[ends], records[ends]))
    return public_sizes(bins) if public else sizes_chart(bins)


def _bin(size: int, different: int) -> tuple[int, int]:
    """The bin of a class size: itself, or from one power of two to the next."""
    if different <= BINS:
        return size, size
    # The largest power of two that is not above it.
    first = 1 << (size.bit_length() - 1)
    return first, 2 * first - 1


def in_order(labels: Sequence[Label]) -> list[int]:
    """The places of values in the order in which people look for them: numbers by their
    size, texts by their letters, missing cells last.
    """
    return sorted(range(len(labels)), key=lambda place: _rank(labels[place]))


def _rank(label: Label) -> tuple[int, Fraction, str]:
    if label is None:
        return 2, Fraction(0), ""
    try:
        # Two texts may be one number: then their letters settle the order.
        return 0, rational(label), label
    except ValueError:
        return 1, Fraction(0), label


def table_size(rows: int, withheld: bool, public: bool) -> str:
    """How many records a table has; ``withheld`` says that some may be.

    Who has the release would reckon from it how many are: so a public page says it
    roughly.
    """
    if public and withheld:
        return f"{roughly(rows, public)} records"
    return plural(rows, "record")


def may_be_withheld(budget: int, rows: int, public: bool) -> str:
    """How many records a release may leave out."""
    # a share of the records, rounded down, says nearly how many there are
    if public:
        return "Some of the records may be withheld."
    return f"At most {plural(budget, 'record')} of {rows:,} may be withheld."


def roughly(count: int, public: bool) -> str:
    """A number of records or classes; a public page tells none that is small."""
    if not public:
        return f"{count:,}"
    if count == 0:
        return "none"
    if count < SMALL:
        return f"fewer than {SMALL}"
    # Rounded down: differences of two such numbers tell nobody's record.
    return f"{count - count % SMALL:,} or more"


Spread = Sequence[tuple[Label, int, Fraction]]
"""Values with their records before and after."""


def spread_chart(name: str, spread: Spread) -> PageBlock:
    """A column before and after; the most frequent values where there are many."""
    shown, more = _frequent(spread)
    highest = 1.0
    for _, count, evenly in shown:
        highest = max(highest, float(count), float(evenly))
    pairs = []
    for label, count, evenly in shown:
        after = float(evenly)
        pairs.append(
            BarPair(
                label=cell(label),
                first=f"{count:,}",
                first_length=share_of(count, highest),
                second=f"{after:,.1f}",
                second_length=share_of(after, highest),
            )
        )
    return PairedBars(
        caption=f"{name}: records before and after",
        label="value",
        first="before",
        second="after, spread evenly",
        pairs=tuple(pairs),
        more=more,
    )


def _frequent(spread: Spread) -> tuple[Spread, str]:
    """The values that are shown, in their order, and what is said of the others."""
    if len(spread) <= VALUES:
        return spread, ""
    by_count = sorted(range(len(spread)), key=lambda place: -spread[place][1])
    # The most frequent ones, and these in the order of the column.
    chosen = sorted(by_count[:VALUES])
    shown = [spread[place] for place in chosen]
    others = [spread[place] for place in by_count[VALUES:]]
    records = sum(count for _, count, _ in others)
    more = (
        f"The most frequent values; {plural(len(others), 'value')} of"
        f" {plural(records, 'record')} are left out."
    )
    return shown, more


SPREAD = (
    "Before: the records that have a value. After: what a reader of the release would"
    " reckon, who spreads the records of a released value evenly over the values that"
    " it may stand for."
)
"""How to read the charts of columns."""
HIDDEN = (
    "Values and their frequencies are left out in the public form: a value that few"
    " records have could be recognized."
)
