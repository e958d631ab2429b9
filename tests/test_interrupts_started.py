"""A real Ctrl-C while the program starts: at any module that it loads it ends in one
line, with the code of an interruption, and never by the signal itself.
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
from phverify.interruption import Interrupted, Listener

ROOT = Path(phverify.__file__).parent
HOSPITAL = ROOT / "examples" / "hospital"
VERIFY = ("verify", str(HOSPITAL / "release.csv"))
VERIFY += ("--policy", str(HOSPITAL / "policy.toml"))
AUDIT = ("audit", "--demo", "bank")
TOLD = "phverify: interrupted: nothing was decided\n"
FINDER = """
import os, signal, sys

place, name = sys.argv[1:3]
sys.argv = ["phverify", *sys.argv[3:]]
TEXT = "os.kill(os.getpid(), getattr(signal, name))\\nfor _ in (1, 2): pass"

class Finder:
    found = 0

    def find_spec(self, module, *given):
        self.found += 1
        if place in (str(self.found), module):
            exec(TEXT)

sys.meta_path.insert(0, Finder())
from phverify.__main__ import run
sys.exit(run())
"""
"""Sends a signal where a module is looked for, by its name or its number, in a
text as dataclasses are made of.
"""


def ended(
    folder: Path, place: int | str, *words: str, name: str = "SIGINT"
) -> tuple[int, str, str]:
    """What is left of a run with a signal at this module.

    Only ``python -m`` ends by a signal that was caught.
    """
    (folder / "signalled.py").write_text(FINDER, encoding="utf-8")
    paths = os.pathsep.join([str(folder), str(ROOT.parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "signalled", str(place), name, *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [5, 9, 30, 60, 150, 300, 450])
def test_while_modules_are_loaded(number: int, tmp_path: Path) -> None:
    words = AUDIT if number % 2 else VERIFY
    assert ended(tmp_path, number, *words) == (3, "", TOLD)


@pytest.mark.parametrize(
    ("module", "words", "name"),
    [
        ("phverify.spec.criteria.k_anonymity", VERIFY, "SIGINT"),
        ("duckdb", AUDIT, "SIGTERM"),
    ],
)
def test_the_code_counts_and_not_the_signal(
    module: str, words: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    """Where nothing is loaded afterwards: Python takes the last such text alone."""
    assert ended(tmp_path, module, *words, name=name) == (3, "", TOLD)


def test_while_an_audit_loads_what_it_needs(tmp_path: Path) -> None:
    """What was decided by then is told."""
    code, out, err = ended(tmp_path, 700, *AUDIT)
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


def test_a_listener_that_is_deaf_hears_no_second_ctrl_c() -> None:
    listener = Listener()
    before = signal.signal(signal.SIGINT, listener)
    try:
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), signal.SIGINT)
        listener.deaf = True
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


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
