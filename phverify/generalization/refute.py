"""A candidate fits, or here is why not: clauses that every better candidate must meet,
each with its reason.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Bools, Ints
from phverify.generalization.above import DRAWN, boxes_above
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import (
    NOBODY,
    CandidateJudge,
    Examination,
    Reason,
    lift,
)
from phverify.generalization.parts import ClassPart, of_single_classes
from phverify.generalization.whole import WholeCandidate
from phverify.spec.schemes import Clause
from phverify.symbolic.models import bits

Failing = list[Ints]
"""For each part the classes that break it."""
FIRST = 24
"""Clauses learned from the first candidate, if more than from others."""
KEPT = 12
"""Counted candidates that further ones are counted from."""


@dataclass(eq=False)
class Refuter:
    """Examines candidates.

    ``budget`` is how many records may be withheld, ``many`` how many clauses are
    learned from one candidate, ``weights`` are the costs of the unknowns.
    """

    judge: CandidateJudge
    budget: int
    many: int
    deadline: Deadline
    weights: tuple[int, ...]
    views: list[CountedCandidate] = field(default_factory=list)
    enough: list[int] = field(default_factory=list)
    """Candidates (as bits) in which few enough records are lost; so they are in all
    more general ones.
    """
    random: random.Random = field(default_factory=lambda: random.Random(0))
    unwidened: frozenset[int] = frozenset()
    """Columns of which clauses keep the blocks that were proposed."""

    def afresh(self, deadline: Deadline) -> Refuter:
        """The same as if nothing had been examined yet."""
        drawn = random.Random(0)
        return replace(self, deadline=deadline, views=[], enough=[], random=drawn)

    @property
    def parts(self) -> tuple[ClassPart, ...]:
        """The parts of the policy that are decided class by class."""
        return self.judge.parts.classes

    def examine(self, candidate: Bools) -> Examination:
        """Whether a candidate satisfies the policy.  Raises BudgetExceeded."""
        view = self._view(candidate)
        failing = [self.judge.failing(view, part) for part in self.parts]
        reasons = tuple(self._certain(view, failing))
        if reasons:
            return Examination("fails", NOBODY, reasons=reasons, view=view)

        withheld = self._mended(failing)
        rows = view.rows(withheld)
        if rows > self.budget or self._compared_lost(view) > self.budget:
            surplus = self._too_many(view, failing, rows)
            return Examination("fails", withheld, reasons=(surplus,), view=view)
        if not self.judge.parts.open and not self.judge.parts.assumptions:
            return Examination("fits", withheld, view=view)

        self.deadline.check()
        whole = WholeCandidate(self.judge, view, self.deadline)
        decided = whole.decided(withheld, self.budget - rows)
        if decided.status == "fits":
            return replace(decided, reasons=(), view=view)
        only = self._only(view, decided.rule)
        return replace(decided, reasons=(only,), view=view)

    def soon(self, candidate: Bools, steps: int | None = None) -> Examination | None:
        """What is found of a candidate where it is enough to withhold what fails, as
        long as something does; with a number of ``steps`` also all that follows, with
        up to so many choices.  None of others, which proves nothing.

        Raises BudgetExceeded.
        """
        view = self._view(candidate)
        # What only follows from a rule is asked with the rule.
        parts = [part for part in self.parts if not part.weaker]
        failing = [self.judge.failing(view, part) for part in parts]
        for part, classes in zip(parts, failing, strict=True):
            if self._unmendable(view, part, classes):
                return None
        whole = WholeCandidate(self.judge, view, self.deadline)
        found = whole.soon(together(failing), self.budget, steps)
        return None if found is None else Examination("fits", found, view=view)

    def _mended(self, failing: Failing) -> Ints:
        """The classes that break a part which withholding them mends: nobody who is
        named is in them.
        """
        impersonal = [
            classes
            for classes, part in zip(failing, self.parts, strict=True)
            if not part.people
        ]
        return together(impersonal)

    def may_withhold_fewer(self, candidate: Bools, rows: int) -> Examination | None:
        """What is found of a candidate that may satisfy the policy with fewer than so
        many records withheld; None for others.  Raises BudgetExceeded.
        """
        view = self._view(candidate)
        failing = [self.judge.failing(view, part) for part in self.parts]
        # Most candidates need not be looked at any further.
        if view.rows(self._mended(failing)) >= rows:
            return None
        finding = self.examine(candidate)
        return None if finding.status == "fails" else finding

    def as_released(self, candidate: Bools, withheld: Ints) -> Examination:
        """Whether a candidate satisfies the policy when just these classes are
        withheld, by the verdict on what is released.  Raises BudgetExceeded.
        """
        view = self._view(candidate)
        failing = [self.judge.failing(view, part) for part in self.parts]
        named = view.into[self.judge.homes(self.judge.parts.people)]
        broken = np.setdiff1d(together(failing), withheld)
        if len(broken) or len(np.intersect1d(named, withheld)):
            return Examination("fails", withheld, view=view)
        if view.rows(withheld) > self.budget:
            return Examination("fails", withheld, view=view)
        whole = WholeCandidate(self.judge, view, self.deadline)
        return replace(whole.without(withheld), view=view)

    def _view(self, candidate: Bools) -> CountedCandidate:
        """Counted from the smallest finer candidate counted before."""
        truth = bits(candidate)
        finer = [one for one in self.views if not one.truth & ~truth]
        smallest = min(finer, key=lambda one: one.quotient.cells, default=None)
        view = self.judge.view(candidate, smallest)
        self.views = [*self.views[-KEPT:], view]
        return view

    def _only(self, view: CountedCandidate, rule: str, rows: int = 0) -> Reason:
        """This one candidate fails."""
        differs = self.judge.space.differs(view.candidate.tolist())
        return Reason("candidate", differs, rule, candidate=view.candidate, rows=rows)

    # Violations that withholding cannot mend

    def _certain(self, view: CountedCandidate, failing: Failing) -> Iterator[Reason]:
        """Reasons that stand whatever is withheld, each clause once."""
        violations: list[tuple[int, int]] = []
        seen: set[Clause] = set()
        for number, classes in enumerate(failing):
            above = self._above(view, number, classes)
            yield from above
            if above:
                continue
            part = self.parts[number]
            unmendable = self._unmendable(view, part, classes)
            for index in unmendable:
                violations.append((number, index))
        for number, index in self._chosen(view, violations):
            self.deadline.check()
            reason = self._reason(view, number, index)
            if reason.clause not in seen:
                seen.add(reason.clause)
                yield reason

    def _above(
        self, view: CountedCandidate, number: int, classes: Ints
    ) -> list[Reason]:
        """The largest boxes around failing classes of a part that break it, level
        vector by level vector; none where they are not looked at in this way.
        """
        if self.budget:
            return []
        part = self.parts[number]
        self.deadline.check()
        boxes = boxes_above(self.judge, view, part, classes, self.random)
        reasons = []
        for box in boxes:
            clause = self.judge.space.cut(box)
            reasons.append(Reason("box", clause, part.rule, number, box))
        return reasons

    def _unmendable(
        self, view: CountedCandidate, part: ClassPart, classes: Ints
    ) -> list[int]:
        """Failing classes that cannot be withheld: nothing may be, or somebody in them
        is named.
        """
        people = self.judge.parts.people
        if self.budget and not people:
            return []
        if self.budget and len(classes) and not part.people:
            named = view.into[self.judge.homes(people)]
            classes = np.intersect1d(classes, named)
        unmendable: list[int] = classes.tolist()
        return unmendable

    def _chosen(
        self, view: CountedCandidate, violations: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Some of the violations (a part, a class), of small classes: the fewer records
        there are, the wider is the box that violates.

        Of the first candidate more than of later ones: it is the finest, and all that
        breaks there has to be learned.
        """
        many = self.many if len(self.views) > 1 else max(FIRST, self.many)
        if len(violations) <= many:
            return violations
        drawn = self.random.sample(violations, min(len(violations), DRAWN))
        sizes = view.quotient.sizes
        drawn.sort(key=lambda violation: int(sizes[violation[1]]))
        return sorted(drawn[:many])

    def _reason(self, view: CountedCandidate, number: int, index: int) -> Reason:
        """Why no candidate may have a class like this one."""
        part = self.parts[number]
        space = self.judge.space
        box = self.judge.box(view, index)
        person = self._somebody(view, part, index)
        # What merging keeps is broken by some class in the box, however it is cut.
        closed = part.closure.upward or (part.closure.merge and person is None)
        if closed:
            order = [k for k in range(len(box)) if k not in self.unwidened]
            self.random.shuffle(order)
            box = lift(self.judge, part, box, view.candidate, order)
        kind = "box" if closed else "class"
        clause = space.cut(box) if closed else space.avoided(box)
        return Reason(kind, clause, part.rule, number, box, person=person)

    def _somebody(
        self, view: CountedCandidate, part: ClassPart, index: int
    ) -> int | None:
        """The named individual because of whom the class matters, or may not be
        withheld.
        """
        everybody = self.judge.parts.people if self.budget else ()
        people = part.people or everybody
        if not people:
            return None
        classes = view.into[self.judge.homes(people)]
        here = np.flatnonzero(classes == index)
        if len(here):
            return people[int(here[0])]
        return None

    # More records would have to be withheld than may be

    def _too_many(self, view: CountedCandidate, failing: Failing, rows: int) -> Reason:
        """Lift the candidate to a most general one that still has too many.

        Where that is not possible, it alone is excluded.
        """
        broken: dict[str, None] = {}
        for part, classes in zip(self.parts, failing, strict=True):
            if len(classes):
                broken[part.rule] = None
        for rule, _, _ in self.judge.compared.limits:
            broken[rule] = None
        rules = ", ".join(broken)
        # It fails, and so little is lost below that nothing else fails with it.
        if rows > self.budget and self._loses_few(view.truth):
            return self._only(view, rules, rows)
        worst = self._lost(view)
        if worst <= self.budget:
            self._note_enough(view.truth)
            return self._only(view, rules, rows)
        top, rows = self._most_general(view, worst)
        clause = self.judge.space.beyond(top.tolist())
        return Reason("cut", clause, rules, candidate=top, rows=rows)

    def _most_general(self, view: CountedCandidate, rows: int) -> tuple[Bools, int]:
        """Generalize as long as too many records violate.

        Cheap unknowns first: dear ones stay in the clause.
        """
        current = view.candidate
        unknowns = np.flatnonzero(~current).tolist()
        noise = {u: self.random.lognormvariate(0, 0.5) for u in unknowns}
        for unknown in sorted(unknowns, key=lambda u: self.weights[u] * noise[u]):
            raised = self.judge.space.raised(current, unknown)
            truth = bits(raised)
            # Generalized already, or at least as general as what violates in few rows.
            if current[unknown] or self._loses_few(truth):
                continue
            self.deadline.check()
            tried = self.judge.view(raised, view)
            lost = self._lost(tried)
            if lost > self.budget:
                view, current, rows = tried, raised, lost
            else:
                self._note_enough(truth)
        return current, rows

    def _loses_few(self, truth: int) -> bool:
        """Whether a candidate is at least as coarse as one that loses few enough."""
        return any(not few & ~truth for few in self.enough)

    def _note_enough(self, truth: int) -> None:
        """In a candidate few enough records are lost; it stands for what is coarser."""
        if self._loses_few(truth):
            return
        others = [few for few in self.enough if truth & ~few]
        self.enough = [*others, truth]

    def lost(self, candidate: Bools) -> int:
        """How many records are withheld in a candidate, and in everything finer."""
        return self._lost(self.judge.view(candidate))

    def _lost(self, view: CountedCandidate) -> int:
        """How many records are withheld in a candidate, and in everything finer."""
        return int(self.lost_of_classes(view).sum())

    def lost_of_classes(self, view: CountedCandidate) -> Ints:
        """The same of each class."""
        judge = self.judge
        sizes = view.quotient.sizes
        lost: Ints = np.zeros(view.quotient.classes, dtype=np.int64)
        lasting = filter(judge.lasting, self.parts)
        # Upward-closed ones first: of what they lose nothing is left to look at.
        for part in sorted(lasting, key=lambda part: not part.closure.upward):
            failing = judge.failing(view, part)
            failing = failing[lost[failing] < sizes[failing]]
            rows = judge.lost(view, part, failing)
            lost[failing] = np.maximum(lost[failing], rows)
        if judge.compared.limits:
            own = judge.compared.lost(view.ground, sizes)
            lost = np.maximum(lost, own)
        return lost

    def _compared_lost(self, view: CountedCandidate) -> int:
        """The same by the criteria that compare classes with what is released alone."""
        if not self.judge.compared.limits:
            return 0
        return self._lost(view)

    def in_the_way(self, candidate: Bools, aside: str = "") -> int | None:
        """How many records of a candidate have to be withheld so that the others
        satisfy the policy without the rule ``aside``.

        None where that is not known: withholding some changes what rules say of others,
        or somebody who is named is among them.
        """
        judge = self.judge
        if not of_single_classes(judge.bound, judge.paths):
            return None
        view = self._view(candidate)
        asked = [part for part in self.parts if part.rule != aside]
        failing = together(judge.failing(view, part) for part in asked)
        named = view.into[judge.homes(judge.parts.people)]
        if len(np.intersect1d(failing, named)):
            return None
        return view.rows(failing)


def together(sets: Iterable[Ints]) -> Ints:
    """All classes of some sets of classes, in order."""
    every: Ints = np.concatenate([NOBODY, *sets])
    # Marks take one walk, where sorting takes several.
    marked = np.zeros(every.max(initial=-1) + 1, dtype=bool)
    marked[every] = True
    return np.flatnonzero(marked)
