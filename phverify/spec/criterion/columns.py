"""What a criterion may ask of all classes at once: whole columns of exact integers;
and hierarchies as it is given them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from phverify.spec.source import Label, Values

Array = Any
"""A whole column."""


class Histogram(Protocol):
    """The classes of a table at once.

    Cells are the (class, value) pairs that occur, sorted by class.
    """

    @property
    def rows(self) -> int:
        """The rows of the table."""

    @property
    def counts(self) -> Array:
        """For each cell its rows."""

    @property
    def sizes(self) -> Array:
        """For each class its rows."""

    @property
    def labels(self) -> Values:
        """The values of the column."""

    @property
    def memo(self) -> dict[Any, Array]:
        """What a criterion worked out and needs again."""

    @property
    def cell_sizes(self) -> Array:
        """For each cell the rows of its class."""

    @property
    def cell_whole(self) -> Array:
        """For each cell the rows of its value in the table."""

    @property
    def distinct(self) -> Array:
        """For each class the number of its values."""

    @property
    def shares(self) -> tuple[Array, Array]:
        """For each cell the shares of its value in the class and in the table.

        Both times the rows of class and table, which makes them whole.
        """

    def against(self, whole: Mapping[Label, int]) -> Histogram:
        """The same classes beside a table with these counts in place of the own."""

    def at_most(
        self, left: Array, factor: Fraction, right: Array, strict: bool = False
    ) -> Array:
        """``left <= factor * right`` (or ``<``), exactly."""

    def product(self, *arrays: Array) -> Array:
        """The product, without overflow."""

    def all_cells(self, good: Array) -> Array:
        """The classes all of whose cells are good."""

    def total(self, cells: Array) -> Array:
        """For each class the sum over its cells."""

    def largest(self, cells: Array) -> Array:
        """For each class the largest of its cells."""

    def among(self, values: Collection[Label]) -> Array:
        """For each class the rows with one of these values."""

    def ranked(self, first: int) -> tuple[Array, Array]:
        """For each class the rows of its most frequent value, and of its rare values.

        The rare ones are those from rank ``first`` (from 0) on.
        """

    def disorder(self) -> Array:
        """For each class minus its entropy, about: it only orders what is shown."""

    def variational(self) -> Array:
        """For each class its variational distance from the table.

        Times the rows of both, which makes it whole.
        """

    def cumulative(self, order: Sequence[Label]) -> Array:
        """For each class the sum of |cumulative differences| in an order.

        Times the rows of class and table, which makes it whole.
        """

    def coarser(self, nodes: Sequence[str]) -> Histogram:
        """The same with every value, in the order of ``labels``, replaced."""

    def by_counts(self, test: Any) -> Array:
        """The classes whose counts, ascending, pass a test.

        Each different tuple is asked once.
        """

    def by_class(self, test: Any) -> Array:
        """The classes whose counts by value pass a test with those of the table.

        The same counts are asked once.
        """

    def by_value(self, test: Any) -> Array:
        """Cells decided value by value.

        ``test(p, q, u)`` is given the value's share in the table and the two ``shares``
        of its cells.
        """


class Lines(Protocol):
    """A hierarchy: for each value its line, from the value to the root."""

    @property
    def source(self) -> str:
        """What messages call it."""

    @property
    def paths(self) -> Mapping[str, tuple[str, ...]]:
        """The line of each value."""
