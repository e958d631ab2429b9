"""Formulas in English: what a rule promises, for who reads no logic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from support.examples import EXAMPLES
from support.so_many import so_many
from support.strategies import ABOUT_TWO

import phverify as ph
from phverify.logic.criterion_words import WORDS, criterion_words
from phverify.logic.english import Wording, in_english
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import names, params
from phverify.spec.parser import parse

SEES = "At every record of the release: "
KNOWS = "whoever knows the quasi-identifiers"
SENTENCES = {
    "true": "This is so in any case.",
    "k_anonymity(5)": "Every person is hidden among at least 5 people with the same quasi-identifiers.",
    "k_anonymity(2) & l_diversity(health, 3)": (
        "Every person is hidden among at least 2 people with the same quasi-identifiers."
        " Among people with the same quasi-identifiers there are at least 3 different"
        " values of health."
    ),
    # below another connective a criterion is about one class
    "k_anonymity(3) | f = 1": (
        f"{SEES}(in the class of that record, every person is hidden among at least 3"
        " people with the same quasi-identifiers), or f is 1."
    ),
    "~logical_safety()": (
        "It is not so that (whoever knows the quasi-identifiers cannot be certain of any"
        " secret of a person)."
    ),
    "forall i: l_a1(i) <= 1/2": (
        f"{SEES}for every person i: the probability of [the record is that of i] for"
        f" {KNOWS} is at most 1/2."
    ),
    "@i3 ~[a1](income = '100K' | health in {2, 3})": (
        f"At the record of i3, {KNOWS} cannot be certain that (income is 100K, or"
        " health is one of 2, 3)."
    ),
    "forall i: @i ~<a1> i": (
        f"For every person i: at the record of i, {KNOWS} can rule out that the record"
        " is that of i."
    ),
    "@i3 d4": "The record of i3 is d4.",
    "@i3 ~i4 -> @d4 i3": "If the record of i3 is not that of i4, then d4 is that of i3.",
    "exists v in f: [a0] f = v": (
        f"{SEES}there is some value v of f such that whoever has the release alone knows"
        " that f is v."
    ),
    "forall c in clauses(f, 2): ~[nurse] c": (
        f"{SEES}for every choice c of at most 2 values of f: nurse (who knows age, 'zip"
        " code') cannot be certain that the value is among c."
    ),
    "forall a in agents: <a> ~c = 1": (
        f"{SEES}for every observer a: a must take it for possible that c is not 1."
    ),
    "f < 3 -> ~(f >= 1)": f"{SEES}if f is below 3, then (it is not so that f is at least 1).",
    "f != 1 <-> ~(g > 1 & false)": (
        f"{SEES}f is not 1 exactly if (it is not so that (g is above 1, and this is never so))."
    ),
    "2 * l_a1(f = 1) - abs(l_a0(f = 1) - 1/2) >= 1/4": (
        f"{SEES}2 times the probability of [f is 1] for {KNOWS} minus the absolute value"
        " of (the probability of [f is 1] for whoever has the release alone minus 1/2)"
        " is at least 1/4."
    ),
    "~(l_a1(f = missing) = 1)": (
        f"{SEES}the probability of [f is missing] for {KNOWS} differs from 1."
    ),
    "never_known(@i1 f = 1)": (
        "It never follows from the release and the assumptions that at the record of i1,"
        " f is 1."
    ),
    "t_closeness(f, 0.2, distance=ordered, reference=original)": (
        "Among people with the same quasi-identifiers the distribution of f is within"
        " the distance 0.2 of that in the whole table before sanitization, measured"
        " along the order of the values."
    ),
    "guarded(f, 'viral', 0.5)": (
        "Among people with the same quasi-identifiers at most the share 0.5 has a value"
        " of f at or below 'viral' in its hierarchy."
    ),
}
WORDING = Wording({"a0": (), "a1": ("age",), "nurse": ("age", "zip code")})


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences(text: str) -> None:
    assert in_english(parse(text), WORDING) == SENTENCES[text]


def test_all_criteria_have_words() -> None:
    assert set(WORDS) == set(names())
    for name in names():
        given = {
            one.name: f"<{one.name}>" for one in params(name) if one.default is None
        }
        said = criterion_words(name, (), given)
        for text in given.values():
            shown = "'<f>'" if text == "<f>" else text
            assert shown in said, (name, text)
        assert "{" not in said


def kinds(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_all_of_the_syntax_has_words() -> None:
    met = {type(node) for text in SENTENCES for node in s.subformulas(parse(text))}
    met |= {type(node) for text, _ in EXAMPLES for node in s.subformulas(parse(text))}
    assert {
        kind.__name__ for kind in kinds(s.Formula) if kind.__module__ == s.__name__
    } <= {kind.__name__ for kind in met}


def test_different_promises_have_different_words() -> None:
    said: dict[str, str] = {}
    for text, _ in EXAMPLES:
        formula = parse(text)
        shown = to_text(formula)
        words = in_english(formula)
        assert said.setdefault(words, shown) == shown


def _secret(formula: s.Formula) -> s.Formula:
    """The formula with each value, name and record replaced by one to be found."""
    match formula:
        case s.Descriptor(_, _, values):
            kept = [
                one if isinstance(one, s.Var) else s.Value("SECRET") for one in values
            ]
            formula = replace(formula, values=tuple(kept))
        case s.Nominal(name) | s.At(name) if not isinstance(name, s.Var):
            formula = replace(formula, name=s.Person(0, "SECRET"))
    return s.rebuild(formula, _secret)


@so_many(100)
@given(ABOUT_TWO)
def test_what_is_hidden_is_not_said(formula: s.Formula) -> None:
    public = Wording(hide=lambda column: True, hide_people=True)
    assert "SECRET" not in in_english(_secret(formula), public)


def test_hidden_arguments() -> None:
    public = Wording(hide=lambda column: True, hide_people=True)
    for text in ("guarded(f, SECRET, 0.5)", "guarded(share=0.5, node=SECRET, f=f)"):
        assert "SECRET" not in in_english(parse(text), public)
        assert "SECRET" in in_english(parse(text))


def test_rules_come_with_their_promise() -> None:
    table = {"q": ["1", "1"], "s": ["SECRET", "b"], "id": ["Ada", "Bob"]}
    import pandas as pd

    roles = {"quasi": ["q"], "sensitive": ["s"], "identifier": "id"}
    rules = {"safe": "@'Ada' ~[a1] s = 'SECRET'"}
    report = ph.verify(pd.DataFrame(table), {"columns": roles, "rules": rules})
    (rule,) = report.rules
    assert (
        rule.promise
        == f"At the record of 'Ada', {KNOWS} cannot be certain that s is 'SECRET'."
    )
    assert rule.public_promise == (
        f"At the record of a certain person, {KNOWS} cannot be certain that s is a certain value."
    )
    redacted = ph.verify(
        pd.DataFrame(table), {"columns": roles, "rules": rules}, redact=True
    )
    assert redacted.rules[0].promise == (
        f"At the record of i1, {KNOWS} cannot be certain that s is a certain value."
    )
