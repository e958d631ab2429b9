"""The judge of small tables: every model of Definition 7 as an explicit general model,
every criterion from its text.

Shares nothing with the engine but the syntax tree and the general model checker.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

from phverify.spec import syntax as s
from phverify.spec.criterion.registry import build
from phverify.spec.schemas import expand
from phverify.spec.semantics import true_in
from phverify.spec.signature import Signature
from support.kripke import KripkeModel

Row = Mapping[str, str | None]


def models(
    rows: Sequence[Row], agents: Mapping[str, Sequence[str]], signature: Signature
) -> Iterator[KripkeModel]:
    """All models of a release whose individual k is the person behind row k."""
    n = len(rows)
    cells = {
        a: {
            w: frozenset(v for v in range(n) if same(rows, w, v, known))
            for w in range(n)
        }
        for a, known in agents.items()
    }
    spaces = {
        a: {w: {v: Fraction(1, len(c)) for v in c} for w, c in by.items()}
        for a, by in cells.items()
    }
    columns = signature.attributes
    facts = {
        (f, v): frozenset(w for w in range(n) if rows[w][f] == v)
        for f in columns
        for v in columns[f].domain
    }
    for order in itertools.permutations(range(n)):
        if all(order[k] in cells["a1"][k] for k in range(n)):
            places: dict[s.Reference, int] = {s.Person(k): order[k] for k in range(n)}
            places |= {s.Row(w): w for w in range(n)}
            yield KripkeModel(n, signature, cells, spaces, facts, places)


def same(rows: Sequence[Row], a: int, b: int, known: Sequence[str]) -> bool:
    return all(rows[a][q] == rows[b][q] for q in known)


def valid(
    rows: Sequence[Row],
    agents: Mapping[str, Sequence[str]],
    signature: Signature,
    formula: s.Formula,
    assumptions: Sequence[s.Formula] = (),
) -> bool | None:
    """Whether the formula is true in all models that satisfy the assumptions; None when
    there is none.
    """

    def written(node: s.Criterion) -> s.Formula:
        return build(node, signature, {}).formula(signature)

    formula = expand(formula, signature, written)
    given = [expand(a, signature, written) for a in assumptions]
    found = [
        m for m in models(rows, agents, signature) if all(true_in(m, a) for a in given)
    ]
    return all(true_in(m, formula) for m in found) if found else None


def classes(rows: Sequence[Row], quasi: Sequence[str]) -> list[list[Row]]:
    groups: dict[tuple[str | None, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[q] for q in quasi), []).append(row)
    return list(groups.values())


Test = Callable[[Counter[str | None], Counter[str | None]], bool]
ClassTest = Callable[[Sequence[Row], Sequence[Row]], bool]
"""A test on the rows of a class and those of the table."""


def each_class(rows: Sequence[Row], quasi: Sequence[str], f: str, test: Test) -> bool:
    """Whether every class passes a test on its histogram and that of the table."""
    return every(rows, quasi, of(f, test))


def every(rows: Sequence[Row], quasi: Sequence[str], test: ClassTest) -> bool:
    """Whether every class passes a test."""
    return all(test(members, rows) for members in classes(rows, quasi))


def of(f: str, test: Test) -> ClassTest:
    """A test on the histograms of a column."""
    return lambda members, rows: test(
        Counter(row[f] for row in members), Counter(row[f] for row in rows)
    )


def k_anonymous(k: int) -> Test:
    return lambda e, u: e.total() >= k


def alpha_k(alpha: Fraction, k: int) -> Test:
    return lambda e, u: e.total() >= k and max(e.values()) <= alpha * e.total()


def distinct(l: int) -> Test:
    return lambda e, u: len(e) >= l


def recursive(c: Fraction, l: int) -> Test:
    def test(e: Counter[str | None], u: Counter[str | None]) -> bool:
        k = [count for _, count in e.most_common()]
        return k[0] < c * sum(k[l - 1 :])

    return test


def entropy(l: Fraction) -> Test:
    """-sum p log p >= log l, that is prod p^-p >= l, that is prod (n/n_i)^n_i >=
    l^n.
    """
    return lambda e, u: (
        prod(Fraction(e.total(), k) ** k for k in e.values()) >= l ** e.total()
    )


def share(e: Counter[str | None], v: str | None) -> Fraction:
    return Fraction(e[v], e.total())


def variational(t: Fraction) -> Test:
    return lambda e, u: (
        Fraction(1, 2) * sum(abs(share(e, v) - share(u, v)) for v in u) <= t
    )


def ordered(t: Fraction, order: Sequence[str]) -> Test:
    def test(e: Counter[str | None], u: Counter[str | None]) -> bool:
        present = [v for v in order if u[v]]
        if len(present) == 1:
            return t >= 0
        moved = sum(
            abs(sum(share(e, v) - share(u, v) for v in present[: j + 1]))
            for j in range(len(present) - 1)
        )
        return moved / (len(present) - 1) <= t

    return test


def hierarchical(t: Fraction, paths: Mapping[str, Sequence[str]]) -> Test:
    """Li et al. 2007: the sum over inner nodes N of height(N)/H * min(gain, loss) of
    its children.
    """

    def test(e: Counter[str | None], u: Counter[str | None]) -> bool:
        height = len(next(iter(paths.values()))) - 1
        total = Fraction(0)
        for h in range(1, height + 1):
            children: dict[str, dict[str, Fraction]] = {}
            for v, path in paths.items():
                child = children.setdefault(path[h], {})
                child[path[h - 1]] = (
                    child.get(path[h - 1], Fraction(0)) + share(e, v) - share(u, v)
                )
            for extra in children.values():
                gain = sum((x for x in extra.values() if x > 0), Fraction(0))
                loss = -sum((x for x in extra.values() if x < 0), Fraction(0))
                total += Fraction(h, height) * min(gain, loss)
        return total <= t

    return test


def delta(d: Fraction, ignore_absent: bool = False) -> Test:
    """|log2(q/p)| < d, with both sides to the power of d's denominator."""

    def test(e: Counter[str | None], u: Counter[str | None]) -> bool:
        for v in u:
            if not e[v]:
                if ignore_absent:
                    continue
                return False
            ratio = (share(e, v) / share(u, v)) ** d.denominator
            if not Fraction(1, 2**d.numerator) < ratio < 2**d.numerator:
                return False
        return True

    return test


