"""Criteria at their thresholds, large counts, and quasi-identifiers with types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from support.agreement_cases import policy

import phverify as ph
from phverify.spec.criterion.registry import CRITERIA


def one_class(
    counts: dict[str, int], other: dict[str, int] | None = None
) -> pd.DataFrame:
    rows = [("x", v) for v, k in counts.items() for _ in range(k)]
    rows += [("y", v) for v, k in (other or {}).items() for _ in range(k)]
    return pd.DataFrame(rows, columns=["q", "f"])


def decided(frame: pd.DataFrame, rule: str, **types: Any) -> str:
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "types": types,
        "rules": {"rule": rule},
    }
    return ph.verify(frame, ph.Policy.from_dict(section)).verdict


TIES: list[tuple[Callable[[], pd.DataFrame], str, str]] = [
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 3/10)",
        "proved",
    ),
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 0.3)",
        "proved",
    ),
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 0.29999999999999999)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 55, "b": 50}),
        "recursive_l_diversity(f, 1.1, 2)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 55, "b": 50}),
        "recursive_l_diversity(f, 1.10000000000000001, 2)",
        "proved",
    ),
    (
        lambda: one_class({"a": 3, "b": 0}, {"a": 1, "b": 8}),
        "beta_likeness(f, 2)",
        "proved",
    ),
    (
        lambda: one_class({"a": 3, "b": 0}, {"a": 1, "b": 8}),
        "beta_likeness(f, 1.9999999999999999999)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 1, "b": 1}, {"a": 1, "b": 3}),
        "delta_disclosure(f, 1)",
        "proved",
    ),
    (
        lambda: one_class({"a": 2, "b": 0}, {"a": 1, "b": 3}),
        "delta_disclosure(f, 1, absent=ignored)",
        "refuted",
    ),
]


@pytest.mark.parametrize(("frame", "rule", "verdict"), TIES)
def test_ties_at_thresholds(
    frame: Callable[[], pd.DataFrame], rule: str, verdict: str
) -> None:
    assert decided(frame(), rule) == verdict


@pytest.mark.parametrize("l", [*range(1, 40), 97, 767])
@pytest.mark.parametrize("repeat", [1, 3, 7])
def test_uniform_classes_satisfy_entropy_l(l: int, repeat: int) -> None:
    frame = one_class({f"v{k}": repeat for k in range(l)})
    assert decided(frame, f"entropy_l_diversity(f, {l})") == "proved"
    assert decided(frame, f"entropy_l_diversity(f, {l}.0000000001)") == "refuted"


def test_large_counts_do_not_overflow() -> None:
    frame = one_class({"a": 70_000, "b": 70_000}, {"a": 70_001, "b": 69_999})
    assert (
        decided(frame, "t_closeness(f, 0.000003571428)") == "refuted"
    )  # exactly 1/280000
    assert decided(frame, "t_closeness(f, 1/280000)") == "proved"
    assert decided(frame, "beta_likeness(f, 0.00000714280612257346)") == "refuted"
    assert decided(frame, "entropy_l_diversity(f, 2)") == "refuted"
    assert decided(frame, "entropy_l_diversity(f, 1.9999999)") == "proved"


def test_every_criterion_says_where_it_is_from() -> None:
    for kind in CRITERIA.values():
        assert kind.source and kind.__doc__ and kind.params is not None
    assert policy({"r": "k_anonymity(1)"}).rules


def test_a_criterion_beside_named_individuals() -> None:
    """Once, truth per cell and truth per class of a criterion were mixed up where
    classes have several profiles.
    """
    rows = [("y", "0"), ("x", "0"), ("y", "1"), ("z", "0"), ("z", "1"), ("z", "2")]
    frame = pd.DataFrame(rows, columns=["q", "g"])
    for rule, verdict in {
        "k_anonymity(2) | @i2 l_a1(g = 0) = 1": "proved",
        "k_anonymity(2) | @i1 l_a1(g = 0) = 1": "refuted",
        "@i2 ~k_anonymity(2)": "proved",
        "@i4 (k_anonymity(3) & ~k_anonymity(4)) & @i1 (k_anonymity(2) & ~k_anonymity(3))": (
            "proved"
        ),
        "@i4 l_a1(k_anonymity(3) & i5) = 1/3": "proved",
    }.items():
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["g"]},
            "rules": {"rule": rule},
        }
        assert ph.verify(frame, ph.Policy.from_dict(section)).verdict == verdict, rule


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_quasi_identifiers_in_formulas_are_the_released_values(encoding: Any) -> None:
    frame = pd.DataFrame(
        [("x", "a"), ("x", "b"), ("y", "a"), ("y", "a")], columns=["q", "f"]
    )
    for rule, verdict in {
        "l_diversity(q, 1) & l_diversity(f, 1)": "proved",
        "l_diversity(q, 2) | l_diversity(f, 3)": "refuted",
        "l_diversity(l=3, f=f)": "refuted",
        "t_closeness(f, distance=variational, t=0.1)": "refuted",
        "q = y -> [a1] f = a": "proved",
        "q = x -> ~[a1] f = a": "proved",
        "forall v in q: [a1] q = v | [a1] ~(q = v)": "proved",
        "forall c in clauses(q, 1): l_a1(c) < 1": "refuted",
    }.items():
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "rules": {"rule": rule},
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), rule


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_without_quasi_identifiers_there_is_one_class(encoding: Any) -> None:
    frame = pd.DataFrame({"f": ["a", "b", "b"]})
    for rule, verdict in {
        "k_anonymity(3)": "proved",
        "k_anonymity(4)": "refuted",
        "@i1 l_a1(f = b) = 2/3": "proved",
        "@i1 f = b": "refuted",
        "@i1 f = a -> @i2 f = b": "proved",
        "forall i: l_a0(i) = l_a1(i)": "proved",
    }.items():
        section = {
            "columns": {"quasi": [], "sensitive": ["f"]},
            "rules": {"rule": rule},
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), rule


def typed(values: list[str], rule: str, kind: str) -> str:
    frame = pd.DataFrame({"q": values, "f": ["a"] * len(values)})
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "types": {"q": kind},
        "rules": {"rule": rule},
    }
    return ph.verify(frame, ph.Policy.from_dict(section)).verdict


def test_typed_quasi_identifiers_keep_their_spelling() -> None:
    """Each occurring spelling is a value; a number in a rule finds it however it is
    spelled.
    """
    assert (
        typed(["01", "01", "2"], "forall v in q: l_a0(q = v) <= 1/2", "integer")
        == "refuted"
    )
    assert (
        typed(["01", "01", "2"], "l_a0(q = 1) = 2/3 & l_a0(q < 2) = 2/3", "integer")
        == "proved"
    )
    assert typed(["01", "1", "2"], "k_anonymity(2)", "integer") == "refuted"
    dates = ["1956-12-01", "19560101", "1956-06-01", "1956-12-01"]
    plain = ["1956-12-01", "1956-01-01", "1956-06-01", "1956-12-01"]
    for t in ("1/2", "7/12", "3/4", "1"):
        rule = f"t_closeness(q, {t}, distance=ordered)"
        assert typed(dates, rule, "date") == typed(plain, rule, "date")


def test_empty_texts_beside_missing_quasi_identifiers_are_refused() -> None:
    frame = pd.DataFrame({"q": ["", "x", None], "f": ["a", "b", "c"]}, dtype=object)
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"rule": "k_anonymity(1)"},
    }
    with pytest.raises(ph.InputError, match="make them one"):
        ph.verify(frame, ph.Policy.from_dict(section))


def test_a_variable_is_bound_once_in_a_list() -> None:
    with pytest.raises(ph.InputError, match="bound twice"):
        policy(
            {"rule": "forall c in clauses(f, 1), c in clauses(f, 2): l_a1(c) <= 1/2"}
        )


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_assumptions_may_be_schemas(encoding: Any) -> None:
    frame = pd.DataFrame([("x", "a"), ("x", "b"), ("y", "a")], columns=["q", "f"])
    for assumption, verdict in {
        "forall v in f: @i1 f = v -> @i2 ~(f = v)": "refuted",
        "forall c in clauses(f, 1): @i1 c -> @i1 f = b": "proved",
        "forall a in agents: @i1 [a] @i1 f = b": "proved",
        "exists v in f: @i1 f = v & @i3 ~(f = v)": "proved",
    }.items():
        rules, given_ = {"rule": "@i1 f = b"}, {"known": assumption}
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "assumptions": given_,
            "rules": rules,
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), assumption
