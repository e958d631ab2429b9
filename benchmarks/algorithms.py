"""Asserts the answers, then prints how long each own algorithm and the library that
could stand in its place take.

    python benchmarks/algorithms.py [--quick] [--json FILE] [--runs N]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out the largest sizes, and then
writes no JSON unless asked.  Before anything is timed both answers are asserted equal:
exactly where the library computes with integers, within 10^-6 where it computes with
floats.  Own times include what makes an answer exact and checked; the library's do not.
Seconds are medians of runs that take turns, and a ratio is within one run.
``docs/algorithms.md`` says what follows from the figures.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from harness import RESULTS as FOLDER
from harness import Bench, medians, parser, save, show
from ortools.graph.python import linear_sum_assignment as or_assignment
from ortools.graph.python import max_flow
from ortools.sat.python import cp_model
from reidentify import truths, untrue
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import coo_array

from phverify.budget import Deadline
from phverify.disclosure.facts.assignment import cheapest
from phverify.disclosure.solving.enumeration import Search
from phverify.disclosure.solving.equations import equations
from phverify.disclosure.solving.linear_rows import LinearRow
from phverify.disclosure.solving.rowspace import RowSpace
from phverify.linkage.belief.flow import transport
from phverify.linkage.belief.pignistic_compatible import Farkas, Plan, sound

RESULTS = FOLDER / "algorithms.json"
NEAR = 1e-6
INFEASIBLE = 2
"""The status of scipy's linprog where the constraints contradict one another."""


@dataclass
class Compared:
    """One table of figures: the own algorithm and its peers on questions of growing
    size.
    """

    bench: Bench
    name: str
    rows: list[dict[str, Any]]

    def add(
        self,
        question: str,
        own: Callable[[], Any],
        peers: Mapping[str, Callable[[], Any]],
    ) -> None:
        """Time all of them in turn; a ratio above 1 says that the own one is faster."""
        seconds, *others = medians(self.bench.runs, own, *peers.values())
        row: dict[str, Any] = {"question": question, "own": rounded(seconds)}
        for peer, other in zip(peers, others, strict=True):
            row[peer] = rounded(other)
            row[f"{peer} / own"] = rounded(other / seconds)
            key = f"{self.name}.{question}.{peer}"
            said = f"{self.name}, {question}: {peer} / own"
            self.bench.add(key, said, other / seconds, "x")
        self.rows.append(row)


def rounded(value: float) -> float:
    """Three digits that count."""
    return float(f"{value:.3g}")


# Definition 14: the interior point method against HiGHS


@dataclass(frozen=True)
class Program:
    """Definition 14 as a linear program in floats: F >= 0, no entry above its diagonal,
    rows that sum to the truth and columns that sum to the guess.
    """

    equal: Any
    sums: np.ndarray[Any, Any]
    below: Any

    def status(self, method: str) -> int:
        """What HiGHS says: 0 for a plan, 2 where there is none."""
        unknowns = self.equal.shape[1]
        return int(
            linprog(
                np.zeros(unknowns),
                A_ub=self.below,
                b_ub=np.zeros(self.below.shape[0]),
                A_eq=self.equal,
                b_eq=self.sums,
                bounds=(0, None),
                method=method,
            ).status
        )


def program(truth: dict[int, Fraction], guess: dict[int, Fraction]) -> Program:
    """The unknown F(x, y) has the number x n + y."""
    n = len(truth)
    numbers = np.arange(n * n)
    rows, columns = numbers // n, numbers % n
    ones = np.ones(n * n)
    equal = coo_array(
        (
            np.concatenate([ones, ones]),
            (np.concatenate([rows, n + columns]), np.concatenate([numbers, numbers])),
        ),
        shape=(2 * n, n * n),
    )
    others = numbers[rows != columns]
    diagonal = others // n * (n + 1)
    places = np.arange(len(others))
    signs = np.concatenate([np.ones(len(others)), -np.ones(len(others))])
    below = coo_array(
        (
            signs,
            (np.concatenate([places, places]), np.concatenate([others, diagonal])),
        ),
        shape=(len(others), n * n),
    )
    shares = [truth[x] for x in range(n)] + [guess[y] for y in range(n)]
    return Program(equal.tocsr(), np.array(shares, dtype=float), below.tocsr())


