"""``ph.check`` accepts honest certificates and refuses what is false; and searches that
once went wrong.
"""

from __future__ import annotations

import copy
import datetime
import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints import hitting
from phverify.constraints.hitting import HittingSet, cheapest, none_cheaper
from phverify.generalization import answer, hunt
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import read
from phverify.spec.certificate import digest
from phverify.spec.data import Refused
from phverify.spec.minimal import HOW, Judges, Minimality
from phverify.spec.released import Given

FOUR = pd.DataFrame({"q": list("abcd"), "f": list("wxyz")})
TREE = Hierarchy(
    "q",
    {
        "a": ("a", "p", "*"),
        "b": ("b", "p", "*"),
        "c": ("c", "r", "*"),
        "d": ("d", "r", "*"),
    },
)
CHAIN = Hierarchy(
    "q", {"z": ("z", "zz", "*"), "a": ("a", "p", "*"), "b": ("b", "p", "*")}
)


def policy(rules: dict[str, str] | str, quasi: str = "q", **more: Any) -> ph.Policy:
    rules = {"k": rules} if isinstance(rules, str) else rules
    return ph.Policy.from_dict(
        {"columns": {"quasi": [quasi], "sensitive": ["f"]}, "rules": rules, **more}
    )


def sealed(certificate: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A forged certificate with a digest that fits."""
    content = {
        name: value
        for name, value in {**certificate, **changes}.items()
        if name != "digest"
    }
    return {**content, "digest": digest(content)}


def swapped(
    honest: dict[str, Any], other: dict[str, Any], clauses: list[Any]
) -> dict[str, Any]:
    """The claim that the dearer candidate of another certificate is the least, on the
    strength of these clauses.
    """
    taken = {
        name: other[name]
        for name in (
            "choice",
            "mapping",
            "cost",
            "withheld_classes",
            "released",
            "bound",
        )
    }
    return sealed(copy.deepcopy(honest), **taken, clauses=clauses)


def about(mine: ph.Policy, frame: pd.DataFrame, trees: dict[str, Hierarchy]) -> Given:
    """What a search starts from."""
    return Given(
        mine,
        read(frame).plain(mine.named),
        {name: tree.paths for name, tree in trees.items()},
    )


def why(
    frame: pd.DataFrame, mine: ph.Policy, honest: dict[str, Any], claim: dict[str, Any]
) -> str:
    """Why one claim gives no clause; what else the certificate says is as it was."""
    checker = Minimality(honest, about(mine, frame, {"q": TREE}), Judges())
    with pytest.raises(Refused) as refused:
        checker.clause(claim)
    return str(refused.value)


@pytest.mark.parametrize("space", ["levels", "subtrees", "partitions"])
@pytest.mark.parametrize("suppress", [0, "1/2"])
def test_honest_certificates(space: str, suppress: Any) -> None:
    for rule in (
        "k_anonymity(2)",
        "~k_anonymity(4)",
        "t_closeness(f, 3/4)",
        "k_anonymity(2) | l_diversity(f, 3)",
    ):
        found = ph.search(
            FOUR, policy(rule), {"q": TREE}, space=space, suppress=suppress
        )
        assert found.verdict == "optimal"
        written = json.loads(json.dumps(found.certificate))
        assert ph.check(written, FOUR, policy(rule), {"q": TREE}).accepted, rule


def test_no_number_but_a_blocks_is_one_in_a_tree() -> None:
    """A number from the end, or of a node left out, once gave a clause that nothing
    meets.
    """
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space="subtrees"
    ).certificate
    other = ph.search(
        FOUR, policy("k_anonymity(4)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest and other
    for block in [*range(-12, 0), *range(7, 15)]:
        claim = {"kind": "box", "part": 0, "blocks": [block]}
        result = ph.check(
            swapped(honest, other, [claim]), FOUR, policy("k_anonymity(2)"), {"q": TREE}
        )
        assert not result.accepted
        assert "is no block" in why(FOUR, policy("k_anonymity(2)"), honest, claim)


def test_violations_that_are_none() -> None:
    """A box that satisfies the rule, a candidate that does, and one that may be mended
    by withholding.
    """
    mine = policy("k_anonymity(2)")
    honest = ph.search(FOUR, mine, {"q": TREE}, space="subtrees").certificate
    other = ph.search(
        FOUR, policy("k_anonymity(4)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest and other
    tree = {
        label: node for node, label in enumerate(["a", "p", "*", "b", "c", "r", "d"])
    }
    for label in ("p", "*", "a"):
        for kind, part in (("box", 0), ("class", 0), ("box", 1)):
            claim = {"kind": kind, "part": part, "blocks": [tree[label]]}
            assert not ph.check(
                swapped(honest, other, [claim]), FOUR, mine, {"q": TREE}
            ).accepted
    for kind in ("cut", "candidate"):
        for choice in ([], [0], [1], honest["choice"], other["choice"]):
            claim = {
                "kind": kind,
                "choice": choice,
                **({"witnesses": []} if kind == "candidate" else {}),
            }
            assert not ph.check(
                swapped(honest, other, [claim]), FOUR, mine, {"q": TREE}
            ).accepted


def test_each_violation_that_is_none_is_told() -> None:
    mine = policy("k_anonymity(2)")
    honest = ph.search(FOUR, mine, {"q": TREE}, space="subtrees").certificate
    half = ph.search(
        FOUR, mine, {"q": TREE}, space="subtrees", suppress="1/2"
    ).certificate
    assert honest and half
    tree = {
        label: node for node, label in enumerate(["a", "p", "*", "b", "c", "r", "d"])
    }
    for kind in ("box", "class"):
        said = {"kind": kind, "part": 0}
        for label in ("p", "r", "*"):
            claim = {**said, "blocks": [tree[label]]}
            assert "does not violate" in why(FOUR, mine, honest, claim)
            assert "not a block for each" in why(
                FOUR, mine, honest, {**claim, "blocks": []}
            )
            assert "no part" in why(FOUR, mine, honest, {**claim, "part": 1})
        claim = {**said, "blocks": [0]}
        assert "could be withheld" in why(FOUR, mine, half, claim)
        assert "could be withheld" in why(FOUR, mine, half, {**claim, "person": 0})
    cut = {"kind": "cut", "choice": honest["choice"]}
    assert "leaves 0 records" in why(FOUR, mine, honest, cut)
    few = {**cut, "choice": [next(u for u in half["choice"])]}
    assert "leaves 2 records" in why(FOUR, mine, half, few)
    one = {"kind": "candidate", "choice": honest["choice"], "witnesses": []}
    assert "not refuted in every way" in why(FOUR, mine, honest, one)


@pytest.mark.parametrize("kind", ["box", "class"])
def test_no_number_but_a_blocks_is_one_in_an_order(kind: str) -> None:
    frame = pd.DataFrame({"n": list("1234"), "f": list("xyyx")})
    types = {"types": {"n": "integer"}}
    mine = policy("alpha_k_anonymity(f, 1/2, 1)", "n", **types)
    honest = ph.search(frame, mine, space="intervals").certificate
    other = ph.search(
        frame, policy("k_anonymity(4)", "n", **types), space="intervals"
    ).certificate
    assert honest and other
    runs = [sum(1 << v for v in range(a, b)) for b in range(5) for a in range(b)]
    for block in range(-20, 30):
        claim = {"kind": kind, "part": 0, "blocks": [block]}
        assert not ph.check(
            swapped(honest, other, [*honest["clauses"], claim]), frame, mine
        ).accepted
        if block not in runs:
            assert "is no block" in why(frame, mine, honest, claim)


FORGED: list[dict[str, Any]] = [
    {"clauses": []},
    {"clauses": [1]},
    {"weights": {}},
    {"weights": {"q": None}},
    {"weights": 3},
    {"withheld_classes": [["nobody"]]},
    {"withheld_classes": [True]},
    {"choice": [1.0]},
    {"kind": "another"},
    {"format": 3},
    {"format": 4.0},
    {"more": 1},
    {"cost": "0"},
    {"choice": []},
    {"suppress": "1/2"},
    {"objective": "height"},
    {"rules": {"k": "k_anonymity(9)"}},
    {"closures": [{"part": 0, "upward": False, "how": "each"}]},
    {"space": "levels"},
]


@pytest.mark.parametrize("change", FORGED, ids=str)
def test_false_claims_are_refused(change: dict[str, Any]) -> None:
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest
    assert not ph.check(
        sealed(honest, **change), FOUR, policy("k_anonymity(2)"), {"q": TREE}
    ).accepted


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_too_few_clauses(space: str) -> None:
    """Without its clauses a certificate proves nothing, whatever it says of the
    bound.
    """
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space=space
    ).certificate
    assert honest
    for bound in (honest["bound"], {}, {"farkas": {}}, None):
        forged = sealed(honest, clauses=[], closures=[], bound=bound)
        result = ph.check(forged, FOUR, policy("k_anonymity(2)"), {"q": TREE})
        assert not result.accepted
        assert (
            space != "levels"
            or bound is not None
            or "a cheaper candidate meets all clauses" in result.problem
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
    for module in (hitting, hunt, answer):
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
    assert any("phverify[search]" in warning for warning in result.warnings)


# Searches that once went wrong


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
