"""Which queries ask for sums over one sensitive column, and of which rows.

A *selection* is what one aggregate tells of one column: in each group of the table's
public columns, how many of the rows have a value (``counted``), or the sum of their
values.  All else that reads a sensitive column is outside, and the road of single cells
audits it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phverify.disclosure.connectives import AllOf, Proposition, leaves
from phverify.disclosure.facts.domains import kind_of
from phverify.disclosure.log import query as q
from phverify.disclosure.worlds.unknowns import AuditFrame, Coding

TWO, SUM = "two values", "integers of a range"
"""The columns that a class has one integer of: how many of its rows have the second
value, or the sum of its rows.
"""


class OutsideClasses(Exception):
    """Something that classes are not made for; the road of single cells is."""


@dataclass(frozen=True)
class Selection:
    """In each of the ``groups``, over the rows where the condition is true: how many
    there are (``counted``), or the sum of a column.
    """

    column: str
    groups: tuple[str, ...]
    condition: Proposition | None
    counted: bool


@dataclass(frozen=True)
class Told:
    """A selection, and the place in the answer's rows where its sums stand."""

    selection: Selection
    place: int
    mean: bool = False


def kind_of_column(coding: Coding) -> str:
    """TWO, SUM, or nothing for a column that classes have no integer of."""
    if coding.domain.null:
        return ""
    if len(coding.codes) == 2:
        return TWO
    if coding.integral and not coding.gaps and len(coding.codes) > 2:
        return SUM
    return ""


def told(query: q.SqlQuery, frame: AuditFrame) -> list[Told]:
    """What a query tells of sensitive columns.  Raises OutsideClasses."""
    if query.source or query.having:
        raise OutsideClasses("a join, or HAVING")
    if not q.columns(query) & frame.codings.keys():
        return []
    if not query.aggregated:
        return list(_rows(query, frame))
    _check_where(query, frame)
    several = []
    for place, item in enumerate(query.shown):
        if isinstance(item, q.Aggregate):
            selection = _aggregate(item, query, frame)
            if selection is not None:
                mean = item.kind == "avg"
                one = Told(selection, place, mean)
                several.append(one)
    return several


def _rows(query: q.SqlQuery, frame: AuditFrame) -> Iterator[Told]:
    """Rows shown with their key: each is a group of its own."""
    if _compared(query.where, frame):
        raise OutsideClasses("rows shown by what is sensitive")
    for place, item in enumerate(query.shown):
        if isinstance(item, q.SqlColumn) and item.name in frame.codings:
            _kind(item.name, frame)
            key = (frame.policy.key,)
            selection = Selection(
                item.name,
                key,
                query.where,
                False,
            )
            yield Told(selection, place)


def _check_where(query: q.SqlQuery, frame: AuditFrame) -> None:
    """Where WHERE is about a sensitive column, that a group is shown says something:
    COUNT(*) says it too, and nothing else is asked.
    """
    if not _compared(query.where, frame):
        return
    for item in query.shown:
        counts = item == q.Aggregate("count", None)
        if isinstance(item, q.Aggregate) and not counts:
            raise OutsideClasses("more than COUNT(*) where WHERE is about a column")
    if q.Aggregate("count", None) not in query.shown:
        raise OutsideClasses("groups without their COUNT(*)")


def _aggregate(
    item: q.Aggregate, query: q.SqlQuery, frame: AuditFrame
) -> Selection | None:
    """What an aggregate tells; None where it is about public columns alone."""
    condition = _both(query.where, item.where)
    about = _compared(condition, frame)
    if item.column not in frame.codings:
        if not about:
            return None
        return _counted(item, query, condition, about, frame)
    name = str(item.column)
    coding = frame.codings[name]
    kind = _kind(name, frame)
    if about or item.distinct:
        raise OutsideClasses("an aggregate of what its condition is about")
    # No cell is missing: COUNT of them counts rows.
    if item.kind == "count":
        return None
    numbers = kind and coding.integral
    adds = item.kind in ("sum", "avg")
    if not (adds and numbers):
        raise OutsideClasses(f"{item.kind} of {name}")
    return Selection(name, query.groups, condition, False)


def _counted(
    item: q.Aggregate,
    query: q.SqlQuery,
    condition: Proposition | None,
    about: set[str],
    frame: AuditFrame,
) -> Selection:
    """How many rows satisfy a condition about a column of two values."""
    counts = item.kind == "count"
    every = item.column is None
    if not (counts and every) or len(about) > 1:
        raise OutsideClasses("a sum of a public column, or two columns at once")
    (name,) = about
    if _kind(name, frame) != TWO:
        raise OutsideClasses("a count of some of many values")
    return Selection(
        name,
        query.groups,
        condition,
        True,
    )


def _kind(name: str, frame: AuditFrame) -> str:
    """The kind of a column that a query reads."""
    kind = kind_of_column(frame.codings[name])
    if not kind:
        raise OutsideClasses(f"{name} is no column of two values or integers")
    return kind


def _both(
    where: Proposition | None, filtered: Proposition | None
) -> Proposition | None:
    """WHERE and FILTER, where they are there."""
    if where is None or filtered is None:
        return where or filtered
    return AllOf((where, filtered))


def _compared(condition: Proposition | None, frame: AuditFrame) -> set[str]:
    """The sensitive columns of a condition, each compared with constants alone.

    Raises OutsideClasses.
    """
    names = set()
    for part in leaves(condition):
        if isinstance(part, q.Public):
            continue
        if not isinstance(part, q.SqlComparison):
            raise OutsideClasses("IS NULL")
        sides = (part.left, part.right)
        columns = [side for side in sides if isinstance(side, q.SqlColumn)]
        constants = [side for side in sides if isinstance(side, q.SqlConstant)]
        if len(columns) != 1 or columns[0].name not in frame.codings:
            raise OutsideClasses("a comparison of columns")
        name = columns[0].name
        value = constants[0].value
        # The database would cast one of them.
        if value is not None and (kind_of(value) or "integer") != (
            frame.codings[name].kind
        ):
            raise OutsideClasses("a comparison of two kinds")
        names.add(name)
    return names
