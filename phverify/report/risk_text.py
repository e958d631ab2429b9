"""What ``reidentify`` found as lines of plain text and as JSON: pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phverify.errors import printable
from phverify.linkage.candidates.attackers import Curve
from phverify.linkage.methods.number_text import decimal_text
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import RiskReport
from phverify.linkage.risk.outcomes import AttackerRisk
from phverify.linkage.risk.uniques import Uniques
from phverify.words import plural

MOST = 5
"""Records and combinations that the text lists; the JSON has more."""
COVERS = (
    (
        "Covered: attackers who know these attributes of every original record, as they"
        " are there, and what the masking"
    ),
    "makes of a value{}, but nothing else, and link record by record.",
    "Not covered: who knows more, or that every original has one released record.",
)
UNDECLARED = (
    (
        "WARNING: who attacks is taken to know this mapping. Of a generalization that"
        " is so; pseudonyms, noise and"
    ),
    (
        "swapping are secret or chance: what one makes of them is told when they are"
        " declared under [masking]."
    ),
)


def risk_lines(found: Reidentification) -> list[str]:
    """The risk of a release: in a sentence, for each attacker, by what is known, and
    who is exposed.
    """
    report = found.risk
    assert report is not None
    inferred = report.linkage.inferred
    worst = max(report.attackers, key=lambda risk: risk.outcomes.expected)
    parts = [
        _head(report),
        _summary(worst, inferred),
        _attackers(report),
        _figures(report),
    ]
    parts += [_curve(report.curve)] if report.curve else []
    parts += [_uniques(report.uniques, found)] if report.uniques else []
    parts += [] if found.redact else [_records(report, worst, found)]
    read = f" (of {', '.join(inferred)} by the mapping above)" if inferred else ""
    parts.append(iter(f"  {line.format(read)}" for line in COVERS))
    return [printable(line) for part in parts for line in (*part, "")][:-1]


def _head(report: RiskReport) -> Iterator[str]:
    before, after = report.linkage.sources
    yield (
        f"{after}: {plural(report.released, 'record')}, linked with"
        f" {report.originals:,} of {before}"
    )
    yield from (f"  {note}" for note in report.notes)
    yield from (f"  {line}" for line in undeclared(report.linkage.inferred))


def undeclared(names: Sequence[str]) -> Iterator[str]:
    """What is said of columns whose cells are read by a mapping that nobody
    declared.
    """
    if names:
        yield (
            f"{', '.join(names)}: nothing is declared; read by the mapping that"
            " explains the release"
        )
        yield from UNDECLARED


def _summary(worst: AttackerRisk, inferred: Sequence[str]) -> Iterator[str]:
    """The one sentence that a reader takes away."""
    found = worst.outcomes
    knows = known(worst.agent.knows)
    if mapped := [name for name in inferred if name in worst.agent.knows]:
        knows += f", and what became of each {' and '.join(mapped)},"
    links = f"{amount(found.expected)} of {plural(found.records, 'record')}"
    yield (
        f"Whoever knows {knows} can expect to link {links} correctly"
        f" ({percent(found.rate)})."
    )
    if found.singled_out:
        yield f"{plural(found.singled_out, 'record')} can come from one original only."
    else:
        at = f"no original is given more than {found.highest}"
        yield (
            "Nobody is singled out: every record has at least"
            f" {plural(found.smallest, 'candidate')}, {at}."
        )


def _attackers(report: RiskReport) -> Iterator[str]:
    above = [f">= {decimal(bound, 4)}" for bound in report.thresholds]
    rows = [["attacker", "fewest", "highest", "bits", "correct", "", *above, "knows"]]
    for risk in report.attackers:
        found = risk.outcomes
        shares = [percent(share.share) for share in risk.shares]
        bits = decimal(
            Fraction(float(found.nonspecificity) / math.log(2)), 2
        )  # for display only
        figures = [
            f"{found.smallest:,}",
            short(found.highest),
            bits,
            amount(found.expected),
            percent(found.rate),
        ]
        rows.append([_called(risk), *figures, *shares, known(risk.agent.knows)])
    yield from aligned(rows)
    yield (
        "  fewest candidates of a record, highest probability of an original, mean"
        " nonspecificity in bits,"
    )
    yield (
        "  expected correct links, and the share of records with a probability at or"
        " above each threshold"
    )


def known(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def _called(risk: AttackerRisk) -> str:
    """An attacker's name; one that is given by attributes needs none."""
    return "" if risk.agent.name == ",".join(risk.agent.knows) else risk.agent.name


