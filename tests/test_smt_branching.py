"""Enumeration by lattices: against brute force, with spoilt proposals, and as an answer
to questions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from phverify.disclosure.solving.branch_conditions import checked
from phverify.disclosure.solving.branching import BranchTree
from phverify.disclosure.solving.equations import equations
from phverify.disclosure.solving.lattice import Lattice, Proposal, proposed
from phverify.disclosure.solving.linear_rows import LinearRow

pytest.importorskip("flint")
pytest.importorskip("ortools")
from support.smt_branching_cases import FOREVER, SEEDS, brute, drawn, found, proposals


@given(SEEDS)
def test_every_solution_is_found_once(seed: int) -> None:
    for proposal in proposals([seed]):
        right = checked(proposal)
        assert right is not None
        tree = BranchTree(right)
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
        assert sorted(found(BranchTree(right))) == [
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
        assert right is not None and sorted(found(BranchTree(right))) == expected
        assert 1 < BranchTree(right).guess() < 20_000
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
    assert right is not None and sorted(found(BranchTree(right))) == [
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
