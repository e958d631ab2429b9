"""What the tests of smt branching have in common."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import strategies as st

from phverify.budget import Deadline
from phverify.disclosure.solving.branching import BranchTree
from phverify.disclosure.solving.equations import Equations, equations
from phverify.disclosure.solving.lattice import Proposal, proposed
from phverify.disclosure.solving.linear_rows import LinearRow

pytest.importorskip("flint")
pytest.importorskip("ortools")


Point = tuple[int, ...]


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


def found(tree: BranchTree) -> list[Point]:
    return [tuple(point.tolist()) for points in tree.grow(FOREVER) for point in points]


def proposals(seeds: Sequence[int], widest: int = 3) -> Iterator[Proposal]:
    for seed in seeds:
        given_ = equations(*drawn(seed, widest))
        proposal = proposed(given_) if given_ is not None else None
        if proposal is not None:
            yield proposal
