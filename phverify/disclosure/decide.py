"""Does a protected fact follow from the answers so far?  The cascade, cheapest first.

1. A kept or swapped world where the fact is otherwise, or one moved by integers that change no sum: SAFE.
2. The row space of the linear answers, then bounds by linear programming: DISCLOSED, proved by a combination of answers
   that is checked in fractions.
3. CP-SAT, then Z3, is asked for a world where the fact is otherwise: SAFE, after the world was replayed.  There is
   none: DISCLOSED, after a second solver has said so too.  Where there are many equations over small ranges their
   solutions are enumerated as well; all of them, found in integers, are a proof by themselves.
   Facts that are hard one by one are asked about together: a world where any of them is otherwise.  There is none:
   that one proof, confirmed likewise, discloses all.

Whatever is disclosed comes with the queries that are enough for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.certain import Certain, proved
from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import Fact, View, against, refuting
from phverify.disclosure.result import DISCLOSED, SAFE, UNDECIDED, Finding
from phverify.disclosure.shift import shifted, values_of, violated
from phverify.disclosure.solving.ask import DOMAINS as PLAIN
from phverify.disclosure.solving.ask import Outcome, ask, settled, together, widest
from phverify.disclosure.solving.enumeration import Enumerations
from phverify.disclosure.stages import BOUNDS, DOMAINS, KNOWN, ROW_SPACE, SWAPPED, Ledger
from phverify.disclosure.views import Views, new
from phverify.disclosure.worlds.cells import Frame, World
from phverify.disclosure.worlds.constraints import Effect
from phverify.errors import Defect

SHARE = 8
"""The part of a step's time that a fact may take alone; then it is asked about together with others."""

PART = 2
"""The part of a step's time that may be spent on which queries are enough for what is disclosed."""
MANY = 8
"""From so many facts on a world is looked for that serves many at a time."""
WIDE = 0.25
"""Seconds for one such world."""


@dataclass(frozen=True)
class Known:
    """What an answered query says: its number in the log, its effect, and the unknowns of each of its terms."""

    number: int
    effect: Effect
    names: tuple[frozenset[str], ...]


def known(number: int, effect: Effect, frame: Frame, assignment: t.Assignment) -> Known:
    """The effect of an answer.  Raises Defect when the data itself contradicts it."""
    if violated([effect], assignment):
        raise Defect(f"the true database violates what query {number} is taken to say")
    return Known(number, effect, tuple(t.unknowns([term]).names for term in effect.terms))


class Web:
    """The terms of some queries by the unknowns that they are about."""

    def __init__(self, asked: Iterable[Known] = ()) -> None:
        self.terms: list[t.Term] = []
        self.names: list[frozenset[str]] = []
        self.about: dict[str, list[int]] = {}
        self.nameless: list[int] = []
        for one in asked:
            self.add(one)

    def add(self, one: Known) -> None:
        for number, names in enumerate(one.names, len(self.terms)):
            for name in names:
                self.about.setdefault(name, []).append(number)
            if not names:
                self.nameless.append(number)
        self.terms += one.effect.terms
        self.names += one.names

    def connected(self, start: Iterable[str]) -> list[t.Term]:
        """The terms that are connected with some unknowns; the others have a solution of their own, the data."""
        reached, taken, chosen = set(start), set[int](), list[int]()
        fresh, near = reached, set(self.nameless)
        while fresh:
            for name in fresh:
                near.update(self.about.get(name, ()))
            new = sorted(near - taken)
            taken.update(new)
            chosen += new
            fresh = set[str]().union(*(self.names[number] for number in new)) - reached
            reached |= fresh
            near = set()
        return [self.terms[number] for number in chosen]


def _stage(outcome: Outcome) -> str:
    """The stage of the cascade that an outcome is of."""
    return outcome.by[0].split(",")[0] if outcome.by and outcome.by != PLAIN else DOMAINS


