"""One SELECT over the audited table, as the levels of over-approximation look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.disclosure.bounding.pure import ADDING, COUNTING
from phverify.disclosure.bounding.walking import (
    counted,
    own_nodes,
    select_of,
    source_of,
)
from phverify.disclosure.bounding.what_is_read import SelectBlock, StatementReading
from phverify.disclosure.log.query import Value
from phverify.disclosure.log.sources import QueryScope, kind_of, written

_BEFORE = ("from", "from_", "joins", "where", "with_", "with")
"""The clauses that say which rows a SELECT is about."""


@dataclass(frozen=True)
class AtMost:
    """Statements that tell at least as much as a SELECT; ``says`` is what they tell, in
    words without values.
    """

    parts: tuple[str, ...]
    says: str


def _unknown(name: str) -> None:
    """Ends that are not known."""


@dataclass(frozen=True, eq=False)
class BlockView:
    """A SELECT, the statement that it stands in, and what is known of the table.

    ``kinds`` are those of its columns (integer, text, boolean, or nothing);
    ``occurring`` lists what occurs in a column.
    """

    block: SelectBlock
    statement: StatementReading
    scope: QueryScope
    kinds: Mapping[str, str]
    occurring: Callable[[str], Sequence[Value]]
    dialect: str = "duckdb"
    parts: bool = False
    """Whether its groups are parts of those that were meant."""
    rows: int = 0
    """How many rows the table has."""
    ends: Callable[[str], tuple[int, int] | None] = _unknown
    """The least and the greatest that a cell of a column of integers may be."""

    @property
    def tree(self) -> Any:
        """The SELECT."""
        return self.block.tree

    @cached_property
    def own(self) -> list[Any]:
        """The nodes that stand in no SELECT within it."""
        nodes = own_nodes(self.tree)
        return list(nodes)

    @cached_property
    def after(self) -> list[Any]:
        """The nodes of the clauses that come after FROM and WHERE."""
        nodes: list[Any] = []
        for name, clause in self.tree.args.items():
            if name in _BEFORE:
                continue
            several = clause if isinstance(clause, list) else [clause]
            trees = [one for one in several if hasattr(one, "walk")]
            for tree in trees:
                nodes += tree.walk()
        return nodes

    @property
    def mine(self) -> Iterator[Any]:
        """Those of them that stand in no SELECT within it."""
        return (node for node in self.after if select_of(node) is self.tree)

    @property
    def where(self) -> Any:
        """The clause WHERE, or None."""
        clauses = self.tree.args
        return clauses.get("where")

    @property
    def plain(self) -> bool:
        """Whether it is about the audited table and nothing else, all of its rows."""
        if not self.block.alone or self.sampled:
            return False
        parts = source_of(self.tree).args
        given = {name for name in parts if parts[name]}
        return given <= {"this", "alias", "hints"}

    @property
    def sampled(self) -> bool:
        """Whether it is about some rows by chance."""
        nodes = self.own
        kinds = map(kind_of, nodes)
        return "TableSample" in kinds

    @cached_property
    def whole(self) -> bool:
        """Whether it reads whole rows: by ``*``, by the table's name, by NATURAL."""
        for node in self.own:
            kind = kind_of(node)
            if kind == "Star" and not counted(node):
                return True
            if kind == "Join" and node.args.get("method"):
                return True
            row = kind == "Column" and not node.table
            if row and node.name.casefold() in self.block.aliases:
                return True
        return False

    def name(self, column: Any) -> str:
        """A column of the table as the policy writes it; nothing for any other."""
        table = str(column.table)
        table = table.casefold()
        if table and table not in self.block.aliases:
            return ""
        names = {name.casefold(): name for name in self.scope.columns}
        written = str(column.name)
        return names.get(written.casefold(), "")

    def secret(self, node: Any) -> bool:
        """Whether a node is a sensitive column of the table."""
        if kind_of(node) != "Column":
            return False
        name = self.name(node)
        return name in self.scope.sensitive

    def reads(self, node: Any) -> bool:
        """Whether a sensitive cell is read in a node or below it."""
        return any(map(self.secret, node.walk()))

    @cached_property
    def shadowed(self) -> bool:
        """Whether an alias is also the name of another column, and may be meant."""
        columns = {name.casefold() for name in self.scope.columns}
        for others in self.scope.external.values():
            columns |= {name.casefold() for name in others}
        for node in self.own:
            if kind_of(node) != "Alias" or node.alias.casefold() not in columns:
                continue
            named = node.this
            column = kind_of(named) == "Column"
            same = column and _same(named.name, node.alias)
            if not same and self.asked_for(node):
                return True
        return False

    def asked_for(self, alias: Any) -> bool:
        """Whether an alias, or a column called like it, is named outside of it."""
        name = alias.alias
        inside = {id(node) for node in alias.walk()}
        for node in self.tree.walk():
            if kind_of(node) != "Column" or node.table:
                continue
            outside = id(node) not in inside
            if outside and _same(node.name, name):
                return True
        return False

    # aggregates

    @cached_property
    def aggregates(self) -> list[Any]:
        """The aggregates over rows, with their FILTER: a function with OVER is none."""
        found = []
        functions = filter(aggregates, self.mine)
        for node in functions:
            whole = with_clauses(node)
            if not _over(whole) and not self.nested(whole):
                found.append(whole)
        return found

    def nested(self, node: Any) -> bool:
        """Whether an aggregate stands within another one that has no OVER."""
        above = node.parent
        while above is not None and above is not self.tree:
            if aggregates(above) and not _over(with_clauses(above)):
                return True
            above = above.parent
        return False

    @cached_property
    def aggregated(self) -> frozenset[int]:
        """The nodes in aggregates."""
        nodes: list[Any] = []
        for item in self.aggregates:
            nodes += item.walk()
        return frozenset(map(id, nodes))

    @cached_property
    def keys(self) -> list[Any]:
        """What GROUP BY has; ordinals and aliases are what they stand for."""
        group = self.tree.args.get("group")
        if group is None:
            return []
        if group.args.get("all"):
            shown = [bare(node) for node in self.tree.expressions]
            return [node for node in shown if id(node) not in self.holding]
        keys = list(group.expressions)
        for name, value in group.args.items():
            if name != "expressions" and value:
                # WITH ROLLUP and the like: the clause itself stands for its sets.
                keys += [group, *(value if isinstance(value, list) else [])]
        return [self.meant(node) for node in keys]

    @cached_property
    def holding(self) -> frozenset[int]:
        """What is shown that has an aggregate in it."""
        shown = [bare(node) for node in self.tree.expressions]
        with_one = []
        for node in shown:
            parts = {id(one) for one in node.walk()}
            if not parts.isdisjoint(self.aggregated):
                with_one.append(id(node))
        return frozenset(with_one)

    def meant(self, node: Any) -> Any:
        """What an ordinal or an alias of GROUP BY stands for; else the node."""
        shown = self.tree.expressions
        if kind_of(node) == "Literal" and str(node.this).isdecimal():
            place = int(node.this)
            return bare(shown[place - 1]) if 0 < place <= len(shown) else node
        if kind_of(node) == "Column" and not node.table and not self.name(node):
            for one in shown:
                if one.alias and _same(one.alias, node.name):
                    return bare(one)
        return node


def aggregates(node: Any) -> bool:
    """Whether a node is an aggregate function, or may be one."""
    if kind_of(node) == "Anonymous":
        return str(node.name).lower() in (*COUNTING, *ADDING)
    return any(kind.__name__ == "AggFunc" for kind in type(node).__mro__)


def bare(node: Any) -> Any:
    """What is shown, without its alias."""
    return node.this if kind_of(node) == "Alias" else node


def with_clauses(node: Any) -> Any:
    """An aggregate with its FILTER and WITHIN GROUP."""
    while kind_of(node.parent) in ("Filter", "WithinGroup", "IgnoreNulls"):
        if node.parent.this is not node:
            break
        node = node.parent
    return node


def unnamed(node: Any) -> str:
    """A condition as SQL, its columns by their own names."""
    copy = node.copy()
    for column in copy.walk():
        if kind_of(column) == "Column":
            column.set("table", None)
    return f"({written(copy)})"


def _over(node: Any) -> bool:
    """Whether a function is one over a window."""
    above = node.parent
    if kind_of(above) != "Window":
        return False
    return above.this is node


def _same(one: str, other: str) -> bool:
    first = one.casefold()
    return first == other.casefold()
