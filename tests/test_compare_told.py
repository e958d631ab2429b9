"""What ``compare`` and ``lint`` say: the same in every run, the true cause, the budget
that was given.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import phverify as ph
from phverify.budget import Deadline
from phverify.comparison import comparing, linter
from phverify.comparison.run import compared
from phverify.comparison.sides import frame
from phverify.errors import BudgetExceeded

POLICY = """
[columns]
quasi = ["zip"]
sensitive = ["s"]
[rules]
a = "k_anonymity(3)"
b = "entropy_l_diversity(s, 5/2)"
c = "t_closeness(s, 1/7)"
"""


def no_time(*_: object) -> Iterator[object]:
    raise BudgetExceeded("no time at all")


def test_the_same_table_in_every_run() -> None:
    """Which of several smallest tables is shown depends on no hash seed."""
    command = [sys.executable, "-m", "phverify", "compare"]
    command += ["t_closeness(s, 1/5)", "delta_disclosure(s, 1)"]
    shown = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 1, done.stderr
        shown.add(done.stdout)
    assert len(shown) == 1


@pytest.mark.parametrize(
    ("second", "cause"),
    [
        (
            "k_anonymity(2) | (forall i: @i ~[a1] s = x)",
            "a schema over individuals inside",
        ),
        ("k_anonymity(2) | [a0] l_diversity(s, 2)", "what a0 knows of other classes"),
        (
            "(k_anonymity(2) | [a0] s = x) & (k_anonymity(3) | (forall i: @i ~[a1] s = x))",
            "what a0 knows of other classes",
        ),
    ],
)
def test_the_true_cause_is_told(
    second: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schema over individuals is written as what a0 knows, who is not blamed for it
    where no formula speaks of a0.
    """
    monkeypatch.setattr(comparing, "exact_texts", no_time)
    answer = ph.compare("l_diversity(s, 3)", second, values=2, budget=None)
    assert answer.verdict == "undecided"
    assert cause in answer.reason and "more than descriptors" in answer.reason


def test_lint_names_the_budget_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linter, "share", lambda *_: Deadline(1e-6))
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    found = ph.lint(path, budget=20)
    late = [one.why for one in found.findings if "ran out" in one.why]
    assert late
    assert all("its share of the budget of 20 s ran out" in why for why in late)


def test_without_a_budget_nothing_runs_out() -> None:
    both = frame("l_diversity(s, 3)", "l_diversity(s, 2)")
    answer = compared(both, None, Deadline())
    assert answer.verdict == "implies" and not answer.reason
