"""What a policy leaves unsaid, seen from its text alone: columns and agents that no
rule mentions, idle operators.
"""

from __future__ import annotations

from collections.abc import Iterator

from phverify.logic.printer import to_text
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY
from phverify.spec.parser import parse
from phverify.spec.spaces import attributes
from phverify.spec.walk import agents, is_global


def protects(rule: s.Formula) -> bool:
    """Whether a rule is about the secrets as such, by its kind.  A new kind of rule
    that protects is named here.
    """
    match rule:
        case s.And(parts):
            return any(map(protects, parts))
        case s.Quantified(True, _, s.NeverKnown()) | s.NeverKnown():
            return True
        case s.Criterion(name):
            return name in SAFETY
    return False


def read_rules(policy: Policy) -> dict[str, s.Formula]:
    return {name: parse(text, f"rules.{name}") for name, text in policy.rules.items()}


def uncovered(policy: Policy) -> Iterator[str]:
    """The sensitive columns that no rule mentions, nor a secret that some rule
    protects.
    """
    rules = read_rules(policy)
    formulas = list(rules.values())
    if any(map(protects, formulas)):
        formulas += [
            parse(secret.text) for found in policy.secrets.values() for secret in found
        ]
    mentioned = {name for formula in formulas for name in attributes(formula)}
    yield from (name for name in policy.sensitive if name not in mentioned)


def unused(policy: Policy) -> Iterator[str]:
    """The agents that nothing mentions."""
    formulas = [
        *read_rules(policy).values(),
        *(parse(text) for text in policy.assumptions.values()),
    ]
    nodes = [node for formula in formulas for node in s.subformulas(formula)]
    if any(
        isinstance(node, s.Quantified) and any(b.sort == "agents" for b in node.binders)
        for node in nodes
    ):
        return
    heard = {agent for node in nodes for agent in agents(node)}
    yield from (name for name in policy.agents if name not in heard)


def idle(formula: s.Formula) -> Iterator[tuple[str, str]]:
    """Operators that say nothing where they stand, and why.

    What is said of named people (``@i ..``) has one truth value in each model, whatever
    an agent takes for possible.
    """
    for node in s.subformulas(formula):
        match node:
            case s.Box(agent, body) | s.Diamond(agent, body) if is_global(body):
                mark = (
                    f"[{_said(agent)}]"
                    if isinstance(node, s.Box)
                    else f"<{_said(agent)}>"
                )
                yield f"{mark} says nothing before {to_text(body)}", _ONE_TRUTH
            case s.Compare(left, _, right):
                for term in (*s.likelihoods(left), *s.likelihoods(right)):
                    if is_global(term.body):
                        yield (
                            (
                                f"l_{_said(term.agent)}({to_text(term.body)}) is 0 or 1"
                                " and no probability"
                            ),
                            _ONE_TRUTH,
                        )
            case s.At(_, body) if is_global(body):
                yield (
                    f"the first @ of {to_text(node)} says nothing",
                    "what follows does not depend on a place",
                )
            case s.Quantified(_, binders, body):
                for binder in binders:
                    if (
                        s.substitute(body, {binder.var.name: _OTHER[binder.sort]})
                        == body
                    ):
                        yield (
                            (
                                f"{binder.var.name} is bound and not used in"
                                f" {to_text(node)}"
                            ),
                            "it says nothing",
                        )


_ONE_TRUTH = (
    "what is said of a named person has one truth value in each model, that is, it does"
    " not depend on what an agent knows: write @i ~[a1] phi for 'nobody knows that i"
    " has phi'"
)
_OTHER: dict[str, s.Reference | s.Operand | str | s.Formula] = {
    "individuals": s.Var("!"),
    "values": s.Var("!"),
    "agents": "!",
    "clauses": s.TRUE,
}


def _said(agent: s.Agent) -> str:
    return agent if isinstance(agent, str) else agent.name
