"""A criterion's lemma as a question to a solver: does its condition on quantities carry
over to their sums?

Constants of the table need not be known, nor be rational: their products with the rows
of a class are unknowns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.spec.criterion.lemma import Inequality, Lemma

Quantities = Mapping[str, t.LinearSum]


def triangle() -> str:
    """The absolute value of a sum is at most the sum of the absolute values."""
    a = t.number("a", low=None)
    b = t.number("b", low=None)
    holds = t.compare(t.magnitude(a + b), "<=", t.magnitude(a) + t.magnitude(b))
    return script(
        [t.neg(holds)],
        "the absolute value of a sum is at most the sum of the absolute values",
        logic=True,
    )


TRIANGLE = triangle()


def texts(lemma: Lemma, goal: str) -> tuple[str, ...]:
    """All unsatisfiable only if the condition is closed; ``goal``: merge or upward."""
    return (*needs(lemma), text(lemma, goal))


def needs(lemma: Lemma) -> tuple[str, ...]:
    """A sum of absolute values is at most the sum of those of the parts."""
    if "d" in lemma.quantities:
        return (TRIANGLE,)
    return ()


@lru_cache(maxsize=256)
def text(lemma: Lemma, goal: str) -> str:
    """Unsatisfiable iff the condition is closed; for ``upward`` only the first class
    need meet it.
    """
    first, second, both = (quantities(lemma, k) for k in (1, 2, 3))
    claims = [*facts(first), *facts(second)]
    for q in lemma.quantities:
        # a distance of the union is at most the sum, all others add up exactly
        if q == "d":
            claims.append(t.compare(both[q], "<=", first[q] + second[q]))
        else:
            both[q] = first[q] + second[q]
    met = (first, second) if goal == "merge" else (first,)
    claims += [condition(lemma, one) for one in met]
    said = [claim for claim in claims if claim is not t.TRUE]
    return script(
        [*said, t.neg(condition(lemma, both))],
        f"{goal}-closed: a condition on quantities that add up",
        logic=True,
    )


def quantities(lemma: Lemma, k: int) -> dict[str, t.LinearSum]:
    """The quantities of class number k."""
    own = {}
    for quantity in lemma.quantities:
        own[quantity] = t.number(f"{quantity}{k}", low=None)
    return own


def facts(values: Quantities) -> Iterator[t.Term]:
    """What holds of the quantities of any class."""
    rows = values.get("n")
    if rows is not None:
        yield t.compare(rows, ">=", 1)
    for q in ("a", "b"):
        some_rows = values.get(q)
        if some_rows is None:
            continue
        yield t.compare(some_rows, ">=", 0)
        if rows is not None:
            yield t.compare(some_rows, "<=", rows)


def condition(lemma: Lemma, values: Quantities) -> t.Term:
    """The condition of quantities."""
    holds = t.conj(_inequality(one, values) for one in lemma.conditions)
    if lemma.absent:
        return t.disj((t.compare(values[lemma.absent], "=", 0), holds))
    return holds


def _inequality(condition: Inequality, values: Quantities) -> t.Term:
    """In whole numbers."""
    clear = condition.clear()
    parts = []
    for factor, quantity in condition.terms:
        parts.append(int(factor * clear) * values[quantity])
    op = ">" if condition.strict else ">="
    return t.compare(t.added(parts), op, condition.bound * clear)
