"""What was measured of a release as a page."""

from __future__ import annotations

from phverify.measurement.result import Measurement
from phverify.report.page import (
    Banner,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    Tone,
)
from phverify.report.portraits import measured_table, public_measured
from phverify.words import plural

EXPLAINED = (
    "For each criterion: the strictest threshold at which all classes satisfy it. Rows"
    " with the same quasi-identifiers form a class. All numbers are exact, or stand"
    " between two ends that are."
)
ROUNDED = (
    "In the public form thresholds are rounded to the side on which they promise less,"
    " and what could tell of small classes is left out."
)


def to_page(measurement: Measurement, public: bool = False) -> Page:
    """The page of a measurement."""
    blocks: list[PageBlock] = [Paragraph(EXPLAINED)]
    if public:
        blocks += [Paragraph(ROUNDED), public_measured(measurement.measured)]
    else:
        blocks += [Remark("Warning", text, "open") for text in measurement.warnings]
        blocks.append(measured_table(measurement.measured, measurement.suppressed))
    sentence = f"{measurement.counted()}: how strict could the policy be?"
    tone: Tone = "plain" if measurement.complete else "open"
    return Page(
        title="How strict a policy could this release keep?",
        subject=_subject(measurement, public),
        verdict=Banner("MEASURED", sentence, tone),
        sections=(PageSection("Thresholds", tuple(blocks)),),
        public=public,
    )


def _subject(measurement: Measurement, public: bool) -> str:
    rows = plural(measurement.rows, "row")
    # a path may name people, too, and few classes are as rare
    if public:
        return f"The release: {rows}"
    classes = plural(measurement.classes, "class")
    return f"{measurement.release}: {rows} in {classes}"
