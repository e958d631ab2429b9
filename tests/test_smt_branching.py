"""Enumeration by lattices: against brute force, with spoilt proposals, and as an answer
to questions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("flint")
pytest.importorskip("ortools")

from phverify.budget import Deadline
from phverify.disclosure.solving import branching, lattice
from phverify.disclosure.solving.branching import Tree, checked
from phverify.disclosure.solving.lattice import (
    Equations,
    Lattice,
    Proposal,
    equations,
    proposed,
)
from phverify.disclosure.solving.linear import LinearRow

Point = tuple[int, ...]
Candidates = tuple[lattice.Ints, lattice.Ints, lattice.Ints]
SEEDS = st.integers(0, 2**32)
FOREVER = Deadline()


def drawn(
    seed: int, widest: int = 3
) -> tuple[list[LinearRow], dict[str, tuple[int, int]]]:
    """Random rows that a random point satisfies, most of them exact."""
    r = random.Random(seed)
    names = [f"x{k}" for k in range(r.randint(2, 6))]
    ranges = {
        name: (low, low + r.randint(0 if r.random() < 0.1 else 1, widest))
        for name in names
        for low in [r.randint(-2, 1)]
    }
    truth = {name: r.randint(*ends) for name, ends in ranges.items()}
    rows = []
    for _ in range(r.randint(1, 4)):
        parts = {
            name: r.choice([-3, -1, 1, 1, 2]) for name in names if r.random() < 0.7
        }
        value = sum(c * truth[name] for name, c in parts.items())
        if len(parts) > 1:
            rows.append(
                LinearRow(
                    parts, value - (r.random() < 0.2), value + r.choice([0, 0, 0, 0, 2])
                )
            )
    return rows, ranges


def brute(given_: Equations) -> set[Point]:
    """All solutions, by trying each point of the box."""
    box = [
        range(low, high + 1)
        for low, high in zip(given_.low.tolist(), given_.high.tolist(), strict=True)
    ]
    rows, right = given_.matrix.tolist(), given_.right.tolist()
    return {
        point
        for point in itertools.product(*box)
        if all(
            sum(c * x for c, x in zip(row, point, strict=True)) == b
            for row, b in zip(rows, right, strict=True)
        )
    }


def found(tree: Tree) -> list[Point]:
    return [tuple(point.tolist()) for points in tree.grow(FOREVER) for point in points]


def proposals(seeds: Sequence[int], widest: int = 3) -> Iterator[Proposal]:
    for seed in seeds:
        given_ = equations(*drawn(seed, widest))
        proposal = proposed(given_) if given_ is not None else None
        if proposal is not None:
            yield proposal


@given(SEEDS)
def test_every_solution_is_found_once(seed: int) -> None:
    for proposal in proposals([seed]):
        right = checked(proposal)
        assert right is not None
        tree = Tree(right)
        toward = np.sign(np.arange(proposal.equations.matrix.shape[1]) - 1.5)
        first = [list(tree.dive(FOREVER, toward)) for _ in range(seed % 3)]
        points = [
            tuple(point.tolist())
            for some in first
            for points in some
            for point in points
        ] + found(tree)
        assert (
            tree.done
            and len(points) == len(set(points))
            and set(points) == brute(proposal.equations)
        )


@given(SEEDS)
def test_equations_say_what_the_rows_say(seed: int) -> None:
    """With unknowns of one value, and rows that have room: an unknown of its own for
    each.
    """
    r, (rows, ranges) = random.Random(seed), drawn(seed, 2)
    for name in r.sample(sorted(ranges), len(ranges) // 2):
        ranges[name] = (ranges[name][0],) * 2 if r.random() < 0.7 else ranges[name]
    given_ = equations(rows, ranges)
    if given_ is None:
        return
    free = [name for name in given_.columns if isinstance(name, str)]
    names = {name for row in rows for name in row.parts}
    assert {*free, *given_.fixed} == names and all(
        ranges[str(a)] == (b, b) for a, b in given_.fixed.items()
    )
    expected = set()
    for values in itertools.product(
        *(range(low, high + 1) for low, high in ranges.values())
    ):
        world = dict(zip(ranges, values, strict=True))
        if all(
            row.low <= sum(c * world[str(a)] for a, c in row.parts.items()) <= row.high
            for row in rows
        ):
            expected.add(tuple([world[name] for name in free]))
    places = [given_.columns.index(name) for name in free]
    assert {tuple([point[k] for k in places]) for point in brute(given_)} == expected


def test_most_systems_can_be_enumerated() -> None:
    """The test above is about something."""
    drawn_ = [one for one in proposals(range(60)) if checked(one) is not None]
    assert len(drawn_) > 40 and sum(not brute(one.equations) for one in drawn_) == 0
    assert len({len(brute(one.equations)) for one in drawn_}) > 10


def test_numbers_of_both_sizes() -> None:
    """Where 32 bits are shown to be enough they are used; ranges of any width, and
    limits that need more.
    """
    kinds = set()
    for width, larger in ((1, 1), (40, 1), (2**12, 1), (40, 2**20)):
        rows = [
            LinearRow({"x": 1, "y": 1, "z": 1}, width, width),
            LinearRow({"x": 1, "y": -1}, 0, 0),
        ]
        given_ = equations(rows, dict.fromkeys("xyz", (0, width)))
        proposal = proposed(given_) if given_ is not None else None
        assert proposal is not None
        right = checked(replace(proposal, limits=proposal.limits * larger))
        assert right is not None
        assert sorted(found(Tree(right))) == [
            (k, k, width - 2 * k) for k in range(width // 2 + 1)
        ]
        kinds.add(right.steps.dtype)
        assert (
            checked(replace(proposal, limits=proposal.limits * 2**50)) is None
        )  # these could overflow
    assert kinds == {np.dtype(np.int32), np.dtype(np.int64)}


@pytest.mark.parametrize("seed", range(6))
def test_better_bases_and_other_starts_lose_nothing(seed: int) -> None:
    """Twelve unknowns, where blocks of the basis are reduced; and a lattice that begins
    with that of fewer rows.
    """
    r = random.Random(seed)
    ranges = {f"x{k}": (0, 1) for k in range(12)}
    halves = [
        dict.fromkeys(r.sample(sorted(ranges), 6), r.choice([1, 2])) for _ in range(3)
    ]
    rows = [
        LinearRow(half, sum(half.values()) // 2, sum(half.values()) // 2 + (seed == 5))
        for half in halves
    ]
    rows.append(LinearRow(dict.fromkeys(ranges, 1), 6, 6))
    more, fewer = equations(rows, ranges), equations(rows[1:], ranges)
    assert more is not None and fewer is not None
    before, expected = proposed(fewer), sorted(brute(more))
    assert before is not None and len(before.lattice.basis) >= 8
    found_ = [proposed(more), proposed(more, tours=3)]
    if set(fewer.columns) == set(more.columns):
        start = before.lattice.permuted(
            [fewer.columns.index(name) for name in more.columns]
        )
        found_ += [proposed(more, start), proposed(more, start, tours=2)]
    for one in found_:
        right = checked(one) if one is not None else None
        assert right is not None and sorted(found(Tree(right))) == expected
        assert 1 < Tree(right).guess() < 20_000
    assert (
        seed == 5
        or len(
            {
                tuple(map(tuple, one.lattice.basis.tolist()))
                for one in found_
                if one is not None
            }
        )
        > 1
    )


# A proposal that is wrong is refused; one that is merely bad takes longer


def spoilt(one: Proposal, r: random.Random) -> Iterator[Proposal]:
    """Proposals of which each violates a condition of the lemmas."""
    part, forms = one.lattice, one.forms
    place = r.randrange(len(part.basis))
    moved = part.point.copy()
    moved[r.randrange(len(moved))] += 1
    if (one.equations.matrix @ moved != one.equations.right).any():
        yield replace(one, lattice=replace(part, point=moved))
    doubled, halved = part.basis.copy(), part.inverse.copy()
    doubled[place] *= 2
    halved[place] *= 2
    yield replace(one, lattice=replace(part, basis=doubled))  # every second solution
    yield replace(one, lattice=replace(part, basis=doubled, inverse=halved))
    if part.basis.sum(axis=1).any():
        yield replace(one, lattice=replace(part, inverse=part.inverse + 1))
    yield replace(one, forms=-forms)
    other, right = one.equations.matrix.copy(), one.equations.right.copy()
    column = r.randrange(len(moved))
    other[0, column] += 1
    right[0] += part.point[
        column
    ]  # an equation that holds at the point, and not in all directions of the basis
    if (other @ part.basis.T).any():
        yield replace(one, equations=replace(one.equations, matrix=other, right=right))
    wrong = forms.copy()
    wrong[-1] = (
        wrong[place] + wrong[-1]
    )  # a form that the basis moves, and that is taken for settled
    yield replace(one, forms=wrong)
    if len(part.basis) > 1:
        fewer = Lattice(part.point, part.basis[1:], part.inverse[1:])
        kept = [*range(1, len(part.basis)), len(part.basis)]
        yield replace(
            one,
            lattice=fewer,
            forms=forms[kept],
            gains=one.gains[1:],
            limits=one.limits[1:],
        )
        mixed = forms.copy()
        mixed[-2] = mixed[-2] + mixed[0]
        yield replace(one, forms=mixed)


def test_wrong_proposals_are_refused() -> None:
    r, refused = random.Random(1), 0
    for one in proposals(range(80)):
        for wrong in spoilt(one, r) if len(one.lattice.basis) else ():
            assert checked(wrong) is None
            refused += 1
    assert refused > 300


def test_numbers_that_are_not_fit_are_refused() -> None:
    """The least 64-bit integer is its own absolute value, and twice it is 0: a sum does
    not show that it is there.
    """
    given_ = equations(
        [LinearRow({"x": 2, "y": 2, "z": 2}, 2, 2)], dict.fromkeys("xyz", (0, 1))
    )
    first = proposed(given_) if given_ is not None else None
    assert first is not None
    point, basis, inverse = (
        np.array([1, 0, 0]),
        np.array([[1, 0, -1], [0, 1, -1]]),
        np.array([[1, 0, 0], [0, 1, 0]]),
    )
    forms = np.array([[512, 0, 0], [0, 512, 0], [0, 0, 0]])
    one = replace(first, lattice=Lattice(point, basis, inverse), forms=forms)
    right = checked(one)
    assert right is not None and sorted(found(Tree(right))) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 0),
    ]
    for entry in (np.iinfo(np.int64).min, 2**20 + 1, -(2**20) - 1):
        far = (
            point + np.array([-entry - 1, 0, entry + 1])
            if abs(entry) < 2**30
            else np.array([1, 0, entry])
        )
        assert (given_.matrix @ far == given_.right).all()
        assert checked(replace(one, lattice=Lattice(far, basis, inverse))) is None
    for large in (np.iinfo(np.int64).min, 2**28 + 1):
        wider = forms.copy()
        wider[0, 0] = large
        assert checked(replace(one, forms=wider)) is None
    for bad in (np.nan, np.inf):
        assert checked(replace(one, gains=one.gains + bad)) is None
        assert checked(replace(one, norms=one.norms + bad)) is None
    assert checked(replace(one, norms=-one.norms)) is None
    assert checked(replace(one, limits=one.limits * 0)) is None


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
            branching.LIMIT
            if max(value, points) >= branching.LIMIT
            else max(form, steps, *values, *far)
        )
        assert branching._largest(right) == expected
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
        assert right is None or sorted(found(Tree(right))) == sorted(
            brute(one.equations)
        )


def test_no_more_branches_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes wait where they have too many branches together; nothing is lost."""
    candidates, most = branching._candidates, [0]

    def watched(
        right: branching.Checked, nodes: branching.Nodes, slack: float
    ) -> Candidates:
        owner, z, first = candidates(right, nodes, slack)
        most[0] = max(most[0], len(owner) if len(first) > 1 and not slack else 0)
        return owner, z, first

    monkeypatch.setattr(branching, "_candidates", watched)
    monkeypatch.setattr(branching, "BRANCHES", 7)
    for one in proposals(range(60)):
        right = checked(one)
        assert right is not None and sorted(found(Tree(right))) == sorted(
            brute(one.equations)
        )
        assert Tree(right).guess() >= 1
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
        right: branching.Checked, nodes: branching.Nodes
    ) -> tuple[branching.Nodes, branching.Nodes]:
        below, left = children(right, nodes)
        later[0] += len(left.value)
        assert len(left.value) < len(nodes.value)  # it comes to an end
        return below, left

    monkeypatch.setattr(branching, "children", watched)
    monkeypatch.setattr(branching, "_few", lambda right, nodes: len(nodes.value))
    for one in proposals(range(60)):
        right = checked(replace(one, norms=one.norms * 1e9))
        assert right is not None and Tree(right).guess() >= 1
        points = found(Tree(right))
        assert len(points) == len(set(points)) and set(points) == brute(one.equations)
    assert (later[0] > 0) == (branches < 100)


