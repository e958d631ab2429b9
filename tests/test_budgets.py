"""Budgets: what is no number of seconds is refused by every verb, and one deadline
holds for all that a verb does.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.stopping import StillClock

import phverify as ph
import phverify.cli.verify as verify_command
import phverify.constraints.agree as agree
from phverify.budget import Deadline, OutOfTime, deadline_of, within
from phverify.cli.main import main
from phverify.comparison.matrix import matrix
from phverify.constraints.solver import SolverAnswer
from phverify.errors import BudgetExceeded
from phverify.spec.system import System

EXAMPLES = Path(ph.__file__).parent / "examples"
HOSPITAL, BANK = EXAMPLES / "hospital", EXAMPLES / "bank"
ORIGINAL, RELEASE, POLICY = (
    HOSPITAL / name for name in ("original.csv", "release.csv", "policy.toml")
)
AUDITED = (BANK / "accounts.csv", BANK / "queries.sql", BANK / "audit.toml")


def certified(budget: Any) -> Any:
    return ph.certify(ph.verify(RELEASE, POLICY), RELEASE, POLICY, budget=budget)


VERBS: dict[str, Callable[[Any], Any]] = {
    "verify": lambda budget: ph.verify(RELEASE, POLICY, budget=budget),
    "measure": lambda budget: ph.measure(RELEASE, POLICY, budget=budget),
    "search": lambda budget: ph.search(ORIGINAL, POLICY, budget=budget),
    "certify": certified,
    "compare": lambda budget: ph.compare(
        "k_anonymity(2)", "k_anonymity(3)", budget=budget
    ),
    "matrix": lambda budget: matrix(2, budget),
    "lint": lambda budget: ph.lint(POLICY, budget=budget),
    "audit": lambda budget: ph.audit(*AUDITED, budget=budget),
    "reidentify": lambda budget: ph.reidentify(
        ORIGINAL, RELEASE, POLICY, method=HOSPITAL / "links.csv", budget=budget
    ),
}
NO_BUDGETS = [
    0,
    -3,
    0.0,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    "20",
    "",
    True,
    False,
    [20],
    Decimal(20),
    np.True_,
    1j,
]


@pytest.mark.parametrize("budget", NO_BUDGETS, ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_budget_is_refused(verb: str, budget: Any) -> None:
    with pytest.raises(ph.InputError) as error:
        VERBS[verb](budget)
    (problem,) = error.value.problems
    assert problem.where == "budget"
    given = f"the text {budget!r}" if isinstance(budget, str) else repr(budget)
    assert problem.what == f"is a number of seconds above 0, not {given}"
    # Searches have ten minutes where none is given, lint and compare one.
    assert "no limit" not in problem.hint
    assert "20 seconds" in problem.hint


@pytest.mark.parametrize(
    "budget", [None, 20, 0.5, Fraction(1, 3), np.int64(7), np.float32(2.5), 1e300]
)
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
    (
        "reidentify",
        str(ORIGINAL),
        str(RELEASE),
        "--policy",
        str(POLICY),
        "--method",
        str(HOSPITAL / "links.csv"),
    ),
]


@pytest.mark.parametrize(
    "budget",
    ["0", "-3", "nan", "inf", "ten", "", "20s", "50%", "1/0", "True", "1e-400", "²"],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_what_is_no_budget_on_the_command_line(
    command: tuple[str, ...], budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, f"--budget={budget}"]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    told, hint = said.splitlines()
    assert told.startswith(
        f"phverify: --budget: is a number of seconds above 0, not {budget!r}"
    )
    assert "--budget 20" in hint


# --- one deadline for all
# ------------------------------------------------------------------------------------


def test_verify_and_its_certificate_share_one_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    verify, certify = verify_command.verify, verify_command.certify

    def verified(*arguments: Any, **more: Any) -> Any:
        given.append(arguments[3])
        return verify(*arguments, **more)

    def certified(*arguments: Any, **more: Any) -> Any:
        given.append(more["budget"])
        return certify(*arguments, **more)

    monkeypatch.setattr(verify_command, "verify", verified)
    monkeypatch.setattr(verify_command, "certify", certified)
    arguments = [
        "verify",
        str(RELEASE),
        "--policy",
        str(POLICY),
        "--certificate",
        str(tmp_path / "proof.json"),
    ]
    assert main([*arguments, "--budget", "1000"]) == 1
    # One budget is told; the verdicts end a share of it before the certificate.
    assert given[0].seconds == given[1].seconds == 1000
    assert 90 < given[1].end - given[0].end <= 100


def test_a_certificate_for_which_no_time_is_left() -> None:
    """What needs no proof is certified all the same; the rest is undecided there, with
    the reason.
    """
    report = ph.verify(RELEASE, POLICY)
    found = ph.certify(report, RELEASE, POLICY, budget=deadline_of(1e-9))
    verdicts = {rule["name"]: rule["verdict"] for rule in found["rules"]}
    assert verdicts == {"anonymous": "proved", "safe": "refuted"}


def test_two_solvers_share_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 first, half of it at most; then the other one: both together never longer than
    the deadline.
    """
    asked: list[float | None] = []

    def first(_: str, limit: Deadline) -> SolverAnswer:
        asked.append(limit.left())
        return SolverAnswer("unsat")

    def second(_: str, seconds: float) -> SolverAnswer:
        asked.append(seconds)
        return SolverAnswer("unsat")

    monkeypatch.setattr(agree, "available", lambda: True)
    monkeypatch.setattr(agree, "second_version", lambda: "cvc5")
    monkeypatch.setattr(agree, "solve", first)
    monkeypatch.setattr(agree, "second", second)
    assert len(agree.agreement(System((), ()), Deadline(40), "why")) == 2
    z3, cvc5 = asked
    assert z3 is not None and cvc5 is not None
    assert z3 <= 20
    assert cvc5 <= 40
    with pytest.raises(BudgetExceeded, match="ran out"):
        agree.agreement(System((), ()), Deadline(-1.0), "why")


