"""``--redact``: classes and counts, but no identifier and no mapping of values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phverify.cli.main import main
from phverify.errors.redaction import hidden

POLICY = """
rows = "same order"
[columns]
quasi = ["zip"]
sensitive = ["s"]
identifier = "id"
[secrets]
"*" = ["s = 'x'"]
[rules]
safe = "logical_safety()"
[hierarchies]
zip = {prefixes = [2, 1]}
"""
CONFIDENTIAL = ("707", "708", "709", "710", "12345", "12499", "'x'", '"x"')


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    Path("original.csv").write_text(
        "id,zip,s\n707,12345,x\n708,12499,x\n709,20000,y\n710,20100,z\n"
    )
    Path("release.csv").write_text("zip,s\n12***,x\n12***,x\n20***,y\n20***,z\n")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out + err


VERIFY = ("verify", "release.csv", "--policy", "policy.toml")


def test_verify_names_positions_and_counts_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = (*VERIFY, "--original", "original.csv")
    code, plain = said(capsys, *command)
    assert code == 1 and "if 707 is d1, 708 is d2" in plain
    code, text = said(capsys, *command, "--redact", "--json", "out.json")
    assert code == 1
    assert "    if i1 is d1, i2 is d2\n" in text
    assert "    zip: 4 values -> 2\n" in text
    assert "class: zip = 12*** (2 rows)" in text
    data = Path("out.json").read_text(encoding="utf-8")
    assert json.loads(data)["sanitization"]["sizes"] == {"zip": [4, 2]}
    assert json.loads(data)["sanitization"]["mappings"] == {}
    for secret in CONFIDENTIAL:
        assert secret not in text and secret not in data, secret


def test_saved_questions_name_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    text = POLICY.replace("logical_safety()", "@'709' s = 'y' | @'710' s = 'y'")
    Path("policy.toml").write_text(text, encoding="utf-8")
    command = (*VERIFY, "--original", "original.csv", "--smtlib")
    assert said(capsys, *command, "shown")[0] == 0
    assert said(capsys, *command, "hidden", "--redact")[0] == 0
    shown, kept = (
        "".join(file.read_text(encoding="utf-8") for file in Path(name).glob("*.smt2"))
        for name in ("shown", "hidden")
    )
    assert "709 is on kind" in shown
    for secret in CONFIDENTIAL:
        assert secret not in kept, secret


def test_search_counts_values(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("search", "original.csv", "--policy", "policy.toml", "--json", "-")
    _, plain = said(capsys, *command)
    assert json.loads(plain)["mapping"]["zip"]
    _, text = said(capsys, *command, "--redact")
    assert json.loads(text)["mapping"] == {}
    assert json.loads(text)["sizes"]["zip"][0] == 4
    for secret in CONFIDENTIAL:
        assert secret not in text, secret


def test_errors_say_how_much_and_not_what(capsys: pytest.CaptureFixture[str]) -> None:
    Path("tree.csv").write_text("12***;1****;*\n20***;*\n")
    text = POLICY.replace("{prefixes = [2, 1]}", '"tree.csv"')
    Path("policy.toml").write_text(text, encoding="utf-8")
    code, out = said(capsys, *VERIFY, "--redact")
    assert code == 2
    assert "the path of (hidden) has 2 entries, that of (hidden) has 3" in out


def test_what_is_quoted_ends_where_a_word_does() -> None:
    assert hidden("is 'it's mine' here") == "is (hidden) here"
    assert hidden("of 'a'b' and 'c'") == "of (hidden)"
