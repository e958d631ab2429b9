"""What is soon seen to fit, before anything is proved: it does fit, and is the least
where nothing finer fits than what does not.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cut_short import cut_short
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.exact import Bools
from phverify.generalization.embedded import embedded
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.offered import StricterSearches
from phverify.generalization.options import options
from phverify.generalization.refute import Refuter
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import read
from phverify.verbs import poorer_spaces
from phverify.verbs.prepared_search import prepared

QUASI = ("p", "q", "r")
AGES = [str(number) for number in range(12)]
PATHS = {}
for _age in AGES:
    PATHS[_age] = (_age, f"{int(_age) // 3}/3", f"{int(_age) // 6}/6", "*")
RULES = [
    "t_closeness(f, 1/2)",
    "t_closeness(f, 2/5, ordered)",
    "t_closeness(f, 1/3, hierarchical)",
    "delta_disclosure(f, 3/2)",
    "delta_disclosure(f, 1, ignored)",
    "beta_likeness(f, 2)",
]
SHARES = ["1/10", "1/5", "1/2", "9/10"]


def table(seed: int, rows: int) -> pd.DataFrame:
    chance = random.Random(seed)
    cells: list[dict[str, str]] = []
    for _ in range(rows):
        row = {name: chance.choice(AGES[:6]) for name in QUASI}
        cells.append({**row, "f": chance.choice("0001122345")})
    return pd.DataFrame(cells)


def policy(rule: str) -> ph.Policy:
    columns = {"quasi": list(QUASI), "sensitive": ["f"]}
    rules = {"k": "k_anonymity(2)", "rule": rule}
    types = {"f": "integer"}
    built = {"f": {"intervals": [2]}}
    return ph.Policy.from_dict(
        {"columns": columns, "rules": rules, "types": types, "hierarchies": built}
    )


def hierarchies() -> dict[str, Any]:
    return {name: Hierarchy(name, PATHS) for name in QUASI}


def search(
    rule: str, share: str, frame: pd.DataFrame, space: str = "levels"
) -> LeastSearch:
    asked = policy(rule)
    chosen = options(asked, space, "loss", share, None, False, None)
    return prepared(
        asked, read(frame), hierarchies(), chosen, Deadline(), lambda step: None
    )


@so_many(30, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(RULES),
    share=st.sampled_from(SHARES),
    space=st.sampled_from(["levels", "subtrees"]),
)
def test_what_is_soon_seen_to_fit_satisfies_the_policy(
    seed: int, rule: str, share: str, space: str
) -> None:
    found = search(rule, share, table(seed, 12), space)
    assert found.refuter.judge.chooses
    found.look_soon()
    refuter = found.refuter
    if found.best is not None:
        fitting = found.best
        withheld = fitting.finding.withheld
        released = refuter.as_released(fitting.candidate, withheld)
        assert released.status == "fits"
        assert fitting.withheld_rows <= refuter.budget < len(table(seed, 12))
    # What is soon seen is never missed by looking at all ways.
    chance = random.Random(seed)
    for steps in (None, 0, 3):
        levels = [chance.randint(0, 1) for _ in range(found.space.decisions)]
        candidate = found.space.bottom()
        for unknown in np.flatnonzero(levels):
            candidate = found.space.raised(candidate, int(unknown))
        if refuter.soon(candidate, steps) is not None:
            assert refuter.examine(candidate).status != "fails"


def above(vector: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(own >= one for own, one in zip(vector, other, strict=True))


@so_many(30, fuzz=800)
@given(seed=st.integers(0, 10**6), few=st.booleans())
def test_the_least_vector_is_found_where_nothing_finer_fits_than_what_does_not(
    seed: int, few: bool
) -> None:
    found = search(RULES[0], "1/5", table(seed, 12))
    grid = found.master
    assert isinstance(grid, Grid)
    chance = random.Random(seed)
    least = [tuple(chance.randint(0, size - 1) for size in grid.shape)]
    least += [tuple(chance.randint(0, size - 1) for size in grid.shape)]
    asked: list[tuple[int, ...]] = []
    fitting: list[Bools] = []

    def fits(candidate: Bools) -> bool:
        vector = found.space.level_vector(candidate)
        asked.append(vector)
        if not any(above(vector, one) for one in least):
            return False
        fitting.append(candidate)
        return True

    with pytest.MonkeyPatch.context() as patched:
        if few:
            patched.setattr("phverify.generalization.master.FEW", 0)
        grid.soon(None, fits, Deadline())
    assert len(asked) == len(set(asked)) < grid.alive.size
    costs = [found.total(found.space.vector(one)) for one in least]
    assert found.total(fitting[-1]) == min(costs)
    # Nothing was struck: only what costs more is not to be proposed any more.
    assert grid.alive.all()
    last = found.space.level_vector(fitting[-1])
    assert (grid.open == (grid.ranks < grid.ranks[last])).all()


def test_fewer_vectors_are_looked_at_than_one_after_the_other() -> None:
    found = search(RULES[0], "1/5", table(1, 12))
    grid = found.master
    assert isinstance(grid, Grid)
    asked: list[Bools] = []

    def fits(candidate: Bools) -> bool:
        asked.append(candidate)
        return bool(candidate.all())

    grid.soon(None, fits, Deadline())
    # Of 64 vectors only the top fits: each column is one step below it once.
    assert len(asked) <= 9


def best(frame: pd.DataFrame, rule: str, share: str, **more: Any) -> Any:
    return ph.search(frame, policy(rule), hierarchies(), suppress=share, **more)


def cost_of(found: Any) -> Fraction:
    return Fraction(2) if found.cost is None else found.cost


def looked_only_soon(patched: pytest.MonkeyPatch) -> None:
    """No stricter searches but for what they soon see."""
    patched.setattr(StricterSearches, "_up", lambda *given: None)


@pytest.mark.parametrize("rule", RULES)
def test_a_search_that_is_cut_short_has_what_is_soon_seen(rule: str) -> None:
    frame = table(3, 40)
    seen = search(rule, "1/5", frame)
    seen.look_soon()
    assert seen.best is not None
    with cut_short(1):
        found = best(frame, rule, "1/5")
    assert cost_of(found) <= seen.fraction(seen.best.total)


def test_after_what_is_soon_seen_nothing_is_mended_late() -> None:
    found = search(RULES[0], "1/5", table(3, 40))
    with pytest.MonkeyPatch.context() as patched, cut_short(1):
        for name in ("repair", "_descend_from_top"):
            patched.setattr(LeastSearch, name, lambda *given: pytest.fail("mended"))
        found.least()
    assert found.stopped and found.seen_soon and found.best is not None


def test_what_stricter_searches_soon_see_is_offered() -> None:
    """Where the search itself saw nothing but the most general candidate."""
    frame = table(1, 40)
    alone = LeastSearch.look_soon

    def only_stricter(loop: LeastSearch, rounds: int = 3) -> None:
        if loop.refuter.budget < 8:
            alone(loop, rounds)
        loop.next_steps = ()

    with pytest.MonkeyPatch.context() as patched, cut_short(1):
        looked_only_soon(patched)
        patched.setattr(LeastSearch, "look_soon", only_stricter)
        helped = best(frame, RULES[0], "1/5")
        patched.setattr(StricterSearches, "_help_soon", lambda *given: None)
        before = best(frame, RULES[0], "1/5")
    assert cost_of(helped) < cost_of(before)


def test_what_stricter_searches_count_is_counted_once() -> None:
    counted = []
    share = LeastSearch.share

    def sharing(loop: LeastSearch, known: Any) -> None:
        share(loop, known)
        counted.append((loop.refuter.judge.counted, known))

    with pytest.MonkeyPatch.context() as patched, cut_short(1):
        patched.setattr(LeastSearch, "share", sharing)
        best(table(3, 40), RULES[0], "1/5")
    [own, *_] = {id(known) for _, known in counted}
    assert len(counted) > 2 and {id(judge) for judge, _ in counted} == {own}


def test_levels_are_helped_where_a_richer_space_begins_with_them() -> None:
    told: list[str] = []
    with cut_short(1):
        best(table(3, 40), RULES[0], "1/5", space="subtrees", progress=told.append)
    said = "by levels, to begin with: a stricter policy, whose release would do: "
    assert any(step.startswith(said) for step in told)


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_who_interrupts_a_stricter_search_as_it_begins_interrupts_all(
    space: str,
) -> None:
    stricter: list[int] = []
    fits_soon = LeastSearch._fits_soon

    def interrupted(loop: LeastSearch, candidate: Bools, steps: int | None) -> bool:
        # Of 40 records a fifth may be withheld, and fewer in a stricter search.
        if loop.refuter.budget < 8:
            stricter.append(loop.refuter.budget)
            if len(stricter) == 1:
                raise KeyboardInterrupt
        return fits_soon(loop, candidate, steps)

    with pytest.MonkeyPatch.context() as patched, cut_short(1):
        patched.setattr(LeastSearch, "_fits_soon", interrupted)
        found = best(table(3, 40), RULES[0], "1/5", space=space)
    assert found.reason == "interrupted" and found.cost is not None
    # That search may still look for something to show, and no other one begins.
    assert set(stricter) == {stricter[0]}


@pytest.mark.parametrize("space", ["subtrees", "intervals", "partitions"])
def test_richer_spaces_see_more_soon_whatever_levels_take(space: str) -> None:
    """Where levels have all the time, what is soon seen by the richer space is kept."""
    frame = table(5, 40)
    with cut_short(1), pytest.MonkeyPatch.context() as patched:
        looked_only_soon(patched)
        found = best(frame, RULES[0], "1/5", space=space)
        patched.setattr(poorer_spaces, "_look_soon", lambda searches: None)
        patched.setattr(poorer_spaces, "_look_nearby", lambda searches: None)
        before = best(frame, RULES[0], "1/5", space=space)
    assert found.verdict == before.verdict == "undecided"
    assert cost_of(found) < cost_of(before)


def test_a_release_of_levels_is_known_to_do_in_a_richer_space() -> None:
    """It is not decided again, which may be left open."""
    frame = table(5, 40)
    levels = search(RULES[0], "1/5", frame)
    levels.look_soon(rounds=1)
    assert levels.best is not None
    richer = search(RULES[0], "1/5", frame, "subtrees")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Refuter, "examine", lambda *given: pytest.fail("decided"))
        richer.begin(embedded(levels.space, levels.best.candidate, richer.space))
    assert richer.best is not None
    assert richer.fraction(richer.best.total) <= levels.fraction(levels.best.total)


def test_what_is_charged_is_not_looked_at_by_what_it_costs_released() -> None:
    asked = policy(RULES[0])
    chosen = options(asked, "levels", "discernibility", "1/5", None, False, None)
    found = prepared(
        asked, read(table(3, 40)), hierarchies(), chosen, Deadline(), lambda step: None
    )
    assert found.refuter.judge.chooses and not found.looks_soon
    found.look_soon()
    assert found.best is None


@pytest.mark.parametrize("rule", RULES[:2])
def test_all_minimal_ones_are_listed_whatever_is_soon_seen(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    frame = table(3, 12)
    how: Any = {"suppress": "1/5", "all_minimal": True}
    found = ph.search(frame, policy(rule), hierarchies(), **how)
    monkeypatch.setattr(LeastSearch, "looks_soon", False)
    alone = ph.search(frame, policy(rule), hierarchies(), **how)
    assert found.minimal == alone.minimal
    assert len(found.minimal) > 1
    assert found.cost == found.candidates[0].cost
