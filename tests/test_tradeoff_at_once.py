"""Points that are decided together, and points whose withheld records are charged: each
is what all level vectors say with all sets of classes withheld.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.at_once_runs import runs_noted
from support.so_many import so_many
from test_tradeoff import TREES, Rows, _kept, drawn, holds, policy

import phverify as ph
from phverify.budget import Deadline
from phverify.cli.main import main
from phverify.errors import BudgetExceeded, Defect
from phverify.generalization.at_once import AtOnce
from phverify.generalization.every_vector import from_above
from phverify.generalization.numbers import VaryingPart
from phverify.microdata.hierarchy import Hierarchy
from phverify.verbs.tradeoff_at_once import PointsAtOnce

PATHS: Any = {}
for column, tree in TREES.items():
    lines = {value: (value, above, "*") for value, above in tree.items()}
    PATHS[column] = Hierarchy(column, lines)
FORMS = {
    "k": "k_anonymity({})",
    "l": "l_diversity(ill, {})",
    "t": "t_closeness(ill, {})",
    "original": "t_closeness(ill, {}, reference=original)",
}
PARAMETERS = {"k": "k", "l": "l", "t": "t", "original": "t"}
VALUES = {"k": "1..9", "l": "1..4", "t": "0,0.1,0.2,0.25,0.4,0.5,0.7"}
ONE, TWO = Fraction(1), Fraction(2)
OTHERS = {"": ONE, "k": TWO, "l": TWO, "t": Fraction(1, 3), "original": Fraction(1, 3)}


def satisfying(
    rows: Rows, asked: dict[str, Fraction], budget: int
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Every level vector with every set of classes withheld that satisfies the rules:
    the levels, and the sizes of the released classes.
    """
    everybody = [row["ill"] for row in rows]
    for levels in product(range(3), repeat=len(TREES)):
        shown = []
        for row in rows:
            cells = []
            for (name, tree), level in zip(TREES.items(), levels, strict=True):
                cells.append((row[name], tree[row[name]], "*")[level])
            shown.append(tuple(cells))
        pairs = list(zip(everybody, shown, strict=True))
        for kept in _kept(shown, budget):
            released = [ill for ill, cells in pairs if cells in kept]
            groups = [[ill for ill, cells in pairs if cells == key] for key in kept]
            if _satisfy(groups, asked, released, everybody):
                yield levels, [len(group) for group in groups]


def _satisfy(
    groups: Sequence[Sequence[str]],
    asked: dict[str, Fraction],
    released: Sequence[str],
    everybody: Sequence[str],
) -> bool:
    for name, value in asked.items():
        whole = everybody if name == "original" else released
        kind = "t" if name == "original" else name
        if not all(holds(kind, value, group, whole) for group in groups):
            return False
    return True


def price(levels: tuple[int, ...], sizes: list[int], rows: int, by: str) -> Fraction:
    """The cost of a release, by the definitions: of four values of a column one is
    itself, two are joined, or all are.
    """
    out = rows - sum(sizes)
    losses = [Fraction((0, 1, 3)[level], 3) for level in levels]
    precisions = [Fraction(level, 2) for level in levels]
    lost = {"loss": losses, "precision": precisions}.get(by.split()[0], [])
    if by.endswith("charged"):
        kept = Fraction(sum(sizes), rows) * sum(lost) / len(levels)
        return kept + Fraction(out, rows)
    if lost:
        return sum(lost, Fraction(0)) / len(levels)
    if by == "height":
        return Fraction(sum(levels))
    if by == "class-size":
        return Fraction(rows, max(len(sizes), 1))
    if by == "discernibility":
        return Fraction(sum(size**2 for size in sizes) + out * rows)
    leaves = [(1, 2, 4)[level] for level in levels]
    return Fraction(sum(sizes) * leaves[0] * leaves[1] + out * 16, rows)


OBJECTIVES = (
    "loss",
    "height",
    "precision",
    "loss charged",
    "precision charged",
    "discernibility",
    "ambiguity",
    "class-size",
)