def _figures(report: RiskReport) -> Iterator[str]:
    """The figures that other tools compute, under their names."""
    rows = [
        ["", "prosecutor", "", "journalist", "", "marketer", "global risk"],
        ["", "highest", "average", "highest", "average", "average", "(sdcMicro)"],
    ]
    for risk in report.attackers:
        found = risk.figures
        shares = [
            share
            for figure in (found.prosecutor, found.journalist)
            for share in (figure.highest, figure.average)
        ]
        label = _called(risk) or known(risk.agent.knows)
        rows.append([label, *map(percent, (*shares, found.marketer, found.overall))])
    yield "As ARX and sdcMicro have them:"
    yield from aligned(rows, "right")
    if report.population:
        yield f"  journalist and marketer: {report.population} is the population"


def _curve(curve: Curve) -> Iterator[str]:
    yield (
        "The more an attacker knows (of each number of attributes, those that link"
        " most):"
    )
    rows = []
    for point in curve.worst:
        found = point.outcomes
        bar = "#" * int(20 * found.rate)
        links = amount(found.expected), percent(found.rate)
        rows.append(
            [str(len(point.attributes)), *links, f"{bar:20}", known(point.attributes)]
        )
    yield from aligned(rows)


def _uniques(some: Uniques, found: Reidentification) -> Iterator[str]:
    limit = (
        ""
        if some.complete
        else (
            f" (of at most {plural(some.searched, 'attribute')}: larger ones are not"
            " listed)"
        )
    )
    if not some.found:
        yield f"No combination of attributes leaves one candidate{limit}."
        return
    yield f"The smallest combinations that leave one candidate{limit}:"
    rows = []
    for exposure in some.worst(MOST):
        people = [found.released.say(row) for row in exposure.rows[:MOST].tolist()]
        more = (
            f" and {len(exposure.rows) - MOST:,} more"
            if len(exposure.rows) > MOST
            else ""
        )
        who = "" if found.redact else ", ".join(people) + more
        rows.append([known(exposure.attributes), f"{len(exposure.rows):,}", who])
    yield from aligned(rows)
    if len(some.found) > MOST:
        share = percent(Fraction(len(some.exposed), some.records))
        yield (
            f"  and {len(some.found) - MOST:,} more; in all they expose"
            f" {len(some.exposed):,} records ({share})"
        )


def _records(
    report: RiskReport, worst: AttackerRisk, found: Reidentification
) -> Iterator[str]:
    yield f"The records at greatest risk from whoever knows {known(worst.agent.knows)}:"
    true = report.linkage.truth.rows
    for row in worst.most_at_risk(MOST):
        outcome = worst.record(row)
        origin = (
            f" (from {found.original.say(int(true[row]))})"
            if report.linkage.truth.known
            else ""
        )
        source = found.released.say(row) + origin
        if outcome.size == 1:
            yield f"  {source}: the only candidate"
        else:
            told = (
                f"{outcome.size:,} candidates, the likeliest with"
                f" {short(outcome.highest)}"
            )
            own = (
                ""
                if outcome.own == outcome.highest
                else f", the true one with {short(outcome.own)}"
            )
            yield f"  {source}: {told}{own}"


def aligned(rows: Sequence[Sequence[str]], last: str = "left") -> Iterator[str]:
    """Lines of columns: numbers to the right, the first and the last column to the
    left.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, len(widths) - 1} if last == "left" else {0}
    for row in rows:
        both = enumerate(zip(row, widths, strict=True))
        cells = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in both
            if width
        ]
        yield "  " + "  ".join(cells).rstrip()


def short(value: Fraction) -> str:
    """A fraction as it is where it is short, else rounded; what is not 0 and not 1 is
    never shown as such.
    """
    if max(abs(value.numerator), value.denominator) < 10**7 and len(str(value)) <= 7:
        return str(value)
    if 0 < value < Fraction(1, 2000):
        return f"~{decimal_text(value, 2)}"
    return ">0.9999" if Fraction(9999, 10000) < value < 1 else f"~{decimal(value, 4)}"


def decimal(value: Fraction, digits: int = 1) -> str:
    """A number rounded to so many digits after the point, without zeros at the end."""
    scaled = round(value * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    tail = f"{part:0{digits}d}".rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole:,}" + (f".{tail}" if tail else "")


def amount(value: Fraction) -> str:
    """An expected number of records, with more digits where it is small."""
    return decimal(value, 2 if value < 10 else 1)


def percent(value: Fraction) -> str:
    """A share, rounded; what is not 0 and not 1 is never shown as such."""
    if 0 < value < Fraction(1, 2000):
        return "<0.1%"
    if Fraction(1999, 2000) < value < 1:
        return ">99.9%"
    return f"{decimal(100 * value)}%"