def beta(b: Fraction) -> Test:
    return lambda e, u: all(share(e, v) <= (1 + b) * share(u, v) for v in u)


def enhanced(b: Fraction) -> Test:
    """The bound min(b, -ln p) with 80 digits, which decides every case but p = 1, where
    -ln p is 0.
    """

    def test(e: Counter[str | None], u: Counter[str | None]) -> bool:
        for v in u:
            p, q = share(u, v), share(e, v)
            with localcontext() as context:
                context.prec = 80
                log = (
                    Fraction(-(Decimal(p.numerator) / Decimal(p.denominator)).ln())
                    if p < 1
                    else Fraction(0)
                )
            if (q - p) / p > min(b, log):
                return False
        return True

    return test


def benefit(b: Fraction) -> Test:
    return lambda e, u: all(share(e, v) - share(u, v) <= b for v in u)


def close(e: Fraction, m: int) -> Test:
    """Li, Tao, Xiao 2008: around every value x of the class, [x - e, x + e] holds at
    most 1/m of its values.
    """

    def test(c: Counter[str | None], u: Counter[str | None]) -> bool:
        values = [Fraction(str(v)) for v in c.elements()]
        crowds = [sum(x - e <= y <= x + e for y in values) for x in values]
        return all(Fraction(crowd, len(values)) <= Fraction(1, m) for crowd in crowds)

    return test


def guard(node: str, most: Fraction, paths: Mapping[str, Sequence[str]]) -> Test:
    """Xiao and Tao 2006: an adversary's probability that the value lies in the subtree
    of the guarding node.
    """
    return lambda e, u: (
        sum((share(e, v) for v, path in paths.items() if node in path), Fraction(0))
        <= most
    )


def p_sensitive(p: int, k: int, sensitive: Sequence[str]) -> ClassTest:
    """Truta and Vinay 2006: k-anonymous, and at least p distinct values of each
    confidential attribute per group.
    """
    return lambda members, rows: (
        len(members) >= k
        and all(len({row[f] for row in members}) >= p for f in sensitive)
    )
