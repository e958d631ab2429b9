"""What an answer says about the worlds: SQL's meaning of a query, written as constraints over the unknown cells.

A condition has two terms for a row: when it is true and when it is false; where neither holds it is NULL.  WHERE keeps
the rows where it is true.  Aggregates pass over missing cells; over no cell, COUNT is 0 and the others are NULL.  A
group that an answer does not show has no row: that says something, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.audit import query as q
from phverify.audit.aggregates import Helper, Selected, aggregate, count
from phverify.audit.database import INTEGERS, Row
from phverify.audit.relation import Relation
from phverify.audit.sources import Unsupported
from phverify.audit.worlds import Cell, Coding
from phverify.smt import integers as t

Both = tuple[t.Term, t.Term]
"""When a condition is true of a row, and when it is false."""
_PYTHON = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


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
    selected = [true for true, _ in _Reader(over).both(query.where)]
    if not query.aggregated:
        return Effect(tuple(_rows(query, answer, over, selected)))
    shown: dict[Row, Row] = {}
    places = [query.shown.index(q.Column(name)) for name in query.groups]
    for row in answer:
        shown[tuple(row[k] for k in places)] = row
    terms: list[t.Term] = []
    helpers: list[Helper] = []
    for group, members in groups(query, over).items():
        chosen = [(row, selected[row]) for row in members]
        found = _group(query, shown.get(group), chosen, over, f"{name}_{len(helpers)}")
        terms += found.terms
        helpers += found.helpers
    return Effect(tuple(terms), tuple(helpers))


def groups(query: q.Query, over: Relation) -> Mapping[Row, list[int]]:
    """The rows of each group that the public columns allow; all rows where there is no GROUP BY."""
    found: dict[Row, list[int]] = {} if query.grouped else {(): []}
    columns = [over.public[hashable(name, over)] for name in query.groups]
    for row in range(over.rows):
        found.setdefault(tuple(column[row] for column in columns), []).append(row)
    return found


def _group(query: q.Query, row: Row | None, chosen: Sequence[tuple[int, t.Term]], over: Relation, name: str) -> Effect:
    """One group: absent when it has no row, otherwise with its aggregates."""
    number = count([term for _, term in chosen])
    if row is None:
        return Effect((t.equal(number, 0),))
    terms = [t.within(number, 1, None)] if query.grouped else []
    helpers: list[Helper] = []
    for place, item in enumerate(query.shown):
        if isinstance(item, q.Aggregate):
            cells = selection(item, chosen, over)
            new, more = aggregate(item.kind, cells, row[place], f"{name}_{place}")
            terms += new
            helpers += more
    return Effect(tuple(terms), tuple(helpers))


def selection(item: q.Aggregate, chosen: Sequence[tuple[int, t.Term]], over: Relation) -> Selected:
    """The cells that an aggregate is over: each with the term that says when it counts."""
    if item.column is None:
        return Selected(tuple((term, 0) for _, term in chosen))
    if item.column in over.codings:
        coding, cells = over.codings[item.column], over.cells[item.column]
        there = tuple((t.conj((term, t.neg(cells[row].missing))), cells[row].variable) for row, term in chosen)
        if item.kind in ("sum", "avg", "median") and not coding.integral:
            raise Unsupported(f"{item.kind.upper()} of {item.column}, a column of {coding.kind}s, is not audited")
        return Selected(there, coding)
    cells_ = over.public[item.column]
    if item.kind != "count" and over.types[item.column] not in INTEGERS:
        raise Unsupported(f"{item.kind.upper()} of the public {item.column} is audited for integers only")
    kept = item.kind != "count"
    return Selected(tuple((term, cells_[row] if kept else 0) for row, term in chosen if cells_[row] is not None))


def _rows(query: q.Query, answer: Sequence[Row], over: Relation, selected: Sequence[t.Term]) -> list[t.Term]:
    """Rows shown with their key: as many as are shown are selected, and have these cells."""
    private = [k for k, item in enumerate(query.shown) if isinstance(item, q.Column) and item.name in over.codings]
    public = [k for k, item in enumerate(query.shown) if isinstance(item, q.Column) and _telling(item.name, over)]
    names = [item.name for item in query.shown if isinstance(item, q.Column) and _telling(item.name, over)]
    shown: dict[Row, list[Row]] = {}
    for row in answer:
        shown.setdefault(tuple(row[k] for k in public), []).append(row)
    alike: dict[Row, list[int]] = {}
    for number in range(over.rows):
        alike.setdefault(tuple(over.public[name][number] for name in names), []).append(number)
    terms = []
    for group, numbers in alike.items():
        rows = shown.get(group, [])
        terms.append(t.equal(count([selected[number] for number in numbers]), len(rows)))
        for k in private if rows else ():
            name = query.shown[k].name  # type: ignore[union-attr]
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


def is_value(cell: Cell, coding: Coding, value: q.Value) -> t.Term:
    """The cell holds this value (None: it is missing)."""
    if value is None:
        return cell.missing
    alone = t.Sum(plain=((1, cell.variable),))
    return t.conj((t.neg(cell.missing), t.equal(alone, coding.code(value))))


def compared(body: t.Sum, operator: str, bound: Fraction) -> t.Term:
    """``body operator bound``, for a sum of integers."""
    floor = bound.numerator // bound.denominator
    whole = bound == floor
    match operator:
        case "=":
            return t.equal(body, floor) if whole else t.FALSE
        case "!=":
            return t.neg(t.equal(body, floor)) if whole else t.TRUE
        case "<":
            return t.within(body, None, floor - 1 if whole else floor)
        case "<=":
            return t.within(body, None, floor)
        case ">":
            return t.within(body, floor + 1, None)
    return t.within(body, floor if whole else floor + 1, None)


@dataclass(frozen=True)
class _Reader:
    """Conditions as terms, a pair for each row."""

    over: Relation

    def both(self, where: q.Predicate | None) -> list[Both]:
        rows = range(self.over.rows)
        match where:
            case None:
                return [(t.TRUE, t.FALSE)] * self.over.rows
            case q.Public(sql):
                return [(t.constant(value is True), t.constant(value is False)) for value in self.over.truth[sql]]
            case q.Not(body):
                return [(false, true) for true, false in self.both(body)]
            case q.And(parts):
                several = [self.both(part) for part in parts]
                return [(t.conj(p[r][0] for p in several), t.disj(p[r][1] for p in several)) for r in rows]
            case q.Or(parts):
                several = [self.both(part) for part in parts]
                return [(t.disj(p[r][0] for p in several), t.conj(p[r][1] for p in several)) for r in rows]
            case q.IsNull(column):
                missing = [self.missing(column, r) for r in rows]
                return [(term, t.neg(term)) for term in missing]
            case q.Compare(left, operator, right):
                self.alike(left, right)
                return [self.compare(left, operator, right, r) for r in rows]
        raise TypeError(f"no condition: {where!r}")

    def missing(self, column: str, row: int) -> t.Term:
        if column in self.over.codings:
            return self.over.cells[column][row].missing
        return t.constant(self.over.public[column][row] is None)

    def kind(self, side: q.Operand) -> str:
        """integer, text, boolean, or nothing for NULL.  Raises Unsupported for a public column of another type."""
        if isinstance(side, q.Column) and side.name in self.over.codings:
            return self.over.codings[side.name].kind
        if isinstance(side, q.Column):
            type_ = self.over.types[side.name]
            kind = "integer" if type_ in INTEGERS else {"VARCHAR": "text", "BOOLEAN": "boolean"}.get(type_)
            if kind is None:
                raise Unsupported(f"{side.name}, a column of {type_}, beside a sensitive column is not audited")
            return kind
        if side.value is None:
            return ""
        return "boolean" if isinstance(side.value, bool) else "text" if isinstance(side.value, str) else "integer"

    def alike(self, left: q.Operand, right: q.Operand) -> None:
        kinds = {self.kind(left), self.kind(right)} - {""}
        if len(kinds) > 1:
            raise Unsupported(f"a comparison of {' with '.join(sorted(kinds))} is not audited")
        unknown = [s.name for s in (left, right) if isinstance(s, q.Column) and s.name in self.over.codings]
        domains = {self.over.codings[name].domain.values for name in unknown}
        if len(domains) > 1 and kinds != {"integer"}:
            raise Unsupported(f"a comparison of {' with '.join(unknown)}, which have other values, is not audited")

    def compare(self, left: q.Operand, operator: str, right: q.Operand, row: int) -> Both:
        one, other = self.side(left, row), self.side(right, row)
        if one is None or other is None:
            return t.FALSE, t.FALSE
        codings = [
            self.over.codings[s.name] for s in (left, right) if isinstance(s, q.Column) and s.name in self.over.codings
        ]
        if not isinstance(one, Cell) and not isinstance(other, Cell):
            holds = bool(_PYTHON[operator](_ordered(one), _ordered(other)))
            return t.constant(holds), t.constant(not holds)
        body, bound, there = t.Sum(), Fraction(0), []
        for sign, side in ((1, one), (-1, other)):
            if isinstance(side, Cell):
                body = t.joined(((1, body), (1, t.Sum(plain=((sign, side.variable),)))))
                there.append(t.neg(side.missing))
            else:
                bound -= sign * codings[0].position(side)
        term = compared(body, operator, bound)
        return t.conj((*there, term)), t.conj((*there, t.neg(term)))

    def side(self, side: q.Operand, row: int) -> Any:
        """A cell, a value, or None for NULL."""
        if isinstance(side, q.Constant):
            return side.value
        if side.name in self.over.codings:
            return self.over.cells[side.name][row]
        return self.over.public[side.name][row]


def _ordered(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def signature(query: q.Query, answer: Sequence[Row], over: Relation) -> list[Hashable]:
    """What a query sees of each row of the table beside its sensitive cells.

    Rows with one signature can exchange all their sensitive cells, and the answer stays: it depends on how often each
    pair of a signature and sensitive cells occurs.  A query that shows rows sees, too, which rows it shows and how.
    """
    if not sensitive(query, over):
        return [()] * over.frame.rows
    columns: list[Sequence[Any]] = [over.truth[part.sql] for part in q.parts(query.where) if isinstance(part, q.Public)]
    names = [*q.compared(query.where), *query.groups]
    aggregates = [(item.kind, item.column) for item in query.shown if isinstance(item, q.Aggregate)]
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