@so_many(40, fuzz=2000)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(5, 11),
    varying=st.sampled_from(["k", "k", "l", "t", "original"]),
    other=st.sampled_from(sorted(OTHERS)),
    share=st.sampled_from(["0", "1/5", "1/3"]),
    by=st.sampled_from(OBJECTIVES),
    checked=st.integers(0, 8),
)
def test_each_point_is_the_least_of_all_releases(
    seed: int, count: int, varying: str, other: str, share: str, by: str, checked: int
) -> None:
    rows = drawn(seed, count)
    budget = int(Fraction(share) * count)
    parameter = PARAMETERS[varying]
    fixed = (
        {} if PARAMETERS.get(other, parameter) == parameter else {other: OTHERS[other]}
    )
    rules = {name: FORMS[name].format(value) for name, value in fixed.items()}
    rules[varying] = FORMS[varying].format(1)
    whole_table = {"t", "original"} & {varying, other}
    if by == "class-size" and whole_table:
        by = "loss"
    asked: dict[str, Any] = {
        "objective": by.split()[0],
        "suppress": share,
        "charge_withheld": by.endswith("charged"),
    }
    frame, whole = pd.DataFrame(rows), policy(**rules)
    found = ph.tradeoff(frame, whole, PATHS, **{parameter: VALUES[parameter]}, **asked)
    for place, point in enumerate(found.points):
        every = []
        for levels, sizes in satisfying(rows, {**fixed, varying: point.value}, budget):
            out = count - sum(sizes)
            every.append((price(levels, sizes, count, by), out, sum(levels), levels))
        if point.verdict == "undecided":
            assert budget and whole_table
            continue
        least = min(every, default=None)
        assert point.verdict == ("infeasible" if least is None else "optimal")
        if least is None:
            continue
        assert point.cost == point.bound == least[0]
        if by in ("loss", "height", "precision"):
            assert point.suppressed == least[1]
        if place == checked % len(found.points):
            _alone(frame, point, rules, varying, asked)


def _alone(
    frame: pd.DataFrame, point: Any, rules: dict[str, str], varying: str, asked: Any
) -> None:
    """What a point says that is looked at is what a search by itself says, and its
    certificate is accepted.
    """
    own = policy(**{**rules, varying: FORMS[varying].format(point.value)})
    alone = ph.search(frame, own, PATHS, **asked)
    answer = point.answer
    assert alone.cost == point.cost == answer.cost
    if asked["objective"] in ("loss", "height", "precision"):
        assert answer.suppressed == point.suppressed
    if point.taken is None and not asked["charge_withheld"]:
        assert answer.levels == alone.levels or asked["suppress"] != "0"
    if answer.certificate is not None:
        said = answer.explored.judge.policy
        assert ph.check(answer.certificate, frame, said, PATHS).accepted


# Larger tables, against searches by themselves

AGES = [str(number) for number in range(8)]
DEEP = {age: (age, f"{int(age) // 2}/2", f"{int(age) // 4}/4", "*") for age in AGES}
NAMES = ("p", "q", "r")
DEEPER: Any = {name: Hierarchy(name, DEEP) for name in NAMES}
KINDS = "1;few;*\n2;few;*\n3;many;*\n4;many;*\n"


def table(seed: int, rows: int) -> pd.DataFrame:
    chance = random.Random(seed)
    cells: list[dict[str, str]] = []
    for _ in range(rows):
        row = {name: str(min(chance.choice(range(8)), 7)) for name in NAMES}
        cells.append({**row, "f": chance.choice("aabbcd")})
    return pd.DataFrame(cells)


def deep(**rules: str) -> ph.Policy:
    columns = {"quasi": list(NAMES), "sensitive": ["f"]}
    return ph.Policy.from_dict({"columns": columns, "rules": rules})


@pytest.mark.parametrize("objective", ["loss", "height"])
@pytest.mark.parametrize(
    "other",
    [
        "",
        "l_diversity(f, 2)",
        "t_closeness(f, 0.3, reference=original)",
        "entropy_l_diversity(f, 2)",
    ],
)
def test_points_are_what_searches_by_themselves_find(
    objective: str, other: str
) -> None:
    frame = table(4, 150)
    more = {"other": other} if other else {}
    asked: dict[str, Any] = {"objective": objective, "suppress": "0.08"}
    rules = deep(k="k_anonymity(2)", **more)
    found = ph.tradeoff(frame, rules, DEEPER, k="2..24", **asked)
    for point in found.points:
        own = deep(k=f"k_anonymity({point.value})", **more)
        alone = ph.search(frame, own, DEEPER, **asked)
        assert (point.verdict, point.cost) == (alone.verdict, alone.cost)
        assert point.suppressed == alone.suppressed
        assert point.classes == len(alone.release.groupby(list(NAMES)))
    assert {point.verdict for point in found.points} == {"optimal"}
    # None of them was searched by itself.
    assert all(point.seconds == 0 for point in found.points)


