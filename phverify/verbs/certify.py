"""``certify``: a verdict's certificate, from the files themselves; before it is handed
out, the checker has read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import Defect, InputError, Problem, refusal
from phverify.given import described, refuse, wrong_progress
from phverify.microdata.files import UNPACKING, plain_csv
from phverify.microdata.frames import is_frame
from phverify.spec.certificate import check, digest, load
from phverify.spec.data import PlainPolicy, Refused, Unsettled, policy
from phverify.spec.hierarchies import texts
from phverify.spec.models import Table
from phverify.spec.published import sha256
from phverify.spec.shape import BY_TUPLES, FORMAT, KIND
from phverify.spec.source import File, policy_text
from phverify.verbs.verify import verify
from phverify.verification.claims import claims, witness
from phverify.verification.result import Report
from phverify.version import __version__


def certify(
    report: Report,
    release: File,
    policy_file: File,
    original: File | None = None,
    *,
    budget: float | Deadline | None = None,
    progress: Tell = lambda step: None,
) -> dict[str, Any]:
    """The certificate of a report of ``verify``, as plain data for JSON.

    The three files are those that ``verify`` was given; tables must be CSV files, which
    the checker reads itself. A rule whose proof is not found in ``budget`` seconds is
    listed as undecided, with the reason.  A ``Deadline`` is shared with what has been
    done before. Raises InputError for other files than those, and Defect when the
    checker refuses what phverify found.
    """
    refuse(_wrong_report(report), wrong_progress(progress))
    time_left = deadline_of(budget)
    if not isinstance(policy_file, (str, PathLike)):
        raise refusal(
            "policy", "a certificate quotes a policy's text", "give the TOML file"
        )
    if release is None:
        raise refusal("release", "is the path of the released table, not None")
    certifiable(release, original)
    try:
        rules = policy(policy_text(policy_file))
        content = _frame(report, rules, release, policy_file, original)
        table = Table(load(content, rules, release, original).data)
        content |= claims(report, rules, table, time_left, progress)
        whole = {**content, "digest": digest(content)}
        progress("checking the certificate")
        if any(claim["verdict"] != "undecided" for claim in content["rules"]):
            # What two solvers agreed on a moment ago is not asked again.
            agreed = content["agreed"]
            verified = check(
                whole,
                release,
                original,
                lambda question: question.digest in agreed,
                policy_file,
            )
            list(verified)  # it raises where a claim is false
    except Unsettled as error:
        raise refusal("certificate", f"there can be none: {error}") from None
    except (Refused, Defect) as error:
        # with other files than those of the report it is no defect
        _same_files(report, release, policy_file, original, time_left.seconds)
        raise Defect(f"the checker refuses the certificate: {error}") from None
    return whole


def certifiable(release: object, original: object) -> None:
    """Raises InputError for tables that no certificate can be about.

    Packed files are not read by its checker, and a pipe is not there any more.
    """
    problems: list[Problem] = []
    for name, table in (("release", release), ("original", original)):
        if table is not None and not plain_csv(table):
            what = "a certificate is about CSV files, which its checker reads by itself"
            where = name if is_frame(table) else str(table)
            problems.append(Problem(where, what, _as_csv(table)))
    if problems:
        raise InputError(problems)


def _as_csv(table: object) -> str:
    """A hint: how a table becomes a CSV file."""
    unpack = None
    if isinstance(table, str | PathLike):
        unpack = UNPACKING.get(Path(table).suffix.lower())
    if unpack is None:
        return "write it as CSV first"
    plain = Path(table).with_suffix("")  # type: ignore[arg-type]
    command = f"{unpack} {quote(str(table))} > {quote(str(plain))}"
    return f"unpack it first: {command}"


def _wrong_report(given: object) -> Iterator[Problem]:
    """What is wrong with a report: it is what ``verify`` answers."""
    if not isinstance(given, Report):
        what = f"is what verify answers, not {described(given)}"
        hint = "certify(verify(release, policy), release, policy)"
        yield Problem("report", what, hint)


def _same_files(
    report: Report,
    release: File,
    policy_file: File,
    original: File | None,
    budget: float | None,
) -> None:
    """Raises InputError when ``verify`` says something else of these files than the
    report does.
    """
    again = verify(
        release,
        policy_file,
        original,
        budget,
        rules=[result.name for result in report.rules],
    )
    if _claims_of(again) != _claims_of(report):
        what = (
            "these are other files than verify was given: the report says something"
            " else than they do"
        )
        raise refusal(
            "certify",
            what,
            "certify(verify(release, policy), release, policy), the same files twice",
        )


def _claims_of(report: Report) -> list[Any]:
    """What a report says that a certificate would hold."""
    leaks = [
        witness(result) if result.verdict == "refuted" else None
        for result in report.rules
    ]
    mapping = None if report.sanitized is None else _mapping(report)
    return [
        report.rows,
        sorted(report.met.items()),
        mapping,
        [(r.name, r.verdict) for r in report.rules],
        leaks,
    ]


def _frame(
    report: Report,
    rules: PlainPolicy,
    release: File,
    policy_file: File,
    original: File | None,
) -> dict[str, Any]:
    """Everything but the rules and their proofs."""
    order = {"rows": rules.rows} if rules.rows == "same order" else {}
    return {
        "kind": KIND,
        "format": FORMAT,
        "version": __version__,
        "solvers": [report.solver],
        "policy": policy_text(policy_file),
        **order,
        "release": {"sha256": sha256(release)},
        "original": (
            None
            if original is None
            else {"sha256": sha256(original), "mapping": _mapping(report)}
        ),
        "hierarchies": texts(rules, Path(policy_file).parent),
    }


def _mapping(report: Report) -> dict[str, Any] | str:
    """What each value of each column became; or that tuples were recoded."""
    assert report.sanitized is not None
    if report.sanitized.tupled is not None:
        return BY_TUPLES
    mapping = {}
    for name, images in report.sanitized.mappings.items():
        mapping[name] = [list(pair) for pair in images.items()]
    return mapping
