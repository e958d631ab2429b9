"""However a run ends, no file of a gate says what an earlier run has found."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from phverify.__main__ import run as run_whole
from phverify.cli.main import main
from phverify.cli.stale import forget

POLICY = (
    '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\na = "k_anonymity(2)"\n'
)
GATES = {"--junit": Path("out.xml"), "--sarif": Path("out.sarif")}
FILES = ("--junit", "out.xml", "--sarif", "out.sarif")
VERIFY = ("verify", "release.csv", "--policy", "policy.toml", *FILES)
LINT = ("lint", "policy.toml", *FILES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the files of a run that found nothing wrong."""
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(POLICY)
    Path("release.csv").write_text("zip,ill\n1,flu\n1,cold\n")
    assert ended(*VERIFY) == 0
    assert all(path.exists() for path in GATES.values())
    return tmp_path


def ended(*words: str) -> int:
    try:
        return main(list(words))
    except SystemExit as left:
        return int(left.code or 0)


def suite() -> Any:
    return ElementTree.parse("out.xml").getroot()[0]


def run() -> Any:
    return json.loads(Path("out.sarif").read_text(encoding="utf-8"))["runs"][0]


def no_answer() -> bool:
    """Whether both files say that there is no answer."""
    told = [one["ruleId"] for one in run()["results"]]
    failed = run()["invocations"] == [{"executionSuccessful": False}]
    assert (suite().get("failures"), suite().get("errors")) == ("0", "1")
    return failed and told in (["verify/no-answer"], ["lint/no-answer"])


@pytest.mark.parametrize(
    "words",
    [
        (*VERIFY, "--polcy", "policy.toml"),
        (*VERIFY, "--encoding", "best"),
        (*VERIFY, "--budget"),
        ("verify", *FILES),
        (*LINT, "--tabel", "release.csv"),
        (*LINT, "policy.toml"),
        (*VERIFY[:2], "--policies", "p.toml", "--junit=out.xml", "--sarif=out.sarif"),
    ],
)
def test_what_cannot_be_read_is_no_answer(words: tuple[str, ...], folder: Path) -> None:
    assert ended(*words) == 2
    assert no_answer()
    told = {one["ruleId"].partition("/")[0] for one in run()["results"]}
    assert told == {words[0]}
    (place,) = (one["locations"][0] for one in run()["results"])
    shown = place["physicalLocation"]["artifactLocation"]["uri"]
    named = [word for word in words if word.endswith(".toml")]
    assert shown == (named[0] if named else ".")


@pytest.mark.parametrize(
    "words",
    [
        ("verfy", *VERIFY[1:]),
        ("search", *VERIFY[1:]),
        (*VERIFY[:4], "--junti", "out.xml", "--sarf", "out.sarif"),
        (*VERIFY[:4], "--junti=out.xml", "--sarf=out.sarif"),
        (*VERIFY, "--help"),
        (*VERIFY[:4], "--junit", "out.xml", "out.sarif"),
        FILES,
    ],
)
def test_files_of_an_earlier_run_are_gone(words: tuple[str, ...], folder: Path) -> None:
    assert ended(*words) == (0 if "--help" in words else 2)
    for path in GATES.values():
        assert not path.exists() or "NO ANSWER" in path.read_text()


@pytest.mark.parametrize(
    "more", [("--junit", "other.xml", "--sarif", "other.sarif"), ("--sarif", "out.xml")]
)
def test_files_named_twice(more: tuple[str, ...], folder: Path) -> None:
    """The last one is written, and the one before is none of this run."""
    Path("release.csv").write_text("zip,ill\n1,flu\n2,cold\n")
    assert ended(*VERIFY, *more) == (1 if "other.xml" in more else 2)
    assert not [path for path in GATES.values() if path.exists()]


@pytest.mark.parametrize("flag", GATES)
@pytest.mark.parametrize(
    "breaks",
    [
        lambda: Path("policy.toml").unlink(),
        lambda: Path("policy.toml").write_bytes(b"\xff"),
        lambda: (Path("policy.toml").unlink(), Path("policy.toml").mkdir()),
        lambda: Path("release.csv").unlink(),
    ],
)
def test_files_that_cannot_be_read(
    flag: str, breaks: Callable[[], object], folder: Path
) -> None:
    breaks()
    for words in (VERIFY, LINT):
        if words == LINT and Path("policy.toml").is_file():
            continue
        assert ended(*words) == 2
        assert no_answer()


