"""What a statement reads, at most: which tables, which sensitive columns, in which of
its SELECTs.

A name that could be a sensitive column counts as one wherever it stands.  Where it is
not plain which SELECT a name belongs to (``doubt``), the statement counts as one that
reads the columns it names of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from phverify.disclosure.bounding.catalogue import STARRED, catalogue_columns
from phverify.disclosure.bounding.pure import ADDING, COUNTING, FUNCTIONS, KNOWN, PICKS
from phverify.disclosure.log.sources import (
    QueryScope,
    Unsupported,
    kind_of,
    more,
    written,
)

_HIDDEN = frozenset(
    "rowid _rowid_ oid ctid xmin xmax cmin cmax tableoid rownum filename".split()
)
"""Columns that no table declares: where a row is, and when it was written."""
QUERIES = ("Select", "Union", "Except", "Intersect", "Subquery", "Values")
"""What a statement that is bounded may be."""


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
        return kind_of(start) == "Table" and not self.tree.args.get("joins")


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
    tree: Any, scope: QueryScope, tables: Sequence[str] = ()
) -> StatementReading:
    """What a syntax tree reads; ``tables`` are those that the database has.

    Raises Unsupported for what may read something else.
    """
    if kind_of(tree) not in QUERIES:
        raise Unsupported(f"{kind_of(tree).upper()} is no query")
    reader = _Reader(tree, scope, frozenset(map(str.casefold, tables)))
    reader.check()
    blocks = tuple(reader.blocks())
    return StatementReading(
        tree, blocks, frozenset(reader.named), reader.doubt, reader.picks()
    )


def source_of(select: Any) -> Any:
    """What stands first in the FROM of a SELECT; None where it has none."""
    start = select.args.get("from_") or select.args.get("from")
    return start.this if start else None


def sources_of(select: Any) -> Iterator[Any]:
    """The tables and subqueries in the FROM of a SELECT, those in parentheses, too.

    Raises Unsupported for tables that have one name together.
    """
    first = source_of(select)
    if first is not None:
        yield from _flat(first)
    for join in select.args.get("joins") or ():
        yield from _flat(join.this)


def _flat(source: Any) -> Iterator[Any]:
    """A table, a subquery, or what is joined in parentheses."""
    inner = source.this
    if kind_of(source) == "Subquery" and not _is_query(inner):
        if source.alias:
            raise Unsupported("a JOIN in parentheses with a name is not bounded")
        yield from _flat(inner)
    else:
        yield source
    for join in source.args.get("joins") or ():
        yield from _flat(join.this)


def _is_query(node: Any) -> bool:
    """Whether what stands in parentheses is a query, and no table."""
    if kind_of(node) == "Subquery":
        return _is_query(node.this) and not node.args.get("joins")
    return kind_of(node) in QUERIES


def select_of(node: Any) -> Any:
    """The SELECT that a node stands in; None where it stands in none."""
    above = node.parent
    while above is not None and kind_of(above) != "Select":
        above = above.parent
    return above


def own_nodes(select: Any) -> Iterator[Any]:
    """The nodes of a SELECT that stand in no SELECT within it."""
    yield from select.walk(prune=lambda node: _within(node, select))


def _within(node: Any, select: Any) -> bool:
    return node is not select and kind_of(node) == "Select"


@dataclass(eq=False)
class _Reader:
    """One walk over a tree; ``named`` and ``doubt`` are filled by ``blocks``."""

    tree: Any
    scope: QueryScope
    tables: frozenset[str]
    named: set[str] = field(default_factory=set)
    doubt: bool = False

    @cached_property
    def sensitive(self) -> Mapping[str, str]:
        """The sensitive columns by their names, however they are written."""
        return {name.casefold(): name for name in self.scope.sensitive}

    @cached_property
    def made(self) -> frozenset[str]:
        """The names that the statement gives: aliases, columns of subqueries."""
        names = set()
        for node in self.tree.walk():
            kind = kind_of(node)
            if kind in ("Alias", "TableAlias", "CTE"):
                names.add(str(node.alias or node.name).casefold())
            if kind == "TableAlias":
                columns = node.args.get("columns") or ()
                names |= {str(column.name).casefold() for column in columns}
            if kind == "Lambda":
                names |= {str(one.name).casefold() for one in node.expressions}
        return frozenset(names)

    @cached_property
    def subqueries(self) -> frozenset[str]:
        """The names of WITH."""
        nodes = self.tree.walk()
        return frozenset(
            str(node.alias).casefold() for node in nodes if kind_of(node) == "CTE"
        )

    @cached_property
    def catalogue(self) -> frozenset[str]:
        """Columns of the catalogues that the statement is about."""
        names: set[str] = set()
        for node in self.tree.walk():
            if kind_of(node) == "Table":
                names |= self.of_catalogue(node) or frozenset()
        return frozenset(names)

    def of_catalogue(self, table: Any) -> frozenset[str] | None:
        """What a table of a catalogue says of the schema; None for any other table."""
        own = str(table.name).casefold() in self.tables
        if own and not table.db:
            return None
        return catalogue_columns(table)

    # what it is made of

    def check(self) -> None:
        """Raises Unsupported for what may read more than it names."""
        for node in self.tree.walk():
            kind = kind_of(node)
            if kind in ("Placeholder", "Parameter"):
                raise Unsupported(
                    f"{_shown(node)} stands for something that was filled in: log the"
                    " statement with its values"
                )
            if kind == "Anonymous":
                self.function(node)
            elif kind == "Table":
                self.table(node)
            elif kind not in KNOWN:
                raise Unsupported(f"{_shown(node)} may read more than it names")
            if kind == "Select" and node.args.get("into"):
                raise Unsupported("SELECT INTO would write")
        self.sources()
        for node in self.tree.walk():
            if kind_of(node) == "Column":
                self.column(node)

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
        if met != sum(map(self.is_audited, self.tree.walk())):
            raise Unsupported("the table stands where no FROM is read")

    def starred(self, select: Any, source: Any) -> None:
        """Raises Unsupported for all columns of a catalogue, statistics among them."""
        if kind_of(source) != "Table" or self.of_catalogue(source) is None:
            return
        stars = [node for node in own_nodes(select) if kind_of(node) == "Star"]
        some = any(kind_of(star.parent) != "Count" for star in stars)
        if some and str(source.name).lower() not in STARRED:
            raise Unsupported(
                f"{_shown(source)} may have statistics of the data: name its columns"
            )

    def function(self, node: Any) -> None:
        """A function that sqlglot does not know, by its name."""
        name = str(node.name).lower()
        if name not in (*FUNCTIONS, *COUNTING, *ADDING):
            raise Unsupported(f"the function {name!r} is not known: it may read data")

    def from_(self, source: Any) -> None:
        """What a FROM is about."""
        known = ("Table", "Subquery", "Lateral", "Unnest", "Values", "GenerateSeries")
        if kind_of(source) not in known:
            raise Unsupported(f"FROM {_shown(source)}: what it reads is not known")

    def table(self, node: Any) -> None:
        """A table of the policy, of a WITH, or of a catalogue."""
        if kind_of(node.this) != "Identifier":
            raise Unsupported(f"FROM {_shown(node)}: what it reads is not known")
        name = str(node.name).casefold()
        alias = node.args.get("alias")
        if alias and alias.args.get("columns"):
            raise Unsupported(f"{_shown(node)}: renamed columns are not bounded")
        if self.of_catalogue(node) is not None:
            return
        known = {self.scope.table.casefold(), *map(str.casefold, self.scope.external)}
        if node.db or node.catalog or name not in known | self.subqueries:
            raise Unsupported(
                f"{_shown(node)} is no table that the policy names: declare it public"
                " (external), or write the query over the audited table"
            )
        if name in known & self.subqueries:
            self.doubt = True

    def column(self, node: Any) -> None:
        """Raises Unsupported for a name that nothing in the statement has."""
        if kind_of(node.this) == "Star":
            return
        name = str(node.name).casefold()
        select = select_of(node)
        if select is not None and next(sources_of(select), None) is None:
            # Within another SELECT it may be a column of that one.
            if select_of(select) is None:
                raise Unsupported(f"{_shown(node)} is a column of no table")
        roles = map(str.casefold, (*self.scope.public, *self.scope.sensitive))
        others = map(str.casefold, self.scope.columns)
        external = {
            column.casefold()
            for columns in self.scope.external.values()
            for column in columns
        }
        if name in {*roles, *external, *self.catalogue}:
            return
        if name in _HIDDEN:
            raise Unsupported(f"{node.name!r} says where a row is kept")
        if name in others and self.audited(self.tree):
            # It may say what it likes of the sensitive ones.
            raise Unsupported(
                f"the policy does not say what column {node.name!r} is: public or"
                " sensitive"
            )
        if name not in self.made and not self.row(node):
            raise Unsupported(f"it is not known what {_shown(node)} is")

    def audited(self, node: Any) -> bool:
        """Whether the audited table is in a tree."""
        return any(map(self.is_audited, node.walk()))

    def is_audited(self, node: Any) -> bool:
        """Whether a node is the audited table."""
        own = self.scope.table.casefold()
        if kind_of(node) != "Table" or str(node.name).casefold() != own:
            return False
        # A table of a catalogue may be called like it.
        return self.of_catalogue(node) is None

    def row(self, node: Any) -> bool:
        """Whether a name is that of the audited table, and so means a whole row."""
        name = str(node.name).casefold()
        if node.table:
            return False
        tables = filter(self.is_audited, self.tree.walk())
        return any(name == str(one.alias_or_name).casefold() for one in tables)

    def picks(self) -> bool:
        """Whether something looks at the order of rows."""
        for node in self.tree.walk():
            if kind_of(node) in PICKS or str(node.name).lower() in ADDING:
                return True
            if kind_of(node) == "Distinct" and node.args.get("on"):
                return True
        return False

    # who reads what

    def selects(self) -> list[Any]:
        """All SELECTs of the statement."""
        return [node for node in self.tree.walk() if kind_of(node) == "Select"]

    def blocks(self) -> Iterator[SelectBlock]:
        """The SELECTs over the audited table, with what each of them reads."""
        selects = self.selects()
        aliases = {id(select): self.own_aliases(select) for select in selects}
        core = [select for select in selects if aliases[id(select)]]
        for select in selects:
            if not aliases[id(select)] and _among(select, core):
                self.between(select)
        for select in core:
            reads = frozenset(self.own_reads(select, aliases[id(select)]))
            self.named |= reads
            yield SelectBlock(select, aliases[id(select)], reads)
        if self.doubt:
            self.named |= set(self.anywhere())

    def own_aliases(self, select: Any) -> frozenset[str]:
        """What the audited table is called in the FROM of a SELECT."""
        tables = filter(self.is_audited, sources_of(select))
        return frozenset(str(table.alias_or_name).casefold() for table in tables)

    def other_aliases(self, select: Any) -> frozenset[str]:
        """What the other tables and subqueries of a FROM are called."""
        others = [one for one in sources_of(select) if not self.is_audited(one)]
        return frozenset(str(one.alias_or_name).casefold() for one in others)

    def between(self, select: Any) -> None:
        """A SELECT within one over the audited table may read the rows of that."""
        own = self.other_aliases(select)
        for node in own_nodes(select):
            if kind_of(node) != "Column":
                continue
            known = str(node.table).casefold() in own if node.table else False
            named = str(node.name).casefold() in self.sensitive or self.row(node)
            if (named or kind_of(node.this) == "Star") and not known:
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
        if name is None or _left_out(node):
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
        if kind_of(above) == "Count" and not more(star):
            return False
        if kind_of(above) == "Column":
            return str(above.table).casefold() not in others
        # EXISTS looks at no cell of what is shown.
        return not _shown_to_exists(star)

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
        left_out = {
            str(node.name).casefold() for node in star.walk() if _left_out(node)
        }
        for name in self.all_columns():
            if name.casefold() not in left_out:
                yield name

    def anywhere(self) -> Iterator[str]:
        """Whatever may be a sensitive column, wherever it stands."""
        for node in self.tree.walk():
            kind = kind_of(node)
            if kind == "Star" and (kind_of(node.parent) != "Count" or more(node)):
                yield from self.all_columns()
            elif kind == "Column" and self.row(node):
                yield from self.all_columns()
            elif kind == "Identifier":
                name = self.sensitive.get(str(node.name).casefold())
                if name is not None:
                    yield name


def _among(select: Any, core: Sequence[Any]) -> bool:
    """Whether a SELECT stands within one of these."""
    above = select_of(select)
    while above is not None:
        if any(above is one for one in core):
            return True
        above = select_of(above)
    return False


def _left_out(node: Any) -> bool:
    """Whether a node is a name that ``*`` leaves out."""
    if kind_of(node) == "Identifier" and kind_of(node.parent) == "Column":
        node = node.parent
    above = node.parent
    if kind_of(above) != "Star":
        return False
    named = above.args.get("except_") or above.args.get("except") or []
    return any(one is node for one in named)


def _shown_to_exists(star: Any) -> bool:
    select = select_of(star)
    if select is None or star.parent is not select:
        return False
    above = select.parent
    return kind_of(above) == "Exists" or (
        kind_of(above) == "Subquery" and kind_of(above.parent) == "Exists"
    )


def _shown(node: Any) -> str:
    """A node as SQL, as far as it fits in a sentence."""
    text = written(node)
    return text if len(text) <= 60 else f"{text[:57]}..."
