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
    """The rules of a policy, parsed."""
    rules: dict[str, s.Formula] = {}
    for name, text in policy.rules.items():
        rules[name] = parse(text, f"rules.{name}")
    return rules


def uncovered(policy: Policy) -> Iterator[str]:
    """The sensitive columns that no rule mentions, nor a secret that some rule
    protects.
    """
    rules = read_rules(policy)
    formulas = list(rules.values())
    if any(map(protects, formulas)):
        for secrets in policy.secrets.values():
            formulas += [parse(secret.text) for secret in secrets]
    mentioned: set[str] = set()
    for formula in formulas:
        mentioned.update(attributes(formula))
    for name in policy.sensitive:
        if name not in mentioned:
            yield name


def unused(policy: Policy) -> Iterator[str]:
    """The agents that nothing mentions."""
    formulas = list(read_rules(policy).values())
    formulas += map(parse, policy.assumptions.values())
    heard: set[s.Agent] = set()
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Quantified):
                sorts = [binder.sort for binder in node.binders]
                if "agents" in sorts:
                    # a schema over agents mentions them all
                    return
            heard.update(agents(node))
    for name in policy.agents:
        if name not in heard:
            yield name


def idle(formula: s.Formula) -> Iterator[tuple[str, str]]:
    """Operators that say nothing where they stand, and why.

    What is said of named people (``@i ..``) has one truth value in each model, whatever
    an agent takes for possible.
    """
    for node in s.subformulas(formula):
        match node:
            case s.Box(agent, body) | s.Diamond(agent, body) if is_global(body):
                who = _agent(agent)
                mark = f"[{who}]" if isinstance(node, s.Box) else f"<{who}>"
                after = to_text(body)
                said = f"{mark} says nothing before {after}"
                yield said, _ONE_TRUTH
            case s.Compare():
                yield from _idle_likelihoods(node)
            case s.At(_, body) if is_global(body):
                whole = to_text(node)
                said = f"the first @ of {whole} says nothing"
                yield said, "what follows does not depend on a place"
            case s.Quantified():
                yield from _idle_binders(node)


def _idle_likelihoods(node: s.Compare) -> Iterator[tuple[str, str]]:
    """Likelihoods of what is said of named people: 0 or 1."""
    for term in (*s.likelihoods(node.left), *s.likelihoods(node.right)):
        if is_global(term.body):
            likelihood = f"l_{_agent(term.agent)}({to_text(term.body)})"
            yield f"{likelihood} is 0 or 1 and no probability", _ONE_TRUTH


def _idle_binders(node: s.Quantified) -> Iterator[tuple[str, str]]:
    """Variables that the body of a schema does not use."""
    for binder in node.binders:
        name = binder.var.name
        other = _OTHER[binder.sort]
        elsewhere = s.substitute(node.body, {name: other})
        if elsewhere == node.body:
            whole = to_text(node)
            said = f"{name} is bound and not used in {whole}"
            yield said, "it says nothing"


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


def _agent(agent: s.Agent) -> str:
    """How an agent, or a variable for one, is written."""
    if isinstance(agent, str):
        return agent
    return agent.name
