"""The evidence page that ends each report: what an expert determination or an impact
assessment asks of it, from purpose to signatures.

A report in its public form names no file and has no hash: a name may name people, and
whoever guesses the rows of a small table could confirm the guess by its hash.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from phverify.logic.threats import INFERENCE, LINKABILITY, SINGLING_OUT, THREATS
from phverify.report.page import (
    CodeText,
    DataTable,
    Facts,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    SignatureLines,
    TableColumn,
)
from phverify.spec.criterion.joint import JOINT
from phverify.spec.criterion.registry import CRITERIA
from phverify.spec.source import Names
from phverify.version import __version__

PACKAGES = ("z3-solver", "numpy", "pandas", "pyarrow", "duckdb", "ortools", "numba")
"""Whose versions are told, where they are installed."""
LOGIC = "Hsu, Liau, Wang: Logic, Probability, and Privacy, 2012"
"""Where the theorems are whose formulas the criteria have."""
PUBLISHED = {
    "k_anonymity": "Samarati and Sweeney 1998",
    "l_diversity": "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006",
    "recursive_l_diversity": "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006",
    "t_closeness": "Li, Li, Venkatasubramanian 2007",
    "delta_disclosure": "Brickell and Shmatikov 2008",
}
"""Who published criteria whose theorem stands elsewhere."""
OF_PEOPLE = {
    "logical_safety": "no secret is certain; Hsu, Liau, Wang",
    "weighted_safety": "the expected weight of secrets is bounded; Hsu, Liau, Wang",
    "never_known": "no secret holds in all models of release and assumptions",
}
"""Criteria about individuals, which are not defined class by class."""
OPINION = (
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation"
    " Techniques (WP 216)"
)
MEANINGS = {
    SINGLING_OUT: "somebody's record can be isolated among all records",
    LINKABILITY: "records of one person in two sets of data can be brought together",
    INFERENCE: "the value of an attribute can be deduced, for certain or probably",
}
UNCOVERED = (
    "whether the columns, numbers and secrets of a policy are the right ones:"
    " whoever signs decides that",
    "how the data are guarded, by contract, access or law, once they are released",
    "other releases of the same or of overlapping data, together with this one",
)
"""What nothing here speaks of, whatever was asked."""
SIGNATORIES = (
    "Prepared by",
    "Expert or statistician",
    "Data protection officer",
    "Approved by",
)
LEFT_OUT = (
    "Here the public form names no input and has no hash: a name may name people, and"
    " whoever guesses the rows of a small table could confirm the guess by its hash."
    " They stand in the internal form."
)
UNHASHED = (
    "There are no hashes beside --redact: whoever guesses the confidential values of a"
    " small table could confirm the guess by its hash."
)
FROM_PYTHON = (
    "The answer was asked for from Python: which files were read, and their hashes, are"
    " not known here."
)


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its role, its name as it was given, its SHA-256.

    ``sha256`` is None where there is none, and ``why`` says the reason.
    """

    role: str
    name: str
    sha256: str | None = None
    why: str = ""


