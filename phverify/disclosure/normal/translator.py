"""From the tree of another engine to the meaning that DuckDB gives it, node by node."""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.normal.kinds import (
    DATE,
    LITERAL,
    TEXTS,
    begins,
    clashing,
    is_day,
    kinds,
    write_days,
)
from phverify.disclosure.normal.moments import read_otherwise
from phverify.disclosure.normal.sizes import (
    below_zero,
    ends,
    is_decimal,
    largest,
    most_allowed,
)
from phverify.disclosure.worlds.column_types import SMALL

FOLDED = ("mysql", "tsql")
"""Engines for which texts that differ by case or trailing blanks are equal."""
SORTED = (*FOLDED, "postgres")
"""Engines that order texts by a language, and not by bytes."""
_LIKE_FOLDS = (*FOLDED, "sqlite")
_INTEGER_QUOTIENT = ("postgres", "redshift", "tsql", "sqlite")
_DOUBLE_QUOTIENT = ("bigquery",)
_DOUBLE_MEAN = ("sqlite", "bigquery", "databricks", "spark", "trino")
_STRUCTURE = {
    *("Select", "From", "Where", "Group", "Having", "Order", "Ordered", "Limit"),
    *("Table", "TableAlias", "Alias", "Star", "Distinct", "Filter", "Join", "Subquery"),
    *("With", "CTE", "Union", "Tuple", "Window", "Rollup", "Cube", "GroupingSets"),
    *("Exists", "Var"),
}
_SAME = {
    *("And", "Or", "Not", "Paren", "Between", "In", "Is", "EQ", "NEQ", "LT", "LTE"),
    *("GT", "GTE", "Null", "Literal", "Boolean", "Column", "Identifier", "Neg", "Add"),
    *("Sub", "Mul", "Case", "If", "Coalesce", "Nullif", "Count", "Sum", "Min", "Max"),
    *("Year", "Month", "Day", "Lower", "Upper", "CountIf", "NullSafeEQ", "NullSafeNEQ"),
}
_UNITS = ("YEAR", "QUARTER", "MONTH", "DAY")
_ORDERS = ("LT", "LTE", "GT", "GTE", "Between", "Min", "Max")


class OtherMeaning(Unsupported):
    """What another engine may read otherwise."""

    final = True


