"""What a query is about: the FROM clause, with joins to external tables, and what the
names in a query refer to.

A join with public tables repeats each row of the audited table as often as the public
columns say, with public columns beside it.  Conditions of an inner join on sensitive
columns are conditions of WHERE as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.disclosure.log import query as q
from phverify.disclosure.log.catalogue import history
from phverify.disclosure.log.functions import COMPARISONS as COMPARISONS
from phverify.disclosure.log.functions import derives
from phverify.disclosure.log.query import quoted
from phverify.errors import nearest


class Unsupported(Exception):
    """A statement that is not audited, and why; ``line`` counts within it, from 1.

    ``final``: no other form of it is sought.
    """

    status = "unsupported"
    line = 1
    final = False


class OtherStatements(Unsupported):
    """A statement about the history of statements: no other form of it says less."""

    final = True


def kind_of(node: Any) -> str:
    """The name of a node's class."""
    return type(node).__name__


def more(node: Any, *known: str) -> list[str]:
    """What a node has beside what is known."""
    # sqlglot names every part that a node could have; those it lacks are empty.
    parts = node.args.items()
    given = [name for name, value in parts if value]
    return [name for name in given if name not in known]


def outside(node: Any, where: str = "") -> Unsupported:
    """What is said of a node that no query of the fragment has."""
    return Unsupported(f"{written(node)}{where} is outside the audited fragment")


def written(node: Any) -> str:
    """A node as SQL."""
    sql = str(node.sql("duckdb"))
    return sql.strip()


def _no_table(node: Any) -> str:
    """What is said of a node in FROM that is no table."""
    if kind_of(node) in ("Subquery", "Select", "Lateral"):
        return (
            "a subquery in FROM is audited where it can be written into the query"
            " around it, and this one cannot"
        )
    return f"FROM is audited for tables and subqueries, not for {written(node)}"


def named(node: Any) -> list[Any]:
    """The columns in a node."""
    nodes = node.walk()
    return [inner for inner in nodes if kind_of(inner) == "Column"]


@dataclass(frozen=True)
class QueryScope:
    """The names that a query may use.

    The table, its key, its columns by role, all of its columns in their order, the
    columns of each external table, and what sensitive cells may be.
    """

    table: str
    key: str
    public: Sequence[str]
    sensitive: Sequence[str]
    columns: Sequence[str]
    external: Mapping[str, Sequence[str]]
    domains: Mapping[str, Any] = field(default_factory=dict)
    more_keys: Sequence[str] = ()

    @property
    def keys(self) -> Sequence[str]:
        """The columns that together name each row."""
        return (self.key, *self.more_keys)

    @property
    def names(self) -> list[str]:
        """All tables and columns."""
        names = [self.table, *self.columns]
        for table, columns in self.external.items():
            names += [table, *columns]
        return names

    def column(self, name: str) -> str:
        """The column of the table as the policy writes it.

        Raises Unsupported for any other.
        """
        roles = (*self.public, *self.sensitive)
        known = [column for column in roles if column.lower() == name.lower()]
        if known:  # the database takes É and é for two columns
            if name in known:
                return name
            return known[0]
        if name.lower() in map(str.lower, self.columns):
            raise Unsupported(
                f"the policy does not say what column {name!r} is: public or sensitive"
            )
        hint = nearest(name, roles, "columns")
        raise Unsupported(f"the table has no column {name!r}; {hint}")


def beside(alias: str, column: str) -> str:
    """The name, in a query, of a column of an external table."""
    return f"{quoted(alias)}.{quoted(column)}"