@dataclass(frozen=True)
class Evidence:
    """How an answer was asked for: the command, what it read, how to check it.

    Without a ``command`` it was asked for from Python.
    """

    command: Names = ()
    inputs: tuple[InputFile, ...] = ()
    check: Names = ()
    """The command that checks the certificate, where one was asked for."""
    redacted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The same as ``--json`` has it."""
        inputs = []
        for one in self.inputs:
            said: dict[str, Any] = {"role": one.role, "name": one.name}
            said |= {"sha256": one.sha256, "reason": one.why}
            inputs.append(said)
        return {
            "command": list(self.command),
            "check": list(self.check) or None,
            "inputs": inputs,
            "versions": dict(versions()),
        }


@dataclass(frozen=True)
class GroundedRule:
    """A rule by name, with its criteria and the threats that it speaks of."""

    name: str
    criteria: Names
    threats: Names


@dataclass(frozen=True)
class Grounds:
    """What an answer rests on: what was asked, of whom, and what it leaves open."""

    purpose: str
    scope: Names = ()
    rules: tuple[GroundedRule, ...] = ()
    criteria: Names = ()
    """Criteria that no rule has."""
    attackers: tuple[tuple[str, str], ...] = ()
    """Who they are, and what they know."""
    assumptions: Names = ()
    uncovered: Names = ()
    threats: tuple[tuple[str, str], ...] = ()
    """Threats that an answer without rules speaks of, and what it says of them."""


def versions() -> Iterator[tuple[str, str]]:
    """The versions of phverify, of Python, and of what they rest on."""
    yield "phverify", __version__
    yield "Python", platform.python_version()
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def evidence_section(grounds: Grounds, evidence: Evidence, public: bool) -> PageSection:
    """The evidence of an answer, the last section of its page."""
    parts = [
        PageSection("Purpose and scope", tuple(_purpose(grounds))),
        PageSection("Definitions and their sources", tuple(_definitions(grounds))),
        PageSection("Attackers and assumptions", tuple(_attackers(grounds, public))),
        PageSection("What is not covered", (_uncovered(grounds),)),
        PageSection(
            "Singling out, linkability and inference", tuple(_threats(grounds))
        ),
        PageSection("Versions and inputs", tuple(_inputs(evidence, public))),
        PageSection(
            "How to reproduce and to check it", tuple(_again(evidence, public))
        ),
        PageSection("Signatures", (SignatureLines("Signatures", SIGNATORIES),)),
    ]
    return PageSection("Evidence", (), tuple(parts))


def _purpose(grounds: Grounds) -> Iterator[PageBlock]:
    yield Paragraph(f"Purpose: {grounds.purpose}.")
    if grounds.scope:
        yield Points(grounds.scope)


def _definitions(grounds: Grounds) -> Iterator[PageBlock]:
    """The criteria that occur, each with its source."""
    names = [*grounds.criteria]
    for rule in grounds.rules:
        names += rule.criteria
    rows = [(name, source_of(name)) for name in dict.fromkeys(names)]
    if rows:
        columns = (TableColumn("criterion"), TableColumn("source"))
        yield DataTable("Criteria and their sources", columns, tuple(rows))
    yield Paragraph(
        f"Rules are formulas of PH(@): {LOGIC}. Theorems and sections without another"
        " name are of it."
    )
    yield Paragraph(f"Singling out, linkability and inference: {OPINION}.")


def source_of(name: str) -> str:
    """Where a criterion is from."""
    if name in OF_PEOPLE:
        return OF_PEOPLE[name]
    kinds = JOINT if name in JOINT else CRITERIA
    source = str(kinds[name].source)
    if name in PUBLISHED:
        return f"{PUBLISHED[name]}; {source}"
    return source


def _attackers(grounds: Grounds, public: bool) -> Iterator[PageBlock]:
    if grounds.attackers:
        columns = (TableColumn("who"), TableColumn("what they know"))
        yield DataTable("Attackers", columns, grounds.attackers)
    assumed = grounds.assumptions
    if not assumed:
        yield Paragraph("Nothing else is assumed of what is known about people.")
    elif public:
        text = f"{len(assumed)} left out in the public form"
        yield Remark("Assumptions", text, "open")
    else:
        yield Paragraph("Assumed of who is who, and shown to be possible:")
        yield Points(assumed)


def _uncovered(grounds: Grounds) -> Points:
    each_once = dict.fromkeys((*grounds.uncovered, *UNCOVERED))
    return Points(tuple(each_once))


def _threats(grounds: Grounds) -> Iterator[PageBlock]:
    """Each threat with the rules that speak of it; none is said to be excluded."""
    by_verb = dict(grounds.threats)
    # Where no rule was decided, nothing is known of what the policy has.
    unspoken = "no rule speaks of it" if grounds.rules else "not asked here"
    rows = []
    for threat in THREATS:
        speaking = [rule.name for rule in grounds.rules if threat in rule.threats]
        said = ", ".join(speaking) or by_verb.get(threat, unspoken)
        rows.append((threat, MEANINGS[threat], said))
    columns = (TableColumn("risk"), TableColumn("meaning"), TableColumn("spoken of by"))
    yield DataTable(
        "Risks of anonymisation and the rules on them", columns, tuple(rows)
    )
    yield Paragraph(
        "That a rule speaks of a risk says what it is about, not that the risk is"
        " small: that is for the rule's numbers and its verdict. A rule speaks of"
        " singling out where it says how well somebody learns whose record one is, of"
        " linkability where that is somebody with data of their own, and of inference"
        " where it says how well somebody learns what a record has."
    )


def _inputs(evidence: Evidence, public: bool) -> Iterator[PageBlock]:
    yield Facts(tuple(versions()))
    if public:
        yield Remark("Inputs", LEFT_OUT)
        return
    if not evidence.command:
        yield Remark("Inputs", FROM_PYTHON)
        return
    rows = []
    for one in evidence.inputs:
        rows.append((one.role, one.name, one.sha256 or one.why))
    columns = (TableColumn("input"), TableColumn("file"), TableColumn("SHA-256"))
    if rows:
        yield DataTable("What was read", columns, tuple(rows))
    if evidence.redacted:
        yield Remark("Hashes", UNHASHED)


def _again(evidence: Evidence, public: bool) -> Iterator[PageBlock]:
    """The command, and that which checks the certificate."""
    if public or not evidence.command:
        yield Paragraph(
            "Ask the same of the same files with the same version: verdicts and exact"
            " numbers are the same each time, unless a budget of time runs out."
        )
        return
    yield Paragraph("In the folder where it was asked, with the same files:")
    yield CodeText((shlex.join(evidence.command),))
    if evidence.check:
        yield Paragraph(
            "The certificate is checked without trusting phverify's search or a"
            " solver, by the checker for a bare Python, too:"
        )
        yield CodeText((shlex.join(evidence.check),))
    else:
        yield Paragraph("No certificate was asked for.")
