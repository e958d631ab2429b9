"""Who is named: the individuals and the rows that formulas speak of."""

from __future__ import annotations

from collections.abc import Iterable

from phverify.spec import syntax as s


def mentioned(formulas: Iterable[s.Formula]) -> tuple[set[s.Person], set[s.Row]]:
    """The individuals and the rows that formulas name."""
    people: set[s.Person] = set()
    rows: set[s.Row] = set()
    for formula in formulas:
        for node in s.subformulas(formula):
            if not isinstance(node, s.Nominal | s.At):
                continue
            name = node.name
            if isinstance(name, s.Person):
                people.add(name)
            elif isinstance(name, s.Row):
                rows.add(name)
    return people, rows


def numbered(formulas: Iterable[s.Formula]) -> tuple[list[int], set[int]]:
    """The numbers of the individuals, rising, and of the rows that formulas name."""
    people, rows = mentioned(formulas)
    numbers = sorted(person.index for person in people)
    return numbers, {row.index for row in rows}
