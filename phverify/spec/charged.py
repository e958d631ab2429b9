"""Searches in which withheld records are charged: what a candidate costs, and that
nothing is cheaper.

By loss and precision each withheld record loses 1 in every column; objectives about
whole classes charge it as they are (``whole_costs``).  A more general candidate may
then cost less, as it withholds less.  Two things bound it all the same: withholding
more never costs less, and with nothing withheld costs grow along generalization.  So
what a candidate costs with nothing withheld bounds all that is more general, and what
it costs without the classes that any release of it withholds bounds its releases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from phverify.spec.bitset import members
from phverify.spec.data import Refused
from phverify.spec.least import none_cheaper, vectors
from phverify.spec.posed import PosedSearch
from phverify.spec.published import exact
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import WHOLE, cost
from phverify.spec.violations import Classes
from phverify.spec.whole_costs import release_cost, uncharged
from phverify.spec.withholding import Chosen, ways
from phverify.spec.wording import many

NOTHING: Chosen = frozenset()


def require_priced(posed: PosedSearch) -> None:
    """Raises Refused for a question that makes no sense, of whole classes or of
    withheld records that lose 1 in every column.
    """
    claimed, share = posed.claimed, posed.share
    objective, all_minimal = claimed["objective"], bool(claimed["minimal"])
    if "charged" in claimed:
        for problem in uncharged(claimed["space"], objective, all_minimal):
            raise Refused(problem.what)
        if not claimed["charged"] or not share:
            raise Refused("what is charged is said where records may be withheld")
    elif not all_minimal and not share:
        raise Refused(f"{objective} is asked of all minimal level vectors")


@dataclass(frozen=True, eq=False)
class ChargedCosts:
    """What candidates of a search cost with what is withheld of them."""

    posed: PosedSearch

    @property
    def objective(self) -> str:
        """What is to be least."""
        said: str = self.posed.claimed["objective"]
        return said

    @property
    def least(self) -> Fraction:
        """The cost that nothing is said to be below."""
        return exact(self.posed.claimed["cost"])

    def said_to_be_least(self, candidate: Truth) -> Fraction:
        """The cost of a candidate without the classes that are said to be withheld."""
        said = self.posed.claimed["withheld_classes"]
        return self.price(candidate, frozenset(map(tuple, said)))

    def price(self, candidate: Truth, withheld: Chosen) -> Fraction:
        """The cost of a candidate without these classes."""
        return self._without(candidate, self._classes(candidate), withheld)

    def _classes(self, candidate: Truth) -> Classes:
        return self.posed.violations.classes(candidate)

    def _without(
        self, candidate: Truth, classes: Classes, withheld: Chosen
    ) -> Fraction:
        posed = self.posed
        kept = [one for one in classes if one[0] not in withheld]
        if self.objective in WHOLE:
            return release_cost(
                self.objective, posed.space, candidate, posed.data, kept
            )
        rows = 0
        for _, own in kept:
            rows |= own
        cells = self._cells(candidate, list(members(rows)))
        gone = posed.data.rows - rows.bit_count()
        return cells + Fraction(gone, posed.data.rows)

    def _cells(self, candidate: Truth, rows: Collection[int]) -> Fraction:
        """What the cells of these rows lose."""
        posed = self.posed
        records = {}
        for name in posed.data.quasi:
            column = posed.data.columns[name]
            records[name] = Counter(column[row] for row in rows)
        weights = posed.weights
        prices = cost(posed.space, self.objective, records, weights, posed.data.rows)
        total = prices.total(posed.space.solution(candidate))
        return prices.fraction(total)

    # What costs as much as the candidate that is called the least

    def dear(self, candidate: Truth) -> Clause:
        """The clause of a candidate that costs as much with nothing withheld: all that
        is as general costs no less.  Raises Refused.
        """
        if not self.posed.priced:
            raise Refused("dear candidates are about withheld records that are charged")
        # By loss and precision that is seen of each candidate without a claim.
        if self.objective not in WHOLE:
            raise Refused("a certificate by columns needs no dear candidates")
        if self.price(candidate, NOTHING) < self.least:
            raise Refused("a candidate that is called dear is cheaper than the least")
        true = enumerate(candidate, start=1)
        return tuple(-number for number, more in true if more)

    def cheaper_ways(self, candidate: Truth) -> Iterator[Chosen]:
        """The sets of classes that could be withheld for less.

        Raises Refused when there are too many to try.
        """
        classes, least = self._classes(candidate), self.least

        def too_dear(withheld: Chosen) -> bool:
            return self._without(candidate, classes, withheld) >= least

        return ways(self.posed.violations, candidate, too_dear)

    def none_cheaper(self, clauses: list[Clause]) -> str:
        """That no level vector which meets all clauses costs less.  Raises Refused."""
        posed = self.posed
        if posed.claimed["bound"] is not None:
            raise Refused("what is charged has no bound that is proved by fractions")
        weights, bound = posed.cost.weights, ceil(self.least * posed.cost.denominator)
        if self.objective in WHOLE:
            # What costs as much has a clause of its own: here all cost 0.
            weights, bound = (0,) * len(weights), 1
        none_cheaper(posed.space, weights, clauses, bound)
        count = many(vectors(posed.space), "level vector")
        return f"no release of any other candidate is cheaper: all {count} looked at"
