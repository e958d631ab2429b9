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
from phverify.disclosure.pool import Pool, ReplayedWorld, Views, swaps
from phverify.disclosure.protected import Fact, View, against
from phverify.disclosure.result import DISCLOSED, SAFE, UNDECIDED, Finding
from phverify.disclosure.shift import broken, paired, shifted
from phverify.disclosure.solving.ask import DOMAINS as PLAIN
from phverify.disclosure.solving.ask import Outcome, ask, settled, together, widest
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.disclosure.stages import (
    BOUNDS,
    DOMAINS,
    KNOWN,
    ROW_SPACE,
    SWAPPED,
    Ledger,
)
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
Facts = Sequence[Fact]
Asked = Sequence[Effect]
"""What some queries say."""


class Web:
    """The terms of some queries in parts that have no unknown in common; a term that
    has none, being true of the data, is so of every world.
    """

    def __init__(self, asked: Iterable[Effect] = ()) -> None:
        self.size = 0
        self.parts: dict[str, tuple[list[str], dict[int, t.Term]]] = {}
        for one in asked:
            self.add(one)

    def add(self, one: Effect) -> None:
        for term, names in zip(one.terms, one.names, strict=True):
            self.size += 1
            new = [name for name in names if name not in self.parts]
            met = {
                id(self.parts[name]): self.parts[name]
                for name in names
                if name in self.parts
            }
            largest, *others = sorted(
                [*met.values(), (new, {self.size: term})],
                key=lambda part: -len(part[0]),
            )
            for members, terms in others:
                largest[0].extend(members)
                largest[1].update(terms)
                self.parts |= dict.fromkeys(members, largest)
            self.parts |= dict.fromkeys(new, largest)

    def connected(self, names: Iterable[str]) -> list[t.Term]:
        """The terms that are connected with some unknowns; the others have a solution
        of their own, the data.
        """
        parts = {
            id(self.parts[name]): self.parts[name][1]
            for name in names
            if name in self.parts
        }
        found: dict[int, t.Term] = {}
        for terms in parts.values():
            found |= terms
        return [found[number] for number in sorted(found)]


def smallest(
    enough: Asked, status: Callable[[Asked], str]
) -> tuple[list[Effect], bool]:
    """Queries that are enough and, when the second is true, none of which can be left
    out.

    ``status`` of queries is unsat where they are enough, too; the first ones are left
    out first.
    """
    core, minimal = list(enough), True
    for one in enough:
        rest = [other for other in core if other is not one]
        found = status(rest)
        minimal = minimal and found != "unknown"
        core = rest if found == "unsat" else core
    return core, minimal


