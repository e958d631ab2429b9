"""What the checker of certificates reads, it reads as the rest of phverify does.

Tables, policies and criteria by two roads that have no code in common, formulas with
what these say of their names. The other way round nothing is asked: a text that only
the checker refuses leaves a certificate unchecked, one that it misreads would be a lie.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from support.certificate_reading_cases import (
    SMALL_POLICY,
    TEXTS,
    both,
    by_the_checker,
    by_the_engine,
    lines,
    mixed,
)
from support.examples import EXAMPLES
from support.so_many import so_many
from support.strategies import RULES, fit, tables

import phverify
from phverify.logic.printer import UNICODE, to_text
from phverify.spec import data as d
from phverify.spec import rules as f
from phverify.spec import syntax as s

FOLDER = Path(phverify.__file__).parent / "spec"


OWN = [
    str(path.relative_to(FOLDER).with_suffix(""))
    for path in sorted(FOLDER.rglob("*.py"))
]


@pytest.mark.parametrize("name", OWN)
def test_only_the_standard_library_is_imported(name: str) -> None:
    for node in ast.walk(
        ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    ):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        )
        for module in names:
            own = module == "phverify.errors" or module.split(".")[:2] == [
                "phverify",
                "spec",
            ]
            assert own or module.split(".")[0] in sys.stdlib_module_names, (
                f"{name} imports {module}"
            )


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_both_read_the_same(text: str) -> None:
    signature, data = mixed()
    assert by_the_checker(text, data) == by_the_engine(text, signature, data)


HOSPITAL_POLICY: dict[str, Any] = {
    "columns": {
        "quasi": ["birth", "zip"], "sensitive": ["income", "health"], "neutral": ["height"], "identifier": "person"
    },
    "rules": {"r": "true"},
}  # fmt: skip


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
def test_worked_examples(text: str, verdict: str, tmp_path: Path) -> None:
    head, *rows = (
        files("phverify.examples.hospital")
        .joinpath("release.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    table = "\n".join(
        [f"person,{head}", *(f"i{k},{row}" for k, row in enumerate(rows, 1))]
    )
    signature, data = both(HOSPITAL_POLICY, table, tmp_path)
    found = by_the_checker(text, data)
    assert found is not None
    assert found == by_the_engine(text, signature, data)


@so_many(125)
@given(tables(), RULES)
def test_printed_formulas(
    tmp_path_factory: Any, rows: list[dict[str, str | None]], formula: s.Formula
) -> None:
    signature, data = both(SMALL_POLICY, lines(rows), tmp_path_factory.getbasetemp())
    for text in (to_text(fit(formula, rows)), to_text(fit(formula, rows), UNICODE)):
        found = by_the_checker(text, data)
        assert found is not None
        assert found == by_the_engine(text, signature, data)


SUBSCRIPTED = [
    "forall i₁: @i₁ health = 2",
    "forall v₁ in health: health = v₁",
    "forall i₁, i₂: i₁ | i₂",
]


@pytest.mark.parametrize("text", SUBSCRIPTED)
def test_variables_with_subscripts(text: str) -> None:
    signature, data = mixed()
    expected = by_the_engine(text.translate(PLAIN), signature, data)
    assert (
        by_the_checker(text, data) == by_the_engine(text, signature, data) == expected
    )


PLAIN = str.maketrans("₁₂", "12")


def test_positions_are_plain_numbers() -> None:
    data = replace(mixed()[1], rows=20, names=(), home=((),) * 20)
    both_named = s.And((s.Nominal(s.Person(12)), s.Nominal(s.Row(19))))
    assert f.looked_up(f.read("i13 & d20"), data) == both_named
    for text in ("i1٣", "d21", "i013", "i0", "'i13'"):
        with pytest.raises(d.Refused):
            f.looked_up(f.read(text), data)


@pytest.mark.parametrize(
    "args",
    ["health, f=health, delta=1", "f=health, f=health, delta=1", "health, 1, delta=2"],
)
def test_an_argument_is_given_once(args: str) -> None:
    with pytest.raises(d.Refused, match="twice"):
        f.looked_up(f.read(f"delta_disclosure({args})"), mixed()[1])
