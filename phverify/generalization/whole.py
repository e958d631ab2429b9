"""Open parts: decided for a whole candidate, by the same steps as ``verify``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Ints
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import (
    NOBODY,
    CandidateJudge,
    Examination,
)
from phverify.generalization.released import bound_again, kept_rows, release_of
from phverify.generalization.withholding import WITHHELD, TooManyWays, Withholding
from phverify.microdata.left_out import without
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit
from phverify.spec.instances import TooLarge
from phverify.spec.walk import is_ground
from phverify.symbolic.instances import instances
from phverify.verification.assumptions import meet
from phverify.verification.rule import Decider

ROUNDS = 50
WAYS = 4096
"""Sets of classes to withhold that are all tried."""


@dataclass(frozen=True, eq=False)
class WholeCandidate:
    """A candidate whose open parts are looked at."""

    judge: CandidateJudge
    view: CountedCandidate
    deadline: Deadline

    def decided(self, withheld: Ints, left: int) -> Examination:
        """Decide what is not decided class by class.  ``left`` more records may be
        withheld where that helps.
        """
        judge = self.judge
        if not judge.compared.asked or not judge.compared.budget:
            return self.any_way(withheld, left)
        budget = self.view.rows(withheld) + left
        withholding = Withholding(judge.compared, self.view, budget, self.deadline)
        named = self.view.into[judge.homes(judge.parts.people)]
        rules = ", ".join(rule for rule, _ in judge.compared.asked)
        fate = withholding.followed(withholding.start(withheld, named))
        if fate is None:
            return Examination("fails", withheld, rules)
        if not judge.compares_alone:
            more = np.flatnonzero(fate == WITHHELD)
            return self.any_way(more, budget - self.view.rows(more))
        try:
            found = withholding.found(fate)
        except (TooManyWays, Unfit) as error:
            note = str(error) or f"not all sets of classes were tried against {rules}"
            return Examination("open", withheld, rules, note)
        if found is None:
            return Examination("fails", withheld, rules)
        return Examination("fits", found)

    def soon(self, withheld: Ints, budget: int, steps: int | None) -> Ints | None:
        """Classes to withhold where criteria alone are asked: these, and what fails
        without them, until nothing does.  With a number of ``steps`` also what follows,
        with up to so many choices.

        None where more than ``budget`` records would go, which proves nothing.
        """
        judge = self.judge
        if self.view.rows(withheld) > budget:
            return None
        withholding = Withholding(judge.compared, self.view, budget, self.deadline)
        named = self.view.into[judge.homes(judge.parts.people)]
        try:
            fate = withholding.start(withheld, named)
            if steps is None:
                found = withholding.stable(fate)
            else:
                followed = withholding.followed(fate)
                found = None
                if followed is not None:
                    found = withholding.found(followed, steps)
        except (TooManyWays, Unfit):
            return None
        # Something has to be released.
        if found is None or len(found) == self.view.quotient.classes:
            return None
        return found

    def any_way(self, withheld: Ints, left: int) -> Examination:
        """The same by the verdict on what is released, for some sets of classes."""
        first = self.without(withheld)
        if first.status == "fits" or left <= 0:
            return first
        free = self.free(withheld, left)
        # n classes have 2^n sets
        if len(free) > WAYS.bit_length() - 1:
            return self.greedy(first, left)
        # One way that is left open keeps the candidate from failing.
        verdict = first
        for more in self.ways(free, left):
            tried = self.without(np.union1d(withheld, more))
            if tried.status == "fits":
                return tried
            if tried.status == "open":
                verdict = tried
        return verdict

    def free(self, withheld: Ints, left: int) -> Ints:
        """The classes that may be withheld besides: nobody in them is named."""
        named = self.view.into[self.judge.homes(self.judge.parts.people)]
        small = np.flatnonzero(self.view.quotient.sizes <= left)
        bound = np.union1d(withheld, named)
        return np.setdiff1d(small, bound)

    def ways(self, free: Ints, left: int) -> Iterator[Ints]:
        """Sets of classes of at most ``left`` records together, small sets first."""
        sizes = self.view.quotient.sizes
        for length in range(1, len(free) + 1):
            for chosen in combinations(free.tolist(), length):
                if int(sizes[list(chosen)].sum()) <= left:
                    yield np.array(chosen)

    def greedy(self, first: Examination, left: int) -> Examination:
        """Withhold what fails, again and again.

        It may succeed, and where it does not, that proves nothing.
        """
        withheld, name = first.withheld, first.rule
        for _ in range(ROUNDS):
            self.deadline.check()
            failing = np.setdiff1d(self.failing(withheld), withheld)
            left -= int(self.view.quotient.sizes[failing].sum())
            withheld = np.union1d(withheld, failing)
            if not len(failing) or left < 0:
                break
        # more than may be withheld: nothing new is known
        last = self.without(withheld) if left >= 0 else first
        if last.status == "fits":
            return last
        note = (
            f"withholding what breaks {name} is not enough, and not all sets of classes"
            " were tried"
        )
        return Examination("open", withheld, name, note)

    def failing(self, withheld: Ints) -> Ints:
        """The classes where a formula without names is false once others are withheld;
        never with somebody named.
        """
        whole = self.view.quotient
        quotient = without(whole, withheld)
        for name in quotient.others:
            if len(np.unique(quotient.codes[name])) < len(quotient.labels[name]):
                # A value is withheld altogether: formulas would be read otherwise.
                return NOBODY
        ground = self.judge.ground(quotient)
        bad = np.zeros(quotient.classes, dtype=bool)
        for body in self.grounds():
            false = ~ground.truth(body)
            bad |= np.logical_or.reduceat(false, quotient.starts[:-1])
        released = np.setdiff1d(np.arange(whole.classes), withheld)
        return np.intersect1d(released[bad], self.free(withheld, whole.rows))

    def grounds(self) -> Iterator[s.Formula]:
        """The instances of open rules that name nobody."""
        rules = {part.rule for part in self.judge.parts.open if not part.again}
        signature = self.judge.bound.release.signature
        for rule in self.judge.bound.rules:
            if rule.name in rules:
                try:
                    listed = list(instances(rule.expanded, signature))
                # too many to blame single classes: left to the verdict on the whole
                except TooLarge:
                    continue
                yield from (
                    i.body
                    for i in listed
                    if not i.people and not i.clauses and is_ground(i.body)
                )

    def without(self, withheld: Ints) -> Examination:
        """The verdict on the open parts when these classes are withheld.  Raises
        BudgetExceeded.
        """
        self.deadline.check()
        judge, parts = self.judge, self.judge.parts
        # without some rows names, numbers and values may mean something else
        if len(withheld) or parts.again or any(part.again for part in parts.open):
            bound = bound_again(
                judge, self.view.candidate, kept_rows(judge, self.view, withheld)
            )
            rules = {part.rule for part in parts.open}
            asked = [
                (rule.name, rule.expanded) for rule in bound.rules if rule.name in rules
            ]
        else:
            bound = replace(judge.bound, release=release_of(judge, self.view))
            asked = [(part.rule, part.formula) for part in parts.open]
        try:
            met = meet(tuple(bound.assumptions.values()), bound.release, self.deadline)
            if met is None:  # anything would follow: no verdict to build on
                return Examination("fails", withheld, "[assumptions]")
            for name, formula in asked:
                decision = Decider(bound.release, met, self.deadline).decide(formula)
                if decision.status == "refuted":
                    return Examination("fails", withheld, name)
                if decision.status == "undecided":
                    return Examination("open", withheld, name, decision.reason)
        except (BudgetExceeded, TooLarge) as error:
            return Examination("open", withheld, "", str(error))
        return Examination("fits", withheld)
