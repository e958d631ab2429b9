"""The parser of formulas: kept texts with their trees, errors that point, and what is
printed is read again.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.certificate_reading_cases import mutated
from support.parsed import tree
from support.so_many import so_many
from support.strategies import RULES

from phverify.errors import InputError
from phverify.logic.printer import UNICODE, to_text
from phverify.spec import syntax as s
from phverify.spec.parser import parse

KEPT: dict[str, Any] = json.loads(
    (Path(__file__).parent / "support" / "parsed_formulas.json").read_text(
        encoding="utf-8"
    )
)
"""By text the tree that an LALR grammar of the language once gave; None for what was no
formula.
"""


@pytest.mark.parametrize("text", KEPT, ids=lambda text: text[:40])
def test_kept_texts(text: str) -> None:
    try:
        found = tree(parse(text))
    except InputError:
        found = None
    assert found == KEPT[text]


@so_many(150)
@given(RULES)
def test_what_is_printed_is_read_again(formula: s.Formula) -> None:
    for style in (to_text(formula), to_text(formula, UNICODE)):
        assert parse(style) == parse(to_text(parse(style)))


@so_many(750)
@given(
    st.sampled_from([text for text in KEPT if text and "e9" not in text]),
    st.integers(0, 2**40),
)
def test_a_mutated_text_is_read_in_one_way_or_refused(text: str, seed: int) -> None:
    changed = mutated(text, random.Random(seed))
    try:
        found = parse(changed)
    except InputError as error:
        (problem,) = error.problems
        assert problem.where == "formula"
        return
    assert parse(to_text(found)) == found
    for node in s.subformulas(found):
        assert node.span is not None
        assert 0 <= node.span.start < node.span.end <= len(changed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: the formula ends too early"),
        (
            "a = 1 b",
            (
                "line 1, column 7: 'b' does not fit here\n    a = 1 b\n          ^\n   "
                " expected &, ->, <->, the end or |"
            ),
        ),
        (
            "a = $",
            (
                "cannot read '$' here\n    a = $\n        ^\n    expected a name, a"
                " quoted name, a value or missing"
            ),
        ),
        (
            "a &\n b = ?",
            "line 2, column 6: cannot read '?' here\n     b = ?\n         ^",
        ),
        ("forall i a", "expected ',', ':' or in"),
        (
            "<a1 d1",
            "column 5: 'd1' does not fit here\n    <a1 d1\n        ^\n    expected >",
        ),
        (
            "l_divrsity(f, 2)",
            (
                "did you mean 'l_diversity'? (l_divrsity reads as the likelihood of an"
                " agent 'divrsity')"
            ),
        ),
        ("1/0 < l_a1(d1)", "column 1: '1/0' divides by zero"),
        (
            "forall c in clauses(f, 1/2): c",
            "column 8: a clause has a whole number of values, at least 1",
        ),
        ("1/0 < l_a1(d1", "the formula ends too early"),
        ("~" * 60 + "d1", "the formula is nested more than 60 levels deep"),
        ("(" * 5000, "the formula is nested too deeply"),
        ("pignistic(i1) <= 1", "expected ','"),
        ("2 l_a1(d1)", "expected !=, +, -, <, <=, =, > or >="),
    ],
)
def test_errors(text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text, "rules.r")
    assert str(error.value).startswith("rules.r: ")
    assert said in str(error.value)


def test_spans() -> None:
    text = "(a = 1) & ~ [a1] i | k_anonymity( 2 )"
    found = {
        text[n.span.start : n.span.end] for n in s.subformulas(parse(text)) if n.span
    }
    assert found == {
        text,
        "(a = 1) & ~ [a1] i",
        "a = 1",
        "~ [a1] i",
        "[a1] i",
        "i",
        "k_anonymity( 2 )",
    }
