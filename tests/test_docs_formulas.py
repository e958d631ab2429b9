"""The page about formulas has every form, and its examples get the verdicts shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import phverify as ph
from phverify.spec import syntax as s
from phverify.spec.parser import parse

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "formulas.md"
HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
if not PAGE.exists():
    pytest.skip("installed without docs", allow_module_level=True)
SHOWN = re.compile(r"`([^`]+)`: (proved|refuted) \|$", re.MULTILINE)
EXAMPLES = [
    (rule.replace("\\|", "|"), verdict)
    for rule, verdict in SHOWN.findall(PAGE.read_text(encoding="utf-8"))
]
POLICY: dict[str, Any] = {
    "columns": {
        "quasi": ["birth", "zip"],
        "sensitive": ["income", "health"],
        "neutral": ["height"],
    },
    "types": {"height": "integer"},
    "secrets": {"*": ["income = '100K' or health = 2"]},
}


def test_examples_get_the_verdicts_shown() -> None:
    rules = {rule: rule for rule, _ in EXAMPLES}
    report = ph.verify(HOSPITAL / "release.csv", {**POLICY, "rules": rules})
    told = {one.name: one.verdict for one in report.rules}
    assert told == dict(EXAMPLES) and len(told) > 25


def test_every_form_has_an_example() -> None:
    """All kinds of nodes, and of bound variables."""
    nodes = [node for rule, _ in EXAMPLES for node in s.subformulas(parse(rule))]
    there = {type(node).__name__ for node in nodes}
    forms = [one for one in s.Formula.__subclasses__() if one.__module__ == s.__name__]
    assert {one.__name__ for one in forms} <= there
    bound = [node for node in nodes if isinstance(node, s.Quantified)]
    sorts = {binder.sort for node in bound for binder in node.binders}
    assert sorts == {"individuals", "values", "clauses", "agents"}


def test_what_binds_how() -> None:
    assert parse("@i3 h = 2 & d4") == parse("(@i3 h = 2) & d4")
    assert parse("h = 1 -> h = 2 -> h = 3") == parse("h = 1 -> (h = 2 -> h = 3)")
    assert parse("forall i: i & d4") == parse("forall i: (i & d4)")
    with pytest.raises(ph.InputError, match="needs parentheses"):
        parse("d4 & forall i: i")
    for number in ("0.75", "75%"):
        assert parse(f"l_a1(h = 2) <= {number}") == parse("l_a1(h = 2) <= 3/4")
