"""``compare-data``: each figure by its definition, record by record and value by value,
and by pandas and scipy.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.utility.correlations import pearson, ranks
from phverify.utility.result import ClassSizes, ColumnUtility

Cell = str | None
Row = dict[str, Cell]
TOWNS = {"a": "north", "b": "north", "c": "south", "d": "south"}
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["age", "town"], "sensitive": ["ill"], "identifier": "id"},
    "types": {"age": "integer"},
}
PATHS = [";".join((town, side, "*")) for town, side in TOWNS.items()]
NAMES = ("id", "age", "town", "ill", "pay")
AGES = ("1", "2", "3", "5", "8", None)


@st.composite
def originals(draw: st.DrawFn) -> list[Row]:
    """A table before sanitization."""
    row = st.fixed_dictionaries(
        {
            "age": st.sampled_from(AGES),
            "town": st.sampled_from("abc"),
            "ill": st.sampled_from("xyz"),
        }
    )
    rows = draw(st.lists(row, min_size=1, max_size=7))
    return [{"id": f"p{number}", **row} for number, row in enumerate(rows)]


class Meant:
    """What cells stand for, by the test's own account."""

    def __init__(self, rows: list[Row], along: bool) -> None:
        ages = {row["age"] for row in rows}
        towns = {row["town"] for row in rows}
        self.domain: dict[str, list[Cell]] = {
            "age": sorted(ages, key=lambda age: (age is None, int(age or 0))),
            "town": sorted(TOWNS) if along else sorted(filter(None, towns)),
            "ill": sorted({row["ill"] or "" for row in rows}),
        }
        self.along = along
        self.known: dict[tuple[str, Cell], list[Cell]] = {}

    def keep(self, name: str, label: Cell, values: list[Cell]) -> Cell:
        self.known[name, label] = values
        return label

    def age(self, draw: st.DrawFn, own: Cell) -> Cell:
        """A released age: itself, a range that holds it, or everything."""
        domain = self.domain["age"]
        kind = draw(st.sampled_from(("itself", "range", "all")))
        numbers = [age for age in domain if age is not None]
        if kind == "range" and own is not None:
            place = numbers.index(own)
            low = draw(st.integers(0, place))
            high = draw(st.integers(place, len(numbers) - 1))
            label = f"{numbers[low]}-{numbers[high]}"
            return self.keep("age", label, list(numbers[low : high + 1]))
        if kind == "all":
            return self.keep("age", "*", domain)
        return self.keep("age", own, [own])

    def town(self, draw: st.DrawFn, own: Cell) -> Cell:
        """A released town: along the hierarchy, or a set without one."""
        domain = self.domain["town"]
        kind = draw(st.sampled_from(("itself", "some", "all")))
        if kind == "some" and self.along:
            side = TOWNS[own or ""]
            inside: list[Cell] = [one for one in domain if TOWNS[one or ""] == side]
            return self.keep("town", side, inside)
        if kind == "some":
            others = draw(st.sets(st.sampled_from(domain)))
            some = sorted(filter(None, {own, *others}))
            return self.keep("town", f"{{{', '.join(some)}}}", [*some])
        if kind == "all":
            return self.keep("town", "*", domain)
        return self.keep("town", own, [own])

    def values(self, name: str, label: Cell) -> list[Cell]:
        return [label] if name == "ill" else self.known[name, label]


Drawn = tuple[list[Row], list[Row], Meant]


@st.composite
def releases(draw: st.DrawFn) -> Drawn:
    """An original, a release of some of its records in any order, and what it means."""
    rows = draw(originals())
    meant = Meant(rows, draw(st.booleans()))
    kept = draw(
        st.lists(st.sampled_from(rows), min_size=1, unique_by=lambda r: r["id"])
    )
    released = []
    for row in kept:
        age, town = meant.age(draw, row["age"]), meant.town(draw, row["town"])
        released.append({**row, "age": age, "town": town})
    return rows, released, meant


