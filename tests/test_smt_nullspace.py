"""Other points with the same sums: what is found keeps every equation and range; where
there is one, one is found.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("ortools")

import duckdb

import phverify
from phverify.disclosure import decide, many_worlds, shift
from phverify.disclosure.policy_reader import load
from phverify.disclosure.pool import Pool
from phverify.disclosure.solving.ask import SolverOutcome
from phverify.disclosure.solving.linear_rows import LinearRow
from phverify.disclosure.solving.nullspace import NullSpace
from phverify.disclosure.solving.rowspace import RowSpace
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.errors import Defect

Point = dict[str, int]


def drawn(seed: int) -> tuple[list[LinearRow], dict[str, tuple[int, int]], Point]:
    """Random equations that a random point satisfies."""
    r = random.Random(seed)
    names = [f"x{k}" for k in range(5)]
    ranges = {name: (0, r.choice([1, 2, 4])) for name in names}
    point = {name: r.randint(*ranges[name]) for name in names}
    rows = []
    for _ in range(r.choice([1, 2, 3])):
        parts = {
            name: c for name in names if (c := r.choice([0, 0, 1, 1, 1, 2, -1, 3]))
        }
        value = sum(c * point[name] for name, c in parts.items())
        rows.append(LinearRow(parts, value, value))
    return rows, ranges, point


def keeps(rows: list[LinearRow], point: Point) -> bool:
    return all(
        sum(c * point[str(name)] for name, c in row.parts.items()) == row.low
        for row in rows
    )


def moved(seed: int) -> tuple[int, int]:
    """How many of the cells of a draw that have another value somewhere were moved, and
    how many there are.
    """
    rows, ranges, point = drawn(seed)
    space = RowSpace()
    space.add(rows)
    every = [
        dict(zip(point, p, strict=True))
        for p in itertools.product(*(range(h + 1) for _, h in ranges.values()))
    ]
    others = [p for p in every if keeps(rows, p)]
    found = possible = 0
    for name in point:
        wanted = {name: [point[name]]}
        new = point | NullSpace(space, ranges, point, wanted).away(wanted)
        assert keeps(rows, new) and new in others
        found += new[name] != point[name]
        possible += any(p[name] != point[name] for p in others)
    return found, possible


def test_every_equation_and_range_is_kept_and_most_cells_move() -> None:
    pairs = [moved(seed) for seed in range(150)]
    found, possible = (sum(pair[k] for pair in pairs) for k in (0, 1))
    assert possible * 7 // 10 < found <= possible, (found, possible)


def test_many_at_once_and_values_that_are_taken() -> None:
    names = [f"x{k}" for k in range(30)]
    rows = [
        LinearRow(dict.fromkeys(names[k : k + 15], 1), 75, 75) for k in (0, 5, 10, 15)
    ]
    space, point = RowSpace(), dict.fromkeys(names, 5)
    space.add(rows)
    taken = {name: [5, 6, 4] for name in names}
    new = point | NullSpace(space, dict.fromkeys(names, (0, 10)), point, taken).away(
        taken
    )
    assert keeps(rows, new) and all(0 <= x <= 10 for x in new.values())
    assert sum(value not in (4, 5, 6) for value in new.values()) > 15


def test_what_is_no_unknown_does_not_move() -> None:
    """An atom without a value of its own, such as the truth of a condition, cannot be
    moved by itself.
    """
    space = RowSpace()
    space.add([LinearRow({"x": 1, 0: 3}, 5, 5)])
    assert NullSpace(space, {"x": (0, 9)}, {"x": 5}, ["x"]).away({"x": [5]}) == {}
    assert NullSpace(space, {"y": (0, 9)}, {"y": 5}, ["y"]).away({"y": [5]}) in (
        {"y": 6},
        {"y": 4},
    )


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Six rows that the sums tell apart, none of them determined."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS id, 3 * i * i AS v FROM range(6) x(i)"
        )
    return path


LOG = [
    f"SELECT SUM(v) FROM t WHERE id IN ({chosen})"
    for chosen in ("0, 1, 2", "2, 3, 4", "1, 4, 5")
]
POLICY = {
    "table": "t",
    "key": "id",
    "sensitive": {"v": {"from": 0, "to": 100}},
    "protect": {"c": {"column": "v"}},
}


def without_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    for room, name in (
        (decide, "ask"),
        (decide, "settled"),
        (many_worlds, "widest"),
    ):
        monkeypatch.setattr(room, name, lambda *asked: SolverOutcome("unknown"))


def test_an_audit_finds_worlds_by_linear_algebra_alone(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_solvers(monkeypatch)
    report = phverify.audit(people, LOG, POLICY)
    assert {one.verdict for step in report.steps for one in step.findings} == {"safe"}


def test_a_vector_that_changes_a_sum_is_refused(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test of the one above: with wrong vectors no world is taken, and none is
    replayed.
    """
    without_solvers(monkeypatch)
    monkeypatch.setattr(
        shift.NullSpace,
        "away",
        lambda self, wanted: {name: x + 1 for name, x in self.point.items()},
    )
    report = phverify.audit(people, LOG, POLICY)
    assert {one.verdict for one in report.steps[-1].findings} == {"undecided"}


VALUES = [0, 3, 4, 12, 27, 30, 48, 74, 75]


def test_no_world_has_a_value_outside_its_domain(people: Path) -> None:
    policy = POLICY | {"sensitive": {"v": {"values": VALUES}}}
    report = phverify.audit(people, LOG, policy)
    changes = [
        change
        for step in report.steps
        for one in step.findings
        for world in one.worlds
        for change in world
    ]
    assert changes and {change.other for change in changes} <= set(VALUES)


def test_a_world_outside_the_domain_is_a_defect(people: Path) -> None:
    source = open_database(people, "t")
    frame = read(source, load(POLICY | {"sensitive": {"v": {"values": VALUES}}}))
    pool = Pool(frame)
    assert pool.adopt({"v": (3, 0, 12, 27, 48, 75)})
    with pytest.raises(Defect, match="outside its domain"):
        pool.adopt({"v": (1, 2, 12, 27, 48, 75)})
