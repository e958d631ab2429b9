"""The matrix of all criteria: consistent in itself, and what the README shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.so_many import sampled

import phverify as ph
from phverify.comparison.matrix import CRITERIA
from phverify.report.matrix_text import markdown, sign

README = Path(__file__).parents[1] / "docs" / "reference" / "compare.md"
MARKED = re.compile(r"<!-- matrix -->\n(.*?)<!-- /matrix -->", re.DOTALL)
PAIRS = [(a, b) for a in CRITERIA for b in CRITERIA if a != b]
YES = "**yes**"
Signs = dict[tuple[str, str], str]


def shown() -> str:
    """The matrix of the README, as it stands there."""
    marked = MARKED.search(README.read_text(encoding="utf-8"))
    assert marked, "the README shows the matrix"
    return marked[1].strip()


@pytest.fixture(scope="module")
def published() -> Signs:
    """What the README says of each pair."""
    signs = {}
    lines = shown().splitlines()[2 : 2 + len(CRITERIA)]
    for first, line in zip(CRITERIA, lines, strict=True):
        cells = line.strip("| ").split(" | ")[1:]
        for second, cell in zip(CRITERIA, cells, strict=True):
            signs[first, second] = cell.strip()
    return {pair: signs[pair] for pair in PAIRS}


def test_every_pair_is_decided(published: Signs) -> None:
    assert all(cell == YES or cell.isdigit() for cell in published.values())


def test_implication_is_transitive(published: Signs) -> None:
    yes = {pair for pair, cell in published.items() if cell == YES}
    for a, b in yes:
        assert {(a, d) for c, d in yes if c == b and d != a} <= yes


def test_a_separating_table_is_smallest_along_implications(published: Signs) -> None:
    """If a implies b, then what separates b's consequence c from a separates it from
    b.
    """
    for (a, b), first in published.items():
        for c in CRITERIA if first == YES else ():
            if c not in (a, b) and published[a, c] != YES:
                assert int(published[b, c]) <= int(published[a, c]), (a, b, c)


def answer(cell: str, pair: tuple[str, str]) -> ph.Comparison:
    """An answer that is shown so."""
    if cell == YES:
        return ph.Comparison("implies", *pair)
    rows = int(cell)
    table = ({"s": "a"},) * rows
    return ph.Comparison("separated", *pair, table=table, searched=rows - 1)


def test_the_readme_shows_what_is_written(published: Signs) -> None:
    """The rest of the text, too."""
    answers = {pair: answer(cell, pair) for pair, cell in published.items()}
    assert shown() == markdown(answers).strip(), "phverify compare --matrix writes it"


@pytest.mark.parametrize(("first", "second"), sampled(PAIRS, 19))
def test_the_readme_says_what_is_so(first: str, second: str, published: Signs) -> None:
    """Few of the pairs, and all of them in ``make fuzz``."""
    decided = ph.compare(CRITERIA[first], CRITERIA[second], budget=30)
    assert sign(decided) == published[first, second]


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
