"""What constraints mean: the truth of terms and the value of sums."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from phverify.constraints.language import (
    Conditional,
    Conj,
    Disj,
    Flag,
    Further,
    LinearSum,
    Magnitude,
    Neg,
    Number,
    Shared,
    SumComparison,
    Term,
    TruthValue,
    Unknown,
    Within,
)


def comparison_holds(left: int | Fraction, op: str, right: int | Fraction) -> bool:
    """``left op right``, for any other operator than ``!=``."""
    if op in (">=", ">"):
        return left > right or (op == ">=" and left == right)
    if op in ("<=", "<"):
        return left < right or (op == "<=" and left == right)
    return left == right


Assignment = Mapping[str, int]


def evaluate(
    term: Term, values: Mapping[str, int], known: dict[int, bool] | None = None
) -> bool:
    """The truth of a term where each unknown has its value (a flag 0 or 1)."""
    known = {} if known is None else known
    # by identity: terms share parts, and unfolded they may be exponentially many
    if id(term) not in known:
        known[id(term)] = _evaluate(term, values, known)
    return known[id(term)]


def _evaluate(term: Term, values: Mapping[str, int], known: dict[int, bool]) -> bool:
    match term:
        case TruthValue(value):
            return value
        case Flag(name):
            return values[name] == 1
        case Unknown(name):
            return values.get(name, 0) == 1
        case Neg(body):
            return not evaluate(body, values, known)
        case Conj(parts):
            return all(evaluate(part, values, known) for part in parts)
        case Disj(parts):
            return any(evaluate(part, values, known) for part in parts)
        case Within(body, low, high):
            return low <= value_of(body, values, known) <= high
        case SumComparison(left, op, right):
            return comparison_holds(
                value_of(left, values, known), op, value_of(right, values, known)
            )
    raise TypeError(f"no term: {term!r}")


def value_of(
    body: LinearSum, values: Mapping[str, int], known: dict[int, bool] | None = None
) -> int:
    """The value of a sum."""
    known = {} if known is None else known
    value = body.constant
    for c, variable in body.plain:
        value += c * values[variable.name]
    for c, term in body.counts:
        if evaluate(term, values, known):
            value += c
    for c, term, variable in body.gated:
        if evaluate(term, values, known):
            value += c * values[variable.name]
    for c, part in body.further:
        value += c * _further(part, values, known)
    return value


def _further(part: Further, values: Mapping[str, int], known: dict[int, bool]) -> int:
    match part:
        case Number(name):
            return values.get(name, 0)
        case Conditional(term, body):
            if evaluate(term, values, known):
                return value_of(body, values, known)
            return 0
        case Magnitude(body):
            return abs(value_of(body, values, known))
        case Shared(body):
            return value_of(body, values, known)
