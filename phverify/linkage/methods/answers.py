"""What the numbers of a released record's links amount to: its answer, and what it
leaves on *none of them*.

By default the numbers are the answer.  Two other readings must be asked for:

- *normalize*: scores; the answer is each score divided by their sum.
- *pairwise*: each number p is the probability that this pair is a match, whatever the
  other pairs say, as record linkage has it.  Its odds are p / (1 - p), and the answer,
  under the condition that one candidate at most is the record, is odds / (1 + sum of
  odds) for each candidate and 1 / (1 + sum of odds) for none of them.  Candidates with
  p = 1 have infinite odds: they share everything evenly (the limit as their p go to 1
  together), and nothing is left.

With a *match threshold*, links whose number (as given) lies below it are no links: they
count as not given, and what their number claimed as a share of the answer is left on
none of them.

*None of them* says nothing: it is a belief in the set of all records, the whole frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem, Problems
from phverify.exact import ZERO
from phverify.spec.decimals import fraction

Members = tuple[int, ...]
"""Original records, by numbers from 0, rising."""
Numbers = Mapping[Members, Fraction]
"""The number of each link of a released record."""


@dataclass(frozen=True)
class MethodAnswer:
    """Masses of sets of original records, none of them 0, and ``rest``, the mass of the
    whole frame; they sum to 1.
    """

    masses: Numbers
    rest: Fraction = ZERO


@dataclass(frozen=True)
class LinkReading:
    """How the numbers of links are read."""

    normalize: bool = False
    pairwise: bool = False
    match_threshold: Fraction | None = None

    def answer(self, given: Numbers) -> MethodAnswer | None:
        """The answer that the numbers of one record amount to; None where they must sum
        to 1 and do not.
        """
        links: dict[Members, Fraction] = {}
        for members, number in given.items():
            if number and not self.rejects(number):
                links[members] = number

        if self.pairwise:
            return _by_odds(links)
        if self.normalize and self.match_threshold and not links:
            return MethodAnswer({}, Fraction(1))

        # scores are shared among what is a link; shares keep what was taken from them
        counted = links if self.normalize else given
        total = sum(counted.values(), ZERO)
        if total == 0 or (total != 1 and not self.normalize):
            return None
        shares = {members: number / total for members, number in links.items()}
        rest = 1 - sum(shares.values(), ZERO)
        return MethodAnswer(shares, rest)

    def rejects(self, number: Fraction) -> bool:
        """Whether a link with this number is no link."""
        level = self.match_threshold
        if level is None:
            return False
        return number < level


def _by_odds(links: Numbers) -> MethodAnswer:
    """The answer under the condition that one candidate at most is the record."""
    certain = [members for members, number in links.items() if number == 1]
    if certain:
        # infinite odds: they share everything
        even = Fraction(1, len(certain))
        masses = dict.fromkeys(certain, even)
        return MethodAnswer(masses)

    odds: dict[Members, Fraction] = {}
    for members, number in links.items():
        against = 1 - number
        odds[members] = number / against
    # the odds of "none of them" are 1
    together = 1 + sum(odds.values(), ZERO)
    none = 1 / together
    masses = {members: share * none for members, share in odds.items()}
    return MethodAnswer(masses, none)


def reading(
    normalize: bool, pairwise: bool, match_threshold: Fraction | float | str | None
) -> LinkReading:
    """The reading that is asked for.  Raises InputError where it contradicts itself."""
    problems: Problems = []
    if normalize and pairwise:
        what = (
            "numbers are scores to be divided by their sum, or match probabilities of"
            " pairs, not both"
        )
        problems.append(Problem("--pairwise", what, "leave out --normalize"))
    bound = None
    if match_threshold is not None:
        bound = fraction(match_threshold)
        # a score may be above 1
        beyond = bound is not None and bound > 1 and not normalize
        if bound is None or bound < 0 or beyond:
            what = f"is a probability from 0 to 1, not {match_threshold}"
            hint = "links below it are no links, for example 1/2"
            problems.append(Problem("--match-threshold", what, hint))
    if problems:
        raise InputError(problems)

    return LinkReading(normalize, pairwise, bound)
