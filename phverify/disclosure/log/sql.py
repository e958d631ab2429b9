"""SQL text to ``Query``, by sqlglot's syntax tree.  What lies outside the fragment
raises ``Unsupported`` with why.

Everything is on a list of what is known: a clause or function that is not named here is
never passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from phverify.disclosure.connectives import AllOf, Proposition
from phverify.disclosure.log import query as q
from phverify.disclosure.log.conditions import ConditionReader
from phverify.disclosure.log.silent import no_select
from phverify.disclosure.log.sources import (
    COMPARISONS,
    kind_of,
    more,
    named,
    outside,
    written,
)
from phverify.disclosure.log.sources import QueryScope as QueryScope
from phverify.disclosure.log.sources import Unsupported as Unsupported
from phverify.disclosure.log.sql_text import (
    RefusedWrite,
    quiet,
    syntax_tree,
)
from phverify.spec.source import Plain


def parse(text: str, scope: QueryScope) -> q.SqlQuery:
    """The query of one SELECT.

    Raises Silent, Ambiguous, Broken, RefusedWrite or Unsupported.
    """
    sqlglot = quiet()
    tree = syntax_tree(text, sqlglot)
    return _QueryReader(scope, sqlglot.exp).query(tree, text)


_WRITES = frozenset(
    [
        *("Insert", "Update", "Delete", "Merge", "Copy"),
        *("Create", "Drop", "Alter", "TruncateTable", "Attach", "Detach"),
    ]
)
_CLAUSES = (
    *("expressions", "from", "from_", "joins"),
    *("where", "group", "having", "order"),
)
_SAID = {"with_": "WITH"}
_AGGREGATES = {
    "Count": "count",
    "Sum": "sum",
    "Avg": "avg",
    "Min": "min",
    "Max": "max",
    "Median": "median",
}
_SMALL = {ord(c): c.lower() for c in ascii_uppercase}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _QueryReader(ConditionReader):
    """One pass over a syntax tree; each method reads one kind of node.

    ``exp`` is sqlglot.expressions.
    """

    def __init__(self, scope: QueryScope, exp: Any) -> None:
        super().__init__(scope)
        self.scope = scope
        self.exp = exp

    def query(self, tree: Any, text: str) -> q.SqlQuery:
        """The whole statement."""
        self.select(tree, text)
        start = tree.args.get("from_") or tree.args.get("from")
        if start is None:
            raise Unsupported("a query without FROM is not audited")

        # FROM comes first: names in all other clauses are looked up there.
        self.source.read(start.this, tree.args.get("joins") or [])
        groups = self.groups(tree.args.get("group"))
        shown = self.shown(tree.expressions)
        having = self.having(tree.args.get("having"), tree.expressions)
        where = self.where(tree.args.get("where"))
        query = q.SqlQuery(shown, where, groups, self.source.join, having)
        self.check_shown(query)
        self.order(tree.args.get("order"), tree.expressions)
        return query

    def select(self, tree: Any, text: str) -> None:
        """Raises RefusedWrite or Unsupported for what is no SELECT of known clauses."""
        kind = kind_of(tree)
        # Anywhere in the tree: a WITH may hold an INSERT.
        if any(kind_of(node) in _WRITES for node in tree.walk()):
            raise RefusedWrite(
                f"{kind.upper()} would write: refused, the database is read-only"
            )
        if kind != "Select":
            raise Unsupported(no_select(kind, text))

        # A clause that is not on the list is never passed over.
        for name in more(tree, *_CLAUSES):
            clause = _SAID.get(name, name.upper())
            raise Unsupported(f"{clause} is outside the audited fragment")

    def where(self, clause: Any) -> Proposition | None:
        """WHERE, and what inner joins ask of sensitive columns."""
        conditions = list(self.source.moved)
        if clause:
            conditions.append(clause.this)
        parts = tuple(map(self.predicate, conditions))
        if len(parts) > 1:
            return AllOf(parts)
        return parts[0] if parts else None

    def check_shown(self, query: q.SqlQuery) -> None:
        """Raises Unsupported where it is not clear what the rows of the answer are."""
        # Which row, or which group, an answer is about must be seen in it.
        names = {item.name for item in query.shown if isinstance(item, q.SqlColumn)}
        groups = set(query.groups)
        keys = self.scope.keys
        if not query.aggregated and not names.issuperset(keys):
            named = " and ".join(map(repr, keys))
            raise Unsupported(
                f"rows are audited when their key {named} is shown with them"
            )
        if query.aggregated and names - groups:
            raise Unsupported(
                "a column stands beside an aggregate and is not in GROUP BY"
            )
        if groups - names:
            raise Unsupported("GROUP BY is audited when each of its columns is shown")

    def groups(self, clause: Any) -> tuple[str, ...]:
        """GROUP BY, over public columns."""
        if clause is None:
            return ()
        if more(clause, "expressions"):
            raise Unsupported("GROUP BY is audited for columns only")
        names = tuple(map(self.grouping, clause.expressions))
        for name in names:
            if name in self.scope.sensitive:
                raise Unsupported(
                    f"GROUP BY a sensitive column ({name}) is outside the audited"
                    " fragment"
                )
        return names

    def grouping(self, node: Any) -> str:
        """What rows are grouped by: a column, or what is derived from public ones."""
        bare = _bare(node)
        if kind_of(bare) == "Column":
            return self.column(bare)
        if not named(bare):
            raise Unsupported(
                f"GROUP BY is audited for columns, not for {written(node)}"
            )
        return self.source.derived(bare)

    def shown(self, nodes: Sequence[Any]) -> tuple[q.SqlColumn | q.Aggregate, ...]:
        """What stands after SELECT."""
        items: list[q.SqlColumn | q.Aggregate] = []
        for node in nodes:
            if kind_of(node) == "Alias":
                self.alias(node)
                node = node.this
            kind = kind_of(node)
            if kind == "Star":
                items += self.star(node)
            elif kind == "Column":
                items.append(q.SqlColumn(self.column(node)))
            elif kind in _AGGREGATES or kind == "Filter":
                items.append(self.aggregate(node))
            elif named(node) and not node.find(self.exp.AggFunc):
                items.append(q.SqlColumn(self.grouping(node)))
            else:
                raise outside(node, " in SELECT")
        return tuple(items)

    def alias(self, node: Any) -> None:
        """An alias that is also a column's name could mean either."""
        named = node.this
        alias = node.alias
        # ``salary AS salary`` is the column itself, either way.
        same = kind_of(named) == "Column" and named.name.lower() == alias.lower()
        if same:
            return
        if self.source.holders(alias):
            raise Unsupported(f"the alias {alias!r} is also the name of a column")

    def star(self, node: Any) -> list[q.SqlColumn]:
        """All columns of the table."""
        if more(node):
            raise outside(node, " in SELECT")
        if self.source.joined:
            raise Unsupported("SELECT * of a JOIN is outside the audited fragment")

        # A column without a role may say what it likes of the sensitive ones.
        for name in self.scope.columns:
            if name not in self.scope.public and name not in self.scope.sensitive:
                raise Unsupported(
                    f"SELECT * shows {name!r}, which the policy does not name"
                )
        return [q.SqlColumn(name) for name in self.scope.columns]

    def aggregate(self, node: Any) -> q.Aggregate:
        """An aggregate, perhaps with FILTER or, where it counts, with DISTINCT."""
        kind = kind_of(node)
        if kind == "Filter" and _filtered(node):
            item = self.aggregate(node.this)
            condition = self.predicate(node.expression.this)
            return replace(item, where=condition)
        if kind not in _AGGREGATES:
            raise outside(node)
        over = node.this
        # big_int is sqlglot's own note on COUNT, and no part of the text.
        extra = more(node, "this", "big_int")
        counts = kind == "Count"
        if counts and not extra and _every_row(over):
            return q.Aggregate("count", None)
        distinct = counts and _one_distinct(over)
        column = over
        if distinct:
            (column,) = over.expressions
        if extra or kind_of(column) == "Distinct":
            raise outside(node)
        if kind_of(column) == "Column":
            name = self.column(column)
        else:
            name = self.source.derived(column)
        return q.Aggregate(_AGGREGATES[kind], name, distinct)

    def having(self, clause: Any, shown: Sequence[Any]) -> Proposition | None:
        """HAVING: aggregates, or their aliases, beside constants."""
        if clause is None:
            return None
        aliases = [node for node in shown if kind_of(node) == "Alias"]

        # An alias that is given twice means neither.
        several = Counter(node.alias.lower() for node in aliases)
        names = {}
        for node in aliases:
            name = node.alias.lower()
            if several[name] == 1:
                names[name] = node.this
        return self.measured(clause.this, names)

    def measured(self, node: Any, names: Plain) -> Proposition:
        """A condition of HAVING; ``names`` are the aliases of what is shown."""
        both = self.combined(node, lambda part: self.measured(part, names))
        if both is not None:
            return both
        if kind_of(node) not in COMPARISONS:
            raise outside(node, " in HAVING")
        operator = COMPARISONS[kind_of(node)]
        left, right = node.this, node.expression

        # ``5 < SUM(x)`` is read as ``SUM(x) > 5``.
        if right.find(self.exp.AggFunc, self.exp.Column):
            operator = _FLIPPED.get(operator, operator)
            left, right = right, left
        # A name without a table may be an alias, which is no column's name.
        if kind_of(left) == "Column" and not left.table:
            left = names.get(left.name.lower(), left)
        item = self.aggregate(left)
        if right.find(self.exp.Column, self.exp.AggFunc):
            raise outside(right, " in HAVING")
        constant = self.operand(right)
        if not isinstance(constant, q.SqlConstant):
            raise outside(right, " in HAVING")
        return q.Measured(item, operator, constant)

    def order(self, clause: Any, shown: Sequence[Any]) -> None:
        """An order by what is shown says nothing new."""
        if clause is None:
            return
        texts = set()
        for node in shown:
            kind = kind_of(node)
            texts.add(_folded(node.this if kind == "Alias" else node))
            if kind == "Alias":
                texts.add(_folded(node.args["alias"]))
            elif kind == "Column":
                texts.add(_folded(node.this))
        for ordered in clause.expressions:
            node = ordered.this
            number = kind_of(node) == "Literal" and not node.is_string
            if not number and _folded(node) not in texts:
                raise Unsupported(
                    "ORDER BY something that is not shown is outside the audited"
                    " fragment"
                )

    # conditions


def _bare(node: Any) -> Any:
    """A node without the parentheses around it."""
    while kind_of(node) == "Paren":
        node = node.this
    return node


def _filtered(node: Any) -> bool:
    """Whether this is an aggregate with a condition of its own."""
    where = kind_of(node.expression) == "Where"
    return where and kind_of(node.this) in _AGGREGATES


def _every_row(over: Any) -> bool:
    """Whether COUNT of this counts every row: ``*``, or a constant."""
    kind = kind_of(over)
    if kind == "Star":
        return not more(over)
    return kind == "Literal"


def _one_distinct(over: Any) -> bool:
    """Whether this is DISTINCT with one expression."""
    if kind_of(over) != "Distinct":
        return False
    if over.args.get("on"):
        return False
    return len(over.expressions) == 1


def _folded(node: Any) -> str:
    """An expression as text, where names in capitals and in small letters are the same,
    as for the database.
    """
    copy = node.copy()
    for inner in copy.walk():
        if kind_of(inner) == "Identifier":  # of É and é the database makes two names
            inner.set("this", inner.this.translate(_SMALL))
    return written(copy)