class Source:
    """One FROM clause while it is read.  ``tables`` are external tables by alias, ""
    stands for the audited one; ``shared`` are the columns of USING, and ``moved`` the
    conditions of ON that belong to WHERE.
    """

    def __init__(self, scope: QueryScope) -> None:
        self.scope = scope
        self.tables: dict[str, str] = {}
        self.shared: set[str] = set()
        self.moved: list[Any] = []
        self.written = ""

    @property
    def joined(self) -> bool:
        """Whether the clause has more than one table."""
        return len(self.tables) > 1

    @property
    def join(self) -> q.Join | None:
        """The clause for the database to execute; None for the table alone."""
        external = tuple((alias, name) for alias, name in self.tables.items() if name)
        if not external:
            return None
        keys = [beside(self.main, name) for name in self.scope.keys]
        key = ", ".join(keys)
        return q.Join(self.written, key, external, self.main)

    @property
    def main(self) -> str:
        """What the audited table is called."""
        tables = self.tables.items()
        return next(alias for alias, name in tables if not name)

    def columns(self, alias: str) -> Sequence[str]:
        """The columns of a table by its alias."""
        name = self.tables[alias]
        if not name:
            return self.scope.columns
        return self.scope.external[name]

    def holders(self, name: str) -> list[str]:
        """The tables that have a column."""
        holders = []
        for alias in self.tables:
            names = map(str.lower, self.columns(alias))
            if name.lower() in names:
                holders.append(alias)
        return holders

    def column(self, node: Any) -> str:
        """The column that a name refers to.  Raises Unsupported."""
        alias = node.table.lower()
        schema = node.args.get("db") or node.args.get("catalog")

        # Another schema may have another table of this name.
        if schema or (alias and alias not in self.tables):
            raise Unsupported(f"{written(node)} is no column of the audited table")

        # Where USING joins a column its two copies are equal.
        holders = self.holders(node.name)
        if not alias and len(holders) > 1 and node.name.lower() not in self.shared:
            raise Unsupported(
                f"{written(node)} may be a column of {' or '.join(holders)}"
            )
        alias = alias or next(iter(holders), self.main)
        if not self.tables[alias]:
            return self.scope.column(node.name)
        for column in self.columns(alias):
            if column.lower() == node.name.lower():
                return beside(alias, column)
        hint = nearest(node.name, self.columns(alias), "columns")
        raise Unsupported(f"{self.tables[alias]!r} has no column {node.name!r}; {hint}")

    def touches(self, node: Any) -> bool:
        """Whether a condition is about a sensitive column."""
        # All names are looked up, so that an unknown one is told.
        names = set(map(self.column, named(node)))
        return not names.isdisjoint(self.scope.sensitive)

    def derived(self, node: Any) -> str:
        """What is derived from public columns, as a column of its own.

        In parentheses, so that it stands for itself in GROUP BY as well.
        """
        if not named(node) or self.touches(node):
            raise outside(node)
        return f"({self.plain(node)})"

    def plain(self, node: Any) -> str:
        """What public columns say, for the database to decide.

        Only of operators that have one value for a row.
        """
        for inner in node.walk():
            if not derives(inner):
                raise outside(inner, " in a condition")

        # Without a join the condition is asked of the table by its own name.
        copy = node.copy()
        if not self.joined:
            for column in named(copy):
                column.set("table", None)
        return str(copy.sql("duckdb"))

    def add(self, table: Any) -> str:
        """One table of the clause; returns its alias.  Raises Unsupported."""
        if kind_of(table) != "Table" or kind_of(table.this) != "Identifier":
            raise Unsupported(_no_table(table))
        known = {name.lower(): name for name in self.scope.external}
        known[self.scope.table.lower()] = ""
        lowered = table.name.lower()
        if lowered not in known and history(lowered):
            raise OtherStatements(history(lowered))
        if more(table, "this", "alias") or lowered not in known:
            names = [self.scope.table, *self.scope.external]
            tables = " and ".join(map(repr, names))
            why = f"only queries about {tables} are audited, not {written(table)}"
            # A file or frame of one table is called as the policy says.
            if lowered not in known:
                why += f' (is it the table? table = "{table.name}" in the policy)'
            raise Unsupported(why)

        # ``FROM t AS u (a, b)`` gives columns other names.
        renamed = table.args.get("alias")
        if renamed and renamed.args.get("columns"):
            raise Unsupported(
                "renamed columns in FROM are outside the audited fragment"
            )
        alias = str(table.alias_or_name).lower()
        name = known[lowered]
        # The audited table beside itself would pair its rows.
        twice = not name and "" in self.tables.values()
        if twice or alias in self.tables:
            raise Unsupported(f"{written(table)}: FROM has this table already")
        self.tables[alias] = name
        return alias

    def read(self, first: Any, joins: Sequence[Any]) -> None:
        """The whole clause.

        Raises Unsupported for what is no inner join, and no left join of an external
        table, on public columns.
        """
        self.add(first)
        self.written = written(first)
        for join in joins:
            left = self.is_left(join)
            alias = self.add(join.this)
            if left and not self.tables[alias]:
                raise Unsupported(
                    "a LEFT JOIN is audited where the audited table stands on its left"
                    " side"
                )

            # Conditions on sensitive columns move to WHERE: what stays is public.
            how = self.using(join, alias) or self.on(join, left)
            kind = "INNER" if how else "CROSS"
            if left and how:
                kind = "LEFT"
            self.written += f" {kind} JOIN {written(join.this)}{how}"
        if "" not in self.tables.values():
            raise Unsupported(f"only queries about {self.scope.table!r} are audited")

    def is_left(self, join: Any) -> bool:
        """Whether a join is a left one.

        Raises Unsupported where it is neither that nor an inner one.
        """
        side = join.args.get("side")
        kind = join.args.get("kind")
        words = " ".join(filter(None, (side, kind)))
        known = words in ("", "INNER", "CROSS", *_LEFT)
        others = more(join, "this", "kind", "side", "on", "using")
        if others or not known:
            raise Unsupported(
                f"{written(join)}: a JOIN is audited when it is an inner or a left one"
            )
        return words in _LEFT

    def using(self, join: Any, alias: str) -> str:
        """USING: one value for two columns.

        An unqualified name means the first of them.
        """
        names = [str(node.name) for node in join.args.get("using") or ()]
        for name in names:
            left = [holder for holder in self.holders(name) if holder != alias]
            if len(left) != 1:
                raise Unsupported(
                    f"USING ({name}) does not name one column of the tables before it"
                )
            # The audited table is the one without a name of its own.
            tables = self.tables[left[0]], self.tables[alias]
            own = "" in tables
            if own and self.scope.column(name) in self.scope.sensitive:
                raise Unsupported(
                    f"USING a sensitive column ({name}) is outside the audited fragment"
                )
        lowered = {name.lower() for name in names}
        self.shared |= lowered
        if names:
            listed = ", ".join(map(quoted, names))
            return f" USING ({listed})"
        return ""

    def on(self, join: Any, left: bool) -> str:
        """ON: its public parts stay, the others move to WHERE."""
        public = []
        for part in _conjuncts(join.args.get("on")):
            if not self.touches(part):
                public.append(part)
            elif left:
                raise Unsupported(
                    "a LEFT JOIN on a sensitive column is outside the audited fragment"
                )
            else:
                self.moved.append(part)
        if not public:
            return ""
        return " ON " + " AND ".join(f"({self.plain(part)})" for part in public)


_LEFT = ("LEFT", "LEFT OUTER")


def _conjuncts(node: Any) -> Iterator[Any]:
    """What a condition is made of by AND; None has no part."""
    match kind_of(node):
        case "NoneType":
            return
        case "Paren":
            yield from _conjuncts(node.this)
        case "And":
            yield from _conjuncts(node.this)
            yield from _conjuncts(node.expression)
        case _:
            yield node
