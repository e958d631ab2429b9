"""Questions about integers as linear rows, sums within bounds that must hold, and terms beside them.

Where terms beside the rows are dropped there are only more solutions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from phverify.constraints import terms as t
from phverify.disclosure.solving import lattice
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.lattice import Equations
from phverify.disclosure.solving.linear import Atom, Atoms, LinearRow, Range, flat
from phverify.disclosure.sums import Terms

DENSE, NARROW = 6, 15
"""With so many equations about unknowns of so small ranges, enumeration is asked before any solver."""

Key = frozenset[int]
Values = dict[Atom, int]


@dataclass(frozen=True, eq=False)
class Row:
    """A linear statement of a question: the term, the row, a number that rows of the same content share."""

    term: t.Term
    row: LinearRow
    number: int
    names: frozenset[str]
    gaps: tuple[t.Variable, ...]


@dataclass(frozen=True, eq=False)
class Question:
    """All terms, the rows among them, and the terms beside the rows; ``key`` says whether rows are the same.

    ``names`` are all unknowns, ``gaps`` those that are not all integers of their range.
    """

    terms: Terms
    rows: list[Row]
    others: list[t.Term]
    names: frozenset[str]
    gaps: tuple[t.Variable, ...]
    atoms: Atoms
    key: Key

    @property
    def plain(self) -> bool:
        """Whether the rows are about unknowns alone."""
        return all(isinstance(atom, str) for row in self.rows for atom in row.row.parts)

    def says(self, values: Values) -> bool | None:
        """Whether a solution of the rows answers the question; None where that is open."""
        if any(values.get(v.name, v.low) not in v.values for v in self.gaps):
            return False
        if self.names <= values.keys():
            assigned, seen = cast("dict[str, int]", values), dict[int, bool]()
            terms = self.others if self.plain else (*self.others, *self.terms)
            return all(t.evaluate(term, assigned, seen) for term in terms)

        def range_(atom: Atom) -> Range:
            return (values[atom], values[atom]) if atom in values else self.atoms.ranges[atom]

        return False if any(truth(term, self.atoms, range_) is False for term in self.others) else None

    def assigned(self, values: Values) -> dict[str, int]:
        return {name: values[name] for name in self.names}

    def equations(self) -> Equations | None:
        return lattice.equations([one.row for one in self.rows], self.atoms.ranges)

    def wishes(self) -> list[tuple[Atom, Range, bool]]:
        """Terms about one unknown of which any would do: the unknown, a range, and whether it is to be inside."""
        choice = next((term for term in self.others if isinstance(term, t.Disj)), None)
        found = []
        for term in flat(self.others if choice is None else choice.parts):
            inside = term.body if isinstance(term, t.Neg) else term
            parts, constant = self.atoms.sum(inside.total) if isinstance(inside, t.Within) else ({}, 0)
            if isinstance(inside, t.Within) and len(parts) == 1:
                ((atom, factor),) = parts.items()
                range_ = solved(factor, inside.low - constant, inside.high - constant)
                found.append((atom, range_, inside is term))
        return found


class Reader:
    """Terms as questions; the rows that were read once are known."""

    def __init__(self) -> None:
        self.atoms = Atoms()
        self.rows: dict[int, Row] = {}
        self.numbers: dict[object, int] = {}
        self.ends: dict[str, tuple[int, int, tuple[int, ...]]] = {}

    def question(self, terms: Terms) -> Question | None:
        """Terms, with the rows among them; None where an unknown has another range than in earlier questions."""
        parts = list(flat(terms))
        rows = [row for part in parts if (row := self.row(part)) is not None]
        taken = {id(row.term) for row in rows}
        others = [part for part in parts if id(part) not in taken]
        rest = t.unknowns(others)
        if not self.same(rest.variables.values()):
            return None
        names = rest.names.union(*(row.names for row in rows))
        gaps = {v.name: v for v in (*rest.variables.values(), *(v for row in rows for v in row.gaps)) if v.values}
        key = frozenset(row.number for row in rows)
        return Question(terms, rows, others, names, tuple(gaps.values()), self.atoms, key)

    def row(self, term: t.Term) -> Row | None:
        """A term as a row, when it is about several atoms."""
        if not isinstance(term, t.Within) or id(term) in self.rows:
            return self.rows.get(id(term))
        row, about = next(self.atoms.rows([term])), t.unknowns([term])
        if len(row.parts) < 2 or not self.same(about.variables.values()):
            return None  # questions about one unknown each share their rows
        number = self.numbers.setdefault((frozenset(row.parts.items()), row.low, row.high), len(self.numbers))
        gaps = tuple([v for v in about.variables.values() if v.values])
        self.rows[id(term)] = Row(term, row, number, about.names, gaps)
        return self.rows[id(term)]

    def same(self, variables: Iterable[t.Variable]) -> bool:
        """Whether variables are what they were."""
        return all(self.ends.setdefault(v.name, e := (v.low, v.high, v.values)) == e for v in variables)


def solved(factor: int, low: int, high: int) -> Range:
    """The integers x with low <= factor * x <= high."""
    if factor < 0:
        factor, low, high = -factor, -high, -low
    return -(-low // factor), high // factor


def dense(terms: Terms) -> bool:
    """Whether solvers are slow on a question: many equations over unknowns that may be few values."""
    found = 0
    for term in flat(terms):
        if isinstance(term, t.Within) and term.low == term.high:
            inside = [v for _, v in term.total.plain] + [v for _, _, v in term.total.gated]
            if any(v.high - v.low > NARROW for v in inside):
                return False
            found += len(inside) + len(term.total.counts) > 2
    return found >= DENSE
