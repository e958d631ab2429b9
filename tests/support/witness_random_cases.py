"""What the tests of witness random have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import phverify as ph
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import build
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import expand
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType
from support import oracle
from support.kripke import KripkeModel
from support.strategies import (
    AGENTS,
    QUASI,
)

Row = Mapping[str, str | None]


def signature(rows: list[Row], names: tuple[str, ...] = ()) -> Signature:
    kinds = {"f": TEXT, "g": ValueType("integer"), "q": TEXT, "r": TEXT}
    domains = {
        f: tuple(sorted({row[f] for row in rows}, key=lambda v: (v is None, str(v))))
        for f in kinds
    }
    attributes = {f: Attribute(f, kind, domains[f]) for f, kind in kinds.items()}
    return Signature(attributes, tuple(AGENTS), len(rows), names, len(rows))


def policy(
    rules: Mapping[str, str], assumptions: Mapping[str, str], **more: Any
) -> ph.Policy:
    columns = {"quasi": list(QUASI), "sensitive": ["f", "g"], "identifier": "who"}
    sections = {
        "types": {"g": "integer"},
        "agents": {"half": ["q"]},
        "assumptions": dict(assumptions),
    }
    return ph.Policy.from_dict(
        {"columns": columns, **sections, "rules": dict(rules), **more}
    )


def looked_up(text: str, language: Signature) -> s.Formula:
    """A formula with its names looked up, schemas and criteria written out."""
    formula, problems = resolve(parse(text), language, "test", text)
    assert not problems, problems
    return expand(
        formula, language, lambda node: build(node, language, {}).formula(language)
    )


def models(rows: list[Row], language: Signature) -> Iterator[KripkeModel]:
    return oracle.models(rows, AGENTS, language)
