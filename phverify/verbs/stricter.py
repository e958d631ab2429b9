"""Stricter policies, whose releases a search is offered that ends before it knows the
least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice, takewhile

from phverify.budget import Deadline
from phverify.generalization.loop import LeastSearch
from phverify.generalization.offered import StricterSearches
from phverify.policy.model import Policy
from phverify.spec.criterion.registry import given
from phverify.spec.source import rational
from phverify.verbs.varied import VariedRule, each_varied

STEPS = (1, 2, 5)
"""Numbers of a ladder are these times powers of ten, and their inverses: the same ones
for all policies.
"""
RUNGS = 4
"""So many stricter numbers are searched for each number of the policy."""
Searching = Callable[[Policy, Fraction, Deadline], LeastSearch]
"""Prepares the search for a policy and a share of records that may be withheld."""


def stricter_searches(
    policy: Policy, share: Fraction, rows: int, searching: Searching
) -> StricterSearches:
    """A ladder for each number by which a rule becomes stricter, and one for the share
    of the rows that may be withheld: where fewer may, that is stricter, too.
    """
    # Where fewer may be withheld a search is soon over: the others have its time.
    fewer = [partial(searching, policy, less) for less in _smaller(share, rows)]
    ladders = [tuple(fewer)] if fewer else []
    for rule in each_varied(policy):
        rungs = []
        for value in islice(_stricter(rule), RUNGS):
            rungs.append(partial(_prepared, searching, rule, value, share))
        ladders.append(tuple(rungs))
    return StricterSearches(tuple(ladders))


def _prepared(
    searching: Searching,
    rule: VariedRule,
    value: Fraction,
    share: Fraction,
    limit: Deadline,
) -> LeastSearch:
    """The search with another number in a rule: most are never asked for."""
    return searching(rule.policy_at(value), share, limit)


def _stricter(rule: VariedRule) -> Iterator[Fraction]:
    """The numbers of the ladder that are stricter than the rule's, the next one
    first.
    """
    asked = rational(given(rule.node)[rule.parameter])
    return _above(asked) if rule.upwards else _below(asked)


def _smaller(share: Fraction, rows: int) -> Iterator[Fraction]:
    """Shares of the ladder below one, as long as they are of some record."""
    if share * rows < 1:
        return
    for value in islice(_below(share), RUNGS):
        yield value
        if value * rows < 1:
            return


def _above(asked: Fraction) -> Iterator[Fraction]:
    """The numbers of the ladder above one, upwards."""
    return (value for value in _ladder() if value > asked)


def _below(asked: Fraction) -> Iterator[Fraction]:
    """The numbers of the ladder below one, and then their inverses; none below 0."""
    if asked <= 0:
        return
    whole = takewhile(lambda value: value < asked, _ladder())
    yield from reversed([*whole])
    # 1 is its own inverse.
    inverses = (1 / value for value in _ladder() if value > 1)
    yield from (value for value in inverses if value < asked)


def _ladder() -> Iterator[Fraction]:
    """1, 2, 5, 10, 20, .."""
    power = Fraction(1)
    while True:
        for step in STEPS:
            yield step * power
        power *= 10
