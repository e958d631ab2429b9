"""The worlds of an audit: the public columns as they are, every sensitive cell one
unknown of its declared domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.log.query import Value
from phverify.disclosure.policy import AuditPolicy, CompositeKey
from phverify.disclosure.sums import alone
from phverify.disclosure.worlds.codings import Coding as Coding
from phverify.disclosure.worlds.column_types import unfit
from phverify.disclosure.worlds.database import (
    Columns,
    Content,
    Database,
    Types,
    plain,
)
from phverify.disclosure.worlds.external import attached, dated, endless, misnamed
from phverify.errors import InputError, Problem, nearest, refusal

World = Mapping[str, tuple[Value, ...]]
"""The sensitive columns, in the order of the rows."""
Classes = Sequence[Hashable]
"""A name for each row; rows with one name are told apart by no query."""


@dataclass(frozen=True, eq=False)
class UnknownCell:
    """One unknown cell: its code, and whether it is missing.

    ``missing`` is FALSE where it cannot be.
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
        code = self.coding.code(value)
        cell = alone(self.variable)
        same = t.equal(cell, code)
        # Of a missing cell the code says nothing, whatever it is.
        return t.conj((self.there, same))

    def assigned(self, value: Value) -> dict[str, int]:
        """The values of its unknowns where it holds this."""
        values = {self.variable.name: self.coding.code(value)}
        if isinstance(self.missing, t.Flag):
            values[self.missing.name] = int(value is None)
        return values

    def value(self, values: t.Assignment, true: Value) -> Value:
        """What it holds where its unknowns have these values.

        What it truly does where they have none.
        """
        flag = ""
        if isinstance(self.missing, t.Flag):
            flag = self.missing.name
        # No answer speaks of this cell: any value is possible, and the true one is.
        if self.variable.name not in values and flag not in values:
            return true
        if values.get(flag):
            return None
        # Where only the flag was asked for, the code is free.
        code = values.get(self.variable.name, self.variable.low)
        return self.coding.value(code)


@dataclass(frozen=True, eq=False)
class AuditFrame:
    """The table of an audit.

    Keys, public columns, codings of the sensitive ones, and the true world; ``opened``
    are the connections of its database.
    """

    policy: AuditPolicy
    types: Types
    keys: tuple[Any, ...]
    public: Columns
    codings: Mapping[str, Coding]
    truth: World
    external: Mapping[str, Content] = field(default_factory=dict)
    opened: ExitStack = field(default_factory=ExitStack)

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.keys)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each key, as it is written."""
        return {str(key): row for row, key in enumerate(self.keys)}

    @cached_property
    def cells(self) -> Mapping[str, tuple[UnknownCell, ...]]:
        """The unknowns of each sensitive column."""
        cells = {}
        for place, name in enumerate(self.truth):
            coding = self.codings[name]
            unknown = _cells(place, coding, self.rows)
            cells[name] = tuple(unknown)
        return cells

    def assignment(self, world: World) -> dict[str, int]:
        """The values of all unknowns in a world."""
        values: dict[str, int] = {}
        for column, cells in self.cells.items():
            held = world[column]
            pairs = zip(cells, held, strict=True)
            for cell, value in pairs:
                of_cell = cell.assigned(value)
                values |= of_cell
        return values

    def world(self, values: t.Assignment) -> World:
        """The world of some unknowns; a cell without a value is as it truly is."""
        world = {}
        for column, cells in self.cells.items():
            true_cells = self.truth[column]
            pairs = zip(cells, true_cells, strict=True)
            here = [cell.value(values, true) for cell, true in pairs]
            world[column] = tuple(here)
        return world

    def original(self, world: World) -> Columns:
        """A world's cells as the database has them."""
        cells = {}
        for column, values in world.items():
            outward = self.codings[column].outward
            cells[column] = tuple(map(outward, values))
        return cells

    def rows_of(self, rows: Iterable[tuple[Value, ...]]) -> tuple[tuple[Any, ...], ...]:
        """Rows of sensitive values as the database has them."""
        outward = [self.codings[column].outward for column in self.truth]
        shown = []
        for row in rows:
            pairs = zip(outward, row, strict=True)
            cells = [change(value) for change, value in pairs]
            shown.append(tuple(cells))
        return tuple(shown)

    def moved(self, source: Sequence[int]) -> World:
        """The data with the sensitive cells of each row taken from another row."""
        world = {}
        for column, cells in self.truth.items():
            # Rows move as wholes: cells of one row stay together.
            taken = [cells[row] for row in source]
            world[column] = tuple(taken)
        return world


def _cells(column: int, coding: Coding, rows: int) -> Iterator[UnknownCell]:
    """The unknowns of a column, by its place among the sensitive ones."""
    low = coding.low
    high = coding.high
    gaps = coding.gaps
    may_be_missing = coding.domain.null
    for row in range(rows):
        name = f"{column}_{row}"
        variable = t.Variable(f"c{name}", low, high, gaps)
        missing: t.Term = t.FALSE
        if may_be_missing:
            missing = t.Flag(f"m{name}")
        yield UnknownCell(variable, missing, coding)


