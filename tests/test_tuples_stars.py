"""Few cells of ``*``: against all partitions of small tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.budget import deadline_of
from phverify.microdata.hierarchy import Hierarchies, Hierarchy
from phverify.microdata.read import opened, read
from phverify.policy.model import examine
from phverify.recoding.above import ReleasesAbove
from phverify.recoding.below import distinct_values
from phverify.recoding.coarse import CoarseTask
from phverify.recoding.fewest import few_stars, least_stars
from phverify.recoding.first import first_release
from phverify.recoding.options import TupleSettings
from phverify.recoding.partition import classes_of
from phverify.recoding.posed import PosedRecoding, pose
from phverify.verbs.search_input import hierarchies_for

TOWNS = {"11": ("1*", "*"), "12": ("1*", "*"), "21": ("2*", "*"), "31": ("3*", "*")}
Rows = list[tuple[int | None, str, str]]


def posed(rows: Rows, policy: ph.Policy, cells: str, suppress: str) -> PosedRecoding:
    frame = framed(rows)
    rules, _ = examine(policy)
    table = read(opened(frame, "table"), rules.named, "table")
    paths: Hierarchies = hierarchies_for(rules, table, {"town": hierarchy()})
    asked = TupleSettings(suppress=suppress, cells=cells).asked(rules)
    return pose(rules, table, paths, asked, None, False, deadline_of(10))


def framed(rows: Rows) -> pd.DataFrame:
    ages = pd.array([age for age, _, _ in rows], dtype="Int64")
    towns = [town for _, town, _ in rows]
    return pd.DataFrame({"age": ages, "town": towns, "ill": [row[2] for row in rows]})


def hierarchy() -> Hierarchy:
    return Hierarchy("town", {town: (town, *above) for town, above in TOWNS.items()})


def policy(k: int, distinct: int) -> ph.Policy:
    rules = {"k": f"k_anonymity({k})"}
    if distinct > 1:
        rules["l"] = f"l_diversity(ill, {distinct})"
    columns = {"quasi": ["age", "town"], "sensitive": ["ill"]}
    return ph.Policy.from_dict(
        {"columns": columns, "types": {"age": "integer"}, "rules": rules}
    )


def partitions(
    tuples: list[tuple[int | None, str]],
) -> Iterator[list[list[tuple[int | None, str]]]]:
    if not tuples:
        yield []
        return
    first, *rest = tuples
    for others in partitions(rest):
        yield [[first], *others]
        for place, one in enumerate(others):
            yield [*others[:place], [first, *one], *others[place + 1 :]]


def stars(rows: Rows, one: list[tuple[int | None, str]]) -> int:
    """The cells of * in a class, by what a range and a hierarchy are."""
    inside = [row for row in rows if row[:2] in one]
    count = 0
    present = {age for age, _, _ in rows}
    known = [age for age in present if age is not None]
    ages = {age for age, _, _ in inside}
    if (None in ages and len(ages) > 1) or (
        len(ages) > 1 and {min(known), max(known)} <= ages and None not in present
    ):
        count += 1
    towns = {town for _, town, _ in rows}
    if len({TOWNS[town][0] for _, town, _ in inside}) > 1:
        count += 1
    elif len({town for _, town, _ in inside}) > 1:
        # Where all towns of the table have one node, that one holds every value.
        count += len({TOWNS[town][0] for town in towns}) == 1
    return count * len(inside)


def fewest(rows: Rows, k: int, distinct: int, spare: int) -> int | None:
    """The fewest cells of * of any release, by trying all."""
    tuples = list(dict.fromkeys(row[:2] for row in rows))
    best = None
    for mask in range(2 ** len(tuples)):
        gone = [one for place, one in enumerate(tuples) if mask >> place & 1]
        if sum(row[:2] in gone for row in rows) > spare:
            continue
        for classes in partitions([one for one in tuples if one not in gone]):
            if all(allowed(rows, one, k, distinct) for one in classes):
                count = sum(stars(rows, one) for one in classes)
                best = count if best is None else min(best, count)
    return best


def allowed(
    rows: Rows, one: list[tuple[int | None, str]], k: int, distinct: int
) -> bool:
    inside = [row for row in rows if row[:2] in one]
    return len(inside) >= k and len({row[2] for row in inside}) >= distinct


TABLES = st.lists(
    st.tuples(
        st.sampled_from([20, 21, 22, 23, None]),
        st.sampled_from(sorted(TOWNS)),
        st.sampled_from("ab"),
    ),
    min_size=2,
    max_size=7,
)


@so_many(15, fuzz=1000, more=300)
@given(TABLES, st.integers(2, 3), st.integers(1, 2), st.integers(0, 1))
def test_no_release_has_fewer(rows: Rows, k: int, distinct: int, spare: int) -> None:
    suppress = f"{spare}/{len(rows)}"
    problem = posed(rows, policy(k, distinct), "1/100", suppress)
    assert problem.budget == spare
    best = fewest(rows, k, distinct, spare)
    least = least_stars(problem, 5.0)
    if best is None:
        return
    assert least <= best
    task = ReleasesAbove(problem).task
    coarse = CoarseTask(task)
    items = first_release(coarse.task)
    if items is not None:
        lifted = coarse.lifted(items)
        assert lifted is not None
        most = coarse.task.star_cells(classes_of(items)).sum()
        assert task.star_cells(classes_of(lifted)).sum() <= most
    release = few_stars(task, 0.3, distinct_values(problem))
    if release is None:
        return
    classes = classes_of(release)
    for one in classes:
        inside = [problem.space.tuples[number] for number in one.tolist()]
        plain = [(None if a is None else int(a), str(t)) for a, t in inside]
        assert allowed(rows, plain, k, distinct)
        own = int(task.star_cells([one])[0])
        assert own == stars(rows, plain)
    assert int(task.star_cells(classes).sum()) >= best
    withheld = task.table.counts[release < 0].sum()
    assert withheld <= spare


@so_many(15, fuzz=1000)
@given(TABLES, st.sampled_from(["0", "1/4", "1/2"]))
def test_what_is_too_few_is_proved(rows: Rows, cells: str) -> None:
    best = fewest(rows, 2, 1, 0)
    result = ph.anonymize(
        framed(rows), policy=policy(2, 1), hierarchies={"town": hierarchy()},
        cells=cells, budget=0.3,
    )  # fmt: skip
    most = Fraction(cells) * 2 * len(rows)
    if result.verdict == "infeasible":
        assert best is None or best > most
    elif result.cost is not None:
        assert best is not None and best <= result.stars <= most


def test_the_answer_says_how_many_there_are_at_least() -> None:
    rows: Rows = [(20, "11", "a"), (20, "11", "a"), (23, "21", "a"), (21, "31", "a")]
    result = ph.anonymize(
        framed(rows), policy=policy(2, 1), hierarchies={"town": hierarchy()},
        cells="10%", budget=1,
    )  # fmt: skip
    assert result.verdict == "infeasible"
    assert result.reason == (
        "at most 0 cells may be *, and every release by tuples has at least 2:"
        " --cells 25% or more may do"
    )


def census(seed: int, records: int) -> pd.DataFrame:
    chance = np.random.default_rng(seed)
    columns = {}
    for place, kinds in enumerate((3, 4, 5, 3, 4)):
        share = chance.dirichlet(np.full(kinds, 0.5))
        columns[f"q{place}"] = chance.choice(list("abcdefgh")[:kinds], records, p=share)
    return pd.DataFrame(columns)


def test_fewer_are_found_than_merging_leaves() -> None:
    """What merging alone leaves is for the clock to say: only the share is asked."""
    frame = census(4, 400)
    quasi = list(frame.columns)
    few = ph.anonymize(frame, quasi=quasi, k=4, budget=6, cells=0.14)
    assert few.stars <= 0.14 * 400 * 5
    assert few.verdict == "proved"


@pytest.mark.parametrize("given", [{"weights": {"town": 0}}, {"publish": "median"}])
def test_only_what_is_released_as_star_counts(given: dict[str, Any]) -> None:
    rows: Rows = []
    for age in (20, 21, 22, 23):
        rows += [(age, "11", "a"), (age + 10, "12", "a")]
    rows += [(22, "21", "a"), (20, "21", "a")]
    result = ph.anonymize(
        framed(rows), policy=policy(2, 1), hierarchies={"town": hierarchy()},
        cells=0, budget=1, **given,
    )  # fmt: skip
    assert result.verdict == "proved" and result.stars == 0


def test_as_many_as_there_must_be_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = [(20, "11", "a"), (20, "11", "a"), (23, "21", "a"), (21, "31", "a")]

    def answer() -> Any:
        return ph.anonymize(
            framed(rows), policy=policy(2, 1), hierarchies={"town": hierarchy()},
            cells="1/4", budget=1,
        )  # fmt: skip

    def one_class(task: Any) -> np.ndarray:
        return np.zeros(len(task.table.counts), dtype=np.int32)

    def nothing(*given: Any) -> None:
        return None

    monkeypatch.setattr("phverify.recoding.above.first_release", one_class)
    found = answer()
    assert found.verdict == "proved" and found.stars == 2
    monkeypatch.setattr("phverify.recoding.fewest.few_stars", nothing)
    monkeypatch.setattr(
        "phverify.recoding.above.improve", lambda task, state, *_, **__: state
    )
    left_open = answer()
    assert left_open.verdict == "undecided"
    assert "no release has fewer than 2" in left_open.reason


def test_what_needs_no_star_is_merged_anew() -> None:
    rows: Rows = []
    for age, town in ((21, "11"), (22, "12"), (20, "21"), (23, "31")):
        rows += [(age, town, "a")] * 2
    task = ReleasesAbove(posed(rows, policy(2, 1), "1/100", "0")).task
    coarse = CoarseTask(task)
    codes = coarse.task.grid.codes
    # 21 and 22 are alike as far as * goes, and so are 11 and 12.
    _, together = np.unique(codes, axis=0, return_inverse=True)
    assert together.max() + 1 == 3 and len(codes) == 4
    release = coarse.lifted(together.ravel())
    assert release is not None and len(classes_of(release)) == 4


def test_what_holds_all_values_counts_whatever_it_is_called() -> None:
    rows = pd.DataFrame({"town": ["m", "n", "m", "n"], "ill": list("abba")})
    labels = {town: (town, "all") for town in "mn"}
    result = ph.anonymize(
        rows, quasi=["town"], sensitive=["ill"], k=3, cells="1/2", budget=1,
        hierarchies={"town": Hierarchy("town", labels)},
    )  # fmt: skip
    assert result.verdict == "infeasible"
    assert "every release by tuples has at least 4" in result.reason


def test_tests_of_values_are_asked_of_single_classes() -> None:
    task = ReleasesAbove(
        posed([(20, "11", "a"), (20, "11", "b")], policy(2, 2), "0", "0")
    ).task
    assert len(CoarseTask(task).free) == 1
