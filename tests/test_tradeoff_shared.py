"""Points of a tradeoff start with what searches for other numbers know: each is what a
search by itself finds, and has a certificate of its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.generalization.loop import LeastSearch
from phverify.generalization.neighbours import SearchesBeside
from phverify.microdata.hierarchy import Hierarchy
from phverify.policy import bind
from phverify.recoding.above import ReleasesAbove
from phverify.recoding.options import TupleSettings
from phverify.symbolic.models import bits
from phverify.verbs import tradeoff_at_once
from phverify.verbs.tradeoff_answers import satisfies, smallest_class
from phverify.verbs.tradeoff_points import TradeoffSearch
from phverify.verbs.tuples import recode
from phverify.verbs.varied import varied

QUASI = ("p", "q", "r")
AGES = [str(number) for number in range(8)]
LINES = {age: (age, f"{int(age) // 2}/2", f"{int(age) // 4}/4", "*") for age in AGES}
PATHS: Any = {name: Hierarchy(name, LINES) for name in QUASI}
RULES = {
    "k": "k_anonymity(2)",
    "l": "l_diversity(f, 2)",
    "t": "t_closeness(f, 1/2)",
}
VALUES = {"k": "2..7", "l": "1..4", "t": "0.1,0.2,0.3,0.5"}


def table(seed: int, rows: int) -> pd.DataFrame:
    chance = random.Random(seed)
    cells: list[dict[str, str]] = []
    for _ in range(rows):
        row = {name: chance.choice(AGES) for name in QUASI}
        cells.append({**row, "f": chance.choice("aabbcd")})
    return pd.DataFrame(cells)


def policy(rules: Any) -> ph.Policy:
    columns = {"quasi": list(QUASI), "sensitive": ["f"]}
    return ph.Policy.from_dict({"columns": columns, "rules": rules})


@pytest.fixture
def examined() -> Iterator[list[int]]:
    """How many candidates all searches look at, one after the other."""
    tried = LeastSearch._tried
    count = [0]

    def counted(search: LeastSearch, candidate: Any) -> Any:
        count[0] += 1
        return tried(search, candidate)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LeastSearch, "_tried", counted)
        yield count


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are searched one by one, as for rules that cannot be asked about at
    once.
    """
    monkeypatch.setattr(tradeoff_at_once, "at_once", lambda *asked: None)


@so_many(15, fuzz=500)
@given(
    seed=st.integers(0, 10**6),
    varying=st.sampled_from("klt"),
    other=st.sampled_from("klt"),
    share=st.sampled_from(["0", "1/10", "1/4"]),
    space=st.sampled_from(["levels", "levels", "subtrees", "intervals"]),
    objective=st.sampled_from(["loss", "height", "class-size", "discernibility"]),
    checked=st.integers(0, 5),
    together=st.booleans(),
)
def test_each_point_is_what_a_search_by_itself_finds(
    seed: int,
    varying: str,
    other: str,
    share: str,
    space: str,
    objective: str,
    checked: int,
    together: bool,
) -> None:
    frame = table(seed, 14)
    asked: dict[str, Any] = {"space": space, "objective": objective}
    if space != "levels":
        asked["objective"] = "loss"
    if space == "subtrees" or (space == "levels" and objective != "class-size"):
        asked["suppress"] = share
    rules = policy({name: RULES[name] for name in {varying, other}})
    told: Any = {varying: VALUES[varying]}
    with pytest.MonkeyPatch.context() as patched:
        if not together:
            patched.setattr(tradeoff_at_once, "at_once", lambda *asked: None)
        found = ph.tradeoff(frame, rules, PATHS, **told, **asked)
    for point in found.points:
        own = {**rules.rules, varying: RULES[varying].replace("2)", f"{point.value})")}
        if varying == "t":
            own["t"] = f"t_closeness(f, {point.value})"
        alone = ph.search(frame, policy(own), PATHS, **asked)
        if alone.verdict != "undecided":
            assert (point.verdict, point.cost) == (alone.verdict, alone.cost)
            if alone.fewest_withheld and asked["objective"] in ("loss", "height"):
                assert point.suppressed == alone.suppressed
        elif alone.cost is not None:
            assert point.cost is not None and point.cost <= alone.cost
    searched = [one for one in found.points if one.searched]
    accepted(frame, searched[checked % len(searched)].answer, varying, rules)


