"""What commands need of the terminal and the file system: lines, colours, progress, files written whole."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from phverify.errors import InputError, Problem

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
        raise InputError(Problem(flag, f"{path} is no regular file"))
    if path.exists() and any(p.samefile(path) for p in existing):
        raise InputError(Problem(flag, f"{path} is an input, which is never overwritten"))
    if path.is_dir():
        raise InputError(Problem(flag, f"{path} is a directory"))
    if not path.parent.is_dir():
        raise InputError(Problem(flag, f"the folder {path.parent} does not exist"))
    if not os.access(path.parent, os.W_OK):
        raise InputError(Problem(flag, f"the folder {path.parent} cannot be written to"))
    return path


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; text as UTF-8, its line ends as they are."""
    part = None
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(data)
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise InputError(Problem(str(path), f"cannot be written: {error.strerror}")) from None


def _umask() -> int:
    """The permissions that the user withholds from new files."""
    found = os.umask(0o077)
    os.umask(found)
    return found


def speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def say(lines: list[str]) -> None:
    """Print; a reader that has gone away changes no verdict."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(lines: list[str]) -> None:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    say([coloured(line) if colour else line for line in lines])


def coloured(line: str) -> str:
    word = re.match(r"[A-Z]+(?=[ :]|$)", line)
    if not word or word[0] not in COLOURS:
        return line
    return f"\x1b[1;{COLOURS[word[0]]}m{word[0]}\x1b[0m{line[word.end() :]}"


class Progress:
    """A spinner on a terminal once the work has taken a second; nothing when piped."""

    def __init__(self) -> None:
        self.current = "starting"
        self.done = threading.Event()
        self.thread: threading.Thread | None = None

    def step(self, name: str) -> None:
        self.current = name

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self.thread = threading.Thread(target=self._spin, daemon=True)
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
            while not self.done.wait(0.1):
                status.update(f"{self.current} ({time.monotonic() - start:.0f} s)")
