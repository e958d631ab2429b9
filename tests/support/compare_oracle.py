"""Tables as histograms of classes, few or many values, and criteria from their texts:
the judge of ``compare``.

A table is a multiset of classes, a class the counts of values 1, 2, .. in their order.
Nothing of the engine is used.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from support import oracle
from support.oracle import Test

F = Fraction
Histogram = tuple[int, ...]
Table = tuple[Histogram, ...]
ORDER = tuple(str(k) for k in range(1, 31))


def histograms(n: int, values: int) -> Iterator[Histogram]:
    """All ways to give n rows to so many values."""
    if values == 1:
        yield (n,)
        return
    for k in range(n + 1):
        for rest in histograms(n - k, values - 1):
            yield (k, *rest)


@cache
def small_tables(most_rows: int, values: int) -> tuple[Table, ...]:
    """All tables of at most so many rows in which exactly the values 1, 2, ..,
    ``values`` occur.
    """

    def classes(left: int, largest: tuple[int, Histogram]) -> Iterator[Table]:
        if left == 0:
            yield ()
        for n in range(min(left, largest[0]), 0, -1):
            for h in histograms(n, values):
                if (n, h) <= largest:
                    yield from ((h, *rest) for rest in classes(left - n, (n, h)))

    top = (most_rows,) * values
    found = (t for n in range(values, most_rows + 1) for t in classes(n, (n, top)))
    return tuple(t for t in found if all(any(h[v] for h in t) for v in range(values)))


def random_table(source: random.Random, most_values: int) -> Table:
    """One to three classes over many values; often one value, or two, outweigh the
    others, or all are alike.
    """
    values = source.randint(1, most_values)
    heavy = source.choice([1, 2, 3, 5, 8, 13, 20, 30])

    def drawn() -> Histogram:
        base = source.choice([0, 1, 1, 2])
        counts = [base + source.choice([0, 0, 0, 1]) for _ in range(values)]
        for _ in range(source.choice([0, 1, 1, 2])):
            counts[source.randrange(values)] += heavy
        if not any(counts):
            counts[0] = 1
        return tuple(counts)

    table = [drawn() for _ in range(source.choice([1, 1, 2, 2, 3]))]
    if source.random() < 0.3:  # classes that differ little
        near = list(table[0])
        near[source.randrange(values)] += 1
        table = [table[0], tuple(near)]
    kept = [v for v in range(values) if any(h[v] for h in table)]
    return tuple(tuple(h[v] for v in kept) for h in table)


def satisfied(table: Table, test: Test) -> bool:
    """Whether every class passes a test on its histogram and that of the table."""
    whole = Counter({ORDER[v]: sum(h[v] for h in table) for v in range(len(table[0]))})
    return all(
        test(Counter({ORDER[v]: k for v, k in enumerate(h) if k}), whole) for h in table
    )


def criterion(source: random.Random) -> tuple[str, Test]:
    """A criterion of the column s with random parameters, as text and as a test."""
    share = source.choice(
        [
            F(1, 5),
            F(1, 4),
            F(1, 3),
            F(2, 5),
            F(1, 2),
            F(3, 5),
            F(2, 3),
            F(3, 4),
            F(4, 5),
            F(0),
        ]
    )
    ratio = source.choice([F(1, 5), F(1, 2), F(1), F(3, 2), F(2), F(3)])
    small, few = source.randint(1, 4), source.randint(1, 3)
    spread = source.choice([F(1), F(5, 4), F(3, 2), F(2), F(5, 2), F(3)])
    alpha = share or F(1)
    made: list[tuple[str, Test]] = [
        (f"k_anonymity({small})", oracle.k_anonymous(small)),
        (f"alpha_k_anonymity(s, {alpha}, {few})", oracle.alpha_k(alpha, few)),
        (f"l_diversity(s, {small})", oracle.distinct(small)),
        (f"recursive_l_diversity(s, {ratio}, {few})", oracle.recursive(ratio, few)),
        (f"entropy_l_diversity(s, {spread})", oracle.entropy(spread)),
        (f"t_closeness(s, {share})", oracle.variational(share)),
        (f"t_closeness(s, {share}, distance=ordered)", oracle.ordered(share, ORDER)),
        (f"delta_disclosure(s, {ratio})", oracle.delta(ratio)),
        (f"delta_disclosure(s, {ratio}, absent=ignored)", oracle.delta(ratio, True)),
        (f"beta_likeness(s, {ratio})", oracle.beta(ratio)),
        (f"enhanced_beta_likeness(s, {ratio})", oracle.enhanced(ratio)),
        (f"average_benefit(s, {share})", oracle.benefit(share)),
        (
            f"forall v in s: l_a1(s = v) <= {alpha}",
            lambda e, u: all(oracle.share(e, v) <= alpha for v in u),
        ),
        ("forall v in s: ~[a1] s = v", lambda e, u: len(e) > 1),
        ("forall v in s: <a1> s = v", lambda e, u: all(e[v] for v in u)),
        (
            f"forall v in s: l_a1(s = v) <= {ratio} * l_a0(s = v)",
            lambda e, u: all(
                oracle.share(e, v) <= ratio * oracle.share(u, v) for v in u
            ),
        ),
        (
            f"forall c in clauses(s, 2): l_a1(c) <= {alpha}",
            lambda e, u: sum(k for _, k in e.most_common(2)) <= alpha * e.total(),
        ),
    ]
    return source.choice(made)


def rule(source: random.Random) -> tuple[str, Test]:
    """A criterion, or two or three that are joined: by and, by or, by implications and
    by negations.
    """
    text, test = criterion(source)
    other, also = criterion(source)
    third, last = criterion(source)
    way = source.choice(
        ["one"] * 4 + ["and", "and", "or", "implies", "not", "not both", "unless"]
    )
    text, other, third = f"({text})", f"({other})", f"({third})"
    joined: dict[str, tuple[str, Test]] = {
        "one": (text[1:-1], test),
        "and": (f"{text} & {other}", lambda e, u: test(e, u) and also(e, u)),
        "or": (f"{text} | {other}", lambda e, u: test(e, u) or also(e, u)),
        "implies": (f"{text} -> {other}", lambda e, u: not test(e, u) or also(e, u)),
        "not": (f"~{text}", lambda e, u: not test(e, u)),
        "not both": (
            f"~({text} & ~{other})",
            lambda e, u: not (test(e, u) and not also(e, u)),
        ),
        "unless": (
            f"(~{text} & {other}) | {third}",
            lambda e, u: (not test(e, u) and also(e, u)) or last(e, u),
        ),
    }
    return joined[way]
