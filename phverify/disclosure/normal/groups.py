"""Statements that show groups by public columns: items that are no aggregates of the
fragment, by the aggregates that they are functions of.

An aggregate is known where it is of public columns alone, or shown in the same row.
What an item says of the one other aggregate in it is a range (``preimages``): where
that is one value the aggregate itself is shown, else HAVING says so of each group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, measures, preimages, trees
from phverify.disclosure.normal.context import PARTS, Context, same
from phverify.disclosure.normal.preimages import Preimage
from phverify.disclosure.worlds.database import INTEGERS, Row

GROUPS = 100
"""Ranges are said of so many groups at most."""


def parts(select: Any, context: Context) -> list[Any]:
    """SELECTs of the fragment that say what one says that shows groups.

    Raises Unsupported.
    """
    return _GroupReader(select, context).parts()


@dataclass(frozen=True)
class Measure:
    """An item: what it is of aggregates of the fragment, and its place in the answer."""

    tree: Any
    place: int


class _GroupReader:
    """One SELECT; ``exact`` are aggregates that its answer determines."""

    def __init__(self, select: Any, context: Context) -> None:
        self.select = select.copy()
        self.context = context
        self.exact: list[str] = []
        self.more: list[Any] = []
        self.rowless = False
        group = select.args.get("group")
        several = group.expressions if group else []
        self.groups = [trees.bare(one) for one in several]
        self.texts = {trees.text_of(one): one for one in self.groups}
        where = trees.condition(self.select)
        joins = self.select.args.get("joins") or []
        self.public = context.public(where) and all(map(context.public, joins))
        self.rows: list[tuple[Row, Row]] = []

    def parts(self) -> list[Any]:
        """All of them."""
        self.conditions()
        self.exact = self.shown()
        items = self.items()
        plain, waiting = [], []
        for item in items:
            aggregates = measures.aggregates_of(item.tree)
            if aggregates == [trees.text_of(trees.bare(item.tree))]:
                plain.append(aggregates[0])
            else:
                waiting.append(item)
        self.exact = list(dict.fromkeys(plain))
        while waiting:
            later = [item for item in waiting if not self.said(item)]
            if len(later) == len(waiting):
                shown = trees.text_of(later[0].tree)
                raise Unsupported(f"{shown} is of aggregates that are not shown")
            waiting = later
        if self.rowless and not self.groups and not self.public:
            self.more.append(self.one([], None))
        found = [self.main()] if self.groups or self.exact else []
        if self.select.args.get("having") and not found:
            raise Unsupported("this HAVING is outside the audited fragment")
        return found + self.more

    def shown(self) -> list[str]:
        """The aggregates that are items themselves."""
        nodes = [trees.bare(trees.unaliased(one)) for one in self.select.expressions]
        aggregates = []
        for node in nodes:
            if kind_of(node) in (*measures.KINDS, "Filter"):
                tree, _ = measures.measured(node, self.context)
                aggregates += measures.aggregates_of(tree)[:1]
        return aggregates

    def conditions(self) -> None:
        """WHERE and HAVING as the fragment has them."""
        from sqlglot import exp

        where = trees.condition(self.select)
        if where is not None:
            mended = domains.readable(where, self.context)
            self.select.set("where", exp.Where(this=mended))
        having = self.select.args.get("having")
        if having:
            mended, rowless = measures.measured(having.this, self.context)
            if rowless and not self.groups:
                raise Unsupported("this HAVING is outside the audited fragment")
            self.select.set("having", exp.Having(this=mended))

    def items(self) -> list[Measure]:
        """What is shown beside the groups.

        Raises Unsupported where a group is not shown.
        """
        found = []
        missing = set(self.texts)
        for place, item in enumerate(self.select.expressions):
            node = trees.bare(trees.unaliased(item))
            missing.discard(trees.text_of(node))
            if measures.public_item(node, set(self.texts), self.context):
                continue
            if self.suppressed(node):
                continue
            tree, rowless = measures.measured(node, self.context)
            self.rowless = self.rowless or rowless
            if not measures.aggregates_of(tree):
                raise Unsupported(f"{trees.text_of(node)} is outside the fragment")
            found.append(Measure(tree, place))
        if missing:
            raise Unsupported("GROUP BY is audited when each of its columns is shown")
        return found

    def suppressed(self, node: Any) -> bool:
        """CASE WHEN a condition on the group THEN what is shown END: shown with HAVING.

        Raises Unsupported where it is not clear which groups are suppressed.
        """
        from sqlglot import exp

        if kind_of(node) not in ("Case", "If") or not node.find(exp.AggFunc):
            return False
        holds, then, other = measures._cases(node)
        if other is not None or not holds.find(exp.AggFunc):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        whole, rowless = measures.measured(holds, self.context)
        known = not rowless and all(map(self.known, measures.aggregates_of(whole)))
        if not known and not (_crowded(holds) and self.present(then)):
            raise Unsupported(
                f"{trees.text_of(node)} may be NULL for more than one reason"
            )
        new = self.select.copy()
        having = new.args.get("having")
        whole = trees.both(having.this if having else None, holds)
        new.set("having", exp.Having(this=whole))
        new.set("expressions", [*(one.copy() for one in self.groups), then.copy()])
        self.more += parts(new, self.context)
        return True

    def present(self, node: Any) -> bool:
        """Whether an aggregate is never NULL of a group that has a row."""
        if kind_of(node) == "Count":
            return True
        if kind_of(node) not in measures.KINDS or kind_of(node.this) != "Column":
            return False
        return not measures._may_be_null(node.this, self.context)

    def known(self, aggregate: str) -> bool:
        """Whether an aggregate is the same in all worlds with the answer."""
        if aggregate in self.exact:
            return True
        return self.public and self.context.public(trees.expression(aggregate))

    def said(self, item: Measure) -> bool:
        """Whether it is known now what an item says."""
        item = Measure(self.averages(item.tree), item.place)
        unknown = [
            one for one in measures.aggregates_of(item.tree) if not self.known(one)
        ]
        if len(unknown) > 1:
            return False
        if not unknown:
            self.context.plain(item.tree, _AGGREGATES)
            return True
        found = self.images(item, unknown[0])
        if all(one.single for _, one in found):
            self.exact.append(unknown[0])
            return True
        if len(found) > GROUPS:
            raise Unsupported(f"ranges are said of {GROUPS} groups at most")
        for keys, image in found:
            if image.everything:
                continue
            self.more.append(self.ranged(unknown[0], keys, image))
        return True

    def averages(self, tree: Any) -> Any:
        """An item where a mean stands as a sum, where the number is known."""
        from sqlglot import exp

        root = exp.Paren(this=tree.copy())
        for node in list(root.find_all(exp.Avg)):
            whole = node.parent if kind_of(node.parent) == "Filter" else node
            total, every = whole.copy(), whole.copy()
            number = whole.copy()
            (total.find(exp.Avg) or total).replace(exp.Sum(this=node.this.copy()))
            if whole is node:
                total = exp.Sum(this=node.this.copy())
                number = exp.Count(this=node.this.copy())
                every = exp.Count(this=exp.Star())
            else:
                number.find(exp.Avg).replace(exp.Count(this=node.this.copy()))
                every.find(exp.Avg).replace(exp.Count(this=exp.Star()))
            column = kind_of(node.this) == "Column"
            filled = column and not measures._may_be_null(node.this, self.context)
            counts = [number, every] if filled else [number]
            texts = [trees.text_of(one) for one in counts]
            there = [text for text in texts if self.known(text)]
            if there and trees.text_of(whole) not in self.exact:
                mean = (
                    f"(CAST({trees.text_of(total)} AS DOUBLE) / NULLIF({there[0]}, 0))"
                )
                whole.replace(trees.expression(mean))
        return root.this

    def images(self, item: Measure, unknown: str) -> list[tuple[Row, Preimage]]:
        """What an item says of the unknown aggregate in it, of each group."""
        aggregates = measures.aggregates_of(item.tree)
        base = self.select.copy()
        shown = [trees.expression(one) for one in aggregates]
        base.set("expressions", [*(one.copy() for one in self.groups), *shown])
        base.set("order", None)
        text = trees.text_of(base)
        kinds = [row[1] for row in self.context.run(f"DESCRIBE {text}")]
        width = len(self.groups)
        kind = kinds[width + aggregates.index(unknown)]
        if kind not in INTEGERS:
            raise Unsupported(f"{unknown}, of type {kind}, is outside the fragment")
        values = {row[:width]: row[width:] for row in self.context.run(text)}
        answer = self.answer(item)
        if values.keys() != answer.keys():
            raise Unsupported("its groups cannot be told apart")
        found = []
        for keys, cells in values.items():
            constants = {}
            for one, cell, type_ in zip(aggregates, cells, kinds[width:], strict=True):
                constants[one] = f"CAST({_shown(cell)} AS {type_})"
            tree = preimages.template(item.tree, unknown, constants)
            true = cells[aggregates.index(unknown)]
            image = preimages.preimage(tree, true, answer[keys], kind, self.context)
            found.append((keys, image))
        return found

    def answer(self, item: Measure) -> dict[Row, Any]:
        """What an item is of each group, by the statement as it was given."""
        asked = self.select.copy()
        given = trees.unaliased(self.select.expressions[item.place]).copy()
        asked.set("expressions", [*(one.copy() for one in self.groups), given])
        asked.set("order", None)
        rows = self.context.run(trees.text_of(asked))
        return {row[:-1]: row[-1] for row in rows}

    def ranged(self, aggregate: str, keys: Row, image: Preimage) -> Any:
        """Whether an aggregate of one group is within a range, by HAVING."""
        low, high = image.low, image.high
        if low is None:
            raise Unsupported(f"{aggregate} may be NULL or not")
        empty = not self.groups and "COUNT" in aggregate and low <= 0
        if image.null or empty:
            # a group that is not shown is NULL, or within
            text = f"{aggregate} < {low} OR {aggregate} > {high}"
        else:
            text = f"{aggregate} >= {low} AND {aggregate} <= {high}"
        if len(self.more) >= PARTS:
            raise Unsupported(f"it says more than {PARTS} things")
        conditions = [
            same(one, value) for one, value in zip(self.groups, keys, strict=True)
        ]
        return self.one(conditions, trees.expression(text))

    def one(self, conditions: list[Any], having: Any) -> Any:
        """The groups for which something holds."""
        from sqlglot import exp

        new = self.select.copy()
        keys = self.groups or [trees.wrapped(self.context.one_group)]
        new.set("expressions", [one.copy() for one in keys])
        new.set("group", exp.Group(expressions=[one.copy() for one in keys]))
        new.set("order", None)
        for condition in conditions:
            trees.constrain(new, condition)
        old = new.args.get("having")
        whole = trees.both(old.this if old else None, having)
        new.set("having", exp.Having(this=whole) if whole is not None else None)
        return new

    def main(self) -> Any:
        """The groups with the aggregates that are determined."""
        new = self.select.copy()
        shown = [trees.expression(one) for one in self.exact]
        new.set("expressions", [*(one.copy() for one in self.groups), *shown])
        new.set("order", None)
        return new


_AGGREGATES = (
    *("Sum", "Count", "Avg", "Min", "Max", "Median", "Filter", "Where", "Distinct"),
    "Star",
)


def _crowded(node: Any) -> bool:
    """Whether this is that a group has at least so many rows."""
    if kind_of(node) not in ("GT", "GTE") or kind_of(node.this) != "Count":
        return False
    if kind_of(node.this.this) != "Star":
        return False
    number = measures._integer(node.expression)
    return number is not None and number >= (1 if kind_of(node) == "GTE" else 0)


def _shown(value: Any) -> str:
    """A cell of an answer, for a CAST."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return f"'{value!r}'" if isinstance(value, float) else f"'{value}'"
