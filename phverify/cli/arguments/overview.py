"""``phverify --help``: the verbs by what they are for, and where to begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

GROUPS = {
    "before a release": ("init", "lint", "search", "verify", "measure"),
    "a release and its original": ("compare-data", "reidentify"),
    "answers instead of a release": ("audit", "mechanism"),
    "promises and proofs": ("compare", "check"),
    "to begin with": ("demo", "completion"),
}
"""Every verb, in the groups in which help shows them."""
BEGIN = (
    "phverify demo",
    "phverify init people.csv",
    "phverify verify release.csv --policy policy.toml",
    "phverify search people.csv --policy policy.toml --output release.csv",
)
CODES = (
    "exit codes: 0 proved (optimal, accepted, safe, clean), 1 refuted (infeasible,",
    "disclosed, findings), 2 bad input, 3 undecided, 4 a defect in phverify",
)


def overview(purposes: Mapping[str, str]) -> Iterator[str]:
    """The lines of help between usage and options; ``purposes`` are those of verbs."""
    widest = max(map(len, purposes))
    for group, verbs in GROUPS.items():
        yield f"{group}:"
        for verb in verbs:
            yield f"  {verb:<{widest}}  {purposes[verb]}"
        yield ""
    yield "examples:"
    for command in BEGIN:
        yield f"  {command}"
    yield ""
    yield from CODES
    yield "phverify COMMAND --help shows what a command takes, with examples."
