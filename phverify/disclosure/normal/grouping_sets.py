"""ROLLUP, CUBE and GROUPING SETS: which sets of columns they are, and which row is of
which.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context


def missing(text: str, select: Any, context: Context) -> bool:
    """Whether a public expression is NULL in some row of FROM.

    Raises Unsupported where it is not public which rows there are.
    """
    from sqlglot import exp

    if any(not context.public(join) for join in select.args.get("joins") or ()):
        raise Unsupported("grouping sets of this JOIN are outside the fragment")
    asked = exp.select(exp.Count(this=exp.Star()))
    for clause in ("from_", "joins"):
        asked.set(clause, select.copy().args.get(clause))
    trees.constrain(asked, trees.expression(f"({text}) IS NULL"))
    rows = context.run(trees.text_of(asked))
    return bool(rows[0][0])


def present(select: Any, absent: set[str]) -> list[Any]:
    """The items of one grouping set, without the columns that are NULL in it.

    Raises Unsupported for what is made of these.
    """
    from sqlglot import exp

    items = []
    for item in select.expressions:
        node = trees.unaliased(item)
        if trees.text_of(node) in absent:
            continue
        names = {trees.text_of(one) for one in node.find_all(exp.Column)}
        plain = node.find(exp.AggFunc) is None
        if node.find(exp.Grouping) or (plain and names & absent):
            raise Unsupported("this item of grouping sets is not audited")
        items.append(item)
    return items


def sets_of(group: Any) -> list[list[Any]]:
    """The sets of one ROLLUP, CUBE or GROUPING SETS.

    Raises Unsupported for several at once.
    """
    from sqlglot import exp

    plain: list[Any] = []
    found: list[list[list[Any]]] = []
    several = list(group.expressions)
    for name in ("rollup", "cube", "grouping_sets"):
        several += group.args.get(name) or []
    for one in several:
        if isinstance(one, exp.Rollup):
            names = [_columns(node) for node in one.expressions]
            sizes = range(len(names), -1, -1)
            found.append([list(chain(*names[:size])) for size in sizes])
        elif isinstance(one, exp.Cube):
            names = [_columns(node) for node in one.expressions]
            sets = []
            for size in range(len(names), -1, -1):
                sets += [list(chain(*some)) for some in combinations(names, size)]
            found.append(sets)
        elif isinstance(one, exp.GroupingSets):
            found.append([_columns(node) for node in one.expressions])
        else:
            plain += _columns(one)
    if len(found) > 1:
        raise Unsupported("several grouping sets at once are outside the fragment")
    return [[*plain, *some] for some in found[0]] if found else [plain]


def _columns(node: Any) -> list[Any]:
    """The columns of a set.  Raises Unsupported for sets in sets."""
    from sqlglot import exp

    sets = (exp.Rollup, exp.Cube, exp.GroupingSets)
    if isinstance(node, sets):
        raise Unsupported("grouping sets in grouping sets are outside the fragment")
    if isinstance(node, exp.Tuple):
        return [trees.bare(one) for one in node.expressions]
    return [trees.bare(node)]
