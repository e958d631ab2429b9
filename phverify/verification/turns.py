"""Whose turn it is: rules that counting decides go first, and no rule takes the time of
all.

Each rule gets an equal share of what is left; what it does not use goes to the others.
Rules whose share was too short take further turns for as long as there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phverify.budget import Deadline
from phverify.policy.bound_formulas import Rule
from phverify.spec import syntax as s
from phverify.verification.result import RuleResult

TICK = 0.02
"""Seconds before the end of a share from which on it counts as used up."""

Decide = Callable[[Rule, Deadline], RuleResult]


def in_turns(
    rules: Sequence[Rule],
    deadline: Deadline,
    decide: Decide,
    results: dict[str, RuleResult],
) -> None:
    """Puts into ``results`` the result of each rule, by name, as soon as it is final.

    Whoever interrupts it finds there what is decided until then.
    """
    # Counting is quick: these rules come first and take no turn of the solver.
    counted: list[Rule] = []
    asked: list[Rule] = []
    for rule in rules:
        if decided_by_counting(rule.expanded):
            counted.append(rule)
        else:
            asked.append(rule)
    waiting = [*counted, *asked]
    while waiting:
        waiting = _round(waiting, deadline, decide, results)


def _round(
    waiting: Sequence[Rule],
    deadline: Deadline,
    decide: Decide,
    results: dict[str, RuleResult],
) -> list[Rule]:
    """One turn for each rule; those that would need a longer one, if there is time."""
    unfinished: dict[str, tuple[Rule, RuleResult]] = {}
    for position, rule in enumerate(waiting):
        part = share(deadline, len(waiting) - position)
        result = decide(rule, part)
        if result.verdict == "undecided" and part is not deadline and used_up(part):
            unfinished[rule.name] = rule, result
        else:
            results[rule.name] = result

    if unfinished and not used_up(deadline):
        return [rule for rule, _ in unfinished.values()]
    for name, (_, result) in unfinished.items():
        results[name] = result
    return []


def share(deadline: Deadline, among: int) -> Deadline:
    """The part of the time left that one of so many rules gets; the budget that is told
    is the whole one.
    """
    left = deadline.left()
    # The very object, not a copy: whoever has the whole gets no second turn.
    if left is None or among == 1:
        return deadline
    return Deadline(left / among, deadline.seconds)


def used_up(share: Deadline) -> bool:
    """Whether a share of the time is over, or as good as over."""
    left = share.left()
    return left is not None and left <= TICK


def decided_by_counting(formula: s.Formula) -> bool:
    """Whether a rule says of everywhere, or of everyone's place, what names nobody.

    Without assumptions no solver is needed for such a rule.
    """
    match formula:
        case s.And(parts):
            return all(map(decided_by_counting, parts))
        case s.Quantified(True, _, body):
            return decided_by_counting(body)
        case s.At(_, body):
            return _counted_in_cells(body)
    return _counted_in_cells(formula)


def _counted_in_cells(formula: s.Formula) -> bool:
    """Whether a formula is ground once its schemas over values are written out."""
    for node in s.subformulas(formula):
        if isinstance(node, s.At | s.Nominal | s.Chosen | s.NeverKnown):
            return False
    return True
