"""Event tables: many rows a person.  What is protected is the person's.

A fact about a person is a formula over the cells of all of her rows: it is true of some
row, or it is about sums over all of them.  Which rows are whose is public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from phverify.disclosure.connectives import FORMULAS, AllOf, AnyOf, Proposition, fold
from phverify.disclosure.facts import formula as f
from phverify.disclosure.grouping import grouped
from phverify.disclosure.policy import Protected
from phverify.disclosure.worlds.unknowns import AuditFrame

Keys = Sequence[str]
"""The keys of a person's rows."""


def persons(frame: AuditFrame) -> Mapping[str, Keys]:
    """The rows of each person; a row without one is nobody's."""
    column = frame.public[frame.policy.person]
    pairs = zip(column, map(str, frame.keys), strict=True)
    return grouped((str(who), key) for who, key in pairs if who is not None)


def of_person(
    protected: Protected, keys: Keys, frame: AuditFrame, rows: Mapping[str, int]
) -> Proposition:
    """What a line of the policy says of the person who has these rows."""
    if protected.formula is not None:
        return AnyOf(tuple(_of_rows(protected.formula, keys)))
    column = protected.column
    domain = frame.policy.sensitive[column]
    true = sum(int(frame.truth[column][rows[key]] or 0) for key in keys)
    # Exactly the sum, or the sum up to so much.
    far = domain.units_in(protected.amount)
    cells = [(1, f.FactCell(column, key, unit=domain.unit)) for key in keys]
    total = f.LinearSide(tuple(cells), unit=domain.unit)
    low = f.LinearSide((), true - far, domain.unit)
    high = f.LinearSide((), true + far, domain.unit)
    return AllOf(
        (f.CellComparison(total, ">=", low), f.CellComparison(total, "<=", high))
    )


def _of_rows(formula: Proposition, keys: Keys) -> Iterator[Proposition]:
    """The formula for each row, with sums over all rows.

    Once where all that it names are sums.
    """
    of_row = [cell for cell in f.cells(formula) if not cell.every]
    meant = keys if of_row else keys[:1]
    for key in meant:
        yield fold(formula, partial(_leaf, key=key, keys=keys), FORMULAS)


def _leaf(atom: f.Atom, key: str, keys: Keys) -> Proposition:
    """What is said of cells, with the rows that are meant."""
    if not isinstance(atom, f.CellComparison):
        return replace(atom, cell=replace(atom.cell, key=key))
    left = _side(atom.left, key, keys)
    right = _side(atom.right, key, keys)
    return f.CellComparison(left, atom.operator, right)


def _side(side: f.Side, key: str, keys: Keys) -> f.Side:
    """A side of a comparison, with the rows that are meant."""
    if not isinstance(side, f.LinearSide):
        return side
    factors = []
    for factor, cell in side.factors:
        meant = keys if cell.every else (key,)
        for one in meant:
            of_row = replace(cell, key=one, every=False)
            factors.append((factor, of_row))
    return replace(side, factors=tuple(factors))