def read(database: Database, policy: AuditPolicy) -> AuditFrame:
    """The table as the policy sees it.

    Raises InputError with all that does not fit.
    """
    # What is wrong with types would make the cells' problems meaningless.
    types = database.types(policy.table)
    _refuse([*_unfit(database, policy, types), *misnamed(database, policy)])
    hint = "store the column as text, or leave it out of the policy"
    roles = {
        "key": policy.keys,
        "public": policy.public,
        "sensitive": tuple(policy.sensitive),
    }
    for where, names in roles.items():
        strange = endless(database, policy.table, names)
        _refuse(dated(f"{policy.source}, {where}", what, hint) for what in strange)
    columns = database.columns(policy.table, policy.columns, policy.keys)
    key_columns = [columns[name] for name in policy.keys]
    keys = tuple(map(key_of, zip(*key_columns, strict=True)))
    _check_keys(policy, keys, key_columns)
    codings = {
        name: Coding(domain, types[name], name in database.unordered)
        for name, domain in policy.sensitive.items()
    }
    outside = []
    truth = {}
    for name, coding in codings.items():
        cells = columns[name]
        truth[name] = tuple(cells if coding.plain else map(coding.inward, cells))
        refused = {one for one in set(truth[name]) if not coding.allows(one)}
        wrong = []
        if refused:
            pairs = zip(keys, cells, truth[name], strict=True)
            wrong = [(key, cell) for key, cell, one in pairs if one in refused]
        where = f"{policy.source}, sensitive.{name}"
        outside += list(_outside(where, coding, wrong))
    _refuse(outside)

    public = {name: columns[name] for name in (*policy.keys, *policy.public)}
    external = attached(database, policy)
    opened = database.opened
    return AuditFrame(policy, types, keys, public, codings, truth, external, opened)


def key_of(cells: Sequence[Any]) -> Any:
    """The key of a row, by the cells of its columns: one alone as it is."""
    if len(cells) == 1:
        return cells[0]
    return CompositeKey(cells)


def _check_keys(
    policy: AuditPolicy, keys: Sequence[Any], columns: Sequence[Sequence[Any]]
) -> None:
    """Raises InputError where a key is missing or names two rows."""
    # A fact finds its row by the key: two rows with one key would be two facts.
    written = Counter(map(str, keys)) if len(columns) > 1 else Counter()
    if any(None in cells for cells in columns):
        wrong = "a missing value"
    elif len(set(keys)) < len(keys):
        often = Counter(keys)
        wrong = f"'{next(key for key in keys if often[key] > 1)}' twice"
    elif len(written) < len(keys) and len(columns) > 1:
        # Facts name rows by keys as they are written.
        twice = next(text for text, count in written.items() if count > 1)
        wrong = f"two that are both written '{twice}'"
    else:
        return
    named = " and ".join(policy.keys)
    what = f"the key {named} must name each row once, and has {wrong}"
    raise refusal(policy.source, what, private=True)


def _refuse(several: Iterable[Problem]) -> None:
    """Raises InputError where there is a problem."""
    problems = list(several)
    if problems:
        raise InputError(problems)


def _elsewhere(database: Database, policy: AuditPolicy, name: str) -> str:
    """What to do about a sensitive column that another table has."""
    table, _, column = name.rpartition(".")
    for other in database.tables():
        if other.lower() == policy.table.lower() or name not in policy.sensitive:
            continue
        if table.lower() in ("", other.lower()) and column in database.types(other):
            return (
                f"it is one of {other!r}, and sensitive columns are of one table: audit"
                f" each table by itself, the other one in external"
            )
    return ""


def _unfit(database: Database, policy: AuditPolicy, types: Types) -> Iterator[Problem]:
    """What the table cannot be audited for, whatever is in its cells."""
    where = f"{database.source}, {policy.table}"
    for name in policy.columns:
        if name not in types:
            hint = _elsewhere(database, policy, name)
            hint = hint or nearest(name, types, "columns")
            yield Problem(where, f"there is no column {name!r}", hint)
    for name, domain in policy.sensitive.items():
        what = unfit(domain, types[name]) if name in types else ""
        if what:
            hint = (
                "sensitive columns are integers, decimals, doubles, dates, timestamps,"
                " texts, enumerations or Booleans; a FLOAT can be stored as DOUBLE"
            )
            if database.empty(policy.table):
                hint = "it has no rows, and a CSV file without rows has no types"
            yield Problem(f"sensitive.{name}", what, hint)
    for what in database.unusual(policy.table):
        yield Problem(where, what)
    yield from _unfit_names(policy, types)


def _unfit_names(policy: AuditPolicy, types: Types) -> Iterator[Problem]:
    """Public columns whose values have no exact copy, and keys of floating point."""
    hint = (
        "store it as text, or as a number; a column may also be left out of the policy"
    )
    for name in (*policy.keys, *policy.public):
        kind = types.get(name, "VARCHAR")  # that it is absent was told
        key = name in policy.keys
        if not plain(kind) or (key and kind in ("FLOAT", "DOUBLE")):
            wrong = "is no key" if key else "is not audited"
            section = "key" if key else "public"
            where = f"{policy.source}, {section}"
            what = f"{name!r}, a column of {kind}, {wrong}"
            yield Problem(where, what, hint)


def _outside(
    where: str, coding: Coding, wrong: Sequence[tuple[Any, Any]]
) -> Iterator[Problem]:
    """The first cell outside the declared domain, and how many there are."""
    if not wrong:
        return
    key, value = wrong[0]
    count = len(wrong)
    several = f"{count:,} cells are" if count > 1 else "1 cell is"
    shown = f"'{value}'"  # in quotes: --redact hides it
    hint = f"declared: {coding.domain.text()}"
    if value is None:
        shown = "missing"
        hint = "null = true allows missing cells"
    what = f"{several} outside the domain; that of '{key}' is {shown}"
    yield Problem(where, what, hint, private=True)
