"""What a release is still good for, as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.errors import Problem, printable
from phverify.report.risk_text import aligned
from phverify.rounded import figure, in_places, significant
from phverify.utility.result import (
    ClassSizes,
    ColumnUtility,
    Correlations,
    DataComparison,
    Learned,
)
from phverify.words import cell, plural

ROWS = {
    "identifier": "rows paired by the identifier column",
    "policy": "rows in the same order, as the policy says",
    "order": "the rows fit in the same order",
    "matching": "rows matched whatever their order",
    "tuples": "some function on tuples explains who is withheld",
}
"""How it is known which rows of release and original belong together."""
SHOWN = 5
"""Pairs of columns, correlations and departures that are listed."""
UNKNOWN = "-"
SPREAD = (
    "each released cell counts evenly for the values it stands for; 0 alike, 1"
    " nothing in common"
)
WIDTH = "how much cells leave open: whether they are true of anybody, nothing says"
"""What loss means where the release is no sanitization that is understood."""
UNDEFINED = "undefined"
GONE = 3.0
"""More than any correlation changes."""


def to_lines(result: DataComparison) -> list[str]:
    """The figures, those of the whole table first."""
    parts = (_head, _losses, _classes, _pairs, _correlated, _learned)
    lines: list[str] = []
    for part in parts:
        lines += part(result)
    return [printable(line) for line in lines]


def _head(result: DataComparison) -> Iterator[str]:
    """Which tables were compared, and how one comes from the other."""
    yield f"{result.release} beside {result.original}: {records(result)}"
    yield f"  {origin(result)}"
    for problem in result.departures[:SHOWN]:
        text = problem.text(result.redacted)
        yield from (f"    {line}" for line in text.split("\n"))
    hidden = result.departures[SHOWN:]
    if hidden:
        yield f"    and {len(hidden)} more"
        yield from _hints(hidden, result.redacted)
    yield from (f"  note: {note}" for note in result.notes)
    yield ""


def _hints(problems: Sequence[Problem], redacted: bool) -> Iterator[str]:
    """What mends problems that are not listed, each hint once."""
    hints: dict[str, None] = {}
    for problem in problems:
        # The first line is what is wrong, what is below it mends that.
        _, *below = problem.text(redacted).split("\n")
        hints.update(dict.fromkeys(below))
    yield from (f"    {line}" for line in hints)


def records(result: DataComparison) -> str:
    """How many records are left of how many."""
    if result.released > result.rows:
        released = plural(result.released, "record")
        return f"{released}, the original has {result.rows:,}"
    records = plural(result.rows, "record")
    counted = f"{result.released:,} of {records}"
    if result.withheld:
        counted += f", {result.withheld:,} withheld"
    return counted


def origin(result: DataComparison) -> str:
    """How the release comes from the original."""
    if result.explained:
        return f"a sanitization of the original; {ROWS[result.explained]}"
    return (
        "the two tables are compared as they are, by columns and classes, not record by"
        " record: nothing shows that the release is the original with cells generalized"
        " or records withheld"
    )


def _losses(result: DataComparison) -> Iterator[str]:
    """Loss and precision, of all and of each column."""
    if result.loss is None:
        yield f"loss not known: {unknown_loss(result)}"
    else:
        yield f"loss {exactly(result.loss)}; 0 is the table unchanged, 1 all suppressed"
        if not result.explained:
            yield f"  {WIDTH}"
    if result.withheld and result.loss_with_withheld is not None:
        charged = exactly(result.loss_with_withheld)
        yield f"  {charged} where withheld records count as suppressed"
    if result.precision is not None:
        said = "0 is the table unchanged, 1 all at the top"
        yield f"precision {exactly(result.precision)}; {said}"
    yield from aligned([COLUMNS, *map(column_cells, result.columns)], "right")
    for column in result.columns:
        if column.unread:
            yield f"  {unread(column, result.redacted)}"
    yield f"  distance: total variation; {SPREAD}"
    yield ""


def unknown_loss(result: DataComparison) -> str:
    """Why nothing is said of the loss of all columns."""
    names = []
    for column in result.columns:
        if column.unread and column.name in result.quasi:
            names.append(column.name)
    where = ", ".join(names)
    return f"nothing says what some cells stand for in {where}"


COLUMNS = ("column", "role", "loss", "precision", "distance")


def column_cells(column: ColumnUtility) -> tuple[str, ...]:
    """A column's figures as they stand in a table."""
    return (
        column.name,
        column.role or UNKNOWN,
        decimal(column.loss),
        decimal(column.precision),
        decimal(column.distance),
    )


