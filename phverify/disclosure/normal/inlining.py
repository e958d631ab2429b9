"""Names for queries: WITH, views and subqueries in FROM, put in their places.

A subquery that only filters, renames and derives is part of the query around it; a
query that only filters and renames the groups of a subquery is one with HAVING.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of
from phverify.disclosure.normal import aliases, trees

Queries = Mapping[str, Any]
"""Queries by their names, in small letters."""
DEPTH = 32
"""Queries within queries."""
_OUTER = (*trees.SIMPLE, "order", "limit", "distinct")


def substituted(tree: Any, views: Queries) -> Any:
    """A statement where names of queries are subqueries.

    ``views`` are those of the database and of the policy.  Raises Unsupported where
    they are named by themselves.
    """
    return _substituted(tree, views, DEPTH)


def _substituted(tree: Any, queries: Queries, depth: int) -> Any:
    """Names of queries as subqueries.

    Raises Unsupported where they are named by themselves.
    """
    from sqlglot import exp

    if depth == 0:
        raise Unsupported("a query that is named by itself is outside the fragment")
    tree = tree.copy()
    within = tree.args.get("with_")
    if within and within.args.get("recursive"):
        raise Unsupported("WITH RECURSIVE is outside the audited fragment")
    known = dict(queries)
    for one in within.expressions if within else ():
        alias = one.args["alias"]
        if alias.args.get("columns"):
            raise Unsupported("WITH that names columns is outside the fragment")
        # a name means what stands before it: never itself
        known[alias.name.lower()] = _substituted(one.this, known, depth - 1)
    tree.set("with_", None)
    if tree.find(exp.With):
        raise Unsupported("WITH in a subquery is outside the audited fragment")
    for table in list(tree.find_all(exp.Table)):
        name = table.name.lower()
        if name not in known or table.args.get("db"):
            continue
        alias = table.alias or table.name
        others = {key: value for key, value in queries.items() if key != name}
        query = _substituted(known[name], others, depth - 1)
        as_ = exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
        table.replace(exp.Subquery(this=query, alias=as_))
    return tree


def merged(tree: Any, scope: QueryScope) -> Any:
    """A query whose subqueries in FROM are part of it, where that can be.

    Raises Unsupported.
    """

    if kind_of(tree) in ("Union", "Subquery"):
        for part in ("this", "expression"):
            if tree.args.get(part):
                tree.set(part, merged(tree.args[part], scope))
        return tree
    if kind_of(tree) != "Select" or not tree.args.get("from_"):
        return tree
    tree = aliases.resolved(tree, available(tree, scope))
    return _put_in(tree, scope)


def _put_in(tree: Any, scope: QueryScope) -> Any:
    """A SELECT with the subqueries of its FROM in it."""
    from sqlglot import exp

    holders = [tree.args["from_"], *(tree.args.get("joins") or [])]
    for holder in holders:
        inner = holder.this
        if not isinstance(inner, exp.Subquery):
            continue
        query = merged(inner.unnest(), scope)
        holder.set("this", exp.Subquery(this=query, alias=inner.args.get("alias")))
        if kind_of(query) != "Select":
            return tree
        if not query.args.get("limit"):
            query.set("order", None)
        simple = {*trees.SIMPLE, "joins"} if len(holders) == 1 else {*trees.SIMPLE}
        if trees.clauses(query) <= simple and not trees.aggregated(query):
            _raise_windows(query)
            tree = _filtered(tree, holder, query, scope)
        elif len(holders) == 1:
            return _renamed(tree, query, inner.alias, scope)
    return tree


def _raise_windows(query: Any) -> None:
    """Raises Unsupported for a window in a subquery: rows that are filtered outside
    count in it.
    """
    from sqlglot import exp

    if query.find(exp.Window):
        raise Unsupported("a window in a subquery is outside the audited fragment")


def _filtered(tree: Any, holder: Any, query: Any, scope: QueryScope) -> Any:
    """The query with the condition and the columns of a subquery that filters."""
    start = query.args.get("from_")
    if start is None:
        raise Unsupported("a subquery without FROM is outside the audited fragment")
    source = start.this
    side = str(holder.args.get("side") or "")
    joined = bool(tree.args.get("joins"))
    where = trees.condition(query)
    if kind_of(source) != "Table" or (side and where is not None):
        raise Unsupported("this subquery in FROM is outside the audited fragment")
    alias = holder.this.alias
    new = str(source.alias_or_name)
    if joined:
        others = [one for one in _tables(tree) if one is not holder.this]
        names = [str(one.alias_or_name).lower() for one in others]
        if new.lower() in names or any(map(_using, tree.args["joins"])):
            raise Unsupported("this subquery in a JOIN is outside the fragment")
    outputs = _outputs(query, scope)
    if joined:
        for name, node in outputs.items():
            outputs[name] = _qualified(node, new)
    where = _qualified(where, new) if joined and where is not None else where
    holder.set("this", source.copy())
    found = _replaced(tree, outputs, alias, new)
    if query.args.get("joins"):
        found.set("joins", [join.copy() for join in query.args["joins"]])
    trees.constrain(found, where)
    return found


def _using(join: Any) -> bool:
    """Whether a join is by columns of one name."""
    return bool(join.args.get("using"))


def _tables(tree: Any) -> list[Any]:
    """What stands in FROM."""
    return [
        tree.args["from_"].this,
        *(one.this for one in tree.args.get("joins") or []),
    ]


def _qualified(node: Any, table: str) -> Any:
    """A copy with the table's name before each column."""
    from sqlglot import exp

    copy = node.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", exp.to_identifier(table, quoted=True))
    return copy


