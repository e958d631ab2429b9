"""Definition 14 as a linear program for Z3: the exact way out where the interior point
method leaves a doubt.

All shares are written as integers over one denominator, so that the entries of F are
so, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.plans import Plan, PlanPart

Cells = dict[tuple[int, int], t.Number]
Weighted = tuple[int, t.Number]
"""A factor and what it is a factor of."""


def exact_answer(
    parts: tuple[PlanPart, ...], deadline: Deadline | None, at_least: bool = False
) -> Plan | list[Fraction]:
    """A plan, or prices of the parts that show that there is none.  Raises
    BudgetExceeded when Z3 gives up.

    With ``at_least``, the guessed shares are what the records are given at least; the
    plan's parts have what they get.
    """
    text = plan_text(parts, at_least)
    answer = solve(text, deadline)
    if answer.status == "sat":
        return _plan(parts, answer.reals)
    # where there is no plan there are prices, which show it
    if answer.status == "unsat":
        text = price_text(parts, at_least)
        answer = solve(text, deadline)
    if answer.status != "sat":
        what = f"whether the guess is sound was not settled. {answer.reason}"
        raise BudgetExceeded(what)

    prices: list[Fraction] = []
    for part in range(len(parts)):
        price = answer.reals.get(f"price_{part}", ZERO)
        prices.append(price)
    return prices


def _plan(parts: tuple[PlanPart, ...], reals: Mapping[str, Fraction]) -> Plan:
    """The plan that a model is; its parts have the column sums that come out."""
    scale = _scale(parts)
    own = [reals.get(f"own_{i}", ZERO) / scale for i in range(len(parts))]
    cells: dict[tuple[int, int], Fraction] = {}
    columns = list(own)
    for i, j in _cells(parts):
        share = reals.get(f"cell_{i}_{j}", ZERO) / scale
        # a record of part j is given its share by every record of part i
        columns[j] += share * len(parts[i].records)
        if share:
            cells[i, j] = share

    both = zip(parts, columns, strict=True)
    given = tuple(replace(part, guess=column) for part, column in both)
    return Plan(given, tuple(own), cells)


def _scale(parts: Sequence[PlanPart]) -> int:
    """A denominator of all shares."""
    shares: list[Fraction] = []
    for part in parts:
        shares += [part.truth, part.guess]
    return common_denominator(shares)


def _cells(parts: Sequence[PlanPart]) -> Cells:
    """F for pairs of different parts, the first one possible.  (Within a part all may
    stay on the diagonal.)
    """
    cells: Cells = {}
    for i, part in enumerate(parts):
        if not part.truth:
            continue
        for j in range(len(parts)):
            if j != i:
                cells[i, j] = t.Number(f"cell_{i}_{j}")
    return cells


def weighted(terms: Iterable[Weighted]) -> t.LinearSum:
    """The sum of numbers with weights."""
    nonzero: list[Weighted] = []
    for factor, number in terms:
        if factor:
            nonzero.append((factor, number))
    return t.LinearSum(further=tuple(nonzero))


def plan_text(parts: Sequence[PlanPart], at_least: bool = False) -> str:
    """F by parts: 0 <= cell <= own, row sums and column sums."""
    scale, cells = _scale(parts), _cells(parts)
    # F is asked for times ``scale``: the text has whole numbers alone
    sizes = [len(part.records) for part in parts]
    own = {i: t.Number(f"own_{i}") for i, part in enumerate(parts) if part.truth}
    met = []
    for (i, _), cell in cells.items():
        met.append(t.compare(weighted([(1, cell)]), "<=", weighted([(1, own[i])])))

    for k, part in enumerate(parts):
        diagonal = [(1, own[k])] if k in own else []
        given = [(sizes[j], cell) for (i, j), cell in cells.items() if i == k]
        taken = [(sizes[i], cell) for (i, j), cell in cells.items() if j == k]
        truth = int(part.truth * scale)
        guess = int(part.guess * scale)
        relation = ">=" if at_least else "="
        met.append(t.compare(weighted(diagonal + given), "=", truth))
        met.append(t.compare(weighted(diagonal + taken), relation, guess))

    return script(met)


def price_text(parts: Sequence[PlanPart], at_least: bool = False) -> str:
    """Prices, for each part with a true share the highest average (through what is
    above it), and a gain of 1.
    """
    scale = _scale(parts)
    # who may be given more must not have a price below 0
    lowest = 0 if at_least else None
    prices = [t.Number(f"price_{j}", low=lowest) for j in range(len(parts))]
    gain = []
    for part, price in zip(parts, prices, strict=True):
        gain.append((int(part.guess * scale) * len(part.records), price))

    met = []
    for i, part in enumerate(parts):
        if part.truth:
            high = t.Number(f"high_{i}", low=None)
            gain.append((-int(part.truth * scale) * len(part.records), high))
            met += _highest(parts, prices, i, high)

    return script([*met, t.compare(weighted(gain), "=", 1)])


def _highest(
    parts: Sequence[PlanPart], prices: Sequence[t.Number], i: int, high: t.Number
) -> list[t.Term]:
    """``high`` is at least the average price of each set that holds a record of part i:
    at least its own price and what the others are above ``high``.
    """
    met: list[t.Term] = []
    above = [(1, prices[i])]
    for j, price in enumerate(prices):
        if i != j:
            over = t.Number(f"over_{i}_{j}")
            reach = weighted([(1, over), (1, high)])
            met.append(t.compare(reach, ">=", weighted([(1, price)])))
            above.append((len(parts[j].records), over))

    met.append(t.compare(weighted([(1, high)]), ">=", weighted(above)))
    return met
