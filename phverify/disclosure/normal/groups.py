"""Statements that show groups by public columns: items that are no aggregates of the
fragment, by the aggregates that they are functions of.

An aggregate is known where it is of public columns alone, or shown in the same row.
What an item says of the one other aggregate in it is a range (``preimages``): where
that is one value the aggregate itself is shown, else HAVING says so of each group.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, measures, preimages, trees
from phverify.disclosure.normal.context import PARTS, Context, same
from phverify.disclosure.normal.items import (
    Measure,
    crowded,
    hides,
    instead,
    one_aggregate,
)
from phverify.disclosure.normal.preimages import Preimage
from phverify.disclosure.worlds.database import INTEGERS, Row

SHORT = ("TINYINT", "SMALLINT", "INTEGER")
"""Types whose mean is the double of the sum by the number."""
GROUPS = 100
"""Ranges are said of so many groups at most."""


def parts(select: Any, context: Context) -> list[Any]:
    """SELECTs of the fragment that say what one says that shows groups.

    Raises Unsupported.
    """
    reader = _GroupReader(select, context)
    return reader.parts()


class _GroupReader:
    """One SELECT; ``exact`` are aggregates that its answer determines."""

    def __init__(self, select: Any, context: Context) -> None:
        self.select = select.copy()
        self.context = context
        self.exact: list[str] = []
        self.more: list[Any] = []
        self.guards: list[str] = []
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
        waiting = [item for item in self.items() if not self.plain(item)]
        self.exact = list(dict.fromkeys(self.exact))
        while waiting:
            later = [item for item in waiting if not self.said(item)]
            if len(later) == len(waiting):
                shown = trees.text_of(later[0].tree)
                raise Unsupported(f"{shown} is of aggregates that are not shown")
            waiting = later
        for guard in self.guards:
            self.more.append(self.guarded(guard))
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
                found = measures.measured(node, self.context)
                if not found.guards or found.guards == (measures.EVERY,):
                    aggregates += one_aggregate(found.tree)
        return aggregates

    def conditions(self) -> None:
        """WHERE and HAVING as the fragment has them."""
        from sqlglot import exp

        where = trees.condition(self.select)
        having = self.select.args.get("having")
        if where is not None:
            mended = domains.readable(where, self.context)
            new = exp.Where(this=mended)
            self.select.set("where", new)
        if having:
            condition = having.this
            mended = measures.measured(condition, self.context)
            guards = mended.guards
            if self.needed(guards):
                raise Unsupported("this HAVING is outside the audited fragment")
            self.select.set("having", exp.Having(this=mended.tree))

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
            item = measures.measured(node, self.context)
            if not measures.aggregates_of(item.tree):
                raise Unsupported(f"{trees.text_of(node)} is outside the fragment")
            guards = self.needed(item.guards)
            if guards and (len(guards) > 1 or hides(node)):
                raise Unsupported(f"{trees.text_of(node)} may hide a NULL")
            self.guards += [one for one in guards if one not in self.guards]
            found.append(Measure(item.tree, place, item.guards))
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
        holds, then, other = measures.cases(node)
        if other is not None or not holds.find(exp.AggFunc):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        whole = measures.measured(holds, self.context)
        aggregates = measures.aggregates_of(whole.tree)
        known = not whole.guards and all(map(self.known, aggregates))
        if not known and not (crowded(holds) and self.present(then)):
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

    def plain(self, item: Measure) -> bool:
        """Whether an item is an aggregate of the fragment, which is then determined.

        Where it is NULL by a guard the aggregate is 0.
        """
        alone = one_aggregate(item.tree)
        if not alone or (item.guards and item.guards != (measures.EVERY,)):
            return False
        self.exact += alone
        return True

    def needed(self, guards: tuple[str, ...]) -> list[str]:
        """The guards that some world may break: a group has a row."""
        if self.groups:
            return [one for one in guards if one != measures.EVERY]
        return list(guards)

    def guarded(self, guard: str) -> Any:
        """The groups that have a row where a guard is true."""
        condition = domains.readable(trees.expression(guard), self.context)
        text = f"COUNT(*) FILTER (WHERE {trees.text_of(condition)}) >= 1"
        return self.one([], trees.expression(text))

    def broken(self, guards: tuple[str, ...]) -> set[Row]:
        """The groups that have no row where some guard is true."""
        asked = self.select.copy()
        whole = [trees.text_of(one) for one in self.groups]
        for guard in guards:
            whole.append(f"COUNT(*) FILTER (WHERE {guard})")
        asked.set("expressions", [trees.expression(one) for one in whole])
        asked.set("order", None)
        width = len(self.groups)
        rows = self.context.run(trees.text_of(asked))
        return {row[:width] for row in rows if 0 in row[width:]}

    def present(self, node: Any) -> bool:
        """Whether an aggregate is never NULL of a group that has a row."""
        if kind_of(node) == "Count":
            return True
        if kind_of(node) not in measures.KINDS or kind_of(node.this) != "Column":
            return False
        null = measures.may_be_null(node.this, self.context)
        return not null

    def known(self, aggregate: str) -> bool:
        """Whether an aggregate is the same in all worlds with the answer."""
        if aggregate in self.exact:
            return True
        node = trees.expression(aggregate)
        return self.public and self.context.public(node)

    def said(self, item: Measure) -> bool:
        """Whether it is known now what an item says."""
        item = Measure(self.averages(item.tree), item.place, item.guards)
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
            whole = trees.aggregate(node)
            if trees.text_of(whole) in self.exact:
                continue
            # of larger integers a mean is rounded twice
            if self.context.type_of(node.this) not in SHORT:
                continue
            column = node.this
            counts = [instead(whole, exp.Count, column)]
            if not measures.may_be_null(column, self.context):
                every = instead(whole, exp.Count, exp.Star())
                counts.append(every)
            there = [text for text in counts if self.known(text)]
            if there:
                total = instead(whole, exp.Sum, column)
                mean = f"(CAST({total} AS DOUBLE) / NULLIF({there[0]}, 0))"
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
        broken = self.broken(item.guards) if item.guards else set()
        for keys, cells in values.items():
            constants = {}
            for one, cell, type_ in zip(aggregates, cells, kinds[width:], strict=True):
                constants[one] = f"CAST({_shown(cell)} AS {type_})"
            if keys in broken:
                if answer[keys] is not None:
                    raise Unsupported(f"{trees.text_of(item.tree)} hides a NULL")
                found.append((keys, Preimage(None, None, True, everything=True)))
                continue
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
        counts = aggregate.startswith("COUNT(")
        empty = not self.groups and counts and low <= 0
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


def _shown(value: Any) -> str:
    """A cell of an answer, for a CAST."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return f"'{value!r}'" if isinstance(value, float) else f"'{value}'"
