"""What an answer says about the worlds: SQL's meaning of a query, written as
constraints over the unknown cells.

WHERE keeps the rows where its condition is true, and FILTER those of them that one
aggregate is over.  Aggregates pass over missing cells; over no cell, COUNT is 0 and the
others are NULL.  A group that an answer does not show has no row, or HAVING is not true
of it: that says something, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log import query as q
from phverify.disclosure.log.ranges import NumberRange
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Terms, count
from phverify.disclosure.worlds.aggregates import Helper, Selected, aggregate
from phverify.disclosure.worlds.alike import unordered
from phverify.disclosure.worlds.conditions import chosen
from phverify.disclosure.worlds.database import INTEGERS, Row, Rows
from phverify.disclosure.worlds.having import having
from phverify.disclosure.worlds.range_aggregates import in_range
from phverify.disclosure.worlds.relation import QueriedRows
from phverify.disclosure.worlds.unknowns import key_of


@dataclass(frozen=True)
class Effect:
    """What an answer says: terms that hold in exactly the worlds with that answer.

    They hold there for some value of the helpers.  ``number`` is that of the query in
    the log.
    """

    terms: tuple[t.Term, ...]
    helpers: tuple[Helper, ...] = ()
    number: int = 0

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The unknowns of each term."""
        unknowns = [t.unknowns([term]) for term in self.terms]
        return tuple([several.names for several in unknowns])

    def broken(self, assignment: t.Assignment) -> list[t.Term]:
        """The terms that a world does not satisfy."""
        values = dict(assignment)
        for helper in self.helpers:
            name = helper.variable.name
            values[name] = helper.value(assignment)
        broken = []
        for term in self.terms:
            if not t.evaluate(term, values):
                broken.append(term)
        return broken


def sensitive(query: q.SqlQuery, over: QueriedRows) -> bool:
    """Whether a query looks at a sensitive column at all."""
    read = q.columns(query)
    return bool(read & over.cells.keys())


def effect(
    query: q.SqlQuery, answer: Rows, over: QueriedRows, number: int = 0, part: int = 0
) -> Effect:
    """The constraints of an answer; ``part`` counts the queries of one statement.

    Raises Unsupported for types that are not audited.
    """
    if not sensitive(query, over):
        return Effect((), (), number)
    selected = chosen(query.where, over)
    if not query.aggregated:
        return Effect(tuple(_rows(query, answer, over, selected)), (), number)

    # FILTER selects among the rows of WHERE.
    gates = {item: chosen(item.where, over, selected) for item in q.aggregates(query)}
    shown = _by_group(query, answer)
    terms: list[t.Term] = []
    helpers: list[Helper] = []

    # Also the groups that the answer does not show: their absence says something.
    for group, members in groups(query, over).items():
        rows = count(selected[row] for row in members)
        cells = {}
        for item, gate in gates.items():
            gated = [(row, gate[row]) for row in members]
            cells[item] = selection(item, gated, over)
        # The helpers of all answers stand in one question: each has its own name.
        name = f"h{number}_{part}_{len(helpers)}"
        said = _group(query, shown.get(group), rows, cells, name)
        terms += said.terms
        helpers += said.helpers
    return Effect(tuple(terms), tuple(helpers), number)


def _by_group(query: q.SqlQuery, answer: Rows) -> dict[Row, Row]:
    """The rows of an answer by the columns of GROUP BY."""
    places = [query.shown.index(q.SqlColumn(name)) for name in query.groups]
    shown: dict[Row, Row] = {}
    for row in answer:
        group = tuple([row[place] for place in places])
        shown[group] = row
    return shown


def groups(query: q.SqlQuery, over: QueriedRows) -> Mapping[Row, list[int]]:
    """The rows of each group that the public columns allow.

    All rows where there is no GROUP BY.
    """
    names = [hashable(name, over) for name in query.groups]
    columns = [over.public[name] for name in names]
    groups_of_rows = _across(columns, over)
    by_group = grouped((group, row) for row, group in enumerate(groups_of_rows))

    # Without GROUP BY there is an answer of one row, also over no rows.
    if not query.grouped and not by_group:
        return {(): []}
    return by_group


