"""What can be said of a formula by looking at its nodes."""

from __future__ import annotations

from phverify.spec import syntax as s

CONNECTIVES = (s.Not, s.And, s.Or, s.Implies, s.Iff)
PLAIN = (s.Truth, s.Descriptor, s.Chosen, *CONNECTIVES)
NAMING = (s.Nominal, s.At, s.Chosen, s.Quantified, s.NeverKnown)
Way = tuple[s.Formula, bool]
"""A formula and the truth that it is wanted to have."""


def agents(node: s.Formula) -> list[s.Agent]:
    """The agents that a node itself asks, not those below it."""
    if isinstance(node, s.Diamond | s.Box):
        return [node.agent]
    if isinstance(node, s.Compare):
        return [
            term.agent
            for side in (node.left, node.right)
            for term in s.likelihoods(side)
        ]
    return []


def is_ground(formula: s.Formula) -> bool:
    """Whether a formula names no individual and has no variable left: its truth depends
    on the cell alone.
    """
    return not any(
        isinstance(node, NAMING) or has_variable(node)
        for node in s.subformulas(formula)
    )


def has_variable(node: s.Formula) -> bool:
    """Whether a node itself has a variable for a value or an agent."""
    if isinstance(node, s.Descriptor):
        return any(isinstance(value, s.Var) for value in node.values)
    return any(isinstance(agent, s.Var) for agent in agents(node))


def is_global(formula: s.Formula) -> bool:
    """Whether the truth of a formula is the same at all worlds, because it speaks of
    named places only.

    Every agent of a release takes some world for possible, so that ``[a] phi`` says no
    more than a global phi.
    """
    # Below ``@i`` it is i's place that counts, wherever the formula is asked.
    if isinstance(formula, s.Truth | s.At):
        return True
    inward = isinstance(formula, (*CONNECTIVES, s.Quantified, s.Diamond, s.Box))
    return inward and all(map(is_global, s.children(formula)))


def plain(formula: s.Formula) -> bool:
    """Only descriptors, chosen clauses, truth and connectives."""
    nodes = s.subformulas(formula)
    return all(isinstance(node, PLAIN) for node in nodes)


def propositional(formula: s.Formula) -> bool:
    """Plain, and without variables."""
    return plain(formula) and is_ground(formula)


def classwise(formula: s.Formula) -> bool:
    """Whether a local formula is true at all worlds of a class or at none."""
    # Local formulas ask a1, whose cell is the class, and a0, who tells no rows apart.
    if isinstance(formula, s.Truth | s.Diamond | s.Box | s.Compare | s.Criterion):
        return True
    # The rows of a class may differ in their values.
    if isinstance(formula, s.Descriptor | s.Chosen):
        return False
    return all(map(classwise, s.children(formula)))


def juncts(
    formula: s.Formula, wanted: bool = True
) -> tuple[bool, tuple[Way, ...]] | None:
    """How a formula gets the wanted truth by connectives: all of these (True), or one
    of these (False).

    None where it is no such connective.
    """
    match formula:
        case s.Not(body):
            return True, ((body, not wanted),)
        case s.And(parts) | s.Or(parts):
            return isinstance(formula, s.And) == wanted, tuple(
                (part, wanted) for part in parts
            )
        case s.Implies(left, right):
            return not wanted, ((left, not wanted), (right, wanted))
    return None


def stated(formula: s.Formula, wanted: bool) -> s.Formula:
    """The formula that says that another has the wanted truth."""
    if wanted:
        return formula
    return s.Not(formula)
