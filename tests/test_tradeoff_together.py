"""What points that are decided together share: vectors that are ruled out for several
numbers, and the rows of a candidate that is the best of several.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.at_once_runs import runs_noted
from support.so_many import so_many
from test_tradeoff_at_once import DEEPER, NAMES, deep, table

import phverify as ph
from phverify.errors import Defect
from phverify.generalization.numbers import VaryingPart
from phverify.generalization.released import RecodedGroups, RecodedRows
from phverify.microdata import keys as packing
from phverify.microdata.coarser import with_others
from phverify.microdata.keys import ranked, summed
from phverify.microdata.quotient import quotient
from phverify.microdata.table import CodedColumn, CodedTable


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("k_anonymity(2)", "entropy_l_diversity(f, 1.5)"),
        ("k_anonymity(2)", "t_closeness(f, 0.3, reference=original)"),
        ("l_diversity(f, 2)", "k_anonymity(3)"),
        ("t_closeness(f, 1, reference=original)", "k_anonymity(2)"),
        ("alpha_k_anonymity(f, 0.9, 2)", "l_diversity(f, 2)"),
    ],
)
def test_of_what_costs_the_same_the_first_that_withholds_fewest_is_taken(
    monkeypatch: pytest.MonkeyPatch, seed: int, rule: str, other: str
) -> None:
    """Whatever was ruled out together: against all vectors, one after the other."""
    runs = runs_noted(monkeypatch)
    varied = {"l_diversity(f, 2)": "l", "k_anonymity(2)": "k"}.get(rule, rule[0])
    varied = varied.replace("a", "k")
    numbers = {"k": "2..30", "l": "2..4", "t": "0.1,0.2,0.3,0.35,0.5"}[varied]
    rules = deep(first=rule, other=other)
    asked: dict[str, Any] = {varied: numbers, "suppress": "0.25", "objective": "height"}
    ph.tradeoff(table(seed, 60), rules, DEEPER, **asked)
    [one] = runs
    grid, space = one.grid, one.search.space
    counted = []
    for number in grid.left.tolist():
        vector = tuple(map(int, np.unravel_index(number, grid.shape)))
        view = one.varying.judge.view(space.vector(vector))
        counted.append((vector, withheld_by_number(one, view)))
    for place, fitting in enumerate(one.least):
        fit = [(v, rows[place]) for v, rows in counted if rows[place] <= 15]
        height = min(sum(vector) for vector, _ in fit)
        level = [(v, rows) for v, rows in fit if sum(v) == height]
        fewest = min(rows for _, rows in level)
        first = next(v for v, rows in level if rows == fewest)
        assert fitting.candidate.tolist() == space.vector(first).tolist()
    if one.ended:
        place = len(one.least)
        assert all(rows[place] > 15 for _, rows in counted)
    assert len(one.vectors.known) == len(
        set(one.vectors._counted[: len(one.vectors.known)].tolist())
    )


def withheld_by_number(one: Any, view: Any) -> list[int]:
    """The records that a candidate withholds for each number: class by class, as the
    criteria define it.
    """
    judge, numbers = one.varying.judge, one.varying.numbers
    built = judge.bound.release.criteria
    rows = []
    for place in range(len(numbers)):
        withheld = 0
        for index, size in enumerate(view.quotient.sizes.tolist()):
            for part in one.varying.parts(place):
                [body] = part.bodies
                counted = view.ground.histogram(built[body].attribute)
                if not built[body].holds(counted.inside(index), counted.outside()):
                    withheld += size
                    break
        rows.append(withheld)
    return rows


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


@pytest.mark.parametrize("share", ["0", "0.3"])
def test_groups_of_one_candidate_are_the_rows_of_each_release(share: str) -> None:
    """The table that is decided from groups is the one that is released by rows."""
    frame = table(3, 80)
    rules = deep(k="k_anonymity(2)", l="l_diversity(f, 2)")
    found = ph.tradeoff(frame, rules, DEEPER, k="2..20", suppress=share)
    for point in found.points:
        best = point.answer.explored.best
        judge, view = point.answer.explored.judge, best.finding.view
        by_rows, by_groups = RecodedRows(judge, view), RecodedGroups(judge, view)
        for failing in (best.finding.withheld, best.finding.withheld[:0]):
            rows = by_rows.released(by_rows.kept(failing))
            groups = by_groups.released(by_groups.kept(failing))
            _require_same_rows(rows, groups)


def _require_same_rows(rows: CodedTable, groups: CodedTable) -> None:
    """Group by group as many rows as there are, and the same ones."""
    elsewhere = groups.elsewhere
    assert elsewhere is not None
    names = list(elsewhere.grouped)
    assert set(names) == set(rows.columns) == set(groups.columns)
    by_row = list(zip(*[rows.columns[name].cells() for name in names], strict=True))
    cells = list(zip(*[groups.columns[name].cells() for name in names], strict=True))
    counts = elsewhere.counts.tolist()
    assert dict(zip(cells, counts, strict=True)) == Counter(by_row)
    assert groups.rows == rows.rows == sum(counts)
    for name in names:
        column = groups.columns[name]
        assert set(column.labels) == set(column.cells())
        assert column.rows == rows.rows
    # Single rows are found again, numbered as they are released.
    everything = list(range(len(by_row)))
    assert [cells[group] for group in elsewhere.groups_of(everything)] == by_row
    assert elsewhere.firsts.tolist() == [by_row.index(cell) for cell in cells]
    some = np.arange(0, len(cells), 2)
    found, of_groups = elsewhere.rows_of(some)
    wanted = [row for row in everything if by_row[row] in {cells[k] for k in some}]
    assert found.tolist() == wanted
    assert [cells[group] for group in of_groups.tolist()] == [by_row[k] for k in wanted]


def test_columns_that_no_rule_looks_at_are_told_of_as_by_rows() -> None:
    frame = table(4, 60)
    frame["free"] = [f"text {row}" for row in range(60)]
    frame["rare"] = ["seen" if row % 7 else None for row in range(60)]
    columns = {"quasi": list(NAMES), "sensitive": ["f", "rare"], "neutral": ["free"]}
    rules = {"k": "k_anonymity(2)"}
    whole = ph.Policy.from_dict({"columns": columns, "rules": rules})
    found = ph.tradeoff(frame, whole, DEEPER, k="2..9", suppress="0.3")
    told = set()
    for point in found.points:
        assert point.found is not None
        checks = point.answer.checks
        missing = point.answer.release["rare"].isna().sum()
        (warning,) = [said for said in checks.warnings if "'rare'" in said]
        assert warning.startswith(f"{missing} ") and warning in point.found.warnings
        told.add(warning)
        best = point.answer.explored.best
        judge, view = point.answer.explored.judge, best.finding.view
        groups = RecodedGroups(judge, view)
        for kept in (None, groups.kept(best.finding.withheld)):
            after = groups.released(kept)
            assert after.elsewhere is not None
            assert after.elsewhere.grouped == (*NAMES, "rare")
            assert after.columns["free"].rows == after.columns["p"].rows == after.rows
    assert len(told) > 1


@pytest.mark.parametrize("rule", ["k_anonymity(2)", "l_diversity(f, 2)"])
def test_a_release_that_breaks_a_rule_is_found_out_from_groups(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    """Whatever the search says: what it should have withheld is refuted."""
    failing = VaryingPart.failing

    def too_few(part: VaryingPart, view: Any, place: int) -> Any:
        return failing(part, view, place)[:-1]

    monkeypatch.setattr(VaryingPart, "failing", too_few)
    varied = {"k": "2..9"} if rule.startswith("k") else {"l": "2..4"}
    with pytest.raises(Defect, match="verify finds refuted"):
        ph.tradeoff(table(3, 80), deep(r=rule), DEEPER, **varied, suppress="0.3")


def test_what_is_counted_with_fewer_columns_is_of_the_same_classes() -> None:
    random = np.random.default_rng(7)
    sizes = {"a": 3, "b": 4, "f": 3, "g": 2}
    rows = {name: random.integers(0, size, 90) for name, size in sizes.items()}
    columns = {
        name: CodedColumn(rows[name], tuple(map(str, range(size))))
        for name, size in sizes.items()
    }
    whole = quotient(columns, ("a", "b"), ("f", "g"), 90)
    for others in ((), ("f",), ("g",), ("f", "g")):
        wanted = quotient(columns, ("a", "b"), others, 90)
        found = with_others(whole, others)
        assert found.counts.tolist() == wanted.counts.tolist()
        assert found.starts.tolist() == wanted.starts.tolist()
        assert found.sizes.tolist() == wanted.sizes.tolist()
        assert found.class_keys.tolist() == wanted.class_keys.tolist()
        assert set(found.codes) == set(wanted.codes) == {"a", "b", *others}
        assert len(found.codes) == len(wanted.codes)
        for name in wanted.codes:
            assert found.codes[name].tolist() == wanted.codes[name].tolist()
        with pytest.raises(KeyError):
            found.codes["other"]


def test_fewer_columns_are_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said with fewer columns is true of the whole policy: no vector satisfies
    more numbers, or withholds fewer records.
    """
    runs = runs_noted(monkeypatch)
    for rule, stages in (
        ("l_diversity(f, 3)", 2),
        ("entropy_l_diversity(f, 2)", 2),
        ("", 1),
    ):
        rules = deep(k="k_anonymity(2)", **({"other": rule} if rule else {}))
        asked: dict[str, Any] = {"suppress": "0.2", "objective": "height"}
        ph.tradeoff(table(2, 90), rules, DEEPER, k="2..30", **asked)
        one = runs.pop()
        assert len(one.stages) == stages
        first, space = one.stages[0], one.search.space
        for vector, said in first.known.items():
            view = one.varying.judge.view(space.vector(vector))
            whole = one.varying.satisfied(view, 0)
            assert whole.first <= said.first and whole.finer <= said.finer
            assert (whole.withheld >= said.withheld).all()
            assert (whole.lasting >= said.lasting).all()


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


