"""What the report of a release by tuples says, read as a steward reads it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from phverify.report.tuples_text import about_splits, asked
from phverify.spec.splits import ALONE, FEW, LEFT, TRIED, Splits


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ([FEW], "no class can be split: it is too small for two"),
        ([ALONE, FEW, FEW], "no class can be split: each is too small for two"),
        ([TRIED], "no class can be split: every way to split it breaks a rule"),
        (
            [TRIED, TRIED],
            "no class can be split: every way to split one of them breaks a rule",
        ),
        (
            [FEW, TRIED],
            "no class can be split: 1 class is too small for two, and every way to"
            " split the other one breaks a rule",
        ),
        (
            [FEW, ALONE, TRIED, TRIED],
            "no class can be split: 2 classes are too small for two, and every way to"
            " split one of the other 2 breaks a rule",
        ),
        (
            [LEFT],
            "whether the class can be split is not decided: it has too many tuples",
        ),
        (
            [LEFT, LEFT],
            "whether one of the 2 classes can be split is not decided: they have too"
            " many tuples",
        ),
        (
            [FEW, TRIED, TRIED, LEFT],
            "3 classes cannot be split; whether the other one can is not decided: it"
            " has too many tuples",
        ),
        (
            [FEW, LEFT, LEFT],
            "1 class cannot be split; whether one of the other 2 can is not decided:"
            " they have too many tuples",
        ),
    ],
)
def test_why_classes_cannot_be_split(reasons: list[str], said: str) -> None:
    assert about_splits(Splits(tuple(reasons))) == said


@pytest.mark.parametrize(
    ("share", "said"), [("1/10000", "0.01%"), ("0", "0%"), ("1/3", "33.3333333333%")]
)
def test_a_gap_is_said_as_it_was_asked(share: str, said: str) -> None:
    assert asked(Fraction(share)) == said
