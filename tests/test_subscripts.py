"""Subscripts count as digits where a formula numbers (i₃, d₄, a₁, variables), and
nowhere in what data are called.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.logic.printer import UNICODE, to_text
from phverify.spec import syntax as s
from phverify.spec.criterion import registry
from phverify.spec.parser import parse

NAMES = st.sampled_from(["x1", "x₁", "i1", "i₁", "d₁", "a₁", "v₂", "in₁"])


def report(rule: str, more: str = "") -> ph.Report:
    """Column x1 is diverse in every class, x₁ in none; one person is called Ann1,
    another one Ann₁.
    """
    rows = [
        ("A", "1", "1", "Ann1"),
        ("A", "2", "1", "Bob"),
        ("B", "1", "2", "Ann₁"),
        ("B", "2", "2", "Cid"),
    ]
    frame = pd.DataFrame(rows, columns=["q", "x1", "x₁", "who"])
    columns = {"quasi": ["q"], "sensitive": ["x1", "x₁"], "identifier": "who"}
    return ph.verify(
        frame, ph.Policy.from_dict({"columns": columns, "rules": {"rule": rule}})
    )


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("l_diversity(x1, 2)", "proved"),
        ("l_diversity(x₁, 2)", "refuted"),
        ("l_diversity('x₁', 2)", "refuted"),
        ("forall v₁ in x1: ~[a₁] x1 = v₁", "proved"),
        ("forall v₁ in x₁: ~[a₁] x₁ = v₁", "refuted"),
        ("@Ann1 [a1] x₁ = 1", "proved"),
        ("@Ann₁ [a1] x₁ = 1", "refuted"),
        ("@Ann₁ [a1] x₁ = 2", "proved"),
        ("@i₃ [a1] x₁ = 2", "proved"),
        ("d₃ -> x₁ = 2", "proved"),
    ],
)
def test_a_name_is_that_of_the_data(rule: str, verdict: str, tmp_path: Path) -> None:
    found = report(rule)
    assert found.verdict == verdict
    assert report(to_text(parse(rule))).verdict == verdict


def test_readme_says_where_subscripts_are_digits() -> None:
    readme = Path(__file__).parents[1] / "docs" / "reference" / "formulas.md"
    said = " ".join(readme.read_text(encoding="utf-8").split())
    assert "`i₃`, `d₄`, `a₁`, a variable `v₂` are `i3`, `d4`, `a1`, `v2`" in said
    for written, read in [
        ("@i₃ x₁ = 1", "@i3 x₁ = 1"),
        ("[a₁] d₄ -> x₁ = 1", "[a1] d4 -> x₁ = 1"),
    ]:
        one, two = report(written).rules[0], report(read).rules[0]
        assert (one.formula, one.verdict) == (two.formula, two.verdict)
    variable = "forall v₂ in x1: l_a₁(x1 = v₂) <= 1"
    plain = "forall v2 in x1: l_a1(x1 = v2) <= 1"
    assert to_text(parse(variable)) == plain
    assert parse("x₁ = 1") != parse("x1 = 1")
    with pytest.raises(ph.InputError, match="cannot read '₂' here"):
        report("k_anonymity(₂)")


def test_an_agent_that_reads_as_another_is_none() -> None:
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    with pytest.raises(ph.InputError, match="plain digits"):
        ph.Policy.from_dict(
            {
                "columns": columns,
                "agents": {"a₁": []},
                "rules": {"rule": "k_anonymity(2)"},
            }
        )


@so_many(150)
@given(NAMES, NAMES, NAMES)
def test_what_is_printed_is_read_again(column: str, value: str, person: str) -> None:
    formula = s.conj(
        s.equals(column, value),
        s.Nominal(s.Name(person, True)),
        s.Criterion("c", (column, value)),
    )
    assert parse(to_text(formula)) == formula
    assert parse(to_text(formula, UNICODE)) == formula


def test_each_file_of_a_criterion_is_called_as_it_is() -> None:
    for name in registry.FILES:
        assert registry.params(name) is not None


@pytest.mark.parametrize("text", ["[₁] true", "forall ₁: ₁", "@₁ true"])
def test_no_name_begins_with_a_subscript(text: str) -> None:
    """It would be a number where it is printed."""
    with pytest.raises(ph.InputError):
        parse(text)
