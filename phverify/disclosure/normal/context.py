"""What the steps to the normal form look things up in: names, domains, the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.disclosure.log.functions import DERIVED
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.worlds.database import Database, Row

PARTS = 200
"""Of so many statements one statement is made at most."""
STRUCTURE = {
    *("Sum", "Count", "Avg", "Min", "Max", "Median", "Filter", "Where", "Distinct"),
    *("Star", "CountIf"),
}
"""What an aggregate is made of beside operators."""


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
            if kind_of(inner) not in DERIVED and kind_of(inner) not in more:
                raise Unsupported(
                    f"{trees.text_of(inner)} is outside the audited fragment"
                )

    def public(self, node: Any) -> bool:
        """Whether an expression has one value in all worlds."""
        return node is None or not self.touched(node)

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
