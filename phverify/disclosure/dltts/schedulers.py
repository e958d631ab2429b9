"""Runs of a DLTTS under schedulers, with exact probabilities.

A scheduler resolves nondeterminism: it names the action at each state that has several.
It must move where there is a move (otherwise stopping at once would always be the
safest run).  Schedulers that remember the run, or toss coins, do not change the least
and greatest probability of violation: these are attained by a choice for each state
(backward induction on an acyclic system; Segala 1995).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from phverify.disclosure.dltts.system import FAIL, State, TaggedSystem, Transition
from phverify.errors import nearest, refusal

Scheduler = Mapping[str, str]
"""State -> action, for the states that have several."""
End = Literal["fail", "impossible", "end"]


@dataclass(frozen=True)
class Run:
    """States from the initial one to where nothing moves, and the actions between them.

    ``probability`` is the product of those of the branches taken.
    """

    states: tuple[str, ...]
    actions: tuple[str, ...]
    probability: Fraction
    end: End

    def __str__(self) -> str:
        first, *others = self.states
        steps = ""
        for action, state in zip(self.actions, others, strict=True):
            steps += f" -{action}-> {state}"
        return f"{first}{steps}  ({self.probability})"


@dataclass(frozen=True)
class ViolationBounds:
    """The probability of violation over all schedulers, and the likeliest run.

    ``safest`` and ``worst`` attain the two ends.  Where states are undecided, ``least``
    counts them as open and ``most`` as violated: the truth lies between. ``likeliest``
    is the violating run with the greatest probability under any scheduler; None when
    there is none.
    """

    least: Fraction
    most: Fraction
    safest: Scheduler
    worst: Scheduler
    likeliest: Run | None


def violation(system: TaggedSystem) -> ViolationBounds:
    """Least and greatest probability of reaching *fail*, exactly."""
    least, safest = _least(system)
    most, worst = _most(system)
    return ViolationBounds(least, most, safest, worst, likeliest(system))


def _least(system: TaggedSystem) -> tuple[Fraction, dict[str, str]]:
    """The least probability of *fail*, and a scheduler that attains it."""
    return _induction(system, min, Fraction(0))


def _most(system: TaggedSystem) -> tuple[Fraction, dict[str, str]]:
    """The greatest probability of *fail*, and a scheduler that attains it."""
    # An undecided state may be a violated one.
    return _induction(system, max, Fraction(1))


def _induction(
    system: TaggedSystem, best: Callable[..., Fraction], undecided: Fraction
) -> tuple[Fraction, dict[str, str]]:
    """The best probability of *fail*, with the moves that attain it.

    Backward induction: a state's value is its best move's mean over the branches.
    """
    values = {FAIL: Fraction(1)}
    scheduler: dict[str, str] = {}
    for name in reversed(list(system.states)):
        state = system.states[name]
        means = [_mean(move, values) for move in state.moves]
        value = best(means, default=Fraction(0))
        values[name] = max(value, undecided) if state.status == "undecided" else value
        if len(means) > 1:
            place = means.index(value)
            scheduler[name] = state.moves[place].action
    return values[system.initial], scheduler


def _mean(move: Transition, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a move: the mean over its branches."""
    mean = Fraction(0)
    for branch in move.branches:
        mean += branch.probability * values[branch.target]
    return mean


def likeliest(system: TaggedSystem) -> Run | None:
    """The violating run with the greatest probability under any scheduler.

    The first of several; None if there is none.
    """
    end = Run((FAIL,), (), Fraction(1), "fail")
    best = {FAIL: end}
    # Backwards: a state comes after all that it leads to.
    named = list(system.states.items())
    for name, state in reversed(named):
        greatest = Fraction(0)

        # Chances multiply: the likeliest run goes on with the likeliest tail.
        for move in state.moves:
            for branch in move.branches:
                tail = best.get(branch.target)
                if tail is None:
                    continue
                chance = branch.probability * tail.probability
                if chance > greatest:
                    greatest = chance
                    best[name] = _longer(name, move.action, tail, chance)
    return best.get(system.initial)


def _longer(state: str, action: str, tail: Run, chance: Fraction) -> Run:
    """A run with one more state before it."""
    states = (state, *tail.states)
    actions = (action, *tail.actions)
    return Run(states, actions, chance, tail.end)


def move_at(state: State, scheduler: Scheduler) -> Transition | None:
    """The transition that fires at a state: at most one.

    Raises InputError when the scheduler names none of several moves, or one that the
    state does not have.
    """
    action = scheduler.get(state.name)
    if not state.moves:
        return None
    if len(state.moves) == 1 and action is None:
        return state.moves[0]
    for move in state.moves:
        if move.action == action:
            return move

    # A scheduler is told of a name that it misspelt; the oracle needs none.
    if state.status in ("open", "undecided"):
        what = f"names the action {action!r}"
        if action is None:
            what = "does not say what fires"
        hint = nearest(action or "", (m.action for m in state.moves), "actions there")
        raise refusal(f"scheduler, state {state.name!r}", what, hint)
    return state.moves[0]  # the oracle's move is not the scheduler's to choose


def probabilities(system: TaggedSystem, scheduler: Scheduler) -> dict[str, Fraction]:
    """How likely each state is to be visited, and *fail*.

    The formulas of a state's tag carry the same probability.
    """
    chances = dict.fromkeys((*system.states, FAIL), Fraction(0))
    chances[system.initial] = Fraction(1)
    for name, state in system.states.items():
        # A state that is never visited needs no word from the scheduler.
        chance = chances[name]
        if not chance:
            continue
        move = move_at(state, scheduler)
        if move is None:
            continue
        for branch in move.branches:
            chances[branch.target] += chance * branch.probability
    return chances


def outcomes(system: TaggedSystem, scheduler: Scheduler) -> dict[End, Fraction]:
    """How likely a run is to end in *fail*, in an impossible state, or otherwise.

    The three are together 1.
    """
    chances = probabilities(system, scheduler)
    impossible = Fraction(0)
    for name, state in system.states.items():
        if state.status == "impossible":
            impossible += chances[name]
    return {
        "fail": chances[FAIL],
        "impossible": impossible,
        "end": 1 - chances[FAIL] - impossible,
    }


def runs(system: TaggedSystem, scheduler: Scheduler) -> Iterator[Run]:
    """All runs of positive probability, each to where nothing moves; depth first."""
    path = (system.initial,)
    start = Run(path, (), Fraction(1), "end")
    todo = [start]
    while todo:
        run = todo.pop()
        last = run.states[-1]
        state = system.states.get(last)
        move = move_at(state, scheduler) if state else None
        if move is None:
            end = _end(state)
            yield Run(run.states, run.actions, run.probability, end)
        else:
            # The last one put there is the first one taken.
            longer = list(_continued(run, move))
            todo += reversed(longer)


def _end(state: State | None) -> End:
    """How a run ends that has come to a state without a move; None is *fail*."""
    if state is None:
        return "fail"
    if state.status == "impossible":
        return "impossible"
    return "end"


def _continued(run: Run, move: Transition) -> Iterator[Run]:
    """A run with one more step, for each branch that can be taken."""
    for branch in move.branches:
        if branch.probability:
            yield Run(
                (*run.states, branch.target),
                (*run.actions, move.action),
                run.probability * branch.probability,
                "end",
            )