def _across(columns: Sequence[Sequence[Any]], over: QueriedRows) -> list[Row]:
    """What some columns have in each row, also where there is no column."""
    if not columns:
        return [()] * over.rows
    return list(zip(*columns, strict=True))


def _group(
    query: q.SqlQuery,
    row: Row | None,
    number: t.LinearSum,
    cells: Mapping[q.Aggregate, Selected],
    name: str,
) -> Effect:
    """One group of ``number`` rows, with its aggregates where it is shown.

    It is absent when it has none or HAVING is not true.
    """
    shown, _ = having(query.having, cells)
    if row is None:
        empty = t.equal(number, 0) if query.grouped else t.FALSE
        return Effect((t.disj((empty, t.neg(shown))),))

    # A group that is shown has a row, and HAVING is true of it.
    terms = [t.within(number, 1, None) if query.grouped else t.TRUE, shown]
    helpers: list[Helper] = []
    items = [
        (place, item)
        for place, item in enumerate(query.shown)
        if isinstance(item, q.Aggregate)
    ]
    sizes = {}
    for place, item in items:
        # What COUNT answers is the N of every aggregate over the same rows.
        # A rounded number of cells is none of them.
        exact = not isinstance(row[place], NumberRange)
        if item.kind == "count" and not item.distinct and exact:
            sizes[cells[item].gates] = int(row[place])
    for place, item in items:
        # The shapes of gates are only worked out where there is a count.
        size = sizes.get(cells[item].gates) if sizes else None
        helper = f"{name}_{place}"
        value = row[place]
        if isinstance(value, NumberRange):
            new, more = in_range(item.kind, cells[item], value, helper)
        else:
            new, more = aggregate(item.kind, cells[item], value, helper, size)
        terms += new
        helpers += more
    return Effect(tuple(terms), tuple(helpers))


def selection(
    item: q.Aggregate, gates: Iterable[tuple[int, t.Term]], over: QueriedRows
) -> Selected:
    """The cells that an aggregate is over, each with when it counts.

    Raises Unsupported for columns of other kinds.
    """
    name = item.column
    if name is None:
        # COUNT(*) looks at no cell: any number stands for one.
        return Selected(tuple((term, 0) for _, term in gates))
    if name in over.cells:
        return _sensitive_cells(item, name, gates, over)
    if item.kind != "count" and over.types[name] not in INTEGERS:
        raise Unsupported(
            f"{item.kind.upper()} of the public {name} is audited for integers only"
        )
    public = over.public[name]
    # Aggregates pass over NULL.
    there = [(term, public[row]) for row, term in gates if public[row] is not None]
    if item.distinct:
        # Equal values get one number, whichever.
        values = over.public[hashable(name, over)]
        numbers = {value: place for place, value in enumerate(values)}
        there = [(term, numbers[value]) for term, value in there]
    elif item.kind == "count":
        there = [(term, 0) for term, _ in there]
    return Selected(tuple(there), None, item.distinct)


def _sensitive_cells(
    item: q.Aggregate,
    name: str,
    gates: Iterable[tuple[int, t.Term]],
    over: QueriedRows,
) -> Selected:
    """Unknown cells, which count where they are selected and not missing."""
    coding = over.frame.codings[name]
    cells = over.cells[name]
    if item.kind in ("sum", "avg", "median"):
        why = coding.summed(item.kind, len(cells))
        if why:
            raise Unsupported(f"{item.kind.upper()} of {name}, {why}, is not audited")
    if item.kind in ("min", "max") and not coding.by_place:
        raise Unsupported(unordered(name, coding))
    gated = []
    for row, term in gates:
        cell = cells[row]
        gated.append((t.conj((term, cell.there)), cell.variable))
    return Selected(tuple(gated), coding, item.distinct)


