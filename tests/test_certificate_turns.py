"""A rule that is hard to decide, or hard to prove, leaves time for the certificates of
the others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.stopping import StillClock

import phverify as ph
from phverify.budget import Deadline
from phverify.cli import verify as command
from phverify.cli.main import main
from phverify.verification import claims as certifying

RULES = """
[rules]
hard = "forall i: @i l_a1(i) <= 1"
middle = "forall i: @i l_a1(i) < 2"
third = "forall i: @i l_a1(i) < 3"
easy = "k_anonymity(1)"
"""
STEP = 1 / 64
"""Seconds between two looks of a proof at the clock."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StillClock:
    """What is not proved takes no time: no machine is too slow."""
    still = StillClock()
    monkeypatch.setattr("phverify.budget.time", still)
    return still


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"{k % 2},{k % 3}\n" for k in range(12))
    (tmp_path / "table.csv").write_text(f"zip,s\n{rows}", encoding="utf-8")
    columns = '[columns]\nquasi = ["zip"]\nsensitive = ["s"]\n'
    (tmp_path / "policy.toml").write_text(columns + RULES, encoding="utf-8")
    return tmp_path


def proofs_of(
    seconds: dict[str, float], clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """So long takes the proof of each rule; the rules in the order of their turns."""
    turns: list[str] = []
    rule = certifying.Maker.rule

    def named(maker: certifying.Maker, result: Any) -> dict[str, Any]:
        turns.append(result.name)
        return rule(maker, result)

    def exclude(maker: certifying.Maker, _: object) -> None:
        end = clock.now + seconds[turns[-1]]
        while clock.now < end:
            maker.deadline.check()
            clock.now += STEP
        maker.deadline.check()

    monkeypatch.setattr(certifying.Maker, "rule", named)
    monkeypatch.setattr(certifying.Maker, "exclude", exclude)
    monkeypatch.setattr("phverify.verbs.certify.check", lambda *_: ())
    return turns


def certified(folder: Path, budget: float) -> dict[str, str]:
    files = str(folder / "table.csv"), str(folder / "policy.toml")
    certificate = ph.certify(ph.verify(*files), *files, budget=budget)
    return {claim["name"]: claim["verdict"] for claim in certificate["rules"]}


def test_a_hard_proof_leaves_time_for_others(
    folder: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"hard": 60.0, "middle": 0.2, "third": 0.0, "easy": 0.0}
    turns = proofs_of(seconds, clock, monkeypatch)
    said = certified(folder, 3)
    assert list(said) == ["hard", "middle", "third", "easy"]  # as in the policy
    assert [name for name, verdict in said.items() if verdict != "proved"] == ["hard"]
    assert turns[:3] == ["easy", "hard", "middle"]  # what is cheap goes first


def test_a_proof_has_a_second_turn(
    folder: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"hard": 1.8, "middle": 0.1, "third": 0.0, "easy": 0.0}
    turns = proofs_of(seconds, clock, monkeypatch)
    assert set(certified(folder, 4.5).values()) == {"proved"}
    assert turns == ["easy", "hard", "middle", "third", "hard"]


def test_verdicts_leave_a_share_for_the_certificate(
    folder: Path,
    clock: StillClock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given: list[Deadline] = []
    verify = command.verify
    none = dict.fromkeys(["hard", "middle", "third", "easy"], 0.0)
    proofs_of(none, clock, monkeypatch)

    def slowly(
        release: str, policy: str, original: None, budget: Deadline, **more: Any
    ) -> Any:
        """All the time that there is goes by before the verdicts are told."""
        given.append(budget)
        report = verify(release, policy, original, **more)
        clock.now += budget.left() or 0.0
        return report

    monkeypatch.setattr(command, "verify", slowly)
    arguments = ["verify", str(folder / "table.csv")]
    arguments += ["--policy", str(folder / "policy.toml"), "--budget", "8"]
    target = folder / "why.json"
    assert main([*arguments, "--certificate", str(target)]) == 0
    claims = json.loads(target.read_text(encoding="utf-8"))["rules"]
    assert {claim["verdict"] for claim in claims} == {"proved"}
    assert given[0].seconds == 8  # what is told is the whole budget
    assert "PROVED" in capsys.readouterr().out
