"""Compatible probabilities (Definition 14) as a linear program: our theorem, in steps,
for bounded n.

P' is compatible with P iff there is F >= 0 with row sums P, column sums P' and F(x, x)
>= F(x, y).
"""

from __future__ import annotations

from fractions import Fraction

from theorems.claim import Claim, Query
from theorems.evidence import compatible, mass, members, pignistic, probability, sets
from theorems.term import add, conj, declare, define, given, number

SOURCE = "ours: a theorem on Definition 14 of Torra and Stokes (2012)"
NONE = "a model would be a counterexample; there is none."


def matrix(n: int) -> list[str]:
    """F with row sums P and column sums Q (for P'), greatest on the diagonal."""
    names = [[f"F{x}_{y}" for y in range(n)] for x in range(n)]
    lines = [line for row in names for line in declare(row, "Real")]
    lines += given(*(f"(>= {cell} 0)" for row in names for cell in row))
    lines += given(*(f"(= {add(names[x])} P{x})" for x in range(n)))
    lines += given(*(f"(= {add([row[y] for row in names])} Q{y})" for y in range(n)))
    return lines + given(
        *(f"(>= F{x}_{x} F{x}_{y})" for x in range(n) for y in range(n) if x != y)
    )


def extreme(cells: list[str], op: str) -> str:
    """The least or greatest of some texts."""
    first, *rest = cells
    for cell in rest:
        first = f"(ite ({op} {cell} {first}) {cell} {first})"
    return first


def layers(n: int) -> list[str]:
    """m(A): for each row x in A, |A| times the layer of F(x, .) between its least
    inside and greatest outside A.
    """
    lines = []
    for a in sets(n):
        parts = []
        for x in members(a):
            inside = extreme([f"F{x}_{y}" for y in members(a)], "<")
            outside = extreme(
                [f"F{x}_{y}" for y in range(n) if not a >> y & 1] or ["0"], ">"
            )
            lines.append(define(f"layer{a}_{x}", f"(- {inside} {outside})", "Real"))
            parts.append(f"(ite (> layer{a}_{x} 0) layer{a}_{x} 0)")
        lines.append(define(f"m{a}", f"(* {a.bit_count()} {add(parts)})", "Real"))
    return lines


def from_matrix(n: int) -> list[str]:
    """F is given; the mass of its layers is an assignment, compatible, with pignistic
    probability P'.
    """
    sums = f"(= {add([f'm{a}' for a in sets(n)])} 1)"
    columns = conj(f"(= {pignistic(y, n)} Q{y})" for y in range(n))
    head = [*probability(n), *probability(n, "Q"), *matrix(n), *layers(n)]
    return [*head, f"(assert (not (and {sums} {columns} {compatible(n)})))"]


def shares(n: int) -> list[str]:
    """T(A, x): what A hands to its member x, so that x receives P(x)."""
    lines = declare([f"T{a}_{x}" for a in sets(n) for x in members(a)], "Real")
    lines += given(*(f"(>= T{a}_{x} 0)" for a in sets(n) for x in members(a)))
    lines += given(
        *(f"(= {add([f'T{a}_{x}' for x in members(a)])} m{a})" for a in sets(n))
    )
    return lines + given(
        *(
            f"(= {add([f'T{a}_{x}' for a in sets(n) if a >> x & 1])} P{x})"
            for x in range(n)
        )
    )


def to_matrix(n: int) -> list[str]:
    """A transport is given; F(x, y) = sum of T(A, x) / |A| over A with x and y is as
    wanted.
    """
    lines = [*mass(n), *probability(n), *shares(n)]
    for x in range(n):
        for y in range(n):
            parts = [
                f"(* {number(Fraction(1, a.bit_count()))} T{a}_{x})"
                for a in sets(n)
                if a >> x & a >> y & 1
            ]
            lines.append(define(f"F{x}_{y}", add(parts), "Real"))
    wanted = [f"(= {add([f'F{x}_{y}' for y in range(n)])} P{x})" for x in range(n)]
    wanted += [
        f"(= {add([f'F{x}_{y}' for x in range(n)])} {pignistic(y, n)})"
        for y in range(n)
    ]
    wanted += [f"(>= F{x}_{x} F{x}_{y})" for x in range(n) for y in range(n)]
    return [*lines, f"(assert (not {conj(wanted)}))"]


