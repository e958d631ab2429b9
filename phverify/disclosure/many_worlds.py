"""What the answers of an audit say so far, and worlds for many facts at a time.

A world that counts against many facts at once saves as many questions to solvers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.certain import Certain
from phverify.disclosure.pool import Pool, swaps
from phverify.disclosure.protected import ProtectedFact, View, against
from phverify.disclosure.result import FactFinding
from phverify.disclosure.shift import broken, paired, shifted
from phverify.disclosure.solving.ask import (
    SolverOutcome,
    widest,
)
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.disclosure.stages import (
    ROW_SPACE,
    Ledger,
)
from phverify.disclosure.web import Web
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.unknowns import AuditFrame, Classes, World
from phverify.errors import Defect

SHARE = 8
"""The part of a step's time that a fact may take alone; then it is asked about together
with others.
"""
PART = 2
"""The part of a step's time that may be spent on which queries are enough for what is
disclosed.
"""
MANY = 8
"""From so many facts on a world is looked for that serves many at a time.  A swap
serves more than one of so many.
"""
WIDE = 0.25
"""Seconds for one such world."""
Facts = Sequence[ProtectedFact]


class AuditWorlds:
    """The answers so far, the time of a step, and the search for worlds."""

    def __init__(
        self, frame: AuditFrame, pool: Pool, each: float, deadline: Deadline
    ) -> None:
        self.frame = frame
        self.pool = pool
        self.deadline = deadline
        self.truth = frame.assignment(frame.truth)
        # What the answers so far say, for each of those who use it.
        self.asked: list[Effect] = []
        self.web = Web()
        self.certain = Certain()
        self.enumerations = Enumerations(self.truth)
        # The time of a step, of its cores, and how many steps did not suffice.
        self.each = each
        self.step = Deadline(each)
        self.cores = each / PART
        self.tired = 0
        self.done: dict[ProtectedFact, FactFinding] = {}
        self.ledger = Ledger()

    def learn(self, one: Effect) -> None:
        """What one more answer says.  Raises Defect when the data itself contradicts
        it.
        """
        # The data gave this answer: what it violates was read wrongly.
        if one.broken(self.truth):
            raise Defect(
                f"the true database violates what query {one.number} is taken to say"
            )
        self.asked.append(one)
        self.web.add(one)
        with self.ledger.timed(ROW_SPACE):
            self.certain.learn(one, self.deadline.check)

    def solved(self, outcome: SolverOutcome) -> SolverOutcome:
        """The outcome, with its time in the ledger."""
        for stage, seconds in outcome.spent:
            self.ledger.spend(stage, seconds)
        return outcome

    def begin(self, last: bool = False) -> None:
        """A new step, with time for its questions; facts that are left then are
        undecided.

        After a step whose time did not suffice the next one has half of it: more
        answers of a kind rarely make a question easy.  The last step of a log has all.
        """
        self.done.clear()
        # Worlds that earlier steps swapped count as known from now on.
        self.pool.swapped.clear()
        halvings = 0
        if not last:
            halvings = min(self.tired, 2)
        seconds = self.each / 2**halvings
        self.step = Deadline(seconds)
        self.cores = seconds / PART

    def time(self) -> Deadline:
        """The time of one question."""
        left = self.step.left() or 0.0
        return self.deadline.within(max(0.0, left))

    def shared(self, parts: int) -> Deadline:
        """One part of the time that is left."""
        left = self.time().left() or 0.0
        share = left / parts
        return Deadline(share)

    def question(
        self, views: Mapping[ProtectedFact, Iterable[View]], web: Web | None = None
    ) -> list[t.Term]:
        """A world with all answers that counts against one of some facts at least,
        beside the views found of each.
        """
        otherwise = []
        for fact, known in views.items():
            seen = list(known)
            another = against(fact, self.frame, seen)
            otherwise.append(another)
        term = t.disj(otherwise)
        answers = web or self.web
        unknowns = t.unknowns([term])
        names = unknowns.names
        connected = answers.connected(names)
        return [*connected, term]

    def exchange(self, needy: Facts, classes: Classes) -> None:
        """Make the worlds of swaps, where they show one more view to many of the facts
        that need one.

        What a swap leaves as it is, linear algebra moves.  Replaying a world takes
        time: for few facts one from a solver, which is otherwise in most cells, is
        better.
        """
        pool = self.pool
        if not needy:
            return
        for world in swaps(self.frame, classes):
            missed = [fact for fact in needy if not pool.useful(fact, world)]
            served = len(needy) - len(missed)
            if MANY * served > len(needy):
                more = None
                if missed:
                    more = self.shift(world, missed)
                adopted = pool.adopt(more or world)
                pool.swapped.add(adopted)
                needy = pool.lacking(needy)
            if not needy:
                return
        # Pairs exist where some class has two rows.
        if len(set(classes)) < self.frame.rows:
            self._pair(needy, classes)

    def _pair(self, needy: Facts, classes: Classes) -> None:
        """Make worlds where the rows of a class lean to each other in pairs."""
        pool = self.pool
        columns = self._integral_columns()
        turns = product(columns, (0, 1))
        for column, turn in turns:
            if len(needy) < MANY:
                return
            world = paired(self.frame, classes, column, turn)
            useful = [fact for fact in needy if pool.useful(fact, world)]
            served = len(useful)
            if MANY * served <= len(needy):
                continue
            values = self.frame.assignment(world)
            wrong = broken(self.asked, values)
            # Unlike a swap, a pair may change what an answer depends on.
            if not wrong:
                adopted = pool.adopt(world)
                pool.swapped.add(adopted)
                needy = pool.lacking(needy)

    def _integral_columns(self) -> list[str]:
        """Columns whose every integer between the ends is a value."""
        names = []
        for name, coding in self.frame.codings.items():
            if coding.integral and not coding.gaps:
                names.append(name)
        return names

    def shift(self, world: World, facts: Facts) -> World | None:
        """A world beside this one that counts against many of the facts, if one is
        found.
        """
        shown = {fact: self.pool.shown(fact) for fact in facts}
        return shifted(self.frame, self.certain, self.asked, world, shown)

    def widen(self, facts: Facts) -> None:
        """Look for worlds that count against many of the facts at a time, by linear
        algebra beside the data, then by a solver as long as that serves a quarter of
        them.
        """
        pool = self.pool
        left = self._shift_all(pool.lacking(facts))
        while len(left) >= MANY:
            # The more of these terms are true, the more facts one world serves.
            terms = [against(fact, self.frame, list(pool.shown(fact))) for fact in left]
            answers = self.web.connected(t.unknowns(terms).names)
            seconds = self.shared(SHARE).within(WIDE)
            outcome = self.solved(widest(answers, terms, seconds, self.enumerations))
            if outcome.status != "sat":
                return
            pool.adopt(self.frame.world(outcome.values))
            before = len(left)
            left = pool.lacking(left)
            # A world that serves less than a quarter is not worth its time.
            if 4 * len(left) > 3 * before:
                return

    def _shift_all(self, left: Facts) -> Facts:
        """Worlds moved beside the data, as long as they serve; the facts still left."""
        pool = self.pool
        with self.ledger.timed(ROW_SPACE):
            while left and not self.time().over:
                world = self.shift(self.frame.truth, left)
                if world is None:
                    break
                useful = any(pool.useful(fact, world) for fact in left)
                if not useful:
                    break
                pool.adopt(world)
                left = pool.lacking(left)
        return left
