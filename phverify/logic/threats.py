"""What a rule speaks of, in the terms of data protection: singling out, linkability and
inference (Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques, 2).

Singling out is to isolate somebody's record, linkability to find the records of one
person in two places, inference to deduce the value of an attribute.  A rule speaks of
what it says somebody learns: whose record one is, or what a record has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.source import Names

SINGLING_OUT = "singling out"
LINKABILITY = "linkability"
INFERENCE = "inference"
THREATS = (SINGLING_OUT, LINKABILITY, INFERENCE)
OF_CRITERIA: dict[str, Names] = {
    "k_anonymity": (SINGLING_OUT,),
    "alpha_k_anonymity": (SINGLING_OUT, INFERENCE),
    "p_sensitive_k_anonymity": (SINGLING_OUT, INFERENCE),
    "l_diversity": (INFERENCE,),
    "entropy_l_diversity": (INFERENCE,),
    "recursive_l_diversity": (INFERENCE,),
    "t_closeness": (INFERENCE,),
    "beta_likeness": (INFERENCE,),
    "enhanced_beta_likeness": (INFERENCE,),
    "delta_disclosure": (INFERENCE,),
    "average_benefit": (INFERENCE,),
    "guarded": (INFERENCE,),
    "em_anonymity": (INFERENCE,),
    "logical_safety": (INFERENCE,),
    "weighted_safety": (INFERENCE,),
    "never_known": (INFERENCE,),
}
"""What each criterion's formula speaks of."""
OF_RELEASE = ("a0", "a1")
"""Agents that have the release and what it shows; others have data of their own."""


@dataclass(frozen=True)
class Subject:
    """What a rule speaks of: criteria by name, and threats, in the order of
    ``THREATS``.
    """

    criteria: Names = ()
    threats: Names = ()


def subject_of(formula: s.Formula) -> Subject:
    """What a rule speaks of."""
    criteria: list[str] = []
    found: set[str] = set()
    for node in s.subformulas(formula):
        if isinstance(node, s.Criterion):
            criteria.append(node.name)
            found.update(OF_CRITERIA.get(node.name, ()))
        for agent, body in _learned(node):
            found.update(_threats(agent, body))
    each_once = tuple(dict.fromkeys(criteria))
    in_order = tuple(threat for threat in THREATS if threat in found)
    return Subject(each_once, in_order)


def _learned(node: s.Formula) -> Iterator[tuple[s.Agent, s.Formula]]:
    """Who is said to learn what, by a node itself."""
    match node:
        case s.Box(agent, body) | s.Diamond(agent, body):
            yield agent, body
        case s.NeverKnown(body):
            # Whoever has the release may draw the conclusion.
            yield "a1", body
        case s.Compare(left, _, right):
            for side in (left, right):
                for term in s.likelihoods(side):
                    yield term.agent, term.body


def _threats(agent: s.Agent, body: s.Formula) -> Iterator[str]:
    """What it means to learn such a thing."""
    for node in s.subformulas(body):
        if isinstance(node, s.Descriptor | s.Chosen):
            yield INFERENCE
        if isinstance(node, s.Nominal):
            yield SINGLING_OUT
            # With data of one's own that is to link the two.
            if agent not in OF_RELEASE:
                yield LINKABILITY
