"""What an answer says about the worlds: SQL's meaning of a query, written as constraints over the unknown cells.

WHERE keeps the rows where its condition is true, and FILTER those of them that one aggregate is over.  Aggregates pass
over missing cells; over no cell, COUNT is 0 and the others are NULL.  A group that an answer does not show has no row,
or HAVING is not true of it: that says something, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import count
from phverify.disclosure.worlds.aggregates import Helper, Selected, aggregate
from phverify.disclosure.worlds.conditions import Reader, is_value
from phverify.disclosure.worlds.database import INTEGERS, Row
from phverify.disclosure.worlds.having import different, having
from phverify.disclosure.worlds.relation import Relation


@dataclass(frozen=True)
class Effect:
    """What an answer says: terms that hold in exactly the worlds with that answer, for some value of the helpers."""

    terms: tuple[t.Term, ...]
    helpers: tuple[Helper, ...] = ()

    def values(self, assignment: t.Assignment) -> dict[str, int]:
        """The values of the helpers in a world."""
        return {helper.variable.name: helper.value(assignment) for helper in self.helpers}


def sensitive(query: q.Query, over: Relation) -> bool:
    """Whether a query looks at a sensitive column at all."""
    return bool(q.columns(query) & over.codings.keys())


def effect(query: q.Query, answer: Sequence[Row], over: Relation, name: str = "h") -> Effect:
    """The constraints of an answer.  Raises Unsupported for types that are not audited.

    ``name`` begins the names of helpers.
    """
    if not sensitive(query, over):
        return Effect(())
    reader = Reader(over)
    selected = reader.true(query.where)
    if not query.aggregated:
        return Effect(tuple(_rows(query, answer, over, selected)))
    chosen = {item: reader.both_true(selected, item.where) for item in q.aggregates(query)}
    places = [query.shown.index(q.Column(name)) for name in query.groups]
    shown = {tuple(row[k] for k in places): row for row in answer}
    terms: list[t.Term] = []
    helpers: list[Helper] = []
    for group, members in groups(query, over).items():
        number = count([selected[row] for row in members])
        cells = {item: selection(item, [(row, there[row]) for row in members], over) for item, there in chosen.items()}
        found = _group(query, shown.get(group), number, cells, f"{name}_{len(helpers)}")
        terms += found.terms
        helpers += found.helpers
    return Effect(tuple(terms), tuple(helpers))


def groups(query: q.Query, over: Relation) -> Mapping[Row, list[int]]:
    """The rows of each group that the public columns allow; all rows where there is no GROUP BY."""
    columns = [over.public[hashable(name, over)] for name in query.groups]
    found = grouped((tuple(column[row] for column in columns), row) for row in range(over.rows))
    return found if query.grouped or found else {(): []}


def _group(query: q.Query, row: Row | None, number: t.Sum, cells: Mapping[q.Aggregate, Selected], name: str) -> Effect:
    """One group of ``number`` rows: absent when it has none or HAVING is not true, otherwise with its aggregates."""
    some = t.within(number, 1, None) if query.grouped else t.TRUE
    kept, _ = having(query.having, cells)
    if row is None:
        absent = t.equal(number, 0) if query.grouped else t.FALSE
        return Effect((t.disj((absent, t.neg(kept))),))
    terms = [some, kept]
    helpers: list[Helper] = []
    items = [(place, item) for place, item in enumerate(query.shown) if isinstance(item, q.Aggregate)]
    counts = [(place, item) for place, item in items if item.kind == "count" and not item.distinct]
    sizes = {cells[item].gates: int(row[place]) for place, item in counts}
    for place, item in items:
        if item.distinct:
            terms.append(t.equal(different(cells[item]), row[place]))
        else:
            size = sizes.get(cells[item].gates) if sizes else None
            new, more = aggregate(item.kind, cells[item], row[place], f"{name}_{place}", size)
            terms += new
            helpers += more
    return Effect(tuple(terms), tuple(helpers))


def selection(item: q.Aggregate, chosen: Sequence[tuple[int, t.Term]], over: Relation) -> Selected:
    """The cells that an aggregate is over: each with the term that says when it counts."""
    if item.column is None:
        return Selected(tuple((term, 0) for _, term in chosen))
    if item.column in over.codings:
        coding, cells = over.codings[item.column], over.cells[item.column]
        known = tuple((t.conj((term, t.neg(cells[row].missing))), cells[row].variable) for row, term in chosen)
        if item.kind in ("sum", "avg", "median") and not coding.integral:
            raise Unsupported(f"{item.kind.upper()} of {item.column}, a column of {coding.kind}s, is not audited")
        return Selected(known, coding)
    public = over.public[item.column]
    there = [(row, term) for row, term in chosen if public[row] is not None]
    if item.kind != "count" and over.types[item.column] not in INTEGERS:
        raise Unsupported(f"{item.kind.upper()} of the public {item.column} is audited for integers only")
    if item.kind != "count":
        return Selected(tuple((term, public[row]) for row, term in there))
    labels: dict[Any, int] = {}
    if item.distinct:
        labels = {value: k for k, value in enumerate(over.public[hashable(item.column, over)])}
    return Selected(tuple((term, labels[public[row]] if labels else 0) for row, term in there))


def _rows(query: q.Query, answer: Sequence[Row], over: Relation, selected: Sequence[t.Term]) -> list[t.Term]:
    """Rows shown with their key: as many as are shown are selected, and have these cells."""
    private = {k: c.name for k, c in enumerate(query.shown) if isinstance(c, q.Column) and c.name in over.codings}
    telling = {k: c.name for k, c in enumerate(query.shown) if isinstance(c, q.Column) and _telling(c.name, over)}
    shown = grouped((tuple(row[k] for k in telling), row) for row in answer)
    alike = grouped(
        (tuple(over.public[name][number] for name in telling.values()), number) for number in range(over.rows)
    )
    terms = []
    for group, numbers in alike.items():
        rows = shown.get(group, [])
        terms.append(t.equal(count([selected[number] for number in numbers]), len(rows)))
        for k, name in private.items() if rows else ():
            terms.append(is_value(over.cells[name][numbers[0]], over.codings[name], rows[0][k]))
    return terms


def _telling(name: str, over: Relation) -> bool:
    """Whether a column says which row is meant: the key, or one of an external table."""
    if name in over.codings or (name in over.frame.public and name != over.key):
        return False
    return name == over.key or bool(hashable(name, over))


def hashable(name: str, over: Relation) -> str:
    """A public column by which rows can be told apart.  Raises Unsupported for floating point and for nested types."""
    kind = over.types[name]
    if kind in ("FLOAT", "DOUBLE") or ("[" in kind or ("(" in kind and not kind.startswith("DECIMAL"))):
        raise Unsupported(f"{name}, a column of {kind}, tells no groups of rows apart that are audited")
    return name


def signature(query: q.Query, answer: Sequence[Row], over: Relation) -> list[Hashable]:
    """What a query sees of each row of the table beside its sensitive cells.

    Rows with one signature can exchange all their sensitive cells, and the answer stays: it depends on how often each
    pair of a signature and sensitive cells occurs.  A query that shows rows sees, too, which rows it shows and how.
    """
    if not sensitive(query, over):
        return [()] * over.frame.rows
    columns: list[Sequence[Any]] = [over.truth[part.sql] for part in q.conditions(query) if isinstance(part, q.Public)]
    names = [*q.compared(query), *query.groups]
    aggregates = [(item.kind, item.column) for item in q.aggregates(query)]
    names += [column for kind, column in aggregates if column and (kind, column) != ("count", over.key)]
    if not query.aggregated and over.joined:
        names += [item.name for item in query.shown if isinstance(item, q.Column) and item.name != over.key]
    columns += [over.public[name] for name in names if name in over.public]
    seen = over.by_member([tuple(column[row] for column in columns) for row in range(over.rows)])
    return seen if query.aggregated else list(zip(seen, _shown(query, answer, over), strict=True))


def _shown(query: q.Query, answer: Sequence[Row], over: Relation) -> list[Hashable]:
    """What an answer shows of each row, as a bag."""
    place = query.shown.index(q.Column(over.key))
    shown: dict[Any, Counter[Row]] = {key: Counter() for key in over.frame.keys}
    kept = [k for k, item in enumerate(query.shown) if k != place and _told(item, over)]
    for row in answer:
        shown[row[place]][tuple(row[k] for k in kept)] += 1
    return [frozenset(shown[key].items()) for key in over.frame.keys]


def _told(item: q.Column | q.Aggregate, over: Relation) -> bool:
    """Whether a shown column is no mere column of the table that goes with the key."""
    return isinstance(item, q.Column) and (item.name in over.codings or item.name not in over.frame.public)
