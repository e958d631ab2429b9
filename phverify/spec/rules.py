"""What a policy says of a table: rules and assumptions with their names looked up, each
variable bound once.

Criteria have their arguments by name and in one form, and those about individuals are
written out.
"""

from __future__ import annotations

from phverify.errors import InputError
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments
from phverify.spec.data import Data, PlainPolicy
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import apart
from phverify.spec.source import Refused, presentable, shortened


def rule(policy: PlainPolicy, data: Data, name: str) -> s.Formula:
    """A rule of the policy.  Raises Refused, also for one with ``never_known``."""
    if name in policy.rules:
        read(policy.rules[name])
    return rule_of_any_kind(policy, data, name)


def rule_of_any_kind(policy: PlainPolicy, data: Data, name: str) -> s.Formula:
    """A rule of the policy, which may be about all models at once.  Raises Refused."""
    if name not in policy.rules:
        raise Refused(f"the policy has no rule {name!r}")
    # Whether the rule asks for secrets or not: each must be a formula.
    texts = {text: read(text) for own in policy.secrets.values() for text, _ in own}
    # From the policy's text: of the certificate's words about it nothing is taken.
    formula = looked_up(parsed(policy.rules[name]), data, in_rule=True)
    asking = about_people(formula)
    if asking:
        from phverify.spec.safety import with_secrets

        def secret(_: str, text: str) -> s.Formula:
            return looked_up(texts[text], data)

        formula = with_secrets(formula, asking[0].name, policy, data, secret)
    # Each schema a variable of its own: bodies are moved without capturing one.
    return apart(formula)


def assumption(policy: PlainPolicy, data: Data, name: str) -> s.Formula:
    """An assumption of the policy.  Raises Refused."""
    if name not in policy.assumptions:
        raise Refused(f"the policy has no assumption {name!r}")
    text = policy.assumptions[name]
    formula = looked_up(read(text), data)
    return apart(formula)


def read(text: str) -> s.Formula:
    """The formula of a text.  Raises Refused for a text that is none, holds a number
    that is too long, or asks of all models at once.
    """
    formula = parsed(text)
    of_one_model(formula)
    return formula


def of_one_model(formula: s.Formula) -> None:
    """Raises Refused for a formula with ``never_known``.

    Read as any other, it would be about one model instead of all.
    """
    for node in s.subformulas(formula):
        by_name = isinstance(node, s.Criterion) and node.name == "never_known"
        if by_name or isinstance(node, s.NeverKnown):
            raise Refused("certificates do not cover never_known")


def parsed(text: str) -> s.Formula:
    """The formula of a text, whatever it asks of.  Raises Refused."""
    try:
        formula = parse(text)
    except InputError as error:
        raise Refused(f"no formula: {shortened(error.problems[0].what, 200)}") from None
    for node in s.subformulas(formula):
        if isinstance(node, s.Compare):
            _short(node.left)
            _short(node.right)
    return formula


def _short(side: s.Linear) -> None:
    """Raises Unsettled when a number has too many digits to be shown."""
    for number in (side.constant, *(factor for factor, _ in side.terms)):
        presentable(number)
    for _, quantity in side.terms:
        if isinstance(quantity, s.Abs):
            _short(quantity.body)


def looked_up(formula: s.Formula, data: Data, in_rule: bool = False) -> s.Formula:
    """The formula with its names looked up.  Raises Refused for a name that means
    nothing here.
    """
    resolved, problems = resolve(formula, data.signature, "", "")
    if problems:
        raise Refused(
            "; ".join(problem.what.partition(": ")[2] for problem in problems)
        )

    def typed(node: s.Formula) -> s.Formula:
        if isinstance(node, s.Criterion):
            return named_arguments(node, data)
        return s.rebuild(node, typed)

    complete = typed(resolved)
    if in_rule:
        return complete
    misplaced = about_people(complete)
    if misplaced:
        raise Refused(f"there is no place for {misplaced[0].name} outside rules")
    return complete


def named_arguments(node: s.Criterion, data: Data) -> s.Criterion:
    """The criterion with all its arguments by name, each in one form.  Raises Refused
    when they do not fit.
    """
    try:
        values = arguments(node, data.columns)
    except Unfit as error:
        raise Refused(str(error)) from None
    return s.Criterion(
        node.name,
        (),
        tuple((name, str(value)) for name, value in values.items()),
        span=node.span,
    )


# Criteria about individuals


def about_people(formula: s.Formula) -> list[s.Criterion]:
    """The criteria in a formula that speak about individuals."""
    return [
        node
        for node in s.subformulas(formula)
        if isinstance(node, s.Criterion) and node.name in SAFETY
    ]
