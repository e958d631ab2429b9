"""``lint`` and ``compare`` stop near the budget, also where no solver looks at the
clock.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

import phverify as ph
from phverify.comparison import linter

LONGEST = 120.0
"""Seconds after which nobody has stopped what stops within two: no machine is so busy."""


def policy(**rules: str) -> ph.Policy:
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    return ph.Policy.from_dict({"columns": columns, "rules": rules})


def never_ready(*_: object, **__: object) -> Any:
    """What is too long to be read, and never looks at the clock."""
    end = time.monotonic() + 3 * LONGEST
    while time.monotonic() < end:
        sum(range(1000))
    pytest.fail("nobody has stopped it")


def test_what_is_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "joined", never_ready)
    start = time.monotonic()
    found = ph.lint(policy(one="k_anonymity(2)", two="k_anonymity(3)"), budget=0.5)
    assert time.monotonic() - start < LONGEST
    reasons = {finding.why for finding in found.findings if finding.kind == "open"}
    assert reasons == {"its share of the budget of 0.5 s ran out"}


def test_many_conjuncts() -> None:
    rule = " & ".join(f"l_a1(s = '{k}') <= 1/2" for k in range(3000))
    long = policy(long=rule)
    start = time.monotonic()
    found = ph.lint(long, budget=0.5)
    assert time.monotonic() - start < LONGEST
    assert {"open"} <= {finding.kind for finding in found.findings}


def test_tables_are_not_looked_for_beyond_the_budget() -> None:
    """Where nothing can be asked of a number of rows, the next one is next, in time."""
    rule = " & ".join(f"l_a1(s = '{k}') <= 1/2" for k in range(300))
    start = time.monotonic()
    found = ph.compare(policy(one=rule), policy(two="k_anonymity(2)"), budget=1)
    assert time.monotonic() - start < LONGEST
    assert found.verdict != "implies"
