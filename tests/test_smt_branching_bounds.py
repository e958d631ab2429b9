"""Enumeration by lattices: bounds of numbers, branches that are missing, bases that are none."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from phverify.disclosure.solving import branch_conditions, branching
from phverify.disclosure.solving.branch_conditions import checked
from phverify.disclosure.solving.branching import BranchTree
from phverify.disclosure.solving.equations import COLUMNS, WIDTH, Ints, equations
from phverify.disclosure.solving.lattice import proposed
from phverify.disclosure.solving.linear_rows import LinearRow

pytest.importorskip("flint")
pytest.importorskip("ortools")
from support.smt_branching_cases import SEEDS, brute, drawn, found, proposals

Candidates = tuple[Ints, Ints, Ints]


@pytest.mark.parametrize("power", range(0, 48, 6))
def test_the_bound_of_all_numbers_against_loops(power: int) -> None:
    """Each z at the far end of what the box allows, each multiple at its limit; counted
    one by one.
    """
    seen = 0
    for one in proposals(range(60)):
        one = replace(one, limits=one.limits * 2**power)
        right = checked(replace(one, limits=one.limits * 0 + 1))
        if right is None:
            continue
        right = replace(right, proposal=one)
        far = [
            max(abs(int(a)), abs(int(b)))
            for a, b in zip(right.least, right.most, strict=True)
        ]
        values = [abs(int(first)) for first in right.start]
        for k, reach in enumerate(far):
            for j in range(len(values)):
                values[j] += reach * abs(int(right.steps[k, j]))
        sizes = [sum(abs(int(entry)) for entry in form) for form in right.weighted]
        limits = [*map(int, one.limits), 1]
        value = sum(e * v for e, v in zip(limits, values, strict=True))
        form = sum(e * size for e, size in zip(limits, sizes, strict=True))
        points = sum(
            reach * int(abs(row).max())
            for reach, row in zip(far, one.lattice.basis, strict=True)
        )
        steps = max((abs(int(entry)) for entry in right.steps.flat), default=0)
        expected = (
            branch_conditions.LIMIT
            if max(value, points) >= branch_conditions.LIMIT
            else max(form, steps, *values, *far)
        )
        assert branch_conditions._largest(right) == expected
        seen += 1
    assert seen > 30


@pytest.mark.parametrize("power", range(8, 44, 2))
def test_large_multiples_do_not_overflow(power: int) -> None:
    """Multiples as large as the limits are, on both sides of where 32 bits are
    enough.
    """
    for one in proposals(range(25)):
        right = checked(
            replace(one, gains=one.gains * 1e12, limits=one.limits * 0 + 2**power)
        )
        assert right is None or sorted(found(BranchTree(right))) == sorted(
            brute(one.equations)
        )


def test_no_more_branches_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes wait where they have too many branches together; nothing is lost."""
    candidates, most = branching._candidates, [0]

    def watched(
        right: branch_conditions.Checked, nodes: branching.Nodes, slack: float
    ) -> Candidates:
        owner, z, first = candidates(right, nodes, slack)
        most[0] = max(most[0], len(owner) if len(first) > 1 and not slack else 0)
        return owner, z, first

    monkeypatch.setattr(branching, "_candidates", watched)
    monkeypatch.setattr(branching, "BRANCHES", 7)
    for one in proposals(range(60)):
        right = checked(one)
        assert right is not None and sorted(found(BranchTree(right))) == sorted(
            brute(one.equations)
        )
        assert BranchTree(right).guess() >= 1
    assert 4 < most[0] <= 7


