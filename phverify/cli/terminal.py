"""What commands need of the terminal and the file system: lines, colours, progress,
files written whole.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from phverify.errors import printable, refusal

COLOURS = {
    "PROVED": "32",
    "OPTIMAL": "32",
    "ACCEPTED": "32",
    "IMPLIES": "32",
    "EQUIVALENT": "32",
    "CLEAN": "32",
    "SAFE": "32",
    "SOUND": "32",
    "REFUTED": "31",
    "INFEASIBLE": "31",
    "REFUSED": "31",
    "UNMET": "31",
    "SEPARATED": "31",
    "FINDINGS": "31",
    "DISCLOSED": "31",
    "UNSOUND": "31",
    "UNDECIDED": "33",
    "UNSUPPORTED": "33",
}


def writable(name: str, flag: str, inputs: Iterable[str | None]) -> Path:
    """The path of a file to be written, checked before any work is done."""
    path = Path(name)
    existing = [Path(p) for p in inputs if p and Path(p).exists()]
    if path.exists() and not path.is_file() and not path.is_dir():
        raise refusal(flag, f"{path} is no regular file")
    if path.exists() and any(p.samefile(path) for p in existing):
        raise refusal(flag, f"{path} is an input, which is never overwritten")
    if path.is_dir():
        raise refusal(flag, f"{path} is a directory")
    if not path.parent.is_dir():
        raise refusal(flag, f"the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise refusal(flag, f"the folder {path.parent} cannot be written to")
    return path


def write(path: Path, content: str | bytes, confidential: bool = False) -> None:
    """Write a file whole or not at all; text as UTF-8, its line ends as they are.

    What is ``confidential`` nobody but the user may read (mode 0600).
    """
    part = None
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(data)
        withheld = os.umask(
            0o077
        )  # the permissions that the user withholds from new files
        os.umask(withheld)
        part.chmod(0o600 if confidential else 0o666 & ~withheld)
        part.replace(path)
    except BaseException as error:  # Ctrl-C, too, leaves nothing half written behind
        if part is not None:
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise refusal(str(path), f"cannot be written: {error.strerror}") from None
        raise


def complain(text: str) -> None:
    """Say something on standard error, where there is one."""
    if sys.stderr is not None:
        print(f"phverify: {text}", file=sys.stderr)


def speaks_unicode() -> bool:
    return (
        (getattr(sys.stdout, "encoding", "") or "")
        .lower()
        .replace("-", "")
        .startswith("utf")
    )


def say(lines: list[str]) -> None:
    """Print; a reader that has gone away, or was never there, changes no verdict."""
    if sys.stdout is None:
        return
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(lines: list[str]) -> None:
    colour = (
        sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    )
    say([coloured(line) if colour else line for line in lines])


def coloured(line: str) -> str:
    word = re.match(r"[A-Z]+(?=[ :]|$)", line)
    if not word or word[0] not in COLOURS:
        return line
    return f"\x1b[1;{COLOURS[word[0]]}m{word[0]}\x1b[0m{line[word.end() :]}"


FIRST, RARELY = 10.0, 600.0
"""Seconds before the first plain line of progress, and at most from one to the next."""
AGAIN, ANEW = 2.0, 1.25
"""A plain line is due when the work has taken so many times as long as at the last one;
the latter in a new phase.
"""
TICK = 0.1


class Progress:
    """How far the work is, once it takes longer: a spinner on a terminal, else a plain
    line now and then, ever rarer.

    What stands before a colon in the name of a step is its phase.
    """

    def __init__(self) -> None:
        self.current = "starting"
        self.done = threading.Event()
        self.thread: threading.Thread | None = None

    def step(self, name: str) -> None:
        self.current = name

    def __enter__(self) -> Progress:
        if sys.stderr is not None:
            work = self._spin if sys.stderr.isatty() else self._tell
            self.thread = threading.Thread(target=work, daemon=True)
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        if self.thread:
            self.thread.join()

    def _spin(self) -> None:
        start = time.monotonic()
        if self.done.wait(1.0):
            return
        from rich.console import Console

        with Console(stderr=True).status("phverify") as status:
            while not self.done.wait(TICK):
                status.update(f"{self.current} ({time.monotonic() - start:.0f} s)")

    def _tell(self) -> None:
        start, last, told = time.monotonic(), 0.0, ""
        while not self.done.wait(TICK):
            passed, step = time.monotonic() - start, self.current
            phase = step.partition(":")[0]
            pause = min(last * (AGAIN if phase == told else ANEW), last + RARELY)
            if passed < max(FIRST, pause):
                continue
            last, told = passed, phase
            try:
                complain(f"{passed:.0f} s: {printable(step)}")
                sys.stderr.flush()
            except (OSError, ValueError):  # nobody listens: no verdict depends on it
                return
