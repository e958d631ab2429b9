"""Groups by sensitive columns: the groups of each of their values, and that there are
no others.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.bags import same_cell
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, groups, trees
from phverify.disclosure.normal.context import PARTS, Context, literal, same


def parts(select: Any, context: Context) -> list[Any]:
    """Groups by sensitive columns: a statement for each combination of their values
    that is shown, and that there is no other one.

    With HAVING a statement for each that there may be.
    """
    from sqlglot import exp

    nodes = [trees.bare(one) for one in select.args["group"].expressions]
    secret = [one for one in nodes if not context.public(one)]
    public = [one for one in nodes if context.public(one)]
    if public:
        texts = [trees.text_of(one) for one in public]
        public = [one for k, one in enumerate(public) if texts[k] not in texts[:k]]
    shown = {
        trees.text_of(trees.bare(trees.unaliased(one))) for one in select.expressions
    }
    if not {trees.text_of(one) for one in nodes} <= shown:
        raise Unsupported("GROUP BY is audited when each of its columns is shown")
    cases = _combinations(select, secret, context)
    if len(cases) > PARTS:
        raise Unsupported(f"it has groups of more than {PARTS} sensitive values")
    hidden = {trees.text_of(one) for one in secret}
    kept = [
        one
        for one in select.expressions
        if trees.text_of(trees.bare(trees.unaliased(one))) not in hidden
    ]
    keys = public or [trees.wrapped(context.one_group)]
    found = []
    for case in cases:
        one = _constrained(select, case)
        items = [item.copy() for item in kept]
        if not public:
            items.insert(0, keys[0].copy())
        one.set("expressions", items)
        one.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        found += groups.parts(one, context)
    if not select.args.get("having"):
        others = _constrained(select, _none(cases))
        others.set("expressions", [key.copy() for key in keys])
        others.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        found += groups.parts(others, context)
    return found


def _constrained(select: Any, condition: Any) -> Any:
    """A copy with one more condition."""
    one = select.copy()
    if condition is not None:
        trees.constrain(one, condition)
    return one


def _none(cases: list[Any]) -> Any:
    """That no case holds; each of them is true or false."""
    if not cases:
        return None
    texts = [f"({trees.text_of(case)})" for case in cases]
    joined = " OR ".join(texts)
    return trees.expression(f"NOT ({joined})")


def _combinations(select: Any, secret: list[Any], context: Context) -> list[Any]:
    """A condition for each combination of values of sensitive expressions."""
    from sqlglot import exp

    asked = select.copy()
    asked.set("expressions", [one.copy() for one in secret])
    asked.set("distinct", exp.Distinct())
    asked.set("group", None)
    if select.args.get("having"):
        if len(secret) > 1:
            raise Unsupported(
                "HAVING of groups by two sensitive columns is not audited"
            )
        images = domains.image(secret[0], context)
        labels = [label for _, label in images]
        rows = [(value,) for value in dict.fromkeys(labels)]
    else:
        rows = context.run(trees.text_of(asked))
    found = []
    for row in rows:
        whole = None
        for node, value in zip(secret, row, strict=True):
            whole = trees.both(whole, _valued(node, value, context))
        found.append(whole)
    return found


def _valued(node: Any, value: Any, context: Context) -> Any:
    """That a sensitive expression has a value: true or false, never NULL."""
    from sqlglot import exp

    if kind_of(node) == "Column":
        literal(value)
        return same(node, value)
    images = domains.image(node, context)
    column = node.find(exp.Column)
    # by type as well: 1 and TRUE are two values
    alike = [
        one
        for one, label in images
        if type(label) is type(value) and same_cell(label, value)
    ]
    return domains.within(column, alike)
