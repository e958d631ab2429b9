"""A tradeoff as lines of plain text: a line a point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.errors import printable
from phverify.report.release_blocks import bound_text, cost_text
from phverify.verbs.tradeoff_result import Tradeoff, TradeoffPoint, written
from phverify.words import percent, plural

TITLES = ("verdict", "none below", "gap", "classes", "withheld")
FIGURES = ("loss", "precision", "discernibility", "average class")
"""What is told of each release beside the objective."""
NEARER = (
    "Loss, precision, discernibility and average class: the less, the nearer a release"
    " is to the original table."
)
"""What a release is still good for."""
WORDS = {
    "optimal": "OPTIMAL",
    "proved": "PROVED",
    "infeasible": "INFEASIBLE",
    "undecided": "UNDECIDED",
}


def to_lines(result: Tradeoff, source: str = "") -> list[str]:
    """A table with a line for each number, then what it means."""
    lines = [*_head(result, source), *_table(result), *_tail(result)]
    return [printable(line) for line in lines]


def _head(result: Tradeoff, source: str) -> Iterator[str]:
    where = f"{source}: " if source else ""
    yield (
        f"{where}{plural(result.rows, 'record')}; space {result.space}, objective"
        f" {result.objective}; {result.parameter} of the rule {result.rule} varies"
    )
    yield from (f"  note: {note}" for note in result.notes)
    yield from (f"  warning: {warning}" for warning in result.warnings)
    if result.charged:
        yield "  each withheld record loses 1 in every column"
    yield ""


def _table(result: Tradeoff) -> Iterator[str]:
    figures = figures_beside(result)
    rows: list[tuple[str, ...]]
    rows = [(result.parameter, result.objective, *TITLES, *figures)]
    rows += [(*row(one), *utility_of(one, figures)) for one in result.points]
    # Columns as wide as their longest text: terminals have no tables.
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells, point in zip(rows, (None, *result.points), strict=True):
        padded = [text.rjust(width) for text, width in zip(cells, widths, strict=True)]
        line = "  " + "  ".join(padded)
        # The first line has the titles.
        yield line if point is None else line + _beside(point)
    yield ""


def row(point: TradeoffPoint) -> tuple[str, ...]:
    """A point's number, cost, verdict, bound, gap, classes and withheld records."""
    if point.verdict == "infeasible":
        blank = "-"
        return written(point.value), blank, WORDS[point.verdict], *[blank] * 4
    found = point.cost is not None
    return (
        written(point.value),
        cost_text(point.cost) if found else "-",
        WORDS[point.verdict],
        bound_of(point),
        percent(point.gap) if point.gap is not None else "-",
        f"{point.classes:,}" if found else "-",
        f"{point.suppressed:,}" if found else "-",
    )


def figures_beside(result: Tradeoff) -> list[str]:
    """The figures that are told beside the objective."""
    # What is charged is not what the cells that are released lose.
    if result.charged:
        return [*FIGURES]
    return [name for name in FIGURES if name != result.objective]


def utility_of(point: TradeoffPoint, figures: Sequence[str]) -> tuple[str, ...]:
    """Some figures of a point's release; a dash where there is none."""
    utility = point.utility
    if utility is None:
        return ("-",) * len(figures)
    loss, precision = utility.loss, utility.precision
    told = {
        "loss": "-" if loss is None else cost_text(loss),
        "precision": "-" if precision is None else cost_text(precision),
        "discernibility": f"{utility.discernibility:,}",
        "average class": f"{float(utility.average_class):,.1f}",
    }
    return tuple(told[name] for name in figures)


def bound_of(point: TradeoffPoint) -> str:
    """A bound that is the cost is written as it is."""
    if point.bound is None:
        return "-"
    if point.bound == point.cost:
        return cost_text(point.cost)
    return bound_text(point.bound)


def _beside(point: TradeoffPoint) -> str:
    said = remark(point)
    return f"  {said}" if said else ""


def remark(point: TradeoffPoint, public: bool = False) -> str:
    """Where a point's release is from, and why it is open; a reason may name rules."""
    said = []
    # Which numbers share a release tells how many records are rare.
    if point.taken is not None and not public:
        said.append(f"the release for {written(point.taken)}, which satisfies it")
    if point.verdict == "undecided" or point.reason.startswith("not searched"):
        said.append("not decided in time" if public else point.reason)
    return "; ".join(said)


def _tail(result: Tradeoff) -> Iterator[str]:
    verdicts = [point.verdict for point in result.points]
    searched = sum(1 for point in result.points if point.searched)
    told = []
    for verdict, word in WORDS.items():
        if verdict in verdicts:
            told.append(f"{verdicts.count(verdict)} {word}")
    yield (
        f"{', '.join(told)}: {plural(len(verdicts), 'point')}, {searched} of them"
        f" searched, in {result.seconds:.1f} s"
    )
    yield from (f"  {line}" for line in meaning(result))
    yield f"  {NEARER}"


def meaning(result: Tradeoff) -> Iterator[str]:
    """What the words of the table mean, where they occur."""
    verdicts = {point.verdict for point in result.points}
    if "optimal" in verdicts:
        yield "OPTIMAL: a release that keeps every rule, and none has less."
    if "proved" in verdicts:
        yield (
            "PROVED: a release that keeps every rule; it may not be the best, and none"
            " costs less than the bound."
        )
    if "infeasible" in verdicts:
        yield "INFEASIBLE: no release in the space keeps every rule."
    if "undecided" in verdicts:
        yield "UNDECIDED: no release was found; whether there is one is not known."
