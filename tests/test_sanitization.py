"""Definition 6: releases that are, and are not, truthful sanitizations of their
original.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify.microdata.sanitization as module
from phverify.errors import InputError
from phverify.microdata.dataframes import from_frame
from phverify.microdata.hierarchy import Hierarchy, read_hierarchy
from phverify.microdata.read import read
from phverify.microdata.sanitization import Sanitization, sanitization
from phverify.microdata.table import CodedTable, Label

ADULT = Path(__file__).resolve().parents[1] / "../shared/data/adult"
Rows = Sequence[Sequence[Label]]

QUASI, OTHERS = ["birth", "zip"], ["height", "income", "health"]
BIRTHS = [
    "24/09/56",
    "06/09/56",
    "23/03/56",
    "18/03/56",
    "20/04/55",
    "18/04/55",
    "12/10/52",
    "25/10/52",
]
ZIPS = ["24126", "24129", "10427", "10431", "26015", "26032", "26617", "26628"]
KEPT = [
    ["160", "160", "160", "165", "170", "170", "175", "175"],
    ["100K", "70K", "100K", "50K", "30K", "70K", "30K", "50K"],
    ["0", "1", "0", "2", "2", "0", "1", "0"],
]
TABLE1 = [list(row) for row in zip(BIRTHS, ZIPS, *KEPT, strict=True)]
TABLE2 = [[birth[3:], code[:2] + "***", *rest] for birth, code, *rest in TABLE1]
PATHS = {
    "birth": Hierarchy("birth", {b: (b, b[3:], b[6:], "*") for b in BIRTHS}),
    "zip": Hierarchy(
        "zip", {z: (z, z[:4] + "*", z[:3] + "**", z[:2] + "***") for z in ZIPS}
    ),
}


def table(rows: Rows, names: Sequence[str], source: str = "release") -> CodedTable:
    return from_frame(
        pd.DataFrame([list(row) for row in rows], columns=list(names), dtype=object),
        source,
    )


def check(
    original: Rows,
    release: Rows,
    quasi: Sequence[str] = QUASI,
    others: Sequence[str] = OTHERS,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Sanitization:
    names = [*quasi, *others]
    tables = table(original, names, "original"), table(release, names)
    result = sanitization(*tables, quasi, others, hierarchies or {})
    mapped = [apply(result, quasi, row) for row in original]
    assert Counter(mapped) == Counter(map(tuple, release))
    assert len(result.home) == len(original)
    for row, home in zip(mapped, result.home, strict=True):
        assert row[: len(quasi)] == tuple(release[home][: len(quasi)])
    return result


def apply(
    result: Sanitization, quasi: Sequence[str], row: Sequence[Label]
) -> tuple[Label, ...]:
    images = [
        result.mappings[name][value] for name, value in zip(quasi, row, strict=False)
    ]
    return (*images, *row[len(quasi) :])


def complaint(*arguments: object, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        check(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


def changed(rows: Rows, row: int, column: int, value: Label) -> list[list[Label]]:
    copy = [list(r) for r in rows]
    copy[row][column] = value
    return copy


def shuffled(rows: Rows, seed: int = 1) -> list[list[Label]]:
    copy = [list(row) for row in rows]
    random.Random(seed).shuffle(copy)
    return copy


def test_the_papers_release_in_order() -> None:
    result = check(TABLE1, TABLE2, hierarchies=PATHS)
    assert (result.by, result.same_order, result.unique) == ("order", True, True)
    assert (result.proper, result.trivial) == (True, False)
    assert result.mappings["zip"]["10431"] == "10***"
    assert result.home.tolist() == list(range(8))


@pytest.mark.parametrize("seed", range(5))
def test_the_papers_release_shuffled(seed: int) -> None:
    result = check(TABLE1, shuffled(TABLE2, seed), hierarchies=PATHS)
    assert (result.same_order, result.unique, result.proper) == (False, True, True)
    assert result.mappings["birth"] == {b: b[3:] for b in BIRTHS}
    # i1 and i3 agree on all else, so that without hierarchies either may be either
    assert not check(TABLE1, shuffled(TABLE2, seed)).unique


def test_the_answer_does_not_depend_on_row_order() -> None:
    answers = [
        check(shuffled(TABLE1, seed), shuffled(TABLE2, seed + 9)).mappings
        for seed in range(6)
    ]
    assert all(answer == answers[0] for answer in answers)


def test_trivial_and_identity() -> None:
    result = check(TABLE1, [["*", "*", *row[2:]] for row in TABLE1][::-1])
    assert (result.trivial, result.proper, result.unique, result.same_order) == (
        True,
        True,
        True,
        False,
    )
    result = check(TABLE1, TABLE1)
    assert (result.trivial, result.proper, result.same_order) == (False, False, True)
    assert not check(TABLE1, TABLE1[::-1], hierarchies=PATHS).proper


def test_no_quasi_identifiers_and_no_others() -> None:
    result = check([["a"], ["b"]], [["b"], ["a"]], [], ["x"])
    assert (result.same_order, result.unique, result.proper, result.trivial) == (
        False,
        True,
        False,
        True,
    )
    assert check([["a"], ["a"], ["b"]], [["u"], ["v"], ["v"]], ["x"], []).mappings == {
        "x": {"a": "v", "b": "u"}
    }
    assert "no mappings" in complaint([["a"], ["a"]], [["u"], ["v"]], ["x"], [])


def test_missing_values_are_values() -> None:
    rows: Rows = [[None, "1"], ["a", None], ["a", "2"]]
    assert check(
        rows, [["u", None], [None, "1"], ["u", "2"]], ["x"], ["y"]
    ).mappings == {"x": {None: None, "a": "u"}}
    text = complaint(rows, [[None, "1"], ["a", "1"], ["a", "2"]], ["x"], ["y"])
    assert (
        text == "release, row 2: y is (missing) in the original and '1' in the release"
    )


def test_a_value_with_two_images() -> None:
    original = changed(TABLE1, 2, 1, "24126")
    text = complaint(original, TABLE2)
    assert (
        "quasi-identifier zip: the value '24126' became both '24***' (row 1 of release) and"
        " '10***' (row 3 of release)" in text
    )
    assert "no order of the rows" in text
    assert "no order of the rows" in complaint(original, TABLE2[::-1])


def test_a_changed_confidential_value() -> None:
    text = complaint(TABLE1, changed(TABLE2, 4, 4, "0"))
    assert (
        text == "release, row 5: health is '2' in the original and '0' in the release"
    )
    text = complaint(TABLE1, changed(TABLE2, 4, 4, "0")[::-1])
    assert (
        "health: the value '2' occurs 2 times in the original and 1 time in the release"
        in text
    )
    assert (
        "health: the value '0' occurs 4 times in the original and 5 times in the"
        " release" in text
    )


def test_values_that_are_combined_otherwise() -> None:
    release = changed(changed(TABLE2, 3, 4, "0"), 5, 4, "2")
    assert (
        "release, row 4: health is '2' in the original and '0' in the release"
        in complaint(TABLE1, release)
    )
    text = complaint(TABLE1, release[::-1])
    assert (
        "('165', '50K', '2') occur together 1 time in the original and 0 times in the"
        " release" in text
    )


def test_a_dropped_row_and_a_missing_column() -> None:
    assert "the original has 8 rows and the release 7" in complaint(TABLE1, TABLE2[:-1])
    tables = (
        table(TABLE1, [*QUASI, *OTHERS], "original"),
        table(TABLE2[1:], ["birth", "zap", *OTHERS]),
    )
    with pytest.raises(InputError) as caught:
        sanitization(*tables, QUASI, OTHERS, {})
    assert len(caught.value.problems) == 2
    assert "there is no column 'zip' in the release" in str(caught.value)


def test_a_hierarchy_that_does_not_fit() -> None:
    wrong = {
        "birth": PATHS["birth"],
        "zip": Hierarchy("zip", {z: (z, "1****") for z in ZIPS}),
    }
    text = complaint(TABLE1, shuffled(TABLE2), hierarchies=wrong)
    assert (
        "quasi-identifier zip: neither the value '10427' nor a generalization of it"
        in text
    )
    assert "without the hierarchies there are such mappings" in text
    text = complaint(TABLE1, TABLE2, hierarchies=wrong)
    assert (
        "the value '24126' became '24***' (row 1 of release), which is no generalization of it in"
        " the hierarchy" in text
    )
    assert "neither the value" not in text  # the same, said of another order
    part = {"zip": Hierarchy("zip", {z: PATHS["zip"].paths[z] for z in ZIPS[:3]})}
    assert (
        "zip: the value '10431' of the original is not in the hierarchy"
        in complaint(TABLE1, shuffled(TABLE2), hierarchies=part)
    )


def test_what_missing_cells_become() -> None:
    """They stay missing, or join everybody at the top, unless the hierarchy has a line
    for them.
    """
    paths = {"a": ("a", "low", "*"), "b": ("b", "low", "*")}
    original, alone = [["a", "1"], [None, "2"]], [["*", "1"], ["*", "2"]]
    assert (
        check(original, alone, ["q"], ["c"], {"q": Hierarchy("q", paths)}).mappings[
            "q"
        ][None]
        == "*"
    )
    below = [["low", "1"], ["low", "2"]]
    said = complaint(original, below, ["q"], ["c"], {"q": Hierarchy("q", paths)})
    assert (
        "the value (missing) became 'low' (row 2 of release), which is no generalization of it"
        in said
    )
    with_a_line = Hierarchy("q", {**paths, "": ("", "low", "*")})
    assert (
        check(original, below, ["q"], ["c"], {"q": with_a_line}).mappings["q"][None]
        == "low"
    )


def test_a_search_for_mappings_ends() -> None:
    """Unique values that became few, with little to tell them apart: more mappings than
    can be looked at.
    """
    dice = random.Random(1)
    original = [[str(10_000 + k), dice.choice("xy")] for k in range(600)]
    release = [[f"c{k % 200}", row[1]] for k, row in enumerate(original)]
    dice.shuffle(release)
    try:
        assert not check(original, release, ["zip"], ["health"]).unique
    except InputError as error:
        assert "was not settled within bounds" in str(error)


def test_a_search_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    original = [[str(k), "x"] for k in range(12)] * 2
    release = sorted([str(k % 3), "x"] for k in range(24))
    assert not check(original, release, ["a"], ["b"]).unique
    monkeypatch.setattr(module, "NODES", 2)
    assert 'rows = "same order"' in complaint(original, release, ["a"], ["b"])
    monkeypatch.setattr(module, "NODES", 1)
    assert check(TABLE1, TABLE2[::-1], hierarchies=PATHS).unique


def test_the_only_candidates_must_fit_the_other_columns() -> None:
    """Nothing is left to search for, and the released values stand beside other
    people's.
    """
    paths = {"q": Hierarchy("q", {"a": ("a", "u"), "b": ("b", "w")})}
    original, release = [["a", "x"], ["b", "y"]], [["w", "x"], ["u", "y"]]
    said = complaint(original, release, ["q"], ["c"], hierarchies=paths)
    assert "no order of the rows and no mappings of the quasi-identifiers" in said


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]], int]:
    """A small table and a shuffled release, which a wrong cell may spoil."""
    quasi = draw(st.integers(1, 2))
    cells = st.tuples(*[st.sampled_from("abc")] * quasi, st.sampled_from("01"))
    rows = draw(st.lists(cells, min_size=1, max_size=8))
    maps = [
        draw(st.fixed_dictionaries({v: st.sampled_from("uvw") for v in "abc"}))
        for _ in range(quasi)
    ]
    release = [
        (*(m[v] for m, v in zip(maps, row, strict=False)), row[-1]) for row in rows
    ]
    if draw(st.booleans()):
        row, column = (
            draw(st.integers(0, len(rows) - 1)),
            draw(st.integers(0, quasi - 1)),
        )
        release[row] = tuple(
            changed(release, row, column, draw(st.sampled_from("uvw")))[row]
        )
    return rows, draw(st.permutations(release)), quasi


def explanations(
    rows: Rows, release: Rows, quasi: int, allowed: Mapping[str, str]
) -> int:
    """How many mappings explain the release, by trying them all."""
    goal, count = Counter(map(tuple, release)), 0
    values = [sorted({str(row[f]) for row in rows}) for f in range(quasi)]
    slots = [(f, v) for f in range(quasi) for v in values[f]]
    for images in itertools.product(*(allowed[v] for _, v in slots)):
        image = dict(zip(slots, images, strict=True))
        mapped = [
            (*(image[f, str(row[f])] for f in range(quasi)), *row[quasi:])
            for row in rows
        ]
        count += Counter(mapped) == goal
    return count


@so_many(200, fuzz=1600)
@given(cases(), st.booleans())
def test_against_all_mappings(case: tuple[Rows, Rows, int], restricted: bool) -> None:
    rows, release, quasi = case
    names = [f"q{f}" for f in range(quasi)]
    allowed = (
        {"a": "uv", "b": "vw", "c": "uvw"}
        if restricted
        else dict.fromkeys("abc", "uvw")
    )
    hierarchy = Hierarchy(
        "h",
        {
            "a": ("a", "u", "v", "v"),
            "b": ("b", "v", "w", "w"),
            "c": ("c", "u", "v", "w"),
        },
    )
    count = explanations(rows, release, quasi, allowed)
    try:
        result = check(
            rows,
            release,
            names,
            ["c"],
            dict.fromkeys(names, hierarchy) if restricted else {},
        )
    except InputError:
        assert count == 0
    else:
        assert count > 0 and result.unique == (count == 1)
        assert result.trivial == all(
            len({row[f] for row in release}) == 1 for f in range(quasi)
        )
        classes = [
            len({tuple(row[:quasi]) for row in side}) for side in (rows, release)
        ]
        assert result.proper == (classes[1] < classes[0])


@so_many(30, fuzz=1000)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 12), st.integers(1, 60))
def test_any_functions_and_any_order(
    seed: int, quasi: int, values: int, size: int
) -> None:
    dice = random.Random(seed)
    maps = [
        {str(v): str(dice.randrange(values)) for v in range(values)}
        for _ in range(quasi)
    ]
    rows = [
        [*(str(dice.randrange(values)) for _ in maps), str(dice.randrange(4))]
        for _ in range(size)
    ]
    release = [
        [*(m[v] for m, v in zip(maps, row, strict=False)), row[-1]] for row in rows
    ]
    check(rows, shuffled(release, seed), [f"q{f}" for f in range(quasi)], ["c"])


def adult() -> CodedTable:
    if not (ADULT / "adult.csv").exists():
        pytest.skip("the Adult data set is not there")
    return read(ADULT / "adult.csv")


def released(
    original: CodedTable, maps: Mapping[str, Mapping[Label, Label]], seed: int = 3
) -> CodedTable:
    """The original with mapped columns and in another order."""
    order = np.random.default_rng(seed).permutation(original.rows)
    cells = {
        name: np.array(
            [maps.get(name, {}).get(v, v) for v in column.labels], dtype=object
        )[column.codes[order]]
        for name, column in original.columns.items()
    }
    return from_frame(pd.DataFrame(cells), "release")


@pytest.mark.parametrize("per_value", [False, True])
@pytest.mark.parametrize("others", [["salary-class"], ["occupation", "salary-class"]])
def test_adult_along_its_hierarchies(others: list[str], per_value: bool) -> None:
    original, dice = adult(), random.Random(5)
    quasi = [name for name in original.columns if name not in others]
    paths = {
        name: read_hierarchy(ADULT / f"adult_hierarchy_{name}.csv") for name in quasi
    }
    maps: dict[str, dict[Label, Label]] = {}
    for name in quasi:
        level = dice.randrange(paths[name].levels + 1)
        labels = [v for v in original.columns[name].labels if v is not None]
        levels = {
            v: dice.randrange(paths[name].levels + 1) if per_value else level
            for v in labels
        }
        maps[name] = {v: paths[name].paths[v][levels[v]] for v in labels}
    result = sanitization(original, released(original, maps), quasi, others, paths)
    assert (
        result.mappings == maps
        and result.unique
        and result.proper
        and not result.same_order
    )


@pytest.mark.parametrize("merge", [1, 4])
def test_adult_with_opaque_values(merge: int) -> None:
    original, dice = adult(), random.Random(7)
    quasi, others = (
        ["age", "sex", "education", "native-country"],
        [
            "marital-status",
            "occupation",
            "salary-class",
        ],
    )
    maps: dict[str, dict[Label, Label]] = {}
    for name in quasi:
        labels = sorted(str(v) for v in original.columns[name].labels)
        dice.shuffle(labels)
        maps[name] = {v: f"{name}{k // merge}" for k, v in enumerate(labels)}
    result = sanitization(original, released(original, maps), quasi, others, {})
    assert result.mappings == maps and result.unique
