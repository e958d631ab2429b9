"""The exact normal form: what a statement outside the audited fragment says, as
statements of the fragment that together say the same.
"""

from __future__ import annotations

from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.normal import inlining, splitting, subqueries, trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.worlds.database import Database


def exact(text: str, scope: QueryScope, source: Database) -> tuple[str, ...]:
    """SELECTs of the fragment whose answers together are a function of the answer to
    ``text``, and conversely.

    In every world with the answer that ``text`` has, they have theirs, and conversely.
    Raises Unsupported where there are none that are known.
    """
    context = Context(scope, source)
    _require_orderless(trees.tree_of(text))
    tree = inlined(text, context)
    _require_plain(tree, scope)
    found = splitting.parts(tree, context)
    return tuple(dict.fromkeys(trees.text_of(one) for one in found))


def _require_orderless(tree: trees.Tree) -> None:
    """Raises Unsupported for an order within a subquery: engines may keep it, and then
    it says which row is which.
    """
    from sqlglot import exp

    for order in tree.find_all(exp.Order):
        inside = order.find_ancestor(exp.Window, exp.AggFunc, exp.WithinGroup)
        if inside is None and order.parent is not tree:
            raise Unsupported("ORDER BY in a subquery is outside the audited fragment")


def _require_plain(tree: trees.Tree, scope: QueryScope) -> None:
    """Raises Unsupported where a column has codes beside its values: the steps do not
    know them.
    """
    from sqlglot import exp

    domains = scope.domains.items()
    scaled = {name.lower() for name, one in domains if one.scaled}
    columns = tree.find_all(exp.Column)
    for column in columns:
        if column.name.lower() in scaled:
            what = "its exact form is not known for numbers and dates like those of"
            raise Unsupported(f"{what} {column.name}")


def inlined(text: str, context: Context) -> trees.Tree:
    """A statement about tables alone, without names for what it shows."""
    tree = inlining.substituted(trees.tree_of(text), {})
    return inlining.merged(subqueries.evaluated(tree, context), context.scope)
