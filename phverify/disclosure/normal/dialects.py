"""Statements of other engines as DuckDB's SQL, as far as they mean the same there.

What is on a list here means the same in all engines, or is written so that it does.
All else is refused; where it is only a function of what would be shown anyway, as the
quotient of two aggregates, the statement says at most what these say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.log.statements import not_read
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.normal.moments import has_percent
from phverify.disclosure.normal.translator import OtherMeaning, Translator


@dataclass(frozen=True)
class Translated:
    """A tree of DuckDB's SQL; ``rough`` says why only what it is a function of is the
    same there, nothing where its answer is.
    """

    tree: Any
    rough: str = ""


def read(text: str, dialect: str) -> Any:
    """The syntax tree of one statement of a dialect.  Raises Unsupported."""
    import sqlglot

    try:
        tree = sqlglot.parse_one(text, read=dialect or "duckdb")
    except sqlglot.errors.SqlglotError as error:
        said = not_read(error)
        raise OtherMeaning(f"it cannot be read as {dialect}: {said}") from None
    _require_tables(tree)
    if has_percent(tree, text, dialect):
        raise OtherMeaning(f"templates of days have no % for {dialect}")
    return tree


def _require_tables(tree: Any) -> None:
    """Raises Unsupported for a temporary table, and for a text in the place of one."""
    from sqlglot import exp

    for start in tree.find_all(exp.From, exp.Join):
        if kind_of(start.this) == "Literal":
            raise OtherMeaning(f"FROM {trees.text_of(start.this)}: a text is no table")
    for table in tree.find_all(exp.Table):
        own = table.this
        if kind_of(own) == "Literal":
            raise OtherMeaning(f"FROM {trees.text_of(own)}: a text is no table")
        if kind_of(own) != "Identifier":
            continue
        name = str(own.this)
        if name.startswith(("'", '"')):
            raise OtherMeaning(f"FROM {name}: a text is no table")
        temporary = own.args.get("temporary") or own.args.get("global_")
        if temporary or name.startswith("#"):
            raise OtherMeaning(
                f"{name} is a temporary table: write the query that filled it"
            )


def translated(tree: Any, dialect: str, context: Context) -> Translated:
    """A statement of another engine with DuckDB's meaning.

    Raises Unsupported where that is not known.
    """
    if dialect in ("", "duckdb"):
        if why := kept_otherwise(tree, context):
            raise OtherMeaning(why)
        return Translated(tree)
    reader = Translator(dialect, context)
    tree = reader.tree(tree.copy())
    return Translated(tree, reader.rough)


def keeper(context: Context) -> str:
    """The dialect of the engine that keeps the table; nothing where DuckDB does."""
    source = context.source
    return "postgres" if source.server else "sqlite" if source.sqlite else ""


def kept_otherwise(tree: Any, context: Context) -> str:
    """Why a statement may mean something else to the engine that keeps the table, where
    no dialect is said; nothing where it does not.

    What it makes of public columns is asked of it, row by row.  What it makes of
    sensitive ones in other worlds is not: there it may fail where DuckDB does not, or
    have another value.
    """
    from sqlglot import exp

    engine = keeper(context)
    if not engine or not context.touched(tree):
        return ""
    reader = Translator(engine, context)
    for node in tree.walk():
        if isinstance(node, exp.Div | exp.IntDiv | exp.Mod):
            other = not _plain_remainder(node)
        else:
            other = bool(context.touched(node)) and not reader.surely(node)
        if other:
            return (
                f"{trees.text_of(node)} may mean something else to the engine that"
                f" keeps the table (--dialect {engine} reads it as that does)"
            )
    return ""


def _plain_remainder(node: Any) -> bool:
    """Whether this is the remainder by a number, which is the same everywhere."""
    divisor = trees.bare(node.expression)
    plain = kind_of(divisor) == "Literal" and trees.nonzero(divisor)
    return plain and kind_of(node) == "Mod"
