"""``tradeoff``: each point is what a brute-force search finds, and points use each other
only where that is right.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, said
from support.search_oracle import Domain, Judge
from support.so_many import sampled
from support.tuples_oracle import TupleQuestion

import phverify as ph
from phverify.budget import Deadline
from phverify.cli.main import main
from phverify.errors import Defect
from phverify.verbs.tradeoff_answers import better, weighed
from phverify.verbs.tradeoff_points import TradeoffSearch
from phverify.verbs.varied import in_turn, values_of, varied

TREES = {
    "age": {"20": "2*", "25": "2*", "31": "3*", "38": "3*"},
    "zip": {"11": "1*", "12": "1*", "21": "2*", "22": "2*"},
}
ILLS = ("a", "b", "c")
Rows = list[dict[str, str]]


def drawn(seed: int, count: int) -> Rows:
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        row = {name: chance.choice(list(tree)) for name, tree in TREES.items()}
        rows.append({**row, "ill": chance.choice(ILLS)})
    return rows


def files(folder: Path) -> dict[str, Path]:
    """The hierarchies as files."""
    named = {}
    for name, tree in TREES.items():
        named[name] = folder / f"{name}.csv"
        lines = [f"{value};{up};*\n" for value, up in tree.items()]
        named[name].write_text("".join(lines), encoding="utf-8")
    return named


def policy(**rules: str) -> dict[str, Any]:
    columns = {"quasi": list(TREES), "sensitive": ["ill"]}
    return {"columns": columns, "rules": rules}


def holds(
    name: str, value: Fraction, group: Sequence[str], whole: Sequence[str]
) -> bool:
    """A criterion of a class's confidential values, by its definition."""
    if name == "k":
        return len(group) >= value
    if name == "l":
        return len(set(group)) >= value
    here, there = Counter(group), Counter(whole)
    distance = sum(
        (abs(Fraction(here[v], len(group)) - Fraction(there[v], len(whole))))
        for v in there
    )
    return distance / 2 <= value


def least(
    rows: Rows, asked: Mapping[str, Fraction], withheld: int = 0
) -> Fraction | None:
    """The least loss over all level vectors, and all ways to withhold classes."""
    best = None
    for levels in itertools.product(range(3), repeat=len(TREES)):
        shown = []
        loss = Fraction(0)
        for row in rows:
            cells = []
            for (name, tree), level in zip(TREES.items(), levels, strict=True):
                cells.append((row[name], tree[row[name]], "*")[level])
                # of four values: itself, two, or all of them
                loss += Fraction((0, 1, 3)[level], 3)
            shown.append(tuple(cells))
        loss /= len(rows) * len(TREES)
        if (best is None or loss < best) and _releasable(rows, shown, asked, withheld):
            best = loss
    return best


def _releasable(
    rows: Rows, shown: Sequence[Any], asked: Mapping[str, Fraction], withheld: int
) -> bool:
    for kept in _kept(shown, withheld):
        whole = [
            row["ill"] for row, cells in zip(rows, shown, strict=True) if cells in kept
        ]
        groups = []
        for key in kept:
            pairs = zip(rows, shown, strict=True)
            groups.append([row["ill"] for row, cells in pairs if cells == key])
        if all(
            holds(name, value, group, whole)
            for name, value in asked.items()
            for group in groups
        ):
            return True
    return False


def _kept(shown: Sequence[Any], withheld: int) -> Iterator[set[Any]]:
    sizes = Counter(shown)
    for count in range(len(sizes)):
        for gone in itertools.combinations(sizes, count):
            if sum(sizes[key] for key in gone) <= withheld:
                yield set(sizes) - set(gone)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("varying", "values", "other"),
    [
        ("k", "1..9", {"l": "2"}),
        ("l", "1..4", {"k": "2"}),
        ("t", "0, 0.1, 0.3, 1/2, 1", {"k": "2"}),
    ],
)
def test_each_point_is_the_least(
    tmp_path: Path, seed: int, varying: str, values: str, other: dict[str, str]
) -> None:
    rows = drawn(seed, 9)
    forms = {"k": "k_anonymity({})", "l": "l_diversity(ill, {})"}
    forms["t"] = "t_closeness(ill, {})"
    rules = {name: forms[name].format(value) for name, value in other.items()}
    rules[varying] = forms[varying].format("1")
    share = Fraction(seed % 3, 9)
    table = tmp_path / "t.csv"
    pd.DataFrame(rows).to_csv(table, index=False)
    result = ph.tradeoff(
        table, policy(**rules), files(tmp_path), suppress=share,
        engine=("pandas", "duckdb")[seed % 2],
        **{varying: values},  # type: ignore[arg-type]
    )  # fmt: skip
    fixed = {name: Fraction(value) for name, value in other.items()}
    assert [point.value for point in result.points] == sorted(
        values_of(varying, values), reverse=varying == "t"
    )
    for point in result.points:
        expected = least(rows, {**fixed, varying: point.value}, int(share * 9))
        assert point.cost == expected, point
        assert point.verdict == ("infeasible" if expected is None else "optimal")
        assert point.bound == expected
    # the stricter the dearer
    costs = [point.cost for point in result.points if point.cost is not None]
    assert costs == sorted(costs)


