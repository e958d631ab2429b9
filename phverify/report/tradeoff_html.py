"""A tradeoff as a page: what privacy costs, as a curve and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from phverify.report.page import (
    Banner,
    ChartCurve,
    CurveChart,
    CurvePoint,
    DataTable,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    TableColumn,
    Tone,
    share_of,
)
from phverify.report.public_costs import (
    LEFT_OUT,
    above,
    beneath,
    page_bound,
    page_cost,
    page_gap,
    told,
)
from phverify.report.release_blocks import SCALES, table_size, terms, uncovered
from phverify.report.tradeoff_text import (
    NEARER,
    bound_of,
    figures_beside,
    meaning,
    remark,
    row,
    utility_of,
)
from phverify.verbs.tradeoff_result import Tradeoff, TradeoffPoint, written
from phverify.words import percent, plural

WORDS = {"decided": "DECIDED", "infeasible": "INFEASIBLE", "undecided": "UNDECIDED"}
TONE: dict[str, Tone] = {"decided": "good", "infeasible": "bad", "undecided": "open"}


def to_page(result: Tradeoff, public: bool = False) -> Page:
    """The page of a tradeoff; a public one leaves out what rules are called."""
    numbers = f"{result.parameter} from {result.numbers[0]} to {result.numbers[-1]}"
    sections = (
        PageSection("What this covers", tuple(_covered(result, public))),
        PageSection("The curve", tuple(_curve(result, public))),
        PageSection("The points", tuple(_table(result, public))),
    )
    return Page(
        title="What does privacy cost?",
        subject=(
            f"{table_size(result.rows, True, public)}; {numbers}; space {result.space},"
            f" objective {result.objective}"
        ),
        verdict=Banner(WORDS[result.verdict], _sentence(result), TONE[result.verdict]),
        sections=sections,
        public=public,
    )


def _sentence(result: Tradeoff) -> str:
    """What was found, as a lawyer reads it."""
    points = result.points
    count = len(points)
    best = sum(1 for point in points if point.verdict == "optimal")
    none = sum(1 for point in points if point.verdict == "infeasible")
    # With a gap asked for, a point is closed where the gap is reached.
    open_points = sum(1 for point in points if result.open(point))
    said = (
        f"Of {plural(count, 'number')} of {result.parameter} the best release is known"
    )
    said += f" for {best}"
    if none:
        said += f"; for {none} no release keeps every rule"
    rest = count - best - none
    if rest:
        said += f"; for {rest} there is a bound on what it can be"
    if open_points:
        said += f"; {open_points} of them are open"
    return said + "."


def _covered(result: Tradeoff, public: bool) -> Iterator[PageBlock]:
    name = "one rule" if public else f"the rule {result.rule}"
    yield Paragraph(
        f"The number {result.parameter} of {name} varies, and all other rules stay as"
        f" they are. For each number the release was searched that keeps every rule and"
        f" has the least {result.objective}. {SCALES.get(result.objective, '')}"
    )
    if result.charged:
        yield Paragraph("Each withheld record loses 1 in every column.")
    yield Paragraph(
        "Every release for a stricter number keeps the rules of each less strict"
        " one, and a release may keep stricter rules than it was searched for:"
        " where that was better than what a search of its own found in time, it was"
        " taken, after all rules were proved of it again. What nothing is below for"
        " a number nothing is below for a stricter one."
    )
    yield Points(tuple(meaning(result)))
    yield from terms(result.notes, result.warnings, public)
    yield from uncovered()


def _curve(result: Tradeoff, public: bool) -> Iterator[PageBlock]:
    """Cost and bound against the number; for everybody only roughly."""
    objective = result.objective
    # Costs that count classes say how many people are alike.
    if not told(objective, public):
        yield Paragraph(f"The {objective} of releases is {LEFT_OUT}.")
        return
    costs: list[tuple[Fraction, Fraction]] = []
    bounds: list[tuple[Fraction, Fraction]] = []
    bound_texts = []
    for point in result.points:
        if point.cost is not None:
            cost = above(point.cost, objective, public)
            costs.append((point.value, cost))
        if point.bound is not None:
            bound = beneath(point.bound, objective, public)
            bounds.append((point.value, bound))
            bound_texts.append(_bound(point, objective, public))
    if not costs and not bounds:
        yield Paragraph("There is no point with a cost or a bound.")
        return
    values = [point.value for point in result.points]
    ends = min(values), max(values)
    highest = max(height for _, height in (*costs, *bounds))
    cost_texts = [page_cost(cost, objective, public) for _, cost in costs]
    named = (
        ("best release", costs, cost_texts),
        ("none is below", bounds, bound_texts),
    )
    drawn = []
    for name, line, texts in named:
        pairs = zip(line, texts, strict=True)
        placed = [_placed(one, ends, highest, text) for one, text in pairs]
        if placed:
            # From left to right: points of t come from the laxest, the largest number.
            placed.sort(key=lambda point: point.right)
            drawn.append(ChartCurve(name, tuple(placed), stepped=False))
    yield CurveChart(
        caption=f"{objective.capitalize()} against {result.parameter}",
        alternative=_alternative(result, costs, public),
        x=result.parameter,
        y=objective,
        scale=(float(ends[0]), float(ends[1]), 0.0, float(highest)),
        curves=tuple(drawn),
        marks=tuple(map(float, values)),
    )


def _placed(
    point: tuple[Fraction, Fraction],
    ends: tuple[Fraction, Fraction],
    highest: Fraction,
    text: str,
) -> CurvePoint:
    value, height = point
    first, last = ends
    right = share_of(float(value - first), float(last - first))
    up = share_of(float(height), float(highest))
    return CurvePoint(right, up, written(value), text)


def _alternative(
    result: Tradeoff, costs: list[tuple[Fraction, Fraction]], public: bool
) -> str:
    if not costs:
        return "No release was found; the curve shows bounds alone."
    value, cost = costs[0]
    said = (
        f"The best release for {result.parameter} = {written(value)} has"
        f" {result.objective} {page_cost(cost, result.objective, public)}"
    )
    value, cost = costs[-1]
    last = page_cost(cost, result.objective, public)
    return f"{said}, that for {written(value)} has {last}."


def _table(result: Tradeoff, public: bool) -> Iterator[PageBlock]:
    columns = [
        TableColumn(result.parameter, number=True),
        TableColumn(result.objective, number=True),
        TableColumn("verdict"),
        TableColumn("none below", number=True),
        TableColumn("gap at most", number=True),
    ]
    if not public:
        columns.append(TableColumn("classes", number=True))
        columns.append(TableColumn("withheld", number=True))
    columns.append(TableColumn("remark"))
    rows = []
    for point in result.points:
        # a number of classes, or of withheld records, may be small
        cells = _public_row(result, point) if public else row(point)
        rows.append((*cells, remark(point, public)))
    caption = f"What each {result.parameter} costs"
    yield DataTable(caption, tuple(columns), tuple(rows))
    if not public:
        yield Paragraph(NEARER)
        yield _utility(result)


def _utility(result: Tradeoff) -> DataTable:
    """The figures beside the objective, in a table of their own: paper is narrow."""
    figures = figures_beside(result)
    names = (result.parameter, *figures)
    columns = tuple(TableColumn(name, number=True) for name in names)
    rows = tuple(
        (written(point.value), *utility_of(point, figures)) for point in result.points
    )
    caption = f"What the data is still good for at each {result.parameter}"
    return DataTable(caption, columns, rows)


def _bound(point: TradeoffPoint, objective: str, public: bool) -> str:
    if public:
        return page_bound(point.bound, objective, public)
    return bound_of(point)


def _public_row(result: Tradeoff, point: TradeoffPoint) -> tuple[str, ...]:
    """A point's number, cost, verdict, bound and gap, as everybody may read them."""
    number, cost, verdict, bound, gap, *_ = row(point)
    objective = result.objective
    if point.cost is not None:
        cost = page_cost(point.cost, objective, True)
    if point.bound is not None:
        bound = page_bound(point.bound, objective, True)
    if point.gap is not None:
        gap = percent(page_gap(point.gap, True))
    # what counts classes is left out, and so is what tells how far apart they are
    if not told(objective, True):
        cost, bound, gap = "left out", "left out", "left out"
    return number, cost, verdict, bound, gap
