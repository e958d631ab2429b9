"""Distributed labelled transition systems with tags (Anantharaman, Frittella, Nguyen
2022, Definition 1), acyclic.

``build`` turns transitions and the adversary's knowledge into states with tags.  The
tag of the initial state is {true}; along a branch the successor's tag is the saturated
tag plus that branch's part of the answer.  The oracle then has its say: at a violated
state ``violation``, to *fail*, is the only move; an impossible state has no move.

Decided here:
 * Cycles are refused.  Tags only grow along a run, so that a cycle repeats a query
   without news; unfold it.
 * A state has one tag.  Where two branches lead to one state with different tags, make
   it two states.  (The paper's Example 1 calls a successor s0, like the initial state:
   refused.)
 * An undecided state (the knowledge could not tell) is gone on from;
   ``schedulers.violation`` counts it both ways.
 * Violation up to eps (Remark 3): two outputs of one transition are
   eps-indistinguishable by Definition 3, on the branch probabilities.  A state is
   *near* when it is not violated, but would be had some of the answers on the way been
   replaced by outputs eps-indistinguishable from them; the oracle then also moves to
   *fail*.  Outputs of equal probability are indistinguishable for eps = 0 already, so
   that 0-violation is weaker than violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from phverify.disclosure.connectives import Proposition
from phverify.disclosure.dltts.knowledge import TRUE, Knowledge, Status, Tag, judged
from phverify.disclosure.facts.distances import Row, RowDistances
from phverify.disclosure.grouping import grouped
from phverify.errors import InputError, Problem, refusal
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.expsum import compare, constant
from phverify.words import plural

FAIL = "fail"
VIOLATION = "violation"
START: Tag = frozenset({TRUE})


@dataclass(frozen=True)
class Branch:
    """One answer that a query may get.

    ``probability`` is how likely it is, ``target`` the state it leads to, ``answer``
    what it says.
    """

    target: str
    probability: Fraction
    answer: Tag = frozenset()


@dataclass(frozen=True)
class Transition:
    """An action of the adversary at a state, and the distribution of its answers."""

    source: str
    action: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class State:
    """A moment of the querying.

    ``tag`` is what was said, ``saturated`` what follows from it, ``status`` the
    oracle's word, ``moves`` what can be asked next.
    """

    name: str
    tag: Tag
    saturated: Tag
    status: Status
    moves: tuple[Transition, ...]


@dataclass(frozen=True)
class TaggedSystem:
    """A DLTTS: its states, each after all of its predecessors.

    *fail* is not among them: it has no tag.  ``policy`` are the secrets.
    """

    initial: str
    states: Mapping[str, State]
    policy: Tag = frozenset()

    def __repr__(self) -> str:
        return f"TaggedSystem({plural(len(self.states), 'state')})"


def build(
    initial: str,
    transitions: Sequence[Transition],
    knowledge: Knowledge,
    policy: Sequence[Proposition],
    level: Epsilon | None = None,
) -> TaggedSystem:
    """The system with its tags and the oracle's verdicts.

    ``policy`` lists the secrets; ``level`` is an eps, for violation up to eps.  States
    that only a violated or impossible state leads to are left out.  Raises InputError
    for distributions that do not sum to 1, moves from or to *fail*, an action twice at
    one state, cycles, and states with two tags.
    """
    problems = list(_flaws(initial, transitions))
    if problems:
        raise InputError(problems)

    # From here on each transition is a distribution; cycles show in the order.
    by_source = ((transition.source, transition) for transition in transitions)
    moves = grouped(by_source)
    unfolding = _Unfolding(initial, moves, knowledge, policy, level)
    order = _order(transitions, initial)
    for name in order:
        unfolding.visit(name)
    secrets = frozenset(policy)
    return TaggedSystem(initial, unfolding.states, secrets)


@dataclass
class _Unfolding:
    """The states so far, and of those that a branch leads to the tag.

    ``variants`` are the tags that there would be had answers on the way been others,
    eps-indistinguishable from them; the tag itself is one.
    """

    initial: str
    moves: Mapping[str, Sequence[Transition]]
    knowledge: Knowledge
    policy: Sequence[Proposition]
    level: Epsilon | None
    states: dict[str, State] = field(default_factory=dict)
    tags: dict[str, Tag] = field(init=False)
    variants: dict[str, set[Tag]] = field(init=False)

    def __post_init__(self) -> None:
        self.tags = {self.initial: START}
        self.variants = {self.initial: {START}}

    def visit(self, name: str) -> None:
        """Judge a state and go on from it, if any run comes to it."""
        if name not in self.tags:
            return
        tag = self.tags[name]
        status = self.status(name, tag)
        saturated = self.knowledge.saturated(tag)

        # The oracle speaks before the adversary moves.
        moves = self.allowed(name, status)
        self.states[name] = State(name, tag, saturated, status, moves)
        if status in ("open", "undecided"):
            self.go_on(name, saturated, moves)

    def status(self, name: str, tag: Tag) -> Status:
        """The oracle's word, up to eps where there is a level."""
        status = judged(self.knowledge, tag, self.policy)
        if status != "open":
            return status

        # Remark 3: what might have been said instead, and cannot be told from it.
        for variant in self.variants[name] - {tag}:
            if judged(self.knowledge, variant, self.policy) == "violated":
                return "near"
        return status

    def allowed(self, name: str, status: Status) -> tuple[Transition, ...]:
        """The moves of a state, once the oracle has spoken."""
        if status == "impossible":
            return ()
        if status in ("violated", "near"):
            to_fail = Branch(FAIL, Fraction(1))
            return (Transition(name, VIOLATION, (to_fail,)),)
        return tuple(self.moves.get(name, ()))

    def go_on(self, name: str, saturated: Tag, moves: Iterable[Transition]) -> None:
        """Enter the successors of a state with their tags."""
        tag = self.tags[name]
        others = self.variants[name] - {tag}
        # What might have been said is closed as well before more is added to it.
        closed = [saturated, *map(self.knowledge.saturated, others)]
        for move in moves:
            for branch in move.branches:
                self.enter(branch.target, saturated | branch.answer)
                variants = self.variants.setdefault(branch.target, set())
                for answer in self.indistinguishable(branch, move):
                    variants.update(other | answer for other in closed)

    def indistinguishable(self, branch: Branch, move: Transition) -> list[Tag]:
        """The answers of a move that the adversary cannot tell from a branch's."""
        if self.level is None:
            return [branch.answer]
        level = self.level
        return [
            other.answer
            for other in move.branches
            if other is branch or _alike(other, branch, level)
        ]

    def enter(self, name: str, tag: Tag) -> None:
        """The tag of a state that is reached; InputError where another one is known."""
        # Several branches may lead here, as long as they say the same.
        known = self.tags.setdefault(name, tag)
        if known != tag:
            news = ", ".join(sorted(map(str, known ^ tag)))
            raise refusal(
                f"state {name!r}",
                f"it is reached with two tags, which differ in {news}",
                "make it two states",
            )


