"""What a search for all numbers at once says of level vectors that it has not counted:
against all of them, class by class, as the criteria define it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from support.at_once_runs import runs_noted
from test_tradeoff_at_once import DEEPER, deep, table
from test_tradeoff_together import withheld_by_number

import phverify as ph

RULES: dict[str, tuple[str, str]] = {
    "t_closeness(f, 1, reference=original)": ("t", "0.05,0.1,0.15,0.2,0.3,0.35,0.5"),
    "alpha_k_anonymity(f, 0.6, 2)": ("k", "2..9"),
    "entropy_l_diversity(f, 1)": ("l", "1.2,1.5,1.8,2,2.5,3"),
    "k_anonymity(2)": ("k", "2..9"),
    "l_diversity(f, 2)": ("l", "2..4"),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", ["0", "0.15", "0.3"])
@pytest.mark.parametrize("rule", list(RULES))
def test_what_is_ruled_out_satisfies_no_more_numbers(
    monkeypatch: pytest.MonkeyPatch, rule: str, share: str, seed: int
) -> None:
    runs = runs_noted(monkeypatch)
    parameter, numbers = RULES[rule]
    rules = deep(first=rule)
    if "k_anonymity" not in rule:
        rules = deep(first=rule, other="k_anonymity(2)")
    objective = ("loss", "height")[seed % 2]
    asked: dict[str, Any] = {parameter: numbers, "suppress": share}
    frame = table(seed, 30)
    ph.tradeoff(frame, rules, DEEPER, objective=objective, **asked)
    [one] = runs
    rows = _withheld_of_all(one)
    budget = one.varying.budget
    count = {v: sum(k <= budget for k in known) for v, known in rows.items()}
    for stage in one.stages:
        for vector, said in stage.known.items():
            assert count[vector] <= said.first
            assert said.withheld is None or said.known >= count[vector]
            for finer in _below(vector):
                assert count[finer] <= said.finer
                if budget:
                    assert all(said.lasting <= rows[finer])
        for vector, satisfied in stage.ruled_out.items():
            assert all(count[finer] <= satisfied for finer in _below(vector))
        for vector in rows:
            assert stage.fewest[vector] <= count[vector] or len(one.stages) > 1
    totals = {v: one.search.total(one.search.space.vector(v)) for v in rows}
    for place, fitting in enumerate(one.least):
        fit = [total for v, total in totals.items() if rows[v][place] <= budget]
        assert fitting.total == min(fit)
    assert one.ended == (max(count.values()) < len(one.varying.numbers))


def _withheld_of_all(one: Any) -> dict[tuple[int, ...], list[int]]:
    rows = {}
    for vector in product(*map(range, one.grid.shape)):
        view = one.varying.judge.view(one.search.space.vector(vector))
        rows[vector] = withheld_by_number(one, view)
    return rows


def _below(vector: tuple[int, ...]) -> Any:
    """All that is as fine as a vector."""
    return product(*[range(level + 1) for level in vector])
