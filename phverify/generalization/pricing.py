"""What a candidate costs where that is no sum over decisions: whole classes count, or
withheld records are charged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from phverify.exact import Bools, Ints, ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import NOBODY, CandidateJudge
from phverify.generalization.space import cost
from phverify.spec.along import Along
from phverify.spec.spaces import WHOLE
from phverify.spec.whole_costs import whole_cost


@dataclass(frozen=True, eq=False)
class Pricing:
    """Costs by an objective about whole classes; or by loss or precision, where each
    withheld record loses 1 in every column.
    """

    judge: CandidateJudge
    objective: str
    weights: Mapping[str, Fraction]

    def of(self, fitting: Fitting) -> Fraction:
        """The cost of a candidate with what is withheld of it."""
        view = fitting.finding.view
        assert view is not None
        return self.without(view, fitting.finding.withheld)

    def floor(self, view: CountedCandidate) -> Fraction:
        """What neither a candidate nor anything more general is below, whatever is
        withheld: what it costs with nothing withheld.
        """
        return self.without(view, NOBODY)

    def without(self, view: CountedCandidate, withheld: Ints) -> Fraction:
        """The cost of a candidate without these classes; without more it is no less."""
        if self.objective in WHOLE:
            return self._whole(view, withheld)
        gone = view.rows(withheld)
        lost = Fraction(gone, self.judge.table.rows)
        kept = ~np.isin(view.into, withheld)
        return self._cells(view.candidate, kept) + lost

    def _cells(self, candidate: Bools, kept: Bools) -> Fraction:
        """What the cells of these classes of the table at its finest lose."""
        finest, space = self.judge.finest, self.judge.space
        records = {}
        for scheme in space.schemes:
            counts: Ints = np.zeros(len(scheme.values), dtype=np.int64)
            codes = finest.class_codes[scheme.name][kept]
            # several classes have a value: ``+=`` would count one of them
            np.add.at(counts, codes, finest.sizes[kept])
            records[scheme.name] = counts
        rows = self.judge.table.rows
        prices = cost(space, self.objective, records, self.weights, rows)
        return prices.fraction(space.total(candidate, prices))

    def _whole(self, view: CountedCandidate, withheld: Ints) -> Fraction:
        sizes = np.delete(view.quotient.sizes, withheld)
        widths = np.delete(self._widths(view), withheld)
        classes = zip(sizes.tolist(), widths.tolist(), strict=True)
        domains = self._domains()
        rows = self.judge.table.rows
        return whole_cost(self.objective, classes, rows, prod(domains))

    def _widths(self, view: CountedCandidate) -> Ints:
        """For each class the tuples of leaves below its nodes."""
        space, quotient = self.judge.space, view.quotient
        # products stay below it, or are Python's own whole numbers
        limit = prod(self._domains()) + 1
        widths = ints(np.ones(quotient.classes, dtype=np.int64), limit)
        recoded = space.recoding(view.candidate)
        for scheme, recoding in zip(space.schemes, recoded, strict=True):
            assert isinstance(scheme, Along)
            leaves = [scheme.tree.leaves[block] for block in recoding.blocks]
            by_code = ints(np.array(leaves, dtype=object), limit)
            widths = widths * by_code[quotient.class_codes[scheme.name]]
        return widths

    def _domains(self) -> list[int]:
        """The leaves of each hierarchy."""
        domains = []
        for scheme in self.judge.space.schemes:
            assert isinstance(scheme, Along)
            domains.append(scheme.tree.domain)
        return domains
