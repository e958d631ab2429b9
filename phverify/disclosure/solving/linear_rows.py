"""The linear part of constraints: rows of coefficients over atoms, and what follows
from them alone.

An atom is an unknown, the truth of a condition (1 or 0), or such a truth times an
unknown; terms of the same shape are the same atom.  A constraint that is no sum within
bounds has no row: what follows from rows follows from all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from phverify.constraints import terms as t

Atom = Hashable
"""The name of an unknown, or a number of ``Atoms`` for what is made of unknowns."""
Range = tuple[int, int]
"""The least and the greatest that something may be."""
Ranges = Mapping[Atom, Range]
TRUTH: Range = (0, 1)
"""What the truth of a condition may be."""


@dataclass(frozen=True, eq=False)
class LinearRow:
    """``low <= sum factor * atom <= high``; ``origin`` is whose statement it is."""

    parts: Mapping[Atom, int]
    low: int
    high: int
    origin: int = 0

    @property
    def exact(self) -> bool:
        """Whether it is an equation."""
        return self.low == self.high


def combined(
    multipliers: Mapping[int, Fraction],
    rows: Sequence[LinearRow],
    end: Callable[[LinearRow, Fraction], int],
) -> tuple[int, dict[Atom, int], int]:
    """A combination of rows in integers: times what they are, the factors of the atoms,
    and what they add up to.

    ``end`` says what the sum of a row is taken to be.
    """
    # Times the common denominator, so that all sums are integers.
    scale = lcm(*(multiplier.denominator for multiplier in multipliers.values()))
    total: dict[Atom, int] = {}
    value = 0
    for k, multiplier in multipliers.items():
        whole = multiplier.numerator * (scale // multiplier.denominator)
        value += whole * end(rows[k], multiplier)
        for atom, factor in rows[k].parts.items():
            total[atom] = total.get(atom, 0) + whole * factor
    return scale, _nonzero(total), value


def _nonzero(factors: Mapping[Atom, int]) -> dict[Atom, int]:
    return {atom: factor for atom, factor in factors.items() if factor}


@dataclass
class Atoms:
    """Terms as atoms, the same for terms of the same shape; ``ranges`` says what each
    may be.
    """

    ranges: dict[Atom, Range] = field(default_factory=dict)
    shapes: dict[Hashable, int] = field(default_factory=dict)
    known: dict[int, tuple[t.Term, Atom]] = field(default_factory=dict)

    def variable(self, v: t.Variable) -> Atom:
        """The atom of an unknown: its name."""
        self.ranges.setdefault(v.name, (v.low, v.high))
        return v.name

    def term(self, term: t.Term) -> Atom:
        """The atom of a condition's truth; not of a negation."""
        if isinstance(term, t.Flag):
            self.ranges.setdefault(term.name, TRUTH)
            return term.name
        key = id(term)
        if key not in self.known:
            shape = self.shape(term)
            atom = self.shaped(shape, TRUTH)
            # With the term itself, so that its id stays its own.
            self.known[key] = term, atom
        _, atom = self.known[key]
        return atom

    def shaped(self, shape: Hashable, range_: Range) -> Atom:
        """The atom of all that has a shape."""
        unused = len(self.shapes)
        atom = self.shapes.setdefault(shape, unused)
        self.ranges.setdefault(atom, range_)
        return atom

    def shape(self, term: t.Term) -> Hashable:
        """What a term says, in atoms: equal for terms that say the same so."""
        match term:
            case t.TruthValue(value):
                return ("constant", value)
            case t.Neg(body):
                return ("not", self.term(body))
            case t.Conj(parts):
                of_parts = frozenset(map(self.term, parts))
                return ("and", of_parts)
            case t.Disj(parts):
                of_parts = frozenset(map(self.term, parts))
                return ("or", of_parts)
            case t.Within(body, low, high):
                factors, constant = self.sum(body)
                of_sum = frozenset(factors.items())
                return ("within", of_sum, low - constant, high - constant)
        raise TypeError(f"no term: {term!r}")

    def sum(self, body: t.LinearSum) -> tuple[dict[Atom, int], int]:
        """A sum as factors of atoms and a constant."""
        several = [(self.variable(v), factor) for factor, v in body.plain]
        several += [self.truth(term, factor) for factor, term in body.counts]
        several += [(self.gated(gate, v), factor) for factor, gate, v in body.gated]
        parts: dict[Atom, int] = {}
        for atom, factor in several:
            parts[atom] = parts.get(atom, 0) + factor
        # [not x] is 1 - [x]: the 1 goes to the constant.
        negations = [factor for factor, term in body.counts if isinstance(term, t.Neg)]
        return _nonzero(parts), body.constant + sum(negations)

    def truth(self, term: t.Term, factor: int) -> tuple[Atom, int]:
        """``factor * [term]`` by the atom of what is not negated: ``factor * [not x]``
        is ``factor - factor * [x]``.
        """
        if isinstance(term, t.Neg):
            return self.term(term.body), -factor
        return self.term(term), factor

    def gated(self, gate: t.Term, v: t.Variable) -> Atom:
        """The atom of a condition's truth times an unknown."""
        # The product is 0 where the condition is false.
        range_ = min(0, v.low), max(0, v.high)
        shape = "times", self.term(gate), self.variable(v)
        return self.shaped(shape, range_)

    def rows(self, terms: Iterable[t.Term], origin: int = 0) -> Iterator[LinearRow]:
        """The linear statements among some terms, all of which hold."""
        for term in flat(terms):
            match term:
                case t.Within(body, low, high):
                    sums, constant = self.sum(body)
                    low -= constant
                    high -= constant
                    yield LinearRow(sums, low, high, origin)
                case t.Neg(body):
                    # A truth is 0 or 1: that of what is denied is 0.
                    truth = {self.term(body): 1}
                    yield LinearRow(truth, 0, 0, origin)
                case t.Flag() | t.Disj():
                    truth = {self.term(term): 1}
                    yield LinearRow(truth, 1, 1, origin)


def flat(terms: Iterable[t.Term]) -> Iterator[t.Term]:
    """Conjunctions as their parts."""
    for term in terms:
        if isinstance(term, t.Conj):
            yield from flat(term.parts)
        else:
            yield term
