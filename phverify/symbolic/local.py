"""Which rules are about single classes, so that a class can be judged by itself."""

from __future__ import annotations

from collections.abc import Collection

from phverify.spec import syntax as s
from phverify.spec.criterion.asked import alone, subjects
from phverify.spec.criterion.registry import CRITERIA
from phverify.spec.walk import CONNECTIVES, agents, plain


def local(formula: s.Formula, quasi: Collection[str]) -> bool:
    """Whether a rule says of each class something that depends on its rows and on fixed
    totals of the table alone.

    It may use descriptors of columns outside ``quasi``, what a1 knows, what a0 knows of
    such descriptors, criteria of classes, schemas over values and clauses, and ``forall
    i: @i`` before all this.
    """
    return _rule(formula, frozenset(quasi), frozenset())


def _rule(formula: s.Formula, quasi: frozenset[str], people: frozenset[str]) -> bool:
    """The top of a rule, where it must be valid: everyone's place is any place."""
    match formula:
        case s.And(parts):
            return all(_rule(part, quasi, people) for part in parts)
        case s.Quantified(True, binders, body):
            own = {b.var.name for b in binders}
            individuals = {b.var.name for b in binders if b.sort == "individuals"}
            others = tuple(b for b in binders if b.sort != "individuals")
            # an inner binder hides a person of the same name
            everybody = (people - own) | individuals
            return _ranges(others, quasi) and _rule(body, quasi, everybody)
        case s.At(s.Var(name), body) if name in people:
            return _world(body, quasi)
    return _world(formula, quasi)


def _world(formula: s.Formula, quasi: frozenset[str]) -> bool:
    """Below the top: no one is named."""
    match formula:
        case s.Truth() | s.Chosen():
            return True
        case s.Descriptor(name):
            return name not in quasi
        case s.Quantified(_, binders, body):
            return _ranges(binders, quasi) and _world(body, quasi)
        case s.Diamond(agent, body) | s.Box(agent, body):
            return _knows(agent, body, quasi)
        case s.Compare(left, _, right):
            terms = (*s.likelihoods(left), *s.likelihoods(right))
            return all(_knows(term.agent, term.body, quasi) for term in terms)
        case s.Criterion():
            return formula.name in CRITERIA and not set(subjects(formula)) & quasi
    return isinstance(formula, CONNECTIVES) and all(
        _world(child, quasi) for child in s.children(formula)
    )


def _knows(agent: s.Agent, body: s.Formula, quasi: frozenset[str]) -> bool:
    nameless = _world(body, quasi)
    if agent == "a0":  # it sees the whole table: only descriptors stay what they are
        return plain(body) and nameless
    return agent == "a1" and nameless


def _ranges(binders: s.Binders, quasi: frozenset[str]) -> bool:
    for binder in binders:
        if binder.sort not in ("values", "clauses") or binder.attribute in quasi:
            return False
    return True


def needs_whole(formula: s.Formula) -> bool:
    """Whether the truth of a rule in a class may change when rows of other classes are
    withheld.
    """
    for node in s.subformulas(formula):
        if isinstance(node, s.Criterion) and not alone(node):
            return True
        # withholding may take the last row of a value: the schema loses an instance
        if isinstance(node, s.Quantified) and any(
            b.sort != "individuals" for b in node.binders
        ):
            return True
        # a1 sees its class alone, the others the rest of the table, too
        if any(agent != "a1" for agent in agents(node)):
            return True
    return False
