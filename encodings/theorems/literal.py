"""The theorems' formulas as the paper prints them, as syntax trees; the code's own are
shorter for Theorems 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations

from phverify.spec import syntax as s


def atoms(order: tuple[int, ...]) -> list[s.Formula]:
    return [s.equals("f", str(v)) for v in order]


def l0(body: s.Formula) -> s.Linear:
    return s.likelihood("a0", body)


def l1(body: s.Formula, factor: Fraction | int = 1) -> s.Linear:
    return s.likelihood("a1", body, factor)


def clauses(m: int) -> Iterator[tuple[int, ...]]:
    """All f-clauses with their values in all orders."""
    for length in range(1, m + 1):
        yield from permutations(range(m), length)


def theorem_1(k: Fraction, persons: int) -> s.Formula:
    """l_a1(i) <= 1/k, for all i; ``k`` is the threshold itself."""
    everyone = [s.Nominal(s.Person(e)) for e in range(persons)]
    return s.conj(*(s.Compare(l1(i), "<=", s.number(k)) for i in everyone))


def theorem_2(secret: s.Formula, likelihood: bool) -> s.Formula:
    """@i ~[a1] phi, or @i l_a1(phi) < 1."""
    body = (
        s.Compare(l1(secret), "<", s.number(1))
        if likelihood
        else s.Not(s.Box("a1", secret))
    )
    return s.At(s.Person(0), body)


def short_clauses(m: int, l: int) -> list[s.Formula]:
    """The f-clauses of length less than l."""
    return [
        s.disj(*atoms(c))
        for length in range(1, min(l - 1, m) + 1)
        for c in combinations(range(m), length)
    ]


def theorem_3(m: int, l: int) -> s.Formula:
    """~[a1] phi for every f-clause of length less than l."""
    return s.conj(*(s.Not(s.Box("a1", clause)) for clause in short_clauses(m, l)))


def corollary_1(m: int, l: int) -> s.Formula:
    """@i ~[a1] phi for the same clauses: Theorem 2 with them as Sec(i)."""
    return s.conj(*(theorem_2(clause, False) for clause in short_clauses(m, l)))


def theorem_4(m: int, c: Fraction, l: int, strict: bool = True) -> s.Formula:
    """(psi1 & psi2 & psi3) -> c l(phi_l) + .. + c l(phi_m) > l(phi_1), for every
    f-clause in every order.
    """
    instances = []
    for order in clauses(m):
        phi = atoms(order)
        psi1 = s.Box("a1", s.disj(*phi))
        psi2 = [s.Compare(l1(a), ">=", l1(b)) for a, b in pairwise(phi)]
        psi3 = s.Compare(l1(phi[-1]), ">", s.number(0))
        tail = s.plus(s.number(0), *(l1(a, c) for a in phi[l - 1 :]))
        instances.append(
            s.Implies(
                s.conj(psi1, *psi2, psi3),
                s.Compare(tail, ">" if strict else ">=", l1(phi[0])),
            )
        )
    return s.conj(*instances)


def theorem_5(m: int, t: Fraction, flip: bool = False) -> s.Formula:
    """(psi1 & psi2 & psi3) -> sum over j <= k of (l_a0 - l_a1) <= t.

    For every f-clause and every k; orders that differ only within the first k values,
    or only within the others, write the same conjunctions and the same sum, so that a
    set of first values stands for them.
    """
    instances = []
    for length in range(1, m + 1):
        for values in combinations(range(m), length):
            for k in range(length + 1):
                for first in combinations(values, k):
                    rest = tuple(v for v in values if v not in first)
                    instances.append(_theorem_5(first, rest, t, flip))
    return s.conj(*instances)


def _theorem_5(
    first: tuple[int, ...], rest: tuple[int, ...], t: Fraction, flip: bool
) -> s.Formula:
    psi1 = s.Box("a0", s.disj(*atoms((*first, *rest))))
    psi2 = [s.Compare(l0(a), "<" if flip else ">", l1(a)) for a in atoms(first)]
    psi3 = [s.Compare(l0(a), ">=" if flip else "<=", l1(a)) for a in atoms(rest)]
    gaps = [s.minus(l0(a), l1(a)) for a in atoms(first)]
    bound = s.Compare(s.plus(s.number(0), *gaps), "<=", s.number(t))
    return s.Implies(s.conj(psi1, *psi2, *psi3), bound)


def theorem_6(m: int, up: Fraction, down: Fraction, op: str = "<") -> s.Formula:
    """l_a1(phi) < 2^delta l_a0(phi) and l_a1(phi) > 2^-delta l_a0(phi), for every
    f-atom.
    """
    back = {"<": ">", "<=": ">="}[op]
    parts = []
    for a in atoms(tuple(range(m))):
        parts += [
            s.Compare(l1(a), op, s.likelihood("a0", a, up)),
            s.Compare(l1(a), back, s.likelihood("a0", a, down)),
        ]
    return s.conj(*parts)
