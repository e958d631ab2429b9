"""The command line: the only place that prints, writes files and exits.

Exit codes: 0 proved, 1 refuted, 2 bad input, 3 undecided, 4 a defect in phverify.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from types import TracebackType

from phverify.api import __version__, verify
from phverify.errors import InputError, Problem
from phverify.exact import rational
from phverify.report.notebook import Report
from phverify.report.text import to_lines

PROVED, REFUTED, BAD_INPUT, UNDECIDED, DEFECT = range(5)
EXIT = {"proved": PROVED, "refuted": REFUTED, "undecided": UNDECIDED}
COLOURS = {"PROVED": "32", "REFUTED": "31", "UNDECIDED": "33"}
ISSUES = "please report it with the input that caused it (or a redacted one)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and never raises."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = _parser()
    options = parser.parse_args(arguments)
    redact = bool(getattr(options, "redact", False))
    try:
        code: int = options.run(options)
        return code
    except InputError as error:
        for problem in error.problems:
            _complain(problem.text(redact))
        return BAD_INPUT
    except KeyboardInterrupt:
        _complain("interrupted: nothing was decided")
        return UNDECIDED
    except Exception as error:  # the last line of defence: no verdict, no bare traceback
        return _defect(error, redact)


def _complain(text: str) -> None:
    print(f"phverify: {text}", file=sys.stderr)


def _defect(error: Exception, redact: bool) -> int:
    frames: list[str] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        frames.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    said = type(error).__name__ if redact else f"{type(error).__name__}: {error}"
    _complain(
        f"a defect in phverify {__version__}, not a verdict: {said}\n    at {' < '.join(frames[:-6:-1])}\n    {ISSUES}"
    )
    return DEFECT


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"phverify: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="phverify", description="Prove that a data release keeps its privacy promises, or show the leak."
    )
    parser.add_argument("--version", action="version", version=f"phverify {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _verify_parser(commands.add_parser("verify", help="prove that a release satisfies a policy, or show the leak"))
    demo = commands.add_parser("demo", help="verify the paper's hospital release, then a repaired one")
    demo.set_defaults(run=_demo)
    return parser


def _verify_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", help="the table to be published: CSV, or Parquet")
    parser.add_argument("--policy", required=True, help="the policy, a TOML file")
    parser.add_argument("--original", help="the table before sanitization; individuals are its rows")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON; - is standard output")
    parser.add_argument(
        "--rule", action="append", default=[], metavar="NAME", help="decide this rule only (repeatable)"
    )
    parser.add_argument("--budget", metavar="SECONDS", help="time for all rules together; what is left is undecided")
    parser.add_argument("--redact", action="store_true", help="show classes and counts, but no confidential value")
    parser.add_argument("--encoding", choices=("quotient", "full"), default="quotient", help="full: for small tables")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    target = _writable(options)
    with _Progress() as progress:
        report = verify(
            options.release,
            options.policy,
            options.original,
            _seconds(options.budget),
            encoding=options.encoding,
            rules=options.rule,
            redact=options.redact,
            progress=progress.step,
        )
    saved = _save_queries(report)
    if options.json == "-":
        _say(json.dumps(report.to_dict(), indent=2, ensure_ascii=not _speaks_unicode()).splitlines())
    else:
        _show([*to_lines(report), *saved])
    if target:
        _write(target, json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n")
    return EXIT[report.verdict]


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(rational(text))
    except OverflowError:
        return None  # longer than any number of seconds that a float holds
    except ValueError:
        raise InputError(Problem("--budget", f"is a number of seconds, not {text!r}")) from None
    if seconds <= 0:
        raise InputError(Problem("--budget", f"must be above 0, not {text}"))
    return seconds


def _writable(options: argparse.Namespace) -> Path | None:
    """The file for the report, checked before any work is done."""
    if options.json in (None, "-"):
        return None
    path = Path(options.json)
    inputs = [Path(p) for p in (options.release, options.policy, options.original) if p]
    if path.exists() and any(p.exists() and p.samefile(path) for p in inputs):
        raise InputError(Problem("--json", f"{path} is an input, which is never overwritten"))
    if path.is_dir():
        raise InputError(Problem("--json", f"{path} is a directory"))
    if not path.parent.is_dir():
        raise InputError(Problem("--json", f"the folder {path.parent} does not exist"))
    return path


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(text)
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise InputError(Problem(str(path), f"cannot be written: {error.strerror}")) from None


def _save_queries(report: Report) -> list[str]:
    """Save the query of each undecided rule beside the user, and say where."""
    said: list[str] = []
    used: set[str] = set()
    for number, rule in enumerate(report.rules, start=1):
        if rule.verdict == "undecided" and rule.query:
            stem = f"phverify-{re.sub(r'[^A-Za-z0-9_.-]', '_', rule.name)}"
            path = Path(f"{stem}-{number}.smt2" if stem in used else f"{stem}.smt2")
            used.add(stem)
            _write(path, rule.query)
            said.append(f"  the query of {rule.name} is saved as {path}")
    return said


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def _say(lines: list[str]) -> None:
    """Print; a reader that has gone away changes no verdict."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(lines: list[str]) -> None:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    _say([_coloured(line) if colour else line for line in lines])


def _coloured(line: str) -> str:
    word = re.match(r"[A-Z]+(?=[ :])", line)
    if not word or word[0] not in COLOURS:
        return line
    return f"\x1b[1;{COLOURS[word[0]]}m{word[0]}\x1b[0m{line[word.end() :]}"


class _Progress:
    """A spinner on a terminal once the work has taken a second; nothing when piped."""

    def __init__(self) -> None:
        self.current = "starting"
        self.done = threading.Event()
        self.thread: threading.Thread | None = None

    def step(self, name: str) -> None:
        self.current = name

    def __enter__(self) -> _Progress:
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


def _demo(_: argparse.Namespace) -> int:
    with as_file(files("phverify.examples").joinpath("hospital")) as folder:
        print("A hospital wants to publish release.csv. Its policy: every class of records that look alike has at")
        print("least two, and nobody may be known to earn 100K or to be seriously ill (health = 2).\n")
        first = verify(folder / "release.csv", folder / "policy.toml", folder / "original.csv")
        _show(to_lines(_brief(first)))
        print("\nThe same table, with the date of birth cut to the year and the ZIP code left out:\n")
        second = verify(folder / "repaired.csv", folder / "policy.toml", folder / "original.csv")
        _show(to_lines(_brief(second)))
    expected = (first.verdict, second.verdict) == ("refuted", "proved")
    return PROVED if expected else DEFECT


def _brief(report: Report) -> Report:
    from dataclasses import replace

    return replace(report, release=Path(report.release).name)


if __name__ == "__main__":
    sys.exit(main())
