"""A candidate fits, or here is why not: clauses that every better candidate must meet, each with its reason."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Bools, Ints
from phverify.generalization.judge import Box, Judge, View, lift
from phverify.generalization.open import Opened, decide_open
from phverify.generalization.parts import ClassPart
from phverify.spec.schemes import Clause
from phverify.symbolic.models import bits


@dataclass(frozen=True, eq=False)
class Reason:
    """A clause that every candidate that satisfies the policy meets, and why.

    box: the box violates the part ``part``, and whatever keeps it apart has a class in it that violates.
    class: the box violates as a class.  cut: the candidate would have ``rows`` records withheld, and so would
    everything finer.  candidate: this one candidate fails.
    """

    kind: str
    clause: Clause
    rule: str
    part: int = -1
    box: Box = ()
    candidate: Bools | None = None
    rows: int = 0
    person: int | None = None


@dataclass(frozen=True, eq=False)
class Finding:
    """``status`` is fits, fails, or open (undecided, for the reason in ``note``); ``withheld`` are classes."""

    status: str
    withheld: Ints
    reasons: tuple[Reason, ...] = ()
    note: str = ""
    view: View | None = None


FIRST = 12
"""Clauses learned from the first candidate, if more than from others."""
KEPT = 12
"""Counted candidates that further ones are counted from."""
NOBODY: Ints = np.zeros(0, dtype=np.int64)


@dataclass(eq=False)
class Critic:
    """Examines candidates.  ``budget`` is how many records may be withheld, ``many`` how many clauses are learned."""

    judge: Judge
    budget: int
    many: int
    deadline: Deadline
    views: list[View] = field(default_factory=list)
    enough: list[int] = field(default_factory=list)
    """Candidates (as bits) in which few enough records violate; so they do in all more general ones."""
    random: random.Random = field(default_factory=lambda: random.Random(0))

    def examine(self, candidate: Bools) -> Finding:
        """Whether a candidate satisfies the policy."""
        view = self._view(candidate)
        failing = [self.judge.failing(view, part) for part in self.judge.parts.classes]
        reasons = list(self._certain(view, failing))
        if reasons:
            return Finding("fails", NOBODY, tuple(reasons), view=view)
        withheld = self._withheld(failing)
        rows = int(view.quotient.sizes[withheld].sum())
        if rows > self.budget:
            return Finding("fails", withheld, (self._too_many(view, failing, rows),), view=view)
        return self._open(view, withheld, rows)

    def _view(self, candidate: Bools) -> View:
        """Counted from the smallest finer candidate counted before."""
        finer = [v for v in self.views if not (v.candidate & ~candidate).any()]
        view = self.judge.view(candidate, min(finer, key=lambda v: v.quotient.cells, default=None))
        self.views = [*self.views[-KEPT:], view]
        return view

    def _open(self, view: View, withheld: Ints, rows: int) -> Finding:
        if not self.judge.parts.open and not self.judge.parts.assumptions:
            return Finding("fits", withheld, view=view)
        self.deadline.check()
        found: Opened = decide_open(self.judge, view, withheld, self.budget - rows, self.deadline)
        differs = self.judge.space.differs(view.candidate.tolist())
        reason = Reason("candidate", differs, found.rule, candidate=view.candidate)
        reasons = () if found.status == "fits" else (reason,)
        return Finding(found.status, found.withheld, reasons, found.note, view)

    def _withheld(self, failing: list[Ints]) -> Ints:
        """The classes that must not be released."""
        found = [f for f, part in zip(failing, self.judge.parts.classes, strict=True) if not part.people]
        result: Ints = np.unique(np.concatenate(found)) if found else NOBODY
        return result

    # Violations that withholding cannot mend

    def _certain(self, view: View, failing: list[Ints]) -> Iterator[Reason]:
        parts = self.judge.parts.classes
        wrong = [(k, index) for k, part in enumerate(parts) for index in self._unmendable(view, part, failing[k])]
        seen: set[Clause] = set()
        for number, index in self._chosen(wrong):
            self.deadline.check()
            reason = self._reason(view, number, parts[number], index)
            if reason.clause not in seen:
                seen.add(reason.clause)
                yield reason

    def _unmendable(self, view: View, part: ClassPart, classes: Ints) -> list[int]:
        """Failing classes that cannot be withheld: nothing may be, or somebody in them is named."""
        if self.budget and len(classes) and not part.people:
            classes = np.intersect1d(classes, view.into[self._named()])
        found: list[int] = classes.tolist()
        return found

    def _named(self) -> Ints:
        return self.judge.homes(self.judge.parts.people)

    def _chosen(self, wrong: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Some of the violations (a part, a class); of the first candidate more than of later ones."""
        many = self.many if len(self.views) > 1 else max(FIRST, self.many)
        return wrong if len(wrong) <= many else sorted(self.random.sample(wrong, many))

    def _reason(self, view: View, number: int, part: ClassPart, index: int) -> Reason:
        box, space = self.judge.box(view, index), self.judge.space
        person = self._somebody(view, part, index)
        if part.closure.upward or (part.closure.merge and person is None):
            order = list(range(len(box)))
            self.random.shuffle(order)
            box = lift(self.judge, part, box, view.candidate, order)
            return self._told("box", space.cut(box), number, part, box, person)
        return self._told("class", space.avoided(box), number, part, box, person)

    def _somebody(self, view: View, part: ClassPart, index: int) -> int | None:
        """The named individual because of whom the class matters, or may not be withheld."""
        people = part.people or (self.judge.parts.people if self.budget else ())
        homes = self.judge.homes(people) if people else NOBODY
        here = np.flatnonzero(view.into[homes] == index)
        return people[int(here[0])] if len(here) else None

    def _told(self, kind: str, clause: Clause, number: int, part: ClassPart, box: Box, person: int | None) -> Reason:
        rows = self.judge.rows(self.judge.inside(box))
        return Reason(kind, clause, part.rule, number, box, rows=rows, person=person)

    # More records would have to be withheld than may be

    def _too_many(self, view: View, failing: list[Ints], rows: int) -> Reason:
        """Lift the candidate to a most general one that still has too many; else only it is excluded."""
        parts = self.judge.parts.classes
        rising = [k for k, part in enumerate(parts) if part.closure.upward and not part.people]
        worst = self._rows(view, [failing[k] for k in rising])
        rules = ", ".join(dict.fromkeys(p.rule for k, p in enumerate(parts) if len(failing[k])))
        if worst <= self.budget:
            differs = self.judge.space.differs(view.candidate.tolist())
            return Reason("candidate", differs, rules, candidate=view.candidate, rows=rows)
        top, rows = self._most_general(view, [parts[k] for k in rising], worst)
        return Reason("cut", self.judge.space.beyond(top.tolist()), rules, candidate=top, rows=rows)

    def _rows(self, view: View, failing: list[Ints]) -> int:
        classes = np.unique(np.concatenate(failing)) if failing else NOBODY
        return int(view.quotient.sizes[classes].sum())

    def _most_general(self, view: View, parts: list[ClassPart], rows: int) -> tuple[Bools, int]:
        """Generalize as long as too many records violate; cheap unknowns first: dear ones stay in the clause."""
        current = view.candidate
        for unknown in self._order(current):
            raised = self.judge.space.raised(current, unknown)
            truth = bits(raised)
            if current[unknown] or any(few & ~truth == 0 for few in self.enough):
                continue  # generalized already, or at least as general as something that violates in few records
            self.deadline.check()
            tried = self.judge.view(raised, view)
            found = self._rows(tried, [self.judge.failing(tried, part) for part in parts])
            if found > self.budget:
                view, current, rows = tried, raised, found
            else:
                self.enough.append(truth)
        return current, rows

    def _order(self, candidate: Bools) -> list[int]:
        unknowns = np.flatnonzero(~candidate).tolist()
        noise = {u: self.random.lognormvariate(0, 0.5) for u in unknowns}
        return sorted(unknowns, key=lambda u: self.weights[u] * noise[u])

    weights: tuple[int, ...] = ()

    def in_the_way(self, candidate: Bools) -> int:
        """How many records are in classes of a candidate that break a class part; 0 when some rule is open."""
        if self.judge.parts.open:
            return 0
        view = self._view(candidate)
        parts = self.judge.parts.classes
        return self._rows(view, [self.judge.failing(view, part) for part in parts])
