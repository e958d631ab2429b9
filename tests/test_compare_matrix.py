"""The matrix of all criteria: consistent in itself, and what the README shows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import phverify as ph
from phverify.comparison.matrix import CRITERIA, markdown, matrix, sign

README = Path(__file__).parent.parent / "README.md"
MARKED = re.compile(r"<!-- matrix -->\n(.*?)<!-- /matrix -->", re.DOTALL)


@cache
def found() -> dict[tuple[str, str], ph.Comparison]:
    return matrix(budget=30)


def every_pair_is_decided() -> None:
    assert {comparison.verdict for comparison in found().values()} == {
        "implies",
        "separated",
    }


def implication_is_transitive() -> None:
    yes = {
        pair for pair, comparison in found().items() if comparison.verdict == "implies"
    }
    for a, b in yes:
        assert {(a, d) for c, d in yes if c == b and d != a} <= yes


def a_separating_table_is_smallest_along_implications() -> None:
    """If a implies b, then what separates b's consequence c from a separates it from
    b.
    """
    for (a, b), first in found().items():
        for c in CRITERIA if first.verdict == "implies" else ():
            if c not in (a, b) and found()[a, c].verdict == "separated":
                assert len(found()[b, c].table) <= len(found()[a, c].table), (a, b, c)


def the_readme_shows_it() -> None:
    shown = MARKED.search(README.read_text(encoding="utf-8"))
    assert shown and shown[1].strip() == markdown(found()).strip(), (
        "phverify compare --matrix writes it"
    )


def test_the_matrix() -> None:
    """One test, so that the matrix is worked out once."""
    every_pair_is_decided()
    implication_is_transitive()
    a_separating_table_is_smallest_along_implications()
    the_readme_shows_it()


def test_signs() -> None:
    assert sign(ph.Comparison("implies", "a", "b")) == "**yes**"
    assert sign(ph.Comparison("implies", "a", "b", values={"s": 7})) == "yes up to 7"
    assert sign(ph.Comparison("undecided", "a", "b")) == "?"
    assert (
        sign(ph.Comparison("separated", "a", "b", table=({"s": "a"},) * 3, searched=2))
        == "3"
    )
    assert (
        sign(ph.Comparison("separated", "a", "b", table=({"s": "a"},) * 9, searched=4))
        == "<= 9"
    )
