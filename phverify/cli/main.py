"""The command line: the only place that prints, writes files and exits.

Exit codes: 0 proved (search: optimal, check: accepted, audit: safe), 1 refuted
(infeasible, refused, disclosed), 2 bad input, 3 undecided, 4 a defect in phverify.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from types import TracebackType
from typing import Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.cli.audit import audit_parser
from phverify.cli.compare import compare_parser, lint_parser
from phverify.cli.outputs import Output, Unmade, delivered, json_file, targets, told
from phverify.cli.reidentify import reidentify_parser
from phverify.cli.search import check_parser, hierarchy_files, search_parser, seconds
from phverify.cli.smtlib import save, smtlib_folder
from phverify.cli.terminal import Progress, complain, show, write
from phverify.errors import InputError, close, refusal
from phverify.report.search_text import to_lines as search_lines
from phverify.report.verify_smtlib import to_files
from phverify.spec.source import Plain
from phverify.verbs.certify import certify
from phverify.verbs.search import search
from phverify.verbs.verify import verify
from phverify.verification.result import Report
from phverify.version import __version__

PROVED, REFUTED, BAD_INPUT, UNDECIDED, DEFECT = range(5)
EXIT = {"proved": PROVED, "refuted": REFUTED, "undecided": UNDECIDED}
ISSUES = "please report it with the input that caused it (or a redacted one)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and never raises."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = _parser()
    options = parser.parse_args(arguments)
    redact = bool(getattr(options, "redact", False))
    try:
        code: int = options.run(options)
        return code
    except InputError as error:
        for problem in error.problems:
            complain(problem.text(redact))
        return BAD_INPUT
    except KeyboardInterrupt:
        complain("interrupted: nothing was decided")
        return UNDECIDED
    except OSError as error:  # a full disk, a device that fails: nothing of ours
        complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return BAD_INPUT
    except (
        Exception
    ) as error:  # the last line of defence: no verdict, no bare traceback
        return _defect(error, redact)


def _defect(error: Exception, redact: bool) -> int:
    frames: list[str] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        frames.append(
            f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        )
        trace = trace.tb_next
    said = type(error).__name__ if redact else f"{type(error).__name__}: {error}"
    complain(
        f"a defect in phverify {__version__}, not a verdict: {said}\n    at"
        f" {' < '.join(frames[:-6:-1])}\n    {ISSUES}"
    )
    return DEFECT


class _Parser(argparse.ArgumentParser):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given, allow_abbrev=False)

    def error(self, message: str) -> None:  # type: ignore[override]
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"phverify: {message}{_did_you_mean(message)}\n")


def _did_you_mean(message: str) -> str:
    """The choice that is nearest to one that argparse does not know."""
    choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
    if choice is None:
        return ""
    alike = close(choice[1], re.findall(r"[\w-]+", choice[2]))
    return f"\n    did you mean {alike[0]!r}?" if alike else ""


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="phverify",
        description=(
            "Prove that a data release keeps its privacy promises, or show the leak."
        ),
    )
    parser.add_argument(
        "--version", action="version", version=f"phverify {__version__}"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _verify_parser(
        commands.add_parser(
            "verify", help="prove that a release satisfies a policy, or show the leak"
        )
    )
    search_parser(
        commands.add_parser(
            "search", help="find the least generalization that satisfies a policy"
        )
    )
    check_parser(
        commands.add_parser(
            "check", help="verify a certificate again, without the engine that wrote it"
        )
    )
    compare_parser(
        commands.add_parser(
            "compare",
            help="does one criterion or policy imply another, for every table?",
        )
    )
    lint_parser(
        commands.add_parser(
            "lint", help="find rules of a policy that cannot mean what they should"
        )
    )
    audit_parser(
        commands.add_parser(
            "audit", help="which query of a log first gave a protected fact away?"
        )
    )
    reidentify_parser(
        commands.add_parser(
            "reidentify", help="how well could attackers link the records of a release?"
        )
    )
    demo = commands.add_parser(
        "demo", help="verify the paper's hospital release, then a repaired one"
    )
    demo.set_defaults(run=_demo)
    return parser


def _verify_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", help="the table to be published: CSV, or Parquet")
    parser.add_argument("--policy", required=True, help="the policy, a TOML file")
    parser.add_argument(
        "--original", help="the table before sanitization; individuals are its rows"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the report as JSON; - is standard output"
    )
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME",
        help="decide this rule only (repeatable)",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all, certificate too; what is left is undecided",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="show classes and counts, but no confidential value",
    )
    parser.add_argument(
        "--encoding",
        choices=("quotient", "full"),
        default="quotient",
        help="full: for small tables",
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="write why, for phverify check to verify again",
    )
    parser.add_argument(
        "--smtlib",
        metavar="DIR",
        help="write the questions behind the verdicts as SMT-LIB files",
    )
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    inputs = (options.release, options.policy, options.original)
    _certifiable(options)
    written = targets(options, (*inputs, *hierarchy_files(options.policy)))
    folder = None if options.smtlib is None else smtlib_folder(options.smtlib)
    time_left = deadline_of(seconds(options.budget))
    with Progress() as progress:
        report = verify(
            options.release,
            options.policy,
            options.original,
            time_left,
            encoding=options.encoding,
            rules=options.rule,
            redact=options.redact,
            keep=folder is not None,
            partly=True,
            progress=progress.step,
        )
        wanted = [*_queries(report)]
        if folder:
            wanted.append(
                Output(
                    "the folder of queries",
                    folder,
                    partial(to_files, report),
                    partial(save, folder),
                )
            )
        wanted += json_file(written.get("--json"), report.to_dict)
        if proof := written.get("--certificate"):
            made = partial(_certified, report, inputs, time_left, progress.step)
            wanted.append(
                Output(
                    "the certificate",
                    proof,
                    made,
                    partial(_save_proof, report, proof),
                    needed=False,
                )
            )
        outputs = delivered(wanted)
    told(options.json, report.to_dict, report.lines(), outputs)
    return EXIT[report.verdict]


def _certified(
    report: Report, inputs: tuple[Any, ...], time_left: Deadline, progress: Tell
) -> dict[str, Any]:
    """The certificate of a report.  Raises Unmade when it would claim nothing."""
    found = certify(report, *inputs, budget=time_left, progress=progress)
    if all(said["verdict"] == "undecided" for said in found["rules"]):
        raise Unmade(
            "it would claim nothing:"
            f" {found['rules'][0].get('reason') or 'all is undecided'}"
        )
    return found


def _certifiable(options: argparse.Namespace) -> None:
    """Raises InputError when there can be no certificate, and one is asked for."""
    if options.certificate not in (None, "-"):
        if options.redact:
            raise refusal(
                "--certificate",
                "quotes the policy and names records: not with --redact",
            )
        if options.encoding == "full":
            raise refusal(
                "--certificate",
                "is written for the quotient encoding",
                "leave --encoding out",
            )


def _save_proof(report: Report, path: Path, certificate: Plain) -> str:
    """Write the certificate; says where it is, and which PROVED it does not prove."""
    write(path, json.dumps(certificate, indent=1, ensure_ascii=False) + "\n")
    verdicts = {rule.name: rule.verdict for rule in report.rules}
    bare = [
        r
        for r in certificate["rules"]
        if r["verdict"] == "undecided" != verdicts[r["name"]]
    ]
    told = [f"  no certificate of {rule['name']}: {rule['reason']}" for rule in bare]
    agreed = len(certificate["agreed"])
    told += (
        [f"  {agreed} of its systems have no proof: there two solvers agree"]
        if agreed
        else []
    )
    kept = "it quotes the policy and names records: keep it confidential"
    return "\n".join([f"  the certificate is written to {path} ({kept})", *told])


def _queries(report: Report) -> Iterator[Output]:
    """The queries of undecided rules, which nobody asked for: where one cannot be
    saved, that is said.
    """
    used: set[str] = set()
    for number, rule in enumerate(report.rules, start=1):
        if rule.verdict == "undecided" and rule.query:
            stem = f"phverify-{re.sub(r'[^A-Za-z0-9_.-]', '_', rule.name)}"
            path = Path(f"{stem}-{number}.smt2" if stem in used else f"{stem}.smt2")
            used.add(stem)
            yield Output(
                "the query",
                path,
                partial(str, rule.query),
                partial(_save_query, rule.name, path),
                needed=False,
            )


def _save_query(name: str, path: Path, query: str) -> str:
    try:
        write(path, query)
    except InputError as error:
        return f"  the query of {name} is not saved: {error}"
    return f"  the query of {name} is saved as {path}"


def _demo(_: argparse.Namespace) -> int:
    with as_file(files("phverify.examples").joinpath("hospital")) as folder:
        given = folder / "policy.toml", folder / "original.csv"
        print(
            "A hospital wants to publish release.csv. Its policy: every class of"
            " records that look alike has at"
        )
        print(
            "least two, and nobody may be known to earn 100K or to be seriously ill"
            " (health = 2).\n"
        )
        first, second = (
            verify(folder / name, *given) for name in ("release.csv", "repaired.csv")
        )
        show(replace(first, release="release.csv").lines())
        print(
            "\nThe same table, with the date of birth cut to the year and the ZIP code"
            " left out:\n"
        )
        show(replace(second, release="repaired.csv").lines())
        print(
            "\nphverify search finds that release by itself, and proves that no other"
            " costs less:\n"
        )
        found = search(folder / "original.csv", folder / "policy.toml")
        show(search_lines(found, "original.csv"))
    expected = (first.verdict, second.verdict, found.verdict) == (
        "refuted",
        "proved",
        "optimal",
    )
    return PROVED if expected else DEFECT


if __name__ == "__main__":
    sys.exit(main())
