"""Files whose name is empty: a script's variable that is not set is never ignored, nor
taken for the current folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import phverify as ph
from phverify.cli.main import main

TABLE = "zip,ill\n1,flu\n1,flu\n"
POLICY = """
[columns]
quasi = ["zip"]
sensitive = ["ill"]
[rules]
k = "k_anonymity(2)"
"""
SEARCH = ("search", "t.csv", "--policy", "p.toml")
VERIFY = ("verify", "t.csv", "--policy", "p.toml")
COMPARE = ("compare-data", "t.csv", "t.csv", "--policy", "p.toml")
WRITTEN = [
    *((SEARCH, flag) for flag in ("--output", "--certificate", "--json", "--html")),
    ((*SEARCH, "--tradeoff", "k=1,2"), "--json"),
    ((*SEARCH, "--space", "tuples"), "--output"),
    *((VERIFY, flag) for flag in ("--certificate", "--failing", "--junit", "--smtlib")),
    (COMPARE, "--json"),
    (("init", "t.csv", "--yes"), "--output"),
]
READ = [
    (("search", "", "--policy", "p.toml"), "table"),
    (("search", "t.csv", "--policy", ""), "policy"),
    (("verify", "", "--policy", "p.toml"), "release"),
    ((*VERIFY, "--original", ""), "original"),
    (("compare-data", "t.csv", ""), "release"),
    (("check", ""), "certificate"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("p.toml").write_text(POLICY)


@pytest.mark.parametrize(("command", "flag"), WRITTEN)
def test_no_name_to_write_to(
    command: tuple[str, ...], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*command, flag, ""])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert f"{flag}: is the name of a " in said.err
    assert "and it is empty" in said.err
    assert sorted(path.name for path in Path().iterdir()) == ["p.toml", "t.csv"]


@pytest.mark.parametrize(("command", "where"), READ)
def test_no_name_to_read_from(
    command: tuple[str, ...], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(list(command))
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert f"{where}: is the name of a file, and it is empty" in said.err


def test_a_release_written_from_python() -> None:
    found = ph.search("t.csv", "p.toml")
    with pytest.raises(ph.InputError, match="is the name of a file, and it is empty"):
        found.write("")