@pytest.mark.parametrize(
    ("rule", "parameter", "values", "shares"),
    [
        ("alpha_k_anonymity(f, 0.7, {})", "k", "1..20", "0 0.15"),
        ("p_sensitive_k_anonymity(2, {})", "k", "2..20", "0 0.15"),
        ("entropy_l_diversity(f, {})", "l", "1,1.5,2,2.5,3,3.9", "0 0.15"),
        ("recursive_l_diversity(f, 2, {})", "l", "1..4", "0 0.15"),
        ("t_closeness(f, {})", "t", "0.05,0.1,0.2,0.21,0.3,0.5,1", "0"),
        ("t_closeness(f, {}, ordered)", "t", "0.05,0.1,0.2,0.21,0.3,0.5,1", "0"),
        ("t_closeness(f, {}, hierarchical)", "t", "0.05,0.1,0.2,0.21,0.3,0.5", "0"),
        (
            "t_closeness(f, {}, reference=original)",
            "t",
            "0.05,0.1,0.2,0.3,0.5",
            "0 0.15",
        ),
    ],
)
def test_numbers_are_asked_of_all_classes_one_after_the_other(
    rule: str,
    parameter: str,
    values: str,
    shares: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = runs_noted(monkeypatch)
    frame = table(4, 90)
    frame["f"] = frame["f"].map(dict(zip("abcd", "1234", strict=True)))
    tree = tmp_path / "f.csv"
    tree.write_text(KINDS)

    def asked(number: object) -> ph.Policy:
        said: dict[str, Any] = {
            "columns": {"quasi": list(NAMES), "sensitive": ["f"]},
            "types": {"f": "integer"},
            "hierarchies": {"f": str(tree)},
            "rules": {"r": rule.format(number)},
        }
        return ph.Policy.from_dict(said)

    for share in shares.split():
        # Where records may be withheld each release has another whole table.
        how: Any = {parameter: values, "suppress": share}
        found = ph.tradeoff(frame, asked(1), DEEPER, **how)
        assert len(runs.pop().least) and not runs
        for place, point in enumerate(found.points):
            own = asked(point.value)
            alone = ph.search(frame, own, DEEPER, suppress=share)
            assert (point.verdict, point.cost) == (alone.verdict, alone.cost)
            assert point.suppressed == alone.suppressed
            if place % 3 == 1 and point.cost is not None:
                assert ph.check(point.answer.certificate, frame, own, DEEPER).accepted


def test_an_answer_is_made_when_it_is_looked_at() -> None:
    frame = table(6, 90)
    found = ph.tradeoff(frame, deep(k="k_anonymity(2)"), DEEPER, k="2..9,95")
    assert [point.verdict for point in found.points] == ["optimal"] * 8 + ["infeasible"]
    last = found.points[-1].answer
    assert last.verdict == "infeasible" and last.checks.verdict == "refuted"
    for point in found.points[:-1]:
        answer = point.answer
        assert answer is point.answer
        assert (answer.verdict, answer.cost) == ("optimal", point.cost)
        assert answer.explored.judge.policy.rules["k"] == f"k_anonymity({point.value})"
        smallest = answer.release.groupby(list(NAMES)).size().min()
        assert smallest >= point.value
        rules = deep(k=f"k_anonymity({point.value})")
        assert ph.check(answer.certificate, frame, rules, DEEPER).accepted


def searched(monkeypatch: pytest.MonkeyPatch, **asked: Any) -> list[AtOnce]:
    """The searches for all numbers at once that a tradeoff runs."""
    runs = runs_noted(monkeypatch)
    ph.tradeoff(table(5, 120), deep(k="k_anonymity(2)"), DEEPER, **asked)
    return runs


def test_a_bound_that_is_too_high_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    [run] = searched(monkeypatch, k="2..20", suppress="0.1")
    run.confirm()
    vector = next(
        v for v, said in run.vectors.known.items() if said.finer < len(run.least)
    )
    without = {key: said for key, said in run.vectors.known.items() if key != vector}
    run.vectors.known, every = without, run.vectors.known
    with pytest.raises(Defect, match="cheaper level vector"):
        for place in reversed(range(len(run.least))):
            # What is cheaper than this one was ruled out by some vector.
            rest = {v: s for v, s in every.items() if s.finer > place}
            run.vectors.known = rest
            run.confirm()


def test_each_vector_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Any] = []
    satisfied = VaryingPart.satisfied

    def noted(part: VaryingPart, view: Any, number: int) -> Any:
        counted.append(view.truth)
        return satisfied(part, view, number)

    monkeypatch.setattr(VaryingPart, "satisfied", noted)
    [run] = searched(monkeypatch, k="2..40", suppress="0.1", objective="height")
    assert len(counted) == len(set(counted)) == len(run.vectors.known)
    for vector, said in run.vectors.known.items():
        view = run.search.refuter.judge.view(run.search.space.vector(vector))
        for place, number in enumerate(run.varying.numbers):
            rows = sum(size for size in view.quotient.sizes.tolist() if size < number)
            assert said.withheld[place] == said.lasting[place] == rows
            assert (rows <= 12) == (place < said.first) == (place < said.finer)