@pytest.mark.parametrize("seed", sampled(range(2), 2))
def test_releases_by_tuples_are_between_bound_and_least(
    tmp_path: Path, seed: int
) -> None:
    rows = drawn(seed, 5)
    frame = pd.DataFrame(rows)
    given = {"hierarchies": files(tmp_path), "space": "tuples", "budget": 60}
    result = ph.tradeoff(frame, policy(k="k_anonymity(2)"), k="1..6", **given)  # type: ignore[arg-type]
    domains = {}
    for name, tree in TREES.items():
        lines = {value: (value, up, "*") for value, up in tree.items()}
        domains[name] = Domain(frozenset(row[name] for row in rows), lines)
    weights = dict.fromkeys(domains, Fraction(1))
    for point in result.points:
        size = int(point.value)

        def large(
            inside: Sequence[Any], whole: Sequence[Any], size: int = size
        ) -> bool:
            return len(inside) >= size

        judge = Judge(rows, list(TREES), [large])
        truth = TupleQuestion(judge, domains, Fraction(0), weights).least()
        if truth is None:
            assert point.verdict == "infeasible"
            continue
        assert point.cost is not None and point.bound is not None
        assert point.bound <= truth <= point.cost
        assert (point.verdict == "optimal") == (point.bound == point.cost)


# Points and each other


FRAME = pd.DataFrame(drawn(1, 12))


def stub(costs: Mapping[int, Any]) -> Any:
    """A search that found less than it could have."""

    def search(own: ph.Policy, seconds: float | None, tell: Any, beside: Any) -> Any:
        value = int(own.rules["k"].partition("(")[2].strip(" )"))
        answer = ph.search(FRAME, own, hierarchies=HIERARCHIES)
        return replace(answer, **costs.get(value, {}))

    return search


HIERARCHIES: dict[str, Path] = {}


@pytest.fixture(autouse=True)
def hierarchies(tmp_path: Path) -> None:
    HIERARCHIES.update(files(tmp_path))


def points(values: str, costs: Mapping[int, Any]) -> Any:
    rules = ph.Policy.from_dict(policy(k="k_anonymity(2)"))
    rule = varied(rules, {"k": values})
    whole = TradeoffSearch(rule, stub(costs), Deadline(), lambda step: None)
    whole.run()
    return whole.points


def worse(cost: Fraction, bound: Fraction, **more: Any) -> dict[str, Any]:
    """What a search says that ended too soon."""
    return {
        "verdict": "undecided",
        "cost": cost,
        "bound": bound,
        "reason": "late",
        **more,
    }


def test_a_better_release_of_a_stricter_point_is_taken() -> None:
    bad = worse(Fraction(1), Fraction(0))
    found = points("2,3,4", {2: bad})
    truth = points("2,3,4", {})
    assert found[0].cost == truth[1].cost and found[0].taken == 3
    assert found[0].verdict == "proved" and found[0].bound == 0
    assert found[1].taken is None


def test_of_equal_costs_the_fewer_withheld_are_taken() -> None:
    best = points("2,3", {})[1].cost
    late = worse(best, Fraction(0), suppressed=1)
    found = points("2,3", {2: late})
    assert (found[0].cost, found[0].taken, found[0].suppressed) == (late["cost"], 3, 0)
    assert found[1].taken is None


def test_a_release_that_is_stricter_than_asked_is_taken() -> None:
    answer = points("2", {})[0].answer
    least = min(answer.explored.sizes())
    assert least > 2
    late = worse(Fraction(1), Fraction(0))
    found = points(f"2,{least},12", {least: late})
    assert found[1].taken == 2 and found[1].verdict == "optimal"
    assert not found[1].searched
    # one record more is too many for it
    stricter = points(f"2,{least + 1},12", {least + 1: late})
    assert stricter[1].taken != 2


