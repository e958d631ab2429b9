"""A report of an audit as a transition system with tags: plain data and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from phverify.disclosure.connectives import Proposition
from phverify.disclosure.dltts import drawing, picture, trace
from phverify.disclosure.dltts.knowledge import TRUE, Atom, Tag
from phverify.disclosure.dltts.schedulers import (
    Run,
    ViolationBounds,
    probabilities,
    violation,
)
from phverify.disclosure.dltts.system import State, TaggedSystem, Transition
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import AuditReport
from phverify.report.audit_json import hidden
from phverify.words import plural

Json = dict[str, Any]
HIDDEN = "(hidden)"


@dataclass(frozen=True)
class LogSystem:
    """An audited log as a transition system with tags (DLTTS), ready to be shown.

    ``distances`` says how far each state is from the nearest secret, ``probabilities``
    how likely it is to be visited; ``violation`` bounds the probability that a secret
    follows.  The queries of a log have one answer each, so that the probabilities are
    1, and 0 or 1 where the audit left a state undecided.
    """

    system: TaggedSystem
    distances: Mapping[str, Fraction | None]
    probabilities: Mapping[str, Fraction]
    violation: ViolationBounds

    def dot(self) -> str:
        """The picture for Graphviz; InputError where there are too many states."""
        # Without any distance (redacted) none is written.
        distances = self.distances or None
        return picture.dot(self.system, distances, self.probabilities)

    def svg(self) -> str:
        """The picture as SVG; InputError where there are too many states."""
        distances = self.distances or None
        return drawing.svg(self.system, distances, self.probabilities)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_dict(self) -> Json:
        """The system as plain data, with the whole tag of every state."""
        return {
            "initial": self.system.initial,
            "policy": _texts(self.system.policy),
            "states": [self._state(state) for state in self.system.states.values()],
            "violation": {
                "least": str(self.violation.least),
                "most": str(self.violation.most),
                "run": _run(self.violation.likeliest),
            },
        }

    def __str__(self) -> str:
        """One line: how many states there are, and whether a secret follows."""
        states = plural(len(self.system.states), "state")
        least = self.violation.least
        most = self.violation.most
        chance = str(least)
        if least < most:
            chance = f"{least} to {most}"
        return f"{states}, a protected fact follows with probability {chance}"

    def __repr__(self) -> str:
        return f"LogSystem({self})"

    def _state(self, state: State) -> Json:
        """A state; of its tag what was said, and what follows beside it."""
        # the tag is part of what follows from it
        deduced = state.saturated - state.tag
        distance = self.distances.get(state.name)
        return {
            "name": state.name,
            "status": state.status,
            "tag": _texts(state.tag),
            "follows": _texts(deduced),
            "secrets": _texts(state.saturated & self.system.policy),
            "distance": None if distance is None else str(distance),
            "probability": str(self.probabilities[state.name]),
            "moves": [_move(move) for move in state.moves],
        }


def traced(
    report: AuditReport, fact: ProtectedFact | None = None, redact: bool = False
) -> LogSystem:
    """A log as a system; the policy is one protected fact, or all of them.

    ``redact`` leaves out the values of answers and of secrets, and what follows of
    other cells, as the other forms of a report do.
    """
    system = trace.system(report, fact)
    distances = trace.distances(report, fact)
    if redact:
        secrets = trace.secrets(report, fact)
        system = _redacted(system, secrets)
        # a distance says how many values are left
        distances = {}
    visited = probabilities(system, {})
    bounds = violation(system)
    return LogSystem(system, distances, visited, bounds)


def _redacted(
    system: TaggedSystem, secrets: Mapping[Atom, ProtectedFact]
) -> TaggedSystem:
    """The system with formulas that name no value."""
    # a secret's name says what is protected, not what it is
    names = {formula: Atom(hidden(fact)) for formula, fact in secrets.items()}
    states = {}
    for name, state in system.states.items():
        # The branches hold the answers, too.
        moves = tuple(map(_silent, state.moves))
        states[name] = replace(
            state,
            tag=_nameless(state.tag, names),
            saturated=_nameless(state.saturated, names),
            moves=moves,
        )
    policy = frozenset(names.values())
    return TaggedSystem(system.initial, states, policy)


def _nameless(tag: Tag, names: Mapping[Atom, Atom]) -> Tag:
    """Secrets by their names, answers by their numbers; of other cells nothing."""
    formulas: set[Proposition] = set()
    for formula in tag:
        if formula == TRUE:
            formulas.add(formula)
        elif isinstance(formula, Atom) and formula in names:
            formulas.add(names[formula])
        elif isinstance(formula, trace.QueryAnswer):
            number = formula.arguments[0]
            silent = trace.QueryAnswer("answer", (number, HIDDEN))
            formulas.add(silent)
    return frozenset(formulas)


def _silent(move: Transition) -> Transition:
    """A move whose branches do not say what was answered."""
    branches = tuple(replace(branch, answer=frozenset()) for branch in move.branches)
    return replace(move, branches=branches)


def _texts(formulas: Iterable[Proposition]) -> list[str]:
    return sorted(map(str, formulas))


def _move(move: Transition) -> Json:
    """A query, and the distribution of the states that it leads to."""
    branches = [
        {"state": branch.target, "probability": str(branch.probability)}
        for branch in move.branches
    ]
    return {"action": move.action, "branches": branches}


def _run(run: Run | None) -> Json | None:
    """The likeliest run to a violation, if there is one."""
    if run is None:
        return None
    return {
        "states": list(run.states),
        "actions": list(run.actions),
        "probability": str(run.probability),
    }
