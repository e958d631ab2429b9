"""What a search leaves to be shown: its best candidate and what it ruled out, in
labels.

Nothing here decides anything: it repeats what the search has found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np

from phverify.errors import InputError
from phverify.exact import Bools, Ints
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import CandidateJudge, Reason
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.priced import PricedSearch
from phverify.generalization.space import cost
from phverify.microdata.table import Label
from phverify.spec.data import Refused
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Cost

LARGEST = 200_000
"""So many level vectors are gone through one by one."""
NodeState = Literal["best", "broken", "satisfies", "dear", "open"]
STATES: tuple[NodeState, ...] = ("best", "broken", "satisfies", "dear", "open")
"""What is known of a level vector: the best, breaks a rule, satisfies all, costs no
less than the best, nothing.
"""


@dataclass(frozen=True)
class RuledOut:
    """Why candidates were ruled out.

    kind: ``box`` (however the box is cut, some class in it breaks the rule), ``class``
    (the box breaks it as a class), ``cut`` (``rows`` records would be withheld), or
    ``candidate`` (a single candidate).  ``box`` has what columns release there, without
    those of which it holds every value; ``rows`` are its records.  ``levels`` are those
    of the candidate of a ``cut`` or ``candidate``, where the space has level vectors.
    """

    kind: str
    rule: str
    box: Mapping[str, Label]
    rows: int
    levels: Mapping[str, int] | None = None


@dataclass(frozen=True, eq=False)
class ColumnSpread:
    """A column before and after: what its values become, and whose they are.

    ``values`` in the order of the scheme, each with its block, with how many records
    ``before`` have it, and how many of them are released (``after``).
    """

    scheme: Scheme
    blocks: tuple[int, ...]
    images: tuple[Label, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @cached_property
    def spread(self) -> list[Fraction]:
        """The records of each value if those of a block were evenly among its
        values.
        """
        sizes = Counter(self.blocks)
        records: Counter[int] = Counter()
        for block, count in zip(self.blocks, self.after, strict=True):
            records[block] += count
        return [Fraction(records[block], sizes[block]) for block in self.blocks]


@dataclass(frozen=True, eq=False)
class LevelLattice:
    """Every level vector with what is known of it: a number of ``STATES``."""

    names: tuple[str, ...]
    states: Ints

    def counted(self) -> list[tuple[int, list[int]]]:
        """By height, how many vectors are in each state."""
        heights = np.indices(self.states.shape).sum(axis=0).reshape(-1)
        kinds = self.states.reshape(-1)
        counts = np.zeros((int(heights.max()) + 1, len(STATES)), dtype=np.int64)
        np.add.at(counts, (heights, kinds), 1)
        return list(enumerate(counts.tolist()))


@dataclass(frozen=True, eq=False)
class Explored:
    """A search that has ended, and its best candidate.

    ``minimal`` are all minimal candidates where they were listed.  ``priced``: the
    search counts in the objective asked for, which it does where that is a sum.
    """

    search: LeastSearch
    weights: Mapping[str, Fraction]
    redact: bool
    priced: bool
    best: Fitting | None = None
    minimal: tuple[Fitting, ...] = ()

    @property
    def judge(self) -> CandidateJudge:
        """Who has counted the table."""
        return self.search.refuter.judge

    # What was ruled out

    def counted_reasons(self) -> Counter[tuple[str, str]]:
        """How often candidates were ruled out, by rule and kind."""
        return Counter((reason.rule, reason.kind) for reason in self.search.reasons)

    def ruled_out(self, most: int) -> Iterator[RuledOut]:
        """The first reasons, in the order in which they were learned."""
        for reason in self.search.reasons[:most]:
            levels = None
            if reason.candidate is not None:
                levels = self.search.space.levels(reason.candidate)
            box, rows = self._where(reason)
            yield RuledOut(reason.kind, reason.rule, box, rows, levels)

    def _where(self, reason: Reason) -> tuple[dict[str, Label], int]:
        """The box of a reason by its labels, and its records."""
        if reason.kind == "cut":
            # Counted again: another search may have found it, for a weaker policy.
            assert reason.candidate is not None
            return {}, self.search.refuter.lost(reason.candidate)
        if not reason.box:
            return {}, reason.rows
        shown = {}
        pairs = zip(self.search.space.schemes, reason.box, strict=True)
        for scheme, block in pairs:
            if len(scheme.members(block)) < len(scheme.values):
                shown[scheme.name] = scheme.label(block)
        return shown, self.judge.rows(self.judge.inside(reason.box))

    # The lattice

    def vectors(self) -> int:
        """How many level vectors there are; 0 in other spaces."""
        space = self.search.space
        if not space.by_levels:
            return 0
        return prod(scheme.decisions + 1 for scheme in space.schemes)

    def lattice(self) -> LevelLattice | None:
        """All level vectors; None in other spaces, or where there are too many."""
        if not 0 < self.vectors() <= LARGEST:
            return None
        space = self.search.space
        grid = Grid(space, self.search.cost)
        states: Ints = np.full(grid.shape, STATES.index("open"))
        if self.best is not None and self.priced:
            # see ``tied``: units of cost are multiples of this
            totals = (grid.totals // (space.decisions + 1)).reshape(grid.shape)
            states[totals >= self.best.total] = STATES.index("dear")
        if isinstance(self.search, PricedSearch):
            for place in _too_dear(self.search):
                states[place] = STATES.index("dear")
        keeps = STATES.index("satisfies" if self.merging_keeps_all else "dear")
        for fitting in self._fitting():
            levels = space.level_vector(fitting.candidate)
            # what is more general costs no less, unless withheld records are charged
            if self.search.monotone:
                states[tuple(slice(level, None) for level in levels)] = keeps
            states[levels] = STATES.index("satisfies")
        for reason in self.search.reasons:
            states[grid.struck(reason.clause)] = STATES.index("broken")
        if self.best is not None:
            best = space.level_vector(self.best.candidate)
            states[best] = STATES.index("best")
        names = tuple(scheme.name for scheme in space.schemes)
        return LevelLattice(names, states)

    def _fitting(self) -> list[Fitting]:
        """The candidates that are known to satisfy the policy."""
        if self.best is None:
            return []
        return [self.best, *self.minimal]

    @property
    def merging_keeps_all(self) -> bool:
        """Whether it is proved that all that is more general than a candidate that
        satisfies the policy satisfies it.
        """
        parts = self.judge.parts
        if parts.open or parts.assumptions or self.search.refuter.budget:
            return False
        return all(part.kept_by_merging for part in parts.classes)

    # The best candidate

    def released(self) -> Bools:
        """Of each class of the table at its finest whether it is released."""
        finest = self.judge.finest
        if self.best is None or self.best.finding.view is None:
            return np.zeros(finest.classes, dtype=bool)
        view = self.best.finding.view
        kept: Bools = ~np.isin(view.into, self.best.finding.withheld)
        return kept

    def columns(self) -> list[ColumnSpread]:
        """The columns before and after; none where nothing was found."""
        if self.best is None:
            return []
        finest = self.judge.finest
        kept = self.released()
        space = self.search.space
        columns = []
        for scheme, truth in space.parts(self.best.candidate.tolist()):
            codes = finest.class_codes[scheme.name]
            before = np.zeros(len(scheme.values), dtype=np.int64)
            after = np.zeros(len(scheme.values), dtype=np.int64)
            # several classes have a value: ``+=`` would count one of them
            np.add.at(before, codes, finest.sizes)
            np.add.at(after, codes[kept], finest.sizes[kept])
            blocks, images = tuple(scheme.blocks(truth)), tuple(scheme.images(truth))
            counted = tuple(before.tolist()), tuple(after.tolist())
            columns.append(ColumnSpread(scheme, blocks, images, *counted))
        return columns

    def sizes(self) -> list[int]:
        """The records of each released class."""
        if self.best is None or self.best.finding.view is None:
            return []
        sizes = self.best.finding.view.quotient.sizes
        kept = np.delete(sizes, self.best.finding.withheld)
        numbers: list[int] = kept.tolist()
        return numbers

    def costs(self) -> dict[str, Fraction]:
        """What the recoding costs by each objective that the space has.

        Withheld records count in discernibility alone, each as the whole table.
        """
        if self.best is None:
            return {}
        candidate = self.best.candidate
        rows = self.judge.table.rows
        costs = {}
        for objective in ("height", "precision", "loss"):
            prices = self._prices(objective)
            if prices is not None:
                total = self.search.space.total(candidate, prices)
                costs[objective] = prices.fraction(total)
        sizes = self.sizes()
        withheld = rows - sum(sizes)
        squares = sum(size * size for size in sizes)
        discerned = squares + withheld * rows
        costs["discernibility"] = Fraction(discerned)
        return costs

    def _prices(self, objective: str) -> Cost | None:
        """What decisions cost by an objective; None where the space has none.

        The answers that one search is behind share it.
        """
        known = self.search.prices
        if objective not in known:
            judge, space = self.judge, self.search.space
            occurrences = judge.finest.occurrences
            rows = judge.table.rows
            try:
                known[objective] = cost(
                    space, objective, occurrences, self.weights, rows
                )
            except (InputError, Refused):
                known[objective] = None
        return known[objective]


def _too_dear(search: PricedSearch) -> Iterator[tuple[int | slice, ...]]:
    """The level vectors of which no release costs less than the best one, where
    withheld records are charged: one, or all that are as general.
    """
    if search.least_price is None:
        return
    may_be_cheaper = search.may_be_cheaper()
    for one in search.looked_at:
        levels = search.space.level_vector(one.candidate)
        if one.floor >= search.least_price:
            yield tuple(slice(level, None) for level in levels)
        elif one not in may_be_cheaper:
            yield tuple(levels)
