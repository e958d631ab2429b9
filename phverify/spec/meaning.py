"""What a formula says at a row: Definition 4 for the models of a release (Definition 7), word by word.

A model is a placement: ``place[k]`` is the row where individual k is.  Formulas that name nobody need none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.spec.data import Data, Label, Refused
from phverify.spec.schema import assignments
from phverify.spec.tuples import Formula, Linear, substitute


@dataclass(frozen=True, eq=False)
class Table:
    """The rows as the agents see them.  ``cells[agent]`` are lists of rows that the agent cannot tell apart."""

    data: Data

    @cached_property
    def cells(self) -> Mapping[str, list[list[int]]]:
        return {agent: self._cells(known) for agent, known in self.data.agents.items()}

    def _cells(self, known: tuple[str, ...]) -> list[list[int]]:
        found: dict[tuple[Label, ...], list[int]] = {}
        for row in range(self.data.rows):
            found.setdefault(tuple(self.data.columns[name][row] for name in known), []).append(row)
        return list(found.values())

    @cached_property
    def cell_of(self) -> Mapping[str, list[int]]:
        """For each agent and row, the number of the agent's cell."""
        return {agent: self._numbers(cells) for agent, cells in self.cells.items()}

    def _numbers(self, cells: list[list[int]]) -> list[int]:
        found = [0] * self.data.rows
        for number, rows in enumerate(cells):
            for row in rows:
                found[row] = number
        return found

    @property
    def classes(self) -> list[list[int]]:
        return self.cells["a1"]

    @cached_property
    def homes(self) -> list[int]:
        """For each individual, the number of the class where it is.  Raises Refused if there is none."""
        by_values = {self._values(rows[0]): number for number, rows in enumerate(self.classes)}
        missing = [k for k, values in enumerate(self.data.home) if values not in by_values]
        if missing:
            raise Refused(f"individual {missing[0] + 1} is in no class of the release")
        return [by_values[values] for values in self.data.home]

    def _values(self, row: int) -> tuple[Label, ...]:
        return tuple(self.data.columns[name][row] for name in self.data.quasi)

    def counts(self, column: str, rows: Iterator[int] | range | list[int]) -> dict[Label, int]:
        """How often each value occurs in some rows; without a column, how many rows there are."""
        found: dict[Label, int] = {}
        for row in rows:
            label = self.data.columns[column][row] if column else ""
            found[label] = found.get(label, 0) + 1
        return found

    @cached_property
    def whole(self) -> Mapping[str, Mapping[Label, int]]:
        return {name: self.counts(name, range(self.data.rows)) for name in ("", *self.data.columns)}

    def matching(self, column: str, op: str, values: tuple[Label, ...]) -> frozenset[Label]:
        """The values of a column for which a descriptor is true."""
        domain = self.data.domains[column]
        if op in ("=", "in", "!="):
            return frozenset(v for v in domain if (v in values) != (op == "!="))
        bound = values[0]
        if bound is None:
            return frozenset()
        kind = self.data.kinds[column]  # a quasi-identifier keeps its spelling: 20200101 is 2020-01-01
        keys = {v: kind.key(kind.canonical(v)) for v in (*domain, bound) if v is not None}
        return frozenset(v for v in domain if v is not None and compares(_sign(keys[v], keys[bound]), op))