def _rows(
    query: q.SqlQuery, answer: Rows, over: QueriedRows, selected: Terms
) -> Iterator[t.Term]:
    """Rows shown with their key: what is selected, and what these cells are.

    As many rows are selected as are shown of each.
    """
    columns: dict[int, str] = {}
    for place, item in enumerate(query.shown):
        if isinstance(item, q.SqlColumn):
            columns[place] = item.name
    telling = {place: name for place, name in columns.items() if _telling(name, over)}
    shown: dict[Row, list[Row]] = {}
    for row in answer:
        name = tuple([row[place] for place in telling])
        shown.setdefault(name, []).append(row)

    # Rows that the shown columns do not tell apart come from one row of the table.
    public = _across([over.public[name] for name in telling.values()], over)
    alike = grouped((name, row) for row, name in enumerate(public))
    for group, members in alike.items():
        rows = shown.get(group, [])
        yield t.equal(count(selected[member] for member in members), len(rows))
        if not rows:
            continue
        for place, column in columns.items():
            if column in over.cells:
                cell = over.cells[column][members[0]]
                yield cell.has(cell.coding.inward(rows[0][place]))


def _telling(name: str, over: QueriedRows) -> bool:
    """Whether a column says which row is meant.

    The key does, or a column of an external table.
    """
    if name in over.keys:
        return True
    if name in over.cells or name in over.frame.public:
        return False
    return bool(hashable(name, over))


def hashable(name: str, over: QueriedRows) -> str:
    """A public column by which rows can be told apart.

    Raises Unsupported for floating point and for nested types.
    """
    kind = over.types[name]
    floating = kind in ("FLOAT", "DOUBLE")
    nested = "[" in kind or ("(" in kind and not kind.startswith("DECIMAL"))
    if floating or nested:
        raise Unsupported(
            f"{name}, a column of {kind}, tells no groups of rows apart that are"
            " audited"
        )
    return name


def signature(query: q.SqlQuery, answer: Rows, over: QueriedRows) -> list[Hashable]:
    """What a query sees of each row of the table beside its sensitive cells.

    Rows with one signature can exchange all their sensitive cells, and the answer
    stays: it depends on how often each pair of a signature and sensitive cells occurs.
    A query that shows rows sees, too, which rows it shows and how.
    """
    if not sensitive(query, over):
        return [()] * over.frame.rows

    # Equal rows may change places in all answers so far if they may in this one.
    columns = _seen_columns(query, over)
    rows = _across(columns, over)
    seen = over.by_member(rows)
    if query.aggregated:
        return seen
    shown = _shown(query, answer, over)
    return [
        (one, frozenset(shown[key].items()))
        for one, key in zip(seen, over.frame.keys, strict=True)
    ]


def _seen_columns(query: q.SqlQuery, over: QueriedRows) -> list[Sequence[Any]]:
    """The public conditions and columns that a query reads beside sensitive cells."""
    columns: list[Sequence[Any]] = [
        over.truth[part.sql]
        for part in q.conditions(query)
        if isinstance(part, q.Public)
    ]
    names = [*q.compared(query), *query.groups]
    for item in q.aggregates(query):
        # COUNT of the key counts rows: it does not look at the key.
        if item.column and not _counts_rows(item, over.keys):
            names.append(item.column)
    if not query.aggregated and over.joined:
        names += [name for name in _places(query) if name not in over.keys]
    columns += [over.public[name] for name in names if name in over.public]
    return columns


def _counts_rows(item: q.Aggregate, keys: Sequence[str]) -> bool:
    """Whether this is COUNT of a key, of which none is missing."""
    if item.kind != "count" or item.column not in keys:
        return False
    # One column of several has a value in many rows.
    return len(keys) == 1 or not item.distinct


def _places(query: q.SqlQuery) -> dict[str, int]:
    """Where each column stands in the answer."""
    return {
        item.name: place
        for place, item in enumerate(query.shown)
        if isinstance(item, q.SqlColumn)
    }


def _shown(
    query: q.SqlQuery, answer: Rows, over: QueriedRows
) -> dict[Any, Counter[Row]]:
    """How often each row is shown with which cells.

    Without the table's public columns, which go with the key.
    """
    frame = over.frame
    places = _places(query)
    telling = [
        place
        for name, place in places.items()
        if name in over.cells or name not in frame.public
    ]
    shown: dict[Any, Counter[Row]] = {key: Counter() for key in frame.keys}
    for row in answer:
        told = [row[place] for place in telling]
        cells = tuple(told)
        key = key_of([row[places[name]] for name in over.keys])
        of_key = shown[key]
        of_key[cells] += 1
    return shown
