"""What commands need of the terminal and the file system: lines, colours, progress,
files written whole.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from phverify.errors import CONTROLS, NAMELESS, printable, refusal

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


INTERRUPTED = "interrupted: nothing was decided"
"""What is said of Ctrl-C, and of SIGTERM, where there is nothing else to be told."""
KEEP = "keep it confidential; only you can read it, mode 0600"


def writable(name: str, flag: str, inputs: Iterable[str | None]) -> Path:
    """The path of a file to be written, checked before any work is done."""
    # To Path that would be the current folder.
    if not name:
        raise refusal(flag, NAMELESS)
    path = Path(name)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise refusal(flag, f"{path} is no regular file")
    if path.exists():
        for other in inputs:
            # A link, or a name with .. in it, may be the same file.
            if other and Path(other).exists() and path.samefile(other):
                raise refusal(flag, f"{path} is an input, which is never overwritten")
    if path.is_dir():
        raise refusal(flag, f"{path} is a directory")
    folder = path.parent
    if not folder.is_dir():
        raise refusal(flag, f"the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise refusal(flag, f"the folder {folder} cannot be written to")
    return path


Content = str | bytes | Iterable[bytes]
"""What is written to a file, at once or in parts."""


def write(path: Path, content: Content, confidential: bool = False) -> None:
    """Write a file whole or not at all; text as UTF-8, its line ends as they are.

    What is confidential only the owner can read afterwards (mode 0600), also where an
    earlier file of that name was open to others.  Raises InputError where it cannot be
    written.
    """
    # Help and most answers write no file.
    from phverify.microdata.part_file import part_file

    with part_file(path, confidential) as part, part.path.open("wb") as file:
        file.writelines(_parts(content))


def _parts(content: Content) -> Iterable[bytes]:
    """What is written, one part after the other."""
    if isinstance(content, str):
        return [as_bytes(content)]
    if isinstance(content, bytes):
        return [content]
    return content


def as_bytes(text: str) -> bytes:
    """Text as it is written: a file name that is no text has bytes that stay readable,
    escaped.
    """
    return text.encode("utf-8", "backslashreplace")


def complain(text: str) -> None:
    """Say something on standard error, where there is one that can be written to."""
    if sys.stderr is None:
        return
    lines = [printable(line) for line in text.split("\n")]
    try:
        print("phverify: " + "\n".join(lines), file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def speaks_unicode() -> bool:
    """Whether standard output can show any character."""
    encoding = getattr(sys.stdout, "encoding", None) or ""
    name = encoding.lower().replace("-", "")
    return name.startswith("utf")


def say(lines: Iterable[str], end: str = "\n") -> None:
    """Print; a reader that has gone away, or was never there, changes no verdict.

    Raises OSError where the lines cannot be written, to a full disk for example.
    """
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        for line in lines:
            print(line, end=end)
        sys.stdout.flush()
    except OSError as error:
        _discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise


def _discard(stream: TextIO) -> None:
    """What a stream could not write Python would flush once more at the end, and fail:
    it goes nowhere.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())


def say_json(data: object) -> None:
    """Print data as JSON, piece by piece."""
    ascii_only = not speaks_unicode()
    pieces = json_pieces(data, ascii_only=ascii_only)
    say(pieces, end="")
    say([""])


def json_pieces(
    data: object, margin: str = "", *, ascii_only: bool = False
) -> Iterator[str]:
    """The text of ``json_text`` in pieces; an iterator in the data is a list whose
    items are made one after the other, as they are written.
    """
    items: Iterator[tuple[str, object]]
    if isinstance(data, Iterator):
        items = (("", item) for item in data)
        opened, closed = "[]"
    elif isinstance(data, dict) and any(isinstance(v, Iterator) for v in data.values()):
        items = ((f"{json.dumps(name)}: ", value) for name, value in data.items())
        opened, closed = "{}"
    else:
        text = json_text(data, ascii_only=ascii_only)
        # No string of JSON has a line end in it.
        yield text.replace("\n", "\n" + margin)
        return
    yield opened
    end, inner = "", f"{margin}  "
    for name, value in items:
        yield f"{end}\n{inner}{name}"
        yield from json_pieces(value, inner, ascii_only=ascii_only)
        end = ","
    yield f"\n{margin}{closed}" if end else closed


def json_text(data: object, *, ascii_only: bool = False) -> str:
    """Data as JSON; what a terminal would obey, and what nobody sees, is escaped inside
    its strings.
    """
    text = json.dumps(data, indent=2, ensure_ascii=ascii_only)
    lines = text.split("\n")  # the line ends of JSON itself stay
    return "\n".join(CONTROLS.sub(_json_escape, line) for line in lines)


def _json_escape(control: re.Match[str]) -> str:
    quoted = json.dumps(control[0])
    return quoted.strip('"')


def show(lines: Iterable[str]) -> None:
    """Print lines, the verdicts in colour on a terminal; no value and no name can move
    its cursor or pass for a line of its own.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    shown = [printable(line) for line in lines]
    if terminal and "NO_COLOR" not in os.environ:
        shown = [coloured(line) for line in shown]
    say(shown)


def coloured(line: str) -> str:
    """The line with its first word in colour, where that is a verdict."""
    first = re.match(r"[A-Z]+(?=[ :]|$)", line)
    if first is None or first[0] not in COLOURS:
        return line
    verdict = first[0]
    return f"\x1b[1;{COLOURS[verdict]}m{verdict}\x1b[0m{line[len(verdict) :]}"


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
        """The work has come to this step."""
        self.current = name

    def __enter__(self) -> Progress:
        if sys.stderr is not None:
            work = self._spin if sys.stderr.isatty() else self._report
            # A daemon: what hangs in a solver must not outlive the command.
            self.thread = threading.Thread(target=work, daemon=True)
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        if self.thread:
            self.thread.join()

    def _spin(self) -> None:
        start = time.monotonic()
        # short work shows no spinner, and loads none
        if self.done.wait(1.0):
            return
        from rich.console import Console
        from rich.text import Text  # in which [/foo] is no markup, as in a str

        with Console(stderr=True).status("phverify") as status:
            while not self.done.wait(TICK):
                passed = time.monotonic() - start
                status.update(Text(f"{printable(self.current)} ({passed:.0f} s)"))

    def _report(self) -> None:
        start = time.monotonic()
        last, reported = 0.0, ""
        while not self.done.wait(TICK):
            passed = time.monotonic() - start
            step = self.current
            phase = step.partition(":")[0]
            factor = AGAIN if phase == reported else ANEW
            pause = min(last * factor, last + RARELY)
            if passed < max(FIRST, pause):
                continue
            last, reported = passed, phase
            try:
                complain(f"{passed:.0f} s: {printable(step)}")
                sys.stderr.flush()
            except (OSError, ValueError):  # nobody listens: no verdict depends on it
                return
