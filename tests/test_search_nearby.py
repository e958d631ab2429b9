"""What is near the best candidate that is known, beside what is finer than it."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cut_short import cut_short
from support.so_many import so_many
from test_search_soon import RULES, SHARES, hierarchies, policy, search, table

import phverify as ph
from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Bools
from phverify.generalization import loop, refining
from phverify.generalization.descent import Descent
from phverify.generalization.embedded import embedded
from phverify.generalization.loop import LeastSearch
from phverify.generalization.nearby import Nearby
from phverify.generalization.space import CodedSpace
from phverify.generalization.steps_down import StepsDown
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Cost
from phverify.spec.together import Intervals, Partitions

SPACES = ["subtrees", "intervals", "partitions"]


def cost_of(space: CodedSpace, seed: int) -> Cost:
    """Any weights, some of which are beyond 64 bits."""
    chance = random.Random(seed)
    largest = chance.choice([9, 10**30])
    return Cost(tuple(chance.randint(0, largest) for _ in range(space.size)), 1)


def some_candidate(space: CodedSpace, seed: int) -> Bools:
    chance = random.Random(seed)
    candidate = space.bottom()
    for unknown in range(space.decisions):
        if chance.random() < 0.4:
            candidate = space.raised(candidate, unknown)
    return candidate


# Steps


@so_many(60)
@given(st.integers(0, 10**6), st.sampled_from(["levels", *SPACES]))
def test_steps_down_cost_what_the_candidates_cost(seed: int, kind: str) -> None:
    space = search(RULES[0], "1/5", table(seed, 12), kind).space
    cost = cost_of(space, seed)
    steps_down = StepsDown(space, cost)
    # Twice: the second one is about columns that are known.
    for candidate in (some_candidate(space, seed), some_candidate(space, seed + 1)):
        total = space.total(candidate, cost)
        assert steps_down.total(candidate) == total
        steps = list(steps_down.each(candidate))
        made = np.flatnonzero(candidate).tolist()
        assert [step.unknown for step in steps] == made
        for step in steps:
            after = step.taken(candidate)
            lowered = space.lowered(candidate, step.unknown)
            assert (after == lowered).all()
            assert total + step.dearer == space.total(lowered, cost)
            assert step.dropped == int(candidate.sum() - lowered.sum())


@pytest.mark.parametrize("scheme", [Intervals, Partitions])
@pytest.mark.parametrize("values", [("1", "2", "3", None), ("1", None), ("1",)])
def test_missing_values_have_their_price(scheme: Any, values: Any) -> None:
    own: Scheme = scheme("q", values)
    space = CodedSpace((own,))
    cost = cost_of(space, 3)
    steps_down = StepsDown(space, cost)
    for candidate in (space.top(), space.bottom(), some_candidate(space, 1)):
        assert steps_down.total(candidate) == space.total(candidate, cost)


# Ways


@so_many(40)
@given(st.integers(0, 10**6), st.sampled_from(SPACES), st.floats(0.1, 0.9))
def test_the_best_one_is_the_cheapest_that_fits(
    seed: int, kind: str, share: float
) -> None:
    """Each candidate is one of the space, and is looked at once."""
    space = search(RULES[0], "1/5", table(seed, 8), kind).space
    cost = cost_of(space, seed)
    fitting = [space.top()]
    looked_at: set[bytes] = set()

    def fits(candidate: Bools) -> bool:
        key = candidate.tobytes()
        assert key not in looked_at
        looked_at.add(key)
        for scheme, part in zip(space.schemes, space.each(candidate), strict=True):
            again = scheme.solution(part.tolist())[: scheme.decisions]
            assert again == part.tolist()
        if random.Random(key).random() < share:
            fitting.append(candidate)
            return True
        return False

    nearby = Nearby(StepsDown(space, cost), fits, space.top())
    for looks, _ in enumerate(nearby.looks(), start=1):
        cheapest = min(space.total(one, cost) for one in fitting)
        assert nearby.least == space.total(nearby.best, cost) == cheapest
        # It may be left at any look.
        if looks == 400:
            break


def test_something_coarser_in_one_column_may_be_better() -> None:
    """Of two columns one alone can be kept: the way down takes the dear one first, and
    nothing leads from there to the other one, whose three steps save more.
    """
    values = tuple(f"{number}" for number in range(4))
    space = CodedSpace((Intervals("p", ("0", "1")), Intervals("q", values)))
    weights = [0] * space.size
    for unknown, weight in enumerate((4, 3, 3, 3)):
        weights[unknown] = weight
    cost = Cost(tuple(weights), 1)

    def fits(candidate: Bools) -> bool:
        return bool(candidate[0] or candidate[1:].all())

    top = space.top()
    way_down = Descent(StepsDown(space, cost), top, fits).whole()
    assert space.total(way_down, cost) == 9
    nearby = Nearby(StepsDown(space, cost), fits, top)
    for _ in nearby.looks():
        pass
    assert nearby.least == 4 and nearby.best.tolist() == [True, False, False, False]


def test_it_goes_on_from_what_others_find() -> None:
    space = CodedSpace((Intervals("p", ("0", "1", "2")), Intervals("q", ("0", "1"))))
    cost = Cost(tuple(range(1, space.size + 1)), 1)
    asked: list[list[bool]] = []

    def fits(candidate: Bools) -> bool:
        asked.append(candidate.tolist())
        return False

    nearby = Nearby(StepsDown(space, cost), fits, space.top())
    list(nearby.looks())
    before = len(asked)
    best = np.array([True, False, False])
    assert nearby.betters(best) and not nearby.betters(space.top())
    list(nearby.looks())
    assert nearby.least == space.total(best, cost)
    assert [False, False, False] in asked[before:]


# Searches


@so_many(20, fuzz=300)
@given(
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(RULES),
    share=st.sampled_from(SHARES),
    space=st.sampled_from(SPACES),
)
def test_what_is_found_nearby_satisfies_the_policy(
    seed: int, rule: str, share: str, space: str
) -> None:
    found = search(rule, share, table(seed, 12), space)
    found.look_soon()
    if found.best is None:
        return
    before = found.best.total
    found.refine(Deadline())
    assert not found.goes_on_nearby and found.best.total <= before
    withheld = found.best.finding.withheld
    released = found.refuter.as_released(found.best.candidate, withheld)
    assert released.status == "fits"
    assert found.best.withheld_rows <= found.refuter.budget


def cut_short_cost(frame: pd.DataFrame, space: str) -> Fraction:
    """The cost of a release that is found where all searches are cut short."""
    asked = policy("t_closeness(f, 1/3, hierarchical)")
    result = ph.search(frame, asked, hierarchies(), space=space, suppress="1/5")
    assert result.verdict == "undecided" and result.cost is not None
    return result.cost


@pytest.mark.parametrize("space", ["subtrees", "partitions"])
def test_a_search_that_is_cut_short_has_what_is_nearby(space: str) -> None:
    frame = table(0, 40)
    with cut_short(1, rungs=0), pytest.MonkeyPatch.context() as patched:
        found = cut_short_cost(frame, space)
        patched.setattr(LeastSearch, "looks_nearby", False)
        before = cut_short_cost(frame, space)
    assert found < before


def test_each_search_has_its_turns() -> None:
    """The poorer ones first: the richer ones begin with what those have found."""
    turns: list[str] = []
    refine = LeastSearch.refine

    def telling(loop: LeastSearch, until: Deadline) -> None:
        turns.append(loop.space.schemes[0].kind)
        refine(loop, until)

    with cut_short(1, rungs=0), pytest.MonkeyPatch.context() as patched:
        patched.setattr(LeastSearch, "refine", telling)
        cut_short_cost(table(0, 40), "partitions")
    assert turns[:2] == ["subtrees", "partitions"]


@pytest.mark.parametrize("look", ["look_soon", "refine"])
def test_whoever_interrupts_a_poorer_space_keeps_what_it_has_found(look: str) -> None:
    """It is not yet handed on where the interrupt comes."""
    found: list[LeastSearch] = []
    looks = getattr(LeastSearch, look)

    def interrupted(loop: LeastSearch, *given: Any) -> None:
        looks(loop, *given)
        if loop.space.schemes[0].kind == "subtrees" and loop.best is not None:
            found.append(loop)
            raise KeyboardInterrupt

    asked = policy("t_closeness(f, 2/5, ordered)")
    how: Any = {"space": "partitions", "suppress": "1/2"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LeastSearch, look, interrupted)
        result = ph.search(table(3, 30), asked, hierarchies(), **how)
    assert result.reason == "interrupted" and result.cost is not None
    [poorer] = found
    assert poorer.best is not None
    richer = search("t_closeness(f, 2/5, ordered)", "1/2", table(3, 30), "partitions")
    known = embedded(poorer.space, poorer.best.candidate, richer.space)
    assert result.cost <= richer.fraction(richer.total(known))


# Level vectors


@so_many(40, fuzz=800)
@given(
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(
        [
            "beta_likeness(f, 2, reference=original)",
            "t_closeness(f, 2/5, reference=original)",
            "l_diversity(f, 3)",
        ]
    ),
    share=st.sampled_from(SHARES),
)
@example(seed=6, rule="beta_likeness(f, 2, reference=original)", share="1/2")
@example(seed=35, rule="t_closeness(f, 2/5, reference=original)", share="9/10")
@example(seed=7, rule="l_diversity(f, 3)", share="9/10")
def test_level_vectors_are_looked_at_where_nothing_else_was(
    seed: int, rule: str, share: str
) -> None:
    """The way down from the top alone ends in one of twelve at more than the least."""
    frame = table(seed, 14)
    stopped = search(rule, share, frame)
    assert not stopped.looks_soon
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loop, "AFTER", 1000.0)
        stopped.stop(BudgetExceeded("nothing was looked at"))
    least = search(rule, share, frame).least()
    if least is None:
        assert stopped.best is None
    else:
        assert stopped.best is not None
        assert stopped.best.total == least.total
        assert stopped.bound <= least.total


# Wide spaces


@pytest.mark.parametrize("missing", [False, True])
def test_intervals_are_runs_of_neighbours(missing: bool) -> None:
    """As the definition says: all of them, with what their pairs cost."""
    values = ("1", "2", "3", "4", *((None,) if missing else ()))
    scheme = Intervals("q", values)
    places = range(len(values))
    runs = set()
    for low in places:
        for high in places[low:]:
            run = values[low : high + 1]
            # A missing cell stands alone, or with all values.
            if None not in run or len(run) in (1, len(values)):
                runs.add(sum(1 << place for place in range(low, high + 1)))
    everything = 1 << len(values)
    assert {block for block in range(-1, 2 * everything) if scheme.valid(block)} == runs

    weights = [3**unknown for unknown in range(scheme.size)]
    for last, costs in enumerate(scheme.runs(weights)):
        for low, cost in enumerate(costs):
            inside = range(low, last + 1)
            pairs = [scheme.pairs.get(pair) for pair in combinations(inside, 2)]
            assert cost == sum(weights[pair] for pair in pairs if pair is not None)


def without_proposals(rule: str, share: str, frame: pd.DataFrame) -> LeastSearch:
    """A wide search of which the first proposal takes all of the time."""
    wide = search(rule, share, frame, "intervals")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(refining, "MANY", 0)
        patched.setattr(type(wide.master), "probe", out_of_time)
        # What is looked for when the time is over comes later.
        patched.setattr(LeastSearch, "repair", lambda search, candidate: None)
        patched.setattr(LeastSearch, "_descend_from_top", lambda search: None)
        wide.begin(wide.space.top())
        wide.least()
    assert wide.stopped
    return wide


@so_many(30, fuzz=800)
@given(seed=st.integers(0, 10**6), share=st.sampled_from(["0", *SHARES]))
def test_wide_spaces_are_looked_at_before_anything_is_proposed(
    seed: int, share: str
) -> None:
    """There is something finer wherever something finer fits."""
    frame = table(seed, 10)
    rule = "l_diversity(f, 2)"
    least = search(rule, share, frame, "intervals").least()
    wide = without_proposals(rule, share, frame)
    if least is None:
        assert wide.best is None
        return
    assert wide.best is not None
    top = wide.total(wide.space.top())
    assert least.total <= wide.best.total <= top
    assert (wide.best.total < top) == (least.total < top)
    assert wide.refuter.examine(wide.best.candidate).status == "fits"


@pytest.mark.parametrize("seed", range(12))
def test_of_wide_spaces_more_is_looked_at_than_what_is_finer(seed: int) -> None:
    """In five of these the way down from the top ends at more than the least."""
    rule, frame = "l_diversity(f, 2)", table(seed, 10)
    least = search(rule, "1/10", frame, "intervals").least()
    wide = without_proposals(rule, "1/10", frame)
    assert least is not None and wide.best is not None
    assert wide.best.total == least.total


def out_of_time(*given: object) -> None:
    raise BudgetExceeded("the proposal took all of the time")
