"""What each point of a tradeoff is still good for, and withheld records along a curve."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from test_tradeoff import TREES, drawn, files, policy

import phverify as ph
from phverify.report.tradeoff_text import to_lines
from phverify.verbs.tradeoff_result import TradeoffPoint, written


def by_definition(
    rows: list[dict[str, str]], point: TradeoffPoint
) -> tuple[Fraction, Fraction, int, Fraction]:
    """Loss, precision, discernibility and records a class, from levels alone."""
    found = point.answer
    losses, precisions = [], []
    for row in rows:
        for name, tree in TREES.items():
            level = found.levels[name]
            group = [value for value in tree if tree[value] == tree[row[name]]]
            leaves = (1, len(group), len(tree))[level]
            losses.append(Fraction(leaves - 1, len(tree) - 1))
            precisions.append(Fraction(level, 2))
    release = found.release[[*TREES]].itertuples(index=False, name=None)
    sizes = Counter(release).values()
    withheld = len(rows) - sum(sizes)
    squares = sum(size**2 for size in sizes) + withheld * len(rows)
    return (
        sum(losses, Fraction(0)) / len(losses),
        sum(precisions, Fraction(0)) / len(precisions),
        squares,
        Fraction(sum(sizes), len(sizes)),
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0, "1/6"])
def test_utility_is_that_of_the_release(tmp_path: Path, seed: int, share: Any) -> None:
    rows = drawn(seed, 12)
    result = ph.tradeoff(
        pd.DataFrame(rows),
        policy(k="k_anonymity(2)"),
        files(tmp_path),
        k="1..6",
        suppress=share,
    )
    known = 0
    for point, said in zip(result.points, result.to_dict()["points"], strict=True):
        utility = point.utility
        if point.cost is None:
            assert utility is None and said["utility"] is None
            continue
        assert utility is not None
        known += 1
        figures = (
            utility.loss,
            utility.precision,
            utility.discernibility,
            utility.average_class,
        )
        assert figures == by_definition(rows, point)
        assert utility.loss == point.cost
        assert said["utility"] == {
            "loss": str(figures[0]),
            "precision": str(figures[1]),
            "discernibility": figures[2],
            "average_class": str(figures[3]),
        }
        line = f"{figures[2]:,}  {float(figures[3]):,.1f}".split()
        assert any(line == row.split()[-2:] for row in _tables(result))
    assert known > 2


def _tables(result: ph.Tradeoff) -> list[str]:
    """The lines without what is remarked beside them."""
    return [line.partition("  the release for")[0] for line in to_lines(result)]


def test_releases_with_withheld_records_are_taken_for_others(tmp_path: Path) -> None:
    """What a stricter number withholds, each less strict one may withhold."""
    rows = drawn(3, 12)
    given: dict[str, Any] = {"hierarchies": files(tmp_path), "suppress": "1/6"}
    curve = ph.tradeoff(
        pd.DataFrame(rows), policy(k="k_anonymity(2)"), k="1..12", **given
    )
    assert any(not point.searched for point in curve.points)
    for point in curve.points:
        rules = policy(k=f"k_anonymity({point.value})")
        alone = ph.search(pd.DataFrame(rows), rules, **given)
        assert (point.cost, point.verdict) == (alone.cost, alone.verdict)


def test_numbers_of_individuals_are_those_of_the_table(tmp_path: Path) -> None:
    """Of a release with withheld records ``verify`` would number others so: it is not
    asked whether that release may be taken.
    """
    rows = drawn(7, 12)
    rules = policy(k="k_anonymity(2)", who="!(@i3 [a0] ill = a)")
    curve = ph.tradeoff(
        pd.DataFrame(rows), rules, files(tmp_path), k="1..8", suppress="1/6"
    )
    withheld = [point for point in curve.points if point.suppressed]
    assert withheld
    assert all(point.searched and point.taken is None for point in withheld)


# Numbers as they are written


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("2", "2"),
        ("0.5", "0.5"),
        ("1e-5", "0.00001"),
        ("1/3", "1/3"),
        ("0.1234567890123", "1234567890123/10000000000000"),
        ("1e20", "1" + 20 * "0"),
    ],
)
def test_numbers_are_written_exactly(number: str, text: str) -> None:
    assert written(Fraction(number)) == text


@pytest.mark.parametrize("values", ["1e250", "0.2,1e250,1e251"])
def test_large_numbers_stand_on_a_page(tmp_path: Path, values: str) -> None:
    frame, rules = pd.DataFrame(drawn(1, 12)), policy(t="t_closeness(ill, 1)")
    result = ph.tradeoff(frame, rules, files(tmp_path), t=values)
    assert {point.verdict for point in result.points} == {"optimal"}
    assert str(10**250) in str(result)
    assert result.to_html().rstrip().endswith("</html>")