def frame(rows: list[Row]) -> pd.DataFrame:
    columns = [name for name in NAMES if name in rows[0]]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def compared(drawn: Drawn, folder: Any, **more: Any) -> Any:
    rows, released, meant = drawn
    policy = dict(POLICY)
    if meant.along:
        file = folder / "town.csv"
        file.write_text("\n".join(PATHS), encoding="utf-8")
        policy["hierarchies"] = {"town": str(file)}
    return ph.compare_data(frame(rows), frame(released), policy, **more)


def spread(
    rows: list[Row], names: tuple[str, ...], meant: Meant | None
) -> dict[tuple[Cell, ...], Fraction]:
    """The share of each combination of values, cell by cell."""
    shares: Counter[tuple[Cell, ...]] = Counter()
    for row in rows:
        sets = [
            [row[name]] if meant is None else meant.values(name, row[name])
            for name in names
        ]
        combinations = list(product(*sets))
        for values in combinations:
            shares[values] += Fraction(1, len(rows) * len(combinations))
    return dict(shares)


def variation(drawn: Drawn, *names: str) -> Fraction:
    rows, released, meant = drawn
    before, after = spread(rows, names, None), spread(released, names, meant)
    gaps = [
        abs(before.get(one, Fraction(0)) - after.get(one, Fraction(0)))
        for one in {*before, *after}
    ]
    return sum(gaps, Fraction(0)) / 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("hierarchies")


def column(found: Any, name: str) -> ColumnUtility:
    (one,) = [one for one in found.columns if one.name == name]
    assert isinstance(one, ColumnUtility)
    return one


@so_many(60)
@given(releases())
def test_losses_are_those_of_the_definition(folder: Any, drawn: Drawn) -> None:
    _, released, meant = drawn
    found = compared(drawn, folder)
    expected = []
    for name in ("age", "town"):
        lost = Fraction(0)
        for row in released:
            others = len(meant.values(name, row[name])) - 1
            lost += Fraction(others, max(len(meant.domain[name]) - 1, 1))
        expected.append(lost / len(released))
        assert column(found, name).loss == expected[-1]
    assert column(found, "ill").loss == 0
    assert found.loss == sum(expected) / 2
    assert found.explained == "identifier"
    assert found.quasi == ("age", "town")
    withheld = len(drawn[0]) - len(released)
    assert found.withheld == withheld
    charged = found.loss * len(released) + withheld
    assert found.loss_with_withheld == charged / len(drawn[0])


@so_many(60)
@given(releases())
def test_precision_counts_levels(folder: Any, drawn: Drawn) -> None:
    _, released, meant = drawn
    found = compared(drawn, folder)
    assert found.precision is None
    assert column(found, "age").precision is None
    if not meant.along:
        assert column(found, "town").precision is None
        return
    levels = {"north": 1, "south": 1, "*": 2}
    climbed = [levels.get(row["town"] or "", 0) for row in released]
    assert column(found, "town").precision == Fraction(sum(climbed), 2 * len(climbed))


@so_many(60)
@given(releases())
def test_distances_are_those_of_the_definition(folder: Any, drawn: Drawn) -> None:
    found = compared(drawn, folder)
    for name in ("age", "town", "ill"):
        assert column(found, name).distance == variation(drawn, name)
        before = spread(drawn[0], (name,), None)
        after = spread(drawn[1], (name,), drawn[2])
        for one in column(found, name).shares:
            assert one.before == before.get((one.value,), 0)
            assert one.after == after.get((one.value,), 0)
    told = {(pair.first, pair.second): pair.distance for pair in found.pairs}
    expected = {
        names: variation(drawn, *names)
        for names in (("age", "town"), ("age", "ill"), ("town", "ill"))
    }
    assert told == expected
    assert list(told.values()) == sorted(told.values(), reverse=True)


def sizes(rows: list[Row], withheld: int = 0, everybody: int = 0) -> ClassSizes:
    """The classes as pandas counts them."""
    groups = frame(rows).groupby(["age", "town"], dropna=False).size()
    return ClassSizes(
        number=len(groups),
        least=int(groups.min()),
        median=Fraction(float(groups.median())),
        mean=Fraction(int(groups.sum()), len(groups)),
        most=int(groups.max()),
        discernibility=int((groups**2).sum()) + withheld * everybody,
    )


