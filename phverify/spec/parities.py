"""Chains of exclusive ors among compound terms, whose parity a sum can count."""

from __future__ import annotations

from dataclasses import dataclass, field

from phverify.spec.system import TRUE, Literal, Sum, Terms, added, total

LONG_PARITY = 8
"""Whether so many terms or more are true in an odd number is said by their sum: a chain
of exclusive ors over people who share their rows is exponential for solvers and proofs.
"""
DIGIT = "half_"
"""How the names of the digits begin of half of how many terms of a chain are true."""


def parity(terms: Terms, unknown: int) -> list[Sum]:
    """Sums that must be >= 0 where an unknown says that an odd number of terms is true.

    The terms of its chain add up to twice a number, which is written in binary digits,
    and 1 where the unknown is 1.  Nothing for other unknowns.
    """
    chain = Chains(terms).long(unknown)
    if not chain:
        return []
    parts = [terms.value(part) for part in chain]
    parts.append(total([(-1, unknown)]))
    largest = len(chain) // 2
    for place in range(largest.bit_length()):
        digit = terms.unknown(f"{DIGIT}{unknown}_{place}")
        parts.append(total([(-2 * 2**place, digit)]))
    difference = added(parts)
    return [difference, difference.times(-1)]


@dataclass(eq=False)
class Chains:
    """What each term's truth is the parity of."""

    terms: Terms
    _known: dict[int, frozenset[int]] = field(default_factory=dict)

    def long(self, unknown: int) -> list[int]:
        """The chain of an unknown in order; empty where it is short."""
        chain = self.of(unknown)
        if len(chain) < LONG_PARITY:
            return []
        return sorted(chain)

    def of(self, unknown: int) -> frozenset[int]:
        """The unknowns, the constant true (1) among them, an odd number of which is
        true iff this one is: itself, or those of the two sides of an exclusive or.
        """
        chain = self._known.get(unknown)
        if chain is None:
            chain = frozenset((unknown,))
            sides = self._sides_of_exclusive_or(unknown)
            if sides is not None:
                left, right = sides
                # what both sides have cancels out: odd plus odd is even
                chain = self._of_literal(left) ^ self._of_literal(right)
            self._known[unknown] = chain
        return chain

    def _of_literal(self, literal: Literal) -> frozenset[int]:
        chain = self.of(abs(literal))
        if literal > 0:
            return chain
        return chain ^ {TRUE}

    def _sides_of_exclusive_or(self, unknown: int) -> tuple[Literal, Literal] | None:
        """The sides of ``not (a and b) and not (not a and not b)``; None for other
        terms.
        """
        both = self._negated_pair(unknown)
        if both is None:
            return None
        one, other = both
        first = self.terms.definitions.get(one)
        second = self.terms.definitions.get(other)
        if not isinstance(first, tuple) or not isinstance(second, tuple):
            return None
        negated = {-side for side in first}
        if len(first) != 2 or negated != set(second):
            return None
        return first

    def _negated_pair(self, unknown: int) -> tuple[int, int] | None:
        """The two unknowns neither of which is true iff this one is."""
        definition = self.terms.definitions.get(unknown)
        match definition:
            case (one, other) if one < 0 and other < 0:
                return -one, -other
        return None
