"""Tradeoffs: all points of a curve, against its slowest number searched by itself.

Each number is searched by itself first, from nothing: that says what each point must
be.  Ratios are of whole calls in a warm process, and of whole commands.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness import Bench, medians, policy_file, process
from questions import Question, Searched

import phverify
from phverify import Policy

AGAIN = 3
"""Numbers that are searched for again: those that took longest."""
RUNS = 5
"""Of what takes milliseconds."""
WRITTEN = {"l": ", 3", "t": ", 0.2"}
"""How questions.py writes the number of a rule that varies."""
LIMITS = {"in a process": 2.0, "as a command": 1.5}
"""So many times its slowest number a curve may take."""


@dataclass(frozen=True)
class Curve:
    """A question of which a number varies."""

    question: Question
    parameter: str
    numbers: tuple[str, ...]
    objective: str = "loss"
    space: str = "levels"

    @property
    def key(self) -> str:
        question = self.question
        rule = question.rule and f"_{question.rule}"
        withheld = "_withheld" if question.share != "0" else ""
        space = "" if self.space == "levels" else f".{self.space}"
        return f"tradeoff{space}.{self.parameter}{rule}{withheld}.{self.objective}"

    @property
    def said(self) -> str:
        first, last = self.numbers[0], self.numbers[-1]
        varies = f"{self.parameter} = {first}..{last} ({len(self.numbers)} numbers)"
        return f"{self.space}, {varies} of {self.question.said}, by {self.objective}"

    @property
    def asked(self) -> dict[str, Any]:
        """What a search is asked for, beside its policy."""
        return {
            "objective": self.objective,
            "space": self.space,
            "suppress": self.question.share,
        }

    def policy(self, data: Searched, number: str) -> dict[str, Any]:
        """The policy with one of the numbers."""
        question = self.question
        if self.parameter == "k":
            return data.policy(replace(question, k=int(number)))
        policy = data.policy(question)
        rules = policy["rules"]
        own = WRITTEN[self.parameter]
        rules[question.rule] = rules[question.rule].replace(own, f", {number}")
        return policy


KS = tuple(map(str, range(2, 101)))
FEWER = tuple(map(str, range(2, 21)))
LS = ("1.5", "2", "2.5", "3", "4", "5", "6", "8")
TS = ("0.6", "0.5", "0.45", "0.4", "0.35", "0.3", "0.25", "0.2", "0.15", "0.1")
CURVES = (
    Curve(Question(), "k", KS),
    Curve(Question(5, "", "0.05"), "k", KS),
    Curve(Question(5, "l", "0.05"), "k", KS),
    Curve(Question(5, "", "0.05"), "k", KS, "height"),
    Curve(Question(5, "variational"), "t", TS),
    Curve(Question(5, "original"), "t", TS),
    Curve(Question(5, "original", "0.05"), "t", TS),
    Curve(Question(5, "entropy", "0.05"), "l", LS),
    Curve(Question(), "k", FEWER, space="subtrees"),
)


def curves(bench: Bench, data: Searched, folder: Path) -> None:
    """Each curve, in a process and as a command."""
    for curve in CURVES:
        # Numbers of t and of entropy are chosen for Adult.
        if data.name == "adult" or curve.parameter == "k":
            _curve(bench, data, curve, folder)


def _curve(bench: Bench, data: Searched, curve: Curve, folder: Path) -> None:
    alone, costs = {}, {}
    for number in curve.numbers:
        alone[number], result = _used(_search(data, curve, number))
        costs[number] = result.verdict, result.cost, result.suppressed
    # One search alone may have been disturbed: those that took longest again.
    longest = sorted(alone, key=alone.__getitem__)[-AGAIN:]
    again = {n: _median(_search(data, curve, n)) for n in longest}
    slowest = max(again, key=again.__getitem__)

    whole = _tradeoff(data, curve)
    found = whole()
    points = {}
    for point, number in zip(found.points, curve.numbers, strict=True):
        points[number] = point.verdict, point.cost, point.suppressed
    assert points == costs, curve
    spent = _median(whole)

    key, said = f"{data.name}.{curve.key}", f"{data.name}, {curve.said}"
    bench.add(key, f"{said}: CPU of all points", spent)
    bench.add(f"{key}.slowest", "  of the slowest number by itself", again[slowest])
    bench.add(
        f"{key}.ratio",
        "  all points / the slowest, in a process",
        spent / again[slowest],
        "x",
        LIMITS["in a process"],
    )
    bench.add(f"{key}.sum", "  of all numbers, each by itself", sum(alone.values()))
    all_points, one = _commands(data, curve, slowest, folder)
    bench.add(f"{key}.command", "  phverify search --tradeoff, wall", all_points)
    bench.add(
        f"{key}.command_ratio",
        "  all points / the slowest, as commands",
        all_points / one,
        "x",
        LIMITS["as a command"],
    )


def _search(data: Searched, curve: Curve, number: str) -> Callable[[], Any]:
    """The search for one number by itself."""
    policy = Policy.from_dict(curve.policy(data, number))
    return lambda: phverify.search(data.raw, policy, **curve.asked)


def _tradeoff(data: Searched, curve: Curve) -> Callable[[], Any]:
    """All numbers."""
    policy = Policy.from_dict(curve.policy(data, curve.numbers[0]))
    asked = {curve.parameter: ",".join(curve.numbers), **curve.asked}
    return lambda: phverify.tradeoff(data.raw, policy, **asked)


def _used(action: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU that an action takes, and what it returns."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def _median(action: Callable[[], Any]) -> float:
    spent = [_used(action)[0] for _ in range(RUNS)]
    return statistics.median(spent)


def _commands(
    data: Searched, curve: Curve, slowest: str, folder: Path
) -> tuple[float, float]:
    """The seconds of the command for all points, and of that for the slowest one."""
    policy = policy_file(curve.policy(data, slowest), folder / "curve.toml")
    own: Sequence[object] = ["search", data.csv, "--policy", policy]
    more = [f"--{name}={value}" for name, value in curve.asked.items()]
    listed = ",".join(curve.numbers)
    varied = f"--tradeoff={curve.parameter}={listed}"
    both = [[*own, *more, varied], [*own, *more]]
    whole, one = medians(RUNS, *[_command(each, folder) for each in both])
    return whole, one


def _command(arguments: Sequence[object], folder: Path) -> Callable[[], None]:
    return lambda: process(arguments, "optimal", folder)