def unread(column: ColumnUtility, redacted: bool) -> str:
    """That cells of a column stand for no value that is known."""
    cells = plural(column.unread, "cell")
    if not redacted:
        example = column.example
        cells += f", such as {cell(None) if example is None else repr(example)}"
    return f"{column.name}: {cells}: no value of the original is meant surely"


def _classes(result: DataComparison) -> Iterator[str]:
    """The classes before and after."""
    if result.before is None or result.after is None:
        return
    yield "classes"
    yield from aligned([("", "before", "after"), *class_rows(result)], "right")
    yield ""


def class_rows(result: DataComparison) -> Iterator[tuple[str, str, str]]:
    """What is told of classes: by line its name, before, and after."""
    if result.before is None or result.after is None:
        return
    before = told_sizes(result.before)
    after = told_sizes(result.after)
    for name, size in before.items():
        yield name, size, after[name]


def told_sizes(sizes: ClassSizes) -> dict[str, str]:
    """The figures of classes by what they are called."""
    return {
        "number": f"{sizes.number:,}",
        "least": f"{sizes.least:,}",
        "median": decimal(sizes.median),
        "mean": decimal(sizes.mean),
        "largest": f"{sizes.most:,}",
        "discernibility": f"{sizes.discernibility:,}",
    }


def _pairs(result: DataComparison) -> Iterator[str]:
    """The pairs of columns that differ most."""
    if not result.pairs:
        return
    yield "two columns together: total variation distance, the farthest first"
    rows = [
        (f"{pair.first}, {pair.second}", decimal(pair.distance))
        for pair in result.pairs[:SHOWN]
    ]
    yield from aligned(rows, "right")
    yield from _more(len(result.pairs), "pair")
    yield ""


def _more(count: int, what: str) -> Iterator[str]:
    more = count - SHOWN
    if more > 0:
        left = plural(more, what)
        yield f"  and {left} more (--json has all)"


def _changed(before: float | None, after: float | None) -> str:
    """A correlation in the original and in the release."""
    return f"{rounded(before)} -> {rounded(after)}"


def _correlated(result: DataComparison) -> Iterator[str]:
    """Correlations before and after, those that changed most first."""
    if not result.correlations:
        return
    yield "correlation of ordered columns (rounded floats), before -> after"
    for found in most_changed(result)[:SHOWN]:
        pearson = _changed(found.pearson_before, found.pearson_after)
        spearman = _changed(found.spearman_before, found.spearman_after)
        names = f"{found.first}, {found.second}"
        yield f"  {names}: Pearson {pearson}, Spearman {spearman}"
    yield from _more(len(result.correlations), "pair")
    if any(UNDEFINED in line for line in map(said, result.correlations)):
        yield f"  {UNDEFINED}: one of the columns has no two different numbers there"
    yield ""


def said(found: Correlations) -> str:
    """All four figures in a line."""
    figures = (
        found.pearson_before,
        found.pearson_after,
        found.spearman_before,
        found.spearman_after,
    )
    return " ".join(map(rounded, figures))


def most_changed(result: DataComparison) -> list[Correlations]:
    """Those whose Spearman's changed most, first; before them what became undefined."""

    def change(found: Correlations) -> float:
        before = found.spearman_before
        after = found.spearman_after
        if before == after:
            return 0.0
        if before is None or after is None:
            return GONE
        return abs(before - after)

    return sorted(result.correlations, key=change, reverse=True)


def rounded(figure: float | None) -> str:
    """A correlation with three digits, or more where these would say 0, 1 or -1."""
    if figure is None:
        return UNDEFINED
    return in_places(Fraction(figure), 3)


def _learned(result: DataComparison) -> Iterator[str]:
    """The errors of classifiers."""
    found = result.learned
    if found is None:
        return
    yield (
        f"classifier of {found.target} (logistic regression, {found.folds}-fold cross"
        f" validation on {plural(found.records, 'record')} of the original)"
    )
    titled = [("trained on", "error", ""), *error_rows(found)]
    yield from aligned(titled, "right")
    yield ""


def error_rows(found: Learned) -> Iterator[tuple[str, str, str]]:
    """By what a classifier was trained on: its error, and how many it gets wrong."""
    wrong = {
        "trained on the original": found.original,
        "trained on the release": found.release,
        "the most frequent value": found.majority,
    }
    for name, count in wrong.items():
        share = decimal(Fraction(count, found.records))
        yield name, share, f"{count:,} wrong"


def exactly(value: Fraction) -> str:
    """A figure with its fraction, where that is short."""
    shown = decimal(value)
    return figure(value, shown)


def decimal(value: Fraction | None) -> str:
    """A figure with four significant digits."""
    if value is None:
        return UNKNOWN
    return significant(value)
