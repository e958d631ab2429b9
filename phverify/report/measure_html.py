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
from phverify.report.portraits import (
    SMALL,
    measured_table,
    public_measured,
    worded_criteria,
)
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
    blocks += worded_criteria(measurement.measured, public)
    counted = f"{measurement.counted()}: how strict each could be stands below."
    sentence = f"{_alike(measurement, public)} {counted}".strip()
    tone: Tone = "plain" if measurement.complete else "open"
    return Page(
        title="How strict a policy could this release keep?",
        subject=_subject(measurement, public),
        verdict=Banner("MEASURED", sentence, tone),
        sections=(PageSection("Thresholds", tuple(blocks)),),
        public=public,
    )


def _alike(measurement: Measurement, public: bool) -> str:
    """How many share their quasi-identifiers, where that was measured."""
    for one in measurement.measured:
        threshold = one.threshold
        if one.name != "k_anonymity" or threshold is None or threshold.value is None:
            continue
        if threshold.value == 1 and not public:
            return "Somebody's quasi-identifiers are nobody else's (k = 1)."
        if threshold.value < SMALL and public:
            return ""
        return (
            f"Every person is hidden among at least {threshold.value} people with the"
            " same quasi-identifiers."
        )
    return ""


def _subject(measurement: Measurement, public: bool) -> str:
    rows = plural(measurement.rows, "row")
    # a path may name people, too, and few classes are as rare
    if public:
        return f"The release: {rows}"
    classes = plural(measurement.classes, "class")
    return f"{measurement.release}: {rows} in {classes}"