def test_what_follows_is_not_searched() -> None:
    found = points("1..12", {})
    assert {place for place, point in found.items() if not point.searched} >= {6, 7}
    for point in found.values():
        follows = point.taken is not None or point.verdict == "infeasible"
        assert point.searched or follows
    for place, point in found.items():
        assert point.cost == points(str(place + 1), {})[0].cost


def test_time_that_is_left_goes_to_open_points() -> None:
    rules = ph.Policy.from_dict(policy(k="k_anonymity(2)"))
    asked: list[tuple[str, float]] = []

    def search(own: ph.Policy, seconds: float | None, tell: Any, beside: Any) -> Any:
        rule, first = own.rules["k"], not asked
        asked.append((rule, seconds or 0.0))
        answer = ph.search(FRAME, own, hierarchies=HIERARCHIES)
        return replace(answer, **worse(Fraction(1), Fraction(0))) if first else answer

    rule = varied(rules, {"k": "2,3"})
    whole = TradeoffSearch(rule, search, Deadline(60), lambda step: None)
    whole.run()
    (first, early), _, (again, late) = asked
    assert first == again == "k_anonymity(2)" and late > 1.5 * early
    assert whole.points[0].verdict == "optimal"
    assert whole.points[0].cost == points("2", {})[0].cost


def test_the_better_of_two_searches() -> None:
    best = points("2", {})[0]
    open_point = replace(best, verdict="proved", cost=Fraction(9), bound=Fraction(0))
    third = replace(open_point, cost=Fraction(5), bound=Fraction(2))
    fourth = replace(open_point, cost=Fraction(4), bound=Fraction(1))
    for one, other in ((third, fourth), (fourth, third)):
        found = better(one, other)
        assert (found.cost, found.bound, found.verdict) == (4, 2, "proved")
    unconfirmed = replace(third, bound=Fraction(4), confirmed=False)
    assert better(fourth, unconfirmed).bound == 1
    assert better(open_point, best) is best
    closed = better(fourth, replace(third, bound=Fraction(4)))
    assert closed.verdict == "optimal"


def test_a_bound_that_is_not_confirmed_makes_no_optimum() -> None:
    cost = points("3", {})[0].cost
    found = points("3,4", {3: worse(cost, cost), 4: worse(cost, Fraction(0))})
    assert found[0].verdict == "proved"
    # nor is it handed on
    assert found[1].bound == 0


def test_points_that_contradict_each_other_are_a_defect() -> None:
    low = {"cost": Fraction(0)}
    with pytest.raises(Defect, match="costs less"):
        points("2,4", {4: low})
    with pytest.raises(Defect, match="nothing is below"):
        points("2,4", {4: worse(Fraction(0), Fraction(0))})
    with pytest.raises(Defect, match="nothing less strict"):
        nothing = {"verdict": "infeasible", "cost": None, "checks": None}
        search = points("2,4", {})
        whole = TradeoffSearch(
            varied(ph.Policy.from_dict(policy(k="k_anonymity(2)")), {"k": "2,4"}),
            stub({}), Deadline(), lambda step: None,
        )  # fmt: skip
        whole.points = {0: weighed(search[0], cost=None), 1: search[1]}
        whole.points[0] = replace(whole.points[0], verdict=nothing["verdict"])
        whole._bounded(1)


def test_a_release_is_taken_only_where_the_rules_are_proved_of_it() -> None:
    """Of k = 3 the release has classes of three: no other rule is broken by it."""
    rules = ph.Policy.from_dict(policy(k="k_anonymity(2)"))
    whole = TradeoffSearch(
        varied(rules, {"k": "2,3,12"}), stub({}), Deadline(), lambda step: None
    )
    whole.points = points("2,3,12", {})
    assert whole._satisfies(2, 0)
    assert not whole._satisfies(0, 2)


def test_ends_are_searched_first_then_each_number_in_turn() -> None:
    for count in range(1, 40):
        order = list(in_turn(count))
        assert sorted(order) == list(range(count))
        assert order[: min(2, count)] == [0, count - 1][:count]
        assert order[2:] == sorted(order[2:])


def test_a_point_that_is_not_reached_says_so() -> None:
    result = ph.tradeoff(
        FRAME, policy(k="k_anonymity(2)"), HIERARCHIES, k="2..40", budget=1e-6
    )  # type: ignore[arg-type]
    assert result.verdict == "undecided"
    for point in result.points:
        assert point.verdict == "undecided" and not point.searched
        assert "not searched: the budget of 1e-06 s ran out" in point.reason
    assert "UNDECIDED" in str(result)
    check_page(result.to_html())


