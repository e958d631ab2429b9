"""Questions about integers as linear rows, sums within bounds that must hold, and terms
beside them.

Where terms beside the rows are dropped there are only more solutions.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

from phverify.constraints import terms as t
from phverify.disclosure.solving.equations import Equations, content, equations
from phverify.disclosure.solving.intervals import truth
from phverify.disclosure.solving.linear_rows import Atom, Atoms, LinearRow, Range, flat
from phverify.disclosure.sums import Terms

DENSE, NARROW = 6, 15
"""With so many equations about unknowns of so small ranges, enumeration is asked before
any solver.
"""

Key = frozenset[Hashable]
Values = dict[Atom, int]


@dataclass(frozen=True, eq=False)
class LinearQuestion:
    """All terms, the rows among them, and the terms beside the rows; ``key`` says
    whether rows are the same.

    ``names`` are all unknowns, ``gaps`` those that are not all integers of their range.
    """

    terms: Terms
    rows: list[LinearRow]
    stated: list[t.Term]
    """What the rows say, as terms."""
    others: list[t.Term]
    names: frozenset[str]
    gaps: list[t.Variable]
    atoms: Atoms
    key: Key

    @property
    def plain(self) -> bool:
        """Whether the rows are about unknowns alone."""
        for row in self.rows:
            if not all(isinstance(atom, str) for atom in row.parts):
                return False
        return True

    def says(self, values: Values) -> bool | None:
        """Whether a solution of the rows answers the question; None where that is
        open.
        """
        in_gap = any(values.get(v.name, v.low) not in v.values for v in self.gaps)
        if in_gap:
            return False
        if self.names <= values.keys():
            assigned = cast("dict[str, int]", values)
            seen: dict[int, bool] = {}
            terms = self.others
            # A row over other atoms than unknowns may hold where its term does not.
            if not self.plain:
                terms = [*self.others, *self.terms]
            return all(t.evaluate(term, assigned, seen) for term in terms)

        def range_(atom: Atom) -> Range:
            if atom in values:
                only = values[atom]
                return only, only
            return self.atoms.ranges[atom]

        for term in self.others:
            said = truth(term, self.atoms, range_)
            if said is False:
                return False
        return None

    def assigned(self, values: Values) -> dict[str, int]:
        """The values of all unknowns of the question."""
        return {name: values[name] for name in self.names}

    def equations(self) -> Equations | None:
        """The rows as equations; None where they are too large for a lattice."""
        return equations(self.rows, self.atoms.ranges)

    def wishes(self) -> list[tuple[Atom, Range, bool]]:
        """Terms about one unknown of which any would do: the unknown, a range, and
        whether it is to be inside.
        """
        choices = (term for term in self.others if isinstance(term, t.Disj))
        choice = next(choices, None)
        wished: list[tuple[Atom, Range, bool]] = []
        for term in flat(self.others if choice is None else choice.parts):
            inside = term.body if isinstance(term, t.Neg) else term
            if not isinstance(inside, t.Within):
                continue
            parts, constant = self.atoms.sum(inside.total)
            if len(parts) == 1:
                ((atom, factor),) = parts.items()
                range_ = solved(factor, inside.low - constant, inside.high - constant)
                wished.append((atom, range_, inside is term))
        return wished


class Reader:
    """Terms as questions; the rows that were read once are known, with their terms, so
    that an id stays its own.
    """

    def __init__(self) -> None:
        self.atoms = Atoms()
        self.known: dict[int, tuple[t.Term, LinearRow]] = {}
        self.ends: dict[str, t.Variable] = {}

    def question(self, terms: Terms) -> LinearQuestion | None:
        """Terms, with the rows among them; None where an unknown has another range than
        in earlier questions.
        """
        variables = [node for node in t.nodes(terms) if isinstance(node, t.Variable)]
        # Atoms are known by their names: a name must have one range.
        if any(self.ends.setdefault(v.name, v) != v for v in variables):
            return None
        rows: list[LinearRow] = []
        stated: list[t.Term] = []
        others: list[t.Term] = []
        for term in flat(terms):
            row = self.row(term)
            # Questions about one unknown each share their rows.
            if row is None or len(row.parts) < 2:
                others.append(term)
            else:
                rows.append(row)
                stated.append(term)
        names = t.unknowns(terms).names
        gaps = [v for v in variables if v.values]
        key = frozenset(map(content, rows))
        return LinearQuestion(terms, rows, stated, others, names, gaps, self.atoms, key)

    def row(self, term: t.Term) -> LinearRow | None:
        """A term as a row, when it is one."""
        if not isinstance(term, t.Within):
            return None
        key = id(term)
        if key not in self.known:
            rows = self.atoms.rows([term])
            row = next(rows)
            # With the term itself, so that its id stays its own.
            self.known[key] = term, row
        _, known = self.known[key]
        return known


def solved(factor: int, low: int, high: int) -> Range:
    """The integers x with low <= factor * x <= high."""
    if factor < 0:
        factor, low, high = -factor, -high, -low
    # Rounded inward: up at the low end, down at the high one.
    return -(-low // factor), high // factor


def dense(terms: Terms) -> bool:
    """Whether solvers are slow on a question: many equations over unknowns that may be
    few values.
    """
    equations = 0
    for term in flat(terms):
        if isinstance(term, t.Within) and term.low == term.high:
            body = term.total
            inside = [v for _, v in body.plain]
            inside += [v for _, _, v in body.gated]
            # A wide unknown has too many values to enumerate.
            wide = any(v.high - v.low > NARROW for v in inside)
            if wide:
                return False
            atoms = len(inside) + len(body.counts)
            if atoms > 2:
                equations += 1
    return equations >= DENSE
