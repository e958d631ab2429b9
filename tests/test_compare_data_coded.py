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
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

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


@pytest.mark.parametrize(
    ("released", "precision"),
    [
        (CODED, Fraction(0)),
        (["<18"] * 4 + ["20"] * 2, Fraction(4 * 1, 6 * 2)),
        (["<18"] * 4 + ["18+"] * 2, Fraction(1, 2)),
        # A value that was kept is at its lowest level.
        (["<18", "<18", "15", "16", "18+", "18+"], Fraction(2 * 1, 6 * 2)),
        (["*"] * 6, Fraction(1)),
    ],
)
def test_a_node_has_a_level_though_a_value_is_called_so(
    released: list[str], precision: Fraction, tmp_path: Path
) -> None:
    lines = tmp_path / "age.csv"
    lines.write_text("\n".join(";".join(line) for line in UNDER.values()))
    asked = {**AGES, "hierarchies": {"age": str(lines)}}
    before = pd.DataFrame({"age": CODED, "ill": list("xyzxyz")})
    told = ph.compare_data(before, before.assign(age=released), asked)
    assert told.columns[0].precision == precision


# Without a hierarchy: the plain values that a coded one may be called after.
WRITTEN = {
    "20-29": {"20", "25"},
    "{a, b}": {"a", "b"},
    "*": {"20", "25", "31", "a", "b", "c"},
}


@st.composite
def coded_columns(draw: st.DrawFn) -> tuple[list[str], dict[str, str], str]:
    """A column that has a coded value, what each of its values became, and that value."""
    code = draw(st.sampled_from(sorted(WRITTEN)))
    plain = ("a", "b", "c") if code == "{a, b}" else ("20", "25", "31")
    cells = draw(st.lists(st.sampled_from((*plain, code)), max_size=6))
    cells.append(code)
    if code == "{a, b}":
        # A set is one of values that occur.
        cells += ["a", "b"]
    became = {cell: cell for cell in cells}
    for cell in became:
        if cell in WRITTEN[code] and draw(st.booleans()):
            became[cell] = code
    return cells, became, code


@so_many(60)
@given(coded_columns())
def test_a_coded_value_that_others_became_is_what_it_says(
    drawn: tuple[list[str], dict[str, str], str],
) -> None:
    cells, became, code = drawn
    domain = set(cells)
    before = pd.DataFrame(
        {"age": cells, "ill": [f"x{row}" for row in range(len(cells))]}
    )
    after = before.assign(age=[became[cell] for cell in cells])
    meant = {cell: {cell} for cell in domain}
    if list(became.values()).count(code) > 1:
        meant[code] |= domain & WRITTEN[code]
    others = sum(len(meant[became[cell]]) - 1 for cell in cells)
    told = ph.compare_data(before, after, AGES)
    assert told.columns[0].loss == Fraction(
        others, len(cells) * max(len(domain) - 1, 1)
    )
    assert told.columns[0].changed == (others > 0)
    assert told.notes == ()


def test_coded_values_that_became_others_as_well() -> None:
    def loss(raw: list[str], released: list[str]) -> Fraction | None:
        before = pd.DataFrame({"age": raw, "ill": list("xyzu")[: len(raw)]})
        return ph.compare_data(before, before.assign(age=released), AGES).loss

    assert loss(["*", "20", "20-29"], ["*"] * 3) == 1
    assert loss(["20", "25", "20-24", "20-29"], ["20-29"] * 4) == 1
    # Exchanged: neither says what it was made of.
    assert loss(["20-29", "30-39"], ["30-39", "20-29"]) == 0


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
