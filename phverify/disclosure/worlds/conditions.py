"""Conditions as constraints: conditions of SQL on rows, and formulas over cells.

Either has two terms, when it is true and when it is false; where neither holds it is
NULL, or unknown.  ``terms`` is the twin of ``formula.truth``, the same cases in the
same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from phverify.constraints import terms as t
from phverify.disclosure.connectives import (
    BOTH,
    OPERATORS,
    Both,
    Formula,
    fold,
    leaves,
    ordered,
    where,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import kind_of
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Terms
from phverify.disclosure.worlds.cells import Cell, type_kind
from phverify.disclosure.worlds.relation import Relation

Known = int | Fraction | str | bool | None
Side = tuple[Sequence[tuple[int, Cell]], Known]
"""A sum of cells, each with its factor, and what is added, None for nothing; or one
text, or one truth value.
"""


def compared(body: t.LinearSum, operator: str, bound: Fraction) -> t.Term:
    """``body operator bound``, for a sum of integers."""
    floor = bound.numerator // bound.denominator
    whole = bound == floor
    match operator:
        case "=":
            return t.equal(body, floor) if whole else t.FALSE
        case "!=":
            return t.neg(compared(body, "=", bound))
        case "<":
            return t.within(body, None, floor - whole)
        case "<=":
            return t.within(body, None, floor)
        case ">":
            return t.within(body, floor + 1, None)
    return t.within(body, floor + (not whole), None)


def comparison(left: Side, operator: str, right: Side) -> Both:
    """``left operator right``, unknown where a cell of them is missing."""
    cells = [
        (sign * factor, cell)
        for sign, side in ((1, left), (-1, right))
        for factor, cell in side[0]
    ]
    if not cells:
        return where(
            (),
            t.constant(bool(OPERATORS[operator](ordered(left[1]), ordered(right[1])))),
        )
    coding = cells[0][1].coding
    bound = Fraction(0)
    for sign, (_, known) in ((-1, left), (1, right)):
        bound += 0 if known is None else sign * coding.position(known)
    body = t.LinearSum(plain=tuple((factor, cell.variable) for factor, cell in cells))
    return where((cell.there for _, cell in cells), compared(body, operator, bound))


# formulas over cells


def terms(formula: Formula, unknown: Mapping[f.Cell, Cell]) -> Both:
    """When the formula is true, and when it is false."""

    def side(found: f.Side) -> Side:
        if not isinstance(found, f.Linear):
            return (), found
        return [
            (factor, unknown[cell]) for factor, cell in found.factors
        ], found.constant or None

    def leaf(atom: f.Atom) -> Both:
        match atom:
            case f.Compare(left, operator, right):
                return comparison(side(left), operator, side(right))
            case f.Among(cell, among, _):
                found = unknown[cell]
                inside = t.disj(
                    found.has(value) for value in among if found.coding.allows(value)
                )
                return inside, t.conj((found.there, t.neg(inside)))
            case f.Missing(cell):
                return unknown[cell].missing, unknown[cell].there

    return fold(formula, leaf, BOTH)


# conditions on rows


def chosen(
    condition: Formula | None, over: Relation, selected: Terms | None = None
) -> Terms:
    """When a condition is true of each row that is selected, or of each one.  Raises
    Unsupported.
    """
    selected = [t.TRUE] * over.rows if selected is None else selected
    if condition is None:
        return selected
    columns = {part: _column(part, over) for part in leaves(condition)}
    found = []
    for row, term in enumerate(selected):
        true, _ = fold(condition, lambda part, row=row: columns[part][row], BOTH)  # type: ignore[misc]
        found.append(t.conj((term, true)))
    return found


def _column(part: q.Public | q.IsNull | q.Compare, over: Relation) -> Sequence[Both]:
    """What a condition is of each row."""
    match part:
        case q.Public(sql):
            return [
                (t.constant(value is True), t.constant(value is False))
                for value in over.truth[sql]
            ]
        case q.IsNull(column):
            if column in over.cells:
                return [(cell.missing, cell.there) for cell in over.cells[column]]
            return [
                where((), t.constant(value is None)) for value in over.public[column]
            ]
        case q.Compare(left, operator, right):
            _alike((left, right), over)
            sides = zip(_sides(left, over), _sides(right, over), strict=True)
            return [
                (
                    comparison(one, operator, other)
                    if one and other
                    else (t.FALSE, t.FALSE)
                )
                for one, other in sides
            ]


def _sides(side: q.Operand, over: Relation) -> Sequence[Side | None]:
    """A side of a comparison in each row, None where it is NULL."""
    if isinstance(side, q.Column) and side.name in over.cells:
        return [([(1, cell)], None) for cell in over.cells[side.name]]
    values = (
        [side.value] * over.rows
        if isinstance(side, q.Constant)
        else over.public[side.name]
    )
    return [None if value is None else ((), value) for value in values]


def _alike(sides: Sequence[q.Operand], over: Relation) -> None:
    """Raises Unsupported for sides of several kinds, and for public columns that are of
    none.
    """
    kinds, unknown = set[str](), []
    for side in sides:
        if isinstance(side, q.Constant):
            kinds |= set() if side.value is None else {kind_of(side.value) or "integer"}
        elif coding := over.frame.codings.get(side.name):
            kinds.add(coding.kind)
            unknown.append(side.name)
        elif kind := type_kind(over.types[side.name]):
            kinds.add(kind)
        else:
            what = (
                f"{side.name}, a column of {over.types[side.name]}, beside a sensitive"
                " column is not audited"
            )
            raise Unsupported(what)
    if len(kinds) > 1:
        raise Unsupported(
            f"a comparison of {' with '.join(sorted(kinds))} is not audited"
        )
    domains = {over.frame.codings[name].domain.values for name in unknown}
    if len(domains) > 1 and kinds != {"integer"}:
        raise Unsupported(
            f"a comparison of {' with '.join(unknown)}, which have other values, is not"
            " audited"
        )
