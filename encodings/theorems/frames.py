"""The symbolic classes that formulas are walked over, with the declarations and facts
of their unknowns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from theorems.term import ONE, add, atom, declare, define, given
from theorems.walk import Frame, Kind

SYMBOL = Fraction(1_000_003, 7_654_321)
"""Stands for a symbolic constant of a formula: no computation meets it by chance."""
OTHER = Fraction(1_000_033, 7_654_321)


def names(letter: str, m: int) -> list[str]:
    return [f"{letter}{v}" for v in range(m)]


def counts(m: int, chosen: Mapping[str, Sequence[str]] | None = None) -> Frame:
    """One class with ``n0 .. n(m-1)`` rows of each value."""
    kinds = tuple(Kind(v) for v in range(m))
    cell = tuple(zip(kinds, map(atom, names("n", m)), strict=True))
    return Frame(kinds, {"a1": dict.fromkeys(kinds, cell)}, kinds, chosen=chosen or {})


def counted(m: int, sort: str = "Int", letter: str = "n") -> list[str]:
    """Counts of a class that is not empty; ``n`` is their sum."""
    n = names(letter, m)
    lines = [*declare(n, sort), *given(*(f"(>= {x} 0)" for x in n))]
    return [
        *lines,
        f"(define-fun {letter} () {sort} {add(n)})",
        f"(assert (>= {letter} 1))",
    ]


def shares(m: int, symbols: Mapping[Fraction, str] | None = None) -> Frame:
    """One class where value v has the share ``q{v}``, in a table where it has the share
    ``p{v}``.
    """
    kinds = tuple(Kind(v) for v in range(m))
    inside, whole = (
        tuple(zip(kinds, map(atom, names(letter, m)), strict=True)) for letter in "qp"
    )
    spaces = {"a1": dict.fromkeys(kinds, inside), "a0": dict.fromkeys(kinds, whole)}
    return Frame(kinds, spaces, kinds, shares=True, symbols=symbols or {})


def multiplied(m: int) -> Frame:
    """A class by shares, with ``y{v}`` for c q{v}: a symbolic factor c without
    nonlinear terms.
    """
    frame = shares(m, {SYMBOL: "c"})
    return replace(
        frame, products={"c": dict(zip(names("q", m), names("y", m), strict=True))}
    )


def multiples(m: int) -> list[str]:
    """c q0, c q1, .. for some c > 0: they sum to c, and are ordered and are 0 as the
    shares are.
    """
    q, y = names("q", m), names("y", m)
    lines = [*declare(y, "Real"), define("c", add(y), "Real"), "(assert (> c 0))"]
    lines += given(
        *(f"(>= {b} 0)" for b in y),
        *(f"(= (= {a} 0) (= {b} 0))" for a, b in zip(q, y, strict=True)),
    )
    for (a, b), (u, v) in combinations(zip(q, y, strict=True), 2):
        lines += given(f"(= (< {a} {u}) (< {b} {v}))", f"(= (= {a} {u}) (= {b} {v}))")
    return lines


def shared(m: int, whole: bool = True) -> list[str]:
    """Shares of a class and, each positive, of the table: those of all histograms, and
    more.
    """
    q, p = names("q", m), names("p", m)
    lines = [
        *declare(q, "Real"),
        *given(*(f"(>= {x} 0)" for x in q), f"(= {add(q)} 1)"),
    ]
    if whole:
        lines += [
            *declare(p, "Real"),
            *given(*(f"(> {x} 0)" for x in p), f"(= {add(p)} 1)"),
        ]
    return lines


def classes(c: int, reciprocals: Mapping[Fraction, str] | None = None) -> Frame:
    """Classes of ``n0 .. n(c-1)`` rows, person e in class e: a world with the person,
    and the others.
    """
    pairs = [(Kind(0, (e,), e), Kind(0, (), e)) for e in range(c)]
    cells = [
        ((own, ONE), (rest, atom(f"n{e}") - ONE)) for e, (own, rest) in enumerate(pairs)
    ]
    every = tuple(pair for cell in cells for pair in cell)
    kinds = tuple(kind for kind, _ in every)
    spaces = {
        "a1": {k: cells[k.cell] for k in kinds},
        "a0": dict.fromkeys(kinds, every),
    }
    return Frame(kinds, spaces, kinds, reciprocals=reciprocals or {})


def inhabited(m: int, chosen: Mapping[str, Sequence[str]]) -> Frame:
    """One class, and person 0 on one of its rows: ``x{v}`` is 1 where that row has
    value v, else 0.
    """
    with_i, without = [Kind(v, (0,)) for v in range(m)], [Kind(v) for v in range(m)]
    cell = [(k, atom(f"x{k.value}")) for k in with_i] + [
        (k, atom(f"n{k.value}") - atom(f"x{k.value}")) for k in without
    ]
    kinds = (*with_i, *without)
    return Frame(kinds, {"a1": dict.fromkeys(kinds, tuple(cell))}, kinds, chosen=chosen)


def inhabitant(m: int) -> list[str]:
    """Where person 0 is: on exactly one row."""
    x, n = names("x", m), names("n", m)
    places = [f"(<= 0 {a} 1)" for a in x] + [
        f"(<= {a} {b})" for a, b in zip(x, n, strict=True)
    ]
    return [*declare(x, "Int"), *given(*places, f"(= {add(x)} 1)")]
