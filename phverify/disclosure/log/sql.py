"""SQL text to ``Query``, by sqlglot's syntax tree.  What lies outside the fragment raises ``Unsupported`` with why.

Everything is on a list of what is known: a clause or function that is not named here is never passed over.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from string import ascii_uppercase
from typing import Any

from phverify.disclosure.connectives import And, Formula, Not, Or
from phverify.disclosure.log import query as q
from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.silent import Silent as Silent
from phverify.disclosure.log.silent import no_select, silent
from phverify.disclosure.log.sources import Scope as Scope
from phverify.disclosure.log.sources import Source, kind_of, more, outside
from phverify.disclosure.log.sources import Unsupported as Unsupported
from phverify.errors import InputError, Problem


class Refused(Unsupported):
    """A statement that would write: the database is read-only."""

    status = "refused"


class Broken(Unsupported):
    """A text that is no SQL, and the line where it is none."""

    def __init__(self, what: str, line: int = 1) -> None:
        super().__init__(what)
        self.line = line


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        hint = "pip install 'phverify[audit]'"
        raise InputError(Problem("audit", "sqlglot is not installed", hint)) from None
    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # what it cannot parse is told as unsupported
    return sqlglot


def parse(text: str, scope: Scope) -> q.Query:
    """The query of one SELECT.  Raises Silent, Broken, Refused or Unsupported."""
    sqlglot = _sqlglot()
    if said := ambiguous(text):
        raise Unsupported(said)
    silent(text)
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.ParseError as error:
        first = error.errors[0] if error.errors else {}
        what = str(first.get("description") or error)
        raise Broken(f"syntax error near {first.get('highlight')!r}: {what}", int(first.get("line") or 1)) from None
    except sqlglot.errors.SqlglotError as error:
        raise Broken(f"syntax error: {str(error).splitlines()[0]}") from None
    return _Reader(scope, sqlglot.exp).query(tree, text)


_WRITES = [
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
    "Detach",
]
_CLAUSES = {"expressions", "from", "from_", "joins", "where", "group", "having", "order"}
_SAID = {"with_": "WITH"}
_COMPARISONS = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_AGGREGATES = {"Count": "count", "Sum": "sum", "Avg": "avg", "Min": "min", "Max": "max", "Median": "median"}
_LOGIC = {"And", "Or", "Not", "Paren", "Between", "In", "Is", "Like", "ILike", "NullSafeEQ", "NullSafeNEQ"}
_VALUES = {"Null", "Literal", "Boolean", "Column", "Identifier", "Neg", "Add", "Sub", "Mul", "Mod", "Abs"}
_SMALL = {ord(c): c.lower() for c in ascii_uppercase}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLAIN = {*_LOGIC, *_VALUES, *_COMPARISONS, "Lower", "Upper", "Length", "Trim"}


class _Reader:
    """One pass over a syntax tree; each method reads one kind of node.  ``exp`` is sqlglot.expressions."""

    def __init__(self, scope: Scope, exp: Any) -> None:
        self.scope, self.exp = scope, exp
        self.source = Source(scope)

    def query(self, tree: Any, text: str) -> q.Query:
        kind = kind_of(tree)
        if kind in _WRITES or tree.find(*(getattr(self.exp, name) for name in _WRITES if hasattr(self.exp, name))):
            raise Refused(f"{kind.upper()} would write: refused, the database is read-only")
        if kind != "Select":
            raise Unsupported(no_select(kind, text))
        for name in more(tree, *_CLAUSES):
            raise Unsupported(f"{_SAID.get(name, name.upper())} is outside the audited fragment")
        self.read_source(tree.args.get("from_") or tree.args.get("from"), tree.args.get("joins") or [])
        groups = self.groups(tree.args.get("group"))
        shown = self.shown(tree.expressions)
        having = self.having(tree.args.get("having"), tree.expressions)
        query = q.Query(shown, self.where(tree.args.get("where")), groups, self.source.join, having)
        self.check(query)
        self.order(tree.args.get("order"), tree.expressions)
        return query

    def read_source(self, found: Any, joins: list[Any]) -> None:
        if found is None:
            raise Unsupported("a query without FROM is not audited")
        self.source.read(found.this, joins, self.plain, self.touches)

    def where(self, found: Any) -> Formula | None:
        """WHERE, and what inner joins ask of sensitive columns."""
        nodes = [*self.source.moved, *([] if found is None else [found.this])]
        parts = tuple(self.predicate(node) for node in nodes)
        return And(parts) if len(parts) > 1 else parts[0] if parts else None

    def column(self, node: Any) -> str:
        return self.source.column(node)

    def groups(self, found: Any) -> tuple[str, ...]:
        if found is None:
            return ()
        if more(found, "expressions"):
            raise Unsupported("GROUP BY is audited for columns only")
        names = []
        for node in found.expressions:
            if kind_of(node) != "Column":
                raise Unsupported(f"GROUP BY is audited for columns, not for {node.sql('duckdb')}")
            names.append(self.column(node))
        for name in names:
            if name in self.scope.sensitive:
                raise Unsupported(f"GROUP BY a sensitive column ({name}) is outside the audited fragment")
        return tuple(names)

    def shown(self, nodes: list[Any]) -> tuple[q.Column | q.Aggregate, ...]:
        items: list[q.Column | q.Aggregate] = []
        for node in nodes:
            kind = kind_of(node)
            if kind == "Alias":
                self.alias(node)
                node, kind = node.this, kind_of(node.this)
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
        plain = kind_of(node.this) == "Column" and node.this.name.lower() == node.alias.lower()
        everything = [name for alias in self.source.tables for name in self.source.columns(alias)]
        if not plain and node.alias.lower() in {name.lower() for name in everything}:
            raise Unsupported(f"the alias {node.alias!r} is also the name of a column")

    def star(self, node: Any) -> list[q.Column | q.Aggregate]:
        if more(node):
            raise outside(node, " in SELECT")
        if self.source.joined:
            raise Unsupported("SELECT * of a JOIN is outside the audited fragment")
        if self.scope.others:
            raise Unsupported(f"SELECT * shows {next(iter(self.scope.others))!r}, which the policy does not name")
        return [q.Column(name) for name in self.scope.order or (*self.scope.public, *self.scope.sensitive)]

    def aggregate(self, node: Any) -> q.Aggregate:
        """An aggregate, perhaps with FILTER or, where it counts, with DISTINCT."""
        kind = kind_of(node)
        if kind == "Filter" and kind_of(node.this) in _AGGREGATES and kind_of(node.expression) == "Where":
            return replace(self.aggregate(node.this), where=self.predicate(node.expression.this))
        if kind not in _AGGREGATES:
            raise outside(node)
        inner, over = kind_of(node.this), node.this
        extra = more(node, "this", "big_int")
        if kind == "Count" and not extra and inner in ("Star", "Literal") and not (inner == "Star" and more(over)):
            return q.Aggregate("count", None)
        distinct = inner == "Distinct" and kind == "Count" and not over.args.get("on") and len(over.expressions) == 1
        column = over.expressions[0] if distinct else over
        if extra or kind_of(column) != "Column":
            raise outside(node)
        return q.Aggregate(_AGGREGATES[kind], self.column(column), distinct)

    def having(self, found: Any, shown: list[Any]) -> Formula | None:
        """HAVING: aggregates, or their aliases, beside constants."""
        if found is None:
            return None
        several = Counter(node.alias.lower() for node in shown if kind_of(node) == "Alias")
        names = {node.alias.lower(): node.this for node in shown if several[node.alias.lower()] == 1}
        return self.measured(found.this, names)

    def measured(self, node: Any, names: Mapping[str, Any]) -> Formula:
        both = self.combined(node, lambda part: self.measured(part, names))
        if both is not None:
            return both
        if kind_of(node) not in _COMPARISONS:
            raise outside(node, " in HAVING")
        operator, left, right = _COMPARISONS[kind_of(node)], node.this, node.expression
        if not right.find(self.exp.AggFunc, self.exp.Column):
            return q.Measured(self.named(left, names), operator, self.constant(right))
        return q.Measured(self.named(right, names), _FLIPPED.get(operator, operator), self.constant(left))

    def named(self, node: Any, names: Mapping[str, Any]) -> q.Aggregate:
        """An aggregate of HAVING: written out, or by its alias, which is no column's name."""
        alias = kind_of(node) == "Column" and not node.table
        return self.aggregate(names.get(node.name.lower(), node) if alias else node)

    def constant(self, node: Any) -> q.Constant:
        found = None if node.find(self.exp.Column, self.exp.AggFunc) else self.operand(node)
        if not isinstance(found, q.Constant):
            raise outside(node, " in HAVING")
        return found

    def check(self, query: q.Query) -> None:
        shown = {item.name for item in query.shown if isinstance(item, q.Column)}
        if not query.aggregated and self.scope.key not in shown:
            raise Unsupported(f"rows are audited when their key {self.scope.key!r} is shown with them")
        if query.aggregated and shown - set(query.groups):
            raise Unsupported("a column stands beside an aggregate and is not in GROUP BY")
        if set(query.groups) - shown:
            raise Unsupported("GROUP BY is audited when each of its columns is shown")

    def order(self, found: Any, shown: list[Any]) -> None:
        """An order by what is shown says nothing new."""
        if found is None:
            return
        texts = {_folded(item.this if kind_of(item) == "Alias" else item) for item in shown}
        texts |= {_folded(item.args["alias"]) for item in shown if kind_of(item) == "Alias"}
        texts |= {_folded(item.this) for item in shown if kind_of(item) == "Column"}
        for ordered in found.expressions:
            node = ordered.this
            number = kind_of(node) == "Literal" and not node.is_string
            if not number and _folded(node) not in texts:
                raise Unsupported("ORDER BY something that is not shown is outside the audited fragment")

    # conditions

    def predicate(self, node: Any) -> Formula:
        if not self.touches(node):
            return q.Public(self.plain(node))
        both = self.combined(node, self.predicate)
        if both is not None:
            return both
        kind = kind_of(node)
        match kind:
            case "Between":
                return self.between(node)
            case "In":
                return self.among(node)
            case "Is":
                return self.null(node)
            case "Column":
                return q.Compare(q.Column(self.column(node)), "=", q.Constant(True))
        if kind in _COMPARISONS:
            return q.Compare(self.operand(node.this), _COMPARISONS[kind], self.operand(node.expression))
        raise Unsupported(f"the condition {node.sql('duckdb')} on a sensitive column is outside the audited fragment")

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

    def touches(self, node: Any) -> bool:
        """Whether a condition is about a sensitive column; all names in it are looked up."""
        names = [self.column(column) for column in node.find_all(self.exp.Column)]
        return any(name in self.scope.sensitive for name in names)

    def plain(self, node: Any) -> str:
        """A public condition, for the database to decide: only operators that have one value for a row."""
        for inner in node.walk():
            if kind_of(inner) not in _PLAIN:
                raise outside(inner, " in a condition")
        copy = node.copy()
        for column in list(copy.find_all(self.exp.Column)):
            if len(self.source.tables) == 1:
                column.set("table", None)
        return str(copy.sql("duckdb"))

    def between(self, node: Any) -> Formula:
        if more(node, "this", "low", "high"):
            raise outside(node)
        middle = self.operand(node.this)
        low, high = self.operand(node.args["low"]), self.operand(node.args["high"])
        return And((q.Compare(middle, ">=", low), q.Compare(middle, "<=", high)))

    def among(self, node: Any) -> Formula:
        if more(node, "this", "expressions") or not node.expressions:
            raise Unsupported(f"{node.sql('duckdb')}: IN is audited for lists of values")
        left = self.operand(node.this)
        return Or(tuple(q.Compare(left, "=", self.operand(value)) for value in node.expressions))

    def null(self, node: Any) -> Formula:
        if kind_of(node.this) == "Column" and kind_of(node.expression) == "Null":
            return q.IsNull(self.column(node.this))
        raise outside(node)

    def operand(self, node: Any) -> q.Operand:
        kind = kind_of(node)
        if kind == "Paren":
            return self.operand(node.this)
        if kind == "Column":
            return q.Column(self.column(node))
        if kind == "Null":
            return q.Constant(None)
        if kind == "Boolean":
            return q.Constant(bool(node.this))
        if kind == "Literal" and node.is_string:
            return q.Constant(str(node.this))
        if kind == "Literal" and _exact(str(node.this)):
            return q.Constant(_number(str(node.this)))
        if kind == "Neg" and kind_of(node.this) == "Literal":
            inner = self.operand(node.this)
            if isinstance(inner, q.Constant) and isinstance(inner.value, (int, Fraction)):
                return q.Constant(-inner.value)
        raise outside(node, " beside a sensitive column")


def _folded(node: Any) -> str:
    """An expression as text, where names in capitals and in small letters are the same, as for the database."""
    copy = node.copy()
    for inner in copy.walk():
        if kind_of(inner) == "Identifier":  # of É and é the database makes two names
            inner.set("this", inner.this.translate(_SMALL))
    return str(copy.sql("duckdb"))


def _exact(text: str) -> bool:
    """A number that the database does not take as a double: no exponent, and few enough digits."""
    return (text.isdecimal() and len(text) <= 18) or (text.replace(".", "", 1).isdecimal() and len(text) <= 15)


def _number(text: str) -> int | Fraction:
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value
