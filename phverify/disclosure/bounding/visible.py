"""Which names can be seen where: the columns of the tables in FROM, of subqueries and
of WITH, and aliases where the dialect lets them be used.

A name that nothing gives there is one of a column that is not known, however often the
statement gives that name elsewhere: ``SELECT wage AS wage`` reads ``wage``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from phverify.disclosure.bounding.walking import QUERIES, sources_of
from phverify.disclosure.log.sources import Unsupported, kind_of

_SETS = ("Union", "Except", "Intersect")
_EVERYWHERE = ("duckdb", "snowflake", "sqlite")
"""Dialects that let conditions name what is shown."""
_LATERAL = ("duckdb", "snowflake", "redshift", "databricks", "spark")
"""Dialects that let an item name those before it."""
_HAVING = (*_EVERYWHERE, "mysql", "bigquery", "databricks", "spark")
_NO_GROUPS = ("tsql", "oracle", "trino")
"""Dialects that group by columns alone."""
_CAPITALS = ("snowflake", "oracle")
"""Dialects to which a name without quotes is one in capitals."""
_BARE = ("postgres", "redshift", "tsql")
"""Dialects where a name within an expression is none of what is shown."""


def subquery_of(table: Any, dialect: str) -> Any:
    """The subquery of WITH that the name of a table means there; None where it is a
    table's own: ``WITH a AS (SELECT * FROM a)`` reads the table.
    """
    if table.db or table.catalog:
        return None
    inside, above = table, table.parent
    while above is not None:
        for one in _in_reach(above, inside):
            if _same(one.args["alias"].this, table.this, dialect):
                return one
        inside, above = above, above.parent
    return None


def _in_reach(above: Any, inside: Any) -> Iterator[Any]:
    """The subqueries of WITH that a part of a node can name."""
    if kind_of(above) != "With":
        with_ = above.args.get("with_") or above.args.get("with")
        if with_ is not None and with_ is not inside:
            yield from with_.expressions
        return
    for one in above.expressions:
        if one is inside:
            if above.args.get("recursive"):
                yield one
            return
        yield one


def _same(one: Any, other: Any, dialect: str) -> bool:
    """Whether two names are surely one: in quotes their letters may matter."""
    quoted = bool(one.args.get("quoted")), bool(other.args.get("quoted"))
    if not any(quoted):
        return str(one.this).casefold() == str(other.this).casefold()
    if not all(quoted) and dialect in _CAPITALS:
        return False
    return str(one.this) == str(other.this)


def called(source: Any) -> str:
    """What a table or subquery of a FROM is called there."""
    name = str(source.alias_or_name)
    return name.casefold()


@dataclass(frozen=True, eq=False)
class Visible:
    """What can be seen in a statement of a dialect; ``columns`` says those of a table
    that is there.
    """

    dialect: str
    columns: Callable[[Any], frozenset[str]]

    def sees(self, column: Any) -> bool:
        """Whether something gives the name of a column where it stands."""
        name = str(column.name).casefold()
        table = str(column.table).casefold()
        for sources in self.around(column):
            for source in sources:
                if table and called(source) != table:
                    continue
                if name in self.given(source):
                    return True
                if table:
                    # A table of that name further out is hidden by this one.
                    return False
        return not table and name in self.aliases(column)

    def around(self, node: Any) -> Iterator[list[Any]]:
        """The tables and subqueries that a node can see, those next to it first."""
        inside, above = node, node.parent
        while above is not None:
            select = kind_of(above) == "Select"
            if select:
                seen = self.seen_from(above, inside, node)
                yield seen
            inside, above = above, above.parent

    def seen_from(self, select: Any, part: Any, node: Any) -> list[Any]:
        """Those of one SELECT that a node in a part of it can see."""
        if kind_of(part) == "With":
            return []
        if kind_of(part) not in ("From", "Join"):
            return list(sources_of(select))
        # In a FROM what comes later is not there yet.
        seen: list[Any] = []
        for source in sources_of(select):
            if _within(node, source):
                beside = kind_of(source) not in (*QUERIES, "Table")
                return seen if beside else []
            if kind_of(part) == "Join" and _after(source, part, select):
                break
            seen.append(source)
        return seen

    def given(self, source: Any) -> frozenset[str]:
        """The names of the columns of a table or subquery of a FROM."""
        return self._given(source, ())

    def _given(self, source: Any, busy: tuple[int, ...]) -> frozenset[str]:
        alias = source.args.get("alias")
        renamed = _renamed(alias)
        if renamed:
            return renamed
        kind = kind_of(source)
        if kind == "Table":
            subquery = subquery_of(source, self.dialect)
            if subquery is None:
                return self.columns(source)
            # A recursive one has what its first part gives.
            if id(subquery) in busy:
                return frozenset()
            return self._subquery(subquery, (*busy, id(subquery)))
        if kind in QUERIES:
            return self._outputs(source, busy)
        inner = source.this
        names = frozenset([called(source)])
        return names | (self._outputs(inner, busy) if _query(inner) else frozenset())

    def _subquery(self, subquery: Any, busy: tuple[int, ...]) -> frozenset[str]:
        """The names of the columns of a subquery of WITH."""
        alias = subquery.args["alias"]
        renamed = _renamed(alias)
        if renamed:
            return renamed
        query = subquery.this
        return self._outputs(query, busy)

    def _outputs(self, query: Any, busy: tuple[int, ...]) -> frozenset[str]:
        """The names of what a query shows."""
        kind = kind_of(query)
        if kind in (*_SETS, "Subquery"):
            return self._outputs(query.this, busy)
        if kind != "Select":
            return frozenset()
        names: set[str] = set()
        for item in query.expressions:
            if item.find(*_star()) is not None:
                for source in sources_of(query):
                    names |= self._given(source, busy)
            names.add(called(item))
        names -= {"", "*"}
        return frozenset(names)

    def aliases(self, node: Any) -> frozenset[str]:
        """The names of what is shown that a node may mean, and of parameters."""
        names: set[str] = set()
        inside, above = node, node.parent
        while above is not None and kind_of(above) != "Select":
            if kind_of(above) == "Lambda":
                names |= {str(one.name).casefold() for one in above.expressions}
            if kind_of(above) in _SETS and kind_of(inside) == "Order":
                return frozenset(names) | self._outputs(above, ())
            inside, above = above, above.parent
        if above is not None:
            names |= self._shown(above, inside, node)
        return frozenset(names)

    def _shown(self, select: Any, part: Any, node: Any) -> set[str]:
        """The aliases of a SELECT that a node in a part of it may mean."""
        items = list(select.expressions)
        kind = kind_of(part)
        places = [item is part for item in items]
        if any(places):
            allowed = self.dialect in _LATERAL
            place = places.index(True)
            items = items[:place]
        elif kind in ("Order", "Group", "Having", "Qualify"):
            above = kind_of(node.parent)
            bare = above in ("Ordered", "Group")
            allowed = bare or self.dialect not in _BARE
            if kind == "Group":
                allowed = allowed and self.dialect not in _NO_GROUPS
            if kind == "Having":
                allowed = self.dialect in _HAVING
        else:
            allowed = self.dialect in _EVERYWHERE
        if not allowed:
            return set()
        named = [item for item in items if kind_of(item) == "Alias"]
        written = [str(item.alias) for item in named]
        folded = map(str.casefold, written)
        return set(folded)

    def check_using(self, join: Any, select: Any) -> None:
        """Raises Unsupported for USING with a column that no table there has."""
        sources = self.seen_from(select, join, join)
        known = frozenset[str]().union(*map(self.given, sources))
        for one in join.args.get("using") or ():
            if str(one.name).casefold() not in known:
                raise Unsupported(f"it is not known what {one.name} is in USING")


def _renamed(alias: Any) -> frozenset[str]:
    """The names that an alias gives to columns."""
    columns = alias.args.get("columns") if alias else None
    names = [str(one.name) for one in columns or ()]
    folded = map(str.casefold, names)
    return frozenset(folded)


def _query(node: Any) -> bool:
    if node is None:
        return False
    return kind_of(node) in QUERIES


def _star() -> tuple[Any, ...]:
    from sqlglot import exp

    return (exp.Star,)


def _within(node: Any, source: Any) -> bool:
    """Whether a node stands in a table or subquery of a FROM."""
    while node is not None:
        if node is source:
            return True
        node = node.parent
    return False


def _after(source: Any, join: Any, select: Any) -> bool:
    """Whether a table or subquery comes only after a join."""
    joins = select.args.get("joins") or []
    places = [one is join for one in joins]
    later = joins[places.index(True) + 1 :]
    return any(_within(source, one) for one in later)
