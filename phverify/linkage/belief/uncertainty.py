"""Uncertainty of a belief function as exact numbers ``sum of b ln r``: they compare
exactly, floats are for display.

Natural logarithms, as in the paper's figures; divide by ``ln 2`` for bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from phverify.exact import LogSum
from phverify.linkage.belief.mass import Mass
from phverify.linkage.belief.transforms import pignistic, probability


def shannon(shares: Mapping[int, Fraction]) -> LogSum:
    """Shannon's entropy of a probability: -sum of p ln p."""
    terms = ((-p, p) for p in shares.values() if p)
    return LogSum.of(terms)


def entropy(mass: Mass) -> LogSum:
    """Definition 22: the entropy of the pignistic distribution.

    The paper's formula 4 lacks the minus sign; its figures (Examples 23 and 24) have
    it, and so has this.
    """
    return shannon(pignistic(mass))


def nonspecificity(mass: Mass) -> LogSum:
    """Definition 25: N = sum of m(A) ln |A|; 0 exactly for probabilities, ln |X| at
    most.
    """
    sizes = ((m, b.bit_count()) for b, m in mass.focal.items())
    return LogSum.of((m, Fraction(size)) for m, size in sizes)


def conflict(mass: Mass) -> LogSum:
    """Klir and Ramer's discord: -sum of m(A) ln P_Bel(A), P_Bel pignistic; Shannon's
    entropy for probabilities.

    Section 4.2 of the paper calls entropy a measure of conflict and nonspecificity one
    of imprecision; this is the measure of conflict on the level of beliefs.
    """
    shares = pignistic(mass)
    return LogSum.of((-m, probability(shares, b)) for b, m in mass.focal.items())
