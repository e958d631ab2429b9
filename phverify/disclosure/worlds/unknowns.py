"""The worlds of an audit: the public columns as they are, every sensitive cell one
unknown of its declared domain.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.connectives import ordered
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.log.query import Value
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.database import (
    INTEGERS,
    Columns,
    Content,
    Database,
    Types,
    plain,
)
from phverify.disclosure.worlds.external import attached, dated, endless
from phverify.errors import InputError, Problem, nearest, refusal

World = Mapping[str, tuple[Value, ...]]
"""The sensitive columns, in the order of the rows."""
Classes = Sequence[Hashable]
"""A name for each row; rows with one name are told apart by no query."""


@dataclass(frozen=True)
class Coding:
    """Values of a column as integers in their order: integers as they are, texts (by
    bytes) and Booleans by place.
    """

    domain: Domain

    @property
    def kind(self) -> str:
        return self.domain.kind

    @cached_property
    def integral(self) -> bool:
        return self.domain.integral

    def code(self, value: Value) -> int:
        """The integer of a value; a missing one has the least, which its flag makes
        meaningless.
        """
        if value is None:
            return self.low
        return int(value) if self.integral else self.domain.values.index(value)

    def value(self, code: int) -> Value:
        return code if self.integral else self.domain.values[code]

    def position(self, value: int | Fraction | str | bool) -> Fraction:
        """Where a constant stands among the codes; between two of them when it is none
        of the values.
        """
        if self.integral:
            return Fraction(value)
        ranks, rank = list(map(ordered, self.domain.values)), ordered(value)
        place = bisect.bisect_left(ranks, rank)
        return Fraction(place) if rank in ranks else Fraction(2 * place - 1, 2)

    @cached_property
    def codes(self) -> Sequence[int]:
        """All codes, in their order."""
        if not self.integral:
            return range(len(self.domain.values))
        return tuple(map(int, self.domain.values)) or range(
            self.domain.low, self.domain.high + 1
        )

    @property
    def low(self) -> int:
        return self.codes[0]

    @property
    def high(self) -> int:
        return self.codes[-1]

    @property
    def gaps(self) -> tuple[int, ...]:
        """All codes, where they do not fill the range."""
        return tuple(self.codes) if self.high - self.low + 1 > len(self.codes) else ()

    def allows(self, value: Any) -> bool:
        """Whether a cell may hold this."""
        if value is None:
            return self.domain.null
        if self.domain.values:
            return value in self.domain.values
        return bool(self.domain.low <= value <= self.domain.high)


@dataclass(frozen=True, eq=False)
class UnknownCell:
    """One unknown cell: its code, and whether it is missing (FALSE where it cannot
    be).
    """

    variable: t.Variable
    missing: t.Term
    coding: Coding

    @property
    def there(self) -> t.Term:
        """The cell is not missing."""
        return t.neg(self.missing)

    def has(self, value: Value) -> t.Term:
        """The cell holds this value (None: it is missing)."""
        if value is None:
            return self.missing
        return t.conj(
            (self.there, t.equal(alone(self.variable), self.coding.code(value)))
        )

    def assigned(self, value: Value) -> dict[str, int]:
        """The values of its unknowns where it holds this."""
        flag = (
            {self.missing.name: int(value is None)}
            if isinstance(self.missing, t.Flag)
            else {}
        )
        return {self.variable.name: self.coding.code(value), **flag}

    def value(self, values: t.Assignment, true: Value) -> Value:
        """What it holds where its unknowns have these values; what it truly does where
        they have none.
        """
        flag = self.missing.name if isinstance(self.missing, t.Flag) else ""
        if self.variable.name not in values and flag not in values:
            return true
        if values.get(flag):
            return None
        return self.coding.value(values.get(self.variable.name, self.variable.low))


@dataclass(frozen=True, eq=False)
class AuditFrame:
    """The table of an audit: keys, public columns, codings of the sensitive ones, and
    the true world.
    """

    policy: AuditPolicy
    types: Types
    keys: tuple[Any, ...]
    public: Columns
    codings: Mapping[str, Coding]
    truth: World
    external: Mapping[str, Content] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return len(self.keys)

    @cached_property
    def cells(self) -> Mapping[str, tuple[UnknownCell, ...]]:
        """The unknowns of each sensitive column."""
        return {
            c: tuple(_cells(k, self.codings[c], self.rows))
            for k, c in enumerate(self.truth)
        }

    def assignment(self, world: World) -> dict[str, int]:
        """The values of all unknowns in a world."""
        values: dict[str, int] = {}
        for column, cells in self.cells.items():
            for cell, value in zip(cells, world[column], strict=True):
                values |= cell.assigned(value)
        return values

    def world(self, values: t.Assignment) -> World:
        """The world of some unknowns; a cell without a value is as it truly is."""
        return {
            column: tuple(
                [
                    cell.value(values, true)
                    for cell, true in zip(cells, self.truth[column], strict=True)
                ]
            )
            for column, cells in self.cells.items()
        }

    def moved(self, source: Sequence[int]) -> World:
        """The data with the sensitive cells of each row taken from another row."""
        return {
            column: tuple([values[row] for row in source])
            for column, values in self.truth.items()
        }


def _cells(column: int, coding: Coding, rows: int) -> Iterator[UnknownCell]:
    for row in range(rows):
        variable = t.Variable(f"c{column}_{row}", coding.low, coding.high, coding.gaps)
        yield UnknownCell(
            variable,
            t.Flag(f"m{column}_{row}") if coding.domain.null else t.FALSE,
            coding,
        )


def read(database: Database, policy: AuditPolicy) -> AuditFrame:
    """The table as the policy sees it.  Raises InputError with all that does not
    fit.
    """
    types = database.types(policy.table)
    _refuse(_unfit(database, policy, types))
    columns = database.columns(policy.table, policy.columns, policy.key)
    keys = columns[policy.key]
    if None in keys or len(set(keys)) < len(keys):
        often = Counter(keys)
        twice = (
            "a missing value"
            if None in keys
            else f"'{next(key for key in keys if often[key] > 1)}' twice"
        )
        what = f"the key {policy.key} must name each row once, and has {twice}"
        raise refusal(policy.source, what, private=True)
    codings = {name: Coding(domain) for name, domain in policy.sensitive.items()}
    _refuse(
        p
        for name, coding in codings.items()
        for p in _outside(policy, name, coding, columns)
    )
    opened = (policy.key, *policy.public)
    hint = "store the column as text, or leave it out of the policy"
    for where, names in (("key", opened[:1]), ("public", opened[1:])):
        found = endless(database, policy.table, names)
        _refuse(dated(f"{policy.source}, {where}", what, hint) for what in found)
    public = {name: columns[name] for name in opened}
    truth = {name: columns[name] for name in policy.sensitive}
    return AuditFrame(
        policy, types, keys, public, codings, truth, attached(database, policy)
    )


def _refuse(found: Iterable[Problem]) -> None:
    if problems := list(found):
        raise InputError(problems)


def _unfit(database: Database, policy: AuditPolicy, types: Types) -> Iterator[Problem]:
    """What the table cannot be audited for, whatever is in its cells."""
    where = f"{database.source}, {policy.table}"
    for name in policy.columns:
        if name not in types:
            yield Problem(
                where, f"there is no column {name!r}", nearest(name, types, "columns")
            )
    for name, domain in policy.sensitive.items():
        if name in types and type_kind(types[name]) != domain.kind:
            hint = (
                "sensitive columns are integers, texts or Booleans; amounts with"
                " decimals can be stored in cents"
            )
            what = f"the domain is of {domain.kind}s and the column is {types[name]}"
            yield Problem(f"sensitive.{name}", what, hint)
    yield from (Problem(where, what) for what in database.unusual(policy.table))
    for name in (policy.key, *policy.public):
        # a public column whose values have no exact copy, or a key of floating point
        kind, key = (
            types.get(name, "VARCHAR"),
            name == policy.key,
        )  # one that is absent was told
        if not plain(kind) or (key and kind in ("FLOAT", "DOUBLE")):
            what = (
                f"{name!r}, a column of {kind}, is {'no key' if key else 'not audited'}"
            )
            hint = (
                "store it as text, or as a number; a column may also be left out of the"
                " policy"
            )
            yield Problem(f"{policy.source}, {'key' if key else 'public'}", what, hint)


def type_kind(type_: str) -> str:
    """What the cells of a column are: integer, text, boolean, or nothing where they are
    none of these.
    """
    return (
        "integer"
        if type_ in INTEGERS
        else {"VARCHAR": "text", "BOOLEAN": "boolean"}.get(type_, "")
    )


def _outside(
    policy: AuditPolicy, name: str, coding: Coding, columns: Columns
) -> Iterator[Problem]:
    """The first cell outside the declared domain, and how many there are."""
    pairs = zip(columns[policy.key], columns[name], strict=True)
    wrong = [(key, value) for key, value in pairs if not coding.allows(value)]
    for key, value in wrong[:1]:
        several = f"{len(wrong):,} cells are" if len(wrong) > 1 else "1 cell is"
        hint = (
            "null = true allows missing cells"
            if value is None
            else f"declared: {coding.domain.text()}"
        )
        shown = (
            "missing" if value is None else f"'{value}'"
        )  # in quotes: --redact hides it
        what = f"{several} outside the domain; that of '{key}' is {shown}"
        yield Problem(f"{policy.source}, sensitive.{name}", what, hint, private=True)