def _alike(first: Branch, second: Branch, level: Epsilon) -> bool:
    """Definition 3 on two outputs of a transition."""
    p = constant(first.probability)
    q = constant(second.probability)
    if compare(p, q, level) > 0:
        return False
    return compare(q, p, level) <= 0


def _order(transitions: Sequence[Transition], initial: str) -> Iterable[str]:
    """All states but *fail*, each after its predecessors."""
    before: dict[str, set[str]] = {initial: set()}
    for transition in transitions:
        for branch in transition.branches:
            # A state's tag is made of its predecessors': they come first.
            before.setdefault(branch.target, set()).add(transition.source)
    try:
        return tuple(TopologicalSorter(before).static_order())
    except CycleError as error:
        circle = " -> ".join(repr(name) for name in error.args[1])
        hint = (
            "tags only grow along a run: unfold the cycle, with a state for each time"
            " round"
        )
        raise refusal("system", f"the states {circle} form a cycle", hint) from None


def _flaws(initial: str, transitions: Sequence[Transition]) -> Iterator[Problem]:
    """What is wrong with transitions, one by one; cycles show later."""
    seen: set[tuple[str, str]] = set()
    for transition in transitions:
        where = f"state {transition.source!r}, action {transition.action!r}"
        targets = [branch.target for branch in transition.branches]
        if (transition.source, transition.action) in seen:
            yield Problem(
                where,
                "there are two such transitions",
                "give each its own action: a scheduler chooses by action",
            )
        seen.add((transition.source, transition.action))
        if FAIL in (initial, transition.source):
            yield Problem(
                where, "no transition leaves *fail*", f"{FAIL!r} is reserved for it"
            )
        if transition.action == VIOLATION or FAIL in targets:
            yield Problem(
                where,
                "only the oracle moves to *fail*",
                "state the policy; violated states move by themselves",
            )
        yield from _distribution(where, initial, transition.branches)


def _distribution(
    where: str, initial: str, branches: Sequence[Branch]
) -> Iterator[Problem]:
    """What is wrong with the branches of a transition."""
    targets = [branch.target for branch in branches]
    if len(set(targets)) < len(targets):
        yield Problem(
            where,
            "two branches lead to one state",
            "each branch needs a state of its own, for its tag",
        )
    if initial in targets:
        yield Problem(
            where,
            f"a branch leads to the initial state {initial!r}",
            "its tag is {true}: use another name",
        )

    # Checked by itself: with a negative one the others could still sum to 1.
    if any(branch.probability < 0 for branch in branches):
        yield Problem(where, "a probability is negative")
    total = sum((branch.probability for branch in branches), Fraction(0))
    if total != 1:
        yield Problem(
            where,
            f"the probabilities sum to {total}, not 1",
            "name every answer; no answer is one too",
        )


def published(
    system: TaggedSystem,
    columns: RowDistances,
    target: Sequence[Row],
    row_of: Callable[[Proposition], Row | None],
) -> dict[str, Fraction | None]:
    """The oracle's second role: how far each state's saturated tag is from the target.

    The distance is rho.  ``row_of`` reads a formula as a data tuple, None where it is
    none.  None for a state with nothing comparable.
    """
    distances: dict[str, Fraction | None] = {}
    for name, state in system.states.items():
        rows = []
        for formula in state.saturated:
            row = row_of(formula)
            if row is not None:
                rows.append(row)
        distances[name] = columns.rho(rows, target)
    return distances
