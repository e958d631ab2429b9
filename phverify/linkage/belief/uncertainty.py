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

Terms = list[tuple[Fraction, Fraction]]
"""Pairs (b, r) of a sum of b ln r."""


def shannon(shares: Mapping[int, Fraction]) -> LogSum:
    """Shannon's entropy of a probability: -sum of p ln p."""
    terms: Terms = []
    for share in shares.values():
        if share:
            terms.append((-share, share))
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
    terms: Terms = []
    for subset, share in mass.focal.items():
        size = Fraction(subset.bit_count())
        term = share, size
        terms.append(term)
    return LogSum.of(terms)


def conflict(mass: Mass) -> LogSum:
    """Klir and Ramer's discord: -sum of m(A) ln P_Bel(A), P_Bel pignistic; Shannon's
    entropy for probabilities.

    Section 4.2 of the paper calls entropy a measure of conflict and nonspecificity one
    of imprecision; this is the measure of conflict on the level of beliefs.
    """
    shares = pignistic(mass)
    terms: Terms = []
    for subset, share in mass.focal.items():
        probable = probability(shares, subset)
        term = -share, probable
        terms.append(term)
    return LogSum.of(terms)
