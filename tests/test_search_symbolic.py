"""A second judge of the levels space: the whole question as one formula over unknown
levels, for Z3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd
import z3
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import Row
from support.search_questions import VALUES, hierarchies
from support.so_many import so_many

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy

QUASI = ("q", "r", "n")
Paths = Mapping[str, Sequence[str]]


def meet(paths: Paths, v: str | None, w: str | None) -> int | None:
    """The level at which two values become one node; None when they never do."""

    def path(value: str | None) -> list[object]:
        if value is not None or "" in paths:
            return list(paths[value or ""])
        tops = {line[-1] for line in paths.values()}
        top: object = tops.pop() if len(tops) == 1 else None
        return [*[None] * (len(next(iter(paths.values()))) - 1), top]

    both = enumerate(zip(path(v), path(w), strict=True))
    return next((level for level, (a, b) in both if a == b), None)


@dataclass(frozen=True)
class Symbolic:
    """Levels as integer unknowns, k-anonymity and distinct l-diversity as sums over all
    records.
    """

    rows: Sequence[Row]
    paths: Mapping[str, Paths]
    k: int
    l: int

    def level(self, f: str) -> z3.ArithRef:
        return z3.Int(f"level {f}")

    def same(self, one: Row, two: Row) -> z3.BoolRef:
        """Whether two records share a class."""
        parts = []
        for f in QUASI:
            at = meet(self.paths[f], one[f], two[f])
            parts.append(z3.BoolVal(False) if at is None else self.level(f) >= at)
        return z3.And(parts)

    def solver(self) -> z3.Solver:
        solver = z3.Solver()
        for f in QUASI:
            solver.add(
                self.level(f) >= 0,
                self.level(f) < len(next(iter(self.paths[f].values()))),
            )
        for row in self.rows:
            shared = [(other, self.same(row, other)) for other in self.rows]
            solver.add(z3.Sum([z3.If(same, 1, 0) for _, same in shared]) >= self.k)
            values = sorted({str(other["f"]) for other in self.rows})
            present = [
                z3.Or([same for other, same in shared if other["f"] == v])
                for v in values
            ]
            solver.add(z3.Sum([z3.If(found, 1, 0) for found in present]) >= self.l)
        return solver

    def least_height(self, weights: Mapping[str, int]) -> int | None:
        """The first h, from 0 upwards, for which there is a vector of height <= h."""
        solver = self.solver()
        height = z3.Sum([weights.get(f, 1) * self.level(f) for f in QUASI])
        most = sum(
            weights.get(f, 1) * (len(next(iter(self.paths[f].values()))) - 1)
            for f in QUASI
        )
        return next(
            (h for h in range(most + 1) if solver.check(height <= h) == z3.sat), None
        )

    def minimal(self) -> set[tuple[int, ...]]:
        """Go down from any vector as far as it goes, then ask for one that is not above
        those found.
        """
        solver, found = self.solver(), set()
        while solver.check() == z3.sat:
            vector = self.vector(solver)
            while solver.check(*self.below(vector)) == z3.sat:
                vector = self.vector(solver)
            found.add(vector)
            solver.add(
                z3.Or(
                    [
                        self.level(f) < level
                        for f, level in zip(QUASI, vector, strict=True)
                    ]
                )
            )
        return found

    def vector(self, solver: z3.Solver) -> tuple[int, ...]:
        model = solver.model()
        return tuple(
            model.eval(self.level(f), model_completion=True).as_long() for f in QUASI
        )

    def below(self, vector: tuple[int, ...]) -> list[Any]:
        pairs = list(zip(map(self.level, QUASI), vector, strict=True))
        return [
            *(level <= most for level, most in pairs),
            z3.Or([level < most for level, most in pairs]),
        ]


@st.composite
def questions(draw: st.DrawFn) -> Symbolic:
    cells = {
        f: st.sampled_from((*VALUES[f], None) if draw(st.booleans()) else VALUES[f])
        for f in QUASI
    }
    row = st.fixed_dictionaries({**cells, "f": st.sampled_from("aabc")})
    rows = draw(st.lists(row, min_size=6, max_size=12))
    paths = {f: draw(hierarchies(VALUES[f], 3)) for f in QUASI}
    return Symbolic(rows, paths, draw(st.integers(1, 5)), draw(st.integers(1, 3)))


@so_many(20)
@given(
    questions(), st.dictionaries(st.sampled_from(QUASI), st.integers(1, 3), max_size=2)
)
def test_one_symbolic_query_agrees(symbolic: Symbolic, weights: dict[str, int]) -> None:
    rules = {"k": f"k_anonymity({symbolic.k})", "l": f"l_diversity(f, {symbolic.l})"}
    policy = ph.Policy.from_dict(
        {"columns": {"quasi": list(QUASI), "sensitive": ["f"]}, "rules": rules}
    )
    found = {
        f: Hierarchy(f, {v: tuple(path) for v, path in paths.items()})
        for f, paths in symbolic.paths.items()
    }
    frame = pd.DataFrame(list(symbolic.rows), dtype=object)
    expected, minimal = symbolic.least_height(weights), symbolic.minimal()
    assert (expected is None) == (not minimal)
    result = ph.search(
        frame,
        policy,
        found,
        objective="height",
        weights=weights or None,
        all_minimal=True,
    )
    assert result.verdict == ("infeasible" if expected is None else "optimal")
    assert result.cost == (None if expected is None else Fraction(expected))
    assert {tuple(vector[f] for f in QUASI) for vector in result.minimal} == minimal
