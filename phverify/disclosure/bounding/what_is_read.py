"""What a statement reads, at most: which tables, which sensitive columns, in which of
its SELECTs.

A name that could be a sensitive column counts as one wherever it stands.  Where it is
not plain which SELECT a name belongs to (``doubt``), the statement counts as one that
reads the columns it names of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.disclosure.bounding.names import StatementNames
from phverify.disclosure.bounding.pure import ADDING, PICKS
from phverify.disclosure.bounding.walking import (
    QUERIES,
    among,
    counted,
    left_out,
    own_nodes,
    select_of,
    shown_to_exists,
    source_of,
    sources_of,
)
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of

_ALL_OF_A_NAME = ("duckdb", "bigquery")
"""Dialects whose ``*`` leaves out every column of a name, of whatever table."""


@dataclass(frozen=True, eq=False)
class SelectBlock:
    """One SELECT that has the audited table in its own FROM, ``alias`` by alias."""

    tree: Any
    aliases: frozenset[str]
    reads: frozenset[str]

    @property
    def alone(self) -> bool:
        """Whether its FROM is the audited table and nothing else."""
        start = source_of(self.tree)
        joins = self.tree.args.get("joins")
        if joins:
            return False
        return kind_of(start) == "Table"


@dataclass(frozen=True, eq=False)
class StatementReading:
    """What a statement reads.

    ``blocks`` are its SELECTs over the audited table; ``named`` are all sensitive
    columns that some name may mean.  ``picks``: something looks at the order of rows.
    """

    tree: Any
    blocks: tuple[SelectBlock, ...]
    named: frozenset[str]
    doubt: bool
    picks: bool

    @property
    def public(self) -> bool:
        """Whether it reads no sensitive cell."""
        return not self.named


def reading(
    tree: Any, scope: QueryScope, tables: Sequence[str], dialect: str
) -> StatementReading:
    """What a syntax tree reads; ``tables`` are those that the database has.

    Raises Unsupported for what may read something else.
    """
    if kind_of(tree) not in QUERIES:
        raise Unsupported(f"{kind_of(tree).upper()} is no query")
    names = map(str.casefold, tables)
    reader = _WhoReads(tree, scope, frozenset(names), dialect)
    reader.check()
    blocks = tuple(reader.blocks())
    named = frozenset(reader.named)
    picks = reader.picks()
    return StatementReading(tree, blocks, named, reader.doubt, picks)


@dataclass(eq=False)
class _WhoReads(StatementNames):
    """One walk over a tree; ``named`` and ``doubt`` are filled by ``blocks``."""

    named: set[str] = field(default_factory=set)
    doubt: bool = False

    def picks(self) -> bool:
        """Whether something looks at the order of rows."""
        for node in self.tree.walk():
            kind = kind_of(node)
            if kind in PICKS or str(node.name).lower() in ADDING:
                return True
            if kind == "Distinct" and node.args.get("on"):
                return True
        return False

    # who reads what

    def blocks(self) -> Iterator[SelectBlock]:
        """The SELECTs over the audited table, with what each of them reads."""
        # A table and a WITH of one name: which of them is meant is not looked into.
        own = {self.scope.table.casefold(), *map(str.casefold, self.scope.external)}
        self.doubt = not own.isdisjoint(self.subqueries)
        # Which columns COLUMNS(..) stands for is not looked into.
        self.doubt |= any(kind_of(node) == "Columns" for node in self.tree.walk())
        selects = self.selects()
        aliases = {id(select): self.own_aliases(select) for select in selects}
        core = [select for select in selects if aliases[id(select)]]
        for select in selects:
            if not aliases[id(select)] and among(select, core):
                self.between(select)
        for select in core:
            reads = frozenset(self.own_reads(select, aliases[id(select)]))
            self.named |= reads
            yield SelectBlock(select, aliases[id(select)], reads)
        if self.doubt:
            self.named |= set(self.anywhere())

    def own_aliases(self, select: Any) -> frozenset[str]:
        """What the audited table is called in the FROM of a SELECT."""
        sources = sources_of(select)
        tables = filter(self.is_audited, sources)
        names = [str(table.alias_or_name) for table in tables]
        return frozenset(map(str.casefold, names))

    def other_aliases(self, select: Any) -> frozenset[str]:
        """What the other tables and subqueries of a FROM are called."""
        sources = sources_of(select)
        others = [one for one in sources if not self.is_audited(one)]
        names = [str(one.alias_or_name) for one in others]
        return frozenset(map(str.casefold, names))

    def between(self, select: Any) -> None:
        """A SELECT within one over the audited table may read the rows of that."""
        own = self.other_aliases(select)
        nodes = own_nodes(select)
        columns = [node for node in nodes if kind_of(node) == "Column"]
        for column in columns:
            table = str(column.table)
            if table and table.casefold() in own:
                continue
            name = str(column.name)
            star = kind_of(column.this) == "Star"
            named = name.casefold() in self.sensitive
            row = self.row(column)
            if star or named or row:
                self.doubt = True

    def own_reads(self, select: Any, aliases: frozenset[str]) -> Iterator[str]:
        """The sensitive columns that a SELECT over the audited table reads itself."""
        others = self.other_aliases(select)
        for node in own_nodes(select):
            kind = kind_of(node)
            if kind == "Star" and self.every(node, others):
                yield from self.starred_columns(node)
            elif kind == "Column" and self.row(node):
                yield from self.all_columns()
            elif kind == "Join" and node.args.get("method"):
                # NATURAL names no column, and compares all that are called alike.
                yield from self.all_columns()
            elif kind == "Identifier":
                yield from self.identifier(node, aliases, others)

    def identifier(
        self, node: Any, aliases: frozenset[str], others: frozenset[str]
    ) -> Iterator[str]:
        """A name that may be a sensitive column."""
        name = self.sensitive.get(str(node.name).casefold())
        if name is None or left_out(node):
            return
        column = node.parent
        table = ""
        if kind_of(column) == "Column" and column.this is node:
            table = str(column.table).casefold()
        if table and table in others and table not in aliases:
            return
        # A name of a table further out: which row is meant is not plain.
        if table and table not in aliases:
            self.doubt = True
        yield name

    def every(self, star: Any, others: frozenset[str]) -> bool:
        """Whether ``*`` shows the cells of the audited table."""
        above = star.parent
        if counted(star):
            return False
        if kind_of(above) == "Column":
            return str(above.table).casefold() not in others
        # EXISTS looks at no cell of what is shown.
        return not shown_to_exists(star)

    def all_columns(self) -> Iterator[str]:
        """All sensitive columns, where the policy names each column of the table."""
        for name in self.scope.columns:
            if name not in self.scope.public and name not in self.scope.sensitive:
                raise Unsupported(
                    f"it shows {name!r}, which the policy does not name: public or"
                    " sensitive?"
                )
        yield from self.scope.sensitive

    def starred_columns(self, star: Any) -> Iterator[str]:
        """The sensitive columns that ``*`` shows."""
        nodes = star.walk()
        left = [node for node in nodes if left_out(node)]
        names = [node for node in left if kind_of(node) == "Column"]
        excluded = {str(node.name) for node in names if self.everywhere(node, star)}
        for name in self.all_columns():
            if not any(_surely_one(name, other) for other in excluded):
                yield name

    def everywhere(self, name: Any, star: Any) -> bool:
        """Whether a name that ``*`` leaves out surely stands for that column of the
        audited table wherever it is in the FROM.

        ``* EXCLUDE (p.wage)`` shows ``q.wage``, and of a name alone some engines say
        that it is one of several.
        """
        select = select_of(star)
        sources = list(sources_of(select))
        alone = len(sources) == 1 and not select.args.get("laterals")
        above = star.parent
        if not name.table:
            of_one = kind_of(above) == "Column" and above.table
            return alone or bool(of_one) or self.dialect in _ALL_OF_A_NAME
        if name.args.get("db") or name.table.casefold() in self.columns_of(sources[0]):
            return False
        called = str(sources[0].alias_or_name)
        return alone and name.table.casefold() == called.casefold()

    def anywhere(self) -> Iterator[str]:
        """Whatever may be a sensitive column, wherever it stands."""
        nodes = self.tree.walk()
        for node in nodes:
            kind = kind_of(node)
            star = kind == "Columns" or (kind == "Star" and not counted(node))
            row = kind == "Column" and self.row(node)
            if star or row:
                yield from self.all_columns()
            elif kind == "Identifier":
                written = str(node.name)
                name = self.sensitive.get(written.casefold())
                if name is not None:
                    yield name


def _surely_one(name: str, other: str) -> bool:
    """Whether two names are one to every engine: capitals of ASCII alone are folded."""
    if name.isascii() and other.isascii():
        return name.lower() == other.lower()
    return name == other
