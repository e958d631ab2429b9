"""Whose policy it is: of a table that is released, or of queries that are answered."""

from __future__ import annotations

from phverify.errors import refusal
from phverify.spec.source import Plain

AUDITED = ("table", "key", "public", "sensitive", "protect")
"""What the policy of ``phverify audit`` says, and none of ``verify``."""


def for_tables(data: Plain, source: str) -> None:
    """Raises InputError for what is rather the policy of ``phverify audit``."""
    if "columns" in data or "rules" in data:
        return
    # a single word of these may be a misspelt section
    if sum(name in data for name in AUDITED) < 2:
        return
    what = "is the policy of an audit: it says what is protected from queries"
    hint = (
        "phverify audit takes it; a policy for a table has [columns] (roles) and"
        " [rules]"
    )
    raise refusal(source, what, hint)


def for_queries(data: Plain, source: str) -> None:
    """Raises InputError for what is rather a policy for tables."""
    if any(name in data for name in ("table", "key", "protect")):
        return
    if "columns" not in data and "rules" not in data:
        return
    what = "is a policy for a table, not for an audit: it says what is released"
    hint = (
        "phverify verify takes it; the policy of an audit has table, key and [protect]"
    )
    raise refusal(source, what, hint)
