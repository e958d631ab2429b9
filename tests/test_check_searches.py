"""Searches that are checked: closure, withheld records, bounds and generalized values."""

from __future__ import annotations

import datetime
import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.check_cases import FOUR, TREE, about, policy, sealed

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints import agree, hitting
from phverify.constraints.agree import NoSecondSolver
from phverify.constraints.hitting import LARGEST, HittingSet, cheapest, none_cheaper
from phverify.generalization import answer, bound_again
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.closures import HOW
from phverify.spec.data import Refused
from phverify.spec.minimal import Judges, Minimality
from phverify.verbs.check import none_below

CHAIN = Hierarchy(
    "q", {"z": ("z", "zz", "*"), "a": ("a", "p", "*"), "b": ("b", "p", "*")}
)


def test_claims_about_closure_are_refused() -> None:
    honest = ph.search(FOUR, policy("k_anonymity(2)"), {"q": TREE}).certificate
    assert honest
    for upward, how in itertools.product((True, False), ("known", *HOW)):
        closures = [{"part": 0, "upward": upward, "how": how}]
        assert not ph.check(
            sealed(honest, closures=closures),
            FOUR,
            policy("k_anonymity(2)"),
            {"q": TREE},
        ).accepted


def test_a_minimal_vector_left_out_is_missed() -> None:
    frame = pd.DataFrame({"q": list("aabb"), "r": list("xyxy"), "f": list("wxyz")})
    star = {"a": ("a", "*"), "b": ("b", "*")}
    paths = {
        "q": Hierarchy("q", star),
        "r": Hierarchy("r", {"x": ("x", "*"), "y": ("y", "*")}),
    }
    columns = {"quasi": ["q", "r"], "sensitive": ["f"]}
    two = ph.Policy.from_dict({"columns": columns, "rules": {"k": "k_anonymity(2)"}})
    found = ph.search(frame, two, paths, all_minimal=True)
    assert [tuple(m.values()) for m in found.minimal] in (
        [(0, 1), (1, 0)],
        [(1, 0), (0, 1)],
    )
    assert found.certificate and ph.check(found.certificate, frame, two, paths).accepted
    for kept in found.certificate["minimal"]:
        assert not ph.check(
            sealed(found.certificate, minimal=[kept]), frame, two, paths
        ).accepted


def test_a_name_that_occurs_twice(tmp_path: Path) -> None:
    honest = ph.search(FOUR, policy("k_anonymity(2)"), {"q": TREE}).certificate
    text = json.dumps(honest)
    (tmp_path / "twice.json").write_text('{"cost": "0", ' + text[1:], encoding="utf-8")
    with pytest.raises(ph.InputError, match="twice"):
        ph.check(tmp_path / "twice.json", FOUR, policy("k_anonymity(2)"), {"q": TREE})


def test_a_violation_of_what_is_not_kept_says_nothing_about_finer_releases() -> None:
    mine = policy("~k_anonymity(3)")
    honest = ph.search(FOUR, mine, {"q": TREE}).certificate
    assert honest
    claim = {"part": 0, "blocks": [2]}
    said = {"part": 0, "upward": False}
    given = about(mine, FOUR, {"q": TREE})

    def minimality(*closures: dict[str, Any]) -> Minimality:
        return Minimality({**honest, "closures": list(closures)}, given, Judges())

    assert minimality().clause({"kind": "class", **claim}) == (-2,)
    with pytest.raises(Refused, match="not closed under merging"):
        minimality().clause({"kind": "box", **claim})
    for how in ("known", *HOW):
        forged = minimality({**said, "how": how})
        forged.clause({"kind": "box", **claim})
        with pytest.raises(
            Refused, match=r"closure under merging|rests on two solvers"
        ):
            forged.closures()


def test_a_merged_class_says_nothing_about_one_person_in_a_finer_one() -> None:
    """Sums of likelihoods are kept by mergers, which is not enough: somebody's own
    class is one of those merged.
    """
    frame = pd.DataFrame({"q": list("aabbbb"), "f": list("axaaaa")})
    mine, paths = (
        policy("@i1 l_a1(f = a) <= 1/2"),
        {"q": Hierarchy("q", {v: (v, "*") for v in "ab"})},
    )
    honest = ph.search(frame, mine, paths).certificate
    assert honest
    checker = Minimality(
        {**honest, "closures": []}, about(mine, frame, paths), Judges()
    )
    claim = {"part": 0, "blocks": [1], "person": 0}
    assert checker.clause({"kind": "class", **claim}) == (-1,)
    with pytest.raises(Refused, match="not closed under merging"):
        checker.clause({"kind": "box", **claim})


