"""What ``reidentify`` found as lines of plain text and as JSON: pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from phverify.errors import printable
from phverify.linkage.candidates.attackers import Curve
from phverify.linkage.methods.number_text import decimal_text
from phverify.linkage.result import Reidentification
from phverify.linkage.risk.assess import RiskReport
from phverify.linkage.risk.outcomes import AttackerRisk, LinkOutcome
from phverify.linkage.risk.uniques import Exposure, Uniques
from phverify.words import plural

HEADING = 12
"""Characters of a threshold in a heading, where the exact value has no more."""
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


def risk_lines(result: Reidentification) -> list[str]:
    """The risk of a release: in a sentence, for each attacker, by what is known, and
    who is exposed.
    """
    report = result.risk
    assert report is not None
    inferred = report.linkage.inferred
    # who can expect to link most: the summary and the names are about them
    worst = max(report.attackers, key=lambda risk: risk.outcomes.expected)
    parts = [
        _head(report),
        _summary(worst, inferred),
        _attackers(report),
        _figures(report),
    ]
    if report.curve:
        parts.append(_curve(report.curve))
    if report.uniques:
        parts.append(_uniques(report.uniques, result))
    if not result.redact:
        parts.append(_records(report, worst, result))
    parts.append(_covers(inferred))
    lines: list[str] = []
    for part in parts:
        lines += [*part, ""]

    # the last part has no empty line after it
    return list(map(printable, lines[:-1]))


def _covers(inferred: Sequence[str]) -> Iterator[str]:
    """Which attackers the figures are about."""
    read = ""
    if inferred:
        names = ", ".join(inferred)
        read = f" (of {names} by the mapping above)"
    for line in COVERS:
        yield f"  {line.format(read)}"


def _head(report: RiskReport) -> Iterator[str]:
    """Which tables, and what the figures rest on."""
    linkage = report.linkage
    before, after = linkage.sources
    released = plural(report.released, "record")
    originals = f"{report.originals:,} of {before}"
    yield f"{after}: {released}, linked with {originals}"
    for note in report.notes:
        yield f"  {note}"
    for line in undeclared(linkage.inferred):
        yield f"  {line}"


def undeclared(names: Sequence[str]) -> Iterator[str]:
    """What is said of columns whose cells are read by a mapping that nobody
    declared.
    """
    if names:
        listed = ", ".join(names)
        yield (
            f"{listed}: nothing is declared; read by the mapping that explains the"
            " release"
        )
        yield from UNDECLARED


def _summary(worst: AttackerRisk, inferred: Sequence[str]) -> Iterator[str]:
    """The one sentence that a reader takes away."""
    outcomes = worst.outcomes
    agent = worst.agent
    knows = known(agent.knows)
    mapped = [name for name in inferred if name in agent.knows]
    if mapped:
        knows += f", and what became of each {' and '.join(mapped)},"
    expected = amount(outcomes.expected)
    records = plural(outcomes.records, "record")
    links = f"{expected} of {records}"
    rate = percent(outcomes.rate)
    yield f"Whoever knows {knows} can expect to link {links} correctly ({rate})."
    if outcomes.singled_out:
        alone = plural(outcomes.singled_out, "record")
        yield f"{alone} can come from one original only."
        return
    fewest = plural(outcomes.smallest, "candidate")
    at = f"no original is given more than {outcomes.highest}"
    yield f"Nobody is singled out: every record has at least {fewest}, {at}."


def _attackers(report: RiskReport) -> Iterator[str]:
    """A line for each attacker."""
    above = [at_least(bound) for bound in report.thresholds]
    rows = [["attacker", "fewest", "highest", "bits", "correct", "", *above, "knows"]]
    rows += map(_attacker, report.attackers)
    yield from aligned(rows)
    yield (
        "  fewest candidates of a record, highest probability of an original, mean"
        " nonspecificity in bits,"
    )
    yield (
        "  expected correct links, and the share of records with a probability at or"
        " above each threshold"
    )


def _attacker(risk: AttackerRisk) -> list[str]:
    """The figures of one attacker as cells."""
    outcomes = risk.outcomes
    bits = float(outcomes.nonspecificity) / math.log(2)  # for display only
    return [
        called(risk),
        f"{outcomes.smallest:,}",
        short(outcomes.highest),
        decimal(Fraction(bits), 2),
        amount(outcomes.expected),
        percent(outcomes.rate),
        *(percent(share.share) for share in risk.shares),
        known(risk.agent.knows),
    ]


def known(names: Sequence[str]) -> str:
    """What an attacker knows, as text."""
    return ", ".join(names) or "nothing"


def called(risk: AttackerRisk) -> str:
    """An attacker's name; one that is given by attributes needs none."""
    name = risk.agent.name
    attributes = ",".join(risk.agent.knows)
    if name == attributes:
        return ""
    return name


def _figures(report: RiskReport) -> Iterator[str]:
    """The figures that other tools compute, under their names."""
    rows = [
        ["", "prosecutor", "", "journalist", "", "marketer", "global risk"],
        ["", "highest", "average", "highest", "average", "average", "(sdcMicro)"],
    ]
    for risk in report.attackers:
        label = called(risk) or known(risk.agent.knows)
        rows.append([label, *map(percent, risk.figures.shares)])

    yield "As ARX and sdcMicro have them:"
    yield from aligned(rows, "right")
    if report.population:
        yield f"  journalist and marketer: {report.population} is the population"


