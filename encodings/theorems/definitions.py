"""Each criterion by its definition, for one class: text from the papers' words, not
from the theorems' formulas.

Counts of the class are ``n0 ..`` with the sum ``n``; shares are ``q0 ..`` in the class
and ``p0 ..`` in the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from theorems.frames import names
from theorems.term import add, conj, disj, implies, ite, number, size


def k_anonymous(size_: str, k: str) -> str:
    """Section 4.1: |[d]| >= k."""
    return f"(>= {size_} {k})"


def safe(m: int, secrets: Iterable[tuple[str, list[str]]], letter: str = "n") -> str:
    """Section 4.2: no secret in Sec(i) is true of all rows of i's class.

    A secret is a pair: whether it is in Sec(i), and for each value whether it is true
    of rows with that value.
    """
    n = names(letter, m)
    known = [
        conj([held, *(implies(f"(>= {n[v]} 1)", true_of[v]) for v in range(m))])
        for held, true_of in secrets
    ]
    return conj(f"(not {part})" for part in known)


def distinct(m: int, l: int) -> str:
    """Definition 8.1: at least l distinct values."""
    return f"(>= {add([ite(f'(> {x} 0)', '1', '0') for x in names('n', m)])} {l})"


def ranked(m: int, letter: str, rank: str) -> list[str]:
    """Declares ``rank1 ..``: the j-th greatest of some numbers.  At most j - 1 are
    greater, at least j as great.
    """
    lines = []
    for j in range(1, m + 1):
        lines.append(f"(declare-const {rank}{j} Real)")
        more = add([f"(ite (> {x} {rank}{j}) 1 0)" for x in names(letter, m)])
        least = add([f"(ite (>= {x} {rank}{j}) 1 0)" for x in names(letter, m)])
        lines += [f"(assert (<= {more} {j - 1}))", f"(assert (>= {least} {j}))"]
    return lines


def recursive(m: int, l: int, strict: bool = True) -> str:
    """Definition 8.2: k1 < c (kl + .. + km), where values that do not occur add
    nothing; ``ck{j}`` is c k_j.
    """
    return f"({'<' if strict else '<='} k1 {add([f'ck{j}' for j in range(l, m + 1)])})"


def close(m: int, t: str, factor: Fraction = Fraction(1, 2)) -> str:
    """Definition 9 with the variational distance: the sum of |alpha_j - beta_j| / 2 is
    at most t.
    """
    gaps = [size(f"(- p{v} q{v})") for v in range(m)]
    return f"(<= (* {number(factor)} {add(gaps)}) {t})"


def close_ordered(m: int, t: str) -> str:
    """Li et al. 2007: the cumulative differences, over m - 1."""
    sums = [add([f"(- q{v} p{v})" for v in range(j)]) for j in range(1, m)]
    return f"(<= {add([size(x) for x in sums])} {f'(* {m - 1} {t})' if m > 1 else t})"


def close_hierarchical(nodes: tuple[tuple[int, ...], ...], t: str) -> str:
    """Li et al. 2007 for a tree of height 2: the sum over inner nodes of height/2 *
    min(gain, loss) of its children.
    """
    extra = [add([f"(- q{v} p{v})" for v in node]) for node in nodes]
    below = [_moved([f"(- q{v} p{v})" for v in node]) for node in nodes]
    return (
        f"(<= {add([_moved(extra), *(f'(* {number(Fraction(1, 2))} {x})' for x in below)])}"
        f" {t})"
    )


def _moved(extras: list[str]) -> str:
    """min(gain, loss): what is too much in some children, or too little in others,
    whichever is less.
    """
    gain, loss = (
        add([f"(ite (> {x} 0) {x} 0)" for x in extras]),
        add([f"(ite (< {x} 0) (- {x}) 0)" for x in extras]),
    )
    return f"(ite (<= {gain} {loss}) {gain} {loss})"


def disclosing(m: int, strict: bool = True, absent: bool = False) -> str:
    """Section 4.4: |log(q/p)| < delta for all values; ``log{v}`` is the logarithm where
    there is one.
    """
    low, high = (
        ("(> log{v} (- delta))", "(< log{v} delta)")
        if strict
        else ("(>= log{v} (- delta))", "(<= log{v} delta)")
    )
    within = [
        f"(and (> q{v} 0) {low.format(v=v)} {high.format(v=v)})" for v in range(m)
    ]
    return conj(
        disj([f"(= q{v} 0)", part]) if absent else part for v, part in enumerate(within)
    )


def logarithms(m: int) -> list[str]:
    """What is used of log2, ``r`` being 2^delta and ``s`` 2^-delta: it is strictly
    monotone.

    Multiplied by p: q/p against r is q against r p.
    """
    lines = ["(declare-const delta Real)", "(assert (> delta 0))"]
    for v in range(m):
        above, below = (f"(- q{v} (* {x} p{v}))" for x in "rs")
        lines.append(f"(declare-const log{v} Real)")
        for term, bound in ((above, "delta"), (below, "(- delta)")):
            facts = (
                f"(= (< {term} 0) (< log{v} {bound}))",
                f"(= (= {term} 0) (= log{v} {bound}))",
            )
            lines += [f"(assert (=> (> q{v} 0) (and {' '.join(facts)})))"]
    return lines


def alpha_k(m: int, alpha: Fraction, k: int) -> str:
    """Wong et al. 2006: at least k rows, and no value has a share above alpha."""
    shares = [
        f"(<= (* {alpha.denominator} {x}) (* {alpha.numerator} n))"
        for x in names("n", m)
    ]
    return conj([f"(>= n {k})", *shares])


def beta_like(m: int, beta: Fraction) -> str:
    """Cao and Karras 2012: (q - p) / p <= beta for all values, times p > 0."""
    return conj(f"(<= (- q{v} p{v}) (* {number(beta)} p{v}))" for v in range(m))


def enhanced(m: int) -> str:
    """Cao and Karras 2012: (q - p) / p <= min(beta, -ln p) for all values, times p > 0;
    ``minus_ln{v}`` is -ln p.
    """
    bounds = [f"(ite (<= beta minus_ln{v}) beta minus_ln{v})" for v in range(m)]
    return conj(f"(<= (- q{v} p{v}) (* {bounds[v]} p{v}))" for v in range(m))


def beneficial(m: int, b: str) -> str:
    """q - p <= b for all values."""
    return conj(f"(<= (- q{v} p{v}) {b})" for v in range(m))
