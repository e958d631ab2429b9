"""The search on UCI Adult, where it lies beside the repository; the optima were found
by trying all 4320 vectors.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from microdata import ADULT, QUASI

import phverify as ph

pytestmark = pytest.mark.skipif(
    not (ADULT / "adult.csv").exists(), reason="needs Adult beside the repository"
)
K, F = "k_anonymity(5)", "occupation"
OPTIMA = [
    ([K], 12),
    (["k_anonymity(10)"], 12),
    ([K, f"l_diversity({F}, 3)"], 12),
    ([K, f"recursive_l_diversity({F}, 4, 3)"], 12),
    ([K, f"t_closeness({F}, 0.2)"], 15),
    ([K, f"t_closeness({F}, 0.2, hierarchical)"], 14),
    ([K, f"entropy_l_diversity({F}, 3)"], 12),
]


@pytest.fixture(scope="module")
def raw() -> pd.DataFrame:
    return pd.read_csv(ADULT / "adult.csv", sep=";", dtype=str)


def searched(
    raw: pd.DataFrame, rules: list[str], quasi: tuple[str, ...] = QUASI, **more: Any
) -> Any:
    section = {
        "columns": {"quasi": list(quasi), "sensitive": [F]},
        "hierarchies": {
            name: str(ADULT / f"adult_hierarchy_{name}.csv") for name in (*quasi, F)
        },
        "rules": {f"r{k}": rule for k, rule in enumerate(rules)},
    }
    return ph.search(raw, ph.Policy.from_dict(section), objective="height", **more)


@pytest.mark.parametrize(("rules", "height"), OPTIMA, ids=lambda value: str(value))
def test_least_height(raw: pd.DataFrame, rules: list[str], height: int) -> None:
    result = searched(raw, rules)
    assert (result.verdict, result.cost, result.suppressed) == ("optimal", height, 0)
    assert sum(result.levels.values()) == height
    assert len(result.release) == len(raw)
    assert result.checks is None or result.checks.verdict == "proved"


@pytest.mark.parametrize(
    ("quasi", "k", "vectors"),
    [
        (("sex", "race", "workclass"), 10, {(0, 0, 2), (1, 1, 0)}),
        (("age", "sex", "race"), 5, {(1, 0, 1), (4, 0, 0)}),
    ],
)
def test_all_minimal_vectors(
    raw: pd.DataFrame, quasi: tuple[str, ...], k: int, vectors: set[tuple[int, ...]]
) -> None:
    result = searched(raw, [f"k_anonymity({k})"], quasi, all_minimal=True)
    assert {tuple(found[f] for f in quasi) for found in result.minimal} == vectors


def test_one_record_in_twenty_may_be_withheld(raw: pd.DataFrame) -> None:
    result = searched(raw, [K], suppress="0.05")
    assert (result.verdict, result.cost) == ("optimal", 6)
    assert result.suppressed <= len(raw) // 20
    assert len(result.release) == len(raw) - result.suppressed
    sizes = result.release.groupby(list(QUASI), dropna=False).size()
    assert sizes.min() >= 5
