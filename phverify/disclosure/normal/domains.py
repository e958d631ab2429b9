"""What an expression over one sensitive column is of each value that the column may
have, as the database computes it; and conditions as sets of such values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context, literal

LARGEST = 100_000
"""Values of a domain that an expression is computed of."""
RUNS = 64
"""Runs of values that a condition is written by."""


def image(node: Any, context: Context) -> list[tuple[Any, Any]]:
    """What an expression over one sensitive column is of each value, and of NULL where
    the column may be missing.

    Raises Unsupported for other expressions and for large domains.
    """
    context.plain(node)
    columns = context.touched(node)
    names = {column.name.lower() for column in _columns(node)}
    if len(columns) != 1 or len(names) != 1:
        raise Unsupported(f"{trees.text_of(node)} is not of one sensitive column")
    name = columns[0]
    for others in context.scope.external.values():
        if name.lower() in map(str.lower, others):
            raise Unsupported(f"{name} is also a column of another table")
    domain = context.scope.domains.get(name)
    if domain is None or domain.kind not in ("integer", "text", "boolean"):
        raise Unsupported(f"what {name} may be is not listed")
    values = list(domain.values) or range(domain.low, domain.high + 1)
    if len(values) > LARGEST:
        raise Unsupported(f"{name} may be more than {LARGEST:,} values")
    bare = node.copy()
    for column in _columns(bare):
        column.set("table", None)
    kind = context.types[name]
    if domain.values:
        shown = [trees.text_of(literal(value)) for value in values]
        source = f"(SELECT UNNEST([{', '.join(shown)}]) AS v)"
    else:
        source = f"(SELECT UNNEST(range({domain.low}, {domain.high} + 1)) AS v)"
    null = " UNION ALL SELECT NULL" if domain.null else ""
    cast = f"SELECT CAST(v AS {kind}) AS {quoted(name)} FROM {source}{null}"
    rows = context.run(f"SELECT {quoted(name)}, {trees.text_of(bare)} FROM ({cast})")
    return [(row[0], row[1]) for row in rows]


def _columns(node: Any) -> list[Any]:
    from sqlglot import exp

    return list(node.find_all(exp.Column))


def within(column: Any, values: Collection[Any]) -> Any:
    """A condition that is true where a column has one of these values, and false
    elsewhere: never NULL.

    Raises Unsupported where it would be long.
    """
    name = trees.text_of(column)
    there = [value for value in values if value is not None]
    cases = [f"{name} IS NULL"] if len(there) < len(values) else []
    if there:
        texts = _ranges(name, there)
        cases.append(f"({' OR '.join(texts)}) AND {name} IS NOT NULL")
    if not cases:
        return trees.expression("FALSE")
    whole = " OR ".join(f"({case})" for case in cases)
    return trees.expression(f"({whole})")


def _ranges(name: str, values: Sequence[Any]) -> list[str]:
    """Conditions that are true of these values alone."""
    integers = all(type(value) is int for value in values)
    if not integers:
        if len(values) > RUNS:
            raise Unsupported("a condition of so many values is not audited")
        nodes = [literal(value) for value in values]
        texts = map(trees.text_of, nodes)
        return [f"{name} = {text}" for text in texts]
    ordered = sorted(values)
    starts = [ordered[0]]
    ends = []
    for one, other in pairwise(ordered):
        if other != one + 1:
            ends.append(one)
            starts.append(other)
    ends.append(ordered[-1])
    if len(starts) > RUNS:
        raise Unsupported("a condition of so many values is not audited")
    runs = []
    for low, high in zip(starts, ends, strict=True):
        run = f"{name} BETWEEN {low} AND {high}"
        if low == high:
            run = f"{name} = {low}"
        runs.append(run)
    return runs


def condition(node: Any, context: Context) -> Any:
    """A condition over one sensitive column, by the values where it is true.

    Where it is NULL of a value that is there, no such condition is known.  Raises
    Unsupported.
    """
    found = image(node, context)
    true = [value for value, holds in found if holds is True]
    unknown = [value for value, holds in found if holds is None]
    if any(
        holds is not True and holds is not False and holds is not None
        for _, holds in found
    ):
        raise Unsupported(f"{trees.text_of(node)} is no condition")
    column = _columns(node)[0]
    whole = within(column, true)
    if not unknown:
        return whole
    if unknown == [None]:
        # of NULL it is NULL, as a comparison with the column is
        name = trees.text_of(column)
        return trees.expression(f"({trees.text_of(whole)} OR {name} <> {name})")
    raise Unsupported(f"{trees.text_of(node)} is NULL of values that are there")


_JUNCTIONS = ("And", "Or", "Not", "Paren")
_SIMPLE = ("EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Between", "In", "Is", "Column")


def readable(node: Any, context: Context) -> Any:
    """A condition whose parts the fragment has.

    Parts over one sensitive column that it has not are written by values.
    """
    from sqlglot import exp

    if kind_of(node) in _JUNCTIONS:
        copy = node.copy()
        for part in ("this", "expression"):
            if node.args.get(part) is not None:
                copy.set(part, readable(node.args[part], context))
        return copy
    if not context.touched(node) or _simple(node):
        return node.copy()
    if node.find(exp.AggFunc, exp.Query):
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    if len({column.name.lower() for column in _columns(node)}) == 1:
        return trees.wrapped(condition(node, context))
    return node.copy()


def _simple(node: Any) -> bool:
    """Whether a part of a condition is of columns and constants alone."""
    if kind_of(node) not in _SIMPLE:
        return False
    if kind_of(node) == "Is" and kind_of(node.expression) != "Null":
        return False
    sides = [one for one in node.iter_expressions() if kind_of(one) != "Identifier"]
    plain = ("Column", "Literal", "Null", "Boolean", "Neg")
    return all(kind_of(trees.bare(one)) in plain for one in sides)
