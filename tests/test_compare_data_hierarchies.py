"""``compare-data`` where labels of a hierarchy are called alike, or are none."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

import phverify as ph
from phverify.utility import distances

LINES = "a;x;x;all\nb;x;x;all\nc;c;y;all\nd;d;y;all\n"
RAW = pd.DataFrame({"town": list("abcd"), "ill": list("uvuv")})


def compared(folder: Path, towns: list[str], **more: Any) -> Any:
    file = folder / "town.csv"
    file.write_text(LINES, encoding="utf-8")
    policy = {"columns": {"quasi": ["town"]}, "hierarchies": {"town": str(file)}}
    released = RAW.iloc[: len(towns)].assign(town=towns)
    return ph.compare_data(RAW, released, {**policy, "rows": "same order"}, **more)


def test_a_label_of_two_levels_counts_as_the_lower(tmp_path: Path) -> None:
    found = compared(tmp_path, ["x", "x", "c", "y"])
    assert found.precision == Fraction(1 + 1 + 0 + 2, 4 * 3)
    assert found.loss == Fraction(1 + 1 + 0 + 1, 4 * 3)
    leveled = compared(tmp_path, ["x (level 2)", "x (level 2)", "c", "d"])
    assert leveled.precision == Fraction(2 + 2, 4 * 3)
    assert leveled.loss == Fraction(1 + 1, 4 * 3)
    assert not leveled.notes


def test_a_star_is_the_top_whatever_that_is_called(tmp_path: Path) -> None:
    for top in ("*", "all"):
        found = compared(tmp_path, [top, top, "c", "d"])
        assert (found.precision, found.loss) == (Fraction(1, 2), Fraction(1, 2))
        assert not found.notes


def test_one_cell_that_is_no_node_leaves_the_others_read(tmp_path: Path) -> None:
    found = compared(tmp_path, ["x", "junk", "y", "y"])
    (town, ill) = found.columns
    assert (town.unread, town.example, town.loss) == (1, "junk", None)
    # Half of x is b; what is junk is no value.
    gaps = [Fraction(1, 8), Fraction(1, 8), 0, 0, Fraction(1, 4)]
    assert town.distance == sum(gaps) / 2
    assert found.explained == "" and ill.distance == 0


def test_what_is_called_as_a_level_that_is_none(tmp_path: Path) -> None:
    found = compared(tmp_path, ["x (level 99)", "x", "c", "d"])
    assert found.precision is None


def test_what_is_no_value_counts_in_pairs(tmp_path: Path) -> None:
    found = compared(tmp_path, ["a", "junk"])
    (pair,) = found.pairs
    # (a, u) has a quarter before and a half after, (b, v), (c, u), (d, v) have none.
    gaps = [Fraction(1, 4)] * 4 + [Fraction(1, 2)]
    assert pair.distance == sum(gaps, Fraction(0)) / 2


def test_many_labels_are_too_many_as_well(tmp_path: Path, monkeypatch: Any) -> None:
    raw = pd.DataFrame({"age": ["1", "2", "2"], "ill": ["u", "u", "u"]})
    released = raw.assign(age=["1", "2", "*"])
    assert len(ph.compare_data(raw, released).pairs) == 1
    monkeypatch.setattr(distances, "CELLS", 2)
    assert not ph.compare_data(raw, released).pairs
    assert len(ph.compare_data(raw, raw).pairs) == 1


def test_only_quasi_identifiers_have_their_hierarchy(tmp_path: Path) -> None:
    file = tmp_path / "ill.csv"
    file.write_text("u;w\nv;w\nz;w\n", encoding="utf-8")
    columns = {"quasi": ["town"], "sensitive": ["ill"]}
    policy = {"columns": columns, "hierarchies": {"ill": str(file)}}
    found = ph.compare_data(RAW, RAW.assign(ill="*"), policy)
    assert found.columns[1].loss == 1
    # Of u and v, which occur: z is no value that the column is released with.
    assert [one.value for one in found.columns[1].shares] == ["u", "v"]


def test_a_hierarchy_of_a_sensitive_column_is_for_rules_alone(tmp_path: Path) -> None:
    file = tmp_path / "ill.csv"
    file.write_text("u;*\nv;*\n", encoding="utf-8")
    columns = {"quasi": ["town"], "sensitive": ["ill"]}
    told = ph.compare_data(
        RAW, RAW, {"columns": columns, "hierarchies": {"ill": str(file)}}
    )
    assert not told.notes
