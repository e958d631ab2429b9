"""Merge-closure of entropy l-diversity, which is not linear: by concavity, and by
tables of powers for few rows.
"""

from __future__ import annotations

from fractions import Fraction

from theorems.claim import Claim, Query
from theorems.frames import names
from theorems.merging import TWO, WHY, broken, two_counts, two_shares
from theorems.term import add


def entropy(largest: int = 5) -> Claim:
    """With concavity of -x log x as the only fact about logarithms."""
    queries = []
    for m in range(1, largest + 1):
        lines = [*two_shares(m), "(declare-const log_l Real)"]
        for v in range(m):
            lines += [f"(declare-const {x}h{v} Real)" for x in "abu"]
            lines.append(f"(assert (>= uh{v} (+ (* w ah{v}) (* (- 1 w) bh{v}))))")
        lines += [f"(assert (>= {add(names(f'{x}h', m))} log_l))" for x in "ab"]
        lines.append(f"(assert (< {add(names('uh', m))} log_l))")
        queries.append(
            Query(
                f"closure/entropy.m{m}.smt2",
                tuple(lines),
                "QF_NRA",
                (f"{m} values, any l",),
            )
        )
    return Claim(
        "Merge-closure of entropy, from concavity",
        "If two classes have entropy at least log l, so has their union.",
        "ours",
        "two classes by shares, their union, and h_v = -x log x at each share, of which"
        " only concavity along the segment is used",
        WHY,
        f"1 to {largest} values, any counts, any l; concavity of -x log x is calculus,"
        " which no solver here proves",
        tuple(queries),
    )


def power(name: str, factor: int, base: int, top: int) -> str:
    """``(factor * k)^k``, or ``base^k`` where there is one, as a table for k up to
    ``top``.
    """
    text = "0"
    for k in range(top, -1, -1):
        text = f"(ite (= k {k}) {base**k if base else (factor * k) ** k} {text})"
    return f"(define-fun {name} ((k Int)) Int {text})"


def rich(m: int, least: Fraction) -> str:
    """n^n >= l^n prod n_i^n_i, with the denominators of l cleared."""
    tag = f"{least.numerator}_{least.denominator}"
    return (
        f"(>= (all_{tag} n) (* (l_{tag} n)"
        f" {' '.join(f'(own n{v})' for v in range(m))}))"
    )


def powers(m: int, top: int, few: tuple[Fraction, ...]) -> Query:
    lines = [
        *two_counts(m),
        *(f"(assert (<= {x} {top}))" for letter in "ab" for x in names(letter, m)),
    ]
    lines.append(power("own", 1, 0, 2 * top))
    for least in few:
        tag = f"{least.numerator}_{least.denominator}"
        lines.append(power(f"all_{tag}", least.denominator, 0, 2 * m * top))
        lines.append(power(f"l_{tag}", 1, least.numerator, 2 * m * top))
    said = (
        f"{m} values, counts up to {top} in each class, l in {', '.join(map(str, few))}"
    )
    lines += broken(rich(m, least) for least in few)
    return Query(f"closure/entropy_powers.m{m}.smt2", tuple(lines), "QF_NIA", (said,))


def entropy_bounded() -> Claim:
    return Claim(
        "Merge-closure of entropy, from its definition, few rows",
        "If n^n >= l^n prod n_i^n_i for two classes, then for their union.",
        "ours",
        "counts of two classes; powers are looked up in tables",
        WHY,
        "2 values with counts up to 4, 3 values with counts up to 3; l = 3/2 or 2",
        (powers(2, 4, (Fraction(3, 2),)), powers(3, 3, (Fraction(3, 2), TWO))),
    )


def entropy_direct() -> Claim:
    return Claim(
        "Merge-closure of entropy, from its definition, any counts",
        "If n^n >= l^n prod n_i^n_i for two classes, then for their union.",
        "ours",
        "counts",
        "-",
        "-",
        status="open",
        tried=(
            "the exponents are unknowns, which no SMT-LIB logic of integers or reals"
            " has. With tables of powers it is settled for few rows (the claim above);"
            " with 3 values and counts up to 4, Z3 settles it, cvc5 not in 40 s. For"
            " any counts it rests on the concavity of -x log x (two claims above)"
        ),
    )


def all_claims() -> tuple[Claim, ...]:
    return entropy(), entropy_bounded(), entropy_direct()
