"""Definition 14 as a linear program for Z3: the exact way out where the interior point
method leaves a doubt.

All shares are written as integers over one denominator, so that the entries of F are
so, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.plans import Part, Plan

Cells = dict[tuple[int, int], t.Number]


def exact_answer(
    parts: tuple[Part, ...], deadline: Deadline | None, at_least: bool = False
) -> Plan | list[Fraction]:
    """A plan, or prices of the parts that show that there is none.  Raises
    BudgetExceeded when Z3 gives up.

    With ``at_least``, the guessed shares are what the records are given at least; the
    plan's parts have what they get.
    """
    answer = solve(plan_text(parts, at_least), deadline)
    if answer.status == "sat":
        scale, every = _scale(parts), range(len(parts))
        own = tuple(answer.reals.get(f"own_{i}", ZERO) / scale for i in every)
        cells = {
            (i, j): answer.reals.get(f"cell_{i}_{j}", ZERO) / scale
            for i, j in _cells(parts)
        }
        columns = list(own)
        for (i, j), share in cells.items():
            columns[j] += share * len(parts[i].records)
        told = tuple(
            replace(part, guess=column)
            for part, column in zip(parts, columns, strict=True)
        )
        return Plan(
            told, own, {place: share for place, share in cells.items() if share}
        )
    if answer.status == "unsat":
        answer = solve(price_text(parts, at_least), deadline)
    if answer.status != "sat":
        raise BudgetExceeded(
            f"whether the guess is sound was not settled. {answer.reason}"
        )
    return [answer.reals.get(f"price_{j}", ZERO) for j in range(len(parts))]


def _scale(parts: Sequence[Part]) -> int:
    return common_denominator(
        [share for part in parts for share in (part.truth, part.guess)]
    )


def _cells(parts: Sequence[Part]) -> Cells:
    """F for pairs of different parts, the first one possible.  (Within a part all may
    stay on the diagonal.)
    """
    every = range(len(parts))
    return {
        (i, j): t.Number(f"cell_{i}_{j}")
        for i in every
        if parts[i].truth
        for j in every
        if i != j
    }


def weighted(parts: Iterable[tuple[int, t.Number]]) -> t.LinearSum:
    """The sum of numbers with weights."""
    return t.LinearSum(
        further=tuple((factor, number) for factor, number in parts if factor)
    )


def plan_text(parts: Sequence[Part], at_least: bool = False) -> str:
    """F by parts: 0 <= cell <= own, row sums and column sums."""
    scale, cells = _scale(parts), _cells(parts)
    own = {i: t.Number(f"own_{i}") for i, part in enumerate(parts) if part.truth}
    met = [
        t.compare(weighted([(1, cell)]), "<=", weighted([(1, own[i])]))
        for (i, _), cell in cells.items()
    ]
    for k, part in enumerate(parts):
        kept = [(1, own[k])] if k in own else []
        given = [
            (len(parts[j].records), cell) for (i, j), cell in cells.items() if i == k
        ]
        taken = [
            (len(parts[i].records), cell) for (i, j), cell in cells.items() if j == k
        ]
        met.append(t.compare(weighted(kept + given), "=", int(part.truth * scale)))
        met.append(
            t.compare(
                weighted(kept + taken),
                ">=" if at_least else "=",
                int(part.guess * scale),
            )
        )
    return script(met)


def price_text(parts: Sequence[Part], at_least: bool = False) -> str:
    """Prices, for each part with a true share the highest average (through what is
    above it), and a gain of 1.
    """
    scale = _scale(parts)
    prices = [
        t.Number(f"price_{j}", low=0 if at_least else None) for j in range(len(parts))
    ]
    gain = [
        (int(part.guess * scale) * len(part.records), price)
        for part, price in zip(parts, prices, strict=True)
    ]
    met = []
    for i, part in enumerate(parts):
        if part.truth:
            high, above = t.Number(f"high_{i}", low=None), [(1, prices[i])]
            gain.append((-int(part.truth * scale) * len(part.records), high))
            for j, price in enumerate(prices):
                if i != j:
                    over = t.Number(f"over_{i}_{j}")
                    met.append(
                        t.compare(
                            weighted([(1, over), (1, high)]),
                            ">=",
                            weighted([(1, price)]),
                        )
                    )
                    above.append((len(parts[j].records), over))
            met.append(t.compare(weighted([(1, high)]), ">=", weighted(above)))
    return script([*met, t.compare(weighted(gain), "=", 1)])
