"""Classes with the same counts are asked about once: each has its own answer."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.microdata.histogram import histogram
from phverify.microdata.quotient import quotient
from phverify.microdata.table import CodedColumn
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.original import OfOriginal

Rows = list[tuple[int, int]]
ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40
)


def column(codes: list[int]) -> CodedColumn:
    labels = sorted(set(codes))
    places = np.array([labels.index(code) for code in codes])
    return CodedColumn(places, tuple(map(str, labels)))


def by_class(rows: Rows) -> list[dict[str, int]]:
    """How often each value occurs in each class, in the order of the classes."""
    classes: dict[int, dict[str, int]] = {}
    for own, value in rows:
        counts = classes.setdefault(own, {})
        counts[str(value)] = counts.get(str(value), 0) + 1
    return [classes[own] for own in sorted(classes)]


@so_many(50, fuzz=1000)
@given(ROWS)
def test_each_class_is_answered_for_itself(rows: Rows) -> None:
    columns = {
        "q": column([own for own, _ in rows]),
        "f": column([value for _, value in rows]),
    }
    counted = histogram(quotient(columns, ("q",), ("f",), len(rows)), "f")
    wanted = by_class(rows)

    odd = counted.by_counts(lambda counts: sum(c * c for c in counts) % 2 == 1)
    assert odd.tolist() == [sum(c * c for c in one.values()) % 2 == 1 for one in wanted]
    asked: list[tuple[int, ...]] = []
    counted.by_counts(lambda counts: asked.append(counts) or True)  # type: ignore[func-returns-value]
    assert sorted(asked) == sorted({tuple(sorted(one.values())) for one in wanted})

    few = counted.by_class(lambda inside, _: inside.get("0", 0) > inside.get("1", 0))
    assert few.tolist() == [one.get("0", 0) > one.get("1", 0) for one in wanted]


@so_many(50, fuzz=1000)
@given(ROWS, st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_distances_are_worked_out_once_for_every_number(
    rows: Rows, more: list[int]
) -> None:
    """One histogram is asked for each distance, from each of two tables."""
    columns = {
        "q": column([own for own, _ in rows]),
        "f": column([value for _, value in rows]),
    }
    counted = histogram(quotient(columns, ("q",), ("f",), len(rows)), "f")
    wanted = by_class(rows)
    released = counted.outside()
    tables = [released]
    for steps in (more, more[::-1]):
        before = {str(value): step for value, step in enumerate(steps)}
        tables.append({v: before[v] + released.get(v, 0) + 1 for v in before})
    paths = tuple(
        (str(value), (str(value), str(value // 2), "*")) for value in range(4)
    )
    for t in (Fraction(1, 4), Fraction(1, 10), Fraction(2, 3)):
        for kind in ("variational", "ordered", "hierarchical"):
            for whole in tables:
                values = tuple(sorted(whole))
                own = TCloseness("f", t, kind, values=values, tree=paths)
                asked: ClassCriterion = own
                if whole is not released:
                    asked = OfOriginal(own, tuple(whole.items()))
                safe = asked.columns(counted)
                assert safe.tolist() == [own.holds(inside, whole) for inside in wanted]
                far = [float(own.value(inside, whole)) for inside in wanted]
                order = np.argsort(asked.badness(counted), kind="stable")
                for one, next_one in pairwise(order.tolist()):
                    assert far[one] <= far[next_one] + 1e-9