def test_more_withheld_than_may_be() -> None:
    frame = pd.DataFrame({"q": list("aab"), "f": list("wxy")})
    paths, mine = (
        {"q": Hierarchy("q", {"a": ("a",), "b": ("b",)})},
        policy("k_anonymity(2)"),
    )
    honest = ph.search(frame, mine, paths, suppress="1/3").certificate
    assert honest and ph.check(honest, frame, mine, paths).accepted
    assert not ph.check(sealed(honest, suppress="0"), frame, mine, paths).accepted
    assert not ph.check(sealed(honest, suppress="1/4"), frame, mine, paths).accepted


@pytest.mark.parametrize("solver", ["Z3", "CP-SAT"])
def test_bounds_of_hitting_sets(solver: Any) -> None:
    if solver == "CP-SAT":
        pytest.importorskip("ortools")
    question = HittingSet((3, 2, 2), [(1, 2), (2, 3), (-2, 3)])
    assert none_cheaper(question, 4, solver, Deadline())
    assert not none_cheaper(question, 5, solver, Deadline())


def test_z3_alone_finds_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (hitting, bound_again, answer):
        monkeypatch.setattr(module, "available", lambda: False)
    question = HittingSet((3, 2, 2), [(1, 2), (2, 3), (-2, 3)])
    found = cheapest(question, Deadline())
    assert found is not None and question.met(found) and question.total(found) == 4
    result = ph.search(FOUR, policy("k_anonymity(2)"), {"q": TREE}, space="subtrees")
    assert (result.verdict, result.cost, result.statistics.solvers) == (
        "optimal",
        Fraction(1, 3),
        ("Z3",),
    )
    assert any("pip install phverify" in warning for warning in result.warnings)


def test_assumptions_about_released_values() -> None:
    """``@i1 q != a`` is false of the table itself, and true of every generalized
    one.
    """
    frame = pd.DataFrame({"q": list("aabb"), "f": list("wxyz")})
    mine = policy("k_anonymity(2)", assumptions={"t": "@i1 q != a"})
    found = ph.search(frame, mine, {"q": TREE})
    assert (found.verdict, found.levels) == ("optimal", {"q": 1})


@pytest.mark.parametrize("rule", ["k_anonymity(2)", "~k_anonymity(6)"])
def test_a_node_with_the_values_of_the_one_below_has_another_name(rule: str) -> None:
    frame = pd.DataFrame({"q": list("zzaabb"), "f": list("xyxyxy")})
    found = ph.search(
        frame, policy({"n": "q != z", "k": rule}), {"q": CHAIN}, space="subtrees"
    )
    assert (found.verdict, found.cost, found.mapping["q"]["z"]) == ("optimal", 0, "zz")


@pytest.mark.parametrize(
    "cells",
    [
        [1, 1.0],
        [Decimal("1.50"), Decimal("1.5")],
        [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)],
        [0.0, -0.0],
        [1, "1"],
        [None, float("nan")],
    ],
    ids=str,
)
def test_cells_that_are_one_value_are_released_as_one(cells: list[Any]) -> None:
    frame = pd.DataFrame(
        {
            "q": pd.Series(cells, dtype=None if cells == [0.0, 0.0] else object),
            "f": ["w", "x"],
        }
    )
    found = ph.search(frame, policy("k_anonymity(2)"), space="partitions")
    assert found.cost == 0 and found.release is not None
    assert len(found.release["q"].astype(str).unique()) == 1


def test_categories_of_withheld_records_are_gone() -> None:
    frame = pd.DataFrame({"q": list("aab"), "f": pd.Categorical(["w", "x", "secret"])})
    paths = {"q": Hierarchy("q", {"a": ("a",), "b": ("b",)})}
    found = ph.search(frame, policy("k_anonymity(2)"), paths, suppress="1/3")
    assert found.suppressed == 1 and found.release is not None
    assert list(found.release["f"].cat.categories) == ["w", "x"]


