"""The command line: exit codes, the three forms of a report, --redact, undecided
questions, quiet pipes.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.cli_cases import (
    ASKED,
    BAD,
    FEW,
    GOOD,
    run,  # noqa: F401
)

import phverify.cli.main as cli
import phverify.cli.terminal as terminal
from phverify import Policy
from phverify.verbs.verify import verify

HOSPITAL = Path(str(files("phverify.examples").joinpath("hospital")))


def test_proved(run: Any) -> None:
    code, out, said = run(small=GOOD)
    assert (code, said) == (0, "")
    assert "release.csv: 6 rows, 3 classes, 6 individuals" in out
    assert "PROVED  small: k_anonymity(2)" in out
    assert "REFUTED" not in out
    assert "No assignment of the 6 individuals" in out


def test_refuted(run: Any) -> None:
    code, out, said = run(small=GOOD, many=BAD)
    assert (code, said) == (1, "")
    for part in (
        "PROVED  small",
        "REFUTED  many",
        "zip = 3*",
        "age = 50",
        "(2 rows)",
        "1 distinct value",
        "d5",
        "d6",
    ):
        assert part in out
    assert out.splitlines()[-1].startswith("REFUTED: 2 rules, 1 proved, 1 refuted")


def test_one_rule_decides_alone(run: Any) -> None:
    assert run("--rule", "small", small=GOOD, many=BAD)[0] == 0
    assert run("--rule", "many", small=GOOD, many=BAD)[0] == 1
    code, out, _ = run(
        "--rule",
        "many",
        "--rule",
        "small",
        small=GOOD,
        many=BAD,
        other="k_anonymity(9)",
    )
    assert code == 1
    assert "other" not in out


def test_bad_input(run: Any) -> None:
    code, out, said = run(small="k_anonymity(0)")
    assert (code, out) == (2, "")
    assert "k of k_anonymity must be >= 1" in said


def test_both_encodings_agree(run: Any) -> None:
    rules = {
        "small": GOOD,
        "many": BAD,
        "asked": ASKED,
        "who": "forall i: @i ~[a1] health = gout",
    }
    assert (
        run("--encoding", "quotient", **rules)[0]
        == run("--encoding", "full", **rules)[0]
        == 1
    )
    for name in rules:
        both = [
            run("--encoding", kind, "--rule", name, **rules)[0]
            for kind in ("quotient", "full")
        ]
        assert both[0] == both[1], name


@pytest.mark.parametrize("redact", [False, True])
def test_a_defect_is_no_bare_traceback(
    run: Any, monkeypatch: pytest.MonkeyPatch, redact: bool
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom over zebra-flu")

    monkeypatch.setattr("phverify.cli.verify.verify", broken)
    code, out, said = run(
        *(["--redact"] if redact else []), "--json", "out.json", small=GOOD
    )
    assert (code, out) == (4, "")
    assert "defect in phverify" in said
    assert "RuntimeError" in said
    assert "Traceback" not in said
    assert ("zebra" in said) != redact
    assert not Path("out.json").exists()


def test_an_interrupt_is_no_verdict(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phverify.cli.verify.verify", stopped)
    code, out, said = run(small=GOOD)
    assert (code, out) == (3, "")
    assert "interrupted" in said


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo"]) == 0
    out, said = capsys.readouterr()
    assert said == ""
    for part in (
        "REFUTED  safe",
        "03/56",
        "10***",
        "if i3 is d3, i4 is d4",
        "release.csv: 8 rows",
        "OPTIMAL: loss 0.642857",
        "DISCLOSED by query 4",
        "can expect to link 4 of 8 records",
    ):
        assert part in out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        cli.main(["--version"])
    assert leave.value.code == 0
    assert re.fullmatch(r"phverify \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_json(run: Any) -> None:
    code, out, said = run(
        "--json", "-", small=GOOD, many=BAD, who="@i5 ~[a1] health = gout"
    )
    assert (code, said) == (1, "")
    found = json.loads(out)
    assert found["verdict"] == "refuted"
    assert found["release"]["rows"] == 6
    assert found["release"]["classes"] == 3
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["version"])
    assert [(r["name"], r["verdict"]) for r in found["rules"]] == [
        ("small", "proved"),
        ("many", "refuted"),
        ("who", "refuted"),
    ]
    small, many, who = found["rules"]
    assert small["witness"] is None
    for rule in (small, many, who):
        assert {"name", "formula", "verdict", "witness", "seconds"} <= set(rule)
        assert rule["seconds"] >= 0
    for witness in (many["witness"], who["witness"]):
        assert witness["world"] in ("d5", "d6")
        assert witness["class"] == {"zip": "3*", "age": "50"}
        assert witness["rows"] == 2
        assert witness["assignment"]["i5"] in ("d5", "d6")
        assert witness["numbers"]
        for fact in witness["numbers"]:
            assert fact["values"]
            assert all(
                re.fullmatch(r"\d+(/\d+)?", value) for value in fact["values"].values()
            )
    assert who["witness"]["numbers"][0]["values"] == {"l_a1(health = 'gout')": "1"}
    assert many["witness"]["failing"] == {"classes": 1, "rows": 2, "exact": True}


def test_json_into_a_file(run: Any, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("yesterday")
    code, out, _ = run("--json", str(target), small=GOOD, many=BAD)
    assert code == 1
    assert "REFUTED  many" in out, "the text is shown as well"
    found = json.loads(target.read_text(encoding="utf-8"))
    assert found["verdict"] == "refuted"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "out.json",
        "policy.toml",
        "release.csv",
    ]


def test_json_equals_the_report_of_the_library(run: Any, tmp_path: Path) -> None:
    _, out, _ = run("--json", "-", small=GOOD, many=BAD)
    report = verify(tmp_path / "release.csv", tmp_path / "policy.toml")

    def timeless(data: Any) -> Any:
        return {**data, "rules": [{**rule, "seconds": 0} for rule in data["rules"]]}

    told = json.loads(out)
    assert told.pop("evidence")["command"][-2:] == ["--json", "-"]
    assert timeless(told) == timeless(report.to_dict())


def test_json_with_an_original(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [
        str(HOSPITAL / name) for name in ("release.csv", "policy.toml", "original.csv")
    ]
    assert (
        cli.main(
            [
                "verify",
                paths[0],
                "--policy",
                paths[1],
                "--original",
                paths[2],
                "--json",
                "-",
            ]
        )
        == 1
    )
    found = json.loads(capsys.readouterr().out)
    assert found["sanitization"]["truthful"] is True
    assert ["24126", "24***"] in found["sanitization"]["mappings"]["zip"]
    assert found["rules"][1]["witness"]["assignment"] == {"i3": "d3", "i4": "d4"}


@pytest.mark.parametrize("failing", ["replace", "chmod"])
def test_nothing_half_written_when_the_disk_fails(
    run: Any, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    Path("out.json").write_text("yesterday")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(terminal.os, failing, full)
    code, _, said = run("--json", "out.json", small=GOOD)
    assert code == 2
    assert "No space left" in said
    assert "out.json" in said
    assert Path("out.json").read_text() == "yesterday"
    assert sorted(p.name for p in Path().iterdir()) == [
        "out.json",
        "policy.toml",
        "release.csv",
    ]


def test_a_missing_value_of_a_class(run: Any, tmp_path: Path) -> None:
    code, out, _ = run(text=FEW.replace("3*", ""), many=BAD)
    assert code == 1
    assert "zip = (missing)" in out
    report = verify(tmp_path / "release.csv", tmp_path / "policy.toml")
    witness = report.to_dict()["rules"][0]["witness"]
    assert witness["class"] == {"zip": None, "age": "50"}
    assert "zip = (missing)" in report._repr_html_()
    assert "None" not in report._repr_html_()


def test_html_escapes_what_the_data_say() -> None:
    frame = pd.DataFrame({"<q>": ["<b>&", "<b>&"], "s": ["<i>", "<i>"]})
    roles = {"columns": {"quasi": ["<q>"], "sensitive": ["s"]}}
    rules = {"<script>": "l_diversity(s, 2)", "eq": "~[a1] s = '<i>'"}
    page = verify(frame, Policy.from_dict({**roles, "rules": rules}))._repr_html_()
    for tag in ("<script>", "<b>&", "<i>", "<q>"):
        assert tag not in page
    assert "&lt;b&gt;&amp;" in page


def test_a_release_without_quasi_identifiers(run: Any) -> None:
    head = '[columns]\nsensitive = ["health"]\n'
    code, out, _ = run("--json", "-", head=head, small="k_anonymity(7)")
    assert code == 1
    witness = json.loads(out)["rules"][0]["witness"]
    assert (witness["class"], witness["rows"]) == ({}, 6)
    assert "everyone" in run(head=head, small="k_anonymity(7)")[1]
