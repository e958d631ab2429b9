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
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import Fitting
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
        finding = fitting.finding
        view = finding.view
        assert view is not None
        withheld = finding.withheld
        if self.objective in WHOLE:
            return self._whole(fitting, withheld)
        rows = self.judge.table.rows
        gone = view.rows(withheld)
        lost = Fraction(gone, rows)
        kept = ~np.isin(view.into, withheld)
        cells = self._cells(fitting.candidate, kept)
        return cells + lost

    def floor(self, fitting: Fitting) -> Fraction:
        """What neither the candidate nor anything more general is below, whatever is
        withheld: what it costs with nothing withheld.
        """
        if self.objective in WHOLE:
            return self._whole(fitting, np.zeros(0, dtype=np.int64))
        every = np.ones(self.judge.finest.classes, dtype=bool)
        return self._cells(fitting.candidate, every)

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

    def _whole(self, fitting: Fitting, withheld: Ints) -> Fraction:
        view = fitting.finding.view
        assert view is not None
        sizes = np.delete(view.quotient.sizes, withheld)
        widths = np.delete(self._widths(fitting), withheld)
        classes = zip(sizes.tolist(), widths.tolist(), strict=True)
        domains = self._domains()
        rows = self.judge.table.rows
        return whole_cost(self.objective, classes, rows, prod(domains))

    def _widths(self, fitting: Fitting) -> Ints:
        """For each class the tuples of leaves below its nodes."""
        view = fitting.finding.view
        assert view is not None
        space, quotient = self.judge.space, view.quotient
        # products stay below it, or are Python's own whole numbers
        limit = prod(self._domains()) + 1
        widths = ints(np.ones(quotient.classes, dtype=np.int64), limit)
        recoded = space.recoding(fitting.candidate)
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
