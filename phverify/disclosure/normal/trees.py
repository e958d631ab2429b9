"""Syntax trees of DuckDB's SQL: read, written, and what all steps ask of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.log.statements import not_read

Tree = Any
"""A node of sqlglot's."""
SIMPLE = ("expressions", "from_", "where")
"""What a SELECT has that only filters, renames and derives."""


def tree_of(text: str) -> Any:
    """The syntax tree of one statement.  Raises Unsupported."""
    import sqlglot

    try:
        return sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise Unsupported(f"it cannot be read: {not_read(error)}") from None


def expression(text: str) -> Any:
    """An expression, in parentheses where it stands beside others."""
    import sqlglot

    return sqlglot.parse_one(text, read="duckdb")


def text_of(tree: Any) -> str:
    """A tree as SQL."""
    return str(tree.sql("duckdb"))


def table(name: str) -> Any:
    """A table as FROM has it."""
    from sqlglot import exp

    return exp.Table(this=exp.to_identifier(name, quoted=True))


def bare(node: Any) -> Any:
    """A node without the parentheses around it."""
    while kind_of(node) == "Paren":
        node = node.this
    return node


def nonzero(literal: Any) -> bool:
    """Whether a literal is a number and not zero."""
    if literal.is_string:
        return False
    digits = set(str(literal.this))
    return bool(digits & set("123456789"))


def wrapped(node: Any) -> Any:
    """A copy of a node that can stand anywhere."""
    from sqlglot import exp

    copy = node.copy()
    plain = ("Column", "Literal", "Paren", "Star", "Subquery", "Filter", "Case", "If")
    if kind_of(copy) in plain or _is_call(copy):
        return copy
    return exp.Paren(this=copy)


def _is_call(node: Any) -> bool:
    """Whether a node is written as one call, ``name(..)``.

    What sqlglot has as a function says little: AND, OR, ``->`` and the sum of a day and
    an interval are some, and bind as the operators do that they are written with.
    """
    import sqlglot
    from sqlglot import exp

    if not isinstance(node, exp.Func):
        return False
    opening, closing = sqlglot.TokenType.L_PAREN, sqlglot.TokenType.R_PAREN
    _, *rest = [token.token_type for token in sqlglot.tokenize(text_of(node), "duckdb")]
    opened = 0
    for place, kind in enumerate(rest, start=1):
        opened += (kind == opening) - (kind == closing)
        if opened == 0:
            return place == len(rest) and kind == closing
    return False


def both(one: Any, other: Any) -> Any:
    """Two conditions at once; None is none."""
    from sqlglot import exp

    if one is None:
        return other
    if other is None:
        return one
    return exp.And(this=wrapped(one), expression=wrapped(other))


def condition(select: Any) -> Any:
    """The condition of WHERE, None where there is none."""
    where = select.args.get("where")
    return where.this if where else None


def constrain(select: Any, more: Any) -> None:
    """Add a condition to WHERE."""
    from sqlglot import exp

    found = both(condition(select), more)
    select.set("where", exp.Where(this=found.copy()) if found is not None else None)


def aggregated(select: Any) -> bool:
    """Whether a SELECT shows groups of rows."""
    from sqlglot import exp

    if select.args.get("group") or select.args.get("having"):
        return True
    for item in select.expressions:
        for node in item.find_all(exp.AggFunc):
            if node.find_ancestor(exp.Window) is None:
                return True
    return False


def clauses(select: Any) -> set[str]:
    """The clauses that a SELECT has."""
    return {name for name, value in select.args.items() if value}


def aggregate(node: Any) -> Any:
    """An aggregate with its FILTER, where it has one."""
    return node.parent if kind_of(node.parent) == "Filter" else node


def unaliased(item: Any) -> Any:
    """What an item of SELECT shows."""
    return item.this if kind_of(item) == "Alias" else item


def output(item: Any) -> str:
    """The name of a column of the answer, in small letters; nothing for a star."""
    name = str(item.alias_or_name)
    return name.lower()


def replaced(node: Any, names: Mapping[str, Any], tables: Sequence[str]) -> Any:
    """A copy of a node where columns stand for what they are.

    ``tables`` are the names that they may be qualified by.  Raises Unsupported for
    columns of other tables that are not known.
    """
    from sqlglot import exp

    def one(inner: Any) -> Any:
        if not isinstance(inner, exp.Column) or isinstance(inner.this, exp.Star):
            return inner
        if inner.table and inner.table.lower() not in tables:
            return inner
        found = names.get(inner.name.lower())
        if found is None:
            if inner.table:
                raise Unsupported(f"{text_of(inner)} is no column of a subquery")
            return inner
        return wrapped(found)

    return node.copy().transform(one)


def branches(case: Any) -> list[Any]:
    """What CASE may give, without its NULL where there is no ELSE."""
    default = case.args.get("default")
    given = [one.args["true"] for one in case.args["ifs"]]
    return given if default is None else [*given, default]