@pytest.mark.parametrize("space", ["levels", "subtrees", "partitions"])
def test_no_more_records_are_withheld_than_by_a_search(space: str) -> None:
    """What a stricter number withholds for nothing is not taken for granted."""
    frame = pd.DataFrame({"q": list("cdaaac"), "f": list("113123")})
    sides = {side: (side, "low" if side in "ab" else "high", "*") for side in "abcd"}
    paths: Any = {"q": Hierarchy("q", sides)}
    asked: dict[str, Any] = {"space": space, "suppress": "1/2"}
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    rules = {"columns": columns, "rules": {"k": RULES["k"]}}
    found = ph.tradeoff(frame, rules, paths, k="1..6", **asked)
    for point in found.points:
        own = {"columns": columns, "rules": {"k": f"k_anonymity({point.value})"}}
        alone = ph.search(frame, own, paths, **asked)
        assert alone.fewest_withheld
        assert point.cost == alone.cost
        assert point.suppressed == alone.suppressed


def accepted(frame: pd.DataFrame, answer: Any, varying: str, rules: ph.Policy) -> None:
    """The checker counts again what another point has ruled out."""
    if answer.verdict != "optimal" or answer.certificate is None:
        assert answer.verdict != "optimal" or answer.uncertified
        return
    own = policy(answer.explored.judge.policy.rules)
    assert set(own.rules) == set(rules.rules)
    result = ph.check(answer.certificate, frame, own, PATHS)
    assert result.accepted, str(result)


def test_points_look_at_fewer_candidates(examined: list[int], one_by_one: None) -> None:
    frame = table(5, 400)
    rules = policy({"k": "k_anonymity(2)"})
    found = ph.tradeoff(frame, rules, PATHS, k="2..40", suppress="1/10")
    together, examined[0] = examined[0], 0
    for point in found.points:
        if point.searched:
            own = policy({"k": f"k_anonymity({point.value})"})
            alone = ph.search(frame, own, PATHS, suppress="1/10")
            assert alone.cost == point.cost
    assert 3 * together < 2 * examined[0]


def test_what_is_not_alike_is_not_carried() -> None:
    """A search in another space has other unknowns: nothing of it is taken."""
    rules = policy({"k": "k_anonymity(3)"})
    frame = table(1, 12)
    other = ph.search(frame, rules, PATHS, space="subtrees").explored.search  # type: ignore[union-attr]
    own = ph.search(frame, rules, PATHS).explored.search  # type: ignore[union-attr]
    before = len(own.reasons), own.best
    SearchesBeside(other, other).begin(own)
    assert (len(own.reasons), own.best) == before


def test_what_a_stricter_search_ruled_out_is_counted_again(
    monkeypatch: pytest.MonkeyPatch, one_by_one: None
) -> None:
    """Of three numbers the middle one is searched last."""
    begun = []
    begin = SearchesBeside.begin

    def noted(beside: SearchesBeside, search: LeastSearch) -> None:
        begin(beside, search)
        begun.append((beside.laxer, beside.stricter, [*search.reasons], search))

    monkeypatch.setattr(SearchesBeside, "begin", noted)
    rules = policy({"k": "k_anonymity(2)"})
    ph.tradeoff(table(5, 400), rules, PATHS, k="2,20,30", suppress="1/10")
    laxer, stricter, reasons, own = begun[-1]
    assert laxer is not None and stricter is not None
    known = {reason.clause for reason in laxer.reasons}
    taken = {one.clause: one for one in reasons if one.clause not in known}
    held = set()
    for reason in stricter.reasons:
        sizes = own.refuter.judge.view(reason.candidate).quotient.sizes
        rows = int(sizes[sizes < 20].sum())
        if rows > Fraction(400, 10):
            held.add(reason.clause)
        if reason.clause in taken:
            assert taken[reason.clause].rows == rows
    assert taken and set(taken) <= held and len(held) < len(stricter.reasons)