@so_many(60)
@given(releases())
def test_classes_are_those_of_pandas(folder: Any, drawn: Drawn) -> None:
    rows, released, _ = drawn
    found = compared(drawn, folder)
    assert found.before == sizes(rows)
    assert found.after == sizes(released, len(rows) - len(released), len(rows))


def same(told: float | None, expected: float) -> bool:
    if told is None:
        return bool(np.isnan(expected))
    return told == pytest.approx(expected, abs=2e-6)


@so_many(60)
@given(releases(), st.data())
def test_correlations_are_those_of_scipy(
    folder: Any, drawn: Drawn, data: st.DataObject
) -> None:
    rows, released, meant = drawn
    for row in rows:
        row["pay"] = str(data.draw(st.integers(0, 3)))
    pays = {row["id"]: row["pay"] for row in rows}
    for row in released:
        row["pay"] = pays[row["id"]]
    types = {"age": "integer", "pay": "integer"}
    columns = {**POLICY["columns"], "neutral": ["pay"]}
    policy = {**POLICY, "types": types, "columns": columns}
    if meant.along:
        return
    found = ph.compare_data(frame(rows), frame(released), policy)
    (one,) = found.correlations
    assert {one.first, one.second} == {"age", "pay"}
    middles = []
    for row in released:
        inside = [int(age) for age in meant.values("age", row["age"]) if age]
        middles.append(np.mean(inside) if inside else np.nan)
    ages = [float(row["age"]) if row["age"] else np.nan for row in rows]
    for x, table, r, rho in (
        (ages, rows, one.pearson_before, one.spearman_before),
        (middles, released, one.pearson_after, one.spearman_after),
    ):
        both = pd.DataFrame({"x": x, "y": [float(row["pay"] or 0) for row in table]})
        both = both.round(9).dropna()
        # scipy warns of what is constant, and pandas divides rounding errors.
        constant = len(both) == 0 or bool((both.nunique() < 2).any())
        if constant:
            assert r is None and rho is None
            continue
        assert same(r, both["x"].corr(both["y"]))
        # It takes a second to load.
        from scipy import stats

        assert same(rho, stats.spearmanr(both["x"], both["y"]).statistic)


@so_many(50)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_ranks_are_those_of_scipy(numbers: list[int]) -> None:
    from scipy import stats

    x = np.array(numbers, dtype=float)
    assert ranks(x).tolist() == stats.rankdata(x).tolist()
    assert (pearson(x, x) is None) == (len(set(numbers)) == 1)
    assert pearson(x, x) in (None, 1.0)
    assert pearson(x, -x) in (None, -1.0)


@pytest.mark.parametrize("first", [10**20, 10**400])
def test_numbers_that_no_float_holds(tmp_path: Any, first: int) -> None:
    """Nor the steps between them."""
    table = pd.DataFrame({"n": [str(first + k) for k in range(12)], "m": range(12)})
    table["x"] = [*"ab"] * 6
    policy = {"columns": {"quasi": ["n"]}, "rows": "same order"}
    found = ph.compare_data(table, table, policy, classifier=True, target="x")
    (pair,) = found.correlations
    assert (pair.pearson_before, pair.spearman_after) == (1, 1)


def test_large_numbers_lose_nothing() -> None:
    x = np.array([1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3])
    assert pearson(x, np.array([0.0, 1.0, 3.0, 2.0])) == pytest.approx(0.8)


@so_many(40)
@given(releases(), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(
    folder: Any, drawn: Drawn, random: Any
) -> None:
    rows, released, meant = drawn
    shuffled = list(released)
    random.shuffle(shuffled)
    once = compared(drawn, folder).to_dict()
    again = compared((rows, shuffled, meant), folder).to_dict()
    assert once == again


@so_many(40)
@given(originals())
def test_a_table_beside_itself_has_lost_nothing(rows: list[Row]) -> None:
    for policy in (POLICY, None):
        found = ph.compare_data(frame(rows), frame(rows), policy)
        assert found.loss == found.loss_with_withheld == 0
        assert found.explained
        assert not any(one.distance for one in (*found.columns, *found.pairs))
        assert found.before == found.after
        for one in found.correlations:
            assert one.pearson_before == one.pearson_after
            assert one.spearman_before == one.spearman_after
