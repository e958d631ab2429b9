"""The lemmas behind the quotient encoding, on bounded instances: classes, placements
and truth sets are unknown.

The steps that are inductions over formulas are put as induction steps: arbitrary truth
sets F, G that correspond under an exchange of worlds go in, and each operator of
Definition 4 must give truth sets that correspond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, permutations

from theorems.claim import Claim, Query
from theorems.term import add, conj, declare, disj, given, implies, neg

SOURCE = (
    "ours: the lemmas that encodings/release-models.md states for the quotient encoding"
)
Exchange = Callable[[int], int]


def relation(name: str, n: int) -> list[str]:
    """An equivalence of n worlds as unknowns ``name_v_w`` for v < w."""
    lines = declare([f"{name}_{v}_{w}" for v, w in combinations(range(n), 2)], "Bool")
    for u, v, w in permutations(range(n), 3):
        lines += given(
            implies(conj([same(name, u, v), same(name, v, w)]), same(name, u, w))
        )
    return lines


def same(name: str, v: int, w: int) -> str:
    return "true" if v == w else f"{name}_{min(v, w)}_{max(v, w)}"


def one(parts: list[str]) -> str:
    """Exactly one holds."""
    return f"(= {number_of(parts)} 1)"


def number_of(parts: Iterable[str]) -> str:
    return add([{"true": "1", "false": "0"}.get(p, f"(ite {p} 1 0)") for p in parts])


def relevance(largest: int = 6) -> Claim:
    queries = []
    for n in range(1, largest + 1):
        sits = [[f"sits_{i}_{w}" for w in range(n)] for i in range(n)]
        lines = relation("same", n) + declare([f"named_{i}" for i in range(n)], "Bool")
        lines += [line for row in sits for line in declare(row, "Bool")]
        for i in range(n):
            lines += given(implies(f"named_{i}", disj(sits[i])))
            lines += given(*(neg(conj(pair)) for pair in combinations(sits[i], 2)))
            lines += given(
                *(neg(conj(pair)) for pair in combinations([row[i] for row in sits], 2))
            )
            lines += given(
                *(
                    implies(sits[i][w], conj([f"named_{i}", same("same", i, w)]))
                    for w in range(n)
                )
            )
        for order in permutations(range(n)):
            unlawful = [neg(same("same", i, order[i])) for i in range(n)]
            apart = [conj([f"named_{i}", neg(sits[i][order[i]])]) for i in range(n)]
            lines += given(disj([*unlawful, *apart]))
        queries.append(
            Query(f"lemmas/relevance.n{n}.smt2", tuple(lines), "QF_UF", (f"{n} rows",))
        )
    return Claim(
        "Relevance",
        "Any placement of the named individuals, each on a row of the own class and no"
        " two on one, extends to a bijection that keeps everyone in the own class"
        " (individual i is the one behind row i).",
        SOURCE,
        "the classes (an equivalence of rows), who is named, and where they sit",
        "every bijection within classes is listed and said to disagree with the"
        " placement: there is no such placement. That a formula's truth depends on the"
        " nominals it mentions only is read off Definition 4",
        f"tables of 1 to {largest} rows, any classes, any named individuals",
        tuple(queries),
    )


def nominal_counts(largest: int = 6) -> Claim:
    queries = []
    for n in range(1, largest + 1):
        at = [f"at_{w}" for w in range(n)]
        lines = [*relation("same", n), *declare(at, "Bool"), *given(one(at))]
        lines += given(*(implies(at[w], same("same", 0, w)) for w in range(n)))
        off = []
        for w in range(n):
            found = number_of(conj([at[v], same("same", w, v)]) for v in range(n))
            off.append(neg(f"(= {found} {number_of([same('same', 0, w)])})"))
        queries.append(
            Query(
                f"lemmas/nominal.n{n}.smt2",
                (*lines, f"(assert {disj(off)})"),
                "QF_LIA",
                (f"{n} rows",),
            )
        )
    return Claim(
        "Count of a nominal",
        "The worlds of a class where i is true are one in i's class and none elsewhere,"
        " whatever the placement: l_a1(i) is 1/|class of i| there and 0 elsewhere.",
        SOURCE,
        "the classes, and where individual i (whose own row is row 0) sits",
        "a model would be a world whose class holds another number of worlds where i is"
        " true; there is none",
        f"tables of 1 to {largest} rows",
        tuple(queries),
    )


def correspondence(n: int, exchange: Exchange, people: int) -> list[str]:
    """Two models over n worlds, primed one exchanged; and the operators of Definition 4
    applied to F and F'.
    """
    lines = declare([f"{x}_{w}" for x in ("F", "FF") for w in range(n)], "Bool")
    lines += given(*(f"(= FF_{exchange(w)} F_{w})" for w in range(n)))
    for i in range(people):
        at, moved = (
            [f"at{i}_{w}" for w in range(n)],
            [f"moved{i}_{w}" for w in range(n)],
        )
        lines += [*declare([*at, *moved], "Bool"), *given(one(at))]
        lines += given(*(f"(= {moved[exchange(w)]} {at[w]})" for w in range(n)))
    return lines


def differences(
    n: int, exchange: Exchange, people: int, agents: Iterable[str]
) -> list[str]:
    """Everything that could differ between a world of the one model and the exchanged
    world of the other.
    """
    found = []
    for w in range(n):
        x = exchange(w)
        for agent in agents:
            here = [conj([same(agent, w, v), f"F_{v}"]) for v in range(n)]
            there = [conj([same(agent, x, v), f"FF_{v}"]) for v in range(n)]
            found.append(neg(f"(= {disj(here)} {disj(there)})"))
            found.append(neg(f"(= {number_of(here)} {number_of(there)})"))
            sizes = [number_of(same(agent, y, v) for v in range(n)) for y in (w, x)]
            found.append(neg(f"(= {sizes[0]} {sizes[1]})"))
        found += [
            neg(f"(= D_{w} D_{x})"),
            *(neg(f"(= at{i}_{w} moved{i}_{x})") for i in range(people)),
        ]
    for i in range(people):
        seen = disj(conj([f"at{i}_{w}", f"F_{w}"]) for w in range(n))
        after = disj(conj([f"moved{i}_{w}", f"FF_{w}"]) for w in range(n))
        found.append(neg(f"(= {seen} {after})"))
        lawful = (
            conj([f"moved{i}_{v}", neg(same("a1", v, w)), f"at{i}_{w}"])
            for v, w in permutations(range(n), 2)
        )
        found += lawful
    return found


STEP = (
    "a model would be an operator (a descriptor part D, a nominal, <a>, @, the number"
    " of worlds of a cell where F is true, its size) that tells a world from the"
    " exchanged one, though F does not: there is none.  Not and & keep correspondence"
    " trivially, so that all formulas do by induction"
)


def universal(n: int) -> list[str]:
    """a0 takes all worlds for possible."""
    return [
        f"(define-fun {same('a0', v, w)} () Bool true)"
        for v, w in combinations(range(n), 2)
    ]


def profiles(largest: int = 6) -> Claim:
    queries = []
    for n in range(2, largest + 1):

        def exchange(w: int) -> int:
            return 1 - w if w < 2 else w

        lines = [
            *relation("a1", n),
            *universal(n),
            "(assert a1_0_1)",
            *declare([f"D_{w}" for w in range(n)], "Bool"),
        ]
        lines += [*given("(= D_0 D_1)"), *correspondence(n, exchange, 2)]
        lines.append(f"(assert {disj(differences(n, exchange, 2, ('a0', 'a1')))})")
        queries.append(
            Query(
                f"lemmas/profiles.n{n}.smt2",
                tuple(lines),
                "QF_LIA",
                (f"{n} rows, of which 0 and 1",),
            )
        )
    return Claim(
        "Profiles",
        "Two rows of one class that agree on the formula's nominal-free parts, and"
        " which no pseudonym names, may be exchanged, together with who sits on them:"
        " every formula keeps its truth.",
        SOURCE,
        "the classes, the truth D of a nominal-free part (equal on rows 0 and 1), where"
        " two individuals sit, and a truth set F; the exchanged model has FF",
        STEP,
        f"tables of 2 to {largest} rows, two named individuals",
        tuple(queries),
    )


def class_types(largest: int = 3) -> Claim:
    queries = []
    for k in range(1, largest + 1):
        n = 2 * k + 2

        def exchange(w: int, k: int = k) -> int:
            return w + k if w < k else w - k if w < 2 * k else w

        first, second = range(k), range(k, 2 * k)
        lines = [
            *relation("a1", n),
            *relation("b", n),
            *universal(n),
            *declare([f"D_{w}" for w in range(n)], "Bool"),
        ]
        for block in (first, second):
            lines += given(*(same("a1", v, w) for v, w in combinations(block, 2)))
            lines += given(
                *(
                    neg(same("a1", v, w))
                    for v in block
                    for w in range(n)
                    if w not in block
                )
            )
        lines += given(
            *(
                implies(same("a1", v, w), same("b", v, w))
                for v, w in combinations(range(n), 2)
            )
        )
        lines += given(same("b", 0, k), *(f"(= D_{w} D_{exchange(w)})" for w in first))
        lines += correspondence(n, exchange, 1) + given(
            *(f"(not at0_{w})" for w in range(2 * k))
        )
        lines.append(f"(assert {disj(differences(n, exchange, 1, ('a0', 'a1', 'b')))})")
        about = (
            f"two classes of {k} rows, two more rows; agent b knows less than a1 and"
            " does not tell the classes apart"
        )
        queries.append(
            Query(f"lemmas/class_types.n{n}.smt2", tuple(lines), "QF_LIA", (about,))
        )
    return Claim(
        "Class types",
        "Two classes with equal profile counts that hold nobody named, and which no"
        " further agent of the formula tells apart, may be exchanged: every formula"
        " keeps its truth.",
        SOURCE,
        "the other classes, what a further agent b knows, the truth D of a nominal-free"
        " part (equal on the paired rows), where an individual sits outside, and a"
        " truth set F; the exchanged model has FF",
        STEP,
        f"classes of 1 to {largest} rows and two rows outside",
        tuple(queries),
    )


def linear(largest: int = 6) -> Claim:
    queries = []
    for n in range(1, largest + 1):
        people = range(min(3, n))
        lines = declare([f"T_{w}" for w in range(n)], "Bool")
        for i in people:
            lines += declare(
                [f"{x}{i}_{w}" for x in ("T", "at") for w in range(n)], "Bool"
            )
            lines += given(one([f"at{i}_{w}" for w in range(n)]))
        for w in range(n):
            lines += given(
                *(
                    neg(conj([f"at{i}_{w}", f"at{j}_{w}"]))
                    for i, j in combinations(people, 2)
                )
            )
        truths = []
        for w in range(n):
            text = f"T_{w}"
            for i in people:
                text = f"(ite at{i}_{w} T{i}_{w} {text})"
            truths.append(text)
        moved = [
            f"(ite at{i}_{w} (- (ite T{i}_{w} 1 0) (ite T_{w} 1 0)) 0)"
            for i in people
            for w in range(n)
        ]
        right = add([number_of(f"T_{w}" for w in range(n)), *moved])
        lines.append(f"(assert (not (= {number_of(truths)} {right})))")
        about = f"a class of {n} rows, {len(people)} named"
        queries.append(
            Query(f"lemmas/linear.n{n}.smt2", tuple(lines), "QF_LIA", (about,))
        )
    return Claim(
        "Likelihoods stay linear",
        "|class| * l_a1(psi) is a constant plus, for each named individual, a 0/1"
        " unknown for each place times a difference of 0 and 1.",
        SOURCE,
        "T_w: psi at row w with nobody named on it; Ti_w: with i on it; where the named"
        " sit, at most one on a row",
        "a model would be a placement for which the two sides differ; there is none",
        f"classes of 1 to {largest} rows, up to 3 named individuals, any psi",
        tuple(queries),
    )


def all_claims() -> tuple[Claim, ...]:
    return relevance(), nominal_counts(), profiles(), class_types(), linear()
