"""What the value of an expression over one aggregate says of the aggregate.

The expression rises or falls with the aggregate, so that all integers of which it has
the shown value are a range: the database computes it of the true one and of integers
beside it, and nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.bags import same_cell
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context

FARTHEST = 2**50
"""How far from the true one other integers are looked for."""
VARIABLE = "aggregate_"
"""The column that stands for the aggregate."""


@dataclass(frozen=True)
class Preimage:
    """The integers ``low..high``, and NULL where ``null``; ``low`` is None where NULL
    is all, or ``everything``.
    """

    low: int | None
    high: int | None
    null: bool
    everything: bool = False

    @property
    def single(self) -> bool:
        """Whether it is one value."""
        if self.low is None:
            return self.null and not self.everything
        return self.low == self.high and not self.null


def template(item: Any, aggregate: str, constants: Mapping[str, str]) -> Any:
    """An item with a column in the place of one aggregate, and constants in those of
    the others.
    """
    from sqlglot import exp

    root = exp.Paren(this=item.copy())
    for node in list(root.find_all(exp.AggFunc)):
        whole = trees.aggregate(node)
        text = trees.text_of(whole)
        if text == aggregate:
            whole.replace(exp.column(VARIABLE))
        else:
            whole.replace(trees.expression(f"({constants[text]})"))
    return root


def monotone(node: Any) -> bool:
    """Whether an expression rises, or falls, with the one column in it.

    It may be constant over ranges, and NULL of one value by NULLIF.
    """
    from sqlglot import exp

    kind = kind_of(node)
    if kind == "Column":
        return bool(node.name == VARIABLE)
    sides = [one for one in node.iter_expressions() if one.find(exp.Column)]
    if len(sides) != 1 or (
        sides[0] is not node.this and kind not in ("Add", "Sub", "Mul")
    ):
        return False
    if kind == "Cast":
        return _numeric(node) and monotone(node.this)
    if kind not in _MONOTONE:
        return False
    return monotone(sides[0])


_MONOTONE = {
    *("Paren", "Neg", "Add", "Sub", "Mul", "Div", "IntDiv", "Round", "Floor", "Ceil"),
    *("Coalesce", "Nullif"),
}


def _numeric(node: Any) -> bool:
    """Whether a cast is to a number."""
    from sqlglot import exp

    return bool(node.to.this in exp.DataType.NUMERIC_TYPES)


def preimage(
    node: Any, true: int | None, shown: Any, kind: str, context: Context
) -> Preimage:
    """Of which values of the aggregate an expression is what is shown.

    ``true`` is the aggregate, of type ``kind``; one that counts is never NULL.  Raises
    Unsupported.
    """
    if not monotone(node):
        raise Unsupported(f"{trees.text_of(node)} does not rise or fall with it")
    if shown is None and _divided_by_nothing(node, kind, context):
        return Preimage(None, None, True, everything=True)
    holed = _holed(node)

    def values(several: Sequence[int | None]) -> list[Any]:
        """The expression of some values of the aggregate."""
        listed = ", ".join("NULL" if one is None else str(one) for one in several)
        rows = f"SELECT CAST(UNNEST([{listed}]) AS {kind}) AS {VARIABLE}"
        text = trees.text_of(node)
        return [row[0] for row in context.run(f"SELECT {text} FROM ({rows})")]

    counts = kind == "BIGINT"
    of_null, of_true = values([None, true])
    if not same_cell(of_true, shown):
        raise Unsupported(f"{trees.text_of(node)} is computed otherwise")
    null = not counts and same_cell(of_null, shown)
    if true is None:
        return _of_null(node, shown, values)
    if of_true is None and not holed:
        raise Unsupported(f"{trees.text_of(node)} is NULL of a value that is there")
    low = _end(true, -1, shown, values, 0 if counts else None)
    high = _end(true, 1, shown, values, None)
    if holed and low != high:
        raise Unsupported("NULLIF of what is rounded is outside the audited fragment")
    return Preimage(low, high, null)


def _holed(node: Any) -> bool:
    """Whether an expression is NULL of one value, by NULLIF.

    Raises Unsupported where others may look the same: by another NULLIF, or where
    COALESCE fills the hole with what another value is, too.
    """
    from sqlglot import exp

    holes = list(node.find_all(exp.Nullif))
    filled = any(hole.find_ancestor(exp.Coalesce) for hole in holes)
    if len(holes) > 1 or filled:
        what = "another NULLIF" if len(holes) > 1 else "COALESCE"
        raise Unsupported(f"NULLIF inside of {what} is outside the audited fragment")
    return bool(holes)


def _divided_by_nothing(node: Any, kind: str, context: Context) -> bool:
    """Whether a quotient is NULL whatever the aggregate: by NULL, and of integers by 0.

    By 0 a double is infinite, or no number, and NULL of NULL alone.
    """
    from sqlglot import exp

    one = exp.Literal.number(1)
    for division in node.find_all(exp.Div, exp.IntDiv):
        number = division.copy()
        there = exp.Coalesce(this=number.this.copy(), expressions=[one.copy()])
        number.set("this", there)
        text = trees.text_of(number)
        value = f"SELECT CAST(1 AS {kind}) AS {VARIABLE}"
        if context.run(f"SELECT ({text}) IS NULL FROM ({value})") == [(True,)]:
            return division.find_ancestor(exp.Coalesce) is None
    return False


def _of_null(node: Any, shown: Any, values: Any) -> Preimage:
    """What is said where the aggregate is NULL."""
    from sqlglot import exp

    if node.find(exp.Nullif, exp.Coalesce):
        # some number may be shown alike
        for coalesce in node.find_all(exp.Coalesce):
            other = coalesce.expressions[0]
            number = trees.text_of(other)
            if kind_of(other) == "Literal" and number.isdecimal():
                value = int(number)
                if not same_cell(values([value])[0], shown) or node.find(exp.Nullif):
                    continue
                low = _end(value, -1, shown, values, None)
                high = _end(value, 1, shown, values, None)
                return Preimage(low, high, True)
        raise Unsupported(f"{trees.text_of(node)} may be of a number or of NULL")
    if shown is not None:
        raise Unsupported(f"{trees.text_of(node)} is computed otherwise")
    return Preimage(None, None, True)


def _end(true: int, sign: int, shown: Any, values: Any, last: int | None) -> int:
    """The end of the range around a value where an expression is what is shown.

    ``last`` is where the aggregate ends itself.
    """
    inside, step = true, 1
    while True:
        outside = true + sign * step
        if last is not None and outside < last:
            if inside == last or same_cell(values([last])[0], shown):
                return last
            outside = last
        if not same_cell(values([outside])[0], shown):
            break
        inside = outside
        step *= 2
        if step > FARTHEST:
            raise Unsupported("it says next to nothing of the aggregate")
    # the end lies between the last that is alike and the first that is not
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if same_cell(values([middle])[0], shown):
            inside = middle
        else:
            outside = middle
    return inside
