"""What a policy says of a table: rules and assumptions with their names looked up, each variable bound once.

Criteria have their arguments by name and in one form, and those about individuals are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from phverify.errors import InputError
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY, Unfit, arguments
from phverify.spec.data import Data, Policy
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import apart
from phverify.spec.source import Refused, presentable, shortened


def rule(policy: Policy, data: Data, name: str) -> s.Formula:
    """A rule of the policy.  Raises Refused."""
    if name not in policy.rules:
        raise Refused(f"the policy has no rule {name!r}")
    secrets = {who: [(read(text), weight) for text, weight in own] for who, own in policy.secrets.items()}
    formula = looked_up(read(policy.rules[name]), data, _anywhere)

    def written(node: s.Formula) -> s.Formula:
        if isinstance(node, s.Criterion) and node.name in SAFETY:
            return _safe(node, secrets, data)
        return s.rebuild(node, written)

    return apart(written(formula))


def assumption(policy: Policy, data: Data, name: str) -> s.Formula:
    """An assumption of the policy.  Raises Refused."""
    if name not in policy.assumptions:
        raise Refused(f"the policy has no assumption {name!r}")
    return apart(looked_up(read(policy.assumptions[name]), data))


def read(text: str) -> s.Formula:
    """The formula of a text.  Raises Refused for a text that is none, or holds a number that is too long."""
    try:
        formula = parse(text)
    except InputError as error:
        raise Refused(f"no formula: {shortened(error.problems[0].what, 200)}") from None
    for node in s.subformulas(formula):
        if isinstance(node, s.NeverKnown):
            raise Refused("certificates do not cover never_known")
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


def _anywhere(node: s.Criterion) -> s.Formula:
    return node


def _no_place(node: s.Criterion) -> s.Formula:
    raise Refused(f"there is no place for {node.name} outside rules")


def looked_up(formula: s.Formula, data: Data, safety: Callable[[s.Criterion], s.Formula] = _no_place) -> s.Formula:
    """The formula with its names looked up.  Raises Refused for a name that means nothing here."""
    found, problems = resolve(formula, data.signature, "", "")
    if problems:
        raise Refused("; ".join(problem.what.partition(": ")[2] for problem in problems))

    def typed(node: s.Formula) -> s.Formula:
        if isinstance(node, s.Criterion):
            node = named_arguments(node, data)
            return safety(node) if node.name in SAFETY else node
        return s.rebuild(node, typed)

    return typed(found)


def named_arguments(node: s.Criterion, data: Data) -> s.Criterion:
    """The criterion with all its arguments by name, each in one form.  Raises Refused when they do not fit."""
    if node.name == "never_known":
        raise Refused("certificates do not cover never_known")
    try:
        values = arguments(node, data.columns)
    except Unfit as error:
        raise Refused(str(error)) from None
    return s.Criterion(node.name, (), tuple((name, str(value)) for name, value in values.items()), span=node.span)


# Criteria about individuals


def _safe(node: s.Criterion, written: dict[str, list[tuple[s.Formula, Fraction]]], data: Data) -> s.Formula:
    """Logical or weighted safety as a formula, over secrets of everyone ("*") and of single individuals."""
    from phverify.spec.safety import Secret, Secrets, written_out

    everyone: tuple[Secret, ...] = ()
    personal: dict[s.Person, tuple[Secret, ...]] = {}
    for who, own in written.items():
        secrets = tuple(Secret(looked_up(formula, data), weight) for formula, weight in own)
        if who == "*":
            everyone = secrets
        else:
            person = _owner(who, data)
            personal[person] = (*personal.get(person, ()), *secrets)
    if not everyone and not personal:
        raise Refused(f"there is no secret that {node.name} could be about")
    return written_out(node, Secrets(everyone, personal))


def _owner(who: str, data: Data) -> s.Person:
    """The individual who has secrets; in single quotes, the one of that identifier."""
    quoted = len(who) > 2 and who[0] == who[-1] == "'"
    person = data.signature.find(s.Name(who[1:-1] if quoted else who, quoted))
    if not isinstance(person, s.Person):
        raise Refused(f"there is no individual {who!r}")
    return person
