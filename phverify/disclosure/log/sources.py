"""What a query is about: the FROM clause, with joins to external tables, and what the names in a query refer to.

A join with public tables repeats each row of the audited table as often as the public columns say, with public
columns beside it.  Conditions of an inner join on sensitive columns are conditions of WHERE as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.errors import nearest


class Unsupported(Exception):
    """A statement that is not audited, and why; ``line`` counts within it, from 1."""

    status = "unsupported"
    line = 1


def kind_of(node: Any) -> str:
    """The name of a node's class."""
    return type(node).__name__


def more(node: Any, *known: str) -> list[str]:
    """What a node has beside what is known."""
    return [name for name, value in node.args.items() if value and name not in known]


def outside(node: Any, where: str = "") -> Unsupported:
    """What is said of a node that no query of the fragment has."""
    return Unsupported(f"{node.sql('duckdb')}{where} is outside the audited fragment")


@dataclass(frozen=True)
class Scope:
    """The names that a query may use: the table, its key, its columns by role, what else the table has, and the
    columns of each external table.  ``order`` is that of the table's columns, for ``SELECT *``."""

    table: str
    key: str
    public: Collection[str]
    sensitive: Collection[str]
    others: Collection[str] = ()
    external: Mapping[str, Collection[str]] = field(default_factory=dict)
    order: Sequence[str] = ()

    def column(self, name: str) -> str:
        """The column of the table as the policy writes it.  Raises Unsupported for any other."""
        known = [column for column in (*self.public, *self.sensitive) if column.lower() == name.lower()]
        if known:  # the database takes É and é for two columns
            return name if name in known else known[0]
        if name.lower() in {other.lower() for other in self.others}:
            raise Unsupported(f"the policy does not say what column {name!r} is: public or sensitive")
        hint = nearest(name, (*self.public, *self.sensitive), "columns")
        raise Unsupported(f"the table has no column {name!r}; {hint}")

    @property
    def own(self) -> tuple[str, ...]:
        """All columns of the table."""
        return (*self.public, *self.sensitive, *self.others)


def beside(alias: str, column: str) -> str:
    """The name, in a query, of a column of an external table."""
    return f"{quoted(alias)}.{quoted(column)}"