def test_wide_unknowns_are_no_equations() -> None:
    """A node of the tree may have as many branches as an unknown has values."""
    row = LinearRow({"x": 1, "y": 1}, 5, 5)
    for high, there in ((lattice.WIDTH, True), (lattice.WIDTH + 1, False)):
        assert (equations([row], {"x": (0, high), "y": (0, 1)}) is not None) == there
    loose = LinearRow({"x": 1, "y": 3}, 0, lattice.WIDTH + 1)
    assert equations([loose], dict.fromkeys("xy", (0, lattice.WIDTH))) is None


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
        assert sorted(found(Tree(right))) == sorted(brute(one.equations))


@pytest.mark.parametrize("end", ["first", "last"])
def test_a_missing_branch_is_noticed(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an end of an interval is not shown to be one, the interval is made wider,
    whoever proposed it.
    """
    candidates, asked = branching._candidates, [0]

    def narrow(
        right: branching.Checked, nodes: branching.Nodes, slack: float
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
        assert right is not None and sorted(found(Tree(right))) == sorted(
            brute(one.equations)
        )
    assert asked[0] > 40


def test_a_wrong_bound_would_lose_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of the tests: where branches are cut although nothing refutes them, the
    comparison fails.
    """
    tried = branching._tried

    def eager(
        right: branching.Checked,
        nodes: branching.Nodes,
        owner: lattice.Ints,
        z: lattice.Ints,
    ) -> Candidates:
        factor, form, value = tried(right, nodes, owner, z)
        return factor, form, value + value // 4

    monkeypatch.setattr(branching, "_tried", eager)
    lost = 0
    for one in proposals(range(40)):
        right = checked(one)
        assert right is not None
        lost += set(found(Tree(right))) != brute(one.equations)
    assert lost > 5


def test_large_numbers_are_refused() -> None:
    rows = [LinearRow({"x": 2**40, "y": 1}, 0, 0), LinearRow({"x": 1, "y": 1}, 0, 0)]
    assert equations(rows[:1], {"x": (0, 1), "y": (0, 1)}) is None
    assert equations(rows[1:], {"x": (0, 1), "y": (0, 2**40)}) is None
    assert equations(rows[1:], dict.fromkeys("xy", (0, 1))) is not None
    many = LinearRow({f"x{k}": 1 for k in range(lattice.COLUMNS + 1)}, 3, 3)
    assert equations([many], dict.fromkeys(many.parts, (0, 1))) is None
