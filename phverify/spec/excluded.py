"""A candidate that the certificate of a search excludes: it breaks the policy whichever
classes are withheld, or costs too much where withheld records are charged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.posed import Claim
from phverify.spec.rules import rule
from phverify.spec.schemes import Clause, Truth
from phverify.spec.withholding import Chosen, ways

if TYPE_CHECKING:
    from phverify.spec.minimal import Minimality


def excluded(checked: Minimality, claim: Claim) -> Clause:
    """The clause of a candidate that is excluded, alone or with all that is as general.

    Raises Refused.
    """
    candidate = checked.space.candidate(claim["choice"])
    if claim["kind"] == "dear":
        return checked.charges.dear(candidate)
    witnesses = claim["witnesses"]
    said = [frozenset(map(tuple, one["withheld"])) for one in witnesses]
    # Each way once: a witness for one of them says nothing of the others.
    if Counter(ways_of(checked, candidate)) != Counter(said):
        raise Refused(
            "a candidate that the certificate excludes is not refuted in every way"
            " to withhold classes"
        )
    for witness in witnesses:
        _refuted(checked, candidate, witness)
    return checked.space.differs(candidate)


def ways_of(checked: Minimality, candidate: Truth) -> Iterator[Chosen]:
    """The sets of classes of a candidate that could be withheld: for less than the
    least cost, where withheld records are charged.  Raises Refused.
    """
    if checked.priced:
        return checked.charges.cheaper_ways(candidate)
    return ways(checked.violations, candidate)


def _refuted(checked: Minimality, candidate: Truth, said: Claim) -> None:
    """Raises Refused unless a rule is false in what is released.

    The classes that are said to be withheld are.
    """
    withheld = checked.violations.withheld(candidate, said["withheld"])
    data = checked.release(candidate, withheld)
    judged = checked.judged(data, {"assumptions": [], "rules": []})
    if "witness" not in said:
        # With records withheld nobody may be left to meet the assumptions.
        judged.proved("that the assumptions exclude each other", s.FALSE)
        return

    from phverify.spec.witness import refuted

    if said["rule"] not in checked.given.policy.rules:
        raise Refused(f"the policy has no rule {said['rule']!r}")
    formula = rule(checked.given.policy, data, said["rule"])
    refuted(formula, said["witness"], judged.given, judged.table)