@pytest.mark.parametrize("branches", [1, 9, 2**15])
def test_nodes_whose_intervals_are_widened_are_not_lost(
    branches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All intervals are proposed too narrow, and few are made wider together: the other
    nodes wait.
    """
    monkeypatch.setattr(branching, "BRANCHES", branches)
    children, later = branching.children, [0]

    def watched(
        right: branch_conditions.Checked, nodes: branching.Nodes
    ) -> tuple[branching.Nodes, branching.Nodes]:
        below, left = children(right, nodes)
        later[0] += len(left.value)
        assert len(left.value) < len(nodes.value)  # it comes to an end
        return below, left

    monkeypatch.setattr(branching, "children", watched)
    monkeypatch.setattr(branching, "_few", lambda right, nodes: len(nodes.value))
    for one in proposals(range(60)):
        right = checked(replace(one, norms=one.norms * 1e9))
        assert right is not None and BranchTree(right).guess() >= 1
        points = found(BranchTree(right))
        assert len(points) == len(set(points)) and set(points) == brute(one.equations)
    assert (later[0] > 0) == (branches < 100)


def test_wide_unknowns_are_no_equations() -> None:
    """A node of the tree may have as many branches as an unknown has values."""
    row = LinearRow({"x": 1, "y": 1}, 5, 5)
    for high, there in ((WIDTH, True), (WIDTH + 1, False)):
        assert (equations([row], {"x": (0, high), "y": (0, 1)}) is not None) == there
    loose = LinearRow({"x": 1, "y": 3}, 0, WIDTH + 1)
    assert equations([loose], dict.fromkeys("xy", (0, WIDTH))) is None


def test_fewer_equations_are_no_proof_for_more() -> None:
    """The point and the basis of some equations, proposed for others as well."""
    for seed in range(40):
        rows, ranges = drawn(seed)
        more, fewer = equations(rows, ranges), equations(rows[:-1], ranges)
        if (
            more is None
            or fewer is None
            or more.columns != fewer.columns
            or len(rows) < 2
        ):
            continue
        one = proposed(fewer)
        if one is not None and (one.lattice.basis @ more.matrix.T).any():
            assert checked(replace(one, equations=more)) is None


@given(SEEDS)
def test_bad_multipliers_lose_nothing(seed: int) -> None:
    """Whatever floating-point numbers propose: multiples of forms, and intervals that
    are too narrow or too wide.
    """
    r = random.Random(seed)
    for one in proposals([seed]):
        many = len(one.lattice.basis)
        gains = np.array(
            [
                r.choice([0.0, -1.0, 0.1, 1.0, 30.0, float("1e9")]) * g
                for g in one.gains.tolist()
            ]
        )
        norms = np.array([r.choice([1e-3, 1.0, 1e6]) * g for g in one.norms.tolist()])
        limits = np.array([r.choice([1, 40, 1000]) for _ in range(many)])
        right = checked(replace(one, gains=gains, norms=norms, limits=limits))
        assert right is not None
        assert sorted(found(BranchTree(right))) == sorted(brute(one.equations))


@pytest.mark.parametrize("end", ["first", "last"])
def test_a_missing_branch_is_noticed(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an end of an interval is not shown to be one, the interval is made wider,
    whoever proposed it.
    """
    candidates, asked = branching._candidates, [0]

    def narrow(
        right: branch_conditions.Checked, nodes: branching.Nodes, slack: float
    ) -> Candidates:
        asked[0] += slack > 0
        owner, z, first = candidates(right, nodes, slack)
        if slack > 0:
            return owner, z, first
        chosen = first if end == "first" else np.append(first[1:], len(owner)) - 1
        return (
            owner[chosen],
            z[chosen],
            np.arange(len(first)),
        )  # one value for each node

    monkeypatch.setattr(branching, "_candidates", narrow)
    for one in proposals(range(40)):
        right = checked(one)
        assert right is not None and sorted(found(BranchTree(right))) == sorted(
            brute(one.equations)
        )
    assert asked[0] > 40


def test_a_wrong_bound_would_lose_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of the tests: where branches are cut although nothing refutes them, the
    comparison fails.
    """
    tried = branching._tried

    def eager(
        right: branch_conditions.Checked,
        nodes: branching.Nodes,
        owner: Ints,
        z: Ints,
    ) -> Candidates:
        factor, form, value = tried(right, nodes, owner, z)
        return factor, form, value + value // 4

    monkeypatch.setattr(branching, "_tried", eager)
    lost = 0
    for one in proposals(range(40)):
        right = checked(one)
        assert right is not None
        lost += set(found(BranchTree(right))) != brute(one.equations)
    assert lost > 5


def test_large_numbers_are_refused() -> None:
    rows = [LinearRow({"x": 2**40, "y": 1}, 0, 0), LinearRow({"x": 1, "y": 1}, 0, 0)]
    assert equations(rows[:1], {"x": (0, 1), "y": (0, 1)}) is None
    assert equations(rows[1:], {"x": (0, 1), "y": (0, 2**40)}) is None
    assert equations(rows[1:], dict.fromkeys("xy", (0, 1))) is not None
    many = LinearRow({f"x{k}": 1 for k in range(COLUMNS + 1)}, 3, 3)
    assert equations([many], dict.fromkeys(many.parts, (0, 1))) is None
