"""Streams that are closed, full or replaced, and text that a terminal would obey."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from support.so_many import sampled

import phverify.cli.main as cli
from phverify.cli.terminal import Progress, write
from phverify.errors import Problem, printable

ROOT = Path(cli.__file__).resolve().parents[2]
HOSPITAL = ROOT / "phverify" / "examples" / "hospital"
VERIFY = [
    *("verify", str(HOSPITAL / "release.csv")),
    *("--policy", str(HOSPITAL / "policy.toml")),
]
COMMANDS = [
    (VERIFY, 1),
    ([*VERIFY, "--json", "-"], 1),
    (["audit", "--demo", "bank"], 1),
    (["reidentify", "--demo"], 0),
    (["lint", str(HOSPITAL / "policy.toml")], 0),
    (["demo"], 0),
    (["--help"], 0),
    (["verify", "--help"], 0),
    (["--version"], 0),
]
UNSEEN = [
    *("\x1b", "\x07", "\x9b", "\r", "\n", "\u2028", "\u200b", "\u200d", "\u200e"),
    *("\u200f", "\u061c", "\u202e", "\u2066", "\u2069", "\ufeff", "\xad", "\U000e0041"),
]


def shell(redirect: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """A command as a shell starts it, its output buffered as it usually is."""
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [
            "sh",
            "-c",
            f'"$@" {redirect}',
            "sh",
            sys.executable,
            "-m",
            "phverify",
            *arguments,
        ],
        env={**usual, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(("arguments", "code"), sampled(COMMANDS, 3), ids=str)
def test_a_closed_standard_output_changes_no_verdict(
    arguments: list[str], code: int
) -> None:
    done = shell(">&-", arguments)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(("arguments", "_code"), sampled(COMMANDS, 3, start=1), ids=str)
def test_a_full_standard_output_is_told_in_one_line(
    arguments: list[str], _code: int
) -> None:
    done = shell(">/dev/full", arguments)
    assert done.returncode == 2
    assert done.stderr == "phverify: standard output: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_error_changes_no_exit_code() -> None:
    assert shell("2>/dev/full", ["verify", "x.csv", "--policy", "y"]).returncode == 2


@pytest.mark.parametrize(("arguments", "code"), sampled(COMMANDS, 3, start=2), ids=str)
def test_a_reader_that_goes_away_changes_no_verdict(
    arguments: list[str], code: int
) -> None:
    leave, enter = os.pipe()
    os.close(leave)
    with os.fdopen(enter, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "phverify", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stderr) == (code, "")


def test_standard_output_that_is_a_string(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    assert cli.main(VERIFY) == 1
    assert "REFUTED  safe" in text.getvalue()
    assert cli.main([*VERIFY, "--json", "-"]) == 1


@pytest.mark.parametrize("character", UNSEEN, ids=ascii)
def test_what_nobody_sees_is_shown(character: str) -> None:
    shown = printable(f"a{character}b")
    assert shown.isascii() and shown.isprintable() and shown.startswith("a\\")
    assert printable("größer 東, a b") == "größer 東, a b"


def test_policies_and_tables_do_not_write_to_the_terminal(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("q,s\n1,\x1b[2Jx\n2,\u200fy\n2,z\n", encoding="utf-8")
    Path("p.toml").write_text(
        '[columns]\nquasi = ["q"]\nsensitive = ["s"]\n[rules]\n'
        '"\\u001b[31mred" = "l_diversity(s, 2)"\n'
        "named = \"~[a1] s = '\\u001b[2Jx' \"\n"
        "other = \"~[a1] s = '\\u200fy'\"\n",
        encoding="utf-8",
    )
    Path("bad.toml").write_text('[columns]\nquasi = ["\\u001b[31m\\u202e"]\n')
    for arguments in (
        ["verify", "t.csv", "--policy", "p.toml"],
        ["verify", "t.csv", "--policy", "p.toml", "--json", "-"],
        ["verify", "t.csv", "--policy", "bad.toml"],
        ["verify", "t\x1b[31m.csv", "--policy", "p.toml"],
        ["search", "t.csv", "--policy", "bad.toml"],
        ["lint", "p.toml", "--table", "t.csv"],
        ["compare", "s = '\x1b[2J'", "s = '\u200f'"],
    ):
        cli.main(arguments)
        for stream in capsys.readouterr():
            assert not set(stream) & {"\x1b", "\u200f", "\u202e"}, arguments


def test_json_says_the_same_with_its_characters_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("q\nx\u200b\x9by\U000e0041\n", encoding="utf-8")
    policy = tmp_path / "p.toml"
    policy.write_text('[columns]\nquasi = ["q"]\n[rules]\nr = "k_anonymity(2)"\n')
    cli.main(
        ["verify", str(tmp_path / "t.csv"), "--policy", str(policy), "--json", "-"]
    )
    out = capsys.readouterr().out
    witness = json.loads(out)["rules"][0]["witness"]
    assert witness["class"] == {"q": "x\u200b\x9by\U000e0041"}
    assert "\u200b" not in out and "\x9b" not in out


def test_a_rule_is_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    """``[/foo]`` would close a style that was never opened."""
    shown: list[Any] = []

    class Status:
        def __enter__(self) -> Status:
            return self

        def __exit__(self, *_: object) -> None: ...

        def update(self, text: Any) -> None:
            shown.append(text)
            progress.done.set()

    monkeypatch.setattr("rich.console.Console.status", lambda *_: Status())
    progress = Progress()
    progress.step("rule [/foo]\x1b[2J")
    waits = iter([False, False])
    wait = progress.done.wait
    monkeypatch.setattr(progress.done, "wait", lambda _: next(waits, True) or wait(0))
    progress._spin()
    (text,) = shown
    assert isinstance(text, Text)
    assert text.plain.startswith("rule [/foo]\\x1b[2J (")


@pytest.mark.skipif(os.name == "nt", reason="needs modes")
def test_confidential_files_are_the_owners_alone(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = Path("proof.json")
    before.write_text("an earlier one that others can read")
    before.chmod(0o644)
    written = ["--certificate", "proof.json", "--failing", "rows.csv"]
    assert cli.main([*VERIFY, *written, "--json", "out.json"]) == 1
    out = capsys.readouterr().out
    assert out.count("only you can read it, mode 0600") == 2
    table = str(HOSPITAL / "original.csv")
    search = ["search", table, *VERIFY[2:], "--certificate", "least.json"]
    assert cli.main(search) == 0
    assert "only you can read it, mode 0600" in capsys.readouterr().out
    for name in ("proof.json", "rows.csv", "least.json", "out.json"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600, name


def test_a_private_file_is_never_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    plain = Path.replace

    def replaced(self: Path, target: Path) -> Path:
        modes.append(stat.S_IMODE(self.stat().st_mode))
        return plain(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    write(tmp_path / "a", "secret", confidential=True)
    assert modes == [0o600]


def test_hints_keep_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    from phverify.cli.terminal import complain

    complain(Problem("here", "is \x1b[31m wrong", "first\nsecond").text())
    said = capsys.readouterr().err
    assert said == "phverify: here: is \\x1b[31m wrong\n    first\n    second\n"