def _curve(curve: Curve) -> Iterator[str]:
    """The worst attacker of each size, with a bar for the share of correct links."""
    yield (
        "The more an attacker knows (of each number of attributes, those that link"
        " most):"
    )
    rows = []
    for point in curve.worst:
        outcomes = point.outcomes
        # 20 signs are all records
        bar = "#" * int(20 * outcomes.rate)
        row = [
            str(len(point.attributes)),
            amount(outcomes.expected),
            percent(outcomes.rate),
            f"{bar:20}",
            known(point.attributes),
        ]
        rows.append(row)

    yield from aligned(rows)


def _uniques(some: Uniques, result: Reidentification) -> Iterator[str]:
    """The smallest combinations, whom they single out, and how many more there are."""
    limit = ""
    if not some.complete:
        most = plural(some.searched, "attribute")
        limit = f" (of at most {most}: larger ones are not listed)"
    if not some.found:
        yield f"No combination of attributes leaves one candidate{limit}."
        return
    yield f"The smallest combinations that leave one candidate{limit}:"
    rows = []
    for exposure in some.worst(MOST):
        exposed = f"{exposure.records:,}"
        who = "" if result.redact else _who(exposure, result)
        row = [known(exposure.attributes), exposed, who]
        rows.append(row)

    yield from aligned(rows)
    left = len(some.found) - MOST
    if left > 0:
        in_all = some.exposed_records
        # one record may be exposed by many combinations
        share = percent(Fraction(in_all, some.records))
        yield f"  and {left:,} more; in all they expose {in_all:,} records ({share})"


def _who(exposure: Exposure, result: Reidentification) -> str:
    """The first records that a combination singles out."""
    first = np.array(exposure.first(MOST), dtype=np.int64)
    who = ", ".join(result.released.say_all(first))
    left = exposure.records - MOST
    if left > 0:
        who += f" and {left:,} more"
    return who


def _records(
    report: RiskReport, worst: AttackerRisk, result: Reidentification
) -> Iterator[str]:
    """The records at greatest risk, by name."""
    knows = known(worst.agent.knows)
    yield f"The records at greatest risk from whoever knows {knows}:"
    truth = report.linkage.truth
    for row in worst.most_at_risk(MOST):
        source = result.released.say(row)
        # no true record is named where it is one of several
        if truth.known:
            original = result.original.say(truth.original(row))
            source += f" (from {original})"
        outcome = worst.record(row)
        yield f"  {source}: {chances(outcome)}"


def chances(outcome: LinkOutcome) -> str:
    """What the attacker makes of a record."""
    if outcome.size == 1:
        return "the only candidate"
    highest = short(outcome.highest)
    text = f"{outcome.size:,} candidates, the likeliest with {highest}"
    if outcome.own != outcome.highest:
        text += f", the true one with {short(outcome.own)}"

    return text


def aligned(rows: Sequence[Sequence[str]], last: str = "left") -> Iterator[str]:
    """Lines of columns: numbers to the right, the first and the last column to the
    left; empty columns are left out.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, len(widths) - 1} if last == "left" else {0}
    for row in rows:
        cells: list[str] = []
        for k, width in enumerate(widths):
            if width:
                cell = row[k]
                cells.append(cell.ljust(width) if k in left else cell.rjust(width))
        yield "  " + "  ".join(cells).rstrip()


def short(value: Fraction) -> str:
    """A fraction as it is where it is short, else rounded; what is not 0 and not 1 is
    never shown as such.
    """
    largest = max(abs(value.numerator), value.denominator)
    # digits are counted only where there are few
    if largest < 10**7 and len(str(value)) <= 7:
        return str(value)
    if 0 < value < Fraction(1, 2000):
        return f"~{decimal_text(value, 2)}"
    # rounded it would be 1, and 1 is certainty
    if Fraction(9999, 10000) < value < 1:
        return ">0.9999"

    return f"~{decimal(value, 4)}"


def decimal(value: Fraction, digits: int = 1) -> str:
    """A number rounded to so many digits after the point, without zeros at the end."""
    # a fraction is rounded exactly: a float could show another digit
    scaled = round(value * 10**digits)
    whole, part = divmod(abs(scaled), 10**digits)
    sign = "-" if scaled < 0 else ""
    tail = f"{part:0{digits}d}".rstrip("0")
    point = "." if tail else ""
    return f"{sign}{whole:,}{point}{tail}"


def at_least(bound: Fraction) -> str:
    """The heading of a threshold: the exact value, unless it is too long to be read."""
    rounded = decimal(bound, 4)
    if Fraction(rounded) == bound:
        return f">= {rounded}"
    # Only a number of few digits is written out to see how long it is.
    largest = max(bound.numerator, bound.denominator)
    if largest < 10**HEADING and len(str(bound)) <= HEADING:
        return f">= {bound}"
    few = decimal_text(bound, HEADING)
    if Fraction(few) == bound:
        return f">= {few}"
    return f">= ~{decimal_text(bound, 4)}"


def amount(value: Fraction) -> str:
    """An expected number of records, with more digits where it is small."""
    digits = 2 if value < 10 else 1
    return decimal(value, digits)


def percent(value: Fraction) -> str:
    """A share, rounded; what is not 0 and not 1 is never shown as such."""
    if 0 < value < Fraction(1, 2000):
        return "<0.1%"
    if Fraction(1999, 2000) < value < 1:
        return ">99.9%"
    return f"{decimal(100 * value)}%"
