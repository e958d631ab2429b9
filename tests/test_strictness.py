"""What criteria say of their numbers: which of two is the stricter one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from phverify.spec.criterion.base import ClassCriterion, Column, Param
from phverify.spec.criterion.registry import CRITERIA, FILES, is_joint, params
from phverify.spec.types import ValueType
from phverify.verbs.varied import orders

VALUES = ("1", "2", "4")
PATHS = {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "4": ("4", "high", "*")}
COLUMN = Column("f", VALUES, ValueType("integer"), PATHS)
OTHERS: dict[str, list[Any]] = {"f": ["f"], "node": ["low"]}
NUMBERS = [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(3)]


def choices(param: Param) -> list[Any]:
    """Some of what a parameter may be."""
    if param.kind == "choice":
        # The original table is read by another criterion, made from this one.
        return [one for one in param.choices if one != "original"]
    if param.kind == "whole":
        return [1, 2, 3, 4]
    if param.kind == "number":
        return [one for one in NUMBERS if param.least is None or one >= param.least]
    return OTHERS[param.name]


def instances(name: str) -> Iterator[dict[str, Any]]:
    known = params(name)
    for values in product(*map(choices, known)):
        yield {p.name: one for p, one in zip(known, values, strict=True)}


def criterion(name: str, values: dict[str, Any]) -> ClassCriterion:
    own = {key: one for key, one in values.items() if key != "reference"}
    return CRITERIA[name](**own).prepared(COLUMN)


def tables() -> list[tuple[dict[str, int], dict[str, int]]]:
    """Classes, and the tables that they are in."""
    found = []
    for inside in product(range(3), repeat=3):
        for outside in product((1, 2), repeat=3):
            whole = [a + b for a, b in zip(inside, outside, strict=True)]
            if any(inside):
                found.append((counted(inside), counted(whole)))
    return found


def counted(counts: Any) -> dict[str, int]:
    pairs = zip(VALUES, counts, strict=True)
    return {value: count for value, count in pairs if count}


SEPARATE = [name for name in FILES if not is_joint(name)]


@pytest.mark.parametrize("name", FILES)
def test_each_number_says_which_way_is_stricter(name: str) -> None:
    numbers = [one.name for one in params(name) if one.kind in ("whole", "number")]
    assert list(orders(name)) == numbers
    assert set(orders(name).values()) <= {"larger", "smaller"}


@pytest.mark.parametrize("name", SEPARATE)
def test_what_satisfies_a_number_satisfies_each_less_strict_one(name: str) -> None:
    kept: dict[tuple[Any, ...], set[int]] = {}
    cases = tables()
    for values in instances(name):
        holds = criterion(name, values).holds
        kept[tuple(values.values())] = {
            number for number, case in enumerate(cases) if holds(*case)
        }
    known = [param.name for param in params(name)]
    for parameter, way in orders(name).items():
        place = known.index(parameter)
        differs = False
        for one, other in product(kept, repeat=2):
            rest = one[:place] + one[place + 1 :]
            if rest != other[:place] + other[place + 1 :]:
                continue
            stricter, laxer = sorted((one, other), key=lambda own: own[place])
            if way == "larger":
                stricter, laxer = laxer, stricter
            assert kept[stricter] <= kept[laxer]
            differs = differs or kept[stricter] < kept[laxer]
        # Of a number that made no difference nothing would be seen.
        assert differs
