"""A real Ctrl-C while the program starts: at any module that it loads it ends in one
line, with the code of an interruption.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import phverify
from phverify import interrupts
from phverify.cli import main as command
from phverify.cli.main import main
from phverify.errors import InputError

ROOT = Path(phverify.__file__).parent
HOSPITAL = ROOT / "examples" / "hospital"
VERIFY = ("verify", str(HOSPITAL / "release.csv"))
VERIFY += ("--policy", str(HOSPITAL / "policy.toml"))
AUDIT = ("audit", "--demo", "bank")
TOLD = "phverify: interrupted: nothing was decided\n"
FINDER = """
import os, signal, sys

number, sys.argv = int(sys.argv[1]), ["phverify", *sys.argv[2:]]

class Finder:
    found = 0

    def find_spec(self, *given):
        self.found += 1
        if self.found == number:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from phverify.__main__ import run
sys.exit(run())
"""
"""Sends Ctrl-C when so many modules were looked for."""


def ended(number: int, *words: str) -> tuple[int, str, str]:
    """What is left of a run with Ctrl-C at its module of this number."""
    paths = os.pathsep.join([str(ROOT.parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", FINDER, str(number), *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [5, 9, 30, 60, 150, 300, 450])
def test_while_modules_are_loaded(number: int) -> None:
    words = AUDIT if number % 2 else VERIFY
    assert ended(number, *words) == (3, "", TOLD)


def test_while_an_audit_loads_what_it_needs() -> None:
    """What was decided by then is told."""
    code, out, err = ended(700, *AUDIT)
    assert (code, err) == (3, "") and "the run was stopped" in out


def test_what_fails_because_of_it_is_no_defect(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of any verb: here a module that was loaded by half."""

    class Verb:
        @staticmethod
        def run(options: Any) -> int:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise AttributeError("partially initialized module") from None
            return 0

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(command, "import_module", lambda name: Verb)
    assert main(VERIFY) == 3
    assert capsys.readouterr().err == TOLD
    assert signal.getsignal(signal.SIGINT) is before


def test_a_wrong_input_and_a_defect_stay_what_they_are() -> None:
    for error in (InputError([]), AttributeError("of the program")):
        with pytest.raises(type(error)), interrupts.stopped_by(signal.SIGINT):
            raise error


def test_a_signal_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with interrupts.stopped_by(signal.SIGTERM):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