# What may vary


@pytest.mark.parametrize(
    ("told", "numbers"),
    [
        ("2..5", [2, 3, 4, 5]),
        ("5,2, 2", [2, 5]),
        ("2..3,10", [2, 3, 10]),
        (range(2, 5), [2, 3, 4]),
        ([3], [3]),
    ],
)
def test_numbers_of_k(told: Any, numbers: list[int]) -> None:
    assert values_of("k", told) == numbers


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("", "is a number"),
        ("5..2", "is empty"),
        ("2..", "first..last"),
        ("0.1..0.5", "first..last"),
        ("0", "whole number above 0"),
        ("2.5", "whole number above 0"),
        ("x", "is a number, not 'x'"),
        ("2,1e400", "1e400 has more than 300 digits"),
        ("1e-4400", "1e-4400 has more than 300 digits"),
        ("1..100000", "up to 500"),
        (5, "a text or a list"),
        ([True], "is a number"),
        ([object()], "is a number"),
        ([], "has no values"),
        (b"2", "a text or a list"),
    ],
)
def test_what_is_no_number(told: Any, message: str) -> None:
    with pytest.raises(ph.InputError, match=message):
        values_of("k", told)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"l": "l_diversity(ill, 2)"}, "no rule that is a criterion with a k"),
        ({"a": "k_anonymity(2)", "b": "k_anonymity(3)"}, "has 2 criteria with a k"),
        ({"a": "~k_anonymity(2)"}, "deeper inside a formula"),
        ({"a": "k_anonymity(2) | l_diversity(ill, 2)"}, "deeper inside a formula"),
    ],
)
def test_rules_that_do_not_vary(rules: dict[str, str], message: str) -> None:
    with pytest.raises(ph.InputError, match=message):
        ph.tradeoff(FRAME, policy(**rules), HIERARCHIES, k="2..3")  # type: ignore[arg-type]


def test_what_does_not_go_together() -> None:
    rules = policy(k="k_anonymity(2)")
    for given in ({}, {"k": "2", "l": "3"}):
        with pytest.raises(ph.InputError, match="one of k, l and t"):
            ph.tradeoff(FRAME, rules, HIERARCHIES, **given)  # type: ignore[arg-type]
    with pytest.raises(ph.InputError, match="about releases by tuples"):
        ph.tradeoff(FRAME, rules, HIERARCHIES, k="2", disjoint=True)  # type: ignore[arg-type]


# The command, and its page


def command(folder: Path, *more: str) -> list[str]:
    FRAME.to_csv(folder / "table.csv", index=False)
    text = (
        '[columns]\nquasi = ["age", "zip"]\nsensitive = ["ill"]\n'
        '[rules]\nsmall = "k_anonymity(2)"\n'
        '[hierarchies]\nage = "age.csv"\nzip = "zip.csv"\n'
    )
    (folder / "policy.toml").write_text(text, encoding="utf-8")
    own = ["search", str(folder / "table.csv"), "--policy", str(folder / "policy.toml")]
    return [*own, *more]


def test_the_command_has_a_table_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    written = ["--html", str(page), "--json", str(data)]
    assert main(command(tmp_path, "--tradeoff", "k=2..4,13", *written)) == 0
    shown = capsys.readouterr().out
    assert "k of the rule small varies" in shown
    assert "13         -  INFEASIBLE" in shown
    points = json.loads(data.read_text(encoding="utf-8"))["points"]
    assert [one["value"] for one in points] == ["2", "3", "4", "13"]
    assert [one["verdict"] for one in points] == ["optimal"] * 3 + ["infeasible"]
    assert all(one["cost"] == one["bound"] for one in points)
    html = page.read_text(encoding="utf-8")
    check_page(html)
    assert "Of 4 numbers of k the best release is known for 3" in said(html)
    assert "The best release for k = 2 has loss" in html
    assert main(command(tmp_path, "--tradeoff", "k=13")) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--tradeoff", "k"], "is k=.., l=.. or t=..,"),
        (["--tradeoff", "m=3"], "is k=.., l=.. or t=..,"),
        (["--tradeoff", "k=2", "--output", "x.csv"], "--output: is about one release"),
        (["--tradeoff", "k=2", "--all-minimal"], "--all-minimal"),
        (["--tradeoff", "k=2", "--disjoint"], "--disjoint"),
        (["--tradeoff", "k=2", "--explain"], "--explain: is about one release"),
    ],
)
def test_what_the_command_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main(command(tmp_path, *more)) == 2
    assert message in capsys.readouterr().err
