"""``never_known``: what follows from the release and all assumptions together, against
all models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from support.strategies import ABOUT_ONE, ONE, SMALL, descriptors, fit, tables
from support.witness_random_cases import (
    Row,
    looked_up,
    models,
    policy,
    signature,
)

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.spec.semantics import true_in

WARD: list[Row] = [
    {"q": "x", "r": "u", "f": f, "g": "1"} for f in ("hiv", "flu", "flu")
]
WARD += [{"q": "y", "r": "u", "f": f, "g": "1"} for f in ("hiv", "flu")]
SECRET = {"*": ["f = hiv"]}
Question = tuple[list[Row], dict[str, str], s.Formula, bool]
"""Rows, assumptions, a formula, and whether it is about everyone."""


def verify(
    rules: Mapping[str, str],
    told: Mapping[str, str],
    encoding: Any = "quotient",
    **more: Any,
) -> ph.Report:
    return ph.verify(pd.DataFrame(WARD), policy(rules, told, **more), encoding=encoding)


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_a_tip_that_leaves_one_place(encoding: Any) -> None:
    """logical_safety() does not hear of the tips; with both of them, everybody knows
    who is ill.
    """
    told = {"one": "@i2 f != hiv", "two": "@i3 f != hiv"}
    report = verify(
        {"safe": "logical_safety()", "known": "never_known()"},
        told,
        encoding,
        secrets=SECRET,
    )
    assert [rule.verdict for rule in report.rules] == ["proved", "refuted"]
    assert any(
        "never_known() asks whether a secret follows" in warning
        for warning in report.warnings
    )
    shown = report.rules[1].witness
    assert shown is not None
    assert shown.instance == "never_known(@i1 f = 'hiv')"
    assert (shown.world, shown.assignment["i1"]) == ("d1", "d1")
    assert "true in every model that satisfies the assumptions" in shown.statement
    report = verify(
        {"known": "never_known()"}, {"one": "@i2 f != hiv"}, encoding, secrets=SECRET
    )
    assert report.verdict == "proved"
    unknown = report.rules[0].unknown[0]
    assert unknown.true_if is not None
    assert unknown.false_if != unknown.true_if
    assert f"not known: {unknown.formula} is false if" in str(report)


def test_a_tip_about_any_class() -> None:
    """Not only the first class with somebody ill is asked about."""
    report = verify({"known": "never_known()"}, {"tip": "@i5 f != hiv"}, secrets=SECRET)
    shown = report.rules[0].witness
    assert shown is not None
    assert shown.instance == "never_known(@i4 f = 'hiv')"


def test_true_in_a_model_is_true_at_all_its_worlds() -> None:
    """No model makes ``i1`` true everywhere: there is none to show on that side."""
    report = verify(
        {
            "place": "never_known(i1)",
            "value": "never_known(f = hiv)",
            "both": "never_known(@i1 f = hiv)",
        },
        {},
    )
    assert report.verdict == "proved"
    assert [rule.unknown[0].true_if for rule in report.rules] == [
        None,
        None,
        {"i1": "d1"},
    ]


def test_a_formula_about_several() -> None:
    """That not both are ill does not follow from ``not known to be both``, nor the
    other way round.
    """
    both = "@i1 f = hiv & @i4 f = hiv"
    rules = {
        "unknown": f"never_known({both})",
        "asked": f"~[a1] ({both})",
        "excluded": f"never_known(~({both}))",
    }
    report = verify(rules, {})
    assert [rule.verdict for rule in report.rules] == ["proved", "refuted", "proved"]
    report = verify(rules, {"tip": "@i2 f != hiv & @i3 f != hiv & @i5 f != hiv"})
    assert [rule.verdict for rule in report.rules] == ["refuted", "refuted", "proved"]


@pytest.mark.parametrize(
    "rule", ["~never_known(f = hiv)", "@i1 never_known(f = hiv)", "exists i: never_known(@i f = hiv)",
             "never_known(never_known(f = hiv))", "k_anonymity(2) | never_known()", "[a1] never_known(f = hiv)"],
)  # fmt: skip
def test_where_it_may_stand(rule: str) -> None:
    with pytest.raises(
        ph.InputError, match="it stands at the top of a rule, below forall and & only"
    ):
        verify({"r": rule}, {}, secrets=SECRET)


def test_where_it_may_not_stand() -> None:
    with pytest.raises(ph.InputError, match="it stands at the top of a rule"):
        verify({"r": "true"}, {"tip": "never_known(@i1 f = hiv)"})
    with pytest.raises(ph.InputError, match="there are no \\[secrets\\]"):
        verify({"r": "never_known()"}, {})


def test_it_is_printed_as_it_is_parsed() -> None:
    for text in (
        "never_known(@i3 f = 2)",
        "forall i: never_known(@i f = 2)",
        "never_known(i1 -> f = 2) & k_anonymity(2)",
    ):
        assert to_text(parse(text)) == text
    assert parse("never_known()") == s.Criterion("never_known")


def expected(
    rows: list[Row], told: Mapping[str, str], phi: s.Formula, everyone: bool
) -> str:
    """The verdict by all models: whether phi (of each individual) is true in all that
    satisfy the assumptions.
    """
    language = signature(rows)
    given_ = [looked_up(a, language) for a in told.values()]
    left = [m for m in models(rows, language) if all(true_in(m, a) for a in given_)]
    if not left:
        return "contradictory"
    who = range(len(rows)) if everyone else range(1)
    asked = [s.substitute(phi, {"i": s.Name(f"i{k + 1}")}) for k in who]
    known = any(
        all(true_in(m, looked_up(to_text(f), language)) for m in left) for f in asked
    )
    return "refuted" if known else "proved"


@st.composite
def questions(draw: st.DrawFn) -> Question:
    rows: list[Row] = draw(tables(5, missing=False))  # type: ignore[assignment]
    table = [dict(row) for row in rows]
    people = st.sampled_from([s.Name(f"i{k + 1}") for k in range(len(rows))])
    known = st.builds(s.At, people, st.one_of(descriptors(), descriptors().map(s.Not)))
    told = draw(st.lists(st.one_of(known, known, SMALL), max_size=3))
    everyone = draw(st.booleans())
    secret = st.builds(s.At, st.just(ONE), descriptors())
    phi = draw(
        st.one_of(secret, secret, ABOUT_ONE) if everyone else st.one_of(known, SMALL)
    )
    return (
        rows,
        {f"a{k}": to_text(fit(a, table)) for k, a in enumerate(told)},
        fit(phi, table),
        everyone,
    )


@so_many(65)
@given(questions(), st.sampled_from(["quotient", "quotient", "full"]))
def test_against_all_models(question: Question, encoding: Any) -> None:
    as_all_models_say(question, encoding)


def as_all_models_say(question: Question, encoding: Any) -> None:
    rows, told, phi, everyone = question
    rule = to_text(
        s.Quantified(True, (s.Binder(ONE, "individuals"),), s.NeverKnown(phi))
        if everyone
        else s.NeverKnown(phi)
    )
    wanted = expected(rows, told, phi, everyone)
    encoding = encoding if len(rows) < 5 else "quotient"
    try:
        result = ph.verify(
            pd.DataFrame(rows), policy({"r": rule}, told), encoding=encoding
        ).rules[0]
    except ph.InputError as error:
        assert (wanted, "contradict" in str(error)) == ("contradictory", True)
        return
    assert result.verdict == wanted
    language = signature(rows)
    given_ = [looked_up(a, language) for a in told.values()]
    for unknown in result.unknown:
        formula = looked_up(unknown.formula, language)
        left = [m for m in models(rows, language) if all(true_in(m, a) for a in given_)]
        assert not all(true_in(m, formula) for m in left)
    if result.witness is not None:
        phi = parse(result.witness.instance)
        assert isinstance(phi, s.NeverKnown)
        assert expected(rows, told, phi.body, False) == "refuted"


def test_a_search_asks_it_of_every_candidate() -> None:
    table = pd.DataFrame(
        {"who": list("abcd"), "q": list("1122"), "f": ["hiv", "flu", "flu", "flu"]},
        dtype=object,
    )
    rules = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q"], "sensitive": ["f"], "identifier": "who"},
            "hierarchies": {"q": {"masking": "right"}},
            "secrets": {"*": ["f = hiv"]},
            "assumptions": {"tip": "@b f != hiv"},
            "rules": {"r": "never_known()"},
        }
    )
    found = ph.search(table, rules)
    assert found.verdict == "optimal"
    assert found.release is not None
    assert list(found.release["q"]) == ["*"] * 4
