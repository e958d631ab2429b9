"""What an INFEASIBLE answer says of the most general candidate: so many records would
have to be withheld there, as trying all sets of classes says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
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
RELAX = re.compile(r"relax ([^;]*?)( together)?(;|$)")
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


def possible(rows: Sequence[Row], names: Sequence[str], share: Any) -> bool:
    """Whether some candidate satisfies the rules, with few enough records withheld."""
    most = int(Fraction(share) * len(rows))
    for p, r in product(range(2), repeat=2):
        classes: dict[tuple[str, str], list[str]] = {}
        for q, other, f in rows:
            key = LINES["q"][q][p], LINES["r"][other][r]
            classes.setdefault(key, []).append(f)
        for kept in _kept(classes, len(rows) - most):
            whole = sum(kept, Counter[str]())
            if all(RULES[name][1](one, whole) for name in names for one in kept):
                return True
    return False


def _kept(classes: Mapping[Any, Sequence[str]], least: int) -> Iterator[list[Any]]:
    """All sets of classes with so many records at least."""
    for count in range(1, len(classes) + 1):
        for chosen in combinations(classes.values(), count):
            if sum(map(len, chosen)) >= least:
                yield [Counter(one) for one in chosen]


def check_helps(found: Any, rows: list[Row], names: list[str], share: Any) -> None:
    """Without the rules that are to be relaxed there is a release: without one of
    several, or without all of them together.
    """
    said = RELAX.search(found.helps)
    assert said is not None
    told = re.split(", | and | or ", said[1])
    ways = [told] if said[2] else [[name] for name in told]
    for way in ways:
        assert possible(rows, [name for name in names if name not in way], share)
    if said[2]:
        # Not said of several where one of them is enough at the top.
        assert len(told) > 1 and " or " not in said[1]


@so_many(60, fuzz=3000)
@given(
    rows=ROWS,
    names=st.lists(st.sampled_from(sorted(RULES)), min_size=1, max_size=3, unique=True),
    share=st.sampled_from(["0", "1/5", "1/3"]),
)
def test_so_many_records_would_have_to_be_withheld(
    rows: list[Row], names: list[str], share: str
) -> None:
    found = searched(rows, names, share)
    if found.verdict != "infeasible":
        return
    assert not possible(rows, names, share)
    check_helps(found, rows, names, share)
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


@pytest.mark.parametrize(
    ("cells", "names", "share", "said"),
    [
        # Both fail at the top: one of them alone changes nothing.
        ("xa", ["k", "l"], 0, "relax k and l together"),
        ("xa xa xa", ["k", "l"], 0, "relax l"),
        # One record may be withheld, which mends one of them.
        ("xa xa xa zb zc", ["k", "l"], "2/5", "relax l"),
        ("xa xa xa zb zc", ["k", "l"], "3/5", "relax k or l"),
        ("xa xa zb zb zb zb", ["k", "l"], "1/3", "relax l"),
        ("xa xa xa zb zc", ["k", "l"], "1/5", "relax k and l together"),
        ("xb xc xb xc za za za yb", ["k", "l", "b"], 0, "relax l and b together"),
    ],
)
def test_which_rules_are_to_be_relaxed(
    cells: str, names: list[str], share: str, said: str
) -> None:
    rows = [(q, "u", f) for q, f in cells.split()]
    found = searched(rows, names, share)
    check_helps(found, rows, names, share)
    assert found.helps.partition(";")[0] == said
