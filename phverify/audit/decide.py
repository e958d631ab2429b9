"""Does a protected fact follow from the answers so far?  The cascade, cheapest first.

1. A kept or swapped world where the fact is otherwise: SAFE.
2. The row space of the linear answers, then bounds by linear programming: DISCLOSED, proved by a combination of answers
   that is checked in fractions.
3. CP-SAT, then Z3, is asked for a world where the fact is otherwise: SAFE, after the world was replayed.  There is
   none: DISCLOSED, after a second solver has said so too.

Whatever is disclosed comes with the queries that are enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from phverify.audit.certain import Certain, proved
from phverify.audit.constraints import Effect
from phverify.audit.facts import Fact, View, against, refuting
from phverify.audit.pool import Pool
from phverify.audit.result import DISCLOSED, SAFE, UNDECIDED, Change, Finding
from phverify.audit.stages import BOUNDS, DOMAINS, KNOWN, ROW_SPACE, SWAPPED, Ledger
from phverify.audit.worlds import Frame, World
from phverify.errors import Defect
from phverify.smt import integers as t
from phverify.smt.solver import Deadline
from phverify.smt.solving import DOMAINS as PLAIN
from phverify.smt.solving import Outcome, ask, settled


@dataclass(frozen=True)
class Known:
    """What an answered query says: its number in the log, its effect, and the unknowns of each of its terms."""

    number: int
    effect: Effect
    names: tuple[frozenset[str], ...]


def known(number: int, effect: Effect, frame: Frame, assignment: t.Assignment) -> Known:
    """The effect of an answer.  Raises Defect when the data itself contradicts it."""
    values = {**assignment, **effect.values(assignment)}
    if not all(t.evaluate(term, values) for term in effect.terms):
        raise Defect(f"the true database violates what query {number} is taken to say")
    return Known(number, effect, tuple(t.unknowns([term]).names for term in effect.terms))


def relevant(asked: Iterable[Known], start: Iterable[str]) -> list[t.Term]:
    """The terms that are connected with some unknowns; the others have a solution of their own, the data."""
    waiting = [(term, names) for one in asked for term, names in zip(one.effect.terms, one.names, strict=True)]
    reached, chosen, grown = set(start), [], True
    while grown:
        inside = [(term, names) for term, names in waiting if names & reached or not names]
        waiting = [(term, names) for term, names in waiting if not (names & reached or not names)]
        chosen += [term for term, _ in inside]
        size = len(reached)
        reached.update(*(names for _, names in inside))
        grown = len(reached) > size
    return chosen


class Judge:
    """Decides facts over the answers so far."""

    def __init__(self, frame: Frame, pool: Pool, each: float, deadline: Deadline) -> None:
        self.frame, self.pool, self.each, self.deadline = frame, pool, each, deadline
        self.step = Deadline(self.each)
        self.asked: list[Known] = []
        self.components: dict[str, list[t.Term]] = {}
        self.certain = Certain()
        self.ledger = Ledger()
        self.told: dict[int, tuple[World, tuple[Change, ...]]] = {}

    def learn(self, one: Known) -> None:
        """What one more answer says."""
        self.asked.append(one)
        self.components.clear()
        with self.ledger.timed(ROW_SPACE):
            self.certain.learn(one.number, one.effect.terms)

    def solved(self, outcome: Outcome) -> Outcome:
        """The outcome, with its time in the ledger."""
        for stage, seconds in outcome.spent:
            self.ledger.spend(stage, seconds)
        return outcome

    def begin(self) -> None:
        """A new step, with time for its questions; facts that are left then are undecided."""
        self.step = Deadline(self.each)

    def time(self) -> Deadline:
        """The time of one question."""
        left = [deadline.left() for deadline in (self.deadline, self.step)]
        return Deadline(max(0.0, min(seconds for seconds in left if seconds is not None)))

    def connected(self, names: Iterable[str]) -> list[t.Term]:
        """The terms of all answers that some unknowns are connected with."""
        found: dict[int, t.Term] = {}
        for name in names:
            if name not in self.components:
                terms = relevant(self.asked, [name])
                self.components |= dict.fromkeys((*t.unknowns(terms).names, name), terms)
            found |= {id(term): term for term in self.components[name]}
        return list(found.values())

    def question(self, asked: Sequence[Known], fact: Fact, found: Sequence[View]) -> list[t.Term]:
        """A world with the answers of some queries that counts against the fact, and is not one of those found."""
        term = against(fact, self.frame, found)
        names = t.unknowns([term]).names
        return [*(self.connected(names) if asked is self.asked else relevant(asked, names)), term]

    def known(self, fact: Fact) -> Finding | None:
        """SAFE by the worlds that were found earlier, where they are enough."""
        found = self.shown(fact)
        return self.counted(self.safe(fact, found, KNOWN)) if len(found) >= fact.wanted else None

    def shown(self, fact: Fact) -> dict[View, World]:
        """Views of kept worlds that count against a fact, no more than it takes; the truth is one where they count."""
        found = {fact.truth: self.frame.truth} if fact.counting else {}
        for kept in reversed(self.pool.worlds):
            if len(found) >= fact.wanted:
                break
            view = fact.view(kept.world)
            if view not in found and (fact.counting or not fact.holds(view)):
                found[view] = kept.world
        return found

    def useful(self, fact: Fact, world: World) -> bool:
        """Whether a world has a view that counts against a fact and that no kept world has."""
        view = fact.view(world)
        return view not in self.shown(fact) and (fact.counting or not fact.holds(view))

    def counted(self, found: Finding) -> Finding:
        self.ledger.verdicts[found.stage] += found.verdict != UNDECIDED
        return found

    def decide(self, fact: Fact) -> Finding:
        """SAFE, DISCLOSED or UNDECIDED."""
        return self.counted(self.cascade(fact))

    def cascade(self, fact: Fact) -> Finding:
        found = self.shown(fact)
        if len(found) >= fact.wanted:
            swapped = any(id(world) in self.pool.swapped for world in found.values())
            return self.safe(fact, found, SWAPPED if swapped else KNOWN)
        for stage in (ROW_SPACE, BOUNDS):
            with self.ledger.timed(stage):
                proof = self.certain.proof(fact, self.frame, stage)
            if proof is not None:
                return self.disclosed(fact, proof.by, stage, [k for k in self.asked if k.number in proof.origins])
        return self.searched(fact, found)

    def searched(self, fact: Fact, found: dict[View, World]) -> Finding:
        """The part of the solvers: worlds that count against the fact, until they are enough or there is none."""
        stage = KNOWN
        while len(found) < fact.wanted:
            outcome = self.solved(settled(self.question(self.asked, fact, list(found)), self.time()))
            stage = outcome.by[0] if outcome.by and outcome.by != PLAIN else DOMAINS
            if outcome.status == "unsat":
                return self.disclosed(fact, outcome.by, stage, self.asked)
            if outcome.status == "unknown":
                return Finding(fact, UNDECIDED, outcome.reason)
            world = self.pool.adopt(self.frame.world(outcome.values))
            view = fact.view(world)
            if view in found or not (fact.counting or not fact.holds(view)):
                raise Defect(f"a second world does not differ in {fact.text()}")
            found[view] = world
        return self.safe(fact, found, stage)

    def safe(self, fact: Fact, found: dict[View, World], stage: str) -> Finding:
        """SAFE, with the worlds that count against the fact."""
        worlds = [world for view, world in found.items() if not fact.counting or view != fact.truth]
        return Finding(fact, SAFE, worlds=tuple(self.changes(world) for world in worlds), stage=stage)

    def changes(self, world: World) -> tuple[Change, ...]:
        """Where a world is otherwise than the data; one tuple for each world, however many facts it refutes."""
        if id(world) not in self.told:
            self.told[id(world)] = world, self.compared(world)
        return self.told[id(world)][1]

    def compared(self, world: World) -> tuple[Change, ...]:
        truth, keys = self.frame.truth, self.frame.keys
        return tuple(
            Change(str(key), column, true, other)
            for column, cells in truth.items()
            for key, true, other in zip(keys, cells, world[column], strict=True)
            if true != other
        )

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
        core, minimal = list(enough), True
        for one in list(core):
            rest = [other for other in core if other is not one]
            status = self.follows(rest, fact).status
            minimal = minimal and status != "unknown"
            core = rest if status == "unsat" else core
        return core, minimal

    def follows(self, asked: Sequence[Known], fact: Fact, *, confirmed: bool = False) -> Outcome:
        """unsat when the fact follows from these queries, sat when enough worlds say that it does not."""
        found = refuting(fact, ())
        while len(found) < fact.wanted:
            asking = settled if confirmed else ask
            outcome = self.solved(asking(self.question(asked, fact, found), self.time()))
            if outcome.status != "sat":
                return outcome
            found.append(fact.view(self.frame.world(outcome.values)))
        return Outcome("sat")
