"""Definition 14 as a linear program for Z3: the exact way out where the interior point method leaves a doubt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.exact import ZERO
from phverify.linkage.belief.plans import Part, Plan


def exact_answer(parts: tuple[Part, ...], deadline: Deadline | None, at_least: bool = False) -> Plan | list[Fraction]:
    """A plan, or prices of the parts that show that there is none.  Raises BudgetExceeded when Z3 gives up.

    With ``at_least``, the guessed shares are what the records are given at least; the plan's parts have what they get.
    """
    answer = solve(plan_text(parts, at_least), deadline)
    if answer.status == "sat":
        return _plan(parts, answer.reals)
    if answer.status == "unsat":
        answer = solve(price_text(parts, at_least), deadline)
    if answer.status != "sat":
        raise BudgetExceeded(f"whether the guess is sound was not settled. {answer.reason}")
    return [answer.reals.get(f"price_{j}", ZERO) for j in range(len(parts))]


def _plan(parts: tuple[Part, ...], reals: object) -> Plan:
    assert isinstance(reals, dict)
    own = tuple(reals.get(f"own_{i}", ZERO) for i in range(len(parts)))
    cells = {(i, j): reals.get(f"cell_{i}_{j}", ZERO) for i, j in _cells(parts)}
    columns = list(own)
    for (i, j), share in cells.items():
        columns[j] += share * len(parts[i].records)
    told = tuple(replace(part, guess=column) for part, column in zip(parts, columns, strict=True))
    return Plan(told, own, {place: share for place, share in cells.items() if share})


def _cells(parts: Sequence[Part]) -> list[tuple[int, int]]:
    """Pairs of different parts, the first one possible.  (Within a part all may stay on the diagonal.)"""
    every = range(len(parts))
    return [(i, j) for i in every if parts[i].truth for j in every if i != j]


def plan_text(parts: Sequence[Part], at_least: bool = False) -> str:
    """F by parts: 0 <= cell <= own, row sums and column sums."""
    relation = ">=" if at_least else "="
    rows = [i for i, part in enumerate(parts) if part.truth]
    cells = _cells(parts)
    lines = [f"(declare-const own_{i} Real)(assert (>= own_{i} 0.0))" for i in rows]
    for i, j in cells:
        name = f"cell_{i}_{j}"
        lines.append(f"(declare-const {name} Real)(assert (>= {name} 0.0))(assert (<= {name} own_{i}))")
    for k, part in enumerate(parts):
        given = [(len(parts[j].records), f"cell_{i}_{j}") for i, j in cells if i == k]
        taken = [(len(parts[i].records), f"cell_{i}_{j}") for i, j in cells if j == k]
        own = [(1, f"own_{k}")] if part.truth else []
        lines.append(f"(assert (= {_sum(own + given)} {_real(part.truth)}))")
        lines.append(f"(assert ({relation} {_sum(own + taken)} {_real(part.guess)}))")
    return "\n".join(lines)


def price_text(parts: Sequence[Part], at_least: bool = False) -> str:
    """Prices, for each part with a true share the highest average (through what is above it), and a gain of 1."""
    lines = [f"(declare-const price_{j} Real)" for j in range(len(parts))]
    lines += [f"(assert (>= price_{j} 0.0))" for j in range(len(parts)) if at_least]
    value: list[tuple[Fraction | int, str]] = []
    for i, part in enumerate(parts):
        size = len(part.records)
        value.append((size * part.guess, f"price_{i}"))
        if not part.truth:
            continue
        lines.append(f"(declare-const high_{i} Real)")
        value.append((-size * part.truth, f"high_{i}"))
        above: list[tuple[Fraction | int, str]] = [(1, f"price_{i}")]
        for j in (j for k, j in _cells(parts) if k == i):
            name = f"over_{i}_{j}"
            lines.append(f"(declare-const {name} Real)(assert (>= {name} 0.0))")
            lines.append(f"(assert (>= {name} (- price_{j} high_{i})))")
            above.append((len(parts[j].records), name))
        lines.append(f"(assert (>= high_{i} {_sum(above)}))")
    return "\n".join([*lines, f"(assert (= {_sum(value)} 1.0))"])


def _sum(terms: Iterable[tuple[Fraction | int, str]]) -> str:
    return f"(+ 0.0 0.0 {' '.join(f'(* {_real(Fraction(c))} {name})' for c, name in terms)})"


def _real(value: Fraction) -> str:
    number = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return f"(- {number})" if value < 0 else number
