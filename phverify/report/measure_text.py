"""What was measured of a release as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.errors import printable
from phverify.measurement.result import MeasuredClass, MeasuredCriterion, Measurement
from phverify.report.thresholds import measured_text
from phverify.words import cell, plural


def to_lines(measurement: Measurement) -> list[str]:
    """One line for each criterion, with the class that forces it."""
    return [printable(line) for line in _lines(measurement)]


def _lines(measurement: Measurement) -> Iterator[str]:
    rows = plural(measurement.rows, "row")
    classes = plural(measurement.classes, "class")
    yield f"{measurement.release}: {rows}, {classes}"
    for warning in measurement.warnings:
        yield f"  warning: {warning}"
    yield ""
    for one in measurement.measured:
        yield f"{one.criterion}: {measured_text(one)}"
        if one.cls is not None:
            yield f"    forced by: {forced_by(one.cls, measurement.suppressed)}"
        yield from asked_lines(one)


def asked_lines(one: MeasuredCriterion) -> Iterator[str]:
    """What each rule asks of a criterion."""
    for asked in one.asked:
        verdict = "all classes satisfy it" if asked.kept else "some class breaks it"
        parameter = one.threshold.parameter if one.threshold else ""
        yield f"    rule {asked.rule} asks {asked.wanted(parameter)}: {verdict}"


def forced_by(cls: MeasuredClass, suppressed: tuple[str, ...]) -> str:
    """A class by its quasi-identifiers; what is * everywhere says nothing."""
    values = []
    for name, value in cls.values.items():
        if name not in suppressed:
            values.append(f"{name} = {cell(value)}")
    where = ", ".join(values) or "everyone"
    return f"{where} ({plural(cls.rows, 'row')})"