class Translator:
    """One statement; each method decides one kind of difference."""

    def __init__(self, dialect: str, context: Context) -> None:
        self.dialect = dialect
        self.context = context
        self.rough = ""

    def tree(self, tree: Any) -> Any:
        """The whole statement."""
        from sqlglot import exp

        write_days(tree)
        self.texts(tree)
        for node in list(tree.walk()):
            kind = kind_of(node)
            if kind == "CountIf" and self.dialect != "duckdb":
                # it is 0 of no row there
                count = exp.Count(this=exp.Star(), big_int=True)
                where = exp.Where(this=node.this.copy())
                node.replace(exp.Filter(this=count, expression=where))
            elif kind in ("Like", "ILike"):
                self.like(node)
            elif kind == "Div":
                self.quotient(node)
            elif kind == "Avg":
                self.mean(node)
            elif kind in ("Add", "Sub", "Mul", "Neg"):
                self.arithmetic(node)
            elif kind == "Sum" and self.dialect == "tsql":
                self.total(node)
            elif kind in ("DateTrunc", "TimestampTrunc", "Extract"):
                self.unit(node)
            elif not self.same(node):
                self.other(node)
        return tree

    def surely(self, node: Any) -> bool:
        """Whether what a node makes of cells is surely what DuckDB makes of them.

        Aggregates are, whose answer here is compared with the engine's.
        """
        from sqlglot import exp

        kind = kind_of(node)
        if isinstance(node, exp.AggFunc):
            return True
        moment = read_otherwise(self.context, node, self.dialect)
        if moment or clashing(self.context, node):
            return False
        try:
            if kind in ("Like", "ILike"):
                self.like(node.copy())
            elif kind in ("Add", "Sub", "Mul", "Neg"):
                self.arithmetic(node)
            elif kind in ("DateTrunc", "TimestampTrunc", "Extract"):
                self.unit(node)
            elif not self.same(node):
                return False
        except OtherMeaning:
            return False
        return not self.rough

    def same(self, node: Any) -> bool:
        """Whether a node by itself means the same in all engines."""
        kind = kind_of(node)
        of = node.parent if kind == "DataType" else node
        # SQLite has no dates, and casts to numbers
        day = self.dialect != "sqlite" and (is_day(of) or begins(self.context, of))
        return day or kind in _SAME or kind in _STRUCTURE

    def other(self, node: Any, why: str = "") -> None:
        """What may mean something else: it may where it is shown.

        Raises Unsupported elsewhere.
        """
        from sqlglot import exp

        said = why or f"{trees.text_of(node)} may mean something else to {self.dialect}"
        around = (exp.Where, exp.Having, exp.Group, exp.Join, exp.Order, exp.AggFunc)
        inside = node.find_ancestor(*around, exp.Window, exp.CTE, exp.Subquery)
        of_one = isinstance(node, exp.AggFunc) and node.find_ancestor(*around) is None
        select = node.find_ancestor(exp.Select)
        grouped = select is not None and self.groups(node, select)
        if (inside and not of_one) or grouped or kind_of(node) in ("Query", "Offset"):
            raise OtherMeaning(said)
        self.rough = self.rough or said

    @staticmethod
    def groups(node: Any, select: Any) -> bool:
        """Whether rows may be grouped by an item, by its place or its name."""
        group = select.args.get("group")
        distinct = select.args.get("distinct")
        from sqlglot import exp

        item = node
        while item.parent is not select:
            item = item.parent
        return bool(group or distinct) and item.find(exp.AggFunc) is None

    def texts(self, tree: Any) -> None:
        """Raises Unsupported where texts are compared otherwise."""
        from sqlglot import exp

        literals = [
            str(one.this) for one in tree.find_all(exp.Literal) if one.is_string
        ]
        if self.dialect == "oracle" and ("" in literals or self.context.has_empty_text):
            raise OtherMeaning("an empty text is NULL for oracle")
        for node in tree.walk():
            if clashing(self.context, node):
                raise OtherMeaning(
                    f"{trees.text_of(node)}: engines cast a text beside a number or a"
                    " date otherwise"
                )
            if self.dialect in SORTED and kind_of(node) in _ORDERS and self.text(node):
                raise OtherMeaning(
                    f"{trees.text_of(node)}: {self.dialect} orders texts by a"
                    " language, and these may be texts"
                )
        if self.dialect in FOLDED and self.context.folds(literals):
            raise OtherMeaning(
                f"for {self.dialect} texts that differ by case or trailing blanks are"
                " equal, and here are some"
            )
        if moment := read_otherwise(self.context, tree, self.dialect):
            raise OtherMeaning(
                f"{moment!r} may mean something else to {self.dialect}, as a moment"
            )

    def text(self, node: Any) -> bool:
        """Whether a text may be in an order: of a column, or a literal."""
        sides = [kinds(self.context, one) for one in node.iter_expressions()]
        known = set().union(*sides)
        # a literal beside a date is one
        dates = known == {DATE, LITERAL}
        texts = known & {*TEXTS, ""}
        return bool(texts) and not dates

    def like(self, node: Any) -> None:
        """LIKE, which ignores case in some engines."""
        from sqlglot import exp

        pattern = trees.bare(node.expression)
        plain = kind_of(pattern) == "Literal" and pattern.is_string
        if not plain or any(sign in str(pattern.this) for sign in "\\["):
            raise OtherMeaning(f"{trees.text_of(node)} has a pattern of its own")
        folds = self.dialect in _LIKE_FOLDS or kind_of(node) == "ILike"
        if folds and not (str(pattern.this).isascii() and self.context.ascii):
            raise OtherMeaning(f"{trees.text_of(node)}: what case is differs by engine")
        if folds and kind_of(node) == "Like":
            node.replace(exp.ILike(this=node.this.copy(), expression=pattern.copy()))

    def quotient(self, node: Any) -> None:
        """A quotient: of integers it is one in some engines."""
        from sqlglot import exp

        divisor = trees.bare(node.expression)
        if kind_of(divisor) != "Literal" or not trees.nonzero(divisor):
            # A quotient by zero is an error there, and something else here.
            self.other(node)
            return
        whole = self.whole(node.this) and self.whole(node.expression)
        if self.dialect in _INTEGER_QUOTIENT and whole:
            node.replace(
                exp.IntDiv(this=node.this.copy(), expression=node.expression.copy())
            )
            return
        if self.dialect in _DOUBLE_QUOTIENT and whole:
            node.set("typed", False)
            node.set("safe", False)
            return
        node.set("typed", False)
        node.set("safe", False)
        self.other(node)

    def arithmetic(self, node: Any) -> None:
        """Sums and products over cells, which must fit into integers of 32 bits
        whatever the sensitive ones are: more is an error in some engines.

        Where it would be one for some public cells, that it was none tells which rows
        a sensitive condition left out.
        """
        from sqlglot import exp

        reads = self.context.touched(node.root())
        if not reads or not node.find(exp.Column, exp.AggFunc):
            return
        if is_decimal(self.context, node):
            return
        most = largest(self.context, node)
        if most is None or most >= most_allowed(self.context, node, self.dialect):
            self.other(node, f"{trees.text_of(node)} may be too large there")
            return
        # the opposite of an UNSIGNED number has a sign
        minus = self.dialect == "mysql" and kind_of(node) != "Neg"
        if minus and below_zero(self.context, node):
            what = f"{trees.text_of(node)} may be below zero"
            self.other(node, f"{what}, which fails there for UNSIGNED columns")

    def total(self, node: Any) -> None:
        """A sum of INT, which fails in T-SQL beyond 32 bits, whatever becomes of it: an
        answer then says that none did, those that are not shown among them.
        """
        from sqlglot import exp

        reads = self.context.touched(node.root())
        if not reads or is_decimal(self.context, node.this):
            return
        most = largest(self.context, node)
        if most is not None and most < SMALL:
            return
        item = node.parent
        if isinstance(item, exp.Alias):
            item = item.parent
        select = node.find_ancestor(exp.Select)
        # What is shown says it, where no part of a sum is larger than the whole.
        shown = item is select and not select.args.get("having")
        known = ends(self.context, node.this)
        if not (shown and known is not None and known[0] >= 0):
            self.other(node, f"{trees.text_of(node)} of INT may be too large there")

    def whole(self, node: Any) -> bool:
        """Whether an expression is surely an integer of every engine."""
        node = trees.bare(node)
        match kind_of(node):
            case "Literal":
                return not node.is_string and str(node.this).isdecimal()
            case "Column":
                kind = self.context.type_of(node)
                return kind in ("TINYINT", "SMALLINT", "INTEGER")
            case "Count":
                return True
            case "Sum" | "Min" | "Max" | "Neg":
                return self.whole(node.this)
            case "Add" | "Sub" | "Mul":
                return self.whole(node.this) and self.whole(node.expression)
        return False

    def mean(self, node: Any) -> None:
        """AVG: an integer or a decimal in some engines."""
        double = self.dialect in _DOUBLE_MEAN
        # two means that differ do so in a double as well
        exact = self.dialect == "postgres" and self.context.small(node)
        if not double and not exact:
            self.other(node)

    def unit(self, node: Any) -> None:
        """Parts of dates that all engines have alike."""
        unit = node.args.get("unit") or node.this
        if str(unit.name).upper() not in _UNITS:
            self.other(node)
