"""SQL text to ``Query``, by sqlglot's syntax tree.  What lies outside the fragment
raises ``Unsupported`` with why.

Everything is on a list of what is known: a clause or function that is not named here is
never passed over.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from string import ascii_uppercase
from typing import Any

from phverify.disclosure.connectives import And, Formula, Not, Or
from phverify.disclosure.log import query as q
from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.silent import no_select, silent
from phverify.disclosure.log.sources import (
    COMPARISONS,
    Source,
    kind_of,
    more,
    outside,
    written,
)
from phverify.disclosure.log.sources import Scope as Scope
from phverify.disclosure.log.sources import Unsupported as Unsupported
from phverify.errors import refusal
from phverify.spec.source import Plain


class Refused(Unsupported):
    """A statement that would write: the database is read-only."""

    status = "refused"


class Broken(Unsupported):
    """A text that is no SQL, and the line where it is none."""

    def __init__(self, what: str, line: int = 1) -> None:
        super().__init__(what)
        self.line = line


def parse(text: str, scope: Scope) -> q.Query:
    """The query of one SELECT.  Raises Silent, Broken, Refused or Unsupported."""
    try:
        import sqlglot
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "sqlglot is not installed", hint) from None
    logging.getLogger("sqlglot").setLevel(
        logging.ERROR
    )  # what it cannot parse is told as unsupported
    if said := ambiguous(text):
        raise Unsupported(said)
    silent(text)
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = str(first.get("description") or error)
        raise Broken(
            f"syntax error near {first.get('highlight')!r}: {what}",
            int(first.get("line") or 1),
        ) from None
    except sqlglot.errors.SqlglotError as error:
        raise Broken(f"syntax error: {str(error).splitlines()[0]}") from None
    return _Reader(scope, sqlglot.exp).query(tree, text)


_WRITES = {
    "Insert",
    "Update",
    "Delete",
    "Merge",
    "Create",
    "Drop",
    "Alter",
    "TruncateTable",
    "Copy",
    "Attach",
}
_WRITES |= {"Detach"}
_CLAUSES = {
    "expressions",
    "from",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
}
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


class _Reader:
    """One pass over a syntax tree; each method reads one kind of node.  ``exp`` is
    sqlglot.expressions.
    """

    def __init__(self, scope: Scope, exp: Any) -> None:
        self.scope, self.exp = scope, exp
        self.source = Source(scope)
        self.column = self.source.column

    def query(self, tree: Any, text: str) -> q.Query:
        kind = kind_of(tree)
        if any(kind_of(node) in _WRITES for node in tree.walk()):
            raise Refused(
                f"{kind.upper()} would write: refused, the database is read-only"
            )
        if kind != "Select":
            raise Unsupported(no_select(kind, text))
        for name in more(tree, *_CLAUSES):
            raise Unsupported(
                f"{_SAID.get(name, name.upper())} is outside the audited fragment"
            )
        found = tree.args.get("from_") or tree.args.get("from")
        if found is None:
            raise Unsupported("a query without FROM is not audited")
        self.source.read(found.this, tree.args.get("joins") or [])
        groups = self.groups(tree.args.get("group"))
        shown = self.shown(tree.expressions)
        having = self.having(tree.args.get("having"), tree.expressions)
        # WHERE, and what inner joins ask of sensitive columns
        where = tree.args.get("where")
        parts = tuple(
            map(self.predicate, [*self.source.moved, *([where.this] if where else [])])
        )
        condition = And(parts) if len(parts) > 1 else next(iter(parts), None)
        query = q.Query(shown, condition, groups, self.source.join, having)
        names = {item.name for item in shown if isinstance(item, q.Column)}
        if not query.aggregated and self.scope.key not in names:
            raise Unsupported(
                f"rows are audited when their key {self.scope.key!r} is shown with them"
            )
        if query.aggregated and names - set(groups):
            raise Unsupported(
                "a column stands beside an aggregate and is not in GROUP BY"
            )
        if set(groups) - names:
            raise Unsupported("GROUP BY is audited when each of its columns is shown")
        self.order(tree.args.get("order"), tree.expressions)
        return query

    def groups(self, found: Any) -> tuple[str, ...]:
        if found is None:
            return ()
        if more(found, "expressions"):
            raise Unsupported("GROUP BY is audited for columns only")
        for node in found.expressions:
            if kind_of(node) != "Column":
                raise Unsupported(
                    f"GROUP BY is audited for columns, not for {written(node)}"
                )
        names = tuple(map(self.column, found.expressions))
        for name in names:
            if name in self.scope.sensitive:
                raise Unsupported(
                    f"GROUP BY a sensitive column ({name}) is outside the audited"
                    " fragment"
                )
        return names

    def shown(self, nodes: Sequence[Any]) -> tuple[q.Column | q.Aggregate, ...]:
        items: list[q.Column | q.Aggregate] = []
        for node in nodes:
            if kind_of(node) == "Alias":
                self.alias(node)
                node = node.this
            kind = kind_of(node)
            if kind == "Star":
                items += self.star(node)
            elif kind == "Column":
                items.append(q.Column(self.column(node)))
            elif kind in _AGGREGATES or kind == "Filter":
                items.append(self.aggregate(node))
            else:
                raise outside(node, " in SELECT")
        return tuple(items)

    def alias(self, node: Any) -> None:
        """An alias that is also a column's name could mean either."""
        plain = (
            kind_of(node.this) == "Column"
            and node.this.name.lower() == node.alias.lower()
        )
        if not plain and self.source.holders(node.alias):
            raise Unsupported(f"the alias {node.alias!r} is also the name of a column")

    def star(self, node: Any) -> list[q.Column]:
        if more(node):
            raise outside(node, " in SELECT")
        if self.source.joined:
            raise Unsupported("SELECT * of a JOIN is outside the audited fragment")
        for name in self.scope.columns:
            if name not in self.scope.public and name not in self.scope.sensitive:
                raise Unsupported(
                    f"SELECT * shows {name!r}, which the policy does not name"
                )
        return [q.Column(name) for name in self.scope.columns]

    def aggregate(self, node: Any) -> q.Aggregate:
        """An aggregate, perhaps with FILTER or, where it counts, with DISTINCT."""
        kind = kind_of(node)
        if (
            kind == "Filter"
            and kind_of(node.this) in _AGGREGATES
            and kind_of(node.expression) == "Where"
        ):
            return replace(
                self.aggregate(node.this), where=self.predicate(node.expression.this)
            )
        if kind not in _AGGREGATES:
            raise outside(node)
        inner, over = kind_of(node.this), node.this
        extra = more(node, "this", "big_int")
        if (
            kind == "Count"
            and not extra
            and inner in ("Star", "Literal")
            and not (inner == "Star" and more(over))
        ):
            return q.Aggregate("count", None)
        distinct = (
            inner == "Distinct"
            and kind == "Count"
            and not over.args.get("on")
            and len(over.expressions) == 1
        )
        column = over.expressions[0] if distinct else over
        if extra or kind_of(column) != "Column":
            raise outside(node)
        return q.Aggregate(_AGGREGATES[kind], self.column(column), distinct)

    def having(self, found: Any, shown: Sequence[Any]) -> Formula | None:
        """HAVING: aggregates, or their aliases, beside constants."""
        if found is None:
            return None
        several = Counter(
            node.alias.lower() for node in shown if kind_of(node) == "Alias"
        )
        names = {
            node.alias.lower(): node.this
            for node in shown
            if several[node.alias.lower()] == 1
        }
        return self.measured(found.this, names)

    def measured(self, node: Any, names: Plain) -> Formula:
        both = self.combined(node, lambda part: self.measured(part, names))
        if both is not None:
            return both
        if kind_of(node) not in COMPARISONS:
            raise outside(node, " in HAVING")
        operator, left, right = COMPARISONS[kind_of(node)], node.this, node.expression
        if right.find(self.exp.AggFunc, self.exp.Column):
            operator, left, right = _FLIPPED.get(operator, operator), right, left
        if (
            kind_of(left) == "Column" and not left.table
        ):  # an alias, which is no column's name
            left = names.get(left.name.lower(), left)
        item = self.aggregate(left)
        constant = (
            None
            if right.find(self.exp.Column, self.exp.AggFunc)
            else self.operand(right)
        )
        if not isinstance(constant, q.Constant):
            raise outside(right, " in HAVING")
        return q.Measured(item, operator, constant)

    def order(self, found: Any, shown: Sequence[Any]) -> None:
        """An order by what is shown says nothing new."""
        if found is None:
            return
        aliases = [node for node in shown if kind_of(node) == "Alias"]
        texts = {
            _folded(node.this if kind_of(node) == "Alias" else node) for node in shown
        }
        texts |= {_folded(node.args["alias"]) for node in aliases}
        texts |= {_folded(node.this) for node in shown if kind_of(node) == "Column"}
        for ordered in found.expressions:
            node = ordered.this
            number = kind_of(node) == "Literal" and not node.is_string
            if not number and _folded(node) not in texts:
                raise Unsupported(
                    "ORDER BY something that is not shown is outside the audited"
                    " fragment"
                )

    # conditions

    def predicate(self, node: Any) -> Formula:
        if not self.source.touches(node):
            return q.Public(self.source.plain(node))
        both = self.combined(node, self.predicate)
        if both is not None:
            return both
        kind, left = kind_of(node), node.this
        match kind:
            case "Between":
                if more(node, "this", "low", "high"):
                    raise outside(node)
                middle, low, high = map(
                    self.operand, (left, node.args["low"], node.args["high"])
                )
                return And(
                    (q.Compare(middle, ">=", low), q.Compare(middle, "<=", high))
                )
            case "In":
                if more(node, "this", "expressions") or not node.expressions:
                    raise Unsupported(
                        f"{written(node)}: IN is audited for lists of values"
                    )
                one = self.operand(left)
                return Or(
                    tuple(
                        q.Compare(one, "=", self.operand(value))
                        for value in node.expressions
                    )
                )
            case "Is":
                if kind_of(left) == "Column" and kind_of(node.expression) == "Null":
                    return q.IsNull(self.column(left))
                raise outside(node)
            case "Column":
                return q.Compare(q.Column(self.column(node)), "=", q.Constant(True))
        if kind in COMPARISONS:
            return q.Compare(
                self.operand(left), COMPARISONS[kind], self.operand(node.expression)
            )
        raise Unsupported(
            f"the condition {written(node)} on a sensitive column is outside the"
            " audited fragment"
        )

    def combined(self, node: Any, read: Callable[[Any], Formula]) -> Formula | None:
        """A condition made of others; None for any other."""
        match kind_of(node):
            case "Paren":
                return read(node.this)
            case "Not":
                return Not(read(node.this))
            case "And":
                return And((read(node.this), read(node.expression)))
            case "Or":
                return Or((read(node.this), read(node.expression)))
        return None

    def operand(self, node: Any) -> q.Operand:
        match kind_of(node):
            case "Paren":
                return self.operand(node.this)
            case "Column":
                return q.Column(self.column(node))
            case "Null":
                return q.Constant(None)
            case "Boolean":
                return q.Constant(bool(node.this))
            case "Literal" if node.is_string:
                return q.Constant(str(node.this))
            case "Literal" if _exact(str(node.this)):
                value = Fraction(str(node.this))
                return q.Constant(value.numerator if value.denominator == 1 else value)
            case "Neg" if kind_of(node.this) == "Literal":
                inner = self.operand(node.this)
                if isinstance(inner, q.Constant) and isinstance(
                    inner.value, (int, Fraction)
                ):
                    return q.Constant(-inner.value)
        raise outside(node, " beside a sensitive column")


def _folded(node: Any) -> str:
    """An expression as text, where names in capitals and in small letters are the same,
    as for the database.
    """
    copy = node.copy()
    for inner in copy.walk():
        if kind_of(inner) == "Identifier":  # of É and é the database makes two names
            inner.set("this", inner.this.translate(_SMALL))
    return written(copy)


def _exact(text: str) -> bool:
    """A number that the database does not take as a double: no exponent, and few enough
    digits.
    """
    return (text.isdecimal() and len(text) <= 18) or (
        text.replace(".", "", 1).isdecimal() and len(text) <= 15
    )
