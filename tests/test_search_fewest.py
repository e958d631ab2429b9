"""Of all level vectors of the least cost the one is released that withholds the fewest
records: in a search by itself and at each point of a tradeoff.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, compress, product
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import oracle
from support.so_many import so_many

import phverify as ph
from phverify.errors import BudgetExceeded
from phverify.generalization.refute import Refuter
from phverify.microdata.hierarchy import Hierarchy

QUASI = ("p", "q", "r")
AGES = [str(number) for number in range(8)]
LINES = {age: (age, f"{int(age) // 2}/2", f"{int(age) // 4}/4", "*") for age in AGES}
PATHS: Any = {name: Hierarchy(name, LINES) for name in QUASI}
Row = tuple[str, ...]
Rule = tuple[str, int]


def table(seed: int, rows: int) -> list[Row]:
    """Rows of three quasi-identifiers and a sensitive value."""
    chance = random.Random(seed)
    found = []
    for _ in range(rows):
        shown = [chance.choice(AGES) for _ in QUASI]
        found.append((*shown, chance.choice("aabbcd")))
    return found


def policy(rules: dict[str, str]) -> ph.Policy:
    columns = {"quasi": list(QUASI), "sensitive": ["f"]}
    return ph.Policy.from_dict({"columns": columns, "rules": rules})


def cost(rows: list[Row], levels: tuple[int, ...], objective: str) -> Fraction:
    """The height or the loss of a level vector."""
    if objective == "height":
        return Fraction(sum(levels))
    # Of eight lines a node of level n has 2^n.
    lost = sum(Fraction(2**level - 1, 7) for level in levels)
    return lost / len(QUASI)


def withheld(rows: list[Row], levels: tuple[int, ...], rules: list[Rule]) -> int:
    """The records of classes that break a rule, in a level vector."""
    classes: dict[Row, list[str]] = {}
    for *shown, secret in rows:
        at_levels = zip(shown, levels, strict=True)
        box = tuple(LINES[age][level] for age, level in at_levels)
        classes.setdefault(box, []).append(secret)
    lost = 0
    for secrets in classes.values():
        measured = {"k": len(secrets), "l": len(Counter(secrets))}
        if any(measured[name] < number for name, number in rules):
            lost += len(secrets)
    return lost


def best(
    rows: list[Row], rules: list[Rule], share: Fraction, objective: str
) -> tuple[Fraction, int, int] | None:
    """The least cost, the fewest records withheld for it, and the least steps."""
    found = []
    for levels in product(range(4), repeat=len(QUASI)):
        lost = withheld(rows, levels, rules)
        # With every record withheld nothing is left to release.
        if lost <= int(share * len(rows)):
            found.append((cost(rows, levels, objective), lost, sum(levels)))
    return min(found, default=None)


SHARES = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)])


@so_many(40, fuzz=1500)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(2, 24),
    k=st.integers(2, 6),
    several=st.integers(1, 3),
    share=SHARES,
    objective=st.sampled_from(["height", "loss"]),
)
@example(seed=25, count=12, k=2, several=1, share=Fraction(1, 2), objective="loss")
def test_a_search_withholds_the_fewest(
    seed: int, count: int, k: int, several: int, share: Fraction, objective: str
) -> None:
    rows = table(seed, count)
    frame = pd.DataFrame(rows, columns=[*QUASI, "f"])
    rules = policy({"k": f"k_anonymity({k})", "l": f"l_diversity(f, {several})"})
    found = ph.search(frame, rules, PATHS, objective=objective, suppress=share)
    wanted = best(rows, [("k", k), ("l", several)], share, objective)
    if wanted is None:
        assert found.verdict == "infeasible"
        return
    assert found.verdict == "optimal"
    assert found.levels is not None
    steps = sum(found.levels.values())
    assert (found.cost, found.suppressed, steps) == wanted
    assert len(found.release) == len(rows) - found.suppressed
    again = ph.search(frame, rules, PATHS, objective=objective, suppress=share)
    assert again.levels == found.levels


@so_many(8, fuzz=300)
@given(
    seed=st.integers(0, 10**6),
    varying=st.sampled_from("kl"),
    share=SHARES,
    objective=st.sampled_from(["height", "loss"]),
)
@example(seed=22, varying="k", share=Fraction(1, 4), objective="height")
def test_points_of_a_tradeoff_withhold_the_fewest(
    seed: int, varying: str, share: Fraction, objective: str
) -> None:
    rows = table(seed, 20)
    frame = pd.DataFrame(rows, columns=[*QUASI, "f"])
    rules = policy({"k": "k_anonymity(2)", "l": "l_diversity(f, 1)"})
    told: Any = {varying: "2..7" if varying == "k" else "1..4"}
    asked: Any = {"objective": objective, "suppress": share}
    curve = ph.tradeoff(frame, rules, PATHS, **told, **asked)
    for point in curve.points:
        numbers = {"k": 2, "l": 1, varying: int(point.value)}
        wanted = best(rows, [*numbers.items()], share, objective)
        if wanted is None:
            assert point.verdict == "infeasible"
        else:
            assert (point.cost, point.suppressed) == wanted[:2]


# Where classes are compared with what is released, which ones go is a choice

Ways = dict[tuple[int, ...], int]
"""The level vectors that satisfy a policy, with the fewest records withheld."""


def fewest_of_all_sets(rows: list[Row], tests: list[oracle.Test], budget: int) -> Ways:
    """By trying all sets of classes, which are compared with those that are left."""
    found: Ways = {}
    for levels in product(range(4), repeat=2):
        classes: dict[Row, list[str]] = {}
        for p, q, _, secret in rows:
            box = tuple(
                LINES[age][level] for age, level in zip((p, q), levels, strict=True)
            )
            classes.setdefault(box, []).append(secret)
        kept = kept_records([*classes.values()], tests, len(rows) - budget)
        if kept is not None:
            found[levels] = len(rows) - kept
    return found


def kept_records(
    classes: list[list[str]], tests: list[oracle.Test], least: int
) -> int | None:
    """The most records of classes that may be released together, ``least`` at least."""
    most = None
    for choice in product((True, False), repeat=len(classes)):
        released = [*compress(classes, choice)]
        whole = Counter(chain.from_iterable(released))
        records = whole.total()
        if not records or records < max(least, most or 0):
            continue
        if all(test(Counter(one), whole) for one in released for test in tests):
            most = records
    return most


@so_many(60, fuzz=2000)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(2, 9),
    t=st.sampled_from(["0", "1/4", "1/3", "1/2"]),
    either=st.booleans(),
    lists=st.booleans(),
    share=st.sampled_from(["1/3", "1/2", "4/5"]),
    objective=st.sampled_from(["height", "loss"]),
)
@example(197, 9, "0", False, True, "4/5", "loss")
@example(57, 8, "0", False, False, "1/2", "height")
def test_of_all_sets_of_classes_the_fewest_records_are_withheld(
    seed: int, count: int, t: str, either: bool, lists: bool, share: str, objective: str
) -> None:
    rows = table(seed, count)
    close = oracle.variational(Fraction(t))
    large = oracle.k_anonymous(2)
    if either:
        asked = {"either": f"k_anonymity(2) | t_closeness(f, {t})"}
        tests: list[oracle.Test] = [lambda a, b: large(a, b) or close(a, b)]
    else:
        asked = {"close": f"t_closeness(f, {t})"}
        tests = [close]
    frame = pd.DataFrame([(p, q, f) for p, q, _, f in rows], columns=["p", "q", "f"])
    columns = {"quasi": ["p", "q"], "sensitive": ["f"]}
    rules = ph.Policy.from_dict({"columns": columns, "rules": asked})
    paths: Any = {name: PATHS[name] for name in ("p", "q")}
    how: Any = {"objective": objective, "suppress": share, "all_minimal": lists}
    found = ph.search(frame, rules, paths, **how)
    ways = fewest_of_all_sets(rows, tests, int(Fraction(share) * count))
    assert found.verdict == "optimal"
    least = min(cost([], levels, objective) for levels in ways)
    costs_least = [v for v in ways if cost([], v, objective) == least]
    assert found.suppressed == min(ways[levels] for levels in costs_least)
    assert len(found.release) == count - found.suppressed
    for one in found.candidates:
        assert one.withheld == ways[one.levels["p"], one.levels["q"]]


# A search that ends while it compares


def three() -> pd.DataFrame:
    """By one step of p two records are withheld, by one of q one."""
    rows = ["00a", "10a", "20a", "21a", "30a", "31a", "40a", "40a"]
    return pd.DataFrame([[*row] for row in rows], columns=["p", "q", "f"])


def asked_of_three() -> Any:
    columns = {"quasi": ["p", "q"], "sensitive": ["f"]}
    rules = ph.Policy.from_dict({"columns": columns, "rules": {"k": "k_anonymity(2)"}})
    paths: Any = {name: PATHS[name] for name in ("p", "q")}
    return ph.search(three(), rules, paths, objective="height", suppress="1/4")


def test_the_first_of_one_cost_is_not_the_last_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = asked_of_three()
    assert (found.cost, found.suppressed) == (1, 0)

    def out_of_time(*_: Any) -> Iterator[Any]:
        raise BudgetExceeded("no time")

    with monkeypatch.context() as patched:
        patched.setattr(Refuter, "may_withhold_fewer", out_of_time)
        late = asked_of_three()
    assert (late.verdict, late.cost, late.suppressed) == ("optimal", 1, 2)

    def interrupted(*_: Any) -> Iterator[Any]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Refuter, "may_withhold_fewer", interrupted)
        stopped = asked_of_three()
    assert (stopped.cost, stopped.reason) == (1, "interrupted")
