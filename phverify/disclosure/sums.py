"""Sums that constraints are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from phverify.constraints import integers as t

Number = t.Variable | int
Terms = Sequence[t.Term]


def alone(x: Number) -> t.Sum:
    """One number."""
    return t.total(((1, t.TRUE, x),))


def difference(x: t.Variable, y: t.Variable) -> t.Sum:
    """How much more one unknown is than another."""
    return t.Sum(plain=((1, x), (-1, y)))


def count(terms: Iterable[t.Term]) -> t.Sum:
    """How many terms are true."""
    return t.total((1, term, 1) for term in terms)
