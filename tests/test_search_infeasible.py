"""What an INFEASIBLE answer says of the most general candidate: so many records would
have to be withheld there, as trying all sets of classes says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.so_many import so_many

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy

LINES = {
    "q": {"x": ("x", "xy"), "y": ("y", "xy"), "z": ("z", "z")},
    "r": {"u": ("u", "*"), "v": ("v", "*")},
}
"""The top level of q has two values: there may be two classes at the top."""
RULES: dict[str, tuple[str, oracle.Test]] = {
    "k": ("k_anonymity(3)", oracle.k_anonymous(3)),
    "l": ("l_diversity(f, 2)", oracle.distinct(2)),
    "t": ("t_closeness(f, 1/5)", oracle.variational(Fraction(1, 5))),
    "b": ("beta_likeness(f, 1/3)", oracle.beta(Fraction(1, 3))),
    "a": ("average_benefit(f, 1/5)", oracle.benefit(Fraction(1, 5))),
}
SENTENCE = re.compile(r"(\d+) records? would have to be withheld there")
HELP = re.compile(r"allow (\d+) of (\d+) records")
Row = tuple[str, str, str]
ROWS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("uv"), st.sampled_from("aabc")),
    min_size=3,
    max_size=10,
)


def searched(rows: Sequence[Row], names: Sequence[str], share: Any) -> Any:
    columns = {"quasi": ["q", "r"], "sensitive": ["f"]}
    asked = {name: RULES[name][0] for name in names}
    policy = ph.Policy.from_dict({"columns": columns, "rules": asked})
    paths: Any = {name: Hierarchy(name, lines) for name, lines in LINES.items()}
    frame = pd.DataFrame(rows, columns=["q", "r", "f"])
    return ph.search(frame, policy, paths, suppress=share)


def fewest(rows: Sequence[Row], names: Sequence[str]) -> int | None:
    """The fewest records whose classes can be withheld at the top; not all of them."""
    classes: dict[str, list[str]] = {}
    for q, _, f in rows:
        classes.setdefault(LINES["q"][q][-1], []).append(f)
    found = []
    for count in range(len(classes)):
        for gone in combinations(classes, count):
            left = [Counter(classes[key]) for key in classes if key not in gone]
            whole = sum(left, Counter[str]())
            if all(RULES[name][1](one, whole) for name in names for one in left):
                found.append(sum(len(classes[key]) for key in gone))
    return min(found, default=None)


@so_many(60, fuzz=3000)
@given(
    rows=ROWS,
    names=st.lists(st.sampled_from(sorted(RULES)), min_size=1, max_size=2, unique=True),
    share=st.sampled_from(["0", "1/5", "1/3"]),
)
def test_so_many_records_would_have_to_be_withheld(
    rows: list[Row], names: list[str], share: str
) -> None:
    found = searched(rows, names, share)
    if found.verdict != "infeasible":
        return
    if "every class there breaks a rule" in found.reason:
        assert fewest(rows, names) is None
    if said := SENTENCE.search(found.reason):
        assert int(said[1]) == fewest(rows, names)
    if helps := HELP.search(found.helps):
        enough = Fraction(int(helps[1]), int(helps[2]))
        assert searched(rows, names, enough).verdict == "optimal"


TWO = [("x", "u", "a"), ("x", "u", "a"), ("y", "v", "b"), ("z", "u", "c")]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["k"], "1 record would have to be withheld there, and none may be"),
        (["l"], "1 record would have to be withheld there, and none may be"),
        # Without the one class the other is all that there is to compare it with.
        (["t"], "even the most general candidate breaks t"),
        (["k", "b"], "even the most general candidate breaks k and b"),
    ],
)
def test_what_is_compared_with_what_is_left_is_not_counted(
    names: list[str], said: str
) -> None:
    found = searched(TWO, names, 0)
    assert found.verdict == "infeasible" and found.reason.endswith(said)


def test_where_every_class_breaks_a_rule() -> None:
    found = searched([("x", "u", "a"), ("z", "v", "b")], ["k"], 0)
    assert found.reason.endswith("breaks k: every class there breaks a rule")
    assert "to be withheld" not in found.helps
