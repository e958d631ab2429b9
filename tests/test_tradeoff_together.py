"""What points that are decided together share: vectors that are ruled out for several
numbers, and the rows of a candidate that is the best of several.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from test_tradeoff_at_once import DEEPER, NAMES, deep, table

import phverify as ph
from phverify.generalization.at_once import AtOnce
from phverify.generalization.released import RecodedRows
from phverify.microdata.keys import ranked
from phverify.microdata.table import CodedColumn


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("k_anonymity(2)", "entropy_l_diversity(f, 1.5)"),
        ("k_anonymity(2)", "t_closeness(f, 0.3, reference=original)"),
        ("l_diversity(f, 2)", "k_anonymity(3)"),
    ],
)
def test_of_what_costs_the_same_the_first_that_withholds_fewest_is_taken(
    monkeypatch: pytest.MonkeyPatch, seed: int, rule: str, other: str
) -> None:
    """Whatever was ruled out together: against all vectors, one after the other."""
    runs: list[AtOnce] = []
    run = AtOnce.run

    def noted(one: AtOnce) -> None:
        runs.append(one)
        run(one)

    monkeypatch.setattr(AtOnce, "run", noted)
    varied = "k" if rule.startswith("k") else "l"
    numbers = {"k": "2..30", "l": "2..4"}[varied]
    rules = deep(first=rule, other=other)
    asked: dict[str, Any] = {varied: numbers, "suppress": "0.25", "objective": "height"}
    ph.tradeoff(table(seed, 60), rules, DEEPER, **asked)
    [one] = runs
    grid, space = one.grid, one.search.space
    counted = []
    for number in grid.left.tolist():
        vector = tuple(map(int, np.unravel_index(number, grid.shape)))
        view = one.varying.judge.view(space.vector(vector))
        counted.append((vector, one.varying.satisfied(view)))
    for place, fitting in enumerate(one.least):
        fit = [(v, said) for v, said in counted if place < said.first]
        height = min(sum(vector) for vector, _ in fit)
        level = [(v, said) for v, said in fit if sum(v) == height]
        fewest = min(int(said.withheld[place]) for _, said in level)
        first = next(v for v, said in level if said.withheld[place] == fewest)
        assert fitting.candidate.tolist() == space.vector(first).tolist()
    assert len(one.vectors.known) == len(
        set(one.vectors._counted[: len(one.vectors.known)].tolist())
    )


def test_rows_of_one_candidate_are_those_of_each_release() -> None:
    frame = table(3, 80)
    found = ph.tradeoff(
        frame, deep(k="k_anonymity(2)"), DEEPER, k="2..20", suppress="0.3"
    )
    withheld = set()
    for point in found.points:
        answer = point.answer
        best = answer.explored.best
        judge, view = answer.explored.judge, best.finding.view
        recoded = RecodedRows(judge, view)
        for failing in (best.finding.withheld, best.finding.withheld[:0]):
            rows = recoded.kept(failing)
            kept = [n for n in range(80) if not _in(view, judge, n, failing)]
            assert (list(range(80)) if rows is None else rows.tolist()) == kept
            after = recoded.released(rows)
            assert after.rows == len(kept)
            for name in NAMES:
                image = judge.space.columns(view.candidate)[name]
                column = judge.table.columns[name]
                cells = [image.labels[image.codes[column.codes[n]]] for n in kept]
                assert after.columns[name].cells() == cells
                assert set(after.columns[name].labels) == set(cells)
        withheld.add(len(best.finding.withheld))
    assert len(withheld) > 2


def _in(view: Any, judge: Any, row: int, classes: Any) -> bool:
    """Whether a row is in one of some classes."""
    images = judge.space.columns(view.candidate)
    own = []
    for name in view.quotient.quasi:
        own.append(int(images[name].codes[judge.table.columns[name].codes[row]]))
    for index in classes.tolist():
        if list(view.quotient.codes_of_class(index).values()) == own:
            return True
    return False


# What counts are made of


@so_many(60)
@given(
    keys=st.lists(st.integers(0, 39), min_size=1, max_size=20),
    space=st.integers(40, 200),
)
def test_ranks_are_places_among_sorted_keys(keys: list[int], space: int) -> None:
    distinct, ranks = ranked(np.array(keys), space)
    assert distinct.tolist() == sorted(set(keys))
    assert [distinct[rank] for rank in ranks.tolist()] == keys


@so_many(60)
@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=9), st.data())
def test_taken_cells_have_the_labels_that_are_left(cells: list[str], data: Any) -> None:
    labels = tuple(dict.fromkeys(cells))
    column = CodedColumn(CodedColumn.coded(cells, labels), labels)
    rows = data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1, unique=True))
    taken = column.taken(np.array(rows))
    assert taken.cells() == [cells[row] for row in rows]
    assert set(taken.labels) == set(taken.cells())
    assert len(taken.labels) == len(set(taken.labels))