def test_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a budget are told as the budget."""
    monkeypatch.setattr("phverify.budget.time", StillClock())
    whole = Deadline(100)
    early = whole.sooner(2)
    assert (early.seconds, early.left()) == (100, 98)
    assert Deadline(1).sooner(2).left() == 0.5
    assert whole.within(1000) is whole
    assert whole.within(10).left() == 10
    assert whole.at_least(10) is whole
    late = Deadline(-5, 20).at_least(60)
    assert (late.seconds, late.left()) == (20, 60)
    assert Deadline().sooner(2).left() is None
    assert Deadline().at_least(2).left() is None
    assert Deadline().within(2).left() == 2
    assert Deadline().paused()().left() is None
    with pytest.raises(BudgetExceeded, match="the budget of 20 s ran out"):
        Deadline(-5, 20).check()


def test_time_is_over_though_the_thread_comes_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is said does not hang on when a thread is let run."""
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)
    done = []
    with pytest.raises(OutOfTime), within(1e-9):
        done.append(1)
    with pytest.raises(OutOfTime), within(0.0):
        done.append(2)
    with pytest.raises(ZeroDivisionError), within(1e-9):
        raise ZeroDivisionError
    with within(1000.0):
        done.append(3)
    assert done == [1, 3]


def test_a_time_that_is_over_is_told_once() -> None:
    """Whatever it interrupts, also where nothing has begun: no clock stays behind."""
    before = set(threading.enumerate())
    for _ in range(3):
        with pytest.raises(OutOfTime), within(1e-9):
            while True:
                sum(range(100))
    for _ in range(30):
        with suppress(OutOfTime), within(1e-9):
            sum(range(100))
    end = time.monotonic() + 60
    while set(threading.enumerate()) - before and time.monotonic() < end:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