@pytest.mark.parametrize("shape", [(3, 4, 2), (5,), (1,), (1, 3)])
def test_what_is_known_of_what_is_more_general(shape: tuple[int, ...]) -> None:
    chance = np.random.default_rng(1)
    known = chance.integers(0, 50, shape)
    least = from_above(np.minimum, known)
    for vector in product(*map(range, known.shape)):
        above = tuple(slice(level, None) for level in vector)
        assert least[vector] == known[above].min()


@pytest.mark.parametrize("objective", ["loss", "height"])
@pytest.mark.parametrize("suppress", ["0", "1/4"])
def test_of_one_column(objective: str, suppress: str) -> None:
    name = NAMES[0]
    columns = {"quasi": [name], "sensitive": ["f"]}
    frame = table(3, 20)[[name, "f"]]

    def asked(k: object) -> ph.Policy:
        rules = {"k": f"k_anonymity({k})"}
        return ph.Policy.from_dict({"columns": columns, "rules": rules})

    given = {name: DEEPER[name]}
    how: Any = {"suppress": suppress, "objective": objective}
    for point in ph.tradeoff(frame, asked(2), given, k="2..21", **how).points:
        alone = ph.search(frame, asked(point.value), hierarchies=given, **how)
        assert (point.verdict, point.cost) == (alone.verdict, alone.cost)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, BudgetExceeded])
def test_what_is_left_is_searched_by_itself(
    monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """All that was decided stays as it is."""
    look = AtOnce._look_at

    def few(one: AtOnce, place: int, number: int) -> None:
        if len(one.least) >= 3:
            raise stop("late")
        look(one, place, number)

    monkeypatch.setattr(AtOnce, "_look_at", few)
    rules = deep(k="k_anonymity(2)")
    found = ph.tradeoff(table(5, 60), rules, DEEPER, k="2..30", budget=60)
    verdicts = [point.verdict for point in found.points]
    assert verdicts[:3] == ["optimal"] * 3
    if stop is KeyboardInterrupt:
        assert verdicts[-1] == "undecided"
        assert "interrupted" in found.points[-1].reason
    else:
        assert set(verdicts) == {"optimal"}


def test_points_are_decided_together_where_that_is_possible() -> None:
    kinds = {
        ("k_anonymity(2)", "0.1"): True,
        ("l_diversity(f, 2) & k_anonymity(2)", "0.1"): True,
        ("k_anonymity(2) & !(@i1 [a0] f = a)", "0.1"): False,
        ("alpha_k_anonymity(f, 0.9, 2)", "0"): True,
        ("alpha_k_anonymity(f, 0.9, 2)", "0.1"): True,
        ("k_anonymity(2) & t_closeness(f, 0.4)", "0"): True,
        ("k_anonymity(2) & t_closeness(f, 0.4)", "0.1"): False,
        ("k_anonymity(2) & t_closeness(f, 0.4, reference=original)", "0.1"): True,
    }
    decided = PointsAtOnce.decided
    for (rule, share), wanted in kinds.items():
        together: list[int] = []

        def noted(points: Any, deadline: Deadline, tell: Any) -> Any:
            found = decided(points, deadline, tell)
            together.append(len(found[0]))  # noqa: B023
            return found

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(PointsAtOnce, "decided", noted)
            frame, rules = table(2, 40), deep(k=rule)
            ph.tradeoff(frame, rules, DEEPER, k="2..5", suppress=share)
        assert together == [4 if wanted else 0], rule


# Charged, from the command line


def test_withheld_records_are_charged_along_a_curve(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame(drawn(3, 12)).to_csv(path, index=False)
    rules = ["--quasi", "age,zip", "--sensitive", "ill", "--rule", "k_anonymity(2)"]
    asked = ["search", str(path), *rules, "--tradeoff", "k=2..4", "--suppress", "1/4"]
    assert main([*asked, "--charge-withheld"]) == 0
    shown = capsys.readouterr().out
    assert "each withheld record loses 1 in every column" in shown
    for more, message in (
        (["--space", "tuples"], "by tuples withheld records cost nothing"),
        (["--space", "subtrees"], "charged in the space levels"),
        (["--objective", "height"], "no height of its own"),
        (["--objective", "discernibility"], "charges withheld records as it is"),
    ):
        assert main([*asked, "--charge-withheld", *more]) == 2
        assert message in capsys.readouterr().err
