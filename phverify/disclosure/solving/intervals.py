"""What terms are where each atom is only known to be in a range: true, false, or
open.
"""

from __future__ import annotations

from collections.abc import Callable

from phverify.constraints import terms as t
from phverify.disclosure.connectives import Truth, every, negated, some
from phverify.disclosure.solving.linear_rows import Atom, Atoms, Range

Bounds = Callable[[Atom], Range]


def truth(term: t.Term, atoms: Atoms, range_: Bounds) -> Truth:
    """The truth of a term wherever all atoms are in their ranges; None when that leaves
    it open.
    """
    match term:
        case t.TruthValue(value):
            return value
        case t.Neg(body):
            return negated(truth(body, atoms, range_))
    low, high = range_(atoms.term(term))
    if low == high:
        return low == 1
    match term:
        case t.Conj(parts):
            return every(truth(part, atoms, range_) for part in parts)
        case t.Disj(parts):
            return some(truth(part, atoms, range_) for part in parts)
        case t.Within(sum_, least, most):
            low, high = total(sum_, atoms, range_)
            if least <= low and high <= most:
                return True
            if high < least or most < low:
                return False
    return None


def total(body: t.LinearSum, atoms: Atoms, range_: Bounds) -> Range:
    """An interval that holds a sum."""
    parts, constant = atoms.sum(body)
    low = high = constant
    for atom, factor in parts.items():
        ends = [factor * end for end in range_(atom)]
        low = low + min(ends)
        high = high + max(ends)
    return low, high
