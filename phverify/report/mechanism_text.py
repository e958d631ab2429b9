"""The privacy loss of a mechanism as lines of plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from phverify.errors import printable
from phverify.mechanisms.mechanism import Probability
from phverify.mechanisms.result import MechanismReport
from phverify.report.verify_text import MARKS
from phverify.words import plural

Lines = list[str]


def to_lines(report: MechanismReport) -> Lines:
    """The report as text; the verdict on an epsilon is the first word of its line."""
    lines = [*head_lines(report), *_least(report), *verdict_lines(report)]
    return [printable(line) for line in lines]


def head_lines(report: MechanismReport) -> Iterator[str]:
    """What was compared."""
    loaded = report.loaded
    inputs = plural(len(loaded.mechanism.inputs), "input")
    outputs = plural(len(loaded.mechanism.outputs), "output")
    yield f"{loaded.source}: {inputs}, {outputs}"
    if loaded.adjacency is None:
        yield "  every pair of inputs is compared (local differential privacy)"
    else:
        yield f"  {compared_scope(report)} compared; of other pairs nothing is claimed"


def compared_scope(report: MechanismReport) -> str:
    """The pairs of inputs that the answer is about."""
    adjacency = report.loaded.adjacency
    if adjacency is None:
        return "every pair of inputs"
    return f"{plural(len(adjacency.distances), 'declared pair')} of inputs"


def _least(report: MechanismReport) -> Iterator[str]:
    """The least epsilon, and the pair and output that force it."""
    yield f"  {least_line(report)}"
    yield from forced_lines(report)


def least_line(report: MechanismReport) -> str:
    """The least epsilon in words."""
    least = report.least
    if least is None:
        return f"least epsilon: not settled, {report.reason}"
    if not least.finite:
        return "least epsilon: infinite, no finite epsilon is enough"
    if least.first is None:
        return f"least epsilon: 0, {_nothing_told(report)}"
    low, high = least.decimals()
    enclosed = f"between {low} and {high}"
    if least.exact is None:
        return f"least epsilon: {enclosed}"
    if least.exact.logs:
        return f"least epsilon: {least.exact}, {enclosed}"
    return f"least epsilon: {least.exact}"


def _nothing_told(report: MechanismReport) -> str:
    """What an epsilon of 0 means for the pairs that were compared."""
    if report.loaded.adjacency is None:
        return "the output says nothing about the input"
    return "no output tells the inputs of a declared pair apart"


def forced_lines(report: MechanismReport) -> Iterator[str]:
    """Which two probabilities no smaller epsilon allows."""
    forced = report.forced_by
    if report.least is None or forced is None:
        return
    larger, smaller = map(_shown, forced)
    least = report.least
    where = f"output {least.output} has probability {larger} for input"
    against = f"{smaller} for input {least.second}"
    yield f"  forced by: {where} {least.first}, {against}"
    distance = report.distance
    if distance != 1:
        yield f"    these two inputs are at distance {distance}"


def _shown(probability: Probability) -> str:
    """A probability exactly where it is rational, else with its first digits."""
    exact = probability.rational()
    if exact is not None:
        return str(exact)
    try:
        low, _ = probability.enclosure(10)
    except ArithmeticError:
        # e^(10^40) has no decimals that anybody could read
        return str(probability)
    # rounded down: with .. behind them all digits shown are right
    millionths = math.floor(low * 10**6)
    if millionths <= 0:
        return "less than 0.000002"
    return f"0.{millionths:06d}.."


def verdict_lines(report: MechanismReport) -> Iterator[str]:
    """Whether a given epsilon is enough."""
    if report.verdict is None:
        return
    yield ""
    mark = f"{MARKS[report.verdict]}  epsilon {report.bound}"
    if report.verdict == "proved":
        yield f"{mark} is enough for {compared_scope(report)}"
    elif report.verdict == "refuted":
        yield f"{mark} is not enough for {compared_scope(report)}"
        if report.breach is not None:
            yield f"  {report.breach}"
    else:
        yield f"{mark}: {report.reason}"
