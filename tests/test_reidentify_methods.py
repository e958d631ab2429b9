"""Linkage methods: what a links file says, whether each answer is sound, adapters,
baselines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.reidentify_methods_cases import D, F, I, links

from phverify.errors import InputError
from phverify.linkage.methods.answers import Reading
from phverify.linkage.methods.links import Names, read_links

NAMED = Names("i", 3, ("Ann", "Bob Lee", "7"))


def problems(lines: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        links(lines, **options)
    return str(error.value)


def test_ten_tenths_are_one() -> None:
    """As floats they are not; and a probability of 0 is no link."""
    found = links({"record": "1", "original": [f"{k}" for k in range(1, 12)], "probability": ["0.1"] * 10 + ["0"]},
                  original=Names("i", 11))  # fmt: skip
    assert found.said == {0: tuple(((k,), F(1, 10)) for k in range(10))}
    assert (found.sets, found.normalized) == (False, 0)


@pytest.mark.parametrize("names", [("record", "original", "probability"), ("released", "original_record", "score"),
                                   ("unique_id_l", "unique_id_r", "match_probability")])  # fmt: skip
@pytest.mark.parametrize("suffix", [".csv", ".tsv", "frame"])
def test_headers_and_forms(names: tuple[str, ...], suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            names[0]: ["d2", "2", "4"],
            names[1]: ["1", "i3", "i5"],
            names[2]: ["1/3", "2/3", "100%"],
        }
    )
    source: Any = frame
    if suffix != "frame":
        source = tmp_path / f"links{suffix}"
        frame.to_csv(source, index=False, sep="\t" if suffix == ".tsv" else ",")
    found = read_links(source, D, I)
    assert found.said == {1: (((0,), F(1, 3)), ((2,), F(2, 3))), 3: (((4,), F(1)),)}


def test_columns_by_name() -> None:
    lines = {"a": ["1"], "b": ["2"], "c": ["1"], "record": ["9"]}
    found = links(lines, columns={"record": "a", "original": "b", "probability": "c"})
    assert found.said == {0: (((1,), F(1)),)}
    assert "there is no column 'x'" in problems(lines, columns={"record": "x"})
    assert "there is no role 'recrd'" in problems(lines, columns={"recrd": "a"})


def test_floats_are_read_as_their_shortest_texts() -> None:
    """As a CSV would have them: 0.1 is one tenth."""
    frame = pd.DataFrame(
        {"record": [1, 1], "original": [1, 2], "probability": [0.1, 0.9]}
    )
    assert links(frame).said[0] == (((0,), F(1, 10)), ((1,), F(9, 10)))


def test_identifiers_come_first_then_positions() -> None:
    lines = {
        "record": ["1", "2", "3", "4"],
        "original": ["7", "Bob Lee", "i2", "Ann"],
        "probability": "1",
    }
    found = links(lines, original=NAMED)
    assert [found.said[k][0][0] for k in range(4)] == [(2,), (1,), (1,), (0,)]
    by_row = links(
        {"released_row": ["1"], "original_row": ["1"], "probability": ["1"]},
        original=NAMED,
    )
    assert by_row.said == {0: (((0,), F(1)),)}
    turned = Names("d", 2, ("2", "1"))
    for column, row in (("released_row", 0), ("record", 1)):
        assert list(
            links({column: ["1"], "original": ["1"]}, released=turned).said
        ) == [row]
    assert "there is no original record '3'" in problems(
        lines | {"original": ["3"] * 4}, original=NAMED
    )


def test_sets() -> None:
    lines = {
        "record": ["1", "1", "2"],
        "set": ["{Ann; Bob Lee}", "7", "{Ann;Bob Lee;7}"],
        "mass": ["3/4", "0.25", "1"],
    }
    found = links(lines, original=NAMED)
    assert found.sets
    assert found.said == {
        0: (((0, 1), F(3, 4)), ((2,), F(1, 4))),
        1: (((0, 1, 2), F(1)),),
    }
    assert found.probability(0) == {0: F(3, 8), 1: F(3, 8), 2: F(1, 4)}
    assert links({"record": ["1"], "set": ["{1 2 5}"]}).said == {
        0: (((0, 1, 4), F(1)),)
    }


def test_normalizing_is_asked_for_and_counted() -> None:
    lines = {
        "record": ["1", "1", "2"],
        "original": ["1", "2", "1"],
        "score": ["3", "1", "1"],
    }
    found = links(lines, how=Reading(normalize=True))
    assert found.said[0] == (((0,), F(3, 4)), ((1,), F(1, 4)))
    assert found.normalized == 1
    said = problems(lines)
    assert "the numbers of 'd1' sum to 4, not to 1" in said
    assert "--normalize divides the numbers by their sum" in said


def test_everything_wrong_is_told_at_once() -> None:
    said = problems(
        {
            "record": ["1", "9", "1", "2", "3", "3"],
            "original": ["1", "1", "i7", "1", "", "2"],
            "probability": ["-0.1", "1", "x", "1/0", "0.5", "0.5"],
        }
    )
    for text in (
        "record, row 2: there is no released record '9'",
        "released records are 1 to 4, or d1 to d4",
        "original, row 3: there is no original record 'i7'",
        "original, row 5: the cell is empty",
        "probability, row 1: -0.1 is negative",
        "probability, row 3: 'x' is no number",
        "probability, row 4: '1/0' divides by zero",
    ):
        assert text in said, text


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            {"record": ["1"], "original": ["1"], "probability": ["0.97"]},
            "the numbers of 'd1' sum to 97/100, not to 1",
        ),
        (
            {"record": ["1"] * 2, "original": ["1", "i1"], "probability": "0.5"},
            "'d1' is linked to 'i1' twice",
        ),
        ({"record": ["1"], "set": ["{}"], "mass": ["1"]}, "a mass is on the empty set"),
        (
            {"record": ["1"], "set": ["{1 i1}"], "mass": ["1"]},
            "a record is in '{1 i1}' twice",
        ),
        (
            {"record": ["1"], "set": ["{1 8}"], "mass": ["1"]},
            "there is no original record '8'",
        ),
        (
            {"record": ["1"] * 2, "original": ["1", "2"]},
            "the numbers of 'd1' sum to 2, not to 1",
        ),
        (
            {"a": ["1"], "original": ["1"]},
            "no column 'record' holds the released record",
        ),
        (
            {"record": ["1"], "b": ["1"]},
            "no column 'original' holds the original record, or as 'set' a set of them",
        ),
        (
            {"record": ["1"], "original": ["1"], "probability": ["1e9999"]},
            "sum to about 1.00000E+9999, not to 1",
        ),
    ],
)
def test_mistakes(lines: Any, said: str) -> None:
    assert said in problems(lines)


def test_a_sum_of_0_cannot_be_normalized() -> None:
    said = problems(
        {"record": ["1"], "original": ["1"], "score": ["0"]},
        how=Reading(normalize=True),
    )
    assert "the numbers of 'd1' sum to 0, not to 1" in said


def test_many_mistakes_are_counted() -> None:
    said = problems(
        {"record": [str(k) for k in range(5, 105)], "original": "1", "probability": "1"}
    )
    assert said.count("there is no released record") == 5
    assert "and 95 more values of 'record' like these" in said


def test_names_nearby() -> None:
    said = problems(
        {"record": ["1"], "original": ["Bob Le"], "probability": ["1"]}, original=NAMED
    )
    assert "did you mean 'Bob Lee'?" in said
