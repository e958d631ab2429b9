"""The bound by neighbours: true of all releases, found by the engine, refused if forged."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.certificate_cases import sealed
from support.tuples_cases import asked

import phverify as ph
from phverify.budget import Deadline
from phverify.recoding import prices, run
from phverify.recoding.grid import grid
from phverify.recoding.nearest import neighbour_prices
from phverify.recoding.walker import Distinct
from phverify.spec.class_rules import ClassRules, demands
from phverify.spec.data import Refused
from phverify.spec.neighbours import Neighbours
from phverify.spec.recoding import sides, tuple_space
from phverify.spec.released import from_files

UNIT = 10**9


def highest(neighbours: Neighbours, number: int) -> int:
    """The highest price of a record that the checker accepts; by halving."""
    low, high = 0, UNIT + 1
    while low < high:
        middle = (low + high + 1) // 2
        own = [0] * len(neighbours.rules.space.counts)
        own[number] = middle * neighbours.rules.space.counts[number]
        try:
            neighbours.require(own)
            low = middle
        except Refused:
            high = middle - 1
    return low


@pytest.mark.parametrize("seed", range(60))
def test_no_class_costs_less_than_its_neighbours(seed: int, tmp_path: Path) -> None:
    """The highest prices that are accepted, against all releases of small tables."""
    chance = random.Random(seed)
    files, truth = asked(tmp_path, chance)
    try:
        given = from_files({"table": files.table, "policy": files.policy})
        found = sides(given.policy, given.data.domains, given.hierarchies)
    except Refused:
        return
    weights = {name: Fraction(chance.choice([0, 1, 2])) for name in given.policy.quasi}
    if not any(weights.values()):
        return
    columns = {name: given.data.columns[name] for name in given.policy.quasi}
    space = tuple_space(found, columns, weights, "loss")
    rules = ClassRules(
        given.data, space, demands(given.policy, given.data, Fraction(1, 4))
    )
    neighbours = Neighbours(rules, UNIT)
    rates = [highest(neighbours, number) for number in range(len(space.tuples))]
    for classes in truth.releases(len(space.row_tuple) // 4):
        for one in classes:
            price = truth.cost((one,), weights, "loss") * len(space.row_tuple)
            price /= truth.records(one)
            assert all(Fraction(rates[number], UNIT) <= price for number in one)

    needed = rules.necessary
    distinct = []
    for column, least in needed.distinct.items():
        values = list(rules.whole(column))
        counted = rules.by_tuple(column)
        histogram = np.array([[own[v] for v in values] for own in counted])
        distinct.append(Distinct(least, histogram))
    proposed = neighbour_prices(grid(space), needed.records, distinct, Deadline(None))
    assert proposed is not None
    neighbours.require(proposed.tolist())
    if needed.records <= len(space.row_tuple):
        for price, count, rate in zip(proposed, space.counts, rates, strict=True):
            enough = rate > UNIT
            assert enough or price // count >= rate - 3 * len(space.sides) - 4


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    chance = random.Random(3)
    rows = [[chance.randrange(30) for _ in range(4)] for _ in range(80)]
    made = pd.DataFrame(rows, columns=list("abcd"))
    return made.assign(ill=[chance.choice("xyz") for _ in rows])


@pytest.fixture(scope="module")
def found(frame: pd.DataFrame) -> Any:
    """An answer for which there was no time to look at boxes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(prices, "counted", lambda walker, patience: None)
        # It ends with its bound, as for few tuples, whenever that is there.
        patched.setattr(run, "FEW", len(frame))
        patched.setattr(run, "SLICE", 1 / 8)
        return ph.anonymize(
            frame, list("abcd"), ["ill"], k=4, l=2, suppress="1/20", budget=600
        )


def test_without_time_for_boxes_neighbours_are_a_bound(
    frame: pd.DataFrame, found: Any
) -> None:
    assert found.bound > Fraction(1, 20)
    assert "there was no time to look at all boxes once" in found.notes
    claimed = json.loads(json.dumps(found.certificate))
    assert claimed["bound"]["by"] == "neighbours"
    answer = checked(frame, claimed)
    assert answer.accepted
    assert "no tuple is paid more than the neighbours cost" in str(answer)


def test_what_is_proved_the_best_has_no_excuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A walk over boxes that the end of the search cut short hindered nothing."""
    monkeypatch.setattr(prices, "counted", lambda walker, patience: None)
    pairs = pd.DataFrame({"age": [23, 25, 31, 33, 41, 45], "zip": list("aabbcc")})
    found = ph.anonymize(pairs, ["age", "zip"], k=2, budget=30)
    assert found.gap == 0
    assert found.certificate["bound"]["by"] == "neighbours"
    assert found.notes == ()


@pytest.mark.parametrize("forged", ["a price", "a relief", "others"])
def test_forged_prices_are_refused(
    frame: pd.DataFrame, found: Any, forged: str
) -> None:
    claimed = json.loads(json.dumps(found.certificate))
    bound = claimed["bound"]
    if forged == "a price":
        bound["prices"][3] += UNIT // 50
        bound["relief"] = UNIT
    if forged == "a relief":
        bound["relief"] -= 1
    if forged == "others":
        bound["by"] = forged
    units = sum(bound["prices"]) - bound["relief"] * (len(frame) // 20)
    space_value = Fraction(units, bound["unit"] * len(frame))
    bound["value"] = str(no_less(frame, space_value))
    answer = checked(frame, claimed)
    assert answer.verdict == "refused"
    said = {
        "a price": "neighbours enough for a class",
        "a relief": "above the relief",
        "others": "held against boxes or neighbours",
    }
    assert said[forged] in str(answer)


def no_less(frame: pd.DataFrame, bound: Fraction) -> Fraction:
    """Costs are whole numbers of one part in so many."""
    steps = [4 * (frame[name].nunique() - 1) for name in "abcd"]
    parts = lcm(*steps) * len(frame)
    return Fraction(-((-bound.numerator * parts) // bound.denominator), parts)


def checked(frame: pd.DataFrame, claimed: Any) -> Any:
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": list("abcd"), "sensitive": ["ill"]},
            "types": dict.fromkeys("abcd", "integer"),
            "rules": claimed["rules"],
        }
    )
    files = {**claimed["files"], "release": None}
    return ph.check(sealed({**claimed, "files": files}), table=frame, policy=policy)
