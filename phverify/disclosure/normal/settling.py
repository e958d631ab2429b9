"""A statement as DuckDB reads it about the tables of the policy: its dialect, qualified
names and views are settled before anything else is asked of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.log.statements import tokens
from phverify.disclosure.normal import dialects, inlining, trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.normal.table_names import named
from phverify.disclosure.normal.translator import OtherMeaning
from phverify.disclosure.worlds.database import Database, asked_of_sqlite

TEXTS_IN_DOUBLE_QUOTES = ("mysql", "bigquery", "databricks", "spark", "hive")
"""Where a text may stand in double quotes, or a name, as the engine is set."""


@dataclass(frozen=True)
class Settled:
    """DuckDB's text; ``rough`` says why its answer there is no answer of the log, but a
    function of the same.

    ``own`` is the statement in its own ``dialect``, about the tables of the policy.
    ``text`` is empty where DuckDB has nothing with that meaning: then ``rough`` says
    why.
    """

    text: str
    rough: str = ""
    own: str = ""
    dialect: str = "duckdb"


def settled(
    text: str,
    context: Context,
    dialect: str,
    names: Mapping[str, str],
    views: Mapping[str, str],
) -> Settled:
    """What a statement is in DuckDB's SQL; as it stands where there is nothing to
    settle.

    Raises Unsupported.
    """
    queries = _views(views, dialect, names, context)
    own = dialect in ("", "duckdb")
    try:
        tree = dialects.read(text, dialect)
    except Unsupported:
        if own:
            # told as a syntax error by who reads it
            return Settled(text, own=text)
        raise
    if kind_of(tree) not in ("Select", "Union", "Subquery"):
        return Settled(text, own=text, dialect=dialect or "duckdb")
    if not own:
        _require_no_names(text, dialect, context)
    looked_at = _named(tree, names, queries) or dialects.kept_otherwise(tree, context)
    if own and not looked_at:
        return Settled(text, own=text)
    tree = named(tree, dialect, names)
    spoken = dialect or "duckdb"
    written = tree.sql(dialect=spoken)
    try:
        found = dialects.translated(tree, dialect, context)
    except OtherMeaning as error:
        # What it says at most may be known all the same.
        reads = dialects.keeper(context) if own else spoken
        return Settled("", str(error), written, reads or spoken)
    whole = found.tree
    if queries:
        whole = inlining.substituted(whole, queries)
    text = trees.text_of(whole)
    return Settled(text, found.rough, text if own else written, spoken)


def _require_no_names(text: str, dialect: str, context: Context) -> None:
    """Raises Unsupported where a text in double quotes may be meant as a name.

    Some engines read it as one when they are set so.
    """
    if dialect not in TEXTS_IN_DOUBLE_QUOTES:
        return
    scope = context.scope
    known = {scope.table, *scope.columns, *scope.external}
    lowered = {name.lower() for name in known}
    for token in tokens(text):
        inner = token[1:-1].lower()
        if token.startswith('"') and inner in lowered:
            what = f"{token} may be a text or a name to {dialect}"
            raise OtherMeaning(what)


def _named(tree: Any, names: Mapping[str, str], queries: Mapping[str, Any]) -> bool:
    """Whether a statement names a view, or a table by its schema."""
    from sqlglot import exp

    for table in tree.find_all(exp.Table):
        if len(table.parts) > 1 or table.name.lower() in {*queries, *names}:
            return True
    return any(column.args.get("db") for column in tree.find_all(exp.Column))


def _views(
    views: Mapping[str, str],
    dialect: str,
    names: Mapping[str, str],
    context: Context,
) -> dict[str, Any]:
    """The views of the database and of the policy, which come first."""
    found = {}
    for name, text in in_database(context.source).items():
        tree = trees.tree_of(text)
        if kind_of(tree) == "Create" and not tree.this.find(*_columns()):
            found[name.lower()] = tree.expression
    for name, text in views.items():
        tree = named(dialects.read(text, dialect), dialect, names)
        translated = dialects.translated(tree, dialect, context)
        if translated.rough:
            raise OtherMeaning(f"the view {name}: {translated.rough}")
        found[name.lower()] = translated.tree
    return found


def _columns() -> tuple[Any, ...]:
    """What names columns of a view."""
    from sqlglot import exp

    return (exp.Schema,)


def in_database(source: Database) -> dict[str, str]:
    """The text of each view of a database, as it was made."""
    if source.sqlite is not None:
        master = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        rows = asked_of_sqlite(source.sqlite, master)
    else:
        rows = source.execute(
            "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal AND"
            " schema_name = current_schema()"
        )
    return {str(name): str(sql) for name, sql in rows}
