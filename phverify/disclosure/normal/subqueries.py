"""Subqueries over public columns in conditions: each has one answer in all worlds,
which stands in its place.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.functions import DERIVED, zoned
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import STRUCTURE, Context, literal

LARGEST = 1000
"""Rows of a subquery that are written out."""
_QUERY = {
    *STRUCTURE,
    *DERIVED,
    *("Select", "From", "Table", "TableAlias", "Group", "Subquery", "Alias", "Having"),
    *("Join", "Distinct"),
}


def evaluated(tree: Any, context: Context) -> Any:
    """A statement with the answers of its public subqueries in their places.

    Those of FROM stay.  Raises Unsupported for subqueries over sensitive columns.
    """
    from sqlglot import exp

    tree = tree.copy()
    for node in list(tree.find_all(exp.In)):
        query = node.args.get("query")
        if query is not None and _whole(node):
            node.replace(_among(node, query, context))
    for node in list(tree.find_all(exp.Exists)):
        if _whole(node):
            rows = _rows(node.this, context)
            node.replace(trees.expression(str(bool(rows)).upper()))
    for node in list(tree.find_all(exp.Subquery)):
        within = isinstance(node.parent, exp.From | exp.Join | exp.Query | exp.CTE)
        if within or not _whole(node) or node.alias:
            continue
        rows = _rows(node, context)
        if len(rows) > 1 or (rows and len(rows[0]) != 1):
            raise Unsupported(f"{trees.text_of(node)} is more than one value")
        node.replace(literal(rows[0][0] if rows else None))
    return tree


def _whole(node: Any) -> bool:
    """Whether a node still stands in the tree, and in no subquery that goes."""
    from sqlglot import exp

    return node.find_ancestor(exp.In, exp.Exists) is None


def _among(node: Any, query: Any, context: Context) -> Any:
    """IN the values that a subquery has."""
    from sqlglot import exp

    rows = _rows(query, context)
    if any(len(row) != 1 for row in rows):
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    values = list(dict.fromkeys(row[0] for row in rows))
    if not values:
        return trees.expression("FALSE")
    listed = [literal(value) for value in values]
    return exp.In(this=node.this.copy(), expressions=listed)


def _rows(query: Any, context: Context) -> list[tuple[Any, ...]]:
    """The answer of a public subquery, by itself.

    Raises Unsupported for one that is not public, or is about the query around it.
    """
    from sqlglot import exp

    query = query.copy()
    while kind_of(query) == "Subquery":
        query = query.this
    known = {name.lower(): columns for name, columns in context.scope.external.items()}
    own = context.scope.table.lower()
    allowed: set[str] = set()
    for table in query.find_all(exp.Table):
        name = table.name.lower()
        if table.args.get("db") or (name != own and name not in known):
            raise Unsupported(f"{trees.text_of(table)} in a subquery is not audited")
        columns = known.get(name, (*context.scope.keys, *context.scope.public))
        allowed |= set(map(str.lower, columns))
    about = {table.name.lower() for table in query.find_all(exp.Table)}
    if own in about:
        allowed -= set(map(str.lower, context.scope.sensitive))
    for node in query.walk():
        if kind_of(node) not in _QUERY or zoned(node):
            raise Unsupported(f"{trees.text_of(node)} in a subquery is not audited")
        if kind_of(node) == "Star" and kind_of(node.parent) != "Count":
            raise Unsupported("* in a subquery is not audited")
        if isinstance(node, exp.Column) and node.name.lower() not in allowed:
            raise Unsupported(
                f"{trees.text_of(node)} in a subquery is no public column of its tables"
            )
    rows = context.run(f"SELECT * FROM ({trees.text_of(query)}) LIMIT {LARGEST + 1}")
    if len(rows) > LARGEST:
        raise Unsupported(f"a subquery of more than {LARGEST:,} rows is not audited")
    return rows
