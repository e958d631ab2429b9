"""The verb ``audit`` of the command line."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from phverify.cli.delivery import Output, delivered, saved
from phverify.cli.evidence import evident
from phverify.cli.inputs import seconds
from phverify.cli.outputs import json_file, page_file, targets, told
from phverify.cli.terminal import Progress, json_text
from phverify.disclosure.histories.settings import LogColumns
from phverify.disclosure.policy_log import log_columns
from phverify.disclosure.policy_reader import load, spoken
from phverify.disclosure.result import AuditReport
from phverify.errors import InputError, Problem, nearest, refusal
from phverify.interrupts import stopped_by
from phverify.report.audit_dltts import LogSystem, traced
from phverify.report.audit_json import in_parts
from phverify.report.audit_text import to_lines
from phverify.report.evidence import Evidence
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


def _json_text(system: LogSystem) -> str:
    """The system as the text of a JSON file."""
    plain = system.to_dict()
    return json_text(plain) + "\n"


FORMS: dict[str, Callable[[LogSystem], str]] = {
    ".svg": LogSystem.svg,
    ".dot": LogSystem.dot,
    ".json": _json_text,
}
"""What --dltts writes, by the ending of the file."""


def run(options: argparse.Namespace) -> int:
    """Audit a log; the exit code."""
    with _inputs(options) as inputs:
        database, log, path = inputs
        policy = spoken(load(path), options.dialect)
        columns = _columns(options.log_columns)
        answers = [options.answers] if options.answers else []
        written = targets(options, (*inputs, *answers, *map(str, policy.files)))

        # Whatever is wrong with the files to be written is said before any work.
        form = _form(options.dltts)
        # SIGTERM stops a run as Ctrl-C does.
        with stopped_by(signal.SIGTERM):
            with Progress() as progress:
                report = audit(
                    database,
                    log,
                    policy,
                    first=options.first,
                    budget=seconds(options.budget),
                    ranges=_ranges(options.ranges),
                    reconstruct=options.reconstruct or options.demo == "census",
                    users=_users(options.user),
                    answers=options.answers,
                    columns=columns,
                    progress=progress.step,
                )
            _told(options, report, written, form)
    return EXIT[report.verdict]


def _told(
    options: argparse.Namespace,
    report: AuditReport,
    written: dict[str, Path],
    form: Callable[[LogSystem], str] | None,
) -> None:
    """Write what was asked for, and say the answer.

    It is told even where a file cannot be written.  Raises InputError afterwards.
    """
    plain = evident(options, partial(in_parts, report, options.redact))
    outputs = json_file(written.get("--json"), plain)
    page = partial(_page, report, options.public, options.redact)
    outputs += page_file(options, written, page)
    if form is not None:
        outputs.append(_system(report, written["--dltts"], form, options.redact))
    lines = partial(_lines, options, report)
    told(options.json, plain, lines, delivered(outputs))


def _lines(options: argparse.Namespace, report: AuditReport) -> Iterator[str]:
    """The report as text, made as it is shown; that of an example says what it is."""
    if options.demo:
        table = Path(report.source)
        yield from DEMOS[options.demo][1].splitlines()
        yield f"(table, queries and policy are in {table.parent})"
        yield ""
        # The folder of the package is named once.
        report = replace(report, source=table.name)
    yield from to_lines(report, options.redact)


def _page(
    report: AuditReport, public: bool, redact: bool, evidence: Evidence | None = None
) -> str:
    """The page of the report; loaded here, as few ask for one."""
    from phverify.report.audit_html import to_page
    from phverify.report.html import page_file as written
    from phverify.report.html import with_evidence

    page = to_page(report, public, redact)
    return written(with_evidence(page, report, evidence))


def _form(name: str | None) -> Callable[[LogSystem], str] | None:
    """What the ending of the file of ``--dltts`` asks for.

    Raises InputError for an ending that is none of them.
    """
    if name is None:
        return None
    ending = Path(name).suffix.lower()
    if ending in FORMS:
        return FORMS[ending]
    what = f"{name!r} has no ending that says what to write"
    if ending:
        what = f"{name!r} ends in {ending}, and nothing is written that way"
    hint = ".svg is a picture, .dot a picture for Graphviz, .json plain data"
    raise refusal("--dltts", what, hint)


def _system(
    report: AuditReport,
    target: Path,
    form: Callable[[LogSystem], str],
    redact: bool,
) -> Output:
    """The file of ``--dltts``, with what is said of it."""
    made: list[LogSystem] = []

    def make() -> str:
        # preserved for what is said of it, once it is written
        made.append(traced(report, redact=redact))
        return form(made[-1])

    def save(content: str) -> str:
        said = f"  the transition system is written to {target}: {made[-1]}"
        # Its states have the answers, and what follows from them.
        return saved(target, said, content, confidential=not redact)

    return Output("the transition system", target, make, save)


def _users(given: list[str] | None) -> list[str]:
    """The names of ``--user``, which may be repeated.  Raises InputError."""
    names = [name.strip() for names in given or () for name in names.split(",")]
    if not all(names):
        raise refusal("--user", "names nobody", "for example: --user ann,bob")
    return names


def _columns(given: str | None) -> LogColumns:
    """The columns of ``--log-columns``.  Raises InputError."""
    names: dict[str, Any] = {}
    ok = []
    problems = []
    for pair in given.split(",") if given else []:
        role, sign, name = map(str.strip, pair.partition("="))
        if not (role and sign and name):
            hint = "for example: --log-columns text=query_text,user=login"
            raise refusal("--log-columns", f"{pair!r} names no column", hint)
        if role == "ok":
            ok.append(name)
        elif role in names:
            raise refusal("--log-columns", f"names {role} twice")
        else:
            names[role] = name

    def complain(where: str, what: str, hint: str) -> None:
        problems.append(Problem("--log-columns", what, hint))

    columns = log_columns({**names, **({"ok": ok} if ok else {})}, complain)
    if problems:
        raise InputError(problems)
    return columns


def _ranges(text: str | None) -> float:
    """The value of ``--ranges``: no time at all is allowed."""
    if text is None:
        return RANGES
    # ``seconds`` refuses 0; here it switches the ranges off
    if text.strip("0") in ("", "."):
        return 0.0
    try:
        given = seconds(text)
    except InputError:
        raise refusal("--ranges", f"is a number of seconds, not {text!r}") from None
    if given is None:
        return RANGES
    return given


@contextmanager
def _inputs(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Database, log and policy: those given, or those of a packaged example.

    Raises InputError.
    """
    names = ("database", "log", "policy")
    given = {f"--{name}": getattr(options, name) for name in names}
    if options.demo is None:
        missing = [flag for flag, path in given.items() if path is None]
        if missing:
            problems = [Problem(flag, "is missing") for flag in missing[:-1]]
            hint = "or see an example: phverify audit --demo bank"
            raise InputError([*problems, Problem(missing[-1], "is missing", hint)])
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
        table = str(folder / DEMOS[options.demo][0])
        yield table, str(folder / "queries.sql"), str(folder / "audit.toml")
