"""A report as SMT-LIB files: the questions behind its verdicts, and an index that says
which is which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from phverify.constraints.document import document
from phverify.verification.result import Report, RuleResult, SavedQuery

MARK = "written by phverify verify --smtlib"
"""In the first line of each file, so that a later run knows what it may replace."""
INDEX = "README.md"
ASSUMED = "assumptions.smt2"
MEANING = {
    "instance": (
        "unsat: in no model of the release is there a world where the instance is"
        " false; sat: a leak"
    ),
    "full": (
        "unsat: in no model of the release is there a world where the rule is false;"
        " sat: a leak"
    ),
    "assumptions": (
        "sat: some placement of the individuals meets all assumptions, so that a proof"
        " is no empty one"
    ),
}
PARTLY = " (without those on classes that this instance does not reach)"
HEADING = {
    "instance": (
        "Is there a model and a world where this instance of the rule is false? "
        " (Quotient encoding.)"
    ),
    "full": (
        "Is there a model and a world where this rule is false?  (Full encoding:"
        " nothing is precomputed.)"
    ),
    "assumptions": "Can all assumptions be met together?",
}


def to_files(report: Report) -> dict[str, str]:
    """File names and contents: one file for each question that the report kept, and the
    index.
    """
    documents: dict[str, str] = {}
    rows: list[str] = []
    stems = _stems(report)
    for rule, stem in zip(report.rules, stems, strict=True):
        named = list(_named(rule, stem))
        for name, query in named:
            documents[name] = _document(report, rule, query)
        rows += _lines(report, rule, named)
    index = _index(report, rows)
    return {INDEX: index, **documents}


def _stems(report: Report) -> Iterator[str]:
    """A file name for each rule, no two alike, whatever the file system makes of
    capitals.
    """
    used: Counter[str] = Counter({"assumptions": 1})
    for rule in report.rules:
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", rule.name)
        stem = safe[:80] or "rule"
        used[stem.lower()] += 1
        while used[stem.lower()] > 1:
            # What is appended may itself be another rule's name.
            number = used[stem.lower()]
            stem = f"{stem}-{number}"
            used[stem.lower()] += 1
        yield stem


def _named(rule: RuleResult, stem: str) -> Iterator[tuple[str, SavedQuery]]:
    """The questions of a rule with their file names, instances numbered from 1."""
    digits = len(str(_instances(rule)))  # so that names sort by number
    number = 0
    for query in rule.kept:
        if query.kind == "assumptions":
            yield ASSUMED, query
        elif query.kind == "full":
            yield f"{stem}.full.smt2", query
        else:
            number += 1
            yield f"{stem}.{number:0{digits}}.smt2", query


def _instances(rule: RuleResult) -> int:
    """How many instances of a rule are written."""
    instances = 0
    for query in rule.kept:
        if query.kind == "instance":
            instances += 1
    return instances


def _document(report: Report, rule: RuleResult, query: SavedQuery) -> str:
    """One file: what is asked, of what, what an answer means, and the question."""
    kind = query.kind
    # the assumptions are asked about once for all rules
    shared = kind == "assumptions"
    heading = HEADING[kind]
    mark = f"{MARK[0].upper()}{MARK[1:]}"
    header = [f"{heading}  {mark}.", ""]
    if not shared:
        header.append(f"rule {rule.name}: {rule.formula}")
    if kind != "full":
        header.append(f"{kind}: {query.about}")
    header.append(f"over {_release(report)}")
    if report.assumptions and not shared:
        assumed = "; ".join(report.assumptions)
        partly = PARTLY if kind == "instance" else ""
        header.append(f"assuming {assumed}{partly}")
    status = _source_of_status(report, rule, query)
    header += [MEANING[kind], status]
    if query.legend:
        header.append("unknowns:")
    else:
        header.append("no unknowns: counting left a constant")
    for line in query.legend:
        header.append(f"  {line}")
    return document(query.text, header, query.status)


def _source_of_status(report: Report, rule: RuleResult, query: SavedQuery) -> str:
    if query.asked:
        return f"the answer of {report.solver}: {query.status}"
    return (
        f"{query.status} follows from the verdict, {rule.verdict}, which was found in"
        " another way"
    )


def _release(report: Report) -> str:
    return (
        f"{_file_name(report)}: {report.rows} rows, {report.classes} classes,"
        f" {report.individuals} individuals"
    )


def _file_name(report: Report) -> str:
    """The release without its folder; a table in memory as it is called."""
    path = PurePath(report.release)
    return path.name or report.release


def _lines(
    report: Report, rule: RuleResult, named: Iterable[tuple[str, SavedQuery]]
) -> Iterator[str]:
    """The index's lines about a rule."""
    yield f"### {_escaped(rule.name)}: {rule.verdict.upper()}"
    yield f"\n`{_code(rule.formula)}`\n"
    shown = [(name, query) for name, query in named if query.kind != "assumptions"]
    yield "| file | stated | about |\n|---|---|---|" if shown else ""
    for name, query in shown:
        about = "the whole rule, full encoding"
        if query.kind == "instance":
            about = f"`{_code(query.about)}`"
        yield f"| [{name}]({name}) | {query.status} | {about} |"
    remarks = [f"\n{line}" for line in _remarks(report, rule)]
    yield "".join(remarks) + "\n"


