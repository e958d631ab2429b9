"""The risk of a release for everybody: shares and counts from which no small number
follows, and no combination of attributes that singles somebody out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from phverify.linkage.candidates.attackers import Curve
from phverify.linkage.risk.assess import RiskReport
from phverify.linkage.risk.outcomes import AttackerRisk, Outcomes
from phverify.report.page import (
    Banner,
    Bar,
    BarChart,
    DataTable,
    Facts,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    TableColumn,
    share_of,
)
from phverify.report.portraits import SMALL, STEP
from phverify.report.release_blocks import roughly
from phverify.report.risk_html import (
    between,
    bin_name,
    bins,
    covers_section,
    inferred_remarks,
    threshold_name,
    worst_attacker,
)
from phverify.report.risk_text import decimal, known, percent
from phverify.words import plural


def public_banner(report: RiskReport) -> Banner:
    """What a reader takes away, with a share that is rounded up."""
    risk = worst_attacker(report)
    sentence = (
        f"Whoever knows {known(risk.agent.knows)} of everybody can expect to link"
        f" {_at_most(risk.outcomes.rate)} of the records correctly."
    )
    return Banner("ASSESSED", sentence, "plain")


def public_sections(report: RiskReport) -> Iterator[PageSection]:
    """The sections of a page for everybody."""
    yield PageSection("What was compared", tuple(_compared(report)))
    yield PageSection("The attackers", (_attackers(report),))
    histogram = (_histogram(report), _thresholds(report), _rounding())
    yield PageSection("How the risk is spread over the records", histogram)
    if report.curve:
        yield PageSection("The more an attacker knows", (_curve(report.curve),))
    what = "which combinations of attributes single somebody out, and whom"
    left_out = Remark("Left out", what, "open")
    yield PageSection("Whom few attributes single out", (left_out,))
    yield covers_section(report)


def _compared(report: RiskReport) -> Iterator[PageBlock]:
    # both numbers together would tell how few records were withheld
    withheld = roughly(report.originals - report.released, public=True)
    pairs = [("Records of the original", f"{report.originals:,}")]
    pairs.append(("Of these not released", withheld))
    yield Facts(tuple(pairs))
    for note in report.public_notes:
        yield Remark("Rests on", note)
    yield from inferred_remarks(report)


def _rounding() -> Paragraph:
    return Paragraph(
        f"Numbers of records are rounded down to multiples of {SMALL}, shares are"
        " rounded up: no number is told that is small."
    )


def _name(risk: AttackerRisk, number: int) -> str:
    """What an attacker is called: not by the name that somebody gave."""
    return f"Attacker {number}, who knows {known(risk.agent.knows)}"


def _at_most(share: Fraction) -> str:
    """A share rounded up to a multiple of a twentieth."""
    return f"at most {percent(math.ceil(share / STEP) * STEP)}"


def _count(count: int) -> str:
    """A number of records from which no small number follows."""
    rounded = count - count % SMALL
    return f"{rounded:,} or more" if rounded else f"fewer than {SMALL}"


def _attackers(report: RiskReport) -> DataTable:
    rows = []
    for number, risk in enumerate(report.attackers, start=1):
        smallest = risk.outcomes.smallest
        # A small candidate set tells that somebody is nearly alone.
        fewest = f"{smallest:,}" if smallest >= SMALL else f"fewer than {SMALL}"
        rate = _at_most(risk.outcomes.rate)
        rows.append((_name(risk, number), fewest, rate))
    columns = [TableColumn("attacker"), TableColumn("fewest candidates", number=True)]
    columns.append(TableColumn("correct links", number=True))
    return DataTable("What each attacker achieves", tuple(columns), tuple(rows))


def _histogram(report: RiskReport) -> BarChart:
    worst = worst_attacker(report)
    number = report.attackers.index(worst) + 1
    outcomes = worst.outcomes
    bars = []
    for low, high in bins(report.thresholds):
        count = between(outcomes, low, high)
        # Of the rounded number: a bar could be measured.
        length = share_of(count - count % SMALL, outcomes.records)
        bars.append(Bar(bin_name(low, high), _count(count), length))
    marks = ", ".join(decimal(bound, 4) for bound in report.thresholds)
    caption = (
        f"Records by their risk for {_name(worst, number)}; bars end where the"
        f" thresholds are: {marks}"
    )
    return BarChart(caption, "risk", "records", tuple(bars))


def _thresholds(report: RiskReport) -> DataTable:
    columns = [TableColumn("threshold")]
    for number, risk in enumerate(report.attackers, start=1):
        columns.append(TableColumn(_name(risk, number), number=True))
    rows = []
    for place, bound in enumerate(report.thresholds):
        counts = [_count(risk.shares[place].records) for risk in report.attackers]
        rows.append((threshold_name(bound), *counts))
    caption = "Records at or above each threshold"
    return DataTable(caption, tuple(columns), tuple(rows))


def _curve(curve: Curve) -> BarChart:
    """The worst attacker of each number of attributes, without naming these."""
    bars = []
    for point in curve.worst:
        outcomes: Outcomes = point.outcomes
        label = plural(len(point.attributes), "attribute")
        # Rounded up: a risk is not made to look smaller.
        rounded = math.ceil(outcomes.rate / STEP) * STEP
        bars.append(Bar(label, _at_most(outcomes.rate), share_of(float(rounded), 1)))
    caption = "Of each number of attributes, those that link most: correct links"
    return BarChart(caption, "what is known", "correct links", tuple(bars))
