"""Several roads, one verdict: enumeration of all models, the quotient encoding, the
full encoding.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.agreement_cases import (
    ask,
    assumed,
    looked_up,
    questions,
    signature,
)
from support.oracle import Row, valid
from support.so_many import so_many
from support.strategies import AGENTS, fit, shares, tables

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s


@so_many(90)
@given(questions())
@example(([{"q": "x", "r": "u", "f": "a", "g": "0"}], "~(f = a)"))
def test_quotient_agrees_with_all_models(question: tuple[list[Row], str]) -> None:
    rows, text = question
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    assert (ask(rows, text, "quotient").verdict == "proved") == expected


@so_many(75)
@given(questions(4))
def test_full_agrees_with_all_models(question: tuple[list[Row], str]) -> None:
    rows, text = question
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    report = ask(rows, text, "full")
    assert report.verdict == ("proved" if expected else "refuted"), report


@so_many(40)
@given(tables(4), shares(True))
def test_values_of_a_schema(rows: list[Row], schema: s.Formula) -> None:
    text = to_text(fit(schema, rows))
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    for encoding in ("quotient", "full"):
        assert (ask(rows, text, encoding).verdict == "proved") == expected, encoding


@so_many(100)
@given(assumed())
def test_assumptions_restrict_the_models(
    question: tuple[list[Row], str, list[str]],
) -> None:
    rows, text, given_ = question
    formulas_ = [looked_up(a, rows) for a in given_]
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows), formulas_)
    for encoding in ("quotient", "full") if len(rows) < 5 else ("quotient",):
        try:
            verdict = ask(
                rows, text, encoding, {f"a{k}": a for k, a in enumerate(given_)}
            ).verdict
        except ph.InputError as error:
            assert expected is None, error
            assert "contradict" in str(error)
        else:
            assert verdict == {True: "proved", False: "refuted"}.get(
                expected, "contradictory"
            )  # type: ignore[arg-type]


@so_many(75)
@given(questions(), st.randoms())
def test_row_order_does_not_matter(
    question: tuple[list[Row], str], random: Any
) -> None:
    rows, text = question
    if "i" in text.replace("in", "") or "d" in text:  # names refer to rows by position
        text = "forall i, v in f: @i l_a1(f = v) <= 2 * l_half(f = v)"
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = [rows[k] for k in order]
    assert (
        ask(rows, text, "quotient").verdict == ask(shuffled, text, "quotient").verdict
    )


AGES = [
    {"q": "x", "r": "u", "f": "a", "g": "1"},
    {"q": "x", "r": "u", "f": "b", "g": "2"},
]


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">="])
def test_a_value_of_a_schema_keeps_its_operator(op: str) -> None:
    text = f"forall v in g: l_a1(g {op} v) >= 1/2"
    expected = valid(AGES, AGENTS, signature(AGES), looked_up(text, AGES))
    assert expected == (op not in "<>")
    for encoding in ("quotient", "full"):
        assert (ask(AGES, text, encoding).verdict == "proved") == expected, encoding


def test_a_value_of_a_schema_beside_other_values() -> None:
    rows: list[Row] = [*AGES, {"q": "x", "r": "u", "f": "c", "g": "0"}]
    for text in (
        "forall v in g: l_a1(g in {v, 2}) >= 2/3",
        "forall v in f, w in f: l_a1(f in {v, w, c}) < 1",
    ):
        assert valid(rows, AGENTS, signature(rows), looked_up(text, rows)) is False
        for encoding in ("quotient", "full"):
            assert ask(rows, text, encoding).verdict == "refuted", encoding


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_two_individuals_are_on_two_rows(encoding: str) -> None:
    assert ask(AGES, "~(@i1 f = a & @i2 f = a)", encoding).verdict == "proved"
