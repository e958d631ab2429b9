"""The command line: progress, colours, pipes and names that would pass for verdicts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cli_cases import (
    BAD,
    FEW,
    GOOD,
    policy,
    release,
)

import phverify.cli.main as cli

ROOT = str(Path(cli.__file__).resolve().parents[2])


def process(
    *arguments: str, folder: Path, code: str = "", **streams: Any
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "TERM": "xterm",
        **streams.pop("env", {}),
    }
    environment = {
        name: value for name, value in environment.items() if value != "unset"
    }
    command = [
        sys.executable,
        *(["-c", code] if code else ["-m", "phverify"]),
        *arguments,
    ]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        text=True,
        encoding="utf-8",
        timeout=120,
        **streams,
    )


SLOW = """
import sys, threading, time
import phverify.cli.main as cli
import phverify.cli.terminal as terminal
import phverify.cli.verify as command
from rich.status import Status

# However slow the machine is: no line where nobody watches, and the spinner in time.
terminal.FIRST = float("inf")
spun = threading.Event()
verify, update = command.verify, Status.update

def shown(status, text):
    update(status, text)
    if "what takes long" in str(text):
        spun.set()

def slow(*args, progress, **more):
    report = verify(*args, progress=progress, **more)
    progress("what takes long")
    spun.wait(60) if sys.stderr.isatty() else time.sleep(1.2)
    return report

Status.update = shown
command.verify = slow
sys.exit(cli.main(sys.argv[1:]))
"""


def listen(
    *arguments: str, folder: Path, code: str = "", stream: str = "stderr"
) -> tuple[int, str]:
    """Run with one stream on a terminal; returns what that stream got."""
    leader, follower = pty.openpty()
    try:
        done = process(
            *arguments,
            folder=folder,
            code=code,
            env={"NO_COLOR": "unset"},
            **{stream: follower},
        )
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:
            pass  # Linux says so at the end
    finally:
        os.close(leader)
    return done.returncode, shown.decode("utf-8", "replace")


def test_slow_work_shows_progress_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    piped = process(*arguments, folder=tmp_path, code=SLOW)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert "\x1b" not in piped.stdout
    code, shown = listen(*arguments, folder=tmp_path, code=SLOW)
    assert code == 0
    assert "what takes long" in shown


def test_quick_work_shows_no_progress(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    assert listen(*arguments, folder=tmp_path) == (0, "")


def test_colour_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD, many=BAD)),
    ]
    code, shown = listen(*arguments, folder=tmp_path, stream="stdout")
    assert code == 1
    assert "\x1b[1;32mPROVED" in shown
    assert "\x1b[1;31mREFUTED" in shown


def test_pipes_of_a_narrow_encoding(tmp_path: Path) -> None:
    """A terminal that cannot show a letter is no defect, and changes no verdict."""
    table = release(tmp_path, FEW.replace("3*", "Zürich 東").replace("gout", "Gicht é"))
    arguments = [
        "verify",
        str(table),
        "--policy",
        str(policy(tmp_path, many=BAD, who="~[a1] health = 'Gicht é'")),
    ]
    for narrow in ("ascii", "latin-1"):
        command = [sys.executable, "-m", "phverify", *arguments]
        env = {**os.environ, "PYTHONIOENCODING": narrow}
        done = subprocess.run(
            command, capture_output=True, text=True, encoding=narrow, env=env
        )
        assert done.returncode == 1, done.stderr
        assert "REFUTED" in done.stdout
    done = process(
        *arguments, "--json", "-", folder=tmp_path, env={"PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["verdict"] == "refuted"


def test_a_reader_that_leaves_early_is_no_defect(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = process(*arguments, folder=tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr


def test_a_certificate_overwrites_no_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hierarchies are inputs too, and two outputs are two files."""
    release, policy, paths = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "zip.csv",
    )
    release.write_text("zip,f\n1,a\n1,b\n", encoding="utf-8")
    paths.write_text("1;*\n2;*\n", encoding="utf-8")
    roles = (
        '[columns]\nquasi = ["zip"]\nsensitive = ["f"]\n[hierarchies]\nzip ='
        ' "zip.csv"\n'
    )
    policy.write_text(f'{roles}[rules]\nk = "k_anonymity(2)"\n', encoding="utf-8")
    same = str(tmp_path / "out.json")
    for flags in (
        ["--certificate", str(paths)],
        ["--json", str(paths)],
        ["--certificate", same, "--json", same],
    ):
        assert (
            cli.main(["verify", str(release), "--policy", str(policy), *flags]) == 2
        ), flags
    assert paths.read_text(encoding="utf-8") == "1;*\n2;*\n" and not Path(same).exists()
    assert (
        cli.main(
            ["verify", str(release), "--policy", str(policy), "--certificate", same]
        )
        == 0
    )
    assert f"the certificate is written to {same}" in capsys.readouterr().out
    assert cli.main(["check", same, "--release", str(release)]) == 0
    assert cli.main(["check", same, "--release", str(paths)]) == 1
    assert capsys.readouterr().out.count("ACCEPTED") == 1


def test_no_name_passes_for_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, policy, proof = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "c.json",
    )
    release.write_text('zip,f\n"1\nACCEPTED",a\n2,b\n', encoding="utf-8")
    roles = '[columns]\nquasi = ["zip"]\nsensitive = ["f"]\n'
    policy.write_text(
        f'{roles}[rules]\n"a\\nACCEPTED\\u001b[31m" = "k_anonymity(2)"\n',
        encoding="utf-8",
    )
    cli.main(
        ["verify", str(release), "--policy", str(policy), "--certificate", str(proof)]
    )
    cli.main(["check", str(proof), "--release", str(release)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and shown.splitlines().count("ACCEPTED") == 1


def test_a_policy_that_is_not_utf8(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, policy, proof = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "c.json",
    )
    release.write_text("zip,f\n1,a\n1,b\n", encoding="utf-8")
    policy.write_text(
        '[columns]\nquasi = ["zip"]\n[rules]\nk = "k_anonymity(2)"\n', encoding="utf-8"
    )
    assert (
        cli.main(
            [
                "verify",
                str(release),
                "--policy",
                str(policy),
                "--certificate",
                str(proof),
            ]
        )
        == 0
    )
    policy.write_bytes(b'[columns]\nquasi = ["zip\xe9"]\n')
    assert (
        cli.main(
            ["check", str(proof), "--release", str(release), "--policy", str(policy)]
        )
        == 2
    )
    assert "is not UTF-8" in capsys.readouterr().err
