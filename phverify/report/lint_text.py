"""What ``lint`` found, as lines of plain text."""

from __future__ import annotations

from phverify.comparison.findings import Lint
from phverify.errors import printable
from phverify.words import plural


def to_lines(found: Lint) -> list[str]:
    """The findings as text; the first line says how many there are."""
    rules = plural(found.rules, "rule")
    if found.aside:
        aside = [
            f"  not looked at: {', '.join(found.aside)} (never_known asks about one"
            " release)"
        ]
    else:
        aside = []
    if not found.findings:
        return [
            printable(line)
            for line in (
                f"CLEAN  {found.policy}: {rules}, nothing to complain about",
                *aside,
            )
        ]
    real = sum(f.kind != "open" for f in found.findings)
    head = "FINDINGS" if real else "UNDECIDED"
    lines = [
        (
            f"{head}  {found.policy}: {rules}, {plural(real, 'finding')},"
            f" {len(found.findings) - real} open"
        ),
        *aside,
    ]
    for f in found.findings:
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
