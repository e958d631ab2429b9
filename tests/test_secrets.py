"""Secrets of everyone and of single individuals: engine and checker against shares
counted by hand (Section 5).
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from fractions import Fraction

import pandas as pd
import pytest

import phverify as ph
from phverify.spec.data import policy, release_data
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.rules import rule
from phverify.spec.schemas import expand

PEOPLE = ("ann", "bob", "cyd", "dan", "eve")
Secrets = dict[str, list[tuple[str, Fraction]]]
"""By whom (``*``, a name in quotes, or a position) the values that are secret, and
their weights.
"""


def owners(who: str) -> Iterator[int]:
    """The rows of those whose secrets these are."""
    for row, name in enumerate(PEOPLE):
        if who in ("*", f"i{row + 1}", f"'{name}'"):
            yield row


def shares(
    rows: list[tuple[str, str]], secrets: Secrets, row: int
) -> list[tuple[Fraction, Fraction]]:
    """For each secret of a person the share of the person's class that has the value,
    and the weight.
    """
    inside = [value for group, value in rows if group == rows[row][0]]
    own = [
        secret
        for who, found in secrets.items()
        if row in owners(who)
        for secret in found
    ]
    return [
        (Fraction(inside.count(value), len(inside)), weight) for value, weight in own
    ]


def text(secrets: Secrets, bound: Fraction) -> str:
    written = []
    for who, found in secrets.items():
        items = [
            f'{{formula = "s = {value}", weight = "{weight}"}}'
            for value, weight in found
        ]
        written.append(f'"{who}" = [{", ".join(items)}]')
    rules = f'logical = "logical_safety()"\nweighted = "weighted_safety({bound})"\n'
    rules += f'both = "logical_safety() & weighted_safety({bound})"\n'
    head = (
        '[columns]\nquasi = ["q"]\nsensitive = ["s"]\nidentifier = "who"\n[secrets]\n'
    )
    return head + "\n".join(written) + "\n[rules]\n" + rules


@pytest.mark.parametrize("seed", range(60))
def test_secrets_of_everyone_and_of_single_people(seed: int) -> None:
    dice = random.Random(seed)
    rows = [(dice.choice("xy"), dice.choice("abc")) for _ in PEOPLE]
    rows[:3] = [(group, value) for (group, _), value in zip(rows, "abc", strict=False)]
    whose = [
        who for who in ("*", "i1", "'ann'", "i2", "'eve'") if dice.random() < 0.6
    ] or ["'ann'"]
    weights = [Fraction(k, 4) for k in range(1, 5)]
    secrets = {
        who: [(v, dice.choice(weights)) for v in dice.sample("abc", dice.randint(1, 2))]
        for who in whose
    }
    bound = Fraction(dice.randint(1, 6), 4)
    found = [shares(rows, secrets, row) for row in range(len(rows))]
    safe = all(share < 1 for own in found for share, _ in own)
    little = all(sum(share * weight for share, weight in own) <= bound for own in found)
    said = text(secrets, bound)
    columns = {
        "q": [group for group, _ in rows],
        "s": [value for _, value in rows],
        "who": list(PEOPLE),
    }
    report = ph.verify(pd.DataFrame(columns), ph.Policy.from_dict(tomllib.loads(said)))
    assert [result.verdict == "proved" for result in report.rules] == [
        safe,
        little,
        safe and little,
    ]
    rules = policy(said)
    data = release_data(
        rules, {name: tuple(column) for name, column in columns.items()}, {}
    )
    model = ReleaseModel(Table(data), {row: row for row in range(len(rows))})
    formulas = [expand(rule(rules, data, name), data.signature) for name in rules.rules]
    assert [model.valid(formula) for formula in formulas] == [
        safe,
        little,
        safe and little,
    ]
