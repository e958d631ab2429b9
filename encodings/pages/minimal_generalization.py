"""Lower bounds of searches: nothing that meets all clauses is cheaper, and the optimum
is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import phverify as ph
from pages.common import COLUMNS, HOSPITAL, File
from phverify.budget import Deadline
from phverify.constraints.hitting import HittingSet, bound_text
from phverify.exact import Bools
from phverify.generalization.loop import LeastSearch
from phverify.generalization.options import options
from phverify.generalization.space import CodedSpace
from phverify.microdata.read import read
from phverify.spec.schemes import Clause
from phverify.verbs.search import prepared

FOLDER = "minimal-generalization"
HIERARCHIES = {"birth": {"masking": "left"}, "zip": {"prefixes": [4, 3, 2, 1]}}
SECRETS = {"*": ["income = '100K' or health = 2"]}
BOTH = {"anonymous": "k_anonymity(2)", "safe": "logical_safety()"}
STREETS = pd.DataFrame(
    {
        "age": [21, 24, 33, 38, 39, 52],
        "zip": ["12", "14", "12", "31", "32", "31"],
        "ill": list("nynynn"),
    }
)
SHORT = {
    "columns": {"quasi": ["age", "zip"], "sensitive": ["ill"]},
    "hierarchies": {"age": {"intervals": [10, 20]}, "zip": {"prefixes": [1]}},
}


@dataclass(frozen=True)
class Question:
    """A search: ``cost`` is what it must find, in words ``why``."""

    name: str
    table: Any
    policy: dict[str, Any]
    space: str
    objective: str
    weights: dict[str, int]
    cost: str


DEMO = {"columns": COLUMNS, "hierarchies": HIERARCHIES, "secrets": SECRETS}
QUESTIONS = [
    Question(
        "demo",
        HOSPITAL / "original.csv",
        {**DEMO, "rules": BOTH},
        "levels",
        "loss",
        {},
        "9/14",
    ),
    Question(
        "demo_height",
        HOSPITAL / "original.csv",
        {**DEMO, "rules": BOTH},
        "levels",
        "height",
        {},
        "10",
    ),
    Question(
        "demo_precision",
        HOSPITAL / "original.csv",
        {**DEMO, "rules": BOTH},
        "levels",
        "precision",
        {"zip": 3},
        "29/32",
    ),
    Question(
        "anonymous_only",
        HOSPITAL / "original.csv",
        {**DEMO, "rules": {"anonymous": "k_anonymity(2)"}},
        "levels",
        "loss",
        {},
        "1/7",
    ),
    Question(
        "streets",
        STREETS,
        {**SHORT, "rules": {"anonymous": "k_anonymity(2)"}},
        "subtrees",
        "loss",
        {},
        "2/3",
    ),
    Question(
        "streets_diverse",
        STREETS,
        {**SHORT, "rules": {"d": "l_diversity(ill, 2)"}},
        "subtrees",
        "loss",
        {},
        "2/3",
    ),
]


def files() -> Iterator[File]:
    for question in QUESTIONS:
        yield from bound_files(question)


def bound_files(question: Question) -> Iterator[File]:
    """Two files: nothing below the optimum meets all clauses, and something at the
    optimum does.
    """
    hunt = hunted(question)
    found = hunt.least()
    if (
        found is None
        or hunt.stopped
        or str(hunt.fraction(found.total)) != question.cost
    ):
        raise ValueError(
            f"{question.name} costs {found and hunt.fraction(found.total)}, not"
            f" {question.cost}"
        )
    clauses = [*hunt.space.constraints, *(reason.clause for reason in hunt.reasons)]
    asked = HittingSet(hunt.cost.weights, clauses)
    units = f"{question.cost} = {found.total}/{hunt.cost.denominator}"
    header = tuple(_header(question, hunt))
    first = f"Does a candidate cost less than {units} and meet all clauses?"
    last = "unsat: none does, so that nothing which satisfies the policy is cheaper"
    yield File(
        f"{FOLDER}/{question.name}.cheaper.smt2",
        "unsat",
        (first, *header, last),
        bound_text(asked, found.total),
    )
    first = f"Does a candidate cost at most {units} and meet all clauses?"
    last = "sat: the bound is reached; the candidate that was found is a model"
    yield File(
        f"{FOLDER}/{question.name}.reached.smt2",
        "sat",
        (first, *header, last),
        bound_text(asked, found.total + 1),
    )


def hunted(question: Question) -> LeastSearch:
    """The search, ready to run, the same on every machine: candidates are proposed by
    listing, not by a solver.
    """
    policy = ph.Policy.from_dict(question.policy)
    chosen = options(
        policy, question.space, question.objective, 0, question.weights, False, None
    )
    hunt = prepared(
        policy,
        read(question.table, policy.columns, "table"),
        {},
        chosen,
        Deadline(),
        lambda step: None,
    )
    hunt.repaired = float(
        "inf"
    )  # no upper bound in between: what is learned must not depend on the clock
    hunt.master = Listed(hunt.space, hunt.total)
    return hunt


@dataclass(eq=False)
class Listed:
    """Proposes the cheapest of all candidates that meets the clauses, the first of
    several.
    """

    space: CodedSpace
    price: Any
    lower: int = 0
    left: list[Bools] = field(init=False)

    def __post_init__(self) -> None:
        every = (
            np.array(bits, dtype=bool)
            for bits in product((False, True), repeat=self.space.decisions)
        )
        rules = self.space.constraints
        kept = [
            c
            for c in every
            if all(_meets(self.space.solution(c), clause) for clause in rules)
        ]
        self.left = sorted(kept, key=lambda c: (self.price(c), c.tolist()))

    def learn(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self.left = [c for c in self.left if _meets(c, clause)]

    def propose(self, deadline: Deadline) -> Bools | None:
        if not self.left:
            return None
        self.lower = self.price(self.left[0])
        return self.left[0]

    def probe(self, deadline: Deadline) -> Bools | None:
        return self.propose(deadline)

    def accept(self, candidate: Bools) -> bool:
        return True


def _meets(candidate: Bools, clause: Clause) -> bool:
    return any(bool(candidate[abs(u) - 1]) == (u > 0) for u in clause)


def _header(question: Question, hunt: LeastSearch) -> Iterator[str]:
    rules = "; ".join(question.policy["rules"].values())
    table = getattr(question.table, "name", "six people, by age and zip")
    yield f"over {table}, {question.space}, {question.objective}; policy: {rules}"
    yield (
        "The first clauses say which truths are candidates; the others are learned,"
        " each from a class that violates:"
    )
    for reason in hunt.reasons:
        labels = [
            s.label(block)
            for s, block in zip(hunt.space.schemes, reason.box, strict=True)
        ]
        names = [s.name for s in hunt.space.schemes]
        box = ", ".join(
            f"{name} = {label}" for name, label in zip(names, labels, strict=True)
        )
        said = " or ".join(map(_literal, reason.clause))
        yield f"  {said}: the records below ({box}) break {reason.rule}"
    yield "unknowns (true: more general):"
    for k, scheme in enumerate(hunt.space.schemes):
        for local in range(scheme.decisions):
            yield (
                f"  x{hunt.space.starts[k] + local}: {scheme.name},"
                f" {_said(scheme, local)}"
            )


def _literal(unknown: int) -> str:
    return f"x{unknown - 1}" if unknown > 0 else f"not x{-unknown - 1}"


def _said(scheme: Any, local: int) -> str:
    """What one unknown of a scheme decides."""
    if scheme.kind == "levels":
        return f"level {local + 1} of {scheme.decisions} or above"
    node = next(node for node, unknown in scheme.unknown.items() if unknown == local)
    return f"the values below {scheme.label(node)} are one"
