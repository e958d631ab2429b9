"""Conditions that mean the same to every engine as they do to DuckDB.

Elsewhere texts may be equal that are not here (collations, trailing spaces), and what
LIKE, a cast or a division gives may be something else.  Integers, dates and Booleans
are compared alike everywhere, and texts for equality where engines take their bytes.
"""

from __future__ import annotations

import re
from typing import Any

from phverify.disclosure.bounding.block import BlockView
from phverify.disclosure.log.sources import COMPARISONS, kind_of

BYTES = ("postgres", "redshift", "bigquery", "snowflake", "trino", "databricks")
"""Dialects of engines to which texts are equal when their bytes are."""
_JOINED = ("And", "Or", "Not", "Paren", "Where")
_COMPARED = {*COMPARISONS, "Between", "In"}
_EQUAL = ("EQ", "NEQ", "In")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def same(view: BlockView, node: Any) -> bool:
    """Whether a condition means what it does to DuckDB; None is no condition."""
    if view.dialect == "duckdb" or node is None:
        return True
    kind = kind_of(node)
    if kind in _JOINED:
        parts = [node.this, node.args.get("expression")]
        return all(same(view, part) for part in parts if part is not None)
    if kind == "Is":
        null = kind_of(node.expression) == "Null"
        return null and kind_of(node.this) == "Column" and bool(view.name(node.this))
    return kind in _COMPARED and _compared(view, node)


def same_value(view: BlockView, node: Any) -> bool:
    """Whether an argument is as it is to DuckDB: whether it is NULL, and that it cannot
    fail.
    """
    if view.dialect == "duckdb":
        return True
    match kind_of(node):
        case "Star" | "Null" | "Boolean":
            return True
        case "Literal":
            # To Oracle an empty text is NULL.
            return str(node.this) != ""
        case "Column":
            plain = view.kinds.get(view.name(node)) in ("integer", "date", "boolean")
            return plain or view.dialect != "oracle"
        case "Case" if node.this is None:
            return _same_case(view, node)
    return False


def _same_case(view: BlockView, node: Any) -> bool:
    """A CASE of conditions whose values are of one kind: engines cast others."""
    branches = node.args["ifs"]
    if not all(same(view, one.this) for one in branches):
        return False
    values = [one.args["true"] for one in branches]
    values.append(node.args.get("default"))
    given = [one for one in values if one is not None and kind_of(one) != "Null"]
    kinds = {_kind(view, one) for one in given}
    alike = len(kinds) == 1 and kinds != {""}
    return alike and all(same_value(view, one) for one in given)


def _compared(view: BlockView, node: Any) -> bool:
    """A comparison of columns and literals of one kind."""
    kinds: set[str] = set()
    for one in node.iter_expressions():
        inner = one.this if kind_of(one) == "Neg" else one
        kind = _kind(view, inner)
        kinds.add(kind)
    if "date" in kinds:
        kinds.discard("day")
    if len(kinds) != 1:
        return False
    (kind,) = kinds
    if kind in ("text", "day"):
        return view.dialect in BYTES and kind_of(node) in _EQUAL
    return kind in ("integer", "boolean", "date")


def _kind(view: BlockView, node: Any) -> str:
    """What an operand is; ``day`` is a text that may be a date."""
    match kind_of(node):
        case "Column":
            return view.kinds.get(view.name(node), "")
        case "Boolean":
            return "boolean"
        case "Literal" if node.is_string:
            return "day" if _DATE.fullmatch(str(node.this)) else "text"
        case "Literal":
            return "integer" if str(node.this).isdecimal() else ""
        case "Cast" if str(node.to.this.name) == "DATE":
            return "date" if _kind(view, node.this) == "day" else ""
    return ""
