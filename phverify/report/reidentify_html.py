"""What ``reidentify`` found as a page: the risk of a release, or the verdict on a
linkage method.
"""

from __future__ import annotations

from phverify.linkage.result import Reidentification
from phverify.report.method_html import method_banner, method_sections
from phverify.report.page import Page
from phverify.report.risk_html import risk_banner, risk_sections
from phverify.words import plural


def to_page(result: Reidentification, public: bool = False) -> Page:
    """The page of the answer; a public one names no record, no file, nobody who attacks
    and no combination that singles somebody out.
    """
    if result.method:
        judged = plural(result.method.judged, "released record")
        return Page(
            title="Can this linkage method be relied on?",
            subject=f"Answers for {judged}",
            verdict=method_banner(result.method),
            sections=tuple(method_sections(result, public)),
            public=public,
        )
    report = result.risk
    # without a method the risk was asked for
    assert report is not None
    released = plural(report.released, "released record")
    return Page(
        title="How well could attackers link these records to people?",
        subject=f"{released}, linked with {report.originals:,} of the original",
        verdict=risk_banner(report),
        sections=tuple(risk_sections(result, public)),
        public=public,
    )
