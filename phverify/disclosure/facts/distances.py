"""Distances of values, rows and tables (Anantharaman, Frittella, Nguyen 2022, section
5), as exact fractions.

What the paper leaves open, decided here:
 * The dummies ``#``, ``$`` and ``*`` say nothing: their column is left out of a
   comparison, like a column that one of the rows lacks ("projection onto sub-tuples").
   Both rows must then share a column that speaks, otherwise they are not comparable.
   On rows that state the same columns the row distance is a metric; across different
   columns it is not (``(a, #)`` is at distance 0 from ``(a, b)`` and from ``(a, c)``).
 * The Jaccard distance of two empty sets is 0: a metric gives 0 to equal things.
 * Numerval cells are finite sets of points; an interval is the set of its points on the
   column's grid.

The distance of *sets* is ``rho``, literally the least distance of two of their rows.
It is what "distance of the adversary's knowledge to a target" needs, but no metric:
rho({a}, {a, b}) = 0.  ``matched`` is the metric that the paper's Proposition 2 needs
for databases: the cheapest assignment of rows to rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from phverify.disclosure.facts.assignment import cheapest
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.errors import InputError, Problem, nearest, refusal

Value = (
    str
    | int
    | Fraction
    | frozenset[str]
    | frozenset[Fraction]
    | tuple[Fraction | int, Fraction | int]
)
Row = Mapping[str, Value]
"""A tuple by column; columns may be lacking."""

DUMMIES = frozenset({"#", "$", "*"})


class ColumnDistance(Protocol):
    """How far apart two values of a column are: 0 to 1, exact."""

    def distance(self, first: Value, second: Value) -> Fraction:
        """The distance; raises InputError for a value that is none of this column's."""


def jaccard(first: frozenset[object], second: frozenset[object]) -> Fraction:
    """``|v xor v'| / |v or v'|``; 0 for two empty sets."""
    union = len(first | second)
    if not union:
        return Fraction(0)
    return Fraction(len(first ^ second), union)


@dataclass(frozen=True)
class NominalColumn:
    """Names without order: a text is the set of itself, a frozenset of texts stands for
    "one of them".
    """

    def distance(self, first: Value, second: Value) -> Fraction:
        """Jaccard distance of the two sets of names."""
        # A text says of itself that it is one of one name.
        names = _texts(first)
        return jaccard(names, _texts(second))


def _texts(value: Value) -> frozenset[object]:
    """The names that a value stands for; InputError where some are none."""
    members = frozenset({value})
    if isinstance(value, frozenset):
        members = value
    if not all(isinstance(member, str) for member in members):
        what = f"{value!r} is neither a text nor a frozenset of texts"
        raise refusal("nominal column", what)
    return frozenset(members)


@dataclass(frozen=True)
class NumervalColumn:
    """Numbers, or bounded intervals and finite sets of numbers, as sets of points;
    compared by Jaccard.

    A pair (low, high) is the closed interval of all ``low, low + step, ..`` up to
    ``high``.
    """

    step: Fraction = Fraction(1)

    def distance(self, first: Value, second: Value) -> Fraction:
        """Jaccard distance of the two sets of points."""
        one = self.points(first)
        other = self.points(second)
        return jaccard(one, other)

    def points(self, value: Value) -> frozenset[object]:
        """The points that a value stands for.

        Raises InputError for an interval with low > high and for texts.
        """
        if isinstance(value, frozenset):
            return frozenset(_exact(member, "numerval") for member in value)
        if not isinstance(value, tuple):
            return frozenset({_exact(value, "numerval")})
        low, high = (_exact(end, "numerval") for end in value)
        if low > high:
            what = f"the interval ({low}, {high}) is empty"
            raise refusal("numerval column", what, "write the lower end first")
        # Rounded down: the last point is not above the high end.
        steps = int((high - low) / self.step)
        return frozenset(low + number * self.step for number in range(steps + 1))


@dataclass(frozen=True)
class NumericalColumn:
    """Single numbers: ``|x - x'| / diameter``, where the diameter exceeds every
    distance that occurs.
    """

    diameter: Fraction

    def distance(self, first: Value, second: Value) -> Fraction:
        """The normalised distance, below 1.

        Raises InputError when the two are not closer than the diameter.
        """
        # A float that is nearly equal would be at a distance that is nearly 0.
        gap = abs(_exact(first, "numerical") - _exact(second, "numerical"))
        if gap >= self.diameter:
            what = (
                f"{first} and {second} are {gap} apart, the diameter is {self.diameter}"
            )
            hint = "declare a diameter above the largest distance"
            raise refusal("numerical column", what, hint)
        return gap / self.diameter


def _exact(value: object, kind: str) -> Fraction:
    """A number as a fraction; InputError for anything else."""
    if not isinstance(value, int | Fraction):
        what = f"{value!r} is no exact number"
        hint = "use int or Fraction, no float"
        raise refusal(f"{kind} column", what, hint)
    return Fraction(value)


@dataclass(frozen=True)
class TaxoralColumn:
    """Nodes of a taxonomy, compared by Wu-Palmer."""

    tree: Taxonomy

    def distance(self, first: Value, second: Value) -> Fraction:
        """Wu-Palmer distance; InputError for a value that is no node."""
        return self.tree.distance(str(first), str(second))


