"""A plan proves something of the two probabilities that its parts name, and of no
others (Definition 14).
"""

from __future__ import annotations

from fractions import Fraction

from support.evidence_oracle import uniform

from phverify.linkage.belief.plans import Plan, PlanPart, check_plan

F = Fraction


def test_a_plan_for_one_guess_proves_no_other() -> None:
    """Each pair of probabilities has the same records; one share alone is another."""
    truth = uniform(0, 1)
    guess = {0: F(1, 4), 1: F(3, 4)}
    parts = (PlanPart((0,), F(1, 2), F(1, 4)), PlanPart((1,), F(1, 2), F(3, 4)))
    plan = Plan(parts, (F(1, 4), F(1, 2)), {(0, 1): F(1, 4)})
    assert check_plan(plan, guess, truth)
    assert not check_plan(plan, truth, truth)
    assert not check_plan(plan, {0: F(1, 5), 1: F(4, 5)}, truth)
    assert not check_plan(plan, guess, {0: F(1, 3), 1: F(2, 3)})
