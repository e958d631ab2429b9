"""Does a protected fact follow from the answers so far?  The cascade, cheapest first.

1. A kept or swapped world where the fact is otherwise, or one moved by integers that
   change no sum: SAFE.
2. The row space of the linear answers, then bounds by linear programming: DISCLOSED,
   proved by a combination of answers that is checked in fractions.
3. CP-SAT, then Z3, is asked for a world where the fact is otherwise: SAFE, after the
   world was replayed.  There is none: DISCLOSED, after a second solver has said so too.
   Where there are many equations over small ranges their solutions are enumerated as
   well; all of them, found in integers, are a proof by themselves. Facts that are hard
   one by one are asked about together: a world where any of them is otherwise.  There
   is none: that one proof, confirmed likewise, discloses all.

Whatever is disclosed comes with the queries that are enough for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.certain import Certain, checked
from phverify.disclosure.core import Asked, smallest
from phverify.disclosure.pool import Pool, ReplayedWorld, Views, swaps
from phverify.disclosure.protected import ProtectedFact, View, against
from phverify.disclosure.result import DISCLOSED, SAFE, UNDECIDED, FactFinding
from phverify.disclosure.shift import broken, paired, shifted
from phverify.disclosure.solving.ask import DOMAINS as PLAIN
from phverify.disclosure.solving.ask import (
    SolverOutcome,
    ask,
    settled,
    together,
    widest,
)
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.disclosure.stages import (
    BOUNDS,
    DOMAINS,
    KNOWN,
    ROW_SPACE,
    SWAPPED,
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


class AuditJudge:
    """Decides facts over the answers so far."""

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

    def decide_all(self, facts: Facts) -> list[FactFinding]:
        """SAFE, DISCLOSED or UNDECIDED, for each.

        From the first one on that a solver does not settle soon, all that need a solver
        are asked about together. What is decided stands in ``done`` at once, for a step
        that is stopped.
        """
        done = self.done
        hard: list[ProtectedFact] = []
        self.widen(facts)
        for fact in facts:
            self.deadline.check()
            one = self.cheap(fact)
            if one is None and not hard and len(facts) > 1 and not self.joint(fact):
                one = self.together([fact], self.shared(SHARE))[fact]
            if one is None or one.verdict == UNDECIDED:
                hard.append(fact)
            else:
                done[fact] = one
        groups = self.groups(hard)
        for number, group in enumerate(groups):
            self.deadline.check()
            # What one group leaves of its time is for those after it.
            done |= self.together(group, self.shared(len(groups) - number))
        if facts:
            undecided = any(one.verdict == UNDECIDED for one in done.values())
            too_long = undecided and self.time().over
            self.tired = self.tired + 1 if too_long else 0
        return [done[fact] for fact in facts]

    def joint(self, fact: ProtectedFact) -> bool:
        """Whether facts like this one are asked about together from the start."""
        question = self.question({fact: [fact.truth]})
        return together(question, self.enumerations)

    def known(self, fact: ProtectedFact) -> FactFinding | None:
        """SAFE by kept and swapped worlds, where they are enough."""
        shown = self.pool.shown(fact)
        if len(shown) < fact.wanted:
            return None
        any_swapped = not self.pool.swapped.isdisjoint(shown.values())
        stage = KNOWN
        if any_swapped:
            stage = SWAPPED
        return self.safe(fact, shown, stage)

    def cheap(self, fact: ProtectedFact) -> FactFinding | None:
        """What needs no solver: the worlds that there are, and what the linear answers
        prove.
        """
        known = self.known(fact)
        if known:
            return known
        for stage in (ROW_SPACE, BOUNDS):
            with self.ledger.timed(stage):
                origins = self.certain.proof(fact, self.frame, stage)
            if origins is not None:
                # The combination itself names the answers that it rests on.
                enough = [one for one in self.asked if one.number in origins]
                provers = checked(stage)
                return self.disclosed(fact, provers, stage, enough)
        return None

    # worlds for many facts at a time

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

    # questions to solvers

    def groups(self, facts: Facts) -> list[list[ProtectedFact]]:
        """Facts with those that the same answers are about."""
        by_answers: dict[frozenset[int], list[ProtectedFact]] = {}
        for fact in facts:
            self.deadline.check()
            # The last term is the fact's; answers have the same objects each time.
            *answers, _ = self.question({fact: [fact.truth]})
            same_answers = frozenset(map(id, answers))
            group = by_answers.setdefault(same_answers, [])
            group.append(fact)
        return list(by_answers.values())

    def together(
        self, facts: Facts, time: Deadline
    ) -> dict[ProtectedFact, FactFinding]:
        """Findings for facts of one group, by one question: is there a world that
        counts against any of them?

        There is none: this one proof discloses all.  There is one: it is kept, and what
        it refutes is done.
        """
        views: dict[ProtectedFact, dict[View, ReplayedWorld | None]] = {
            fact: dict(self.pool.shown(fact)) for fact in facts
        }
        done: dict[ProtectedFact, FactFinding] = {}
        # What is refuted before the first question is so by a world of another group.
        stage = KNOWN
        while True:
            refuted = [fact for fact in views if len(views[fact]) >= fact.wanted]
            for fact in refuted:
                against_it = views.pop(fact)
                done[fact] = self.safe(fact, against_it, stage)
            if not views:
                return done
            question = self.question(views)
            answered = settled(question, time, self.enumerations)
            outcome = self.solved(answered)
            stage = _stage(outcome)
            status = outcome.status
            if status == "unsat":
                provers = outcome.by
                for fact in views:
                    done[fact] = self.disclosed(fact, provers, stage, self.asked)
                return done
            if status == "unknown":
                reason = outcome.reason
                for fact in views:
                    done[fact] = FactFinding(fact, UNDECIDED, reason)
                return done
            # A world that refutes one of the facts often refutes others, too.
            world = self.frame.world(outcome.values)
            self._add_views(views, world)

    def _add_views(
        self,
        views: Mapping[ProtectedFact, dict[View, ReplayedWorld | None]],
        world: World,
    ) -> None:
        """Note what a solver's world shows of each fact; it must be new for one."""
        adopted = self.pool.adopt(world)
        before = sum(map(len, views.values()))
        for fact, known in views.items():
            view = fact.view(adopted.world)
            if fact.refuted_by(view):
                known.setdefault(view, adopted)
        # Without a new view the same question would be asked for ever.
        if sum(map(len, views.values())) == before:
            raise Defect(
                "a second world differs in none of the facts that it was asked for"
            )

    def safe(self, fact: ProtectedFact, views: Views, stage: str) -> FactFinding:
        """SAFE, with the worlds that count against the fact."""
        worlds = []
        for world in views.values():
            # The truth is a view as well, and changes nothing.
            if world is not None:
                worlds.append(world.changes)
        return FactFinding(fact, SAFE, worlds=tuple(worlds), stage=stage)

    # why it is disclosed

    def disclosed(
        self, fact: ProtectedFact, by: tuple[str, ...], stage: str, enough: Asked
    ) -> FactFinding:
        """DISCLOSED, which was found of some queries, with as few of them as
        suffice.
        """
        began = time.monotonic()
        until = self.time().within(max(0.0, self.cores))

        def status(rest: Asked) -> str:
            if until.over:
                return "unknown"
            return self.follows(rest, fact, until).status

        core, minimal = smallest(enough, status)
        self.cores -= time.monotonic() - began
        # One solver alone took queries away: the rest is proved as the whole was.
        if len(core) < len(enough):
            again = self.proved(core, fact)
            if again.status == "unsat":
                by = again.by
            else:
                core, minimal = list(enough), False
        numbers = tuple([one.number for one in core])
        return FactFinding(
            fact, DISCLOSED, core=numbers, minimal=minimal, by=by, stage=stage
        )

    def proved(self, core: Asked, fact: ProtectedFact) -> SolverOutcome:
        """Whether a fact follows from some queries, by a checked combination or by two
        solvers.
        """
        # Of these queries alone, so that the proof rests on no other.
        certain = Certain(core)
        for stage in (ROW_SPACE, BOUNDS):
            origins = certain.proof(fact, self.frame, stage)
            if origins is not None:
                provers = checked(stage)
                return SolverOutcome("unsat", by=provers)
        time = self.time()
        return self.follows(core, fact, time, settled)

    def follows(
        self,
        asked: Asked,
        fact: ProtectedFact,
        time: Deadline,
        solver: Callable[..., SolverOutcome] = ask,
    ) -> SolverOutcome:
        """unsat when the fact follows from these queries, sat when enough worlds say
        that it does not; unknown where the time is over.
        """
        web = Web(asked)
        views = []
        # Where views are counted, the data's own is the first of them.
        if fact.counting:
            views.append(fact.truth)
        while len(views) < fact.wanted:
            question = self.question({fact: views}, web)
            answered = solver(question, time, self.enumerations)
            outcome = self.solved(answered)
            if outcome.status != "sat":
                return outcome
            world = self.frame.world(outcome.values)
            views.append(fact.view(world))
        return SolverOutcome("sat")


def _stage(outcome: SolverOutcome) -> str:
    """The stage of the cascade that an outcome is counted for."""
    if not outcome.by or outcome.by == PLAIN:
        return DOMAINS
    # An enumeration's proof is called by more than its name: "NAME, checked in ..".
    finder = outcome.by[0]
    words = finder.split(",")
    return words[0]
