"""``verify --original --utility``: the verdict, and what the release is still good for."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pytest
from support.pages import check_page, said
from support.schemas import validated

import phverify as ph
from phverify.cli.main import main

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
ORIGINAL, RELEASE = str(HOSPITAL / "original.csv"), str(HOSPITAL / "release.csv")
POLICY = str(HOSPITAL / "policy.toml")
VERIFY = ["verify", RELEASE, "--policy", POLICY]
BESIDE = [*VERIFY, "--original", ORIGINAL, "--utility"]
TITLE = "What is the release still good for?"


def test_the_section_is_what_compare_data_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, data = tmp_path / "page.html", tmp_path / "told.json"
    assert main([*BESIDE, "--html", str(page), "--json", str(data)]) == 1
    told = capsys.readouterr().out
    alone = ph.compare_data(ORIGINAL, RELEASE, POLICY)
    assert str(alone).strip() in told
    assert told.index("REFUTED") < told.index("loss 0.2143")
    answer = json.loads(data.read_text(encoding="utf-8"))
    assert answer["utility"] == alone.to_dict()
    text = page.read_text(encoding="utf-8")
    check_page(text)
    assert TITLE in said(text)


def test_it_is_asked_for() -> None:
    report = ph.verify(RELEASE, POLICY, ORIGINAL)
    assert report.utility is None
    assert "utility" not in report.to_dict()
    assert TITLE not in said(report.to_html())


def test_no_public_page_tells_of_the_original() -> None:
    report = ph.verify(RELEASE, POLICY, ORIGINAL, utility=True)
    assert TITLE in said(report.to_html())
    assert TITLE not in said(report.to_html(public=True))
    assert "0.2143" not in report.to_html(public=True)


def test_there_must_be_an_original(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*VERIFY, "--utility"]) == 2
    assert "utility: compares the release with its original" in capsys.readouterr().err
    with pytest.raises(ph.InputError, match="is True or False"):
        ph.verify(RELEASE, POLICY, ORIGINAL, utility="yes")  # type: ignore[arg-type]


def test_redacted_it_has_no_values() -> None:
    report = ph.verify(RELEASE, POLICY, ORIGINAL, utility=True, redact=True)
    validated(report.to_dict())
    assert report.utility is not None and report.utility.redacted
    assert not any(one["shares"] for one in report.to_dict()["utility"]["columns"])


def test_the_verdict_is_told_whatever_becomes_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*given: Any, **more: Any) -> Any:
        raise ph.InputError(ph.Problem("release.csv", "is gone"))

    def stops(*given: Any, **more: Any) -> Any:
        raise KeyboardInterrupt

    where = "phverify.verbs.compare_data.compare_data"
    monkeypatch.setattr(where, fails)
    report = ph.verify(RELEASE, POLICY, ORIGINAL, utility=True)
    assert (report.verdict, report.utility) == ("refuted", None)
    assert "is not told: release.csv: is gone" in report.warnings[-1]
    monkeypatch.setattr(where, stops)
    report = ph.verify(RELEASE, POLICY, ORIGINAL, utility=True, partly=True)
    assert "interrupted: what the release is good for" in report.warnings[-1]
    with pytest.raises(KeyboardInterrupt):
        ph.verify(RELEASE, POLICY, ORIGINAL, utility=True)


def test_rows_that_come_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path(RELEASE).read_bytes()
    typed = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    assert main(["verify", "-", *BESIDE[2:]]) == 1
    frames = [pd.read_csv(file, dtype=str) for file in (RELEASE, ORIGINAL)]
    streams = [pyarrow.Table.from_pandas(one).to_reader() for one in frames]
    report = ph.verify(streams[0], POLICY, streams[1], utility=True)
    assert report.utility is not None and str(report.utility.loss) == "3/14"
