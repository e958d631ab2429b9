"""What attackers achieve by what they know, as blocks of a page for the owner: subsets
of attributes, and the smallest combinations that single somebody out.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from phverify.linkage.candidates.attackers import AttackPoint, Curve
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.uniques import Exposure, Uniques
from phverify.report.page import (
    Bar,
    BarChart,
    DataTable,
    PageBlock,
    Paragraph,
    Remark,
    TableColumn,
)
from phverify.report.risk_text import amount, known, percent, short
from phverify.words import plural

SUBSETS = 64
"""So many attribute subsets are listed."""
COMBINATIONS = 40
"""So many minimal combinations are listed."""
NAMED = 10
"""So many records are named for a combination."""


def curve_blocks(curve: Curve) -> Iterator[PageBlock]:
    """The worst attacker of each size, and all subsets of attributes."""
    bars = []
    for point in curve.worst:
        outcomes = point.outcomes
        size = plural(len(point.attributes), "attribute")
        label = f"{size}: {known(point.attributes)}"
        share = f"{amount(outcomes.expected)} ({percent(outcomes.rate)})"
        bars.append(Bar(label, share, float(outcomes.rate)))
    yield BarChart(
        "Of each number of attributes, those that link most: expected correct links",
        "what is known",
        "correct links",
        tuple(bars),
    )
    yield _subsets(curve)


def _subsets(curve: Curve) -> DataTable:
    """The risk of every subset of attributes, the riskiest first."""

    def riskiest(point: AttackPoint) -> tuple[Fraction, int]:
        # Of equal risks that with fewer attributes: it takes less to know.
        return -point.outcomes.expected, len(point.attributes)

    titles = ["correct links", "share", "highest probability", "singled out"]
    columns = [TableColumn("attributes known"), *number_columns(titles)]
    rows = []
    for point in sorted(curve.points, key=riskiest)[:SUBSETS]:
        outcomes = point.outcomes
        cells = [amount(outcomes.expected), percent(outcomes.rate)]
        cells += [short(outcomes.highest), f"{outcomes.singled_out:,}"]
        rows.append((known(point.attributes), *cells))
    more = more_of(len(curve.points) - len(rows), "subset")
    caption = "The risk of each subset of attributes, the riskiest first"
    return DataTable(caption, tuple(columns), tuple(rows), more)


def uniques_blocks(some: Uniques, result: Reidentification) -> Iterator[PageBlock]:
    """The smallest combinations, whom they single out, and how many there are."""
    if not some.complete:
        most = plural(some.searched, "attribute")
        yield Remark("Note", f"combinations of at most {most} were searched", "open")
    if not some.found:
        yield Paragraph("No combination of attributes leaves one candidate.")
        return
    exposed = some.exposed_records
    share = percent(Fraction(exposed, some.records))
    yield Paragraph(
        f"{plural(exposed, 'record')} of {some.records:,} ({share}) can come from one"
        " original only, for whoever knows the right attributes."
    )
    rows = [_exposure(one, result) for one in some.worst(COMBINATIONS)]
    columns = [TableColumn("attributes"), TableColumn("records", number=True)]
    if not result.redact:
        columns.append(TableColumn("who"))
    more = more_of(len(some.found) - len(rows), "combination")
    caption = "The smallest combinations that leave one candidate"
    yield DataTable(caption, tuple(columns), tuple(rows), more)


def _exposure(exposure: Exposure, result: Reidentification) -> tuple[str, ...]:
    cells = [known(exposure.attributes), f"{exposure.records:,}"]
    if not result.redact:
        names = map(result.released.say, exposure.first(NAMED))
        who = ", ".join(names)
        left = exposure.records - NAMED
        cells.append(f"{who} and {left:,} more" if left > 0 else who)
    return tuple(cells)


def number_columns(titles: list[str]) -> list[TableColumn]:
    """Columns of numbers by their titles."""
    return [TableColumn(title, number=True) for title in titles]


def more_of(count: int, what: str) -> str:
    """How many there are beside those that are listed."""
    return f"and {plural(count, f'more {what}')}" if count > 0 else ""
