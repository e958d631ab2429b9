"""A richer space, or a longer budget, ends with nothing worse; what is shown of a search
that is stopped.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compared_rules import asked
from support.search_oracle import WHOLE
from support.search_questions import (
    COLUMNS,
    TREE,
    Case,
    drawn_about_classes,
    settings,
)
from support.so_many import so_many
from support.stopping import counted

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints import hitting
from phverify.errors import BudgetExceeded
from phverify.generalization import loop
from phverify.generalization.descent import Descent
from phverify.generalization.embedded import embedded
from phverify.generalization.loop import LeastSearch
from phverify.generalization.options import options
from phverify.generalization.space import CodedSpace
from phverify.generalization.steps_down import StepsDown
from phverify.microdata.read import read
from phverify.spec.along import Levels, Subtrees, tree
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Cost, keep_or_suppress
from phverify.spec.together import Intervals, Partitions
from phverify.verbs.prepared_search import prepared

PREPARED = 120
"""Looks at the clock until a second space is prepared, at most."""
RICHER = st.sampled_from(("subtrees", "intervals", "partitions"))


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spaces") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def cost_in(case: Case, looks: int, **more: Any) -> Fraction | None:
    """The cost of the release that a search has found after so many looks."""
    with counted():
        found = case.ask(budget=looks, **more).cost
    assert found is None or isinstance(found, Fraction)
    return found


def no_worse(one: Fraction | None, other: Fraction | None) -> bool:
    return other is None or (one is not None and one <= other)


@so_many(25)
@given(st.data(), st.integers(1, 400))
def test_a_richer_space_is_no_worse(
    lines: Path, data: st.DataObject, looks: int
) -> None:
    """Where levels have found something in the time, so have subtrees."""
    setting = data.draw(settings(4, 9, space="subtrees"))
    case = drawn_about_classes(data.draw, lines, setting)
    try:
        levels = cost_in(case, looks, space="levels")
    except ph.InputError:
        return
    assert no_worse(cost_in(case, looks + PREPARED), levels)


@so_many(25)
@given(st.data(), st.integers(1, 400), st.sampled_from(("1/5", "1/3")))
def test_withheld_beside_the_whole_table_a_richer_space_is_no_worse(
    lines: Path, data: st.DataObject, looks: int, share: str
) -> None:
    setting = data.draw(settings(4, 9, space="subtrees"))
    setting = replace(setting, suppress=Fraction(share))
    case = asked(data.draw, lines, setting)
    try:
        levels = cost_in(case, looks, space="levels")
    except ph.InputError:
        return
    assert no_worse(cost_in(case, looks + PREPARED), levels)


LOOKS = (4, 8, 12, 16, 20, 25, 30, 36, 42, 50, 60, 75, 100, 150)
"""Budgets, in looks at the clock: until the space is prepared, and until it is
searched.
"""


@so_many(27, fuzz=1500)
@given(st.data(), st.sampled_from(("levels", *COLUMNS)), st.booleans(), st.booleans())
def test_a_longer_budget_is_no_worse(
    lines: Path, data: st.DataObject, space: str, withheld: bool, listed: bool
) -> None:
    """What a search shows that is cut short with nothing in hand, a longer one that is
    cut with something shows, too.
    """
    setting = data.draw(settings(6, 14, space=space))
    setting = replace(setting, names=())
    drawn = drawn_about_classes
    if withheld and setting.objective not in WHOLE:
        setting = replace(setting, suppress=Fraction(1, 3))
        drawn = asked
    case = drawn(data.draw, lines, setting)
    more = {"all_minimal": listed and space == "levels"}
    costs = []
    with pytest.MonkeyPatch.context() as patched:
        # What is repaired in a second takes some looks.
        patched.setattr(loop, "AFTER", 10**6)
        for looks in LOOKS:
            costs.append(cost_in(case, looks, **more))
    for shorter, longer in pairwise(costs):
        assert no_worse(longer, shorter), costs


@pytest.mark.parametrize("space", ["subtrees", "intervals"])
def test_the_last_repair_is_the_same_whenever_a_search_is_cut(space: str) -> None:
    """Whatever was examined before: of many violations other ones would be drawn."""
    chance = random.Random(1)
    rows = [[str(chance.randrange(9)) for _ in "qrs"] for _ in range(80)]
    columns = {"quasi": ["q", "r", "s"]}
    types = dict.fromkeys("qrs", "integer")
    builders = {name: {"intervals": [3, 9]} for name in "qrs"}
    own = ph.Policy.from_dict(
        {
            "columns": columns,
            "types": types,
            "hierarchies": builders,
            "rules": {"k": "k_anonymity(3)"},
        }
    )
    tables = read(pd.DataFrame(rows, columns=[*"qrs"]))
    wanted = options(own, space, "loss", 0, None, False, None)
    paths = set()
    for most in (0, 1, 2, 5):
        search = prepared(own, tables, {}, wanted, Deadline(), lambda step: None)
        repaired: list[tuple[bool, ...]] = []
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(LeastSearch, "_tried", cut_after(most, repaired))
            search.least()
        assert search.stopped and search.best is not None
        top = tuple(search.space.top().tolist())
        paths.add(tuple(one for one in repaired if one != top))
    assert len(paths) == 1


def cut_after(most: int, repaired: list[tuple[bool, ...]]) -> Any:
    """Examining that ends after so many candidates; what is examined then is kept."""
    tried = LeastSearch._tried

    def counted_out(search: LeastSearch, candidate: Any) -> Any:
        if search.stopped:
            repaired.append(tuple(candidate.tolist()))
        elif search.examined == most:
            raise BudgetExceeded("enough candidates")
        return tried(search, candidate)

    return counted_out


# Candidates of one space in another


VALUES = ("a", "b", "c", "d", "e")
PATHS = {
    "a": ("a", "ab", "abc", "*"),
    "b": ("b", "ab", "abc", "*"),
    "c": ("c", "c.", "abc", "*"),
    "d": ("d", "de", "de.", "*"),
    "e": ("e", "de", "de.", "*"),
    "z": ("z", "zz", "zz", "*"),
}


def spaces() -> dict[str, Callable[[], Scheme]]:
    grown = tree("q", VALUES, PATHS)
    return {
        "subtrees": lambda: Subtrees("q", VALUES, grown),
        "named": lambda: Subtrees("q", VALUES, grown, True),
        "intervals": lambda: Intervals("q", VALUES),
        "partitions": lambda: Partitions("q", tuple(reversed(VALUES))),
    }


def groups(scheme: Scheme, candidate: Any) -> set[frozenset[str | None]]:
    """The partition of a candidate of one column."""
    blocks = scheme.blocks(candidate.tolist())
    return {
        frozenset(v for v, b in zip(scheme.values, blocks, strict=True) if b == block)
        for block in blocks
    }


@pytest.mark.parametrize("richer", list(spaces()))
@pytest.mark.parametrize("level", range(4))
def test_a_level_is_a_partition_in_every_space(richer: str, level: int) -> None:
    levels = Levels("q", VALUES, tree("q", VALUES, PATHS))
    scheme = spaces()[richer]()
    space = CodedSpace((levels,))
    before = space.vector([level])
    after = embedded(space, before, CodedSpace((scheme,)))
    assert groups(scheme, after) == groups(levels, before)
    one = scheme.decisions
    solution = scheme.solution(after.tolist())
    assert len(after) == one
    assert all(
        any(solution[abs(x) - 1] == (x > 0) for x in clause)
        for clause in scheme.constraints()
    )


def test_what_no_interval_holds_becomes_coarser() -> None:
    paths = {"a": ("a", "ac"), "b": ("b", "b."), "c": ("c", "ac")}
    levels = Levels("q", ("a", "b", "c"), tree("q", ("a", "b", "c"), paths))
    space = CodedSpace((levels,))
    runs = Intervals("q", ("a", "b", "c"))
    after = embedded(space, space.vector([1]), CodedSpace((runs,)))
    # Of neighbours none share a block: the values apart are not joined.
    assert groups(runs, after) == {frozenset("a"), frozenset("b"), frozenset("c")}


def test_equal_numbers_are_in_the_order_of_their_texts() -> None:
    """07, 7, 8: nothing can join 07 and 8 alone."""
    frame = pd.DataFrame({"n": ["7", "8", "07", "7"]})
    asked = {
        "columns": {"quasi": ["n"]},
        "types": {"n": "integer"},
        "rules": {"r": "k_anonymity(2)"},
    }
    found = ph.search(frame, asked, space="intervals")
    assert (found.verdict, found.cost) == ("optimal", 1)


def test_columns_that_are_kept_or_suppressed() -> None:
    given = keep_or_suppress(VALUES)
    levels = Levels("q", VALUES, tree("q", VALUES, given))
    space = CodedSpace((levels,))
    runs = Intervals("q", VALUES)
    after = embedded(space, space.top(), CodedSpace((runs,)))
    assert groups(runs, after) == {frozenset(VALUES)}


# From a candidate downwards


@so_many(60)
@given(st.data(), st.sampled_from(list(spaces())), st.integers(0, 999))
def test_a_descent_stays_in_the_space(
    data: st.DataObject, kind: str, seed: int
) -> None:
    """Each step is a finer candidate, and none is tried twice."""
    scheme = spaces()[kind]()
    space = CodedSpace((scheme,))
    chance = np.random.default_rng(seed)
    tried: list[bytes] = []

    def satisfies(candidate: Any) -> bool:
        tried.append(candidate.tobytes())
        return bool(chance.random() < 0.6)

    weights = tuple(range(1, scheme.size + 1))
    steps_down = StepsDown(space, Cost(weights, 1))
    descent = Descent(steps_down, space.top(), satisfies)
    before = space.top()
    for looked, after in enumerate(descent.steps(), start=1):
        assert len(tried) == looked
        if (after == before).all():
            continue
        assert not (after & ~before).any()
        assert tried[-1] == after.tobytes()
        blocks = scheme.blocks(after.tolist())
        assert all(map(scheme.valid, blocks))
        again = scheme.solution(after.tolist())[: scheme.decisions]
        assert again == after.tolist()
        before = after
    assert len(tried) == len(set(tried))


# What used to end with everything suppressed


def test_where_levels_do_better_than_what_repairs_find() -> None:
    """Whoever withholds little small classes has a release at once."""
    rows = [(f"x{k}", "ab"[k % 2], "uv"[k % 2]) for k in range(12)]
    rows += [(f"y{k // 6}", "ab"[k % 2], "u") for k in range(24)]
    frame = pd.DataFrame(rows, columns=["q", "f", "r"])
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q", "r"], "sensitive": ["f"]},
            "rules": {"k": "k_anonymity(2)", "close": "t_closeness(f, 0.2)"},
        }
    )
    costs = []
    for space in ("levels", "subtrees"):
        result = ph.search(frame, policy, space=space, suppress="1/3")
        assert result.verdict == "optimal"
        costs.append(result.cost)
    assert costs[1] <= costs[0] < 1


def test_ctrl_c_waits_for_the_solver_to_be_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is left halfway could not be imported any more, and the answer needs it."""
    steps: list[str] = []

    def loaded(name: str) -> None:
        steps.append("begun")
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("done")

    monkeypatch.setattr(hitting, "import_module", loaded)
    with pytest.raises(KeyboardInterrupt):
        hitting.available()
    assert steps == ["begun", "done"]
