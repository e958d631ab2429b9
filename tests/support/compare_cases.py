"""What the tests of compare have in common."""

from __future__ import annotations

import itertools
from fractions import Fraction

import phverify as ph
from support import oracle
from support.agreement_cases import looked_up, signature
from support.oracle import Row, Test, valid
from support.strategies import AGENTS, QUASI

F = Fraction


CRITERIA: dict[str, Test] = {
    "k_anonymity(1)": oracle.k_anonymous(1),
    "k_anonymity(2)": oracle.k_anonymous(2),
    "k_anonymity(3)": oracle.k_anonymous(3),
    "k_anonymity(4)": oracle.k_anonymous(4),
    "alpha_k_anonymity(s, 1/2, 1)": oracle.alpha_k(F(1, 2), 1),
    "alpha_k_anonymity(s, 2/3, 2)": oracle.alpha_k(F(2, 3), 2),
    "alpha_k_anonymity(s, 2/5, 1)": oracle.alpha_k(F(2, 5), 1),
    "l_diversity(s, 1)": oracle.distinct(1),
    "l_diversity(s, 2)": oracle.distinct(2),
    "l_diversity(s, 3)": oracle.distinct(3),
    "l_diversity(s, 4)": oracle.distinct(4),
    "recursive_l_diversity(s, 1, 2)": oracle.recursive(F(1), 2),
    "recursive_l_diversity(s, 2, 2)": oracle.recursive(F(2), 2),
    "recursive_l_diversity(s, 2, 3)": oracle.recursive(F(2), 3),
    "recursive_l_diversity(s, 1/2, 1)": oracle.recursive(F(1, 2), 1),
    "entropy_l_diversity(s, 1)": oracle.entropy(F(1)),
    "entropy_l_diversity(s, 2)": oracle.entropy(F(2)),
    "entropy_l_diversity(s, 2.5)": oracle.entropy(F(5, 2)),
    "entropy_l_diversity(s, 3)": oracle.entropy(F(3)),
    "t_closeness(s, 0)": oracle.variational(F(0)),
    "t_closeness(s, 1/4)": oracle.variational(F(1, 4)),
    "t_closeness(s, 1/3)": oracle.variational(F(1, 3)),
    "t_closeness(s, 1)": oracle.variational(F(1)),
    "delta_disclosure(s, 1)": oracle.delta(F(1)),
    "delta_disclosure(s, 1/2)": oracle.delta(F(1, 2)),
    "delta_disclosure(s, 3/2, absent=ignored)": oracle.delta(F(3, 2), True),
    "delta_disclosure(s, 1, absent=ignored)": oracle.delta(F(1), True),
    "beta_likeness(s, 0)": oracle.beta(F(0)),
    "beta_likeness(s, 1/2)": oracle.beta(F(1, 2)),
    "beta_likeness(s, 1)": oracle.beta(F(1)),
    "enhanced_beta_likeness(s, 1/2)": oracle.enhanced(F(1, 2)),
    "enhanced_beta_likeness(s, 1)": oracle.enhanced(F(1)),
    "average_benefit(s, 0)": oracle.benefit(F(0)),
    "average_benefit(s, 1/4)": oracle.benefit(F(1, 4)),
    "average_benefit(s, 1/2)": oracle.benefit(F(1, 2)),
}


PAIRS = list(itertools.permutations(CRITERIA, 2))


def policy(
    rules: dict[str, str], assumptions: dict[str, str] | None = None
) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"]},
            "types": {"g": "integer"},
            "agents": {"half": ["q"]},
            "assumptions": assumptions or {},
            "rules": rules,
        }
    )


def holds(rows: list[Row], rules: list[str]) -> bool:
    return all(
        valid(rows, AGENTS, signature(rows), looked_up(text, rows)) for text in rules
    )
