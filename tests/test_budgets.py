"""Budgets: what is no number of seconds is refused by every verb, and one deadline holds for all that a verb does."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phverify as ph
from phverify.cli import main
from phverify.compare.matrix import matrix
from phverify.smt.solver import deadline_of

EXAMPLES = Path(ph.__file__).parent / "examples"
HOSPITAL, BANK = EXAMPLES / "hospital", EXAMPLES / "bank"
ORIGINAL, RELEASE, POLICY = (HOSPITAL / name for name in ("original.csv", "release.csv", "policy.toml"))
AUDITED = (BANK / "accounts.csv", BANK / "queries.sql", BANK / "audit.toml")


def certified(budget: Any) -> Any:
    return ph.certify(ph.verify(RELEASE, POLICY), RELEASE, POLICY, budget=budget)


VERBS: dict[str, Callable[[Any], Any]] = {
    "verify": lambda budget: ph.verify(RELEASE, POLICY, budget=budget),
    "search": lambda budget: ph.search(ORIGINAL, POLICY, budget=budget),
    "certify": certified,
    "compare": lambda budget: ph.compare("k_anonymity(2)", "k_anonymity(3)", budget=budget),
    "matrix": lambda budget: matrix(2, budget),
    "lint": lambda budget: ph.lint(POLICY, budget=budget),
    "audit": lambda budget: ph.audit(*AUDITED, budget=budget),
    "reidentify": lambda budget: ph.reidentify(ORIGINAL, RELEASE, POLICY, method=HOSPITAL / "links.csv", budget=budget),
}
NO_BUDGETS = [0, -3, 0.0, -0.0, math.nan, math.inf, -math.inf, "20", "", True, False, [20], Decimal(20), np.True_, 1j]


@pytest.mark.parametrize("budget", NO_BUDGETS, ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_budget_is_refused(verb: str, budget: Any) -> None:
    with pytest.raises(ph.InputError) as error:
        VERBS[verb](budget)
    (problem,) = error.value.problems
    assert problem.where == "budget"
    assert problem.what == f"is a number of seconds above 0, not {budget!r}"
    assert "20 seconds" in problem.hint


@pytest.mark.parametrize("budget", [None, 20, 0.5, Fraction(1, 3), np.int64(7), np.float32(2.5), 1e300])
def test_what_is_a_budget(budget: Any) -> None:
    assert deadline_of(budget).seconds == (None if budget is None else float(budget))


def test_a_budget_longer_than_any_float_is_no_limit() -> None:
    assert deadline_of(10**400).left() is None


COMMANDS = [
    ("verify", str(RELEASE), "--policy", str(POLICY)),
    ("search", str(ORIGINAL), "--policy", str(POLICY)),
    ("compare", "k_anonymity(2)", "k_anonymity(3)"),
    ("compare", "--matrix"),
    ("lint", str(POLICY)),
    ("audit", "--demo", "bank"),
    ("reidentify", str(ORIGINAL), str(RELEASE), "--policy", str(POLICY), "--method", str(HOSPITAL / "links.csv")),
]


@pytest.mark.parametrize("budget", ["0", "-3", "nan", "inf", "ten", "", "20s", "50%", "1/0", "True", "1e-400", "²"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_what_is_no_budget_on_the_command_line(
    command: tuple[str, ...], budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, f"--budget={budget}"]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    (told, hint) = said.splitlines()
    assert told.startswith(f"phverify: --budget: is a number of seconds above 0, not {budget!r}")
    assert "--budget 20" in hint
