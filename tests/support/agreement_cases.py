"""What the tests of agreement have in common."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

import phverify as ph
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType
from support.oracle import Row
from support.strategies import AGENTS, QUASI, RULES, SMALL, fit, tables


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
