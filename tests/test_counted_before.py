"""Searches for other numbers of a rule share what they count: of the same table, in the
same space, and no more than there is room for.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph
from phverify.generalization.counted_before import CountedBefore
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.neighbours import SearchesBeside
from phverify.generalization.space import CodedSpace, implied
from phverify.generalization.space import space as search_space
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.quotient import Quotient, quotient
from phverify.microdata.table import CodedColumn
from phverify.verbs import tradeoff_at_once

ZIPS = ("11", "12", "21", "22")
PATHS = {
    "zip": Hierarchy("zip", {zip: (zip, f"{zip[0]}*", "*") for zip in ZIPS}),
    "sex": Hierarchy("sex", {"m": ("m", "*"), "f": ("f", "*")}),
}
POLICY = ph.Policy.from_dict(
    {"columns": {"quasi": ["zip", "sex"]}, "rules": {"k": "k_anonymity(2)"}}
)
ROWS = {"zip": (*ZIPS, "11", "22"), "sex": tuple("mfmfmf"), "ill": tuple("aabbab")}


def columns(**changed: tuple[str, ...]) -> dict[str, CodedColumn]:
    found = {}
    for name, cells in (ROWS | changed).items():
        labels = tuple(dict.fromkeys(cells))
        found[name] = CodedColumn(CodedColumn.coded(cells, labels), labels)
    return found


def counted(*others: str, **changed: tuple[str, ...]) -> Quotient:
    return quotient(columns(**changed), ("zip", "sex"), others, 6)


def space() -> CodedSpace:
    return search_space("levels", POLICY, columns(), PATHS)


def test_serves_one_table_in_one_space() -> None:
    before, schemes = CountedBefore(100), space().schemes
    assert before.serves(counted("ill"), schemes, PATHS)
    assert before.serves(counted("ill"), schemes, PATHS)
    assert not before.serves(counted(), schemes, PATHS)
    # As many rows of each class, with other values in them; and other labels.
    assert not before.serves(counted("ill", ill=tuple("ababab")), schemes, PATHS)
    assert not before.serves(counted("ill", ill=tuple("aaccac")), schemes, PATHS)
    # The same cells, other rows.
    other = replace(counted("ill"), counts=counted("ill").counts + 1)
    assert not before.serves(other, schemes, PATHS)
    renamed = {zip: (zip, f"{zip[1]}*", "*") for zip in ZIPS}
    changed = PATHS | {"zip": Hierarchy("zip", renamed)}
    assert not before.serves(counted("ill"), schemes, changed)
    assert not before.serves(counted("ill"), schemes[::-1], PATHS)


def test_keeps_what_there_is_room_for() -> None:
    fine, candidates = counted(), [*map(np.array, product([False, True], repeat=2))]
    before = CountedBefore(2 * fine.cells)
    for candidate in candidates:
        before.keep(candidate, fine)
    known = [before.known(candidate) is fine for candidate in candidates]
    assert known == [True, True, False, False]
    before.clear()
    before.keep(candidates[0], fine)
    assert before.known(candidates[0]) is None


def test_a_search_asks_for_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates of one point are not counted again for the next one, and none are
    kept once all points are there.
    """
    made: list[bytes] = []
    shared: dict[int, CountedBefore] = {}
    count, begin = CandidateJudge._counted, SearchesBeside.begin

    def counting(judge: CandidateJudge, images: Any, finer: Any) -> Quotient:
        made.append(b"".join(image.codes.tobytes() for image in images.values()))
        return count(judge, images, finer)

    def beginning(beside: SearchesBeside, search: Any) -> None:
        begin(beside, search)
        shared[id(beside.counted)] = beside.counted

    monkeypatch.setattr(CandidateJudge, "_counted", counting)
    monkeypatch.setattr(SearchesBeside, "begin", beginning)
    monkeypatch.setattr(tradeoff_at_once, "at_once", lambda *asked: None)
    names = ("zip", "sex")
    cells = {name: [*ROWS[name]] * 3 for name in names}
    hierarchies: Any = PATHS
    table = pd.DataFrame(cells)
    found = ph.tradeoff(table, POLICY, hierarchies, k="2..9", suppress="1/3")
    assert sum(point.searched for point in found.points) > 1
    assert len(made) == len(set(made)) > 0
    [before] = shared.values()
    assert not before.quotients


def test_raised_along_levels_is_what_follows() -> None:
    """The shortcut of levels against the implications of the decisions."""
    levels = space()
    for vector in product(range(3), range(2)):
        candidate = levels.vector(vector)
        for unknown in range(levels.decisions):
            k = 0 if unknown < 2 else 1
            start, end = levels.starts[k : k + 2]
            own = {*np.flatnonzero(candidate[start:end]).tolist(), unknown - start}
            wanted = candidate.copy()
            for decision in implied(levels.implications[k], own):
                wanted[start + decision] = True
            assert levels.raised(candidate, unknown).tolist() == wanted.tolist()
