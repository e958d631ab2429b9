"""Commands to begin with, at the end of each verb's help; a test runs them all."""

from __future__ import annotations

FOLDER = "examples/hospital"
"""Where they work, once ``phverify demo --write examples`` has written the files."""
_AUDIT = "--database ../bank/accounts.csv --log ../bank/queries.sql"
_ROLES = "--quasi birth,zip --sensitive income,health"
EXAMPLES = {
    "verify": (
        "phverify verify release.csv --policy policy.toml",
        "phverify verify repaired.csv --policy policy.toml --certificate proof.json",
        f"phverify verify release.csv {_ROLES} --rule 'k_anonymity(2)'",
    ),
    "measure": ("phverify measure release.csv --policy policy.toml",),
    "init": ("phverify init original.csv --yes --output first.toml",),
    "search": (
        "phverify search original.csv --policy policy.toml --output best.csv",
        "phverify search original.csv --policy policy.toml --space tuples --budget 5",
        "phverify search original.csv --policy policy.toml --tradeoff k=2..4",
    ),
    "check": (
        "phverify verify repaired.csv --policy policy.toml --certificate proof.json",
        "phverify check proof.json --release repaired.csv",
    ),
    "compare": ("phverify compare 'k_anonymity(3)' 'k_anonymity(2)'",),
    "compare-data": (
        "phverify compare-data original.csv release.csv --policy policy.toml",
    ),
    "lint": ("phverify lint policy.toml --table original.csv",),
    "audit": (
        "phverify audit --demo bank",
        f"phverify audit {_AUDIT} --policy ../bank/audit.toml",
    ),
    "reidentify": (
        "phverify reidentify original.csv release.csv --policy policy.toml",
    ),
    "mechanism": (
        "phverify mechanism --demo",
        "phverify mechanism ../survey/survey.csv --epsilon 'ln(3)'",
    ),
    "demo": ("phverify demo", "phverify demo --write examples"),
    "completion": ("phverify completion bash > phverify.bash",),
}


def examples(verb: str) -> str:
    """The end of a verb's help."""
    lines = [f"examples, in {FOLDER} of phverify demo --write examples:"]
    lines += [f"  {command}" for command in EXAMPLES[verb]]
    return "\n".join(lines)
