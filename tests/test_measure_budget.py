"""``measure --budget``: what is measured in time is as without a budget, and what is not
is said wherever the answer is told.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.pages import check_page, said
from support.schemas import validated

import phverify as ph
import phverify.measurement.run as run
from phverify.cli.main import main

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
RELEASE, POLICY = str(HOSPITAL / "release.csv"), str(HOSPITAL / "policy.toml")
SLOW = "t_closeness"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """One criterion of those takes longer than anybody waits."""
    measured = run.measured

    def slowly(criterion: Any, histogram: Any) -> Any:
        while criterion.name == SLOW:
            time.sleep(0.01)
        return measured(criterion, histogram)

    monkeypatch.setattr(run, "measured", slowly)


def test_what_is_measured_in_time_is_as_ever(slow: None) -> None:
    started = time.monotonic()
    found = ph.measure(RELEASE, POLICY, budget=0.5)
    assert time.monotonic() - started < 20
    assert not found.complete
    names = [one.name for one in found.measured]
    place = names.index(SLOW)
    assert all(not one.unmeasured for one in found.measured[:place])
    for one in found.measured[place:]:
        assert one.threshold is None and one.cls is None and not one.asked
        assert one.unmeasured == "the budget of 0.5 s ran out"
    assert "k_anonymity" in names[:place] and "average_benefit" in names[place:]
    validated(found.to_dict())


def test_the_measured_are_those_of_a_run_without_a_budget() -> None:
    whole = ph.measure(RELEASE, POLICY)
    assert whole.complete and ph.measure(RELEASE, POLICY, budget=600) == whole


def test_a_page_of_a_verdict_waits_no_longer(
    slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phverify.verbs.verify.MEASURING", 0.2)
    report = ph.verify(RELEASE, POLICY, portrait=True, budget=0.2)
    assert report.portrait is not None
    assert any(one.unmeasured for one in report.portrait.measured)
    validated(report.to_dict())
    assert "not measured: the budget of 0.2 s ran out" in said(report.to_html())


def test_the_command_says_what_is_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    command = ["measure", RELEASE, "--policy", POLICY, "--budget"]
    assert main([*command, "60"]) == 0
    assert "not measured" not in capsys.readouterr().out
    assert main([*command, "1e-9", "--html", str(page), "--json", str(data)]) == 3
    told = "not measured: the budget of 1e-09 s ran out"
    assert f"k_anonymity(k): {told}" in capsys.readouterr().out
    measured = json.loads(data.read_text(encoding="utf-8"))["measured"]
    assert {one["unmeasured"] for one in measured} == {"the budget of 1e-09 s ran out"}
    text = said(page.read_text(encoding="utf-8"))
    count = len(measured)
    assert f"{count} criteria, {count} of them not measured in time" in text
    assert told in text
    assert main([*command, "1e-9", "--html", str(page), "--public"]) == 3
    public = page.read_text(encoding="utf-8")
    check_page(public)
    assert "not measured" in said(public)
    assert main([*command, "0"]) == 2