def interior_point(bench: Bench, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """All records differ, so that none are merged; sound guesses and unsound ones."""
    table = Compared(bench, "interior point", [])
    for n in sizes:
        truth, guess = truths(n, n)
        wrong = untrue(truth)
        assert isinstance(sound(guess, truth), Plan)
        assert isinstance(sound(wrong, truth), Farkas)
        for said, asked in (("sound", guess), ("unsound", wrong)):
            given = program(truth, asked)
            expected = 0 if said == "sound" else INFEASIBLE
            assert given.status("highs-ds") == given.status("highs-ipm") == expected
            peers = {
                "HiGHS simplex": lambda p=given: p.status("highs-ds"),
                "HiGHS interior point": lambda p=given: p.status("highs-ipm"),
            }
            own = lambda g=asked, t=truth: sound(g, t)  # noqa: E731
            table.add(f"{n} records, {said}", own, peers)
    return table.rows


# Transport: the flow of Definition 7 against OR-tools and HiGHS


def hauled(n: int, seed: int) -> tuple[list[int], list[int], list[list[int]]]:
    """Supplies with an edge to about a third of the demands; what is demanded is what
    some plan along the edges brings.
    """
    rng = random.Random(seed)
    edges = [sorted(rng.sample(range(n), max(1, n // 3))) for _ in range(n)]
    supply = [rng.randint(1, 10**6) for _ in range(n)]
    demand = [0] * n
    for amount, sinks in zip(supply, edges, strict=True):
        part = amount // len(sinks)
        for sink in sinks:
            demand[sink] += part
        demand[rng.choice(sinks)] += amount - part * len(sinks)
    return supply, demand, edges


def or_flow(supply: list[int], demand: list[int], edges: list[list[int]]) -> int:
    """The maximum flow as OR-tools finds it, in integers of 64 bits."""
    n = len(supply)
    tails = [i for i, sinks in enumerate(edges) for _ in sinks]
    heads = [n + j for sinks in edges for j in sinks]
    source, target = 2 * n, 2 * n + 1
    most = sum(supply)
    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(
        np.array(tails + [source] * n + list(range(n, 2 * n))),
        np.array(heads + list(range(n)) + [target] * n),
        np.array([most] * len(tails) + supply + demand),
    )
    assert solver.solve(source, target) == solver.OPTIMAL
    return int(solver.optimal_flow())


def highs_flow(supply: list[int], demand: list[int], edges: list[list[int]]) -> float:
    """The maximum flow as a linear program in floats."""
    n = len(supply)
    tails = np.array([i for i, sinks in enumerate(edges) for _ in sinks])
    heads = np.array([j for sinks in edges for j in sinks])
    places = np.arange(len(tails))
    bounds = coo_array(
        (
            np.ones(2 * len(tails)),
            (np.concatenate([tails, n + heads]), np.concatenate([places, places])),
        ),
        shape=(2 * n, len(tails)),
    )
    found = linprog(
        -np.ones(len(tails)), A_ub=bounds.tocsr(), b_ub=supply + demand, method="highs"
    )
    return -float(found.fun)


def transported(bench: Bench, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Transports that can be made, and the same with one demand made smaller."""
    table = Compared(bench, "transport", [])
    for n in sizes:
        supply, demand, edges = hauled(n, n)
        largest = demand.index(max(demand))
        short = [w // 2 if j == largest else w for j, w in enumerate(demand)]
        for said, wanted in (("met", demand), ("unmet", short)):
            sent, _ = transport(supply, wanted, edges)
            total = sum(sum(units.values()) for units in sent)
            assert total == or_flow(supply, wanted, edges)
            assert (total == sum(supply)) == (said == "met")
            float_total = highs_flow(supply, wanted, edges)
            assert abs(float_total - total) <= NEAR * total
            peers = {
                "OR-tools": lambda w=wanted, s=supply, e=edges: or_flow(s, w, e),
                "HiGHS": lambda w=wanted, s=supply, e=edges: highs_flow(s, w, e),
            }
            own = lambda w=wanted, s=supply, e=edges: transport(s, w, e)  # noqa: E731
            table.add(f"{n} x {n}, {said}", own, peers)
    return table.rows


# Assignment: the Hungarian method against scipy and OR-tools


def scipy_cost(costs: list[list[int]]) -> int:
    """The least cost as scipy finds it, in floats of 53 bits."""
    matrix = np.array(costs)
    rows, columns = linear_sum_assignment(matrix)
    return int(matrix[rows, columns].sum())


def or_cost(costs: list[list[int]]) -> int:
    """The least cost as OR-tools finds it, in integers of 64 bits."""
    matrix = np.array(costs)
    n = len(matrix)
    numbers = np.arange(n * n)
    solver = or_assignment.SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(numbers // n, numbers % n, matrix.ravel())
    assert solver.solve() == solver.OPTIMAL
    return int(solver.optimal_cost())


def assigned(bench: Bench, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Square matrices of random costs."""
    table = Compared(bench, "assignment", [])
    for n in sizes:
        rng = random.Random(n)
        costs = [[rng.randint(0, 10**6) for _ in range(n)] for _ in range(n)]
        exact = [[Fraction(cost) for cost in row] for row in costs]
        assert cheapest(exact)[0] == scipy_cost(costs) == or_cost(costs)
        peers = {
            "scipy": lambda c=costs: scipy_cost(c),
            "OR-tools": lambda c=costs: or_cost(c),
        }
        table.add(f"{n} x {n}", lambda c=exact: cheapest(c), peers)
    return table.rows


# The row space against FLINT


def counted(atoms: int, seed: int) -> list[LinearRow]:
    """Answers to counting queries over random people, a few of which determine
    somebody.
    """
    rng = random.Random(seed)
    truth = [rng.randint(0, 9) for _ in range(atoms)]
    rows = []
    for number in range(atoms * 9 // 10):
        asked = rng.sample(range(atoms), rng.choice([2, 3, 5]))
        value = sum(truth[k] for k in asked)
        rows.append(LinearRow(dict.fromkeys(asked, 1), value, value, number))
    return rows


def own_space(rows: Sequence[LinearRow]) -> dict[int, Fraction]:
    """The atoms that are determined, each with its proof."""
    space = RowSpace()
    space.add(rows)
    return {atom: proof.value for atom, proof in space.proofs.items()}


def flint_space(rows: Sequence[LinearRow], atoms: int) -> dict[int, Fraction]:
    """The same from the reduced echelon form of the integers; no proof."""
    matrix = flint.fmpz_mat(
        [[row.parts.get(k, 0) for k in range(atoms)] + [row.low] for row in rows]
    )
    reduced, scale, rank = matrix.rref()
    values = {}
    for row in reduced.tolist()[:rank]:
        places = [k for k in range(atoms) if row[k]]
        if len(places) == 1:
            values[places[0]] = Fraction(int(row[atoms]), int(scale))
    return values


def own_log(rows: Sequence[LinearRow]) -> list[int]:
    """How many atoms are determined after each answer of a log."""
    space = RowSpace()
    known = []
    for row in rows:
        space.add([row])
        known.append(len(space.proofs))
    return known


def flint_log(rows: Sequence[LinearRow], atoms: int) -> list[int]:
    """The same, from an echelon form after each answer."""
    return [len(flint_space(rows[: k + 1], atoms)) for k in range(len(rows))]


def row_spaces(bench: Bench, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """All answers at once, and one after the other as a log has them."""
    table = Compared(bench, "row space", [])
    for atoms in sizes:
        rows = counted(atoms, atoms)
        assert own_space(rows) == flint_space(rows, atoms)
        table.add(
            f"{len(rows)} sums over {atoms}, at once",
            lambda r=rows: own_space(r),
            {"FLINT": lambda r=rows, n=atoms: flint_space(r, n)},
        )
        if atoms <= 120:
            assert own_log(rows) == flint_log(rows, atoms)
            table.add(
                f"{len(rows)} sums over {atoms}, one by one",
                lambda r=rows: own_log(r),
                {"FLINT": lambda r=rows, n=atoms: flint_log(r, n)},
            )
    return table.rows


# Lattice enumeration against CP-SAT


@dataclass(frozen=True)
class Drawn:
    """What sums are drawn: of ``size`` of the ``atoms`` unknowns, which are 0 to
    ``high``, with factors 1 to ``factors``.
    """

    atoms: int
    sums: int
    high: int
    factors: int
    size: int

    @property
    def said(self) -> str:
        """The question in words."""
        many = f"{self.sums} sums, {self.atoms} unknowns to {self.high}"
        return many + (f", factors to {self.factors}" if self.factors > 1 else "")

    def rows(self) -> list[LinearRow]:
        """The sums, which some point satisfies."""
        rng = random.Random(1)
        truth = [rng.randint(0, self.high) for _ in range(self.atoms)]
        rows = []
        for number in range(self.sums):
            chosen = rng.sample(range(self.atoms), self.size)
            factors = [rng.randint(1, self.factors) for _ in chosen]
            terms = zip(factors, chosen, strict=True)
            value = sum(factor * truth[k] for factor, k in terms)
            parts: dict[Hashable, int] = dict(zip(chosen, factors, strict=True))
            rows.append(LinearRow(parts, value, value, number))
        return rows


Points = set[tuple[int, ...]]


def own_points(drawn: Drawn) -> Points:
    """All solutions, each branch that is cut refuted in integers."""
    ranges: dict[Hashable, tuple[int, int]] = {}
    ranges.update(dict.fromkeys(range(drawn.atoms), (0, drawn.high)))
    search = Search(equations(drawn.rows(), ranges))
    for _ in search.more(Deadline(), None, soon=False):
        pass
    assert search.done
    order = [search.equations.columns.index(k) for k in range(drawn.atoms)]
    return {tuple(point[order].tolist()) for point in search.solutions}


class Collected(cp_model.CpSolverSolutionCallback):
    """Every solution that CP-SAT reports."""

    def __init__(self, unknowns: Sequence[cp_model.IntVar]) -> None:
        super().__init__()
        self.unknowns = unknowns
        self.points: Points = set()

    def on_solution_callback(self) -> None:
        """One more."""
        self.points.add(tuple(self.value(unknown) for unknown in self.unknowns))


def cpsat_points(drawn: Drawn) -> Points:
    """All solutions as CP-SAT enumerates them; no proof that these are all."""
    model = cp_model.CpModel()
    unknowns = [model.new_int_var(0, drawn.high, f"x{k}") for k in range(drawn.atoms)]
    of: dict[Hashable, cp_model.IntVar] = dict(enumerate(unknowns))
    for row in drawn.rows():
        model.add(sum(row.parts[k] * of[k] for k in row.parts) == row.low)
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    collected = Collected(unknowns)
    assert solver.solve(model, collected) == cp_model.OPTIMAL
    return collected.points


def enumerated(bench: Bench, questions: Sequence[Drawn]) -> list[dict[str, Any]]:
    """Who is in some sums (unknowns 0 and 1), and what people have (0 to 9)."""
    table = Compared(bench, "lattice enumeration", [])
    for drawn in questions:
        points = own_points(drawn)
        assert points == cpsat_points(drawn)
        table.add(
            f"{drawn.said}: {len(points):,} solutions",
            lambda d=drawn: own_points(d),
            {"CP-SAT": lambda d=drawn: cpsat_points(d)},
        )
    return table.rows


def main() -> None:
    """All comparisons, printed and written."""
    chosen = parser(RESULTS, "without the largest sizes").parse_args()
    bench = Bench(chosen.runs)
    quick = chosen.quick
    bench.facts["interior point"] = interior_point(
        bench, (10, 25) if quick else (25, 50, 100, 200)
    )
    bench.facts["transport"] = transported(
        bench, (10, 30) if quick else (10, 30, 100, 300)
    )
    bench.facts["assignment"] = assigned(bench, (5, 20) if quick else (5, 20, 100, 200))
    bench.facts["row space"] = row_spaces(bench, (60,) if quick else (60, 120, 300))
    questions = [Drawn(40, 20, 1, 1, 20), Drawn(40, 30, 9, 1, 20)]
    if not quick:
        questions += [Drawn(60, 30, 1, 1, 30), Drawn(50, 38, 9, 1, 25)]
        questions += [Drawn(30, 10, 1, 100, 30)]
    bench.facts["lattice enumeration"] = enumerated(bench, questions)
    show(bench, "algorithms.py")
    target = chosen.json or (None if quick else RESULTS)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
