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
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Terms, count
from phverify.disclosure.worlds.aggregates import Helper, Selected, aggregate
from phverify.disclosure.worlds.conditions import chosen
from phverify.disclosure.worlds.database import INTEGERS, Row, Rows
from phverify.disclosure.worlds.having import having
from phverify.disclosure.worlds.relation import Relation


@dataclass(frozen=True)
class Effect:
    """What an answer says: terms that hold in exactly the worlds with that answer, for
    some value of the helpers.

    ``number`` is that of the query in the log.
    """

    terms: tuple[t.Term, ...]
    helpers: tuple[Helper, ...] = ()
    number: int = 0

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The unknowns of each term."""
        return tuple([t.unknowns([term]).names for term in self.terms])

    def broken(self, assignment: t.Assignment) -> list[t.Term]:
        """The terms that a world does not satisfy."""
        helped = {
            helper.variable.name: helper.value(assignment) for helper in self.helpers
        }
        values = {**assignment, **helped}
        return [term for term in self.terms if not t.evaluate(term, values)]


def sensitive(query: q.Query, over: Relation) -> bool:
    """Whether a query looks at a sensitive column at all."""
    return bool(q.columns(query) & over.cells.keys())


def effect(query: q.Query, answer: Rows, over: Relation, number: int = 0) -> Effect:
    """The constraints of an answer.  Raises Unsupported for types that are not
    audited.
    """
    if not sensitive(query, over):
        return Effect((), (), number)
    selected = chosen(query.where, over)
    if not query.aggregated:
        return Effect(tuple(_rows(query, answer, over, selected)), (), number)
    gates = {item: chosen(item.where, over, selected) for item in q.aggregates(query)}
    places = [query.shown.index(q.Column(name)) for name in query.groups]
    shown = {tuple(row[k] for k in places): row for row in answer}
    terms: list[t.Term] = []
    helpers: list[Helper] = []
    for group, members in groups(query, over).items():
        rows = count(selected[row] for row in members)
        cells = {
            item: selection(item, [(row, gate[row]) for row in members], over)
            for item, gate in gates.items()
        }
        found = _group(
            query, shown.get(group), rows, cells, f"h{number}_{len(helpers)}"
        )
        terms += found.terms
        helpers += found.helpers
    return Effect(tuple(terms), tuple(helpers), number)


def groups(query: q.Query, over: Relation) -> Mapping[Row, list[int]]:
    """The rows of each group that the public columns allow; all rows where there is no
    GROUP BY.
    """
    columns = [over.public[hashable(name, over)] for name in query.groups]
    found = grouped(
        (tuple(column[row] for column in columns), row) for row in range(over.rows)
    )
    return found if query.grouped or found else {(): []}


def _group(
    query: q.Query,
    row: Row | None,
    number: t.LinearSum,
    cells: Mapping[q.Aggregate, Selected],
    name: str,
) -> Effect:
    """One group of ``number`` rows: absent when it has none or HAVING is not true,
    otherwise with its aggregates.
    """
    kept, _ = having(query.having, cells)
    if row is None:
        absent = t.equal(number, 0) if query.grouped else t.FALSE
        return Effect((t.disj((absent, t.neg(kept))),))
    terms = [t.within(number, 1, None) if query.grouped else t.TRUE, kept]
    helpers: list[Helper] = []
    items = [
        (place, item)
        for place, item in enumerate(query.shown)
        if isinstance(item, q.Aggregate)
    ]
    counts = [
        (place, item)
        for place, item in items
        if item.kind == "count" and not item.distinct
    ]
    sizes = {cells[item].gates: int(row[place]) for place, item in counts}
    for place, item in items:
        size = sizes.get(cells[item].gates) if sizes else None
        new, more = aggregate(
            item.kind, cells[item], row[place], f"{name}_{place}", size
        )
        terms += new
        helpers += more
    return Effect(tuple(terms), tuple(helpers))


def selection(
    item: q.Aggregate, gates: Iterable[tuple[int, t.Term]], over: Relation
) -> Selected:
    """The cells that an aggregate is over: each with the term that says when it
    counts.
    """
    name, kind = item.column, item.kind
    if name is None:
        return Selected(tuple((term, 0) for _, term in gates))
    if name in over.cells:
        coding, cells = over.frame.codings[name], over.cells[name]
        if kind in ("sum", "avg", "median") and not coding.integral:
            raise Unsupported(
                f"{kind.upper()} of {name}, a column of {coding.kind}s, is not audited"
            )
        known = tuple(
            (t.conj((term, cells[row].there)), cells[row].variable)
            for row, term in gates
        )
        return Selected(known, coding, item.distinct)
    public = over.public[name]
    if kind != "count" and over.types[name] not in INTEGERS:
        raise Unsupported(
            f"{kind.upper()} of the public {name} is audited for integers only"
        )
    there = [(term, public[row]) for row, term in gates if public[row] is not None]
    if item.distinct:
        numbers = {
            value: k for k, value in enumerate(over.public[hashable(name, over)])
        }
        there = [(term, numbers[value]) for term, value in there]
    elif kind == "count":
        there = [(term, 0) for term, _ in there]
    return Selected(tuple(there), None, item.distinct)


def _rows(
    query: q.Query, answer: Rows, over: Relation, selected: Terms
) -> Iterator[t.Term]:
    """Rows shown with their key: as many as are shown are selected, and have these
    cells.
    """
    columns = {
        place: item.name
        for place, item in enumerate(query.shown)
        if isinstance(item, q.Column)
    }
    telling = {place: name for place, name in columns.items() if _telling(name, over)}
    shown = grouped((tuple(row[place] for place in telling), row) for row in answer)
    public = [over.public[name] for name in telling.values()]
    alike = grouped(
        (tuple(column[row] for column in public), row) for row in range(over.rows)
    )
    for group, members in alike.items():
        rows = shown.get(group, [])
        yield t.equal(count(selected[member] for member in members), len(rows))
        for place, name in columns.items() if rows else ():
            if name in over.cells:
                yield over.cells[name][members[0]].has(rows[0][place])


def _telling(name: str, over: Relation) -> bool:
    """Whether a column says which row is meant: the key, or one of an external
    table.
    """
    return name == over.key or (
        name not in over.cells
        and name not in over.frame.public
        and bool(hashable(name, over))
    )


def hashable(name: str, over: Relation) -> str:
    """A public column by which rows can be told apart.  Raises Unsupported for floating
    point and for nested types.
    """
    kind = over.types[name]
    if kind in ("FLOAT", "DOUBLE") or (
        "[" in kind or ("(" in kind and not kind.startswith("DECIMAL"))
    ):
        raise Unsupported(
            f"{name}, a column of {kind}, tells no groups of rows apart that are"
            " audited"
        )
    return name


def signature(query: q.Query, answer: Rows, over: Relation) -> list[Hashable]:
    """What a query sees of each row of the table beside its sensitive cells.

    Rows with one signature can exchange all their sensitive cells, and the answer
    stays: it depends on how often each pair of a signature and sensitive cells occurs.
    A query that shows rows sees, too, which rows it shows and how.
    """
    frame = over.frame
    if not sensitive(query, over):
        return [()] * frame.rows
    columns: list[Sequence[Any]] = [
        over.truth[part.sql]
        for part in q.conditions(query)
        if isinstance(part, q.Public)
    ]
    names = [*q.compared(query), *query.groups]
    aggregates = [(item.kind, item.column) for item in q.aggregates(query)]
    names += [
        column
        for kind, column in aggregates
        if column and (kind, column) != ("count", over.key)
    ]
    places = {
        item.name: place
        for place, item in enumerate(query.shown)
        if isinstance(item, q.Column)
    }
    if not query.aggregated and over.joined:
        names += [name for name in places if name != over.key]
    columns += [over.public[name] for name in names if name in over.public]
    seen = over.by_member(
        [tuple(column[row] for column in columns) for row in range(over.rows)]
    )
    if query.aggregated:
        return seen
    # all but the table's public columns, which go with the key
    kept = [
        place
        for name, place in places.items()
        if name in over.cells or name not in frame.public
    ]
    shown: dict[Any, Counter[Row]] = {key: Counter() for key in frame.keys}
    for row in answer:
        shown[row[places[over.key]]][tuple(row[place] for place in kept)] += 1
    return [
        (one, frozenset(shown[key].items()))
        for one, key in zip(seen, frame.keys, strict=True)
    ]