def test_no_bound_above_an_undecided_candidate() -> None:
    """Level 0 with 12 records withheld satisfies the rule and costs nothing; the search
    does not find out.
    """
    values = [f"{c}{i}" for c in "abcdefg" for i in (1, 2)]
    paths = {
        "q": Hierarchy(
            "q", {v: (v, "p" if v[0] in "abcd" else "s", "*") for v in values}
        )
    }
    rows = [(v, "x" if k < 8 else "y") for k, v in enumerate(values) for _ in range(2)]
    frame = pd.DataFrame(rows, columns=["q", "f"])
    found = ph.search(
        frame, policy("t_closeness(f, 1/4)"), paths, space="subtrees", suppress="1/2"
    )
    assert found.verdict == "undecided" or found.cost == 0
    assert found.bound is not None and found.bound <= 0


def test_no_bound_above_what_was_found() -> None:
    told: list[str] = []

    def stop(step: str) -> None:
        told.append(step)
        if len(told) == 5:
            raise KeyboardInterrupt

    frame = pd.DataFrame({"q": list("abcd"), "r": list("wxyz"), "f": list("wxyz")})
    other = Hierarchy("r", {v: (v, "p" if v in "wx" else "r", "*") for v in "wxyz"})
    columns = {"quasi": ["q", "r"], "sensitive": ["f"]}
    both = ph.Policy.from_dict({"columns": columns, "rules": {"k": "k_anonymity(2)"}})
    paths = {"q": TREE, "r": other}
    found = ph.search(frame, both, paths, all_minimal=True, progress=stop)
    best = ph.search(frame, both, paths).cost
    assert best is not None and (found.bound or Fraction(0)) <= best


def test_a_hierarchy_object_is_examined() -> None:
    torn = Hierarchy(
        "q",
        {
            "a": ("a", "p", "*"),
            "b": ("b", "p", "+"),
            "c": ("c", "r", "*"),
            "d": ("d", "r", "*"),
        },
    )
    short = Hierarchy(
        "q", {"a": ("a", "*"), "b": ("b",), "c": ("c", "*"), "d": ("d", "*")}
    )
    for bad in (torn, short, 5):
        with pytest.raises(ph.InputError):
            ph.search(FOUR, policy("k_anonymity(2)"), {"q": bad})  # type: ignore[dict-item]


def test_an_unused_secret_of_somebody_withheld() -> None:
    frame = pd.DataFrame(
        {"id": ["ann", "bob", "sam"], "q": list("aab"), "f": list("wxy")}
    )
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"], "identifier": "id"},
        "secrets": {"sam": ["f = y"]},
    }
    mine = ph.Policy.from_dict({**section, "rules": {"k": "k_anonymity(2)"}})
    found = ph.search(
        frame, mine, {"q": Hierarchy("q", {"a": ("a",), "b": ("b",)})}, suppress="1/3"
    )
    assert (found.verdict, found.suppressed) == ("optimal", 1)


@pytest.mark.parametrize(
    "rule", ["n <= 1", "@i1 ~[a1] n <= 1", "t_closeness(n, 1/2, ordered)"]
)
def test_no_order_of_generalized_values(rule: str) -> None:
    frame = pd.DataFrame({"n": list("1122"), "f": list("wxyz")})
    with pytest.raises(ph.InputError, match=r"generalized|quasi-identifier"):
        ph.search(frame, policy(rule, "n", types={"n": "integer"}), space="intervals")


