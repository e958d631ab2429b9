"""Agents with partial knowledge: one type for PH(@) (agents a0, a1, ..) and for
re-identification (attackers).
"""

from __future__ import annotations

from dataclasses import dataclass

from phverify.policy.model import Policy
from phverify.spec.source import Names


@dataclass(frozen=True)
class Agent:
    """Somebody who knows these attributes of everyone, and nothing else.

    In PH(@) the rows that agree in them are one cell for the agent (Definition 7); as
    an attacker, the agent links a released record with the originals that it can come
    from as far as these attributes tell (Torra and Stokes, Example 9).
    """

    name: str
    knows: Names


def agents(policy: Policy) -> tuple[Agent, ...]:
    """All agents of a policy: a0 (knows nothing), a1 (knows all quasi-identifiers), and
    those that it names.
    """
    knowing_nothing = Agent("a0", ())
    knowing_all = Agent("a1", policy.quasi)
    named = [Agent(name, knows) for name, knows in policy.agents.items()]
    return knowing_nothing, knowing_all, *named