@dataclass(frozen=True)
class RowDistances:
    """The columns of a database with their distances.

    Raises InputError when a node of a taxonomy is also a dummy: it could then mean two
    things.
    """

    columns: Mapping[str, ColumnDistance]
    dummies: frozenset[str] = DUMMIES

    def __post_init__(self) -> None:
        problems = []
        hint = "rename the node, or leave it out of the dummies"
        for name, column in self.columns.items():
            if not isinstance(column, TaxoralColumn):
                continue
            for node in column.tree.nodes():
                if node in self.dummies:
                    what = f"the node {node!r} is also a dummy"
                    problems.append(Problem(f"column {name!r}", what, hint))
        if problems:
            raise InputError(problems)

    def shared(self, first: Row, second: Row) -> tuple[str, ...]:
        """The columns that both rows state.

        Raises InputError for a column that is not declared.
        """
        # A misspelt column would be a shared one the fewer, and the rows nearer.
        for name in (*first, *second):
            if name not in self.columns:
                hint = nearest(name, self.columns, "columns")
                raise refusal("row", f"the column {name!r} has no distance", hint)
        return tuple(
            name
            for name in self.columns
            if self._states(first, name) and self._states(second, name)
        )

    def _states(self, row: Row, name: str) -> bool:
        """Whether a row says something of a column."""
        if name not in row:
            return False
        value = row[name]
        # Only a text can be a dummy.
        return not (isinstance(value, str) and value in self.dummies)

    def parts(self, first: Row, second: Row) -> dict[str, Fraction]:
        """The distance in each shared column."""
        return {
            name: self.columns[name].distance(first[name], second[name])
            for name in self.shared(first, second)
        }

    def tuples(self, first: Row, second: Row) -> Fraction | None:
        """d(t, t'): the sum over the shared columns.

        None when there is none (not comparable).
        """
        parts = self.parts(first, second)
        if not parts:
            return None
        return sum(parts.values(), Fraction(0))

    def rho(self, first: Iterable[Row], second: Collection[Row]) -> Fraction | None:
        """The literal set distance: the least distance of two rows.

        None when no two rows are comparable.
        """
        least: Fraction | None = None
        for one in first:
            for other in second:
                distance = self.tuples(one, other)
                # What is not comparable is neither near nor far.
                if distance is not None and (least is None or distance < least):
                    least = distance
        return least

    def in_order(self, first: Sequence[Row], second: Sequence[Row]) -> Fraction:
        """The sum of the distances row by row, for databases of equal length.

        Raises InputError for others.
        """
        if len(first) != len(second):
            what = f"{len(first)} rows against {len(second)}"
            hint = "matched() compares databases of different lengths"
            raise refusal("distance", what, hint)
        total = Fraction(0)
        for one, other in zip(first, second, strict=True):
            distance = self._full(one, other)
            total += distance
        return total

    def matched(self, first: Sequence[Row], second: Sequence[Row]) -> Fraction:
        """The cheapest assignment of rows to rows.

        A metric on multisets of rows that state the same columns.  A row without a
        partner costs the number of columns, the most that two rows can differ.
        """
        # An assignment is square: the shorter database gets rows that nobody has.
        size = max(len(first), len(second))

        # Rows without a partner are matched with None, at the greatest distance.
        padded = [*second, *[None] * (size - len(second))]
        costs = []
        for one in [*first, *[None] * (size - len(first))]:
            costs.append([self._full(one, other) for other in padded])
        least, _ = cheapest(costs)
        return least

    def _full(self, first: Row | None, second: Row | None) -> Fraction:
        """The row distance; None is a row that the other database has not.

        Rows that share no column count as different in every column.
        """
        distance = None
        if first is not None and second is not None:
            distance = self.tuples(first, second)
        if distance is None:
            return Fraction(len(self.columns))
        return distance


def nearer(
    columns: RowDistances, one: Sequence[Row], two: Sequence[Row], target: Sequence[Row]
) -> Literal[1, 2] | None:
    """Section 5.1: which of two states of knowledge is nearer to the target?

    1, 2, or None (no choice).  Keep 1 iff its least distance to the target is no
    larger, and a row of it that has this distance is strictly nearer than every row of
    2; else try the other way round.  A row that is not comparable with the target is
    infinitely far.
    """
    here = [columns.rho([row], target) for row in one]
    there = [columns.rho([row], target) for row in two]
    if _wins(here, there):
        return 1
    if _wins(there, here):
        return 2
    return None


def _wins(mine: Sequence[Fraction | None], theirs: Sequence[Fraction | None]) -> bool:
    """Whether a distance of mine is below all of theirs; None is infinitely far."""
    known = [distance for distance in mine if distance is not None]
    if not known:
        return False
    best = min(known)
    # Strictly below: of two that are as near neither is chosen.
    return all(distance is None or best < distance for distance in theirs)


def hamming_records(first: Sequence[Row], second: Sequence[Row]) -> int:
    """In how many rows two databases of equal length differ.

    The paper's comment (i) on Definition 4.
    """
    count = 0
    for one, other in zip(first, second, strict=True):
        count += dict(one) != dict(other)
    return count


def hamming_cells(first: Sequence[Row], second: Sequence[Row]) -> int:
    """In how many cells they differ.

    What the paper counts in Example 4 and needs in Remark 4.
    """
    count = 0
    for one, other in zip(first, second, strict=True):
        names = one.keys() | other.keys()
        for name in names:
            differs = one.get(name) != other.get(name)
            count += differs
    return count
