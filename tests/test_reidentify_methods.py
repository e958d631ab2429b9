"""Linkage methods: what a links file says, whether each answer is sound, adapters,
baselines.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_agreement import cases

import phverify as ph
from phverify.errors import InputError
from phverify.linkage.belief.pignistic_compatible import Plan, sound
from phverify.linkage.methods.adapters import from_recordlinkage, from_splink
from phverify.linkage.methods.answers import LinkReading
from phverify.linkage.methods.baselines import (
    distance_linkage,
    rank_swapping_candidates,
)
from phverify.linkage.methods.links import Links, read_links
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import (
    Excluded,
    Outweighed,
    Overbelieved,
    Overpriced,
    Witness,
    certain,
    judge,
)

F = Fraction
D, I = RecordNames("d", 4), RecordNames("i", 5)
NAMED = RecordNames("i", 3, ("Ann", "Bob Lee", "7"))


def links(
    lines: Any, *, released: RecordNames = D, original: RecordNames = I, **options: Any
) -> Links:
    frame = lines if isinstance(lines, pd.DataFrame) else pd.DataFrame(lines, dtype=str)
    return read_links(frame, released, original, **options)


def problems(lines: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        links(lines, **options)
    return str(error.value)


# --- reading
# ---------------------------------------------------------------------------------------------


def test_ten_tenths_are_one() -> None:
    """As floats they are not; and a probability of 0 is no link."""
    found = links({"record": "1", "original": [f"{k}" for k in range(1, 12)], "probability": ["0.1"] * 10 + ["0"]},
                  original=RecordNames("i", 11))  # fmt: skip
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
    turned = RecordNames("d", 2, ("2", "1"))
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
    found = links(lines, how=LinkReading(normalize=True))
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
        how=LinkReading(normalize=True),
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


# --- verdicts
# --------------------------------------------------------------------------------------------


def answer(*shares: Any, sets: bool = False) -> Links:
    """One released record; shares of the original records in order, or pairs of a set
    and its mass.
    """
    pairs = shares if sets else [((k,), share) for k, share in enumerate(shares)]
    return Links(
        "test",
        {0: tuple((tuple(members), F(share)) for members, share in pairs if F(share))},
        sets,
    )


def witness(found: Links, truth: Mapping[int, Fraction]) -> Witness | None:
    judged = judge(found, lambda record: truth, [0])
    assert judged.verdict == ("unsound" if judged.unsound else "sound")
    return judged.unsound[0].witness if judged.unsound else None


def test_the_true_record_must_not_be_outweighed() -> None:
    assert witness(answer("1/10", "3/10", "3/10", "3/10"), {0: F(1)}) == Outweighed(
        0, F(1, 10), 1, F(3, 10)
    )
    assert witness(answer("0", "1"), {0: F(1)}) == Outweighed(0, F(0), 1, F(1))
    assert witness(answer("1/4", "1/4", "1/4", "1/4"), {3: F(1)}) is None


def test_the_support_must_be_covered() -> None:
    """Proposition 16."""
    assert witness(
        answer("1/2", "1/2"), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}
    ) == Excluded(2, F(1, 3))


def test_a_record_outside_the_support_may_be_the_most_probable() -> None:
    """Proposition 19 and Corollary 20."""
    third = {k: F(1, 3) for k in range(3)}
    assert witness(answer("1/6", "1/6", "1/6", "1/2"), third) is None
    found = witness(answer("1/9", "1/9", "1/9", "2/3"), third)
    assert isinstance(found, Overpriced)
    assert found.claimed > found.most


def test_prices_name_the_records_that_they_are_of() -> None:
    """The records of a pattern are renamed back: 4 is outside the support and has two
    thirds.
    """
    truth = {1: F(1, 2), 2: F(1, 2)}
    found = witness(answer("0", "1/6", "1/6", "0", "2/3"), truth)
    assert isinstance(found, Overpriced)
    prices = dict(found.prices)
    given = {1: F(1, 6), 2: F(1, 6), 4: F(2, 3)}
    assert (
        sum(prices.get(x, 0) * share for x, share in given.items())
        == found.claimed
        > found.most
    )
    assert prices.get(4, F(0)) > prices.get(1, F(0))


def test_sets_must_hold_the_truth() -> None:
    """Lemma 13 and Lemma 17."""
    assert (
        witness(answer(((0, 1), "1/2"), ((1, 2), "1/2"), sets=True), {1: F(1)}) is None
    )
    found = witness(
        answer(((0, 1), "1/2"), ((2, 3), "1/4"), ((3,), "1/4"), sets=True), {1: F(1)}
    )
    assert found == Overbelieved((2, 3), F(0), F(1, 2))
    thirds = {k: F(1, 3) for k in range(3)}
    assert witness(answer(((0, 1, 2, 3), 1), sets=True), thirds) is None
    missing = witness(answer(((0, 1, 3), 1), sets=True), thirds)
    assert missing == Overbelieved(missing.set, F(2, 3), F(1))  # type: ignore[union-attr]
    assert {0, 1, 3} >= set(missing.set)  # type: ignore[union-attr]


def test_figures() -> None:
    said = {
        0: (((0,), F(1, 2)), ((1,), F(1, 2))),
        1: (((1,), F(1)),),
        3: (((0,), F(1, 4)), ((1,), F(3, 4))),
    }
    true = [0, 1, 2, 0]
    found = judge(Links("m", said, False, 1), certain(true), true)
    assert (found.judged, found.silent, found.normalized, found.patterns) == (
        3,
        1,
        1,
        0,
    )
    assert (found.correct, found.first) == (F(7, 4), F(3, 2))
    assert [item.record for item in found.unsound] == [3]


def test_equal_patterns_are_decided_once() -> None:
    """Ten records whose numbers are the same up to names, and one that differs."""
    said = {
        r: (((r,), F(1, 2)), ((r + 1,), F(1, 4)), ((r + 2,), F(1, 4)))
        for r in range(10)
    }
    said[10] = (((0,), F(1, 3)), ((1,), F(1, 3)), ((2,), F(1, 3)))

    def truth(record: int) -> Mapping[int, Fraction]:
        first = record % 10
        return {first: F(1, 2), first + 1: F(1, 2)}

    assert judge(Links("m", said, False), truth, range(11)).patterns == 2


def test_equal_sets_with_other_truths_are_other_questions() -> None:
    said = {r: (((0, 1), F(1)),) for r in range(2)}
    truths = ({0: F(1, 2), 1: F(1, 2)}, {0: F(1, 2), 2: F(1, 2)})
    found = judge(Links("m", said, True), truths.__getitem__, [0, 0])
    assert [item.record for item in found.unsound] == [1]
    assert found.patterns == 2


shares = st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(any)


def distribution(weights: list[int]) -> dict[int, Fraction]:
    return {k: F(w, sum(weights)) for k, w in enumerate(weights) if w}


def subsets(n: int) -> list[tuple[int, ...]]:
    return [c for size in range(1, n + 1) for c in combinations(range(n), size)]


@cases(150)
@given(shares, st.integers(0, 3), st.integers(0, 2**30))
def test_a_certain_truth_needs_no_program(
    weights: list[int], true: int, seed: int
) -> None:
    """What is decided by a comparison is what the linear program decides."""
    given_, truth = distribution(weights), {true: F(1)}
    program = isinstance(sound(given_, truth), Plan)
    assert (
        witness(answer(*(given_.get(k, 0) for k in range(4))), truth) is None
    ) == program


@cases(150)
@given(st.lists(st.integers(0, 3), min_size=15, max_size=15).filter(any), shares)
def test_sets_by_all_subsets(masses: list[int], weights: list[int]) -> None:
    """Definition 7 literally."""
    focal = [
        (s, F(m, sum(masses))) for s, m in zip(subsets(4), masses, strict=True) if m
    ]
    truth = distribution(weights)
    worst = max(
        sum((m for s, m in focal if set(s) <= set(c)), F(0))
        - sum((truth.get(x, F(0)) for x in c), F(0))
        for c in subsets(4)
    )
    found = witness(answer(*focal, sets=True), truth)
    assert (found is None) == (worst <= 0)
    if isinstance(found, Overbelieved):
        inside = set(found.set)
        assert found.belief == sum((m for s, m in focal if set(s) <= inside), F(0))
        assert (
            found.probability
            == sum((truth.get(x, F(0)) for x in inside), F(0))
            < found.belief
        )


@cases(80)
@given(st.lists(st.integers(0, 3), min_size=15, max_size=15).filter(any), shares)
def test_a_compatible_belief_has_a_sound_pignistic_distribution(
    masses: list[int], weights: list[int]
) -> None:
    """Definition 14 by Definition 7, in the direction that needs no search."""
    focal = [
        (s, F(m, sum(masses))) for s, m in zip(subsets(4), masses, strict=True) if m
    ]
    belief, truth = answer(*focal, sets=True), distribution(weights)
    if witness(belief, truth) is None:
        given_ = belief.probability(0)
        assert witness(answer(*(given_.get(k, 0) for k in range(4))), truth) is None


# --- adapters
# --------------------------------------------------------------------------------------------

RELEASE = pd.DataFrame({"unique_id": ["x", "y"], "age": [20, 40]}, index=["r10", "r11"])
ORIGINAL = pd.DataFrame(
    {"unique_id": ["u", "v", "w"], "age": [21, 41, 40]}, index=[5, 6, 7]
)
PAIRS = pd.MultiIndex.from_tuples(
    [("r10", 5), ("r11", 6), ("r11", 7)], names=["rec_id_1", "rec_id_2"]
)


def rows(found: pd.DataFrame) -> list[tuple[Any, ...]]:
    return [
        tuple(row)
        for row in (
            found[["released_row", "original_row", "probability"]].to_numpy().tolist()
        )
    ]


def test_recordlinkage_series() -> None:
    found = from_recordlinkage(
        pd.Series([1.0, 0.25, 0.75], index=PAIRS), RELEASE, ORIGINAL
    )
    assert rows(found) == [(1, 1, 1.0), (2, 2, 0.25), (2, 3, 0.75)]
    assert links(found).said[1] == (((1,), F(1, 4)), ((2,), F(3, 4)))


def test_recordlinkage_features_and_matches() -> None:
    features = pd.DataFrame({"age": [1.0, 0.5, 1.0], "sex": [1, 1, 1]}, index=PAIRS)
    assert rows(from_recordlinkage(features, RELEASE, ORIGINAL)) == [
        (1, 1, 2.0),
        (2, 2, 1.5),
        (2, 3, 2.0),
    ]
    matches = links(
        from_recordlinkage(PAIRS, RELEASE, ORIGINAL), how=LinkReading(normalize=True)
    )
    assert matches.said[1] == (((1,), F(1, 2)), ((2,), F(1, 2)))


def test_recordlinkage_in_the_other_order() -> None:
    scores = pd.Series(
        [1, 1], index=pd.MultiIndex.from_tuples([(6, "r10"), (7, "r11")])
    )
    for reverse in (True, None):  # the labels tell
        assert rows(from_recordlinkage(scores, RELEASE, ORIGINAL, reverse=reverse)) == [
            (1, 2, 1),
            (2, 3, 1),
        ]
    with pytest.raises(InputError, match="there is no record '6', and links name it"):
        from_recordlinkage(scores, RELEASE, ORIGINAL, reverse=False)


def test_recordlinkage_with_labels_of_both_tables() -> None:
    """Row numbers are labels of both: which of index(release, original) and
    index(original, release) is not guessed.
    """
    one, other = (
        RELEASE.reset_index(drop=True),
        ORIGINAL.iloc[:2].reset_index(drop=True),
    )
    scores = pd.Series([0.9], index=pd.MultiIndex.from_tuples([(0, 1)]))
    with pytest.raises(InputError, match=r"either way\n.*reverse=False where"):
        from_recordlinkage(scores, one, other)
    assert rows(from_recordlinkage(scores, one, other, reverse=False)) == [(1, 2, 0.9)]
    assert rows(from_recordlinkage(scores, one, other, reverse=True)) == [(2, 1, 0.9)]


def predictions(**more: Any) -> pd.DataFrame:
    columns = {"match_weight": [3.1, -2.0], "match_probability": [0.9, 0.2]}
    return pd.DataFrame(
        {**columns, "unique_id_l": ["x", "v"], "unique_id_r": ["u", "y"], **more}
    )


def test_splink() -> None:
    sides = {"source_dataset_l": ["rel", "orig"], "source_dataset_r": ["orig", "rel"]}
    found = from_splink(predictions(**sides), RELEASE, ORIGINAL, released="rel")
    assert rows(found) == [(1, 1, 0.9), (2, 2, 0.2)]
    one_way = predictions(unique_id_l=["x", "y"], unique_id_r=["u", "v"])
    assert rows(from_splink(one_way, RELEASE, ORIGINAL)) == [(1, 1, 0.9), (2, 2, 0.2)]


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (predictions(), {}, "there is no record 'v', and links name it"),
        (predictions(), {"released": "rel"}, "there is no column 'source_dataset_l'"),
        (
            predictions().drop(columns="match_probability"),
            {},
            "there is no column 'match_probability'",
        ),
        (predictions(), {"unique_id": "id"}, "there is no column 'id_l'"),
        (
            predictions(source_dataset_l="a", source_dataset_r="a"),
            {"released": "a"},
            "2 links lie within one of 'a'",
        ),
    ],
)
def test_splink_mistakes(frame: pd.DataFrame, options: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        from_splink(frame, RELEASE, ORIGINAL, **options)
    assert said in str(error.value)


SPLINK = {
    "match_probability": [0.9, 0.2],
    "unique_id_l": ["u", "v"],
    "unique_id_r": ["x", "y"],
}
ALIKE = {**SPLINK, "unique_id_l": ["x", "y"], "unique_id_r": ["x", "x"]}
DATASETS = {"source_dataset_l": ["orig", "orig"], "source_dataset_r": ["rel", "rel"]}


def test_splink_may_have_the_original_on_the_left() -> None:
    for more in ({}, DATASETS):
        assert rows(
            from_splink(pd.DataFrame({**SPLINK, **more}), RELEASE, ORIGINAL)
        ) == [(1, 1, 0.9), (2, 2, 0.2)]
    turned = {
        f"source_dataset_{side}": names
        for side, names in zip("lr", (["a", "b"], ["b", "a"]), strict=True)
    }
    mixed = pd.DataFrame(
        {**SPLINK, "unique_id_l": ["u", "y"], "unique_id_r": ["x", "v"], **turned}
    )
    assert rows(from_splink(mixed, RELEASE, ORIGINAL)) == [(1, 1, 0.9), (2, 2, 0.2)]


def test_splink_with_equal_identifiers_is_not_guessed() -> None:
    same = ORIGINAL.assign(unique_id=["y", "x", "z"])
    with pytest.raises(InputError) as error:
        from_splink(pd.DataFrame({**ALIKE, **DATASETS}), RELEASE, same)
    assert "which side of the links is the release is open" in str(error.value)
    assert "released='orig' or released='rel'" in str(error.value)
    with pytest.raises(
        InputError, match="keep splink's columns source_dataset_l and source_dataset_r"
    ):
        from_splink(pd.DataFrame(ALIKE), RELEASE, same)
    found = from_splink(
        pd.DataFrame({**ALIKE, **DATASETS}), RELEASE, same, released="rel"
    )
    assert rows(found) == [(1, 2, 0.9), (1, 1, 0.2)]
    with pytest.raises(InputError, match="did you mean 'rel'"):
        from_splink(pd.DataFrame({**ALIKE, **DATASETS}), RELEASE, same, released="rell")


@cases(60)
@given(
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1),
)
def test_sides_are_taken_only_where_they_are_certain(
    common: int, own: int, pairs: list[tuple[int, int]]
) -> None:
    """Two tables that share some identifiers: a reading is right, or refused, whatever
    the order of the sides.
    """
    after, before = [f"s{k}" for k in range(common)], [f"s{k}" for k in range(common)]
    after, before = (
        [*after, *(f"r{k}" for k in range(own + 1))],
        [
            *before,
            *(f"o{k}" for k in range(own + 1)),
        ],
    )
    lines = list(
        dict.fromkeys(
            (after[a % len(after)], before[b % len(before)]) for a, b in pairs
        )
    )
    release, original = (
        pd.DataFrame({"unique_id": after}),
        pd.DataFrame({"unique_id": before}),
    )
    wanted = [
        (after.index(one) + 1, before.index(other) + 1, 0.5) for one, other in lines
    ]
    open_ = all(one in before and other in after for one, other in lines)
    for left, right in ((0, 1), (1, 0)):
        sides = {
            "unique_id_l": [line[left] for line in lines],
            "unique_id_r": [line[right] for line in lines],
        }
        frame = pd.DataFrame({**sides, "match_probability": 0.5})
        if open_:
            with pytest.raises(InputError, match="is open"):
                from_splink(frame, release, original)
            with pytest.raises(InputError, match="is open"):
                read_links(
                    frame,
                    RecordNames("d", len(after), tuple(after)),
                    RecordNames("i", len(before), tuple(before)),
                )
            continue
        assert rows(from_splink(frame, release, original)) == wanted
        names = (
            RecordNames("d", len(after), tuple(after)),
            RecordNames("i", len(before), tuple(before)),
        )
        read = read_links(frame, *names, how=LinkReading(pairwise=True)).pairs
        assert sorted(
            (r + 1, x + 1) for r, found in read.items() for x in found
        ) == sorted(w[:2] for w in wanted)


def test_splink_files_whose_release_changes_sides() -> None:
    frame = pd.DataFrame(
        {**SPLINK, "source_dataset_l": ["a", "b"], "source_dataset_r": ["b", "a"]}
    )
    with pytest.raises(
        InputError, match="the release is not on the same side in all lines"
    ):
        read_links(
            frame, RecordNames("d", 2, ("x", "y")), RecordNames("i", 2, ("u", "v"))
        )


def test_labels_of_two_records() -> None:
    twice = pd.DataFrame({"age": [1, 2]}, index=[0, 0])
    with pytest.raises(InputError, match="the label '0' is that of two records"):
        from_recordlinkage(
            pd.Series([1], index=pd.MultiIndex.from_tuples([(0, 5)])), twice, ORIGINAL
        )
    with pytest.raises(InputError, match="not indexed by pairs"):
        from_recordlinkage(pd.Series([1]), RELEASE, ORIGINAL)


# --- baselines
# -------------------------------------------------------------------------------------------


def test_distance_linkage_shares_ties() -> None:
    pytest.importorskip("scipy")
    original = pd.DataFrame({"age": [20, 30, 40], "pay": [1.0, 1.0, 1.0]})
    release = pd.DataFrame({"age": [21, 35], "pay": [1.0, 1.0]})
    found = links(distance_linkage(original, release, ["age", "pay"]))
    assert found.said == {0: (((0,), F(1)),), 1: (((1,), F(1, 2)), ((2,), F(1, 2)))}


@pytest.mark.parametrize("column", ["name", "none", "gap"])
def test_distances_need_numbers(column: str) -> None:
    pytest.importorskip("scipy")
    frame = pd.DataFrame({"name": ["a"], "gap": [None]})
    with pytest.raises(InputError):
        distance_linkage(frame, frame, [column])


def rank_swapped(frame: pd.DataFrame, p: int, seed: int) -> pd.DataFrame:
    """Values exchanged in pairs of records whose ranks differ by at most p percent,
    column by column.
    """
    rng, found = random.Random(seed), frame.copy()
    for name in frame.columns:
        order = list(np.argsort(frame[name].to_numpy(), kind="stable"))
        free = list(range(len(order)))
        while free:
            a = free.pop(0)
            near = [b for b in free if b - a <= p * len(order) // 100]
            if near:
                free.remove(b := rng.choice(near))
                one, other = frame[name].iloc[order[a]], frame[name].iloc[order[b]]
                found.iloc[order[a], found.columns.get_loc(name)] = other  # type: ignore[index]
                found.iloc[order[b], found.columns.get_loc(name)] = one  # type: ignore[index]
    return found


@cases(25)
@given(st.integers(0, 10**6), st.sampled_from([0, 5, 10, 30]))
def test_the_attack_on_rank_swapping_is_sound(seed: int, p: int) -> None:
    """The true record is always a candidate, so that belief and pignistic distribution
    are sound.
    """
    rng = random.Random(seed)
    original = pd.DataFrame({c: [rng.randint(0, 20) for _ in range(20)] for c in "ab"})
    sets = rank_swapping_candidates(
        original, rank_swapped(original, p, seed), ["a", "b"], str(p)
    )
    found = links(sets, released=RecordNames("d", 20), original=RecordNames("i", 20))
    judged = judge(found, certain(range(20)), range(20))
    assert judged.verdict == "sound"
    assert (judged.judged, judged.silent) == (20, 0)


def test_a_reach_that_is_too_short_is_unsound() -> None:
    original = pd.DataFrame({"a": range(10), "b": range(10)})
    release = pd.DataFrame({"a": [*range(1, 10), 0], "b": range(10)})
    both, one = (
        rank_swapping_candidates(original, release, list(columns), "5")
        for columns in ("ab", "a")
    )
    assert len(both) == 0
    found = links(one, released=RecordNames("d", 10), original=RecordNames("i", 10))
    judged = judge(found, certain(range(10)), range(10))
    assert judged.verdict == "unsound"
    assert isinstance(judged.unsound[0].witness, Overbelieved)


# --- mappings that nobody declared
# -----------------------------------------------------------------------

BEFORE = pd.DataFrame({"id": [*"abcdef"], "birth": ["1/56", "2/56", "3/57", "4/57", "1/56", "5/58"],
                       "job": ["x", "y", "x", "z", "z", "y"]})  # fmt: skip
YEAR = {"1/56": "'56", "2/56": "'56", "3/57": "late", "4/57": "late", "5/58": "late"}
AFTER = BEFORE.assign(birth=BEFORE["birth"].map(YEAR)).drop(columns="id")
RULES_OF = {
    "columns": {"quasi": ["birth"], "neutral": ["job"], "identifier": "id"},
    "rules": {"r": "true"},
}


def sizes(before: pd.DataFrame, after: pd.DataFrame, **more: Any) -> list[int]:
    """Candidates of each released record, as far as birth tells."""
    found = ph.reidentify(
        before, after, ph.Policy.from_dict({**RULES_OF, **more}), ["birth"]
    )
    assert found.risk is not None
    return [found.risk.attackers[0].record(row).size for row in range(len(after))]


def test_mappings_by_order_by_identifier_and_by_matching() -> None:
    assert sizes(BEFORE, AFTER, rows="same order") == [3, 3, 3, 3, 3, 3]
    with pytest.raises(
        InputError,
        match="no one mapping of the original values explains the release, either",
    ):
        sizes(BEFORE, AFTER)  # the order fits, and so do others
    order = [5, 0, 3, 2, 4, 1]
    shuffled = AFTER.iloc[order].assign(id=BEFORE["id"].iloc[order])
    assert sizes(BEFORE, shuffled) == [3] * 6
    text = str(ph.reidentify(BEFORE, shuffled, ph.Policy.from_dict(RULES_OF)))
    assert (
        "birth: nothing is declared; read by the mapping that explains the release"
        in text
    )
    assert "true records by the identifier 'id'" in text


def test_one_function_or_none() -> None:
    """A value that became two things has no mapping, and the cells that cannot be read
    are told.
    """
    forked = AFTER.assign(birth=["'56", "'56", "late", "late", "late", "late"])
    with pytest.raises(InputError, match="is no value of the original"):
        sizes(BEFORE, forked)


def test_an_order_that_leaves_several_mappings_is_not_guessed() -> None:
    with pytest.raises(
        InputError,
        match="no one mapping of the original values explains the release, either",
    ):
        sizes(BEFORE, AFTER.iloc[[1, 0, 2, 3, 4, 5]])
    years = {label: [label, label.rpartition("/")[2]] for label in set(BEFORE["birth"])}
    known = BEFORE.assign(birth=[years[label][1] for label in BEFORE["birth"]]).drop(
        columns="id"
    )
    distinct = BEFORE.assign(job=[*"uvwxyz"])
    assert sizes(distinct, known.assign(job=[*"uvwxyz"]).iloc[::-1]) == [
        1,
        3,
        2,
        2,
        3,
        3,
    ]


def test_samples_leave_values_without_a_mapping() -> None:
    sample = AFTER.assign(id=BEFORE["id"]).iloc[:5]
    with pytest.raises(InputError, match="is no value of the original"):
        sizes(BEFORE, sample)


def test_declared_columns_are_not_guessed() -> None:
    with pytest.raises(InputError, match="is no multiple of 10"):
        sizes(BEFORE, AFTER, masking={"birth": {"rounding": 10}})