class Judge:
    """Decides facts over the answers so far."""

    def __init__(self, frame: Frame, pool: Pool, each: float, deadline: Deadline) -> None:
        self.frame, self.pool, self.each, self.deadline = frame, pool, each, deadline
        self.step, self.cores = Deadline(self.each), self.each / PART
        self.tired = 0
        self.enumerations = Enumerations(frame.assignment(frame.truth))
        self.views = Views(frame, pool)
        self.asked: list[Known] = []
        self.done: dict[Fact, Finding] = {}
        self.web = Web()
        self.components: dict[str, list[t.Term]] = {}
        self.certain = Certain()
        self.ledger = Ledger()

    def learn(self, one: Known) -> None:
        """What one more answer says."""
        self.asked.append(one)
        self.web.add(one)
        self.components.clear()
        with self.ledger.timed(ROW_SPACE):
            self.certain.learn(one.number, one.effect.terms, self.deadline.check)

    def solved(self, outcome: Outcome) -> Outcome:
        """The outcome, with its time in the ledger."""
        for stage, seconds in outcome.spent:
            self.ledger.spend(stage, seconds)
        return outcome

    def begin(self, last: bool = False) -> None:
        """A new step, with time for its questions; facts that are left then are undecided.

        After a step whose time did not suffice the next one has half of it: more answers of a kind rarely make a
        question easy.  The last step of a log has all.
        """
        self.done.clear()
        seconds = self.each if last else self.each / 2 ** min(self.tired, 2)
        self.step, self.cores = Deadline(seconds), seconds / PART

    def time(self) -> Deadline:
        """The time of one question."""
        return self.deadline.within(max(0.0, self.step.left() or 0.0))

    def shared(self, parts: int) -> Deadline:
        """One part of the time that is left."""
        return Deadline((self.time().left() or 0.0) / parts)

    def connected(self, names: Iterable[str]) -> list[t.Term]:
        """The terms of all answers that some unknowns are connected with."""
        several: dict[int, list[t.Term]] = {}
        for name in names:
            if name not in self.components:
                terms = self.web.connected([name])
                self.components |= dict.fromkeys((*t.unknowns(terms).names, name), terms)
            several[id(self.components[name])] = self.components[name]
        found = {id(term): term for terms in several.values() for term in terms}
        return list(found.values())

    def question(self, asked: Sequence[Known], fact: Fact, found: Sequence[View]) -> list[t.Term]:
        """A world with the answers of some queries that counts against the fact, and is not one of those found."""
        term = against(fact, self.frame, found)
        names = t.unknowns([term]).names
        return [*(self.connected(names) if asked is self.asked else Web(asked).connected(names)), term]

    def known(self, fact: Fact) -> Finding | None:
        """SAFE by the worlds that were found earlier, where they are enough."""
        found = self.views.shown(fact)
        return self.counted(self.safe(fact, found, KNOWN)) if len(found) >= fact.wanted else None

    def counted(self, found: Finding) -> Finding:
        self.ledger.verdicts[found.stage] += found.verdict != UNDECIDED
        return found

    def decide_all(self, facts: Sequence[Fact]) -> list[Finding]:
        """SAFE, DISCLOSED or UNDECIDED, for each.

        From the first one on that a solver does not settle soon, all that need a solver are asked about together.
        What is decided stands in ``done`` at once, for a step that is stopped.
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
            long = self.time().over and any(one.verdict == UNDECIDED for one in done.values())
            self.tired = self.tired + 1 if long else 0
        return [self.counted(done[fact]) for fact in facts]

    def joint(self, fact: Fact) -> bool:
        """Whether facts like this one are asked about together from the start."""
        return together(self.question(self.asked, fact, [fact.truth]), self.enumerations)

    def cheap(self, fact: Fact) -> Finding | None:
        """What needs no solver: kept and swapped worlds, and what the linear answers prove."""
        found = self.views.shown(fact)
        if len(found) >= fact.wanted:
            swapped = any(id(world) in self.pool.swapped for world in found.values())
            return self.safe(fact, found, SWAPPED if swapped else KNOWN)
        for stage in (ROW_SPACE, BOUNDS):
            with self.ledger.timed(stage):
                proof = self.certain.proof(fact, self.frame, stage)
            if proof is not None:
                return self.disclosed(fact, proof.by, stage, [k for k in self.asked if k.number in proof.origins])
        return None

    def widen(self, facts: Sequence[Fact]) -> None:
        """Look for worlds that count against many of the facts at a time, as long as that serves a quarter of them."""
        left = self.shifted(self.views.lacking(facts))
        while len(left) >= MANY:
            terms = [against(fact, self.frame, list(self.views.shown(fact))) for fact in left]
            time = self.shared(SHARE).within(WIDE)
            outcome = self.solved(widest(self.connected(t.unknowns(terms).names), terms, time, self.enumerations))
            if outcome.status != "sat":
                return
            self.pool.adopt(self.frame.world(outcome.values))
            before, left = left, self.views.lacking(left)
            if 4 * len(left) > 3 * len(before):
                return

    def shifted(self, facts: list[Fact]) -> list[Fact]:
        """The facts that are left after worlds by linear algebra beside the data."""
        with self.ledger.timed(ROW_SPACE):
            while facts and not self.time().over:
                world = self.shift(self.frame.truth, facts)
                if world is None or not any(self.views.useful(fact, world) for fact in facts):
                    break
                self.pool.adopt(world)
                facts = self.views.lacking(facts)
        return facts

    def shift(self, world: World, facts: Sequence[Fact]) -> World | None:
        """A world beside this one that counts against many of the facts, if one is found."""
        taken = values_of(self.frame, {fact: (fact.truth, *self.views.shown(fact)) for fact in facts})
        effects = [one.effect for one in self.asked]
        return shifted(self.frame, self.certain, effects, world, taken)

    def paired(self, facts: Sequence[Fact], world: World) -> Sequence[Fact]:
        """The facts that are left after a world, which is kept where it serves many and gives all answers."""
        useful = [fact for fact in facts if self.views.useful(fact, world)]
        if MANY * len(useful) <= len(facts) or violated([k.effect for k in self.asked], self.frame.assignment(world)):
            return facts
        self.pool.swapped.add(id(self.pool.adopt(world)))
        return self.views.lacking(facts)

    def groups(self, facts: Sequence[Fact]) -> list[list[Fact]]:
        """Facts with those that the same answers are about."""
        found: dict[frozenset[int], list[Fact]] = {}
        for fact in facts:
            self.deadline.check()
            terms = self.connected(t.unknowns([against(fact, self.frame, [fact.truth])]).names)
            found.setdefault(frozenset(map(id, terms)), []).append(fact)
        return list(found.values())

    def together(self, facts: Sequence[Fact], time: Deadline) -> dict[Fact, Finding]:
        """Findings for facts of one group, by one question: is there a world that counts against any of them?

        There is none: this one proof discloses all.  There is one: it is kept, and what it refutes is done.
        """
        views = {fact: dict(self.views.shown(fact)) for fact in facts}
        enough = [fact for fact in facts if len(views[fact]) >= fact.wanted]  # by a world of another group
        done = {fact: self.safe(fact, views[fact], KNOWN) for fact in enough}
        left = [fact for fact in facts if fact not in done]
        while left:
            outcome = self.solved(settled(self.any(left, views), time, self.enumerations))
            stage = _stage(outcome)
            if outcome.status == "unsat":
                return done | {fact: self.disclosed(fact, outcome.by, stage, self.asked) for fact in left}
            if outcome.status == "unknown":
                return done | {fact: Finding(fact, UNDECIDED, outcome.reason) for fact in left}
            world = self.pool.adopt(self.frame.world(outcome.values))
            told = [fact for fact in left if new(fact, world, views[fact])]
            if not told:
                raise Defect("a second world differs in none of the facts that it was asked for")
            for fact in told:
                views[fact][fact.view(world)] = world
                if len(views[fact]) >= fact.wanted:
                    done[fact] = self.safe(fact, views[fact], stage)
            left = [fact for fact in left if fact not in done]
        return done

    def any(self, facts: Sequence[Fact], views: Mapping[Fact, Mapping[View, World]]) -> list[t.Term]:
        """A world with all answers that counts against one of the facts at least, beside the views found."""
        term = t.disj(against(fact, self.frame, list(views[fact])) for fact in facts)
        return [*self.connected(t.unknowns([term]).names), term]

    def safe(self, fact: Fact, found: Mapping[View, World], stage: str) -> Finding:
        """SAFE, with the worlds that count against the fact."""
        return Finding(fact, SAFE, worlds=self.views.otherwise(fact, found), stage=stage)

    # why it is disclosed

    def disclosed(self, fact: Fact, by: tuple[str, ...], stage: str, enough: Sequence[Known]) -> Finding:
        """DISCLOSED, which was found of some queries, with as few of them as suffice."""
        core, minimal = self.core(fact, enough)
        if len(core) < len(enough):
            again = self.proved(core, fact)
            if again.status == "unsat":
                by = again.by
            else:
                core, minimal = list(enough), False
        numbers = tuple(one.number for one in core)
        return Finding(fact, DISCLOSED, core=numbers, minimal=minimal, by=by, stage=stage)

    def proved(self, core: Sequence[Known], fact: Fact) -> Outcome:
        """Whether a fact follows from some queries, by a checked combination or by two solvers."""
        proof = proved([(one.number, one.effect.terms) for one in core], fact, self.frame)
        return Outcome("unsat", by=proof.by) if proof else self.follows(core, fact, confirmed=True)

    def core(self, fact: Fact, enough: Sequence[Known]) -> tuple[list[Known], bool]:
        """Queries from which the fact follows and, when the second is true, from none of which can be left out."""
        core, minimal, began = list(enough), True, time.monotonic()
        until = self.time().within(max(0.0, self.cores))
        for one in list(core):
            if until.over:
                minimal = False
                break
            rest = [other for other in core if other is not one]
            status = self.follows(rest, fact, until).status
            minimal = minimal and status != "unknown"
            core = rest if status == "unsat" else core
        self.cores -= time.monotonic() - began
        return core, minimal

    def follows(
        self, asked: Sequence[Known], fact: Fact, time: Deadline | None = None, *, confirmed: bool = False
    ) -> Outcome:
        """unsat when the fact follows from these queries, sat when enough worlds say that it does not."""
        found = refuting(fact, ())
        while len(found) < fact.wanted:
            asking = settled if confirmed else ask
            outcome = self.solved(asking(self.question(asked, fact, found), time or self.time(), self.enumerations))
            if outcome.status != "sat":
                return outcome
            found.append(fact.view(self.frame.world(outcome.values)))
        return Outcome("sat")
