"""The verb ``audit`` of the command line."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

from phverify.cli.inputs import seconds
from phverify.cli.outputs import targets, tell
from phverify.cli.terminal import Progress
from phverify.disclosure.policy import load
from phverify.errors import InputError, Problem, nearest, refusal
from phverify.report.audit_json import to_json
from phverify.report.audit_text import to_lines
from phverify.verbs.audit import RANGES, audit

EXIT = {"safe": 0, "disclosed": 1, "undecided": 3, "unsupported": 3}
DEMOS = {
    "bank": (
        "accounts.csv",
        (
            "A bank answers sums and counts over its accounts. Nobody's balance may"
            " follow from the answers."
        ),
    ),
    "census": (
        "people.csv",
        (
            "Of seven people of a census block a few statistics are published: counts,"
            " medians and means of the age.\nNo single row is anybody's (a number"
            " without meaning names it), and yet the statistics say everything."
        ),
    ),
}
"""The packaged examples: their table, and what they are about."""


def run(options: argparse.Namespace) -> int:
    """Audit a log; the exit code."""
    with _inputs(options) as inputs:
        database, log, path = inputs
        policy = load(path)
        written = targets(options, (*inputs, *map(str, policy.files)))
        with Progress() as progress, _terminated():
            report = audit(
                database,
                log,
                policy,
                first=options.first,
                budget=seconds(options.budget),
                ranges=_ranges(options.ranges),
                reconstruct=options.reconstruct or options.demo == "census",
                progress=progress.step,
            )
    plain = partial(to_json, report, options.redact)
    brief = replace(report, source=Path(report.source).name) if options.demo else report
    lines = to_lines(brief, options.redact)
    if options.demo:
        where = f"(table, queries and policy are in {Path(database).parent})"
        lines = [*DEMOS[options.demo][1].splitlines(), where, "", *lines]
    tell(options, written, plain, lines)
    return EXIT[report.verdict]


@contextmanager
def _terminated() -> Iterator[None]:
    """SIGTERM stops a run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _ranges(text: str | None) -> float:
    """The value of ``--ranges``: no time at all is allowed."""
    if text is None or text.strip("0") in ("", "."):
        return RANGES if text is None else 0.0
    try:
        found = seconds(text)
    except InputError:
        raise refusal("--ranges", f"is a number of seconds, not {text!r}") from None
    return RANGES if found is None else found


@contextmanager
def _inputs(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Database, log and policy: those given, or those of a packaged example.  Raises
    InputError.
    """
    given = {
        f"--{name}": getattr(options, name) for name in ("database", "log", "policy")
    }
    if options.demo is None:
        missing = [flag for flag, path in given.items() if path is None]
        if missing:
            hint = "or see an example: phverify audit --demo bank"
            raise InputError(
                [
                    Problem(flag, "is missing", hint if flag == missing[-1] else "")
                    for flag in missing
                ]
            )
        yield options.database, options.log, options.policy
        return
    if options.demo not in DEMOS:
        raise refusal(
            "--demo",
            f"there is no example {options.demo!r}",
            nearest(options.demo, DEMOS, "examples"),
        )
    if any(path is not None for path in given.values()):
        raise refusal(
            "--demo", "has files of its own", "leave out --database, --log and --policy"
        )
    with as_file(files("phverify.examples").joinpath(options.demo)) as folder:
        yield (
            str(folder / DEMOS[options.demo][0]),
            str(folder / "queries.sql"),
            str(folder / "audit.toml"),
        )
