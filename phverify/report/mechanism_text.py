"""The privacy loss of a mechanism as lines of plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from phverify.errors import printable
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.mechanism import Probability
from phverify.mechanisms.privacy import Breach
from phverify.mechanisms.result import MechanismReport
from phverify.mechanisms.written import as_decimals, has_long, named
from phverify.report.verify_text import MARKS
from phverify.rounded import LONG, significant
from phverify.words import plural

Lines = list[str]
DIGITS = 6
"""Digits of a probability that is too long to be shown exactly."""
MOST = 40
"""Digits that are tried to tell two probabilities apart."""


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
    exact = as_decimals(str(least.exact))
    if has_long(exact):
        # Nobody reads it; JSON has it.
        return f"least epsilon: {enclosed}"
    if least.exact.logs:
        return f"least epsilon: {exact}, {enclosed}"
    return f"least epsilon: {exact}"


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
    larger, smaller = _both(*forced)
    least = report.least
    output, first, second = map(named, (least.output, least.first, least.second))
    where = f"output {output} has probability {larger} for input {first}"
    yield f"  forced by: {where}, {smaller} for input {second}"
    distance = report.distance
    if distance != 1:
        yield f"    these two inputs are at distance {named(distance)}"


def _both(larger: Probability, smaller: Probability) -> tuple[str, str]:
    """Two different probabilities with so many digits that they are shown so."""
    for digits in range(DIGITS, MOST):
        shown = probability_text(larger, digits), probability_text(smaller, digits)
        if shown[0] != shown[1]:
            return shown
    return str(larger), str(smaller)


def probability_text(probability: Probability, digits: int = DIGITS) -> str:
    """A probability exactly where that is short, else with its first digits."""
    exact = probability.rational()
    if exact is not None:
        return _first_digits(exact, digits)
    try:
        low, _ = probability.enclosure(digits + 4)
    except ArithmeticError:
        # e^(10^40) has no decimals that anybody could read
        return str(probability)
    # rounded down: with .. behind them all digits shown are right
    scaled = math.floor(low * 10**digits)
    if scaled <= 0:
        return f"less than 0.{2:0{digits}d}"
    return f"0.{scaled:0{digits}d}.."


def _first_digits(exact: Fraction, digits: int) -> str:
    """A fraction as it is where it is short, as its decimal where that is, else with
    its first digits.
    """
    short = as_decimals(str(exact))
    if len(short) <= LONG:
        return short
    begun = significant(exact, digits, to=math.floor)
    if Fraction(begun) == exact:
        return begun
    return f"{begun}.."


def verdict_lines(report: MechanismReport) -> Iterator[str]:
    """Whether a given epsilon is enough."""
    if report.verdict is None:
        return
    yield ""
    mark = f"{MARKS[report.verdict]}  epsilon {level_text(report.bound)}"
    if report.verdict == "proved":
        yield f"{mark} is enough for {compared_scope(report)}"
    elif report.verdict == "refuted":
        yield f"{mark} is not enough for {compared_scope(report)}"
        if report.breach is not None:
            yield f"  {_inequality(report.breach)}"
    else:
        yield f"{mark}: {report.reason}"


def level_text(level: Epsilon | None) -> str:
    """A privacy level: nothing is rounded, as a verdict is about this one."""
    return as_decimals(str(level))


def _inequality(breach: Breach) -> str:
    """What is not so for a privacy level, with probabilities as they can be read."""
    there = f"Pr[M({named(breach.first)}) = {named(breach.output)}]"
    here = f"Pr[M({named(breach.second)}) = {named(breach.other)}]"
    larger, smaller = _both(breach.larger, breach.smaller)
    inequality = f"{larger} > e^({level_text(breach.bound)}) * {smaller}"
    return f"{there} = {inequality}, where {smaller} = {here}"