class Judge:
    """Decides facts over the answers so far."""

    def __init__(
        self, frame: AuditFrame, pool: Pool, each: float, deadline: Deadline
    ) -> None:
        self.frame, self.pool, self.each, self.deadline = frame, pool, each, deadline
        self.step, self.cores, self.tired = Deadline(each), each / PART, 0
        self.truth = frame.assignment(frame.truth)
        self.enumerations = Enumerations(self.truth)
        self.asked: list[Effect] = []
        self.done: dict[Fact, Finding] = {}
        self.web, self.certain, self.ledger = Web(), Certain(), Ledger()

    def learn(self, one: Effect) -> None:
        """What one more answer says.  Raises Defect when the data itself contradicts
        it.
        """
        if one.broken(self.truth):
            raise Defect(
                f"the true database violates what query {one.number} is taken to say"
            )
        self.asked.append(one)
        self.web.add(one)
        with self.ledger.timed(ROW_SPACE):
            self.certain.learn(one, self.deadline.check)

    def solved(self, outcome: Outcome) -> Outcome:
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
        self.pool.swapped.clear()
        seconds = self.each if last else self.each / 2 ** min(self.tired, 2)
        self.step, self.cores = Deadline(seconds), seconds / PART

    def time(self) -> Deadline:
        """The time of one question."""
        return self.deadline.within(max(0.0, self.step.left() or 0.0))

    def shared(self, parts: int) -> Deadline:
        """One part of the time that is left."""
        return Deadline((self.time().left() or 0.0) / parts)

    def question(
        self, views: Mapping[Fact, Iterable[View]], web: Web | None = None
    ) -> list[t.Term]:
        """A world with all answers that counts against one of some facts at least,
        beside the views found of each.
        """
        term = t.disj(
            against(fact, self.frame, list(found)) for fact, found in views.items()
        )
        return [*(web or self.web).connected(t.unknowns([term]).names), term]

    def decide_all(self, facts: Facts) -> list[Finding]:
        """SAFE, DISCLOSED or UNDECIDED, for each.

        From the first one on that a solver does not settle soon, all that need a solver
        are asked about together. What is decided stands in ``done`` at once, for a step
        that is stopped.
        """
        done = self.done
        hard: list[Fact] = []
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
            done |= self.together(group, self.shared(len(groups) - number))
        if facts:
            long = self.time().over and any(
                one.verdict == UNDECIDED for one in done.values()
            )
            self.tired = self.tired + 1 if long else 0
        return [done[fact] for fact in facts]

    def joint(self, fact: Fact) -> bool:
        """Whether facts like this one are asked about together from the start."""
        return together(self.question({fact: [fact.truth]}), self.enumerations)

    def known(self, fact: Fact) -> Finding | None:
        """SAFE by kept and swapped worlds, where they are enough."""
        found = self.pool.shown(fact)
        if len(found) < fact.wanted:
            return None
        return self.safe(
            fact,
            found,
            KNOWN if self.pool.swapped.isdisjoint(found.values()) else SWAPPED,
        )

    def cheap(self, fact: Fact) -> Finding | None:
        """What needs no solver: the worlds that there are, and what the linear answers
        prove.
        """
        if known := self.known(fact):
            return known
        for stage in (ROW_SPACE, BOUNDS):
            with self.ledger.timed(stage):
                origins = self.certain.proof(fact, self.frame, stage)
            if origins is not None:
                enough = [one for one in self.asked if one.number in origins]
                return self.disclosed(fact, checked(stage), stage, enough)
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
        for world in swaps(self.frame, classes) if needy else ():
            missed = [fact for fact in needy if not pool.useful(fact, world)]
            if MANY * (len(needy) - len(missed)) > len(needy):
                more = self.shift(world, missed) if missed else None
                pool.swapped.add(pool.adopt(more or world))
                needy = pool.lacking(needy)
            if not needy:
                return
        integral = [
            name
            for name, coding in self.frame.codings.items()
            if coding.integral and not coding.gaps
        ]
        for column, turn in product(integral, (0, 1)):
            if len(needy) < MANY or len(set(classes)) == self.frame.rows:
                return
            world = paired(self.frame, classes, column, turn)
            useful = [fact for fact in needy if pool.useful(fact, world)]
            if MANY * len(useful) > len(needy) and not broken(
                self.asked, self.frame.assignment(world)
            ):
                pool.swapped.add(pool.adopt(world))
                needy = pool.lacking(needy)

    def shift(self, world: World, facts: Facts) -> World | None:
        """A world beside this one that counts against many of the facts, if one is
        found.
        """
        return shifted(
            self.frame,
            self.certain,
            self.asked,
            world,
            {fact: self.pool.shown(fact) for fact in facts},
        )

    def widen(self, facts: Facts) -> None:
        """Look for worlds that count against many of the facts at a time, by linear
        algebra beside the data, then by a solver as long as that serves a quarter of
        them.
        """
        pool = self.pool
        left = pool.lacking(facts)
        with self.ledger.timed(ROW_SPACE):
            while left and not self.time().over:
                world = self.shift(self.frame.truth, left)
                if world is None or not any(pool.useful(fact, world) for fact in left):
                    break
                pool.adopt(world)
                left = pool.lacking(left)
        while len(left) >= MANY:
            terms = [against(fact, self.frame, list(pool.shown(fact))) for fact in left]
            answers = self.web.connected(t.unknowns(terms).names)
            outcome = self.solved(
                widest(
                    answers, terms, self.shared(SHARE).within(WIDE), self.enumerations
                )
            )
            if outcome.status != "sat":
                return
            pool.adopt(self.frame.world(outcome.values))
            before, left = left, pool.lacking(left)
            if 4 * len(left) > 3 * len(before):
                return

    # questions to solvers

    def groups(self, facts: Facts) -> list[list[Fact]]:
        """Facts with those that the same answers are about."""
        found: dict[frozenset[int], list[Fact]] = {}
        for fact in facts:
            self.deadline.check()
            *answers, _ = self.question({fact: [fact.truth]})
            found.setdefault(frozenset(map(id, answers)), []).append(fact)
        return list(found.values())

    def together(self, facts: Facts, time: Deadline) -> dict[Fact, Finding]:
        """Findings for facts of one group, by one question: is there a world that
        counts against any of them?

        There is none: this one proof discloses all.  There is one: it is kept, and what
        it refutes is done.
        """
        views: dict[Fact, dict[View, ReplayedWorld | None]] = {
            fact: dict(self.pool.shown(fact)) for fact in facts
        }
        done: dict[Fact, Finding] = {}
        # What is refuted before the first question is so by a world of another group.
        stage = KNOWN
        while True:
            for fact in [fact for fact in views if len(views[fact]) >= fact.wanted]:
                done[fact] = self.safe(fact, views.pop(fact), stage)
            if not views:
                return done
            outcome = self.solved(
                settled(self.question(views), time, self.enumerations)
            )
            stage = (
                outcome.by[0].split(",")[0]
                if outcome.by and outcome.by != PLAIN
                else DOMAINS
            )
            if outcome.status == "unsat":
                return done | {
                    fact: self.disclosed(fact, outcome.by, stage, self.asked)
                    for fact in views
                }
            if outcome.status == "unknown":
                return done | {
                    fact: Finding(fact, UNDECIDED, outcome.reason) for fact in views
                }
            kept = self.pool.adopt(self.frame.world(outcome.values))
            before = sum(map(len, views.values()))
            for fact, found in views.items():
                view = fact.view(kept.world)
                if fact.refuted_by(view):
                    found.setdefault(view, kept)
            if sum(map(len, views.values())) == before:
                raise Defect(
                    "a second world differs in none of the facts that it was asked for"
                )

    def safe(self, fact: Fact, found: Views, stage: str) -> Finding:
        """SAFE, with the worlds that count against the fact."""
        worlds = tuple([kept.changes for kept in found.values() if kept is not None])
        return Finding(fact, SAFE, worlds=worlds, stage=stage)

    # why it is disclosed

    def disclosed(
        self, fact: Fact, by: tuple[str, ...], stage: str, enough: Asked
    ) -> Finding:
        """DISCLOSED, which was found of some queries, with as few of them as
        suffice.
        """
        began = time.monotonic()
        until = self.time().within(max(0.0, self.cores))
        core, minimal = smallest(
            enough,
            lambda rest: (
                "unknown" if until.over else self.follows(rest, fact, until).status
            ),
        )
        self.cores -= time.monotonic() - began
        if len(core) < len(enough):
            again = self.proved(core, fact)
            if again.status == "unsat":
                by = again.by
            else:
                core, minimal = list(enough), False
        return Finding(
            fact,
            DISCLOSED,
            core=tuple([one.number for one in core]),
            minimal=minimal,
            by=by,
            stage=stage,
        )

    def proved(self, core: Asked, fact: Fact) -> Outcome:
        """Whether a fact follows from some queries, by a checked combination or by two
        solvers.
        """
        certain = Certain(core)
        for stage in (ROW_SPACE, BOUNDS):
            if certain.proof(fact, self.frame, stage) is not None:
                return Outcome("unsat", by=checked(stage))
        return self.follows(core, fact, self.time(), settled)

    def follows(
        self,
        asked: Asked,
        fact: Fact,
        time: Deadline,
        solver: Callable[..., Outcome] = ask,
    ) -> Outcome:
        """unsat when the fact follows from these queries, sat when enough worlds say
        that it does not; unknown where the time is over.
        """
        web, found = Web(asked), [fact.truth] if fact.counting else []
        while len(found) < fact.wanted:
            outcome = self.solved(
                solver(self.question({fact: found}, web), time, self.enumerations)
            )
            if outcome.status != "sat":
                return outcome
            found.append(fact.view(self.frame.world(outcome.values)))
        return Outcome("sat")
