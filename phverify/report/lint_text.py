"""What ``lint`` found, as lines of plain text."""

from __future__ import annotations

from phverify.comparison.findings import Lint
from phverify.errors import printable
from phverify.words import plural


def to_lines(lint: Lint) -> list[str]:
    """The findings as text; the first line says how many there are."""
    rules = plural(lint.rules, "rule")
    if lint.aside:
        aside = [
            f"  not looked at: {', '.join(lint.aside)} (never_known and"
            " reference=original ask about one release)"
        ]
    else:
        aside = []
    if not lint.findings:
        return [
            printable(line)
            for line in (
                f"CLEAN  {lint.policy}: {rules}, nothing to complain about",
                *aside,
            )
        ]
    # what is open is a question left, no finding
    real = sum(f.kind != "open" for f in lint.findings)
    head = "FINDINGS" if real else "UNDECIDED"
    lines = [
        (
            f"{head}  {lint.policy}: {rules}, {plural(real, 'finding')},"
            f" {len(lint.findings) - real} open"
        ),
        *aside,
    ]
    for f in lint.findings:
        lines += [
            "",
            (
                f"  {f.kind}:"
                f" {f.rules[0] if f.kind != 'contradictory' else ', '.join(f.rules)}"
            ),
            f"    {f.what}",
        ]
        lines += [f"    {f.why}"] if f.why else []
        lines += [f"    {line}" for line in f.evidence]
    return [printable(line) for line in lines]
