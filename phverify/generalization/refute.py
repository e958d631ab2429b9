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
from phverify.generalization.judge import NOBODY, Finding, Judge, Reason, View, lift
from phverify.generalization.open import Opened
from phverify.generalization.parts import ClassPart
from phverify.spec.schemes import Clause
from phverify.symbolic.models import bits

Failing = list[Ints]
"""For each part the classes that break it."""
FIRST = 12
"""Clauses learned from the first candidate, if more than from others."""
KEPT = 12
"""Counted candidates that further ones are counted from."""


@dataclass(eq=False)
class Critic:
    """Examines candidates.  ``budget`` is how many records may be withheld, ``many``
    how many clauses are learned.

    ``weights`` are the costs of the unknowns.
    """

    judge: Judge
    budget: int
    many: int
    deadline: Deadline
    weights: tuple[int, ...]
    views: list[View] = field(default_factory=list)
    enough: list[int] = field(default_factory=list)
    """Candidates (as bits) in which few enough records violate; so they do in all more
    general ones.
    """
    random: random.Random = field(default_factory=lambda: random.Random(0))

    @property
    def parts(self) -> tuple[ClassPart, ...]:
        return self.judge.parts.classes

    def examine(self, candidate: Bools) -> Finding:
        """Whether a candidate satisfies the policy."""
        view = self._view(candidate)
        failing = [self.judge.failing(view, part) for part in self.parts]
        if reasons := tuple(self._certain(view, failing)):
            return Finding("fails", NOBODY, reasons=reasons, view=view)
        withheld = together(
            found
            for found, part in zip(failing, self.parts, strict=True)
            if not part.people
        )
        rows = view.rows(withheld)
        if rows > self.budget:
            return Finding(
                "fails",
                withheld,
                reasons=(self._too_many(view, failing, rows),),
                view=view,
            )
        if not self.judge.parts.open and not self.judge.parts.assumptions:
            return Finding("fits", withheld, view=view)
        self.deadline.check()
        found = Opened(self.judge, view, self.deadline).decided(
            withheld, self.budget - rows
        )
        only = self._only(view, found.rule)
        return replace(
            found, reasons=() if found.status == "fits" else (only,), view=view
        )

    def _view(self, candidate: Bools) -> View:
        """Counted from the smallest finer candidate counted before."""
        finer = [v for v in self.views if not (v.candidate & ~candidate).any()]
        view = self.judge.view(
            candidate, min(finer, key=lambda v: v.quotient.cells, default=None)
        )
        self.views = [*self.views[-KEPT:], view]
        return view

    def _only(self, view: View, rule: str, rows: int = 0) -> Reason:
        """This one candidate fails."""
        differs = self.judge.space.differs(view.candidate.tolist())
        return Reason("candidate", differs, rule, candidate=view.candidate, rows=rows)

    # Violations that withholding cannot mend

    def _certain(self, view: View, failing: Failing) -> Iterator[Reason]:
        wrong = [
            (k, index)
            for k, classes in enumerate(failing)
            for index in self._unmendable(view, k, classes)
        ]
        seen: set[Clause] = set()
        for number, index in self._chosen(wrong):
            self.deadline.check()
            reason = self._reason(view, number, index)
            if reason.clause not in seen:
                seen.add(reason.clause)
                yield reason

    def _unmendable(self, view: View, number: int, classes: Ints) -> list[int]:
        """Failing classes that cannot be withheld: nothing may be, or somebody in them
        is named.
        """
        if self.budget and len(classes) and not self.parts[number].people:
            classes = np.intersect1d(
                classes, view.into[self.judge.homes(self.judge.parts.people)]
            )
        found: list[int] = classes.tolist()
        return found

    def _chosen(self, wrong: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Some of the violations (a part, a class); of the first candidate more than of
        later ones.
        """
        many = self.many if len(self.views) > 1 else max(FIRST, self.many)
        return wrong if len(wrong) <= many else sorted(self.random.sample(wrong, many))

    def _reason(self, view: View, number: int, index: int) -> Reason:
        part, space = self.parts[number], self.judge.space
        box, person = self.judge.box(view, index), self._somebody(view, part, index)
        kind = "class"
        if part.closure.upward or (part.closure.merge and person is None):
            order = list(range(len(box)))
            self.random.shuffle(order)
            kind, box = "box", lift(self.judge, part, box, view.candidate, order)
        clause = space.cut(box) if kind == "box" else space.avoided(box)
        rows = self.judge.rows(self.judge.inside(box))
        return Reason(kind, clause, part.rule, number, box, rows=rows, person=person)

    def _somebody(self, view: View, part: ClassPart, index: int) -> int | None:
        """The named individual because of whom the class matters, or may not be
        withheld.
        """
        people = part.people or (self.judge.parts.people if self.budget else ())
        here = np.flatnonzero(view.into[self.judge.homes(people)] == index)
        return people[int(here[0])] if len(here) else None

    # More records would have to be withheld than may be

    def _too_many(self, view: View, failing: Failing, rows: int) -> Reason:
        """Lift the candidate to a most general one that still has too many; else only
        it is excluded.
        """
        rising = [
            k
            for k, part in enumerate(self.parts)
            if part.closure.upward and not part.people
        ]
        worst = view.rows(together(failing[k] for k in rising))
        rules = ", ".join(
            dict.fromkeys(
                part.rule for k, part in enumerate(self.parts) if len(failing[k])
            )
        )
        if worst <= self.budget:
            return self._only(view, rules, rows)
        top, rows = self._most_general(view, [self.parts[k] for k in rising], worst)
        return Reason(
            "cut",
            self.judge.space.beyond(top.tolist()),
            rules,
            candidate=top,
            rows=rows,
        )

    def _most_general(
        self, view: View, parts: list[ClassPart], rows: int
    ) -> tuple[Bools, int]:
        """Generalize as long as too many records violate; cheap unknowns first: dear
        ones stay in the clause.
        """
        current = view.candidate
        unknowns = np.flatnonzero(~current).tolist()
        noise = {u: self.random.lognormvariate(0, 0.5) for u in unknowns}
        for unknown in sorted(unknowns, key=lambda u: self.weights[u] * noise[u]):
            raised = self.judge.space.raised(current, unknown)
            truth = bits(raised)
            if current[unknown] or any(few & ~truth == 0 for few in self.enough):
                # Generalized already, or at least as general as something that
                # violates in few records.
                continue
            self.deadline.check()
            tried = self.judge.view(raised, view)
            found = self._violating(tried, parts)
            if found > self.budget:
                view, current, rows = tried, raised, found
            else:
                self.enough.append(truth)
        return current, rows

    def _violating(self, view: View, parts: Iterable[ClassPart]) -> int:
        """How many records are in classes that break some part."""
        return view.rows(together(self.judge.failing(view, part) for part in parts))

    def in_the_way(self, candidate: Bools) -> int:
        """How many records are in classes of a candidate that break a class part; 0
        when some rule is open.
        """
        return (
            0
            if self.judge.parts.open
            else self._violating(self._view(candidate), self.parts)
        )


def together(found: Iterable[Ints]) -> Ints:
    """All these classes."""
    classes: Ints = np.unique(np.concatenate([NOBODY, *found]))
    return classes