def test_without_a_second_solver_it_is_said_what_needs_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was verified until then is said, and the command ends as undecided."""
    mine = policy("abs(l_a1(f = w) - 1/2) <= 1/4")
    frame = pd.DataFrame({"q": list("aabb"), "f": list("wwwx")})
    paths = {"q": Hierarchy("q", {v: (v, "*") for v in "ab"})}
    honest = ph.search(frame, mine, paths).certificate
    assert honest and honest["closures"]
    whole = ph.check(honest, frame, mine, paths)
    assert whole.accepted
    kept = next(line for line in whole.verified if "two solvers agree" in line)
    before = whole.verified[: whole.verified.index(kept)]

    monkeypatch.setattr(agree, "available", lambda: False)
    unasked = ph.check(honest, frame, mine, paths)
    assert (unasked.verdict, unasked.verified) == ("undecided", before)
    assert unasked.problem == (
        "there is no proof for 1 query, and two solvers must agree: cvc5, the second one,"
        " is not installed here; pip install 'phverify[proofs]' brings it"
    )
    assert str(unasked).endswith(f"UNDECIDED: {unasked.problem}")


def test_a_bound_is_not_believed_of_one_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = none_below(lambda step: None, Deadline())
    assert asked([2, 2], [(1, 2)], 2) == ["CP-SAT", "Z3"]
    assert asked([2, 2], [(1, 2)], 3) == []
    with pytest.raises(NoSecondSolver, match=r"64 bits: the costs add up to 2\^60"):
        asked([LARGEST - 1, 1], [(1, 2)], 1)
    monkeypatch.setattr("phverify.verbs.check.available", lambda: False)
    with pytest.raises(NoSecondSolver, match="pip install ortools brings it"):
        asked([2, 2], [(1, 2)], 2)


def test_a_certificate_whose_names_another_program_sorted_is_the_same() -> None:
    cells = {"q": list("aabb"), "r": list("xyxy"), "s": list("uvuv")}
    frame = pd.DataFrame(cells)
    own = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q", "r"], "sensitive": ["s"]},
            "rules": {"z": "k_anonymity(2)", "a": "l_diversity(s, 2)"},
        }
    )
    certificate = ph.search(frame, own).make_certificate()
    again = json.loads(json.dumps(certificate, sort_keys=True))
    assert list(again["rules"]) != list(certificate["rules"])
    assert ph.check(again, frame, own).accepted


def _closeness(*rules: str) -> ph.Policy:
    """A policy with these rules, the last one first."""
    named = {f"r{number}": rule for number, rule in enumerate(rules)}
    columns = {"quasi": ["q", "r"], "sensitive": ["s"]}
    backwards = dict(reversed(named.items()))
    return ph.Policy.from_dict({"columns": columns, "rules": backwards})


SHARES = ("2/5", "0.4", "0.40", "4/10", "40%", "4e-1")


@pytest.mark.parametrize("verb", [ph.search, ph.anonymize])
def test_a_number_is_the_same_however_it_is_written(verb: Any) -> None:
    frame = pd.DataFrame(
        {"q": list("aabbab"), "r": list("xyxyxy"), "s": list("uvuvvu")}
    )
    k, by_name = "k_anonymity(2)", "t=0.4, distance=variational, reference=release"
    made = verb(frame, policy=_closeness("t_closeness(s, 2/5)", k)).make_certificate()
    same = [f"t_closeness(s, {text})" for text in SHARES]
    for rule in (*same, f"t_closeness(f=s, {by_name})"):
        result = ph.check(made, frame, _closeness(rule, "k_anonymity(4/2)"))
        assert result.accepted, f"{rule}: {result}"
    nearly = "0.4000000000000000000000000001"
    others = [f"t_closeness(s, {text})" for text in (nearly, "4")]
    for rule in (*others, "t_closeness(q, 0.4)", f"{k} & {same[0]}"):
        refused = ph.check(made, frame, _closeness(rule, k))
        assert not refused.accepted and "other rules" in str(refused), rule
    swapped = ph.check(made, frame, _closeness(k, same[0]))
    assert "other rules" in str(swapped)
    nowhere = sealed(made, rules={**made["rules"], "r0": "t_closeness(z, 2/5)"})
    assert "other rules" in str(ph.check(nowhere, frame, _closeness(same[0], k)))


def test_a_likelihood_is_the_same_however_it_is_written() -> None:
    frame = pd.DataFrame({"q": list("aabb"), "r": list("xyxy"), "s": list("uvuv")})
    made = ph.search(frame, _closeness("l_a1(s=u) <= 1/2")).make_certificate()
    for rule in ("l_a1(s=u) <= 0.5", "l_a1( s = 'u' ) <= 50%"):
        assert ph.check(made, frame, _closeness(rule)).accepted, rule
