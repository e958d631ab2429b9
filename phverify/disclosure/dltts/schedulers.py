"""Runs of a DLTTS under schedulers, with exact probabilities.

A scheduler resolves nondeterminism: it names the action at each state that has several.
It must move where there is a move (otherwise stopping at once would always be the
safest run).  Schedulers that remember the run, or toss coins, do not change the least
and greatest probability of violation: these are attained by a choice for each state
(backward induction on an acyclic system; Segala 1995).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from phverify.disclosure.dltts.system import FAIL, State, System, Transition
from phverify.errors import nearest, refusal

Scheduler = Mapping[str, str]
"""State -> action, for the states that have several."""
End = Literal["fail", "impossible", "end"]


@dataclass(frozen=True)
class Run:
    """States from the initial one to where nothing moves, the actions between them, and
    the run's probability.
    """

    states: tuple[str, ...]
    actions: tuple[str, ...]
    probability: Fraction
    end: End

    def __str__(self) -> str:
        steps = "".join(
            f" -{a}-> {s}" for a, s in zip(self.actions, self.states[1:], strict=True)
        )
        return f"{self.states[0]}{steps}  ({self.probability})"


@dataclass(frozen=True)
class Violation:
    """The probability of violation over all schedulers, schedulers that attain both
    ends, and the likeliest run.

    Where states are undecided, ``least`` counts them as open and ``most`` as violated:
    the truth lies between. ``likeliest`` is the violating run with the greatest
    probability under any scheduler; None when there is none.
    """

    least: Fraction
    most: Fraction
    safest: Scheduler
    worst: Scheduler
    likeliest: Run | None


def violation(system: System) -> Violation:
    """Least and greatest probability of reaching *fail*, exactly."""
    least, safest = _extreme(system, -1)
    most, worst = _extreme(system, 1)
    return Violation(least, most, safest, worst, likeliest(system))


def _extreme(system: System, way: int) -> tuple[Fraction, dict[str, str]]:
    """Backward induction: the value of a state is its best move's mean over the
    branches; ``way`` 1 or -1.
    """
    values: dict[str, Fraction] = {FAIL: Fraction(1)}
    chosen: dict[str, str] = {}
    for name, state in reversed(list(system.states.items())):
        means = [
            sum((b.probability * values[b.target] for b in m.branches), Fraction(0))
            for m in state.moves
        ]
        best = (max if way > 0 else min)(means, default=Fraction(0))
        values[name] = Fraction(1) if way > 0 and state.status == "undecided" else best
        if len(means) > 1:
            chosen[name] = state.moves[means.index(best)].action
    return values[system.initial], chosen


def likeliest(system: System) -> Run | None:
    """The violating run with the greatest probability under any scheduler (the first of
    several); None if none.
    """
    best: dict[str, Run] = {FAIL: Run((FAIL,), (), Fraction(1), "fail")}
    for name, state in reversed(list(system.states.items())):
        for move in state.moves:
            for branch in move.branches:
                tail = best.get(branch.target)
                chance = branch.probability * tail.probability if tail else Fraction(0)
                if tail and chance > (best[name].probability if name in best else 0):
                    best[name] = Run(
                        (name, *tail.states),
                        (move.action, *tail.actions),
                        chance,
                        "fail",
                    )
    return best.get(system.initial)


def move_at(state: State, scheduler: Scheduler) -> Transition | None:
    """The transition that fires at a state: at most one.

    Raises InputError when the scheduler names none of several moves, or one that the
    state does not have.
    """
    action = scheduler.get(state.name)
    if not state.moves or (len(state.moves) == 1 and action is None):
        return state.moves[0] if state.moves else None
    move = next((move for move in state.moves if move.action == action), None)
    if move is None and state.status in ("open", "undecided"):
        what = (
            "does not say what fires"
            if action is None
            else f"names the action {action!r}"
        )
        hint = nearest(action or "", (m.action for m in state.moves), "actions there")
        raise refusal(f"scheduler, state {state.name!r}", what, hint)
    return move or state.moves[0]  # the oracle's move is not the scheduler's to choose


def probabilities(system: System, scheduler: Scheduler) -> dict[str, Fraction]:
    """How likely each state is to be visited (the formulas of its tag carry the same
    probability), and *fail*.
    """
    found = dict.fromkeys((*system.states, FAIL), Fraction(0))
    found[system.initial] = Fraction(1)
    for name, state in system.states.items():
        move = move_at(state, scheduler) if found[name] else None
        for branch in move.branches if move else ():
            found[branch.target] += found[name] * branch.probability
    return found


def outcomes(system: System, scheduler: Scheduler) -> dict[End, Fraction]:
    """How likely a run is to end in *fail*, in an impossible state, or otherwise;
    together 1.
    """
    found = probabilities(system, scheduler)
    impossible = sum(
        (found[n] for n, s in system.states.items() if s.status == "impossible"),
        Fraction(0),
    )
    return {
        "fail": found[FAIL],
        "impossible": impossible,
        "end": 1 - found[FAIL] - impossible,
    }


def runs(system: System, scheduler: Scheduler) -> Iterator[Run]:
    """All runs of positive probability, from the initial state to where nothing moves;
    depth first.
    """
    todo = [Run((system.initial,), (), Fraction(1), "end")]
    while todo:
        run = todo.pop()
        state = system.states.get(run.states[-1])
        move = move_at(state, scheduler) if state else None
        if move is None:
            end: End = (
                "fail"
                if state is None
                else "impossible"
                if state.status == "impossible"
                else "end"
            )
            yield Run(run.states, run.actions, run.probability, end)
        for b in reversed(move.branches if move else ()):
            if b.probability:
                actions = (*run.actions, move.action if move else "")
                todo.append(
                    Run(
                        (*run.states, b.target),
                        actions,
                        run.probability * b.probability,
                        "end",
                    )
                )
