"""``mechanism``: the least epsilon of a mechanism, and whether one is enough."""

from __future__ import annotations

from typing import Any

from phverify.errors import BudgetExceeded, Defect, refusal
from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.least import Least, least
from phverify.mechanisms.loading import LoadedMechanism, MechanismSource, load
from phverify.mechanisms.privacy import (
    Level,
    PrivacyAnswer,
    checked,
    local_privacy,
    private,
)
from phverify.mechanisms.result import MechanismReport
from phverify.result import Status
from phverify.spec.source import shortened

DIGITS = 10
MOST_DIGITS = 1000
LONGEST = 1000
"""Characters of a given epsilon."""


def mechanism(
    source: MechanismSource,
    epsilon: Level | None = None,
    *,
    adjacent: Any = None,
    digits: int = DIGITS,
) -> MechanismReport:
    """The least epsilon of a mechanism, what forces it, and whether ``epsilon`` is
    enough.

    ``source`` is a CSV table of probabilities, a TOML file, or rows of exact numbers as
    nested dictionaries.  Every pair of inputs is compared (local differential privacy),
    or those of ``adjacent``: pairs of inputs, with a distance where it is not 1.
    ``digits`` are those of the enclosure behind the decimal point.

    Raises InputError with all problems of the input.
    """
    level = _level(epsilon)
    # To Python True is the number 1.
    whole = isinstance(digits, int) and not isinstance(digits, bool)
    if not whole or not 1 <= digits <= MOST_DIGITS:
        what = f"is a whole number from 1 to {MOST_DIGITS}, not {digits!r}"
        raise refusal("digits", what)
    loaded = load(source, adjacent)

    reason = ""
    smallest: Least | None = None
    try:
        # How much is least and whether a level is enough are decided apart: each checks
        # the other.
        smallest = least(loaded.mechanism, loaded.adjacency, digits)
    except BudgetExceeded as error:
        reason = f"the least epsilon: {error}"
    if level is None:
        return MechanismReport(loaded, smallest, reason=reason)

    answer = _answer(loaded, level)
    verdict = _agreed(answer, None if smallest is None else _judged(smallest, level))
    if verdict == "undecided":
        reason = answer.reason
    return MechanismReport(loaded, smallest, level, verdict, answer.breach, reason)


def _level(epsilon: Level | None) -> Epsilon | None:
    """The given epsilon, where there is one.  Raises InputError."""
    if epsilon is None:
        return None
    # Before any arithmetic: powers with such exponents have no end.
    if isinstance(epsilon, str) and len(epsilon) > LONGEST:
        what = f"{shortened(epsilon)} has more than {LONGEST} characters"
        raise refusal("epsilon", what)
    if isinstance(epsilon, bool | float):
        hint = "write it as text: '0.1' is 1/10, and a float is not"
        raise refusal("epsilon", f"{epsilon!r} is no exact number", hint)
    return checked(epsilon)


def _answer(loaded: LoadedMechanism, level: Epsilon) -> PrivacyAnswer:
    """The definition itself, asked of every pair and output."""
    if loaded.adjacency is None:
        return local_privacy(loaded.mechanism, level)
    return private(loaded.mechanism, level, loaded.adjacency)


def _judged(smallest: Least, level: Epsilon) -> Status:
    """Whether a level is enough, read off the least one."""
    if smallest.low is None or smallest.high is None:
        return "refuted"
    if smallest.exact is not None:
        if smallest.exact <= level:
            return "proved"
        return "refuted"
    if Epsilon(smallest.high) <= level:
        return "proved"
    if level < Epsilon(smallest.low):
        return "refuted"
    return "undecided"


def _agreed(answer: PrivacyAnswer, other: Status | None) -> Status:
    """What two roads say: the definition, and the least epsilon.

    Raises Defect when they contradict each other.
    """
    if other in (None, "undecided"):
        return answer.verdict
    if answer.verdict not in ("undecided", other):
        raise Defect(f"the definition says {answer.verdict}, the least epsilon {other}")
    assert other is not None
    return other