@pytest.mark.parametrize("together", [True, False])
def test_files_of_hierarchies_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    if not together:
        monkeypatch.setattr(tradeoff_at_once, "at_once", lambda *asked: None)
    files = {}
    for name in QUASI:
        files[name] = tmp_path / f"{name}.csv"
        files[name].write_text("\n".join(";".join(line) for line in LINES.values()))
    rules = policy({"k": "k_anonymity(2)"})
    rules = replace(rules, hierarchies=files)
    read: list[object] = []
    really = bind.read_hierarchy

    def noted(source: Any) -> Hierarchy:
        read.append(source)
        return really(source)

    monkeypatch.setattr(bind, "read_hierarchy", noted)
    found = ph.tradeoff(table(3, 60), rules, k="2..20", suppress="1/10")
    assert len(read) == len(QUASI)
    assert any(point.taken is not None for point in found.points)


def test_a_page_counts_again_what_another_point_ruled_out(one_by_one: None) -> None:
    """Of a stricter number more records would be withheld."""
    frame = table(5, 400)
    rules = policy({"k": "k_anonymity(2)"})
    found = ph.tradeoff(frame, rules, PATHS, k="2,30", suppress="1/10")
    explored = found.points[1].answer.explored
    for one, reason in zip(
        explored.ruled_out(50), explored.search.reasons, strict=False
    ):
        if reason.kind != "cut":
            continue
        sizes = explored.judge.view(reason.candidate).quotient.sizes
        assert one.rows == int(sizes[sizes < 30].sum()) > Fraction(400, 10)


def test_points_by_tuples_start_from_a_stricter_release() -> None:
    frame = table(2, 14)
    begun: list[tuple[Any, Any]] = []
    first = ReleasesAbove.first

    def noted(above: ReleasesAbove, seconds: Any, known: Any) -> Any:
        release = first(above, seconds, known)
        begun.append((known, release))
        return release

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ReleasesAbove, "first", noted)
        rules = policy({"k": "k_anonymity(2)"})
        given: Any = {"space": "tuples", "gap": "0.99", "budget": 60}
        found = ph.tradeoff(frame, rules, PATHS, k="2,3,7", **given)
    assert [known is None for known, _ in begun] == [True, True, False]
    known, release = begun[-1]
    # Classes of seven are classes of three.
    assert release.cost <= known.cost
    assert all(point.cost is not None for point in found.points)


def test_a_start_by_tuples_is_taken_where_it_satisfies_the_rules() -> None:
    frame = table(3, 14)

    def best(k: int, table: Any = frame) -> Any:
        rules = policy({"k": f"k_anonymity({k})"})
        return recode(table, rules, PATHS, TupleSettings(gap="0.99"), budget=20)

    strict, lax = best(4).shown.recoding, best(2).shown.recoding
    searches: list[ReleasesAbove] = []
    with pytest.MonkeyPatch.context() as patched:
        kept = ReleasesAbove.__post_init__

        def noted(above: ReleasesAbove) -> None:
            kept(above)
            searches.append(above)

        patched.setattr(ReleasesAbove, "__post_init__", noted)
        best(3)
    [above] = searches
    good = above._better(None, strict)
    assert good is not None and len(set(good.tolist())) == len(strict.classes)
    assert above._better(None, lax) is None
    # Of another table nothing is taken.
    assert above._better(None, best(4, table(4, 14)).shown.recoding) is None


