"""A weaker policy, or a richer space, is never worse where a search is cut short: what
its ladder of stricter numbers finds is offered to it.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cut_short import cut_short
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization.loop import LeastSearch
from phverify.generalization.offered import StricterSearches
from phverify.generalization.options import options
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import read
from phverify.verbs import poorer_spaces
from phverify.verbs.poorer_spaces import POORER
from phverify.verbs.prepared_search import prepared
from phverify.verbs.stricter import stricter_searches

QUASI = ("p", "q", "r")
AGES = [str(number) for number in range(12)]
PATHS = {}
for _age in AGES:
    _three, _six = f"{int(_age) // 3}/3", f"{int(_age) // 6}/6"
    PATHS[_age] = (_age, _three, _six, "*")
FORMS = {
    "k": "k_anonymity({})",
    "l": "l_diversity(f, {})",
    "t": "t_closeness(f, {})",
    "o": "t_closeness(f, {}, reference=original)",
    "entropy": "entropy_l_diversity(f, {})",
    "c": "recursive_l_diversity(f, {}, 2)",
    "beta": "beta_likeness(f, {})",
    "delta": "delta_disclosure(f, {})",
    "alpha": "alpha_k_anonymity(f, {}, 2)",
}
WITHOUT = {"subtrees": "", "intervals": "pq", "partitions": "pqr"}
"""The columns that are generalized without their hierarchies."""
CHARGED: list[dict[str, Any]] = [
    {"objective": "discernibility"},
    {"objective": "ambiguity"},
    {"charge_withheld": True},
]


def table(seed: int, rows: int, values: int) -> pd.DataFrame:
    """Rows of people, some of whom have the same confidential value."""
    chance = random.Random(seed)
    cells: list[dict[str, str]] = []
    for _ in range(rows):
        row = {name: chance.choice(AGES[:values]) for name in QUASI}
        cells.append({**row, "f": chance.choice("aaabbcd")})
    return pd.DataFrame(cells)


def best(
    frame: pd.DataFrame, rules: dict[str, str], suppress: str = "1/5", **more: Any
) -> Any:
    columns = {"quasi": list(QUASI), "sensitive": ["f"]}
    types = {"p": "integer", "q": "integer"}
    policy = ph.Policy.from_dict({"columns": columns, "rules": rules, "types": types})
    hierarchies: Any = {name: Hierarchy(name, PATHS) for name in QUASI}
    return ph.search(frame, policy, hierarchies, suppress=suppress, **more)


def cost_of(found: Any) -> Fraction:
    return Fraction(2) if found.cost is None else found.cost


def cost_in(space: str, found: Any, frame: pd.DataFrame) -> Fraction:
    """What a release loses as a space counts: where columns are without a hierarchy,
    their leaves are the values that occur.
    """
    if found.cost is None:
        return Fraction(2)
    lost = Fraction(0)
    for name in QUASI:
        released = found.mapping[name]
        leaves = [PATHS[age] for age in AGES]
        if name in WITHOUT[space]:
            leaves = [(value, image) for value, image in released.items()]
        for value in frame[name]:
            image = released[value]
            inside = sum(1 for path in leaves if value in path or image in path)
            lost += Fraction(inside - 1, max(len(leaves) - 1, 1))
    return lost / len(frame) / len(QUASI)


CASES: list[tuple[int, int, str, int, dict[str, str], str]] = [
    (1412, 12, "subtrees", 2, {"k": "5"}, "1/5"),
    (403, 40, "subtrees", 6, {}, "1/10"),
    (437, 12, "levels", 3, {}, "1/10"),
]
"""Where the weaker policy was worse without the help of the stricter one."""


@pytest.mark.parametrize(
    ("seed", "rows", "space", "candidates", "changed", "share"), CASES
)
def test_what_a_stricter_number_finds_is_taken(
    seed: int,
    rows: int,
    space: str,
    candidates: int,
    changed: dict[str, str],
    share: str,
) -> None:
    frame = table(seed, rows, 6)
    asked = {"k": "2", "t": "1/2"}
    with cut_short(candidates, soon=False):
        weaker = best(frame, spoken(asked), space=space)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            before = best(frame, spoken(asked), space=space)
            strictest = best(frame, spoken({**asked, **changed}), share, space=space)
    assert cost_of(weaker) <= cost_of(strictest) < cost_of(before)


@pytest.mark.parametrize(
    ("seed", "space", "candidates"), [(1299, "levels", 2), (1658, "subtrees", 7)]
)
def test_what_is_finer_than_the_most_general_candidate_is_looked_at(
    seed: int, space: str, candidates: int
) -> None:
    """Where a search that is cut short found only what its repair ends with."""
    frame = table(seed, 12, 6)
    rules = spoken({"k": "2", "t": "1/2"})
    with cut_short(candidates, soon=False), pytest.MonkeyPatch.context() as alone:
        alone.setattr(StricterSearches, "help", lambda *given: None)
        found = best(frame, rules, space=space)
        alone.setattr(LeastSearch, "_descend_from_top", lambda search: None)
        before = best(frame, rules, space=space)
    assert cost_of(found) < cost_of(before)


@so_many(15, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 12),
    space=st.sampled_from(["levels", "subtrees"]),
    data=st.data(),
)
def test_a_weaker_policy_is_never_worse(
    seed: int, candidates: int, space: str, data: st.DataObject
) -> None:
    frame = table(seed, data.draw(st.sampled_from([12, 40])), 6)
    asked = {"k": "2", "t": "1/2"} if data.draw(st.booleans()) else {"k": "2", "l": "2"}
    varying = data.draw(st.sampled_from(sorted(asked)))
    ladder = {"k": ["5", "10"], "l": ["5", "10"], "t": ["1/5", "1/10"]}[varying]
    strict = {**asked, varying: data.draw(st.sampled_from(ladder))}
    with cut_short(candidates):
        weaker = best(frame, spoken(asked), space=space)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            strictest = best(frame, spoken(strict), space=space)
    assert cost_of(weaker) <= cost_of(strictest)
    assert weaker.bound is None or weaker.bound <= cost_of(weaker)


def spoken(numbers: dict[str, str]) -> dict[str, str]:
    return {name: FORMS[name].format(number) for name, number in numbers.items()}


OTHERS: list[tuple[str, str, str]] = [
    ("entropy", "3/2", "2"),
    ("c", "4", "2"),
    ("beta", "4", "2"),
    ("delta", "3", "1"),
    ("alpha", "3/4", "1/2"),
]
"""Numbers of other criteria, and stricter ones of their ladders."""


@pytest.mark.parametrize(
    ("place", "seed", "space", "candidates"),
    [
        (0, 18, "subtrees", 1),
        (1, 18, "subtrees", 1),
        (2, 101, "levels", 12),
        (3, 20, "subtrees", 7),
        (4, 18, "subtrees", 1),
    ],
)
def test_what_a_stricter_number_of_any_criterion_finds_is_taken(
    place: int, seed: int, space: str, candidates: int
) -> None:
    frame = table(seed, 12, 6)
    name, asked, strict = OTHERS[place]
    with cut_short(candidates, soon=False):
        weaker = best(frame, spoken({name: asked}), space=space)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            before = best(frame, spoken({name: asked}), space=space)
            strictest = best(frame, spoken({name: strict}), space=space)
    assert cost_of(weaker) <= cost_of(strictest) < cost_of(before)


@so_many(15, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 12),
    space=st.sampled_from(["levels", "subtrees"]),
    numbers=st.sampled_from(OTHERS),
)
def test_a_weaker_number_of_any_criterion_is_never_worse(
    seed: int, candidates: int, space: str, numbers: tuple[str, str, str]
) -> None:
    frame = table(seed, 12, 6)
    name, asked, strict = numbers
    with cut_short(candidates):
        weaker = best(frame, spoken({name: asked}), space=space)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            strictest = best(frame, spoken({name: strict}), space=space)
    assert cost_of(weaker) <= cost_of(strictest)
    assert weaker.bound is None or weaker.bound <= cost_of(weaker)


@so_many(10, fuzz=400)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 12),
    space=st.sampled_from(["subtrees", "intervals"]),
    asked=st.sampled_from([{"k": "2", "t": "1/2"}, {"k": "3"}, {"l": "3", "k": "2"}]),
)
def test_a_richer_space_is_never_worse(
    seed: int, candidates: int, space: str, asked: dict[str, str]
) -> None:
    frame = table(seed, 24, 6)
    with cut_short(candidates, rungs=1):
        poorer = best(frame, spoken(asked))
        richer = best(frame, spoken(asked), space=space)
    known = cost_in(space, poorer, frame)
    assert cost_of(richer) == cost_in(space, richer, frame) <= known
    assert richer.bound is None or richer.bound <= known


PARTED: list[tuple[int, int, str, dict[str, str]]] = [
    (16, 6, "intervals", {"k": "3"}),
    (128, 20, "subtrees", {"l": "3", "k": "2"}),
    (198, 20, "subtrees", {"k": "2", "t": "1/2"}),
]
"""Where partitions were worse before they began with a poorer space."""


@pytest.mark.parametrize(("seed", "candidates", "space", "asked"), PARTED)
def test_partitions_begin_with_what_poorer_spaces_find(
    seed: int, candidates: int, space: str, asked: dict[str, str]
) -> None:
    frame = table(seed, 12, 5)
    told: list[str] = []
    with cut_short(candidates, rungs=0, soon=False):
        poorer = best(frame, spoken(asked), space=space)
        richer = best(frame, spoken(asked), space="partitions", progress=told.append)
        with pytest.MonkeyPatch.context() as alone:
            fewer = {**POORER, "partitions": ("levels",)}
            alone.setattr(poorer_spaces, "POORER", fewer)
            before = best(frame, spoken(asked), space="partitions")
    assert cost_of(richer) <= cost_in("partitions", poorer, frame) < cost_of(before)
    assert any(step.startswith(f"by {space}, to begin with: ") for step in told)


@pytest.mark.parametrize("share", ["1/5", "1/2"])
def test_poorer_spaces_are_helped_where_columns_have_no_hierarchy(share: str) -> None:
    """Stricter numbers are searched by subtrees, too, where partitions need none."""
    frame = table(2, 6, 4).drop(columns="r")
    columns = {"quasi": ["p", "q"], "sensitive": ["f"]}
    types = {"p": "integer", "q": "integer"}
    rules = {"k": "k_anonymity(2)"}
    policy = ph.Policy.from_dict({"columns": columns, "rules": rules, "types": types})
    told: list[str] = []
    given: dict[str, Any] = {"suppress": share, "progress": told.append}
    with cut_short(2):
        found = ph.search(frame, policy, space="partitions", **given)
    assert found.cost is not None
    stricter = "by subtrees, to begin with: a stricter policy, whose release would do"
    assert any(step.startswith(stricter) for step in told)


@pytest.mark.parametrize(
    ("space", "at"),
    [
        ("partitions", "by subtrees, to begin with: searching"),
        ("partitions", "by intervals, to begin with: searching"),
        ("subtrees", "by levels, to begin with: searching: 3"),
    ],
)
def test_an_interrupt_in_a_poorer_space_ends_the_search(space: str, at: str) -> None:
    told: list[str] = []

    def progress(step: str) -> None:
        told.append(step)
        if step.startswith(at):
            raise KeyboardInterrupt

    frame = table(198, 12, 5)
    rules = spoken({"k": "2", "t": "1/2"})
    found = best(frame, rules, space=space, progress=progress)
    assert found.verdict == "undecided" and found.reason == "interrupted"
    assert found.cost is not None
    after = told[next(n for n, step in enumerate(told) if step.startswith(at)) + 1 :]
    assert not [step for step in after if step.startswith("searching")]


def test_of_what_a_search_begins_with_the_best_is_kept() -> None:
    rules = {"k": "k_anonymity(1)"}
    columns = {"quasi": list(QUASI), "sensitive": ["f"]}
    policy = ph.Policy.from_dict({"columns": columns, "rules": rules})
    frame = table(1, 12, 6)
    paths: Any = {name: Hierarchy(name, PATHS) for name in QUASI}
    chosen = options(policy, "subtrees", "loss", 0, None, False, None)
    coded = read(frame)
    search = prepared(policy, coded, paths, chosen, Deadline(), lambda step: None)
    for candidate in (search.space.top(), search.space.bottom(), search.space.top()):
        search.begin(candidate)
    assert search.best is not None and search.best.total == 0


@so_many(6, fuzz=400)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 24),
    space=st.sampled_from(["levels", "subtrees", "intervals"]),
    asked=st.sampled_from([{"k": "2", "t": "1/2"}, {"k": "3"}, {"l": "3", "k": "2"}]),
)
def test_partitions_are_never_worse(
    seed: int, candidates: int, space: str, asked: dict[str, str]
) -> None:
    frame = table(seed, 12, 5)
    with cut_short(candidates, rungs=1):
        poorer = best(frame, spoken(asked), space=space)
        richer = best(frame, spoken(asked), space="partitions")
    known = cost_in("partitions", poorer, frame)
    assert cost_of(richer) == cost_in("partitions", richer, frame) <= known
    assert richer.bound is None or richer.bound <= known


@so_many(15, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 12),
    more=st.sampled_from(CHARGED),
    rule=st.sampled_from("to"),
)
def test_a_weaker_policy_is_never_worse_where_records_are_charged(
    seed: int, candidates: int, more: dict[str, Any], rule: str
) -> None:
    frame = table(seed, 12, 6)
    asked = {"k": "2", rule: "1/2"}
    strict = {**asked, rule: "1/5"}
    with cut_short(candidates):
        weaker = best(frame, spoken(asked), **more)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            strictest = best(frame, spoken(strict), **more)
    if strictest.cost is not None:
        assert weaker.cost is not None and weaker.cost <= strictest.cost
    assert weaker.bound is None or weaker.bound <= weaker.cost


def test_the_numbers_of_a_ladder_are_stricter() -> None:
    rules = {name: FORMS[name].format(n) for name, n in [("k", 7), ("t", "1/5")]}
    columns = {"quasi": ["p"], "sensitive": ["f"]}
    policy = ph.Policy.from_dict({"columns": columns, "rules": rules})
    asked: list[tuple[dict[str, str], Fraction]] = []

    def searching(other: ph.Policy, share: Fraction, limit: Any) -> Any:
        asked.append((other.rules, share))

    share = Fraction(1, 5)
    for ladder in stricter_searches(policy, share, 1000, searching).ladders:
        for rung in ladder:
            rung(None)  # type: ignore[arg-type]
    fewer = [Fraction(1, inverse) for inverse in (10, 20, 50, 100)]
    assert asked[:4] == [(policy.rules, less) for less in fewer]
    assert {share for _, share in asked[4:]} == {share}
    numbers = [rules for rules, _ in asked[4:]]
    changed = [rules["k"] for rules in numbers[:4]]
    assert changed == [f"k_anonymity({k})" for k in (10, 20, 50, 100)]
    smaller = [rules["t"].split(", ")[-1] for rules in numbers[4:]]
    assert smaller == ["0.1)", "0.05)", "0.02)", "0.01)"]
    assert all(rules["t"] == policy.rules["t"] for rules in numbers[:4])


@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("beta_likeness(f, {})", {"4": "2 1 0.5 0.2", "1/5": "0.1 0.05 0.02 0.01"}),
        ("delta_disclosure(f, {})", {"1": "0.5 0.2 0.1 0.05"}),
        ("entropy_l_diversity(f, {})", {"3/2": "2 5 10 20"}),
        ("recursive_l_diversity(f, {}, 1)", {"10": "5 2 1 0.5", "3": "2 1 0.5 0.2"}),
        ("recursive_l_diversity(f, 1, {})", {"3": "5 10 20 50"}),
        ("alpha_k_anonymity(f, {}, 1)", {"3/4": "0.5 0.2 0.1 0.05"}),
        ("average_benefit(f, {})", {"0": ""}),
    ],
)
def test_each_number_of_a_rule_has_its_ladder(
    rule: str, changed: dict[str, str]
) -> None:
    columns = {"quasi": ["p"], "sensitive": ["f"]}
    asked: list[str] = []

    def searching(other: ph.Policy, share: Fraction, limit: Any) -> Any:
        asked.append(other.rules["r"])

    for number, ladder in changed.items():
        rules = {"r": rule.format(number)}
        policy = ph.Policy.from_dict({"columns": columns, "rules": rules})
        for own in stricter_searches(policy, Fraction(0), 9, searching).ladders:
            for rung in own:
                rung(None)  # type: ignore[arg-type]
        wanted = [rule.format(rung) for rung in ladder.split()]
        assert [one for one in asked if one in wanted] == wanted
        asked.clear()


@pytest.mark.parametrize(
    ("share", "rows", "inverses"),
    [
        ("0", 1000, []),
        ("1/5", 4, []),
        ("1/5", 12, [10, 20]),
        ("3/100", 999, [50, 100, 200, 500]),
    ],
)
def test_shares_of_a_ladder_are_smaller_until_nobody_is_withheld(
    share: str, rows: int, inverses: list[int]
) -> None:
    policy = ph.Policy.from_dict({"columns": {"quasi": ["p"]}, "rules": {"k": "true"}})
    asked: list[Fraction] = []

    def searching(other: ph.Policy, share: Fraction, limit: Any) -> Any:
        asked.append(share)

    for ladder in stricter_searches(policy, Fraction(share), rows, searching).ladders:
        for rung in ladder:
            rung(None)  # type: ignore[arg-type]
    assert asked == [Fraction(1, inverse) for inverse in inverses]


@so_many(15, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    candidates=st.integers(1, 12),
    asked=st.sampled_from([{"k": "2", "t": "1/2"}, {"k": "2", "o": "1/5"}, {"l": "3"}]),
    more=st.sampled_from([{}, *CHARGED]),
)
def test_what_fewer_withheld_records_do_more_do_too(
    seed: int, candidates: int, asked: dict[str, str], more: dict[str, Any]
) -> None:
    frame = table(seed, 24, 6)
    with cut_short(candidates):
        weaker = best(frame, spoken(asked), "1/5", **more)
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(StricterSearches, "help", lambda *given: None)
            strictest = best(frame, spoken(asked), "1/10", **more)
    if strictest.cost is not None:
        assert weaker.cost is not None and weaker.cost <= strictest.cost
    assert weaker.bound is None or weaker.cost is None or weaker.bound <= weaker.cost
