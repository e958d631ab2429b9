"""What ``lint`` found as a page."""

from __future__ import annotations

from collections import Counter

from phverify.comparison.findings import Lint, LintFinding
from phverify.report.page import (
    Banner,
    CodeText,
    DataTable,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    TableColumn,
    Tone,
)
from phverify.words import plural

VERDICTS: dict[str, tuple[str, Tone]] = {
    "clean": (
        "Nothing was found that keeps a rule from meaning what it says. Whether the"
        " rules ask for enough is for people to judge.",
        "good",
    ),
    "findings": ("Some rules of the policy do not mean what they seem to.", "bad"),
    "undecided": ("It is not known whether every rule means what it says.", "open"),
}
"""What a lawyer reads first, and its colour."""


def to_page(lint: Lint, public: bool = False) -> Page:
    """The page of the findings; they quote the policy, and a public one counts them."""
    sentence, tone = VERDICTS[lint.verdict]
    rules = plural(lint.rules, "rule")
    sections = [] if public else [_finding(one) for one in lint.findings]
    return Page(
        title="Do the rules of this policy mean what they say?",
        subject=rules if public else f"{lint.policy}: {rules}",
        verdict=Banner(lint.verdict.upper(), sentence, tone),
        sections=(PageSection("What was found", _counted(lint), tuple(sections)),),
        public=public,
    )


def _counted(lint: Lint) -> tuple[PageBlock, ...]:
    """How many findings there are of each kind."""
    kinds = Counter(finding.kind for finding in lint.findings)
    rows = tuple((kind, f"{count:,}") for kind, count in kinds.items())
    blocks: list[PageBlock] = [Paragraph("Nothing to complain about.")]
    if rows:
        columns = (TableColumn("kind"), TableColumn("findings", number=True))
        blocks = [DataTable("Findings by their kind", columns, rows)]
    if lint.aside:
        text = f"{plural(len(lint.aside), 'rule')} that ask about one release"
        blocks.append(Remark("Not looked at", text))
    return tuple(blocks)


def _finding(finding: LintFinding) -> PageSection:
    """One finding with its ground, and what shows it."""
    blocks: list[PageBlock] = [Paragraph(finding.what)]
    if finding.why:
        blocks.append(Paragraph(finding.why))
    if finding.evidence:
        blocks.append(CodeText(finding.evidence))
    return PageSection(f"{finding.kind}: {', '.join(finding.rules)}", tuple(blocks))
