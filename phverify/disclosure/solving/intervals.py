"""What terms are where each atom is only known to be in a range: true, false, or open."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phverify.constraints import terms as t
from phverify.disclosure.solving.linear import Atom, Atoms

Range = Callable[[Atom], tuple[int, int]]


def truth(term: t.Term, atoms: Atoms, range_: Range) -> bool | None:
    """The truth of a term wherever all atoms are in their ranges; None when that leaves it open."""
    match term:
        case t.Constant(value):
            return value
        case t.Neg(body):
            found = truth(body, atoms, range_)
            return None if found is None else not found
    low, high = range_(atoms.term(term))
    if low == high:
        return low == 1
    match term:
        case t.Conj(parts):
            return _all(truth(part, atoms, range_) for part in parts)
        case t.Disj(parts):
            found = _all(_not(truth(part, atoms, range_)) for part in parts)
            return _not(found)
        case t.Within(sum_, least, most):
            low, high = total(sum_, atoms, range_)
            return True if least <= low and high <= most else False if high < least or most < low else None
    return None


def total(body: t.Sum, atoms: Atoms, range_: Range) -> tuple[int, int]:
    """An interval that holds a sum."""
    parts, constant = atoms.sum(body)
    low = high = constant
    for atom, factor in parts.items():
        ends = [factor * end for end in range_(atom)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _all(values: Iterator[bool | None]) -> bool | None:
    open_ = False
    for value in values:
        if value is False:
            return False
        open_ = open_ or value is None
    return None if open_ else True
