"""Costs of a release that are no sum over cells: they look at its classes.

``discernibility`` adds up the squares of class sizes, a withheld record counting as the
whole table (Bayardo and Agrawal 2005); ``class-size`` is how many records the table has
for each class that is released (LeFevre, DeWitt and Ramakrishnan 2006, not divided by
k); ``ambiguity`` is the mean number of original records that a released one may stand
for: the product over the columns of the leaves below its nodes, for a withheld record
of all leaves (Goldberger and Tassa 2010).

Where nothing is withheld all of them grow along generalization, and withholding a class
never makes them less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import prod

from phverify.errors import Problem
from phverify.spec.along import Along
from phverify.spec.data import Data
from phverify.spec.schemes import Truth
from phverify.spec.spaces import WHOLE, Space


def uncharged(space: str, objective: str, all_minimal: bool) -> Iterator[Problem]:
    """Why each withheld record cannot lose 1 in every column."""
    if space != "levels":
        what = "withheld records are charged in the space levels"
        yield Problem("charge-withheld", what, "leave it out, or search levels")
    if objective in WHOLE:
        what = f"{objective} charges withheld records as it is"
        yield Problem("charge-withheld", what, "leave it out")
    elif objective not in ("loss", "precision"):
        what = f"a record that is withheld has no {objective} of its own"
        yield Problem("charge-withheld", what, "use loss or precision")
    if all_minimal:
        what = "the least need not be minimal when withheld records are charged"
        yield Problem("all-minimal", what, "leave one of the two out")


def whole_cost(
    objective: str, classes: Iterable[tuple[int, int]], rows: int, widest: int
) -> Fraction:
    """The cost of a release of a table with so many ``rows``.

    ``classes`` are the released ones: the records of each, and the tuples of leaves
    below its nodes; there are ``widest`` such tuples in all.
    """
    sizes = []
    ambiguous = 0
    for size, tuples in classes:
        sizes.append(size)
        ambiguous += size * tuples
    withheld = rows - sum(sizes)
    if objective == "class-size":
        classes_shown = max(len(sizes), 1)
        return Fraction(rows, classes_shown)
    if objective == "ambiguity":
        lost = withheld * widest
        return Fraction(ambiguous + lost, rows)
    squares = [size * size for size in sizes]
    lost = withheld * rows
    return Fraction(sum(squares) + lost)


def release_cost(
    objective: str,
    space: Space,
    candidate: Truth,
    data: Data,
    classes: Iterable[tuple[object, int]],
) -> Fraction:
    """The cost of a candidate of levels that releases these of its ``classes``.

    Of each of them the rows, as bits.
    """
    columns = []
    widest = 1
    for scheme, part in space.parts(candidate):
        assert isinstance(scheme, Along)
        nodes = dict(zip(scheme.values, scheme.blocks(part), strict=True))
        columns.append((scheme, nodes))
        widest *= scheme.tree.domain
    counted = []
    for _, rows in classes:
        # All records of a class have the same nodes.
        somebody = (rows & -rows).bit_length() - 1
        below = []
        for scheme, nodes in columns:
            original = data.columns[scheme.name]
            value = original[somebody]
            node = nodes[value]
            leaves = scheme.tree.leaves[node]
            below.append(leaves)
        size = rows.bit_count()
        counted.append((size, prod(below)))
    return whole_cost(objective, counted, data.rows, widest)
