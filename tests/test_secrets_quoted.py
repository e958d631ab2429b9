"""The owner of a secret in single quotes is the person of that identifier for every
verb: ``"'Ann'"`` and ``"Ann"`` are one.
"""

from __future__ import annotations

from typing import Any

import pytest

import phverify as ph

RULE = "@'Ann' ~[a1] ill = flu"


def policy(who: str, rule: str) -> dict[str, Any]:
    return {
        "columns": {"quasi": ["zip"], "sensitive": ["ill"], "identifier": "name"},
        "secrets": {who: ["ill = flu"]},
        "rules": {"r": rule},
    }


@pytest.mark.parametrize("who", ["Ann", "'Ann'"])
def test_a_quoted_owner_is_compared_as_that_person(who: str) -> None:
    safe, direct = policy(who, "logical_safety()"), policy("'Ann'", RULE)
    assert ph.compare(safe, direct).verdict == "implies"
    assert ph.compare(direct, safe).verdict == "implies"
    weak = policy(who, "k_anonymity(2)")
    found = ph.compare(weak, policy("Ann", "logical_safety()"))
    assert found.verdict == "separated"


@pytest.mark.parametrize("who", ["Ann", "'Ann'"])
def test_lint_finds_what_is_uncovered_for_a_quoted_owner(who: str) -> None:
    findings = ph.lint(policy(who, "k_anonymity(2)")).findings
    assert "uncovered" in {one.kind for one in findings}
