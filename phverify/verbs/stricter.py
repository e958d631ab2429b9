"""Stricter policies, whose releases a search is offered that ends before it knows the
least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice

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
Searching = Callable[[Policy, Deadline], LeastSearch]


def stricter_searches(policy: Policy, searching: Searching) -> StricterSearches:
    """A ladder for each k, l or t of the policy's rules; ``searching`` prepares the
    search for another policy.
    """
    ladders = []
    for rule in each_varied(policy):
        rungs = []
        for value in islice(_stricter(rule), RUNGS):
            rungs.append(partial(_prepared, searching, rule, value))
        ladders.append(tuple(rungs))
    return StricterSearches(tuple(ladders))


def _prepared(
    searching: Searching, rule: VariedRule, value: Fraction, limit: Deadline
) -> LeastSearch:
    """The search with another number in a rule: most are never asked for."""
    return searching(rule.policy_at(value), limit)


def _stricter(rule: VariedRule) -> Iterator[Fraction]:
    """The numbers of the ladder that are stricter than the rule's, the next one
    first.
    """
    asked = rational(given(rule.node)[rule.parameter])
    upwards = rule.parameter != "t"
    power = Fraction(1)
    while upwards or asked > 0:
        for step in STEPS:
            value = step * power if upwards else 1 / (step * power)
            if (value > asked) if upwards else (value < asked):
                yield value
        power *= 10
