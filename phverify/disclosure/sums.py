"""Sums that constraints are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from phverify.constraints import terms as t

Number = t.Variable | int
Terms = Sequence[t.Term]


def alone(x: Number) -> t.LinearSum:
    """One number."""
    return t.total(((1, t.TRUE, x),))


def count(terms: Iterable[t.Term]) -> t.LinearSum:
    """How many terms are true."""
    return t.total((1, term, 1) for term in terms)