@so_many(80)
@given(
    keys=st.lists(st.integers(0, 39), min_size=1, max_size=20),
    space=st.integers(40, 400),
    limit=st.sampled_from([2**62, 2**12]),
    data=st.data(),
)
def test_counts_of_equal_keys_are_added_up(
    keys: list[int], space: int, limit: int, data: Any
) -> None:
    each = st.integers(1, 9)
    counts = data.draw(st.lists(each, min_size=len(keys), max_size=len(keys)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "LIMIT", limit)
        most = data.draw(st.sampled_from([max(counts), sum(counts)]))
        distinct, totals = summed(np.array(keys), np.array(counts), space, most)
    wanted: Counter[int] = Counter()
    for key, count in zip(keys, counts, strict=True):
        wanted[key] += count
    assert distinct.tolist() == sorted(wanted)
    assert totals.tolist() == [wanted[key] for key in sorted(wanted)]


def test_counts_of_large_keys_do_not_overflow() -> None:
    large = 2**61
    keys, counts = np.array([large, 5, large, large - 1]), np.array([7, 1, 9, 3])
    for most in (9, 2**30):
        distinct, totals = summed(keys, counts, large + 1, most)
        assert distinct.tolist() == [5, large - 1, large]
        assert totals.tolist() == [1, 3, 16]


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
