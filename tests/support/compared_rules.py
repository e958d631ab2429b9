"""Random policies that compare classes with the whole table, in both readings of it,
with their definitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from support import oracle
from support.search_oracle import ClassTest, Judge
from support.search_questions import DELTAS, SHARES, TREE, Case, Setting, per_class

Named = tuple[str, oracle.Test]


def compared(draw: Callable[[Any], Any]) -> Named:
    """A criterion that compares classes with a table, and its definition."""
    t, delta = draw(SHARES), draw(DELTAS)
    gain = 3 * t
    found: list[Named] = [
        (f"t_closeness(f, {t}", oracle.variational(t)),
        (f"t_closeness(f, {t}, ordered", oracle.ordered(t, ("a", "b", "c"))),
        (f"t_closeness(f, {t}, hierarchical", oracle.hierarchical(t, TREE)),
        (f"delta_disclosure(f, {delta}", oracle.delta(delta)),
        (f"delta_disclosure(f, {delta}, absent=ignored", oracle.delta(delta, True)),
        (f"beta_likeness(f, {gain}", oracle.beta(gain)),
        (f"enhanced_beta_likeness(f, {gain}", oracle.enhanced(gain)),
        (f"average_benefit(f, {t}", oracle.benefit(t)),
    ]
    return draw(st.sampled_from(found))  # type: ignore[no-any-return]


def with_original(test: oracle.Test, setting: Setting) -> ClassTest:
    """The test of a class beside the table before anything is withheld."""
    before = Counter(row["f"] for row in setting.rows)
    return lambda members, rows: test(Counter(row["f"] for row in members), before)


def asked(draw: Callable[[Any], Any], tree: Path, setting: Setting) -> Case:
    """One or two such rules in either reading of the whole table, and k-anonymity."""
    rules: dict[str, str] = {}
    tests: list[ClassTest] = []
    for k in range(draw(st.integers(1, 2))):
        text, test = compared(draw)
        original = draw(st.integers(0, 3)) == 0
        rules[f"r{k}"] = text + (", reference=original)" if original else ")")
        tests.append(with_original(test, setting) if original else per_class(test))
    if draw(st.booleans()):
        rules["k"] = "k_anonymity(2)"
        tests.append(per_class(oracle.k_anonymous(2)))
    judge = Judge(setting.rows, setting.quasi, tests, names=setting.names)
    return setting.case(judge, setting.policy(tree, rules))
