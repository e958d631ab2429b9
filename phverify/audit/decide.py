"""Does a protected fact follow from the answers so far?  The cascade, cheapest first.

1. A kept or swapped world where the fact is otherwise: SAFE.
2. CP-SAT (or Z3) is asked for such a world.  One is replayed before it is shown.
3. There is none: DISCLOSED, after a second solver has said so too, with the queries that are enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from phverify.audit import integers as t
from phverify.audit.constraints import Effect
from phverify.audit.facts import Fact, against, refuted_by
from phverify.audit.pool import Pool
from phverify.audit.query import Value
from phverify.audit.result import DISCLOSED, SAFE, UNDECIDED, Change, Finding
from phverify.audit.solving import Outcome, ask, settled
from phverify.audit.worlds import Frame, World
from phverify.errors import Defect
from phverify.smt.solver import Deadline


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
        self.asked: list[Known] = []
        self.told: dict[int, tuple[World, tuple[Change, ...]]] = {}

    def time(self) -> Deadline:
        """The time of one question."""
        left = self.deadline.left()
        return Deadline(self.each if left is None else max(0.0, min(self.each, left)))

    def question(self, asked: Sequence[Known], fact: Fact, found: Sequence[Value]) -> list[t.Term]:
        """A world with the answers of some queries that counts against the fact, and is not one of those found."""
        term = against(fact, self.frame, found)
        return [*relevant(asked, t.unknowns([term]).names), term]

    def decide(self, fact: Fact) -> Finding:
        """SAFE, DISCLOSED or UNDECIDED."""
        shown = self.pool.values(fact.column, fact.row)
        while True:
            found = refuted_by(fact, self.frame, shown)
            if len(found) >= fact.wanted:
                return Finding(fact, SAFE, worlds=self.worlds(fact, shown, found[: fact.wanted]))
            outcome = settled(self.question(self.asked, fact, found), self.time())
            if outcome.status == "unsat":
                return self.disclosed(fact, outcome)
            if outcome.status == "unknown":
                return Finding(fact, UNDECIDED, outcome.reason)
            world = self.pool.adopt(self.frame.world(outcome.values))
            value = world[fact.column][fact.row]
            if value in shown or value not in refuted_by(fact, self.frame, [value]) or value in found:
                raise Defect(f"a second world does not differ in {fact.text()}")
            shown[value] = world

    def worlds(self, fact: Fact, shown: dict[Value, World], found: Sequence[Value]) -> tuple[tuple[Change, ...], ...]:
        other = [value for value in found if not fact.counting or value != fact.value]
        return tuple(self.changes(shown[value]) for value in other)

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

    def disclosed(self, fact: Fact, outcome: Outcome) -> Finding:
        core, minimal = self.core(fact)
        by = outcome.by
        if len(core) < len(self.asked):
            again = self.follows(core, fact, confirmed=True)
            if again.status != "unsat":
                core, minimal = list(self.asked), False
            else:
                by = again.by
        numbers = tuple(one.number for one in core)
        return Finding(fact, DISCLOSED, core=numbers, minimal=minimal, by=by)

    def core(self, fact: Fact) -> tuple[list[Known], bool]:
        """Queries from which the fact follows and, when the second is true, from none of which can be left out."""
        core, minimal = list(self.asked), True
        for one in list(core):
            rest = [other for other in core if other is not one]
            status = self.follows(rest, fact).status
            minimal = minimal and status != "unknown"
            core = rest if status == "unsat" else core
        return core, minimal

    def follows(self, asked: Sequence[Known], fact: Fact, *, confirmed: bool = False) -> Outcome:
        """unsat when the fact follows from these queries, sat when enough worlds say that it does not."""
        found = refuted_by(fact, self.frame, ())
        while len(found) < fact.wanted:
            asking = settled if confirmed else ask
            outcome = asking(self.question(asked, fact, found), self.time())
            if outcome.status != "sat":
                return outcome
            found.append(self.frame.world(outcome.values)[fact.column][fact.row])
        return Outcome("sat")
