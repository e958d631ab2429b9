"""Data that are coded already, so that a value is called as a node is; and hints of
what ``compare-data`` does not list.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph
from phverify.errors import Problem
from phverify.linkage.candidates.released_cells import ReleasedCells
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import CodedColumn
from phverify.policy.masking import Masking
from phverify.spec.types import TEXT

AGES = {"columns": {"quasi": ["age"], "sensitive": ["ill"]}}
CODED = ["<18", "<18", "15", "16", "20", "20"]
UNDER = {"<18": ("<18", "<18", "*"), "20": ("20", "18+", "*")}
UNDER |= {young: (young, "<18", "*") for young in ("15", "16", "17")}


@pytest.mark.parametrize(
    ("raw", "released", "loss"),
    [
        (CODED, CODED, Fraction(0)),
        # The node, below which four of five lines are.
        (CODED, ["<18"] * 4 + ["20"] * 2, Fraction(4 * 3, 6 * 4)),
        (CODED, ["<18"] * 4 + ["18+"] * 2, Fraction(4 * 3, 6 * 4)),
        # Something else became it, too.
        (CODED, ["<18", "<18", "15", "<18", "20", "20"], Fraction(3 * 3, 6 * 4)),
        # Other values below the node were kept, and so was it.
        (CODED, ["<18", "<18", "15", "16", "18+", "18+"], Fraction(0)),
        # Nothing changed, and nothing else could have become it.
        (["<18", "20", "20"], ["<18", "20", "20"], Fraction(0)),
        # It may be either.
        (["<18", "20", "20"], ["<18", "18+", "18+"], Fraction(1 * 3, 3 * 4)),
    ],
)
def test_a_value_that_is_kept_is_not_the_node_of_its_name(
    raw: list[str], released: list[str], loss: Fraction, tmp_path: Path
) -> None:
    lines = tmp_path / "age.csv"
    lines.write_text("\n".join(";".join(line) for line in UNDER.values()))
    asked = {**AGES, "hierarchies": {"age": str(lines)}}
    before = pd.DataFrame({"age": raw, "ill": list("xyzxyz")[: len(raw)]})
    told = ph.compare_data(before, before.assign(age=released), asked)
    assert told.columns[0].loss == loss


@pytest.mark.parametrize("told", ["identifier", "order", "nothing"])
@pytest.mark.parametrize(
    ("released", "loss"),
    [
        (["<18", "<18", "15", "16", "20", ""], Fraction(0)),
        (["<18", "<18", "15", "16", "18+", ""], Fraction(0)),
        (["<18", "<18", "<18", "", "20", "20"], Fraction(3 * 3, 5 * 4)),
        # All others below the node are withheld: it may be either.
        (["<18", "<18", "", "", "18+", "18+"], Fraction(2 * 3, 4 * 4)),
    ],
)
def test_a_value_that_is_kept_where_records_are_withheld(
    released: list[str], loss: Fraction, told: str, tmp_path: Path
) -> None:
    lines = tmp_path / "age.csv"
    lines.write_text("\n".join(";".join(line) for line in UNDER.values()))
    asked: dict[str, Any] = {**AGES, "hierarchies": {"age": str(lines)}}
    before = pd.DataFrame({"age": CODED, "ill": list("xyzuvw"), "id": list("abcdef")})
    after = before.assign(age=released)[[bool(cell) for cell in released]]
    if told == "identifier":
        asked["columns"] = {**AGES["columns"], "identifier": "id"}
        after = after[::-1]
    else:
        before, after = before.drop(columns="id"), after.drop(columns="id")
    if told == "order":
        asked["rows"] = "same order"
    found = ph.compare_data(before, after, asked)
    if told == "nothing":
        # Which record became a cell is not known for certain: it is read as the node.
        cells = [cell for cell in released if cell]
        loss = Fraction(cells.count("<18") * 3, len(cells) * 4)
    assert found.columns[0].loss == loss
    assert not any("other values" in note for note in found.notes)


def test_a_hint_of_what_is_not_listed_is_told() -> None:
    problems = [Problem("r.csv", f"slip {number}") for number in range(6)]
    mended = Problem("r.csv", "in another order", 'say rows = "same order"')
    raw = pd.DataFrame({"age": ["1", "2"], "ill": ["x", "y"]})
    told = ph.compare_data(raw, raw, AGES)
    text = str(replace(told, departures=(*problems, mended, mended)))
    assert "slip 4" in text and "slip 5" not in text
    assert "and 3 more" in text
    assert text.count('say rows = "same order"') == 1


def test_a_label_with_its_level_is_the_node_there() -> None:
    """As a search by tuples writes a node that is called as a value is."""
    paths = {value: tuple(line) for value, line in UNDER.items()}
    column = CodedColumn(np.arange(4), ("<18", "15", "20", None))
    hierarchy = Hierarchy("age.csv", paths)
    read = ReleasedCells("age", column, column, Masking(), TEXT, hierarchy)
    said = {}
    for cell in ("<18 (level 1)", "<18 (level 0)", "* (level 2)", "20 (level 0)"):
        found = read.sources(cell)
        assert found is not None
        said[cell] = {column.labels[code] for code in found}
    assert said == {
        "<18 (level 1)": {"<18", "15"},
        "<18 (level 0)": {"<18"},
        # Everybody who is missing is with all others at the top.
        "* (level 2)": {"<18", "15", "20", None},
        "20 (level 0)": {"20"},
    }
    for cell in ("<18 (level 2)", "20 (level 1)", "18- (level 1)", "20 (level 7)"):
        assert read.sources(cell) is None
