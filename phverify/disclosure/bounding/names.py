"""The names in a statement: each is one that is known, or the statement may read
something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.disclosure.bounding.pure import ADDING, COUNTING, FUNCTIONS, KNOWN
from phverify.disclosure.bounding.values import VALUES, require_value
from phverify.disclosure.bounding.visible import Visible, subquery_of
from phverify.disclosure.bounding.walking import (
    cut,
    own_nodes,
    select_of,
    sources_of,
)
from phverify.disclosure.log.catalogue import STARRED, catalogue_columns
from phverify.disclosure.log.dialect_names import SCHEMAS
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of

_HIDDEN = frozenset(
    [
        *("rowid", "_rowid_", "oid", "ctid", "xmin", "xmax", "cmin", "cmax"),
        *("tableoid", "rownum", "filename"),
    ]
)
"""Columns that no table declares: where a row is, and when it was written."""
_SCHEMAS = ("pg_catalog", "information_schema", "sys", *filter(None, SCHEMAS.values()))
"""What may stand before the dot of a function."""
PLAINLY = "write the query over the policy's tables, without it"


@dataclass(eq=False)
class StatementNames:
    """The names in a statement, and what they may mean.

    ``tables`` are those of the database, in small letters; ``dialect`` is that of
    whoever answered.
    """

    tree: Any
    scope: QueryScope
    tables: frozenset[str]
    dialect: str = "duckdb"

    @cached_property
    def sensitive(self) -> Mapping[str, str]:
        """The sensitive columns by their names, however they are written."""
        names = self.scope.sensitive
        folded = map(str.casefold, names)
        pairs = zip(folded, names, strict=True)
        return dict(pairs)

    @cached_property
    def subqueries(self) -> frozenset[str]:
        """The names of WITH."""
        nodes = self.tree.walk()
        named = [node for node in nodes if kind_of(node) == "CTE"]
        aliases = [str(node.alias) for node in named]
        return frozenset(map(str.casefold, aliases))

    @cached_property
    def visible(self) -> Visible:
        """Which names can be seen where."""
        columns = self.columns_of
        return Visible(self.dialect, columns)

    def columns_of(self, table: Any) -> frozenset[str]:
        """What a table that is there has, by the policy or as a catalogue."""
        listed = self.of_catalogue(table)
        if listed is not None:
            return listed
        written = str(table.name)
        name = written.casefold()
        columns: tuple[str, ...] = ()
        own = self.scope.table
        if name == own.casefold():
            columns = (*self.scope.public, *self.scope.sensitive)
        externals = self.scope.external
        for external, others in externals.items():
            if name == external.casefold():
                columns = (*columns, *others)
        folded = map(str.casefold, columns)
        return frozenset(folded)

    def of_catalogue(self, table: Any) -> frozenset[str] | None:
        """What a table of a catalogue says of the schema; None for any other table."""
        name = str(table.name)
        own = name.casefold() in self.tables
        if own and not table.db:
            return None
        return catalogue_columns(table, self.dialect)

    # what it is made of

    def check(self) -> None:
        """Raises Unsupported for what may read more than it names."""
        for node in self.tree.walk():
            kind = kind_of(node)
            if kind in VALUES:
                require_value(node)
            elif kind == "Anonymous":
                self.function(node)
            elif kind == "Table":
                self.table(node)
            elif kind not in KNOWN:
                raise Unsupported(f"{cut(node)} may read more than it names: {PLAINLY}")
            if kind == "Select" and node.args.get("into"):
                raise Unsupported("SELECT INTO would write")
        self.sources()
        for node in self.tree.walk():
            if kind_of(node) == "Column":
                self.column(node)
            elif kind_of(node) == "Dot":
                self.chained(node)

    def sources(self) -> None:
        """Raises Unsupported for a FROM that is not known, and for the audited table
        elsewhere than in one.
        """
        met = 0
        for select in self.selects():
            for source in sources_of(select):
                self.from_(source)
                self.starred(select, source)
                met += self.is_audited(source)
            joins = select.args.get("joins")
            for join in joins or ():
                self.visible.check_using(join, select)
        if met != sum(map(self.is_audited, self.tree.walk())):
            raise Unsupported("the table stands where no FROM is read")

    def starred(self, select: Any, source: Any) -> None:
        """Raises Unsupported for all columns of a catalogue, statistics among them."""
        if kind_of(source) != "Table" or self.of_catalogue(source) is None:
            return
        nodes = own_nodes(select)
        stars = [node for node in nodes if kind_of(node) == "Star"]
        some = any(kind_of(star.parent) != "Count" for star in stars)
        name = str(source.name).lower()
        if some and name not in STARRED:
            raise Unsupported(
                f"{cut(source)} may have statistics of the data: name its columns"
            )

    def function(self, node: Any) -> None:
        """A function that sqlglot does not know, by its name."""
        name = str(node.name).lower()
        known = (*FUNCTIONS, *COUNTING, *ADDING)
        if name not in known:
            raise Unsupported(
                f"the function {name!r} is not known: it may read data: {PLAINLY}"
            )

    def chained(self, node: Any) -> None:
        """Raises Unsupported for ``people.to_json()``, a function of a whole row: what
        stands before the dot is no column by its tree.
        """
        before = node.this
        if kind_of(before) != "Identifier":
            return
        tables = [one for one in self.tree.walk() if kind_of(one) == "Table"]
        called = {str(one.alias_or_name).casefold() for one in tables}
        name = str(before.name).casefold()
        if name not in _SCHEMAS or name in called:
            raise Unsupported(
                f"{cut(node)}: what stands before the dot is not known: {PLAINLY}"
            )

    def from_(self, source: Any) -> None:
        """What a FROM is about."""
        kind = kind_of(source)
        known = ("Table", "Subquery", "Lateral", "Unnest", "Values", "GenerateSeries")
        if kind not in known:
            raise Unsupported(
                f"FROM {cut(source)}: what it reads is not known: {PLAINLY}"
            )

    def table(self, node: Any) -> None:
        """A table of the policy, of a WITH, or of a catalogue."""
        if kind_of(node.this) != "Identifier":
            raise Unsupported(
                f"FROM {cut(node)}: what it reads is not known: {PLAINLY}"
            )
        name = str(node.name).casefold()
        alias = node.args.get("alias")
        if alias and alias.args.get("columns"):
            raise Unsupported(f"{cut(node)}: renamed columns are not bounded")
        if self.of_catalogue(node) is not None:
            return
        external = map(str.casefold, self.scope.external)
        own = self.scope.table.casefold()
        if subquery_of(node, self.dialect) is not None:
            return
        known = {own, *external}
        if node.db or node.catalog or name not in known:
            raise Unsupported(
                f"{cut(node)} is no table that the policy names: declare it public"
                " (external), or write the query over the audited table"
            )

    def column(self, node: Any) -> None:
        """Raises Unsupported for a name that nothing in the statement has."""
        if kind_of(node.this) == "Star":
            return
        name = str(node.name).casefold()
        select = select_of(node)
        bare = select is not None and next(sources_of(select), None) is None
        # Within another SELECT it may be a column of that one.
        if bare and select_of(select) is None:
            raise Unsupported(f"{cut(node)} is a column of no table")
        if self.visible.sees(node):
            return
        others = map(str.casefold, self.scope.columns)
        if name in _HIDDEN:
            raise Unsupported(
                f"{node.name!r} says where a row is kept: name rows by their key"
            )
        if name in others and self.audited(self.tree):
            # It may say what it likes of the sensitive ones.
            raise Unsupported(
                f"the policy does not say what column {node.name!r} is: public or"
                " sensitive"
            )
        if not self.row(node):
            raise Unsupported(
                f"it is not known what {cut(node)} is: a column of the policy?"
            )

    def audited(self, node: Any) -> bool:
        """Whether the audited table is in a tree."""
        nodes = node.walk()
        audited = map(self.is_audited, nodes)
        return any(audited)

    def is_audited(self, node: Any) -> bool:
        """Whether a node is the audited table."""
        if kind_of(node) != "Table":
            return False
        own = self.scope.table.casefold()
        if str(node.name).casefold() != own:
            return False
        # A table of a catalogue may be called like it.
        return self.of_catalogue(node) is None

    def row(self, node: Any) -> bool:
        """Whether a name is that of the audited table, and so means a whole row."""
        name = str(node.name).casefold()
        if node.table:
            return False
        nodes = self.tree.walk()
        tables = filter(self.is_audited, nodes)
        written = [str(one.alias_or_name) for one in tables]
        aliases = map(str.casefold, written)
        return name in aliases

    def selects(self) -> list[Any]:
        """All SELECTs of the statement."""
        nodes = self.tree.walk()
        return [node for node in nodes if kind_of(node) == "Select"]
