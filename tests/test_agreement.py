"""Several roads, one verdict: enumeration of all models, the quotient encoding, the
full encoding.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.oracle import Row, valid
from support.strategies import AGENTS, QUASI, RULES, SMALL, fit, shares, tables

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType

CASES = None if settings.get_current_profile_name() == "fuzz" else 1500


def cases(count: int) -> Any:
    """So many cases in CI; the fuzz profile decides for itself."""
    return settings() if CASES is None else settings(max_examples=count)


def signature(rows: list[Row]) -> Signature:
    kinds = {"f": TEXT, "g": ValueType("integer"), "q": TEXT, "r": TEXT}
    domains = {
        f: tuple(sorted({row[f] for row in rows}, key=lambda v: (v is None, str(v))))
        for f in kinds
    }
    attributes = {f: Attribute(f, kind, domains[f]) for f, kind in kinds.items()}
    return Signature(attributes, tuple(AGENTS), len(rows), (), len(rows))


def policy(
    rules: dict[str, str], assumptions: dict[str, str] | None = None
) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"]},
            "types": {"g": "integer"},
            "agents": {"half": ["q"]},
            "assumptions": assumptions or {},
            "rules": rules,
        }
    )


def looked_up(text: str, rows: list[Row]) -> s.Formula:
    formula, problems = resolve(parse(text), signature(rows), "test", text)
    assert not problems, problems
    return formula


def ask(
    rows: list[Row], text: str, encoding: str, assumptions: dict[str, str] | None = None
) -> ph.Report:
    return ph.verify(
        pd.DataFrame(rows), policy({"rule": text}, assumptions), encoding=encoding
    )  # type: ignore[arg-type]


@st.composite
def questions(draw: st.DrawFn, most: int = 5) -> tuple[list[Row], str]:
    rows = draw(tables(most))
    return rows, to_text(fit(draw(RULES), rows))


@cases(300)
@given(questions())
@example(([{"q": "x", "r": "u", "f": "a", "g": "0"}], "~(f = a)"))
def test_quotient_agrees_with_all_models(question: tuple[list[Row], str]) -> None:
    rows, text = question
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    assert (ask(rows, text, "quotient").verdict == "proved") == expected


@cases(150)
@given(questions(4))
def test_full_agrees_with_all_models(question: tuple[list[Row], str]) -> None:
    rows, text = question
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    report = ask(rows, text, "full")
    assert report.verdict == ("proved" if expected else "refuted"), report


@cases(80)
@given(tables(4), shares(True))
def test_values_of_a_schema(rows: list[Row], schema: s.Formula) -> None:
    text = to_text(fit(schema, rows))
    expected = valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    for encoding in ("quotient", "full"):
        assert (ask(rows, text, encoding).verdict == "proved") == expected, encoding


@st.composite
def assumed(draw: st.DrawFn) -> tuple[list[Row], str, list[str]]:
    rows = draw(tables())
    given_ = [fit(a, rows) for a in draw(st.lists(SMALL, min_size=1, max_size=2))]
    person = draw(st.integers(1, len(rows)))
    value = draw(st.sampled_from(sorted({str(row["g"]) for row in rows})))
    known = s.At(s.Name(f"i{person}"), s.Not(s.Descriptor("g", "=", (s.Value(value),))))
    return (
        rows,
        to_text(fit(draw(RULES), rows)),
        [*map(to_text, given_ if draw(st.booleans()) else []), to_text(known)],
    )


@cases(200)
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


@cases(150)
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
