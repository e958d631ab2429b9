"""The verb ``verify`` of the command line."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.cli.delivery import Output, Unmade, delivered, saved
from phverify.cli.evidence import evident
from phverify.cli.inputs import (
    hierarchy_files,
    one_of_several,
    originals_table,
    seconds,
)
from phverify.cli.outputs import gates, json_file, page_file, targets, told
from phverify.cli.policies import policy_of
from phverify.cli.smtlib import save, smtlib_folder
from phverify.cli.terminal import KEEP, Progress, write
from phverify.errors import InputError, refusal
from phverify.microdata.files import piped
from phverify.microdata.formats import TEXTS
from phverify.report.verify_failing import covered, to_csv_parts
from phverify.report.verify_smtlib import to_files
from phverify.spec.source import Plain
from phverify.verbs.certify import certifiable, certify
from phverify.verbs.verify import verify
from phverify.verification.result import Report

EXIT = {"proved": 0, "refuted": 1, "undecided": 3}
CERTIFYING = 0.1
"""The share of the budget that verdicts leave for their certificate."""
Inputs = tuple[Any, ...]
"""Release, policy and original, as they were given."""


def run(options: argparse.Namespace) -> int:
    """Decide every rule, and write what was asked for; the exit code."""
    # without a policy file --rule has the rules themselves
    chosen = options.rule if options.policy is not None else ()
    options.policy = policy_of(options)
    inputs = (options.release, options.policy, options.original)
    _check_certifiable(options)
    files = targets(options, (*inputs, *hierarchy_files(options.policy)))
    csv_alone(files.get("--failing"))
    folder = None if options.smtlib is None else smtlib_folder(options.smtlib)
    time_left = deadline_of(seconds(options.budget))
    if options.utility:
        # Read for the verdict, and for the comparison.
        options.release = piped(options.release)
    release = one_of_several(options.release, options.named)
    original = originals_table(options.original, options.original_table, options.named)
    with Progress() as progress:
        report = verify(
            release,
            options.policy,
            original,
            _for_verdicts(time_left, "--certificate" in files),
            encoding=options.encoding,
            engine=options.engine,
            spark=options.spark,
            rules=chosen,
            redact=options.redact,
            failing="--failing" in files,
            keep=folder is not None,
            # Ctrl-C ends the run with what is decided by then.
            partly=True,
            portrait="--html" in files,
            utility=options.utility,
            progress=progress.step,
        )
        wanted = [*_queries(report)]
        if folder:
            wanted.append(_folder(report, folder))
        data = evident(options, report.to_dict)
        wanted += json_file(files.get("--json"), data)
        wanted += page_file(options, files, partial(report.to_html, options.public))
        wanted += gates(options, files, report)
        if target := files.get("--failing"):
            wanted.append(_failing(report, target))
        if target := files.get("--certificate"):
            make = partial(_certificate, report, inputs, time_left, progress.step)
            save_it = partial(_save_certificate, report, target)
            wanted.append(
                Output("the certificate", target, make, save_it, needed=False)
            )
        outputs = delivered(wanted)
    told(options.json, data, report.lines, outputs)
    return gated(EXIT[report.verdict], files, report)


def gated(code: int, files: dict[str, Path], report: Report) -> int:
    """The exit code; a gate's file and its exit code say the same.

    Where everybody is named no gate lets a release pass, whatever its rules say.
    """
    gate = "--junit" in files or "--sarif" in files
    if gate and report.identified:
        return EXIT["refuted"]
    return code


def _for_verdicts(whole: Deadline, certified: bool) -> Deadline:
    """The time for verdicts: a hard rule leaves a share of it for the certificate."""
    left = whole.left()
    if left is None or not certified:
        return whole
    return whole.sooner(left * CERTIFYING)


def _check_certifiable(options: argparse.Namespace) -> None:
    """Raises InputError when there can be no certificate, and one is asked for."""
    if options.certificate in (None, "-"):
        return
    if options.redact:
        raise refusal(
            "--certificate", "quotes the policy and names records: not with --redact"
        )
    if options.encoding == "full":
        what = "is written for the quotient encoding"
        raise refusal("--certificate", what, "leave --encoding out")
    certifiable(options.release, options.original)


def _folder(report: Report, folder: Path) -> Output:
    """The questions behind the verdicts, for ``--smtlib``."""
    make = partial(to_files, report)
    return Output("the folder of queries", folder, make, partial(save, folder))


def csv_alone(target: Path | None) -> None:
    """Raises InputError for failing rows under a name that says they are no CSV."""
    if target is not None and target.suffix.lower() not in TEXTS:
        what = f"{target} ends in {target.suffix}, and failing rows are written as CSV"
        raise refusal("--failing", what, f"use {target.with_suffix('.csv')}")


def _failing(report: Report, target: Path) -> Output:
    """The rows that break a rule, for ``--failing``."""
    lines = [f"  the failing rows are written to {target} ({KEEP})"]
    for line in covered(report):
        lines.append(f"    {line}")
    message = "\n".join(lines)
    make = partial(to_csv_parts, report)
    save_it = partial(saved, target, message, confidential=True)
    return Output("the failing rows", target, make, save_it)


def _certificate(
    report: Report, inputs: Inputs, time_left: Deadline, progress: Tell
) -> dict[str, Any]:
    """The certificate of a report.  Raises Unmade when it would claim nothing."""
    certificate = certify(report, *inputs, budget=time_left, progress=progress)
    claims = certificate["rules"]
    # A file that says nothing would be taken for a certificate.
    if all(claim["verdict"] == "undecided" for claim in claims):
        reason = claims[0].get("reason") or "all is undecided"
        raise Unmade(f"it would claim nothing: {reason}")
    return certificate


def _save_certificate(report: Report, path: Path, certificate: Plain) -> str:
    """Write the certificate; says where it is, and which PROVED it does not prove."""
    content = json.dumps(certificate, indent=1, ensure_ascii=False) + "\n"
    write(path, content, confidential=True)
    lines = [
        f"  the certificate is written to {path}"
        f" (it quotes the policy and names records: {KEEP})"
    ]
    verdicts = {rule.name: rule.verdict for rule in report.rules}
    for claim in certificate["rules"]:
        name = claim["name"]
        # The verdict stands, and its certificate does not say it: the user must know.
        if claim["verdict"] == "undecided" and verdicts[name] != "undecided":
            lines.append(f"  no certificate of {name}: {claim['reason']}")
    if agreed := len(certificate["agreed"]):
        lines.append(
            f"  {agreed} of its systems have no proof: there two solvers agree"
        )
    return "\n".join(lines)


def _queries(report: Report) -> Iterator[Output]:
    """The queries of undecided rules, which nobody asked for: where one cannot be
    saved, that is said.
    """
    used: set[str] = set()
    for number, rule in enumerate(report.rules, start=1):
        if rule.verdict != "undecided" or not rule.query:
            continue
        stem = "phverify-" + re.sub(r"[^A-Za-z0-9_.-]", "_", rule.name)
        # Two names may differ only in what a file name cannot have.
        path = Path(f"{stem}-{number}.smt2" if stem in used else f"{stem}.smt2")
        used.add(stem)
        make = partial(str, rule.query)
        save_it = partial(_save_query, rule.name, path)
        yield Output("the query", path, make, save_it, needed=False)


def _save_query(name: str, path: Path, query: str) -> str:
    try:
        write(path, query)
    except InputError as error:
        return f"  the query of {name} is not saved: {error}"
    return f"  the query of {name} is saved as {path}"