def transport_suffices(n: int) -> list[str]:
    """A transport is given, and P < Bel somewhere."""
    return [*mass(n), *probability(n), *shares(n), f"(assert (not {compatible(n)}))"]


def transport_exists(n: int) -> list[str]:
    """Bel is compatible, and every T fails: a quantifier over the transport."""
    names = [f"T{a}_{x}" for a in sets(n) for x in members(a)]
    facts = [f"(>= {t} 0)" for t in names]
    facts += [f"(= {add([f'T{a}_{x}' for x in members(a)])} m{a})" for a in sets(n)]
    facts += [
        f"(= {add([f'T{a}_{x}' for a in sets(n) if a >> x & 1])} P{x})"
        for x in range(n)
    ]
    bound = " ".join(f"({t} Real)" for t in names)
    head = [*mass(n), *probability(n), f"(assert {compatible(n)})"]
    return [*head, f"(assert (forall ({bound}) (not {conj(facts)})))"]


def potentials(n: int) -> list[str]:
    """Bel is compatible, and the certificate of no transport: by total unimodularity
    one of 0 and 1 exists.

    Records with price 1, sets with price 1 iff all their members have it: more mass
    inside than P there.
    """
    lines = [*mass(n), *probability(n), f"(assert {compatible(n)})"]
    lines += declare([f"z_{x}" for x in range(n)], "Bool") + declare(
        [f"y_{a}" for a in sets(n)], "Bool"
    )
    lines += given(*(f"(=> y_{a} z_{x})" for a in sets(n) for x in members(a)))
    left = add([f"(ite y_{a} m{a} 0)" for a in sets(n)])
    return [
        *lines,
        f"(assert (> {left} {add([f'(ite z_{x} P{x} 0)' for x in range(n)])}))",
    ]


UNKNOWN = (
    "masses m of all sets (real, >= 0, sum 1), probabilities P and Q = P', a transport"
    " T, or a matrix F"
)


def theorem() -> Claim:
    steps = {
        "from_matrix": (
            "if F exists, then the layers of its rows give a compatible Bel",
            from_matrix,
            range(2, 5),
        ),
        "transport_only": (
            "if a transport exists, then P >= Bel",
            transport_suffices,
            range(2, 6),
        ),
        "to_matrix": ("if a transport exists, then F does", to_matrix, range(2, 6)),
        "potentials": (
            "if P >= Bel, no 0/1 prices show that a transport is missing",
            potentials,
            range(2, 6),
        ),
    }
    queries = tuple(
        (
            Query(
                f"belief/matrix.{name}.n{n}.smt2",
                tuple(lines(n)),
                "QF_LRA",
                (f"{n} records: {said}",),
            )
        )
        for name, (said, lines, ns) in steps.items()
        for n in ns
    )
    return Claim(
        "Definition 14 as a linear program",
        "P' is compatible with P iff there is F >= 0 with row sums P, column sums P'"
        " and F(x, x) >= F(x, y).",
        SOURCE,
        UNKNOWN,
        NONE
        + "  That 0/1 prices suffice is the total unimodularity of transports, checked"
        " outright by the row below",
        "2 to 5 records (from F: 2 to 4)",
        queries,
    )


def existence() -> Claim:
    queries = tuple(
        (
            Query(
                f"belief/transport.n{n}.smt2",
                tuple(transport_exists(n)),
                "LRA",
                (f"{n} records",),
                tactics=True,
            )
        )
        for n in (2, 3, 4)
    )
    return Claim(
        "Compatible iff a transport exists",
        "If P >= Bel, every focal set can hand its mass to its members so that record x"
        " receives P(x).",
        SOURCE + "; known for belief functions at large",
        UNKNOWN,
        NONE + "  The transport is quantified",
        "2 to 4 records",
        queries,
    )


def all_claims() -> tuple[Claim, ...]:
    return theorem(), existence()
