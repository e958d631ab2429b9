"""What the searches of a tradeoff answer, and for which other numbers their releases
may be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from phverify.budget import Deadline, Tell
from phverify.errors import BudgetExceeded, InputError
from phverify.generalization.result import SearchResult
from phverify.microdata.quotient import quotient
from phverify.policy.model import Policy
from phverify.recoding.result import RecodingResult
from phverify.spec.released import by_number
from phverify.verbs.verify import verify

Answer = SearchResult | RecodingResult


@dataclass(frozen=True)
class AnswersBeside:
    """The nearest answers to a less strict and to a stricter number; None without."""

    laxer: Answer | None
    stricter: Answer | None


Search = Callable[[Policy, float | None, Tell, AnswersBeside], Answer]
"""A search for a policy, in so many seconds, which starts with what others know."""


def satisfies(answer: Answer, policy: Policy, deadline: Deadline) -> bool:
    """Whether every rule of another number's policy is proved of a release."""
    if answer.suppressed and by_number(policy):
        # Among the released records individuals have other numbers.
        return False
    # What is grouped in other ways is not along the hierarchies.
    others = {}
    for name, source in policy.hierarchies.items():
        if name not in policy.quasi:
            others[name] = source
    with _read_once(answer) as release:
        verdict = _verdict(release, policy, deadline)
        if not verdict:
            verdict = _verdict(release, replace(policy, hierarchies=others), deadline)
    return verdict == "proved"


def smallest_class(answer: Answer | None) -> int | None:
    """The records of the smallest released class; None where rows are not here."""
    if not isinstance(answer, SearchResult):
        return None
    judged = answer.judged
    if judged is None or judged.elsewhere is not None or not judged.rows:
        return None
    quasi = tuple(answer.mapping)
    counted = quotient(judged.columns, quasi, (), judged.rows)
    return int(counted.sizes.min())


def _verdict(release: Any, policy: Policy, deadline: Deadline) -> str:
    """What is known of all rules of a release; "" where it cannot be judged."""
    try:
        return verify(release, policy, budget=deadline).verdict
    except (InputError, BudgetExceeded):
        return ""


@contextmanager
def _read_once(answer: Answer) -> Iterator[Any]:
    """A release as ``verify`` reads it: as it was judged, where its rows are here."""
    judged = answer.judged if isinstance(answer, SearchResult) else None
    if judged is not None and judged.elsewhere is None:
        yield judged
        return
    with answer.kept() as release:
        yield release