@pytest.mark.parametrize("flag", GATES)
def test_a_device_is_no_file(flag: str, folder: Path) -> None:
    given = {**{name: str(path) for name, path in GATES.items()}, flag: "/dev/full"}
    words = [word for pair in given.items() for word in pair]
    assert ended(*VERIFY[:4], *words) == 2
    (other,) = (name for name in GATES if name != flag)
    assert "NO ANSWER" in GATES[other].read_text()


def test_files_of_others_stay(folder: Path) -> None:
    """What no earlier run wrote is not looked at twice: not even certificates."""
    mine = {
        "out.xml": "<testsuites/>",
        "out.sarif": '{"runs": [{"tool": {"driver": {"name": "phverify"}}}]}',
        "proof.json": '{"name": "phverify", "runs": []}',
    }
    for name, text in mine.items():
        Path(name).write_text(text)
    assert ended("check", "proof.json", "--relase", "release.csv") == 2
    assert ended(*VERIFY, "--polcy", "policy.toml") == 2
    assert {name: Path(name).read_text() for name in mine} == mine


def started(**how: Any) -> subprocess.Popen[bytes]:
    """A run that waits for its release, after it has removed the old files."""
    # Without -B, a disk that is full would cut bytecode short as well.
    words = [sys.executable, "-B", "-m", "phverify", "verify", "-", *VERIFY[2:]]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, **how
    )
    patience = time.monotonic() + 60
    while any(path.exists() for path in GATES.values()):
        assert time.monotonic() < patience
        time.sleep(0.01)
    return process


def test_a_run_that_is_killed_leaves_nothing(folder: Path) -> None:
    process = started()
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert sorted(os.listdir()) == ["policy.toml", "release.csv"]


def test_ctrl_c_is_told(folder: Path) -> None:
    process = started()
    assert process.stdin is not None
    # More than a pipe holds: the run reads by then.
    process.stdin.write(b"zip,ill\n" + b"1,flu\n" * 50_000)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert process.returncode == 3
    assert no_answer()


def test_ctrl_c_while_it_starts_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it comes before old files are looked at, or after."""

    def interrupted(words: list[str]) -> None:
        monkeypatch.setattr("phverify.cli.stale.forget", forget)
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["phverify", *VERIFY])
    monkeypatch.setattr("phverify.cli.stale.forget", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    try:
        assert run_whole() == 3
    finally:
        signal.signal(signal.SIGINT, handler)
    assert not [path for path in GATES.values() if path.exists()]


def test_old_files_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        assert not [path for path in GATES.values() if path.exists()]
        return 7

    monkeypatch.setattr("sys.argv", ["phverify", *VERIFY])
    monkeypatch.setattr("phverify.cli.main.main", interrupted)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert run_whole() == 7


def test_an_old_file_that_cannot_be_removed_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no defect, and no verdict: exit code 1 would be one."""

    def refused(name: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr("sys.argv", ["phverify", *VERIFY])
    monkeypatch.setattr("os.unlink", refused)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert run_whole() == 2
    assert "out.xml: Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("dangling", [False, True])
def test_files_are_written_through_links(dangling: bool, folder: Path) -> None:
    for path in GATES.values():
        path.rename(f"real {path}")
        path.symlink_to(f"real {path}")
        if dangling:
            Path(f"real {path}").unlink()
    Path("release.csv").write_text("zip,ill\n1,flu\n2,cold\n")
    assert ended(*VERIFY) == 1
    for path in GATES.values():
        assert path.is_symlink() and not Path(f"real {path}").is_symlink()
    assert suite().get("failures") == "1"
    assert run()["results"]


def test_old_answers_behind_links_are_forgotten(folder: Path) -> None:
    for path in GATES.values():
        path.rename(f"real {path}")
        path.symlink_to(f"real {path}")
    assert ended(*VERIFY, "--polcy", "policy.toml") == 2
    assert no_answer()
    assert not Path("out.xml").read_text().count("PROVED")


def test_a_disk_that_is_full_keeps_no_old_answer(folder: Path) -> None:
    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    process = started(preexec_fn=full, stdout=subprocess.DEVNULL)
    process.communicate(b"zip,ill\n1,flu\n1,cold\n", timeout=60)
    assert process.returncode == 2
    assert sorted(os.listdir()) == ["policy.toml", "release.csv"]
