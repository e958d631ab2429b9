"""What releases cost where withheld records are charged, by the definitions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import phverify as ph
from support.classes_oracle import of_classes
from support.search_oracle import WHOLE, Candidate, cell_cost
from support.search_questions import Case


def charged(case: Case, candidate: Candidate, rows: tuple[int, ...]) -> Fraction:
    """The cost where each withheld record counts as if it were lost."""
    question, table = case.question, case.question.judge.rows
    if question.objective in WHOLE:
        shown = [
            [row[f] for f in candidate.chosen] for row in candidate.released(table)
        ]
        return of_classes(candidate, shown, table, question.objective, rows)
    weight = {f: question.weights.get(f, Fraction(1)) for f in candidate.chosen}
    total = Fraction(0)
    for f, option in candidate.chosen.items():
        for k, row in enumerate(table):
            lost = cell_cost(option.places[row[f]], question.objective)
            total += weight[f] * (lost if k in rows else 1)
    return total / len(table) / sum(weight.values())


def releases(case: Case) -> Iterator[tuple[Fraction, Candidate, tuple[int, ...]]]:
    """Every candidate with every set of classes withheld that satisfies the policy:
    its cost, and who is released.
    """
    judge, budget = case.question.judge, case.question.budget
    for candidate in case.question.candidates():
        released = candidate.released(judge.rows)
        for rows in judge.kept(released, budget):
            if judge.proved(released, rows):
                yield charged(case, candidate, rows), candidate, rows


def accepted(case: Case, result: Any) -> None:
    """The certificate of an optimum is what the checker sees."""
    if result.cost is None:
        return
    assert result.certificate is not None, result.uncertified
    hierarchies: Any = case.hierarchies
    answer = ph.check(result.certificate, case.frame, case.policy, hierarchies)
    assert answer.accepted, str(answer)