def _sign(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def compares(value: Fraction | int, op: str) -> bool:
    """``value op 0``."""
    return {"=": value == 0, "!=": value != 0, "<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0}[op]


@dataclass(eq=False)
class Meaning:
    """The truth of formulas over one table in one model.  Remembers what it has worked out."""

    table: Table
    place: Mapping[int, int] = field(default_factory=dict)
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)
    counted: dict[tuple[int, str, int], int] = field(default_factory=dict)
    """For a formula (by identity), an agent and one of its cells: how many rows there satisfy it."""
    judged: dict[tuple[Any, int], tuple[tuple[int, ...], bool]] = field(default_factory=dict)
    """For a criterion and a class: the counts of its values, descending, and whether it holds."""
    _sets: dict[int, frozenset[Label]] = field(default_factory=dict)
    _written: dict[int, Formula] = field(default_factory=dict)
    _kept: list[Formula] = field(default_factory=list)
    """Formulas are remembered by identity, so they must stay."""

    def true(self, f: Formula, row: int) -> bool:
        """Whether the formula is true at the row."""
        key = id(f), row
        if key not in self._known:
            self._known[key] = self._true(f, row)
            self._kept.append(f)
        return self._known[key]

    def _true(self, f: Formula, row: int) -> bool:
        match f:
            case ("true",):
                return True
            case ("false",):
                return False
            case ("is", column, op, values):
                if id(f) not in self._sets:
                    self._sets[id(f)] = self.table.matching(column, op, values)
                return self.table.data.columns[column][row] in self._sets[id(f)]
            case ("who", name):
                return self.row(name) == row
            case ("not", body):
                return not self.true(body, row)
            case ("and", parts):
                return all(self.true(part, row) for part in parts)
            case ("or", parts):
                return any(self.true(part, row) for part in parts)
            case ("implies", left, right):
                return not self.true(left, row) or self.true(right, row)
            case ("iff", left, right):
                return self.true(left, row) == self.true(right, row)
            case ("some", agent, body):
                return self.count(agent, body, row) > 0
            case ("every", agent, body):
                return self.count(agent, body, row) == len(self.cell(agent, row))
            case ("at", name, body):
                return self.true(body, self.row(name))
            case ("compare", left, op, right):
                return compares(self.value(left, row) - self.value(right, row), op)
            case ("criterion", _, _):
                return self.criterion(f, row)
            case ("forall" | "exists", _, _):
                return self.true(self.instances(f), row)
        raise Refused(f"no formula: {f!r}")

    def row(self, name: tuple[str, Any]) -> int:
        kind, which = name
        if kind == "row":
            return int(which)
        if kind != "person" or which not in self.place:
            raise Refused(f"nobody says where {kind} {which} is")
        return self.place[which]

    def cell(self, agent: str, row: int) -> Sequence[int]:
        return self.table.cells[agent][self.table.cell_of[agent][row]]

    def count(self, agent: str, body: Formula, row: int) -> int:
        """How many rows of the agent's cell around a row satisfy the formula."""
        key = id(body), agent, self.table.cell_of[agent][row]
        if key not in self.counted:
            self.counted[key] = sum(self.true(body, other) for other in self.cell(agent, row))
            self._kept.append(body)
        return self.counted[key]

    def value(self, linear: Linear, row: int) -> Fraction:
        """The value of a sum of likelihoods at a row."""
        terms, total = linear
        for coefficient, quantity in terms:
            total += coefficient * self.quantity(quantity, row)
        return Fraction(total)

    def quantity(self, quantity: Formula, row: int) -> Fraction:
        if quantity[0] == "abs":
            return abs(self.value(quantity[1], row))
        _, agent, body = quantity
        return Fraction(self.count(agent, body, row), len(self.cell(agent, row)))

    def criterion(self, f: Formula, row: int) -> bool:
        """A criterion at a row: by its definition, for the class of the row."""
        number = self.table.cell_of["a1"][row]
        key = f[1:], number
        if key not in self.judged:
            criterion = self.table.data.criterion(f)
            column = criterion.attribute
            inside = self.table.counts(column, self.table.classes[number])
            found = criterion.holds(inside, self.table.whole[column])
            self.judged[key] = tuple(sorted(inside.values(), reverse=True)), found
        return self.judged[key][1]

    def instances(self, f: Formula) -> Formula:
        """A schema written out: a conjunction or a disjunction."""
        if id(f) not in self._written:
            kind, binders, body = f
            parts = tuple(substitute(body, values) for values in assignments(binders, self.table.data))
            self._written[id(f)] = ("and" if kind == "forall" else "or", parts)
            self._kept.append(f)
        return self._written[id(f)]