def _outputs(query: Any, scope: QueryScope) -> dict[str, Any]:
    """What each column of a subquery stands for.

    Raises Unsupported where two have one name.
    """
    from sqlglot import exp

    found: dict[str, Any] = {}
    for item in query.expressions:
        if kind_of(item) == "Star" or (
            kind_of(item) == "Column" and kind_of(item.this) == "Star"
        ):
            several = _starred(item, query, scope)
        else:
            several = {trees.output(item): trees.unaliased(item)}
        for name, node in several.items():
            if name in found:
                raise Unsupported(f"a subquery shows two columns {name!r}")
            found[name] = node
    found.pop("", None)
    for node in found.values():
        if node.find(exp.Query):
            raise Unsupported("a subquery in SELECT is outside the audited fragment")
    return found


def _starred(item: Any, query: Any, scope: QueryScope) -> dict[str, Any]:
    """All columns of the one table of a subquery, without those that are excluded."""
    from sqlglot import exp

    source = query.args["from_"].this
    star = item if kind_of(item) == "Star" else item.this
    more = {name for name, value in star.args.items() if value}
    if kind_of(source) != "Table" or query.args.get("joins") or more - {"except_"}:
        raise Unsupported("* in this subquery is outside the audited fragment")
    out = {one.name.lower() for one in star.args.get("except_") or ()}
    known = {name.lower(): name for name in scope.external}
    columns: Sequence[str] = scope.columns
    if source.name.lower() != scope.table.lower():
        if source.name.lower() not in known:
            raise Unsupported(f"only queries about {scope.table!r} are audited")
        columns = scope.external[known[source.name.lower()]]
    kept = [name for name in columns if name.lower() not in out]
    return {
        name.lower(): exp.column(exp.to_identifier(name, quoted=True)) for name in kept
    }


def _replaced(tree: Any, outputs: Mapping[str, Any], alias: str, new: str) -> Any:
    """The query around a subquery, with what its columns stand for.

    Raises Unsupported for a name that the subquery does not show.
    """
    from sqlglot import exp

    joined = bool(tree.args.get("joins"))
    items: list[Any] = []
    for item in tree.expressions:
        if kind_of(item) == "Star" and not joined and not any(item.args.values()):
            starred = [exp.column(name, quoted=True) for name in outputs]
            items += [_named(one) for one in starred]
        elif kind_of(item) == "Column" and kind_of(item.this) != "Star":
            items.append(_named(item))
        else:
            items.append(item)
    tree.set("expressions", items)
    for column in list(tree.find_all(exp.Column)):
        own = not column.table or column.table.lower() == alias.lower()
        name = column.name.lower()
        within = column.find_ancestor(exp.Query)
        if within is not tree and own and name in outputs:
            raise Unsupported("a subquery beside a subquery is outside the fragment")
        if kind_of(column.this) == "Star":
            raise Unsupported("* of a subquery is outside the audited fragment")
        if own and name not in outputs and not joined:
            raise Unsupported(f"{trees.text_of(column)} is no column of the subquery")
    return trees.replaced(tree, outputs, [alias.lower()])


def _named(column: Any) -> Any:
    """A column with its name, which it keeps whatever it stands for."""
    from sqlglot import exp

    name = exp.to_identifier(column.name, quoted=True)
    return exp.alias_(column.copy(), name)


def _renamed(tree: Any, query: Any, alias: str, scope: QueryScope) -> Any:
    """A query over the groups of a subquery that filters and renames them."""
    from sqlglot import exp

    inner = {*trees.SIMPLE, "joins", "group", "having"}
    simple = trees.clauses(tree) <= set(_OUTER) and not tree.args.get("distinct")
    if not simple or trees.aggregated(tree) or trees.clauses(query) - inner:
        return tree
    if query.find(exp.Window) or tree.find(exp.Window):
        return tree
    outputs = _outputs(query, scope)
    where = trees.condition(tree)
    tree.set("where", None)
    order = tree.args.get("order")
    if where is not None and where.find(exp.Query):
        return tree
    tree.args["from_"].set("this", trees.table(alias))
    found = _replaced(tree, outputs, alias, alias)
    new = query.copy()
    new.set("expressions", found.expressions)
    new.set("order", found.args.get("order") if order else None)
    new.set("limit", tree.args.get("limit"))
    if where is not None:
        outer = exp.select("*").where(where)
        mended = trees.replaced(trees.condition(outer), outputs, [alias.lower()])
        having = new.args.get("having")
        whole = trees.both(having.this if having else None, mended)
        if not trees.aggregated(query):
            raise Unsupported("this subquery in FROM is outside the audited fragment")
        new.set("having", exp.Having(this=whole))
    if trees.aggregated(query) and not trees.aggregated(new):
        raise Unsupported("this subquery in FROM is outside the audited fragment")
    return new


def available(select: Any, scope: QueryScope) -> set[str]:
    """The columns of what stands in FROM, in small letters."""
    external = {name.lower(): columns for name, columns in scope.external.items()}
    found: set[str] = set()
    for source in _tables(select):
        if kind_of(source) == "Subquery" and kind_of(source.unnest()) == "Select":
            found |= set(_names(source.unnest(), scope))
        elif kind_of(source) == "Table":
            name = source.name.lower()
            own = name == scope.table.lower()
            columns = scope.columns if own else external.get(name, ())
            found |= set(map(str.lower, columns))
    return found


def _names(query: Any, scope: QueryScope) -> set[str]:
    """The names of the columns of a subquery."""
    if any(item.is_star for item in query.expressions):
        return available(query, scope)
    return set(map(trees.output, query.expressions))
