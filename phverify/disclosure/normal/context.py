"""What the steps to the normal form look things up in: names, domains, the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.disclosure.log.functions import DERIVED, derives, zoned
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of, more
from phverify.disclosure.normal import trees
from phverify.disclosure.worlds.database import INTEGERS, Database, Row

SMALL = 2**50
"""Means of so much are told apart by doubles: rows times rows times the largest."""
PARTS = 200
"""Of so many statements one statement is made at most."""
STRUCTURE = {
    *("Sum", "Count", "Avg", "Min", "Max", "Median", "Filter", "Where", "Distinct"),
    *("Star", "CountIf"),
}
"""What an aggregate is made of beside operators."""
_PUBLIC = {*DERIVED, *STRUCTURE, "Join", "Table", "TableAlias"}
"""What may stand in an expression or a join that is public."""


@dataclass(frozen=True, eq=False)
class Context:
    """Names that a statement may use, and the database that executes what is asked."""

    scope: QueryScope
    source: Database

    @cached_property
    def sensitive(self) -> dict[str, str]:
        """The sensitive columns by their names in small letters."""
        return {name.lower(): name for name in self.scope.sensitive}

    @cached_property
    def types(self) -> dict[str, str]:
        """The type of each column of the table."""
        return self.source.types(self.scope.table)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The texts of each column: those of the policy, and those there are."""
        found: dict[str, list[str]] = {}
        public = [name for name in self.types if name not in self.scope.sensitive]
        for table, names in {self.scope.table: public, **self.scope.external}.items():
            shown = ", ".join(map(quoted, names))
            # no column may be left
            rows = self.run(f"SELECT {shown} FROM {quoted(table)}") if names else []
            for place, name in enumerate(names):
                cells = {row[place] for row in rows}
                texts = [cell for cell in cells if isinstance(cell, str)]
                found[f"{table}.{name}"] = texts
        for name, domain in self.scope.domains.items():
            values = [one for one in domain.values if isinstance(one, str)]
            found[f".{name}"] = values
        return found

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        counted = self.run(f"SELECT COUNT(*) FROM {quoted(self.scope.table)}")
        return int(counted[0][0])

    def public_ends(self, name: str) -> tuple[int, int] | None:
        """The least and the greatest cell of a public column of integers; None for
        other columns.
        """
        kinds = {one.lower(): kind for one, kind in self.types.items()}
        if name.lower() not in self.known or kinds.get(name.lower()) not in INTEGERS:
            return None
        column, table = quoted(name), quoted(self.scope.table)
        ((least, greatest),) = self.run(
            f"SELECT MIN({column}), MAX({column}) FROM {table}"
        )
        return (0, 0) if least is None else (int(least), int(greatest))

    def zeros_and_ones(self, node: Any) -> bool:
        """Whether this is a public column of the table, of integers that are 0 or 1."""
        if self.type_of(node) not in INTEGERS or not self.public(node):
            return False
        # A table that is joined may have a column of this name.
        for others in self.scope.external.values():
            if node.name.lower() in map(str.lower, others):
                return False
        column, table = quoted(node.name), quoted(self.scope.table)
        neither = f"{column} IS NULL OR {column} NOT IN (0, 1)"
        counted = self.run(f"SELECT COUNT(*) FROM {table} WHERE {neither}")
        return counted == [(0,)]

    @property
    def ascii(self) -> bool:
        """Whether all texts are of ASCII, without control characters: some engines pass
        over these.
        """
        every = [text for texts in self.texts.values() for text in texts]
        return all(text.isascii() and text.isprintable() for text in every)

    @property
    def has_empty_text(self) -> bool:
        """Whether some text is empty."""
        return any("" in texts for texts in self.texts.values())

    def folds(self, literals: Sequence[str]) -> bool:
        """Whether two texts that may be compared differ by case or trailing blanks
        alone, or are not of ASCII.
        """
        every = {text for texts in self.texts.values() for text in texts} | {*literals}
        if not all(map(str.isascii, every)):
            return True
        return len({text.lower().rstrip() for text in every}) < len(every)

    def small(self, node: Any) -> bool:
        """Whether two means of an expression that differ do so by more than doubles
        round: they differ by 1/n^2 at least.
        """
        from sqlglot import exp

        columns = list(node.find_all(exp.Column))
        if len(columns) != 1 or node.root().find(exp.Join):
            return False
        if self.type_of(columns[0]) not in INTEGERS:
            return False
        ((rows, least, greatest),) = self.run(
            f"SELECT COUNT(*), {self.extreme('MIN', columns[0])},"
            f" {self.extreme('MAX', columns[0])} FROM {quoted(self.scope.table)}"
        )
        largest = max(abs(least or 0), abs(greatest or 0))
        return bool(rows * rows * largest < SMALL)

    def extreme(self, word: str, column: Any) -> str:
        """The least or greatest value of an integer column in any world.

        Raises Unsupported for other columns.
        """
        name = column.name.lower()
        kinds = {name.lower(): kind for name, kind in self.types.items()}
        if kinds.get(name) not in INTEGERS:
            raise Unsupported(f"{trees.text_of(column)} is no integer")
        if name not in self.sensitive:
            return f"{word}({quoted(column.name)})"
        domain = self.scope.domains[self.sensitive[name]]
        ends = domain.values or (domain.low, domain.high)
        return str(min(ends) if word == "MIN" else max(ends))

    def run(self, sql: str) -> list[Row]:
        """All rows of an answer.  Raises Unsupported for what is an error."""
        import duckdb

        try:
            return self.source.execute(sql)
        except duckdb.Error as error:
            raise Unsupported(
                f"the database reports an error: {str(error).splitlines()[0]}"
            ) from None

    def touched(self, node: Any) -> list[str]:
        """The sensitive columns that an expression names, each once.

        By their names alone: a column of an external table of the same name counts as
        one.
        """
        from sqlglot import exp

        names = [column.name.lower() for column in node.find_all(exp.Column)]
        there = [self.sensitive[name] for name in names if name in self.sensitive]
        return list(dict.fromkeys(there))

    def plain(self, node: Any, more: Sequence[str] = ()) -> None:
        """Raises Unsupported for what may have another value each time."""
        for inner in node.walk():
            if not derives(inner) and kind_of(inner) not in more:
                raise Unsupported(
                    f"{trees.text_of(inner)} is outside the audited fragment"
                )

    def public(self, node: Any) -> bool:
        """Whether an expression, or a join, has one value in all worlds.

        All in it is known: each name is of a public column, and nothing stands for
        several columns or for a whole row.  Raises Unsupported for columns of the table
        that the policy does not name: they may say what they like of the sensitive
        ones.
        """
        from sqlglot import exp

        if node is None:
            return True
        for column in node.find_all(exp.Column):
            if column.name.lower() in self.unknown:
                raise Unsupported(
                    f"the policy does not say what column {column.name!r} is"
                )
        parts = node.walk()
        return all(map(self._public_part, parts))

    def _public_part(self, node: Any) -> bool:
        """Whether a node is public by itself, whatever stands below it."""
        kind = kind_of(node)
        if kind == "Column":
            schema = node.args.get("db") or node.args.get("catalog")
            row = not node.table and self._row(node)
            named = node.name.lower() in self.known
            return named and not schema and not row
        if kind == "Identifier" and kind_of(node.parent) == "Join":
            # USING
            return node.name.lower() in self.known
        if kind == "Star":
            return kind_of(node.parent) == "Count" and not more(node)
        return kind in _PUBLIC and not zoned(node)

    def _row(self, column: Any) -> bool:
        """Whether a name may mean a whole row: the table's name, or its alias."""
        from sqlglot import exp

        own = self.scope.table.lower()
        names = {own}
        statement = column.root()
        for table in statement.find_all(exp.Table):
            if table.name.lower() == own:
                names.add(table.alias_or_name.lower())
        return column.name.lower() in names

    @cached_property
    def known(self) -> set[str]:
        """The public columns of all tables, in small letters: none of them is called
        like a sensitive one.
        """
        external = self.scope.external.values()
        names = {*self.scope.public, *self.scope.keys}
        names = names.union(*external)
        return set(map(str.lower, names)) - self.sensitive.keys() - self.unknown

    @cached_property
    def unknown(self) -> set[str]:
        """The columns of the table that the policy does not name, in small letters."""
        named = {*self.scope.public, *self.scope.sensitive, *self.scope.keys}
        lowered = {name.lower() for name in named}
        columns = {name.lower() for name in self.scope.columns}
        return columns - lowered

    @cached_property
    def types_by_name(self) -> dict[str, set[str]]:
        """The types of all columns of this name in small letters, in any table."""
        found: dict[str, set[str]] = {}
        for table in (self.scope.table, *self.scope.external):
            for name, type_ in self.source.types(table).items():
                found.setdefault(name.lower(), set()).add(type_)
        return found

    def types_of(self, column: Any) -> set[str]:
        """The types that a column may have; an empty text where that is not known, as
        it may be what the statement itself gives a name.
        """
        return self.types_by_name.get(column.name.lower(), {""})

    def type_of(self, node: Any) -> str:
        """The type of a column of the table; nothing for all else."""
        if kind_of(node) != "Column":
            return ""
        types = {name.lower(): kind for name, kind in self.types.items()}
        return types.get(node.name.lower(), "")

    @property
    def one_group(self) -> Any:
        """A public condition that all rows agree in: they are one group by it."""
        return trees.expression(f"{quoted(self.scope.key)} IS NULL")


def literal(value: Any) -> Any:
    """A value as SQL.  Raises Unsupported for what has no exact literal."""
    import datetime
    from decimal import Decimal

    match value:
        case None:
            return trees.expression("NULL")
        case bool() | int() | Decimal():
            return trees.expression(str(value))
        case str():
            doubled = value.replace("'", "''")
            return trees.expression(f"'{doubled}'")
        case datetime.datetime():
            if value.tzinfo is None:
                return trees.expression(f"CAST('{value}' AS TIMESTAMP)")
        case datetime.date():
            return trees.expression(f"CAST('{value}' AS DATE)")
    raise Unsupported(f"a value of type {type(value).__name__} has no exact literal")


def same(node: Any, value: Any) -> Any:
    """A condition that is true where an expression has this value, and false elsewhere.

    Never NULL.
    """
    text = trees.text_of(trees.wrapped(node))
    if value is None:
        return trees.expression(f"{text} IS NULL")
    shown = trees.text_of(literal(value))
    return trees.expression(f"({text} = {shown} AND {text} IS NOT NULL)")
