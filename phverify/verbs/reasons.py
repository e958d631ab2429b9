"""What ``search`` says beside its answer: why nothing finer does, and what would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from phverify.budget import Deadline
from phverify.generalization.alternatives import minimal_candidate
from phverify.generalization.explanation import explained
from phverify.generalization.loop import LeastSearch
from phverify.generalization.options import Options
from phverify.generalization.result import SearchResult
from phverify.policy.model import Policy
from phverify.verbs.relaxed import relaxed_rules
from phverify.verification.run import shown_as

PATIENCE = 60.0
"""Seconds for finding how far rules have to give way."""
LEAST = 1.0
UNEXPLAINED = "interrupted: the answer is not explained"
Searching = Callable[[Policy, Deadline], LeastSearch]


def with_reasons(
    result: SearchResult, search: LeastSearch, options: Options, searching: Searching
) -> SearchResult:
    """The answer of a search with its minimal candidates, and explained if asked for.

    ``searching`` prepares the same search for another policy.
    """
    explored = result.explored
    candidates = []
    if options.all_minimal and explored is not None:
        for fitting in explored.minimal:
            levels = search.space.levels(fitting.candidate)
            assert levels is not None
            price = search.price(fitting)
            one = minimal_candidate(fitting, levels, price)
            candidates.append(one)
    result = replace(result, candidates=tuple(candidates))
    if not options.explain:
        return result
    try:
        return _explained(result, search, options, searching)
    except KeyboardInterrupt:
        # It stands without its reasons.
        return replace(result, warnings=(*result.warnings, UNEXPLAINED))


def _explained(
    result: SearchResult, search: LeastSearch, options: Options, searching: Searching
) -> SearchResult:
    """The answer with what ``--explain`` asks for."""
    explored = result.explored
    policy = search.refuter.judge.policy
    if explored is not None and explored.best is not None:
        style = shown_as(policy, options.redact)
        explanation = explained(search, explored.best, style)
        return replace(result, explanation=explanation)
    if result.verdict != "infeasible":
        return result
    deadline = search.deadline.within(PATIENCE).at_least(LEAST)
    relaxed = relaxed_rules(policy, lambda other: searching(other, deadline))
    return replace(result, relaxed=tuple(relaxed))