def _remarks(report: Report, rule: RuleResult) -> Iterator[str]:
    """What no file says."""
    asked = _instances(rule)
    if rule.witness:
        yield (
            f"The leak: `{_code(rule.witness.instance)}` is false at"
            f" {rule.witness.world}, in a replayed model."
        )
    if rule.verdict == "undecided":
        yield f"Undecided: {_escaped(rule.reason)}"
    elif report.encoding == "quotient" and not asked:
        yield (
            "Settled by counting: every part of the rule has one truth value for each"
            f" kind of rows in each of the {report.classes} classes, and these values"
            " decide it. No question about placements was left for a solver."
        )
    elif asked and rule.verdict == "refuted":
        yield "The last instance is the one that fails; further ones were not asked."
    if asked and asked < rule.queries:
        yield f"Only the first {asked} of {rule.queries} questions are kept."
    if not any(query.kind == "full" for query in rule.kept):
        yield (
            "The full encoding is not written here: it is for releases of a few rows,"
            " and shows each row's values."
        )


def _index(report: Report, rows: list[str]) -> str:
    lines = [
        f"<!-- {MARK} -->",
        (f"# The questions behind the verdicts on {_escaped(_file_name(report))}"),
        (
            f"\n{_escaped(_release(report))}. phverify {report.version},"
            f" {report.solver}, {report.encoding} encoding.\n"
        ),
        (
            "Each file is SMT-LIB 2.6 and states its status. A question about a rule,"
            " or about one instance of it, looks"
        ),
        (
            "for a model of the release and a world where it is false: unsat proves it,"
            " a model of sat is a leak."
        ),
        (
            "Instances that counting settles are not asked, and so need no file. Ask"
            " any solver again, for example by"
        ),
        "`z3 FILE` or `cvc5 FILE`.\n",
    ]
    if report.assumptions:
        assumed = [f"`{_code(assumption)}`" for assumption in report.assumptions]
        lines += [f"Assumed: {'; '.join(assumed)}"]
        lines += [f"([{ASSUMED}]({ASSUMED}): they can be met together)\n"]
    return "\n".join([*lines, *rows])


def _escaped(text: str) -> str:
    words = text.split()
    one_line = " ".join(words)
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", one_line)


def _code(text: str) -> str:
    words = text.split()
    one_line = " ".join(words)
    # a cell of a table ends at a bar, code at a backtick
    quoted = one_line.replace("`", "'")
    return quoted.replace("|", "\\|")
