"""The rows of a table as arrays: which group of a selection each is in, and what it
adds there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.fragment import TWO, OutsideClasses, Selection, Told
from phverify.disclosure.connectives import OPERATORS, Connectives, fold, leaves
from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.disclosure.worlds.database import Database, Row, Rows
from phverify.disclosure.worlds.relation import TRUTH
from phverify.disclosure.worlds.rounding import LARGEST_SUM, single, sums
from phverify.disclosure.worlds.unknowns import AuditFrame, Coding

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Masks = tuple[Flags, Flags]
"""Where a condition is true, and where it is false."""
LARGEST = 2**62
"""Sums of all rows are smaller: no sum of 64 bits overflows."""
FLOATING = ("FLOAT", "DOUBLE")
SMALL = ("TINYINT", "SMALLINT", "INTEGER")
"""Types whose cells are small integers."""
DENSE = 8
"""Up to so many pairs of numbers for each row are counted."""


def _every(several: Iterable[Masks]) -> Masks:
    """True where all are, false where one is."""
    pairs = list(several)
    true, false = pairs[0]
    rest = pairs[1:]
    for more, less in rest:
        true = true & more
        false = false | less
    return true, false


def _negated(masks: Masks) -> Masks:
    true, false = masks
    return false, true


def _some(several: Iterable[Masks]) -> Masks:
    return _negated(_every(map(_negated, several)))


MASKS = Connectives(_negated, _every, _some)


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """Each row's group of a selection (-1: none), and by how much the group's sum grows
    with the row's integer: with its value, or by having the second of two values.

    ``sums`` are the true ones of the groups, ``names`` what GROUP BY shows of each.
    """

    groups: NDArray[np.int32]
    factors: Ints
    sums: Ints
    sizes: Ints
    names: list[Row]

    @cached_property
    def uniform(self) -> bool:
        """Whether all rows have one factor, which is not 0."""
        if not len(self.factors) or not self.factors[0]:
            return False
        same = self.factors == self.factors[0]
        return bool(same.all())


class TableArrays:
    """The columns of a table as arrays of codes, in the order of its rows."""

    def __init__(self, frame: AuditFrame, source: Database) -> None:
        self.frame = frame
        self.source = source
        self.columns: dict[str, Ints] = {}
        self.truths: dict[str, Masks] = {}
        self.codes: dict[str, Ints] = {}
        self.groups: dict[tuple[str, ...], tuple[NDArray[np.int32], list[Row]]] = {}

    def code(self, column: str) -> Ints:
        """The codes of a sensitive column in the data."""
        if column not in self.codes:
            coding = self.frame.codings[column]
            cells = self.frame.truth[column]
            if coding.integral:
                found = np.array(cells, dtype=np.int64)
            else:
                places = {cell: coding.code(cell) for cell in set(cells)}
                found = np.array([places[cell] for cell in cells], dtype=np.int64)
            largest = max(abs(coding.low), abs(coding.high), 1)
            if largest * max(self.frame.rows, 1) >= LARGEST:
                raise OutsideClasses("sums of more than 62 bits")
            self.codes[column] = found
        return self.codes[column]

    def public(self, name: str) -> Ints:
        """A number for each value of a public column, equal for equal ones."""
        if name not in self.columns:
            types = self.frame.types
            kind = types.get(name, "DOUBLE")
            if kind in FLOATING:
                raise OutsideClasses("groups by floating point")
            cells = self.frame.public[name]
            self.columns[name] = numbered(cells, kind)
        return self.columns[name]

    def truth(self, sql: str) -> Masks:
        """Where the database says that a public condition is true, and false."""
        if sql not in self.truths:
            table, key = quoted(self.frame.policy.table), quoted(self.frame.policy.key)
            shown = f"CAST({TRUTH.format(sql)} AS BOOLEAN)"
            asked = f"SELECT {shown} AS x FROM {table} ORDER BY {key}"
            columns = self.source.connection.ask(partial(_columns, asked))
            found = columns["x"]
            known = ~np.ma.getmaskarray(found)
            values = np.ma.getdata(found).astype(bool)
            self.truths[sql] = known & values, known & ~values
        return self.truths[sql]

    def public_parts(self, selection: Selection) -> list[str]:
        """The public conditions of a selection, as SQL."""
        parts = leaves(selection.condition)
        return [part.sql for part in parts if isinstance(part, q.Public)]

    def where(self, selection: Selection, code: int) -> Flags:
        """Which rows are selected where the column has this code."""
        rows = self.frame.rows
        if selection.condition is None:
            return np.ones(rows, dtype=bool)

        def leaf(part: Any) -> Masks:
            if isinstance(part, q.Public):
                return self.truth(part.sql)
            truth = self.compared(part, code)
            return (
                np.full(rows, truth is True),
                np.full(rows, truth is False),
            )

        return fold(selection.condition, leaf, MASKS)[0]

    def compared(self, part: q.SqlComparison, code: int) -> bool | None:
        """A comparison of a sensitive column with a constant, for one code."""
        sides: list[Any] = []
        for side in (part.left, part.right):
            if isinstance(side, q.SqlColumn):
                sides.append(code)
                name = side.name
        constant = part.right if isinstance(part.left, q.SqlColumn) else part.left
        assert isinstance(constant, q.SqlConstant)
        if constant.value is None:
            return None
        place = self.frame.codings[name].position(constant.value)
        if isinstance(part.left, q.SqlColumn):
            return bool(OPERATORS[part.operator](code, place))
        return bool(OPERATORS[part.operator](place, code))

    def selected(self, selection: Selection, kind: str) -> SelectedRows:
        """The rows of a selection.  Raises OutsideClasses for large sums."""
        codes = self.code(selection.column)
        coding = self.frame.codings[selection.column]
        if kind == TWO:
            # What a row adds with the first value and with the second.
            first, second = coding.codes
            adds = [
                self.where(selection, code).astype(np.int64) for code in (first, second)
            ]
            weights = (1, 1) if selection.counted else (first, second)
            low, high = adds[0] * weights[0], adds[1] * weights[1]
            factors = high - low
            here = np.where(codes == second, high, low)
            inside = (adds[0] | adds[1]).astype(bool)
        else:
            inside = self.where(selection, coding.low)
            factors = inside.astype(np.int64)
            here = np.where(inside, codes, 0)
        groups, names = self.grouped(selection.groups, inside)
        factors = shared(factors)
        count = len(names)
        chosen = groups >= 0
        totals = added(groups[chosen], here[chosen], count)
        sizes = added(groups[chosen], np.ones(int(chosen.sum()), np.int64), count)
        return SelectedRows(groups, factors, totals, sizes, names)

    def grouped(
        self, names: tuple[str, ...], inside: Flags
    ) -> tuple[NDArray[np.int32], list[Row]]:
        """The group of each row inside, and what names each group.

        Where all rows are inside they are grouped once.
        """
        if not inside.all():
            return self._grouped(names, inside)
        if names not in self.groups:
            self.groups[names] = self._grouped(names, inside)
        return self.groups[names]

    def _grouped(
        self, names: tuple[str, ...], inside: Flags
    ) -> tuple[NDArray[np.int32], list[Row]]:
        """The groups of ``grouped``, found anew."""
        members = np.flatnonzero(inside)
        numbers = np.zeros(
            len(members),
            dtype=np.int64,
        )
        for name in names:
            column = self.public(name)
            here = column[members]
            numbers = refined(numbers, here)
        groups = np.full(
            self.frame.rows,
            -1,
            dtype=np.int32,
        )
        groups[members] = numbers
        firsts = first_of(numbers)
        shown = []
        for place in members[firsts]:
            group = [self.frame.public[name][place] for name in names]
            shown.append(tuple(group))
        # Without GROUP BY there is one group, also of no row.
        if not names and not shown:
            shown.append(())
        return groups, shown


def follows(rows: SelectedRows, finer: SelectedRows) -> bool:
    """Whether the sums of a selection are sums of another's, where each of the other's
    groups is in one of its own: each row adds the same to both.
    """
    adds = np.where(rows.groups >= 0, rows.factors, 0)
    more = np.where(finer.groups >= 0, finer.factors, 0)
    return bool((adds == more).all())


def numbered(cells: Any, kind: str = "") -> Ints:
    """Numbers from 0 for some cells, equal for equal ones; ``kind`` is their type."""
    if kind in SMALL and None not in cells:
        found = np.array(cells, dtype=np.int64)
        return refined(np.zeros(len(found), dtype=np.int64), found)
    numbers: dict[Any, int] = {}
    count = len(cells)
    found = np.empty(
        count,
        dtype=np.int64,
    )
    for place, cell in enumerate(cells):
        number = numbers.setdefault(cell, len(numbers))
        found[place] = number
    return found


def refined(one: Ints, other: Ints) -> Ints:
    """A number for each pair of numbers, from 0, equal for equal pairs."""
    if not len(one):
        return one
    least = int(other.min())
    most = int(other.max())
    width = most - least + 1
    from_zero = other - least
    pairs = one * width + from_zero
    count = (int(one.max()) + 1) * width
    if count <= DENSE * len(one):
        # Few pairs can be: they are counted, and not sorted.
        there = np.zeros(count, dtype=bool)
        there[pairs] = True
        numbers: Ints = np.cumsum(there)[pairs] - 1
        return numbers
    unique = np.unique(pairs, return_inverse=True)
    places: Ints = unique[1]
    return places.reshape(-1)


def first_of(numbers: Ints) -> Ints:
    """Where each number from 0 stands first."""
    count = int(numbers.max()) + 1 if len(numbers) else 0
    firsts = np.zeros(count, dtype=np.int64)
    # Of several rows with a number the last one written stays: the first of them.
    firsts[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return firsts


def shared(factors: Ints) -> Ints:
    """The same factors, without memory of their own where all are equal."""
    if len(factors) and factors.min() == factors.max():
        return np.broadcast_to(factors[0], len(factors))
    return factors


def added(places: Any, values: Ints, size: int) -> Ints:
    """The sums of the values at each place, exactly."""
    total = np.zeros(
        size,
        dtype=np.int64,
    )
    np.add.at(total, places, values)
    return total


def answered(
    rows: SelectedRows, query: q.SqlQuery, told: Told, answer: Rows, coding: Coding
) -> bool:
    """Whether an answer says the true sums of all groups, and nothing else."""
    names = [q.SqlColumn(name) for name in told.selection.groups]
    shown = [query.shown.index(name) for name in names]
    said = {}
    for row in answer:
        group = tuple([row[one] for one in shown])
        said[group] = row[told.place]
    if len(said) != len(answer):
        return False
    totals = rows.sums.tolist()
    sizes = rows.sizes.tolist()
    for name, total, size in zip(rows.names, totals, sizes, strict=True):
        if name not in said:
            # A count of 0 in a group that is not shown.
            if total or not query.grouped:
                return False
            continue
        value = said[name]
        says = _says(
            value,
            total,
            size,
            told.mean,
            coding,
        )
        if not says:
            return False
    return True


def _says(value: Any, total: int, size: int, mean: bool, coding: Coding) -> bool:
    """Whether one value of an answer stands for this sum of so many rows alone."""
    if value is None:
        return size == 0
    if mean:
        # The sum itself must be a double before it is divided.
        if abs(total) >= LARGEST_SUM:
            return False
        if single(value, total, size):
            return True
        try:
            return sums(value, size) == range(total, total + 1)
        except ArithmeticError:
            return False
    if isinstance(value, str | bool):
        return coding.code(value) == total
    return bool(value == total)


def _columns(sql: str, plain: Any) -> Any:
    """The columns of an answer of DuckDB."""
    answer = plain.execute(sql)
    return answer.fetchnumpy()
