"""Leaks as stories: what is told of rows that remain, of observers who know less, and on
what terms a promise is kept.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, said

import phverify as ph
from phverify.report.leak_story import in_words

TABLE = pd.DataFrame(
    {
        "zip": ["1", "1", "1", "2", "2"],
        "age": ["30", "30", "40", "40", "40"],
        "ill": ["flu", "hiv", "flu", "cold", "flu"],
        "who": ["Ann", "Bob", "Cem", "Dan", "Eve"],
    }
)


def page_of(rule: str, *assumptions: str, public: bool = False, **more: Any) -> str:
    policy: dict[str, Any] = {
        "columns": {"quasi": ["zip", "age"], "sensitive": ["ill"], "identifier": "who"},
        "agents": {"boss": ["zip"]},
        "secrets": {"*": ["ill = 'hiv'"]},
        "rules": {"r": rule},
        "assumptions": {f"a{n}": text for n, text in enumerate(assumptions, start=1)},
    }
    if not assumptions:
        del policy["assumptions"]
    page = ph.verify(TABLE, policy, **more).to_html(public=public)
    check_page(page)
    return said(page)


def test_who_knows_less_sees_more_rows() -> None:
    text = page_of("forall i: pignistic(i, boss) <= 0.09")
    for told in (
        "What an observer knows: the quasi-identifiers zip = 1, age = 30.",
        "What remains: 2 rows of the release, and by the release alone any of them may",
        "boss knows zip alone: to boss more rows may be alike.",
        "The probability of [the record is that of 'Ann'] for boss equals 1/3.",
    ):
        assert told in text
    assert "to boss" not in page_of("forall i: pignistic(i, a1) <= 0.09")
    text = page_of("l_a1(ill = 'hiv') - l_a0(ill = 'hiv') <= 0")
    assert "Whoever has the release alone knows nothing of a person" in text


def test_one_row_is_one_person() -> None:
    text = page_of("~(exists i: @i [a1] i)")
    assert "What remains: 1 row of the release, which is that person's in this" in text
    assert "At d3 it is so that the record is that of 'Cem'." in text


def test_what_is_known_by_assumption_is_told_so() -> None:
    text = page_of("never_known()", "@'Ann' d1")
    assert "what is assumed beside it may leave fewer" in text
    assert "it is so in every case that fits the release and the assumptions" in text
    assert "a1: The record of 'Ann' is d1. In the policy's language: @'Ann' d1" in text


@pytest.mark.parametrize("public", [False, True])
def test_promises_that_rest_on_assumptions_say_so(public: bool) -> None:
    rule = "never_known(@'Dan' ill = 'cold')"
    text = page_of(rule, "@'Ann' ill = 'flu'", public=public)
    assert "PROVED The release keeps every rule of the policy, as long as the" in text
    assert "kept in every case that the assumptions allow" in text
    assert ("'Ann'" in text) != public
    free = page_of("k_anonymity(1)", public=public)
    assert "PROVED The release keeps every rule of the policy. (1 rule" in free
    assert "The promise is kept, whoever is behind the rows." in free


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ill = missing is false at d6", "At d6 it is not so that ill is missing."),
        (
            "l_a1(ill = flu) = 1 = 1",
            "The probability of [ill is 'flu'] for whoever knows the quasi-identifiers"
            " equals 1.",
        ),
        (
            "l_a1(ill = flu) = 1/2 > 1/3",
            "The probability of [ill is 'flu'] for whoever knows the quasi-identifiers"
            " equals 1/2.",
        ),
    ],
)
def test_facts_in_words(text: str, words: str) -> None:
    assert in_words(text) == f"{words} In the policy's language: {text}"


def test_what_is_no_formula_stays_as_it_is() -> None:
    assert in_words("it is this or that is true at d3") == (
        "it is this or that is true at d3"
    )


def test_measured_criteria_are_told_in_words() -> None:
    policy = {
        "columns": {"quasi": ["zip"], "sensitive": ["ill"], "neutral": ["age", "who"]},
        "rules": {"r": "t_closeness(ill, 0.3) & k_anonymity(2)"},
    }
    measured = ph.measure(TABLE, policy)
    text = said(measured.to_html())
    first = "Every person is hidden among at least 2 people with the same"
    assert f"MEASURED {first}" in text
    assert "k_anonymity(k) every person is hidden among at least k people" in text
    assert "at least l different values of ill" in text
    public = said(measured.to_html(public=True))
    assert first not in public
    assert "l_diversity among people with the same quasi-identifiers" in public
    report = ph.verify(TABLE, policy, portrait=True)
    assert "the distribution of ill is within the distance t" in said(report.to_html())
    before = {**policy, "rules": {"r": "t_closeness(ill, 0.3, reference=original)"}}
    compared = ph.measure(TABLE, before, TABLE)
    for page in (compared.to_html(), compared.to_html(public=True)):
        assert "that in the whole table before sanitization" in said(page)
    alone = ph.measure(TABLE.iloc[:1], policy)
    assert "Somebody's quasi-identifiers are nobody else's" in said(alone.to_html())
    assert "nobody else's" not in said(alone.to_html(public=True))
