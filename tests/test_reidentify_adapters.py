"""Answers as recordlinkage and splink write them, distances, and mappings by order."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reidentify_methods_cases import F, links
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError
from phverify.linkage.methods.adapters import from_recordlinkage, from_splink
from phverify.linkage.methods.answers import LinkReading
from phverify.linkage.methods.baselines import (
    distance_linkage,
    rank_swapping_candidates,
)
from phverify.linkage.methods.links import read_links
from phverify.linkage.methods.record_names import RecordNames
from phverify.linkage.methods.soundness import certain, judge
from phverify.linkage.methods.unsound import Overbelieved

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


@so_many(30)
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


@so_many(13)
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