@pytest.mark.parametrize("suppress", ["0", "0.2"])
def test_whom_a_small_class_excludes_need_not_be_asked(
    suppress: str, monkeypatch: pytest.MonkeyPatch, one_by_one: None
) -> None:
    """Every answer of ``verify`` about another number's release is the one that its
    smallest class gives: whoever is not asked has a class that is too small.
    """
    checked = []
    proved = TradeoffSearch._satisfies

    def asked(search: TradeoffSearch, donor: int, place: int) -> bool:
        found = proved(search, donor, place)
        answer, value = search.points[donor].answer, search.values[place]
        assert answer is not None
        policy = search.rule.policy_at(value)
        sizes = answer.release.groupby(list(QUASI)).size()
        assert smallest_class(answer) == sizes.min()
        assert found == satisfies(answer, policy, Deadline())
        checked.append(found)
        return found

    monkeypatch.setattr(TradeoffSearch, "_satisfies", asked)
    data = table(3, 60)
    ph.tradeoff(data, policy({"k": RULES["k"]}), PATHS, k="2..7", suppress=suppress)
    assert False in checked and (suppress != "0" or True in checked)


def test_what_loses_few_enough_stands_for_all_that_is_coarser() -> None:
    rules = {"k": RULES["k"], "b": "beta_likeness(f, 1, reference=original)"}
    found = ph.search(table(5, 60), policy(rules), PATHS, suppress="0.1")
    assert found.explored is not None
    search = found.explored.search
    vectors = [search.space.vector(levels) for levels in product(range(4), repeat=3)]
    enough = search.refuter.enough
    assert len(enough) > 1
    for few in enough:
        assert [other for other in enough if not few & ~other] == [few]
        coarser = [one for one in vectors if not few & ~bits(one)]
        assert all(search.refuter.lost(one) <= search.refuter.budget for one in coarser)


@pytest.mark.parametrize(
    ("rule", "asked"),
    [
        ("k_anonymity({})", {"k": "3"}),
        ("t_closeness(f, {})", {"t": "0.45"}),
        # However it is written.
        (" (t_closeness(f,{}))", {"t": "0.45"}),
        ("k_anonymity(2)&t_closeness(f, t={})", {"t": "0.45"}),
    ],
)
def test_a_certificate_is_about_the_policy_with_the_number(
    rule: str, asked: dict[str, str]
) -> None:
    """As somebody writes it who changes the number in the file."""
    [number] = asked.values()
    told: Any = asked
    frame = table(5, 40)
    [point] = ph.tradeoff(frame, policy({"r": rule.format(1)}), PATHS, **told).points
    assert point.verdict == "optimal"
    own = policy({"r": rule.format(number)})
    result = ph.check(point.answer.certificate, frame, own, PATHS)
    assert result.accepted, str(result)
    another = policy({"r": rule.format(f"1{number}")})
    refused = ph.check(point.answer.certificate, frame, another, PATHS)
    assert not refused.accepted and "other rules" in str(refused)


def test_which_rule_varies() -> None:
    rules = policy({"both": "l_diversity(f, 2) & k_anonymity(2)"})
    rule = varied(rules, {"k": "7", "l": None})
    assert rule.policy_at(Fraction(7)).rules["both"] == (
        "l_diversity(f, 2) & k_anonymity(7)"
    )
    close = policy({"t": "t_closeness(f, 0.1, distance=variational)"})
    rule = varied(close, {"t": "0.25,0.5"})
    assert rule.values == (Fraction(1, 2), Fraction(1, 4))
    at_a_quarter = rule.policy_at(Fraction(1, 4)).rules["t"]
    assert at_a_quarter == "t_closeness(f, 0.25, distance=variational)"
    at_a_third = rule.policy_at(Fraction(1, 3)).rules["t"]
    assert at_a_third == "t_closeness(f, 1/3, distance=variational)"
    named = policy({"t": "t_closeness(f=f, t=0.1)"})
    rule = varied(named, {"t": "0.25"})
    assert rule.policy_at(Fraction(1, 4)).rules["t"] == "t_closeness(f=f, t=0.25)"
