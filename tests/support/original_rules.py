"""Rules that compare classes with the original table, and their definitions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from support.oracle import Row
from support.search_oracle import ClassTest, Judge
from support.search_questions import Case, Setting, class_rules, criteria

OF_TABLE = re.compile(
    r"((?:t_closeness|beta_likeness|delta_disclosure|average_benefit)\([^()]*)\)"
)
"""A criterion that looks at the table; ``enhanced_beta_likeness`` ends like another."""


def of_original(rule: tuple[str, ClassTest], original: list[Any]) -> tuple[str, Any]:
    """The rule with ``reference=original``, whatever the released rows are."""
    text, test = rule

    def beside(members: list[Row], released: list[Row]) -> bool:
        return test(members, original)

    return OF_TABLE.sub(r"\1, reference=original)", text), beside


def looks_at_table(rule: tuple[str, ClassTest]) -> bool:
    """Whether a rule has such a criterion."""
    return OF_TABLE.search(rule[0]) is not None


@st.composite
def beside_table(draw: st.DrawFn, joined: bool = True) -> tuple[str, ClassTest]:
    """A rule with such a criterion, perhaps below connectives."""
    kinds = class_rules() if joined and draw(st.booleans()) else criteria()
    return draw(kinds.filter(looks_at_table))


def drawn_of_original(draw: Callable[[Any], Any], tree: Path, setting: Setting) -> Case:
    """Rules that compare classes with the table as it was."""
    rules = [of_original(draw(beside_table()), setting.rows)]
    if draw(st.booleans()):
        rules.append(of_original(draw(criteria()), setting.rows))
    tests = [test for _, test in rules]
    judge = Judge(setting.rows, setting.quasi, tests, names=setting.names)
    texts = {f"r{number}": text for number, (text, _) in enumerate(rules)}
    return setting.case(judge, setting.policy(tree, texts))
