"""How large integers can be that are made of sensitive cells."""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context

SMALL = 2**31
"""Integers below it are of 32 bits."""


def ends(context: Context, node: Any) -> tuple[int, int] | None:
    """What an expression of one sensitive column is at least and at most; None
    where that is not known, or no integers.
    """
    node = trees.bare(node)
    if kind_of(node) == "Column":
        name = context.sensitive.get(node.name.lower(), "")
        domain = context.scope.domains.get(name)
        whole = domain is not None and domain.integral and not domain.scaled
        return domain.ends if domain is not None and whole else None
    most = largest(context, node)
    return None if most is None else (-most, most)


def largest(context: Context, node: Any) -> int | None:
    """What the amount of an expression is at most; None where that is not known."""
    node = trees.bare(node)
    kind = kind_of(node)
    written = str(node.this)
    if kind == "Literal" and written.isdecimal():
        return int(written)
    if kind == "Neg":
        return largest(context, node.this)
    if kind == "Column":
        name = context.sensitive.get(node.name.lower())
        domain = context.scope.domains.get(name) if name else None
        if domain is None or not domain.integral or domain.scaled:
            return None
        low, high = domain.ends
        most = max(abs(low), abs(high))
        return int(most)
    known = kind in ("Add", "Sub", "Mul")
    if not known:
        return None
    one, other = node.this, node.expression
    left = largest(context, one)
    right = largest(context, other)
    if left is None or right is None:
        return None
    return left * right if kind == "Mul" else left + right
