"""How good a release by tuples is, in the measures of the field.

All are exact: entropy is a sum of logarithms that are rounded by definition (see
``spec.entropy``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from phverify.spec.data import Refused
from phverify.spec.recoding import TupleRecoding


@dataclass(frozen=True)
class Measures:
    """Of a release: 0 loss and precision is the table unchanged, 1 all suppressed.

    ``precision`` is None where a column has no levels.  ``discernibility`` adds up the
    squares of class sizes, a withheld record counting as the whole table (Bayardo and
    Agrawal 2005); ``average_class`` are records a class; ``entropy`` is the non-uniform
    entropy in bits a cell (Gionis and Tassa 2009), 0 for the table unchanged.  Classes
    are those that the release shows; what cells lose is counted by their boxes.
    """

    loss: Fraction
    precision: Fraction | None
    discernibility: int
    average_class: Fraction
    entropy: Fraction


def measures(recoding: TupleRecoding) -> Measures:
    """All measures of a recoding that releases something."""
    space = recoding.space
    sizes = recoding.sizes
    rows = space.rows
    withheld = rows - sum(sizes)
    return Measures(
        by_objective(recoding, "loss"),
        _precision(recoding),
        sum(size * size for size in sizes) + withheld * rows,
        Fraction(sum(sizes), max(len(sizes), 1)),
        by_objective(recoding, "entropy"),
    )


def by_objective(recoding: TupleRecoding, objective: str) -> Fraction:
    """The cost by another objective.  Raises Refused where a column has none."""
    space = replace(recoding.space, objective=objective, _prices={})
    return TupleRecoding(space, recoding.classes).cost


def _precision(recoding: TupleRecoding) -> Fraction | None:
    try:
        return by_objective(recoding, "precision")
    except Refused:
        return None
