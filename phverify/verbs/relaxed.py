"""Where nothing satisfies a policy: how far one number of one rule has to give way.

What satisfies a rule satisfies it for each less strict number, whatever is withheld: so
the numbers that work are found by bisection, each decided by a search of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from phverify.errors import BudgetExceeded
from phverify.generalization.alternatives import RelaxedRule
from phverify.generalization.loop import LeastSearch
from phverify.policy.model import Policy
from phverify.spec.criterion.registry import given, params
from phverify.spec.source import rational
from phverify.verbs.varied import TRADED, VariedRule, each_varied

FINENESS = Fraction(1, 1000)
"""Numbers that need not be whole are multiples of it."""
INTERRUPTED = "interrupted"
Searching = Callable[[Policy], LeastSearch]
"""A search for another policy, all else the same."""


def relaxed_rules(policy: Policy, searching: Searching) -> Iterator[RelaxedRule]:
    """For each rule with a k, l or t the strictest number that works, all else kept.

    The policy as it is has no release.
    """
    for rule in each_varied(policy):
        if rule.parameter not in TRADED:
            continue
        found = _GivingWay(rule, searching).answer()
        yield found
        if found.reason == INTERRUPTED:
            return


class _Open(Exception):
    """It is not known whether there is a release; the text says why."""


@dataclass(frozen=True, eq=False)
class _GivingWay:
    rule: VariedRule
    searching: Searching

    def answer(self) -> RelaxedRule:
        """The strictest number that works, and the least strict that does not."""
        rule, parameter = self.rule, self.rule.parameter
        asked = rational(given(rule.node)[parameter])
        [param] = [one for one in params(rule.node.name) if one.name == parameter]
        whole = param.kind == "whole"
        found = RelaxedRule(
            rule=rule.name,
            criterion=rule.node.name,
            parameter=parameter,
            whole=whole,
            asked=asked,
            works=None,
            fails=asked,
        )
        step = Fraction(1) if whole else FINENESS
        # Numbers in steps: at 1 no k and l asks for anything, and no t either.
        good, bad = 1 / step, asked / step
        # Beside the number asked for, which does not work, on its strict side.
        bad = Fraction(ceil(bad) if rule.upwards else floor(bad))
        if (bad <= good) if rule.upwards else (bad >= good):
            return found
        try:
            if not self.feasible(good * step):
                return found
            found = replace(found, works=good * step)
            while abs(good - bad) > 1:
                middle = Fraction((good + bad) // 2)
                if self.feasible(middle * step):
                    good = middle
                    found = replace(found, works=good * step)
                else:
                    bad = middle
                    found = replace(found, fails=bad * step)
        except _Open as error:
            return replace(found, reason=str(error))
        return found

    def feasible(self, value: Fraction) -> bool:
        """Whether there is a release for the policy with this number.  Raises _Open."""
        try:
            search = self.searching(self.rule.policy_at(value))
            # Most often the most general candidate tells.
            if search.refuter.examine(search.space.top()).status == "fits":
                return True
            if search.least() is not None:
                return True
        except KeyboardInterrupt:
            raise _Open(INTERRUPTED) from None
        except BudgetExceeded as error:
            raise _Open(str(error)) from None
        notes = [search.stopped, *(note for _, note in search.undecided)]
        if reason := next(filter(None, notes), ""):
            raise _Open(reason)
        return False
