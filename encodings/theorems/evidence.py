"""Belief functions over n records as SMT-LIB: masses of all focal sets as unknown
reals.

A set of records is an integer whose bit x stands for record x.
"""

from __future__ import annotations

from fractions import Fraction

from theorems.term import add, conj, declare, disj, given, number


def sets(n: int) -> range:
    """All nonempty sets of records."""
    return range(1, 2**n)


def members(a: int) -> list[int]:
    return [x for x in range(a.bit_length()) if a >> x & 1]


def mass(n: int) -> list[str]:
    """A basic probability assignment m (Definition 2)."""
    names = [f"m{a}" for a in sets(n)]
    return [
        *declare(names, "Real"),
        *given(*(f"(>= {x} 0)" for x in names), f"(= {add(names)} 1)"),
    ]


def probability(n: int, letter: str = "P") -> list[str]:
    names = [f"{letter}{x}" for x in range(n)]
    return [
        *declare(names, "Real"),
        *given(*(f"(>= {x} 0)" for x in names), f"(= {add(names)} 1)"),
    ]


def belief(c: int, n: int) -> str:
    """Bel(C): the mass inside C (Proposition 3)."""
    return add([f"m{a}" for a in sets(n) if a & ~c == 0])


def probable(c: int, letter: str = "P") -> str:
    """P(C)."""
    return add([f"{letter}{x}" for x in members(c)])


def compatible(n: int) -> str:
    """P >= Bel on all sets (Definition 7)."""
    return conj(f"(>= {probable(c)} {belief(c, n)})" for c in sets(n))


def pignistic(x: int, n: int) -> str:
    """P_Bel({x}) (Definition 4)."""
    return add(
        [
            f"(* {number(Fraction(1, a.bit_count()))} m{a})"
            for a in sets(n)
            if a >> x & 1
        ]
    )


def only(n: int, chosen: str) -> list[str]:
    """Asserts m(A) = 1 for the set whose members are ``chosen_x``, and m(A) = 0 for all
    others.
    """
    lines = []
    for a in sets(n):
        this = conj(
            f"{chosen}_{x}" if a >> x & 1 else f"(not {chosen}_{x})" for x in range(n)
        )
        lines += given(f"(= m{a} (ite {this} 1 0))")
    return lines


def subset(n: int, name: str) -> list[str]:
    """A set of records as unknown memberships."""
    return declare([f"{name}_{x}" for x in range(n)], "Bool")


def nonempty(n: int, name: str) -> str:
    return disj(f"{name}_{x}" for x in range(n))


def uniform(n: int, name: str) -> list[str]:
    """P is uniform on a set, 0 elsewhere: ``share`` is 1 over its size."""
    lines = [*probability(n), "(declare-const share Real)", "(assert (> share 0))"]
    return [*lines, *given(*(f"(= P{x} (ite {name}_{x} share 0))" for x in range(n)))]
