"""The risk of a release as sections of a page, for its owner: pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import RiskReport
from phverify.linkage.risk.outcomes import AttackerRisk, Outcomes
from phverify.report.page import (
    Banner,
    Bar,
    BarChart,
    ChartCurve,
    CurveChart,
    CurvePoint,
    DataTable,
    Facts,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
    share_of,
)
from phverify.report.risk_subsets import (
    curve_blocks,
    more_of,
    number_columns,
    uniques_blocks,
)
from phverify.report.risk_text import (
    COVERS,
    amount,
    at_least,
    called,
    chances,
    decimal,
    known,
    percent,
    short,
    undeclared,
)
from phverify.words import plural

RECORDS = 40
"""So many records at greatest risk are listed."""
POINTS = 64
"""So many points a curve has."""
SOURCES = {
    Fraction(1, 20): "0.05",
    Fraction(9, 100): "0.09, of the European Medicines Agency and Health Canada",
    Fraction(1, 5): "0.2",
}
"""Thresholds that guidelines name."""


def worst_attacker(report: RiskReport) -> AttackerRisk:
    """Who can expect to link most: the summary and the names are about them."""
    return max(report.attackers, key=lambda risk: risk.outcomes.expected)


def risk_banner(report: RiskReport) -> Banner:
    """The one sentence that a reader takes away; a risk is no verdict."""
    risk = worst_attacker(report)
    outcomes = risk.outcomes
    records = plural(outcomes.records, "record")
    links = f"{amount(outcomes.expected)} of {records}"
    sentence = (
        f"Whoever knows {known(risk.agent.knows)} of everybody can expect to link"
        f" {links} correctly ({percent(outcomes.rate)})."
    )
    if outcomes.singled_out:
        alone = plural(outcomes.singled_out, "record")
        sentence += f" {alone} can come from one original only."
        return Banner("ASSESSED", sentence, "open")
    fewest = plural(outcomes.smallest, "candidate")
    sentence += f" Nobody is singled out: every record has at least {fewest}."
    return Banner("ASSESSED", sentence, "plain")


def risk_sections(result: Reidentification) -> Iterator[PageSection]:
    """The sections of a page about the risk of a release."""
    report = result.risk
    assert report is not None
    yield _compared(report)
    yield PageSection("The attackers", tuple(_attackers(report)))
    worst = worst_attacker(report)
    histogram = tuple(_histogram(worst, report))
    yield PageSection("How the risk is spread over the records", histogram)
    if report.curve:
        curve = tuple(curve_blocks(report.curve))
        yield PageSection("The more an attacker knows", curve)
    if report.uniques:
        uniques = tuple(uniques_blocks(report.uniques, result))
        yield PageSection("Whom few attributes single out", uniques)
    if not result.redact:
        records = (_records(worst, report, result),)
        yield PageSection("The records at greatest risk", records)
    yield covers_section(report)


def _compared(report: RiskReport) -> PageSection:
    """Which tables, and what the figures rest on."""
    before, after = report.linkage.sources
    pairs = [("Original", before), ("Release", after)]
    pairs.append(("Records of the original", f"{report.originals:,}"))
    pairs.append(("Records of the release", f"{report.released:,}"))
    blocks: list[PageBlock] = [Facts(tuple(pairs))]
    blocks += [Remark("Rests on", note) for note in report.notes]
    blocks += inferred_remarks(report)
    return PageSection("What was compared", tuple(blocks))


def inferred_remarks(report: RiskReport) -> Iterator[Remark]:
    """What is said of columns whose masking nobody declared."""
    lines = [*undeclared(report.linkage.inferred)]
    if lines:
        yield Remark("Note", lines[0])
        text = " ".join(lines[1:]).removeprefix("WARNING: ")
        yield Remark("Warning", text, "open")


# the attackers


def attacker_name(risk: AttackerRisk) -> str:
    """What an attacker is called, and knows."""
    attributes = known(risk.agent.knows)
    name = called(risk)
    return f"{name}, who knows {attributes}" if name else attributes


def _attackers(report: RiskReport) -> Iterator[PageBlock]:
    """The figures of each attacker, and those of other tools."""
    titles = ["fewest candidates", "highest probability", "bits", "correct links"]
    titles.append("share")
    columns = [TableColumn("attacker"), *number_columns(titles)]
    rows = []
    bars = []
    for risk in report.attackers:
        name = attacker_name(risk)
        outcomes = risk.outcomes
        bits = float(outcomes.nonspecificity) / math.log(2)  # for display only
        rows.append((name, *_overall(outcomes, decimal(Fraction(bits), 2))))
        share = f"{amount(outcomes.expected)} ({percent(outcomes.rate)})"
        bars.append(Bar(name, share, float(outcomes.rate)))
    yield BarChart(
        "Expected correct links of each attacker, as a share of all records",
        "attacker",
        "correct links",
        tuple(bars),
    )
    more = (
        "The highest probability of an original, the mean nonspecificity in bits, and"
        " the expected number of correct links."
    )
    yield DataTable("What each attacker achieves", tuple(columns), tuple(rows), more)
    yield _figures(report)


def _overall(outcomes: Outcomes, bits: str) -> list[str]:
    cells = [f"{outcomes.smallest:,}", short(outcomes.highest), bits]
    cells += [amount(outcomes.expected), percent(outcomes.rate)]
    return cells


def _figures(report: RiskReport) -> DataTable:
    """The figures that other tools compute, under their names."""
    titles = ["prosecutor, highest", "prosecutor, average", "journalist, highest"]
    titles += ["journalist, average", "marketer", "global risk (sdcMicro)"]
    columns = [TableColumn("attacker"), *number_columns(titles)]
    rows = []
    for risk in report.attackers:
        figures = risk.figures
        shares: list[Fraction] = []
        for figure in (figures.prosecutor, figures.journalist):
            shares += [figure.highest, figure.average]
        shares += [figures.marketer, figures.overall]
        name = attacker_name(risk)
        rows.append((name, *map(percent, shares)))
    more = ""
    if report.population:
        more = f"Journalist and marketer: {report.population} is the population."
    caption = "The same in the words of ARX and sdcMicro"
    return DataTable(caption, tuple(columns), tuple(rows), more)


# the histogram


def _histogram(worst: AttackerRisk, report: RiskReport) -> Iterator[PageBlock]:
    """How many records have which risk, with marks at the thresholds."""
    who = attacker_name(worst)
    outcomes = worst.outcomes
    records = outcomes.records
    yield Paragraph(
        "The risk of a record is the largest probability that an original has of being"
        f" its source, for {who}. All counts are exact."
    )
    bars = []
    for low, high in bins(report.thresholds):
        count = between(outcomes, low, high)
        share = percent(Fraction(count, records))
        length = share_of(count, records)
        bars.append(Bar(bin_name(low, high), f"{count:,} ({share})", length))
    marks = ", ".join(decimal(bound, 4) for bound in report.thresholds)
    caption = f"Records by their risk; bars end where the thresholds are: {marks}"
    yield BarChart(caption, "risk", "records", tuple(bars))
    yield _thresholds(report)
    yield _survivors(worst, report)


def bins(thresholds: tuple[Fraction, ...]) -> list[tuple[Fraction, Fraction | None]]:
    """Parts of the probabilities, from each end to below the next; the last is 1."""
    ends = {Fraction(0), Fraction(1, 2), Fraction(1), *thresholds}
    rising = sorted(ends)
    parts: list[tuple[Fraction, Fraction | None]] = []
    for place, low in enumerate(rising[:-1]):
        parts.append((low, rising[place + 1]))
    return [*parts, (rising[-1], None)]


def between(outcomes: Outcomes, low: Fraction, high: Fraction | None) -> int:
    """How many records have a risk in a part, whose lower end belongs to it."""
    count = 0
    for item in outcomes.items:
        if item.highest >= low and (high is None or item.highest < high):
            count += item.records
    return count


def bin_name(low: Fraction, high: Fraction | None) -> str:
    """A part of the probabilities in words."""
    if high is None:
        return "1: certain"
    if not low:
        return f"below {at_least(high).removeprefix('>= ')}"
    return f"{at_least(low)} and below {at_least(high).removeprefix('>= ')}"


def threshold_name(bound: Fraction) -> str:
    """A threshold with whose it is."""
    return SOURCES.get(bound) or decimal(bound, 4)


def _thresholds(report: RiskReport) -> DataTable:
    """For each attacker the records at or above each threshold, exactly."""
    columns = [TableColumn("threshold")]
    for risk in report.attackers:
        name = attacker_name(risk)
        columns.append(TableColumn(name, number=True))
    rows = []
    for place, bound in enumerate(report.thresholds):
        cells = []
        for risk in report.attackers:
            share = risk.shares[place]
            of_all = f"{share.records:,} of {share.of:,}"
            cells.append(f"{of_all} ({percent(share.share)})")
        rows.append((threshold_name(bound), *cells))
    caption = "Records at or above each threshold"
    return DataTable(caption, tuple(columns), tuple(rows))


def _survivors(worst: AttackerRisk, report: RiskReport) -> CurveChart:
    """How many records have a larger risk, as a curve with marks at the thresholds."""
    outcomes = worst.outcomes
    levels = {Fraction(0), Fraction(1)}
    levels.update(item.highest for item in outcomes.items)
    rising = sorted(levels)
    more = ""
    if len(rising) > POINTS:
        rising = [Fraction(part, 50) for part in range(51)]
        more = "The curve is drawn from the counts at every 0.02."
    points = [_survivor(level, outcomes) for level in rising]
    curves = [ChartCurve("records with a larger risk", tuple(points))]
    said = []
    for bound in report.thresholds:
        share = outcomes.share(bound)
        shown = decimal(bound, 4)
        said.append(f"{share.records:,} at or above {shown}")
        if len(curves) <= len(SOURCES):
            # up to where the curve falls, if it falls there
            up = share_of(share.records, share.of)
            top = CurvePoint(float(bound), up, shown, f"{share.records:,}")
            foot = CurvePoint(float(bound), 0.0, shown, "0")
            name = f"mark at {shown}, up to the records at or above it"
            curves.append(ChartCurve(name, (foot, top), stepped=False))
    records = plural(outcomes.records, "record")
    return CurveChart(
        caption="Records with a larger risk, with marks at the thresholds",
        alternative=f"Of {records}: {', '.join(said)}",
        x="risk",
        y="records",
        scale=(0.0, 1.0, 0.0, float(outcomes.records)),
        curves=tuple(curves),
        more=more,
    )


def _survivor(level: Fraction, outcomes: Outcomes) -> CurvePoint:
    """The records whose risk is above a level: as many up to the next one."""
    count = sum(item.records for item in outcomes.items if item.highest > level)
    up = share_of(count, outcomes.records)
    return CurvePoint(float(level), up, short(level), f"{count:,}")


def _records(
    worst: AttackerRisk, report: RiskReport, result: Reidentification
) -> DataTable:
    """The records at greatest risk, by name."""
    truth = report.linkage.truth
    rows = []
    for row in worst.most_at_risk(RECORDS):
        cells = [result.released.say(row)]
        # no true record is named where it is one of several
        own = truth.original(row)
        cells.append(result.original.say(own) if truth.known else "not known")
        cells.append(chances(worst.record(row)))
        rows.append(tuple(cells))
    titles = ["released record", "comes from", "what the attacker makes of it"]
    columns = tuple(map(TableColumn, titles))
    knows = known(worst.agent.knows)
    more = more_of(worst.outcomes.records - len(rows), "record")
    return DataTable(f"For whoever knows {knows}", columns, tuple(rows), more)


def covers_section(report: RiskReport) -> PageSection:
    """Which attackers the figures are about."""
    inferred = report.linkage.inferred
    read = f" (of {', '.join(inferred)} by the mapping above)" if inferred else ""
    text = " ".join(line.format(read) for line in COVERS)
    covered, _, rest = text.partition(" Not covered: ")
    points = (covered, f"Not covered: {rest}")
    return PageSection("What this covers, and what it does not", (Points(points),))
