"""What ``reidentify`` found as a page: the risk of a release, or the verdict on a
linkage method.
"""

from __future__ import annotations

from phverify.linkage.result import Reidentification
from phverify.report.method_html import method_banner, method_sections
from phverify.report.page import Page
from phverify.report.risk_html import risk_banner, risk_sections
from phverify.report.risk_public import public_banner, public_sections
from phverify.words import plural


def to_page(result: Reidentification, public: bool = False) -> Page:
    """The page of the answer; a public one names no record, no file, nobody who attacks
    and no combination that singles somebody out.
    """
    if result.method:
        return Page(
            title="Can this linkage method be relied on?",
            subject="Each answer beside what is known of the records",
            verdict=method_banner(result.method, public),
            sections=tuple(method_sections(result, public)),
            public=public,
        )
    report = result.risk
    # without a method the risk was asked for
    assert report is not None
    released = (
        "the released records" if public else plural(report.released, "released record")
    )
    if public:
        verdict, sections = public_banner(report), public_sections(report)
    else:
        verdict, sections = risk_banner(report), risk_sections(result)
    return Page(
        title="How well could attackers link these records to people?",
        subject=f"{released}, linked with {report.originals:,} of the original",
        verdict=verdict,
        sections=tuple(sections),
        public=public,
    )
