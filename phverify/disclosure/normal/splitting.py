"""Statements as several: UNION ALL, GROUPING SETS, windows, groups by sensitive columns
and rows without their key.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, grouping_sets, groups, histograms, trees
from phverify.disclosure.normal.context import PARTS, Context

_CLAUSES = {
    *("expressions", "from_", "joins", "where", "group", "having", "order", "limit"),
    "distinct",
}


def parts(tree: Any, context: Context) -> list[Any]:
    """SELECTs of the fragment that together say what a statement says.

    Raises Unsupported.
    """
    while kind_of(tree) in ("Subquery", "Paren") and len(trees.clauses(tree)) == 1:
        tree = tree.this
    if kind_of(tree) == "Union":
        return _union(tree, context)
    if kind_of(tree) != "Select":
        raise Unsupported(f"{kind_of(tree).upper()} is outside the audited fragment")
    unknown = trees.clauses(tree) - _CLAUSES
    if unknown:
        first = sorted(unknown)[0]
        name = first.strip("_").upper()
        raise Unsupported(f"{name} is outside the audited fragment")
    tree = _unlimited(tree, context)
    _ordered(tree, context)
    tree.set("order", None)
    plain = _distinct(tree)
    return _select(plain, context)


def _select(select: Any, context: Context) -> list[Any]:
    """One SELECT without LIMIT, ORDER BY and DISTINCT."""
    from sqlglot import exp

    if select.find(exp.Window):
        return _windows(select, context)
    group = select.args.get("group")
    if _nested(group):
        return _sets(select, context)
    if not trees.aggregated(select):
        return _rows(select, context)
    _without_constants(select)
    group = select.args.get("group")
    if group and any(not context.public(one) for one in group.expressions):
        return histograms.parts(select, context)
    return groups.parts(select, context)


def _nested(group: Any) -> bool:
    """Whether GROUP BY has sets of columns in it."""
    kinds = ("Rollup", "Cube", "GroupingSets", "Tuple")
    if not group:
        return False
    if trees.clauses(group) - {"expressions"}:
        return True
    return any(kind_of(one) in kinds for one in group.expressions)


def _without_constants(select: Any) -> None:
    """GROUP BY without constants, which tell no rows apart."""
    from sqlglot import exp

    group = select.args.get("group")
    if not group:
        return
    kept = [one for one in group.expressions if kind_of(trees.bare(one)) != "Literal"]
    if not kept:
        raise Unsupported("GROUP BY of constants alone is outside the audited fragment")
    select.set("group", exp.Group(expressions=kept))


# limits and orders


def _unlimited(select: Any, context: Context) -> Any:
    """A SELECT without its LIMIT, where the answer has fewer rows.

    Whoever sees that knows that nothing is left out.  Raises Unsupported where some may
    be.
    """
    limit = select.args.get("limit")
    select = select.copy()
    if not limit:
        return select
    number = limit.args.get("expression")
    plain = kind_of(limit) == "Limit" and not {
        name for name, value in limit.args.items() if value
    } - {"expression"}
    if not plain or kind_of(number) != "Literal" or not str(number.this).isdecimal():
        raise Unsupported(f"{trees.text_of(limit)} is outside the audited fragment")
    rows = context.run(trees.text_of(select))
    if len(rows) >= int(number.this):
        raise Unsupported(f"{trees.text_of(limit).strip()} may leave rows out")
    select.set("limit", None)
    return select


def _ordered(select: Any, context: Context) -> None:
    """Raises Unsupported for an order by what is not shown: it says which row is which.

    Where the key is shown that is known, and an order by public columns says nothing.
    """
    order = select.args.get("order")
    items = [trees.bare(trees.unaliased(item)) for item in select.expressions]
    shown = set(map(trees.text_of, items))
    keyed = _keyed(items, context) and not trees.aggregated(select)
    for one in order.expressions if order else ():
        node = trees.bare(one.this)
        known = keyed and context.public(node)
        if trees.text_of(node) not in shown and not known:
            raise Unsupported(
                "ORDER BY something that is not shown is outside the audited fragment"
            )


def _distinct(select: Any) -> Any:
    """SELECT DISTINCT as groups."""
    from sqlglot import exp

    distinct = select.args.get("distinct")
    if not distinct:
        return select
    if distinct.args.get("on"):
        raise Unsupported("DISTINCT ON is outside the audited fragment")
    select.set("distinct", None)
    if trees.aggregated(select):
        # groups are told apart by what is shown: no row comes twice
        return select
    if any(item.is_star for item in select.expressions) or select.find(exp.Window):
        raise Unsupported("DISTINCT of this is outside the audited fragment")
    names = [trees.unaliased(item).copy() for item in select.expressions]
    select.set("group", exp.Group(expressions=names))
    return select


# several statements in one


def _union(tree: Any, context: Context) -> list[Any]:
    """UNION ALL of statements that a column with constants tells apart.

    Raises Unsupported for all others.
    """
    from sqlglot import exp

    selects = _united(tree)
    if len(selects) > PARTS:
        raise Unsupported(f"UNION of more than {PARTS} statements is not audited")
    width = len(selects[0].expressions)
    for place in range(width):
        nodes = [
            trees.bare(trees.unaliased(one.expressions[place]))
            for one in selects
            if len(one.expressions) == width
        ]
        if len(nodes) == len(selects) and _different(nodes):
            break
    else:
        raise Unsupported(
            "the parts of a UNION are audited where a constant names each"
        )
    _alike(selects, context)
    found = []
    distinct = any(one.args.get("distinct") for one in tree.find_all(exp.Union))
    for select in selects:
        # rows of one answer that are alike are one row of UNION
        if not trees.aggregated(select) and distinct:
            raise Unsupported("UNION of rows is outside the audited fragment")
        found += parts(select, context)
    return found


def _different(nodes: list[Any]) -> bool:
    """Whether these are constants, texts or integers, of which no two are equal."""
    if any(kind_of(node) != "Literal" for node in nodes):
        return False
    texts = [str(node.this) for node in nodes]
    if all(node.is_string for node in nodes):
        return len(set(texts)) == len(texts)
    integers = not any(node.is_string for node in nodes) and all(
        map(str.isdecimal, texts)
    )
    return integers and len(set(map(int, texts))) == len(texts)


def _alike(selects: list[Any], context: Context) -> None:
    """Raises Unsupported where a UNION makes doubles of other numbers, and may round
    them.
    """
    kinds = []
    for select in selects:
        rows = context.run(f"DESCRIBE {trees.text_of(select)}")
        kinds.append([str(row[1]) for row in rows])
    for several in zip(*kinds, strict=False):
        if len(set(several)) > 1 and {"DOUBLE", "FLOAT"} & set(several):
            raise Unsupported("a UNION of doubles with other numbers is not audited")


def _united(tree: Any) -> list[Any]:
    """The SELECTs of a UNION.  Raises Unsupported for other clauses."""
    while kind_of(tree) in ("Subquery", "Paren") and len(trees.clauses(tree)) == 1:
        tree = tree.this
    if kind_of(tree) == "Select":
        return [tree]
    more = trees.clauses(tree) - {"this", "expression", "distinct", "order"}
    if kind_of(tree) != "Union" or more:
        raise Unsupported("this UNION is outside the audited fragment")
    return [*_united(tree.this), *_united(tree.expression)]


def _sets(select: Any, context: Context) -> list[Any]:
    """GROUPING SETS, ROLLUP and CUBE: a statement for each set.

    A row says of which set it is by where it is NULL: no column of them may be NULL
    itself.  Raises Unsupported where one is.
    """
    from sqlglot import exp

    sets = grouping_sets.sets_of(select.args["group"])
    every = {trees.text_of(one): one for several in sets for one in several}
    names = [frozenset(map(trees.text_of, several)) for several in sets]
    if len(set(names)) < len(names) or len(names) > PARTS:
        raise Unsupported("two grouping sets are one")
    shown = {trees.text_of(trees.unaliased(item)) for item in select.expressions}
    if not set(every) <= shown:
        raise Unsupported("GROUP BY is audited when each of its columns is shown")
    for text, one in every.items():
        if not context.public(one):
            raise Unsupported("grouping sets are audited for public columns")
        if grouping_sets.missing(text, select, context):
            raise Unsupported(f"{text} is NULL in rows, and in totals")
    found = []
    for several, name in zip(sets, names, strict=True):
        one = select.copy()
        items = grouping_sets.present(one, set(every) - name)
        one.set("expressions", items)
        group = [node.copy() for node in several]
        one.set("group", exp.Group(expressions=group) if group else None)
        if items or group:
            found += _select(one, context)
    return found


def _windows(select: Any, context: Context) -> list[Any]:
    """Aggregates OVER a partition by public columns that are shown: the rows, and the
    groups.

    Raises Unsupported for all other windows.
    """
    from sqlglot import exp

    if trees.aggregated(select):
        raise Unsupported("a window over groups is outside the audited fragment")
    shown_ones = sum(len(list(one.find_all(exp.Window))) for one in select.expressions)
    if len(list(select.find_all(exp.Window))) > shown_ones:
        # Behind the items of the list it stays, whatever becomes of them.
        raise Unsupported("a window in a subquery is outside the audited fragment")
    kept, found = [], []
    shown = {trees.text_of(trees.unaliased(one)) for one in select.expressions}
    for item in select.expressions:
        node = trees.bare(trees.unaliased(item))
        if not node.find(exp.Window):
            kept.append(item)
            continue
        more = trees.clauses(node) - {"this", "partition_by", "over"}
        if kind_of(node) != "Window" or more or not node.find(exp.AggFunc):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        keys = node.args.get("partition_by") or []
        if any(not context.public(key) for key in keys):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        if not {trees.text_of(key) for key in keys} <= shown:
            raise Unsupported("a window is audited where its partition is shown")
        one = select.copy()
        group = [trees.bare(key).copy() for key in keys]
        one.set("expressions", [*group, node.this.copy()])
        names = [key.copy() for key in group]
        one.set("group", exp.Group(expressions=names) if names else None)
        found += _select(one, context)
    if not kept:
        raise Unsupported("a window is audited beside what says which row it is of")
    rows = select.copy()
    rows.set("expressions", [item.copy() for item in kept])
    return [*_select(rows, context), *found]


def _rows(select: Any, context: Context) -> list[Any]:
    """Rows: with their key as the fragment has them, and without it how often each
    comes.
    """
    from sqlglot import exp

    select = select.copy()
    where = trees.condition(select)
    if where is not None:
        mended = domains.readable(where, context)
        select.set("where", exp.Where(this=mended))
    if any(item.is_star for item in select.expressions):
        return [select]
    items = [trees.bare(trees.unaliased(item)) for item in select.expressions]
    for one in items:
        context.plain(one)
    items = [one for one in items if one.find(exp.Column)]
    keyed = _keyed(items, context)
    if keyed and select.args.get("joins"):
        select.set("expressions", items)
        return [select]
    return _counted(select, items, keyed, context)


def _keyed(items: list[Any], context: Context) -> bool:
    """Whether all columns of the key are among what is shown."""
    names = {one.name.lower() for one in items if kind_of(one) == "Column"}
    return names.issuperset(map(str.lower, context.scope.keys))


def _counted(select: Any, items: list[Any], keyed: bool, context: Context) -> list[Any]:
    """Rows without what is derived from sensitive columns, and how often each comes."""
    from sqlglot import exp

    plain = [one for one in items if kind_of(one) == "Column" or context.public(one)]
    derived = [one for one in items if one not in plain]
    if keyed and not derived:
        select.set("expressions", items)
        return [select]
    counted = select.copy()
    if keyed:
        own = [exp.column(name, quoted=True) for name in context.scope.keys]
        shown = [*own, *derived]
        select.set("expressions", plain)
    else:
        shown = items
    keys = [one.copy() for one in shown]
    count = [] if keyed else [trees.expression("COUNT(*)")]
    counted.set("expressions", [*keys, *count])
    counted.set("group", exp.Group(expressions=keys) if keys else None)
    found = _select(counted, context)
    return [select, *found] if keyed else found
