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
from collections.abc import Callable, Mapping
from dataclasses import replace

from phverify.budget import Deadline
from phverify.disclosure.certain import Certain, checked
from phverify.disclosure.core import Asked, smallest
from phverify.disclosure.many_worlds import SHARE, AuditWorlds, Facts
from phverify.disclosure.pool import ReplayedWorld, Views
from phverify.disclosure.protected import ProtectedFact, View
from phverify.disclosure.result import DISCLOSED, SAFE, UNDECIDED, FactFinding
from phverify.disclosure.solving.ask import DOMAINS as PLAIN
from phverify.disclosure.solving.ask import (
    SolverOutcome,
    ask,
    settled,
    together,
)
from phverify.disclosure.stages import (
    BOUNDS,
    DOMAINS,
    KNOWN,
    ROW_SPACE,
    SWAPPED,
)
from phverify.disclosure.web import Web
from phverify.disclosure.worlds.unknowns import World
from phverify.errors import Defect


class AuditJudge(AuditWorlds):
    """Decides facts over the answers so far."""

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
                found = self.disclosed(fact, provers, stage, enough)
                return self.combined(found)
        return None

    def combined(self, finding: FactFinding) -> FactFinding:
        """The finding with the combination of its queries, where it is of these."""
        combination = self.certain.combination(finding.fact, self.frame)
        numbers = {number for number, _ in combination}
        if numbers and numbers <= set(finding.core):
            return replace(finding, combination=combination)
        return finding

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
