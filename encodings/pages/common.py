"""What all pages share: a file with its header, and rules over small releases by both
encodings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pandas as pd

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.document import document
from phverify.microdata.read import read
from phverify.policy.bind import BoundPolicy, bind
from phverify.spec.walk import is_ground
from phverify.symbolic.encoding import ask
from phverify.symbolic.instances import instances
from phverify.verification.result import SavedQuery

HOSPITAL = Path(str(resources("phverify.examples").joinpath("hospital")))
COLUMNS = {
    "quasi": ["birth", "zip"],
    "sensitive": ["income", "health"],
    "neutral": ["height"],
}
STATUS = {"proved": "unsat", "refuted": "sat"}
MEANS = {
    "proved": (
        "unsat: no model of the release has a world where it is false, so that it is"
        " proved"
    ),
    "refuted": (
        "sat: a model of these constraints is a leak, a placement and a world where it"
        " is false"
    ),
}
QUOTIENT = (
    "Quotient encoding: rows that the formula cannot tell apart are counted, and a kind"
    " of rows is a number."
)
FULL = "Full encoding: the facts row by row, nothing precomputed."


@dataclass(frozen=True)
class File:
    """One SMT-LIB file: where it goes below encodings/, its status, what is asked in
    words, and the text.
    """

    path: str
    status: str
    header: tuple[str, ...]
    text: str

    @property
    def content(self) -> str:
        return document(self.text, self.header, self.status)

    @property
    def title(self) -> str:
        return self.header[0]


@dataclass(frozen=True)
class Example:
    """A release with its policy but for the rules; ``name`` says in words what it
    is.
    """

    name: str
    release: Any
    sections: Mapping[str, Any]

    def policy(self, **rules: str) -> ph.Policy:
        return ph.Policy.from_dict({**self.sections, "rules": rules})

    def bound(self, rule: str) -> BoundPolicy:
        policy = self.policy(rule=rule)
        return bind(policy, read(self.release, policy.columns), None)


def hospital(**sections: Any) -> Example:
    """The paper's hospital release (Table 2): 8 rows in 4 classes of 2; individual i_k
    is behind row k.
    """
    return Example(
        "the hospital release",
        str(HOSPITAL / "release.csv"),
        {"columns": COLUMNS, **sections},
    )


def repaired(**sections: Any) -> Example:
    """The repaired release: 3 classes of 4, 2 and 2 rows."""
    return Example(
        "the repaired hospital release",
        str(HOSPITAL / "repaired.csv"),
        {"columns": COLUMNS, **sections},
    )


def small(classes: Sequence[str], **sections: Any) -> Example:
    """A release with one class for each text, whose letters are the values of s in its
    rows.
    """
    rows = [
        {"q": f"q{number}", "s": value}
        for number, values in enumerate(classes)
        for value in values
    ]
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    name = (
        f"a release with classes {', '.join(classes)} (each letter is a row's value"
        " of s)"
    )
    return Example(name, pd.DataFrame(rows), {"columns": columns, **sections})


@dataclass(frozen=True)
class Rule:
    """A rule over an example, with the verdict that it must have, and why in words."""

    name: str
    text: str
    verdict: str
    why: str
    example: Example


def both(folder: str, rule: Rule) -> Iterator[File]:
    """The files of a rule: each instance that is asked (quotient encoding), and the
    whole rule in full.
    """
    report = ph.verify(
        rule.example.release, rule.example.policy(rule=rule.text), keep=True
    )
    if report.verdict != rule.verdict:
        raise ValueError(
            f"{folder}/{rule.name} is {report.verdict}, not {rule.verdict}"
        )
    kept = report.rules[0].kept
    asked = [query for query in kept if query.kind == "instance"]
    for number, query in enumerate(asked, start=1):
        suffix = f".{number}" if len(asked) > 1 else ""
        yield _file(f"{folder}/{rule.name}.quotient{suffix}.smt2", rule, query)
    for query in kept:
        if query.kind == "assumptions":
            first = (
                f"Can the assumptions of {rule.name} be met together?  {query.about}"
            )
            header = (
                first,
                f"over {rule.example.name}",
                "sat: some placement meets them all",
                *query.legend,
            )
            yield File(
                f"{folder}/{rule.name}.assumptions.smt2", "sat", header, query.text
            )
        elif query.kind == "full":
            yield _file(f"{folder}/{rule.name}.full.smt2", rule, query)


def _file(path: str, rule: Rule, query: SavedQuery) -> File:
    verdict = {status: name for name, status in STATUS.items()}[query.status]
    asked = query.about if query.kind == "instance" else rule.text
    assumed = [
        f"assuming {name}: {text}"
        for name, text in rule.example.sections.get("assumptions", {}).items()
    ]
    header = [
        f"Is there a model and a world where this is false?  {asked}",
        f"over {rule.example.name}",
        *assumed,
    ]
    header += [rule.why, MEANS[verdict], QUOTIENT if query.kind == "instance" else FULL]
    header += ["unknowns:" if query.legend else "no unknowns: counting left a constant"]
    header += [f"  {line}" for line in query.legend]
    return File(path, query.status, tuple(header), query.text)


def settled(folder: str, rule: Rule) -> Iterator[File]:
    """Instances that counting settles, asked all the same: what is left of them is true
    or false.
    """
    bound = rule.example.bound(rule.text)
    release = bound.release
    for number, instance in enumerate(
        instances(bound.rules[0].expanded, release.signature), start=1
    ):
        if not is_ground(instance.body):
            continue
        question = ask(instance, (), release, Deadline())
        truth = release.ground.truth(instance.body)
        status = "unsat" if truth.all() else "sat"
        header = (
            f"Is there a model and a world where this is false?  {rule.text}",
            f"over {rule.example.name}, instance {number}",
            rule.why,
            MEANS["proved" if status == "unsat" else "refuted"],
            (
                f"Counting settles it: of {len(truth)} kinds of rows it is true at"
                f" {int(truth.sum())}."
            ),
            (
                "What is left for the solver is one constant: such a file says no more"
                " than the count."
            ),
        )
        yield File(
            f"{folder}/{rule.name}.quotient.{number}.smt2",
            status,
            header,
            question.text(""),
        )
