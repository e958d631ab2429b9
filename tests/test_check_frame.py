"""``check_frame``: only what is PROVED passes, in Python, in pandera and in pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
POLICY = HOSPITAL / "policy.toml"
KEPT, BROKEN = (
    pd.read_csv(HOSPITAL / name, dtype=str) for name in ("repaired.csv", "release.csv")
)


def test_what_is_proved_passes() -> None:
    report = ph.check_frame(KEPT, POLICY)
    assert report.verdict == "proved"


def test_what_is_refuted_raises_with_the_report() -> None:
    with pytest.raises(ph.NotProved) as caught:
        ph.check_frame(BROKEN, POLICY)
    assert caught.value.report.verdict == "refuted"
    said = str(caught.value)
    assert "REFUTED" in said and "redact=False" in said
    values = {f"health = '{one}'" for one in BROKEN["health"]}
    assert not [value for value in values if value in said]


def test_values_are_shown_where_that_is_asked_for() -> None:
    with pytest.raises(ph.NotProved) as caught:
        ph.check_frame(BROKEN, POLICY, redact=False)
    assert "(hidden)" not in str(caught.value)


def test_what_is_undecided_does_not_pass() -> None:
    with pytest.raises(ph.NotProved) as caught:
        ph.check_frame(KEPT, POLICY, budget=1e-9)
    assert caught.value.report.verdict == "undecided"


def test_wrong_inputs_are_no_verdict() -> None:
    with pytest.raises(ph.InputError):
        ph.check_frame(KEPT.drop(columns=["zip"]), POLICY)


@pytest.mark.parametrize("lazy", [False, True])
def test_as_a_check_of_pandera(lazy: bool) -> None:
    pandera = pytest.importorskip("pandera.pandas")
    schema = pandera.DataFrameSchema(checks=ph.pandera_check(POLICY))
    assert schema.validate(KEPT, lazy=lazy) is not None
    errors = (pandera.errors.SchemaError, pandera.errors.SchemaErrors)
    with pytest.raises(errors, match="REFUTED"):
        schema.validate(BROKEN, lazy=lazy)


def test_pandera_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandera.pandas", None)
    with pytest.raises(ph.InputError, match="not installed"):
        ph.pandera_check(POLICY)


def test_as_a_fixture_of_pytest(tmp_path: Path) -> None:
    """The plugin is there without being named, and tells no line of its own."""
    (tmp_path / "test_release.py").write_text(
        f"""
def test_kept(assert_proved):
    assert assert_proved({str(HOSPITAL / "repaired.csv")!r}, {str(POLICY)!r})

def test_broken(assert_proved):
    assert_proved({str(HOSPITAL / "release.csv")!r}, {str(POLICY)!r})
""",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done: Any = subprocess.run(
        [*command, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "REFUTED  safe" in done.stdout
    assert "Traceback" not in done.stdout and "assert_proved(" not in done.stdout