@dataclass
class Source:
    """One FROM clause while it is read.  ``tables`` are external tables by alias, "" stands for the audited one."""

    scope: Scope
    tables: dict[str, str] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    moved: list[Any] = field(default_factory=list)
    written: str = ""

    @property
    def joined(self) -> bool:
        return len(self.tables) > 1

    @property
    def join(self) -> q.Join | None:
        """The clause for the database to execute; None for the table alone."""
        external = tuple((alias, name) for alias, name in self.tables.items() if name)
        return q.Join(self.written, beside(self.main, self.scope.key), external) if external else None

    @property
    def main(self) -> str:
        """What the audited table is called."""
        return next(alias for alias, name in self.tables.items() if not name)

    def columns(self, alias: str) -> tuple[str, ...]:
        name = self.tables[alias]
        return tuple(self.scope.external[name]) if name else self.scope.own

    def column(self, node: Any) -> str:
        """The column that a name refers to.  Raises Unsupported."""
        alias = node.table.lower()
        if node.args.get("db") or node.args.get("catalog") or (alias and alias not in self.tables):
            raise Unsupported(f"{node.sql('duckdb')} is no column of the audited table")
        name = node.name.lower()
        holders = [a for a in self.tables if name in {c.lower() for c in self.columns(a)}]
        if not alias and len(holders) > 1 and name not in self.shared:
            raise Unsupported(f"{node.sql('duckdb')} may be a column of {' or '.join(holders)}")
        alias = alias or (holders[0] if holders else self.main)
        if not self.tables[alias]:
            return self.scope.column(node.name)
        known = next((c for c in self.columns(alias) if c.lower() == name), None)
        if known is None:
            hint = nearest(node.name, self.columns(alias), "columns")
            raise Unsupported(f"{self.tables[alias]!r} has no column {node.name!r}; {hint}")
        return beside(alias, known)

    def add(self, table: Any) -> str:
        """One table of the clause; returns its alias.  Raises Unsupported."""
        if kind_of(table) != "Table" or kind_of(table.this) != "Identifier":
            raise Unsupported("FROM is audited for tables, not for subqueries or functions")
        extra = more(table, "this", "alias")
        name = next((n for n in self.scope.external if n.lower() == table.name.lower()), "")
        if extra or not (name or table.name.lower() == self.scope.table.lower()):
            known = [self.scope.table, *self.scope.external]
            raise Unsupported(f"only queries about {' and '.join(map(repr, known))} are audited, not {_text(table)}")
        if table.args.get("alias") and table.args["alias"].args.get("columns"):
            raise Unsupported("renamed columns in FROM are outside the audited fragment")
        alias = str(table.alias_or_name).lower()
        if alias in self.tables or (not name and "" in self.tables.values()):
            raise Unsupported(f"{_text(table)}: FROM has this table already")
        self.tables[alias] = name
        return alias

    def read(self, first: Any, joins: list[Any], plain: Callable[[Any], str], private: Callable[[Any], bool]) -> None:
        """The whole clause: ``plain`` writes a public condition, ``private`` says that one is about sensitive columns.

        Raises Unsupported for what is no inner join, and no left join of an external table, on public columns.
        """
        self.add(first)
        self.written = _text(first)
        for join in joins:
            kind = _kind(join)
            alias = self.add(join.this)
            if kind == "LEFT" and not self.tables[alias]:
                raise Unsupported("a LEFT JOIN is audited where the audited table stands on its left side")
            how = self.using(join, alias) or self.on(join, kind, plain, private)
            self.written += f" {kind if how else 'CROSS'} JOIN {_text(join.this)}{how}"
        if "" not in self.tables.values():
            raise Unsupported(f"only queries about {self.scope.table!r} are audited")

    def using(self, join: Any, alias: str) -> str:
        """USING: one value for two columns, of which an unqualified name means the first."""
        names = [str(node.name) for node in join.args.get("using") or ()]
        for name in names:
            left = [a for a in self.tables if a != alias and name.lower() in {c.lower() for c in self.columns(a)}]
            if len(left) != 1:
                raise Unsupported(f"USING ({name}) does not name one column of the tables before it")
            for holder in (left[0], alias):
                if not self.tables[holder] and self.scope.column(name) in self.scope.sensitive:
                    raise Unsupported(f"USING a sensitive column ({name}) is outside the audited fragment")
        self.shared |= {name.lower() for name in names}
        return f" USING ({', '.join(map(quoted, names))})" if names else ""

    def on(self, join: Any, kind: str, plain: Callable[[Any], str], private: Callable[[Any], bool]) -> str:
        """ON: its public parts stay, the others move to WHERE."""
        parts = list(_conjuncts(join.args.get("on")))
        moved = [part for part in parts if private(part)]
        kept = [part for part in parts if not private(part)]
        if moved and kind == "LEFT":
            raise Unsupported("a LEFT JOIN on a sensitive column is outside the audited fragment")
        self.moved += moved
        return f" ON {' AND '.join(f'({plain(part)})' for part in kept)}" if kept else ""


def _kind(join: Any) -> str:
    extra = more(join, "this", "kind", "side", "on", "using")
    kind = " ".join(word for word in (join.args.get("side"), join.args.get("kind")) if word)
    if extra or kind not in ("", "INNER", "CROSS", "LEFT", "LEFT OUTER"):
        raise Unsupported(f"{_text(join)}: a JOIN is audited when it is an inner or a left one")
    return "LEFT" if kind.startswith("LEFT") else "INNER"


def _conjuncts(node: Any) -> Any:
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


def _text(node: Any) -> str:
    return str(node.sql("duckdb")).strip()
