"""The formulas of a policy, read before any data are known: syntax, columns, agents,
arguments of criteria.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from phverify.errors import InputError, Problem, Problems
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import (
    SAFETY,
    Unfit,
    arguments,
    is_known,
    params,
)
from phverify.spec.marks import marked
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.policy import PlainPolicy
from phverify.spec.signature import Attribute, Signature
from phverify.spec.source import Names
from phverify.spec.types import TEXT


def formulas(policy: PlainPolicy) -> Iterator[tuple[str, str]]:
    """All formulas of a policy with the place where each stands."""
    for who, secrets in policy.secrets.items():
        for secret in secrets:
            yield f"{policy.source}, secrets.{who}", secret.text
    for name, text in policy.assumptions.items():
        yield f"{policy.source}, assumptions.{name}", text
    for name, text in policy.rules.items():
        yield f"{policy.source}, rules.{name}", text


def columns_used(policy: PlainPolicy) -> Names:
    """The columns beside the quasi-identifiers that some formula looks at.

    What cannot be read looks at all of them: what is wrong with it is told elsewhere.
    """
    others = (*policy.sensitive, *policy.neutral)
    used: set[str] = set()
    for where, text in formulas(policy):
        try:
            formula = parse(text, where)
        except InputError:
            return others
        for node in s.subformulas(formula):
            used |= _columns_of(node, policy)
    return tuple(name for name in others if name in used)


def _columns_of(node: s.Formula, policy: PlainPolicy) -> set[str]:
    """The columns that a part of a formula speaks of itself."""
    if isinstance(node, s.Descriptor):
        return {node.attribute}
    if isinstance(node, s.Quantified):
        return {binder.attribute or "" for binder in node.binders}
    if isinstance(node, s.Criterion):
        given = {*node.args, *(text for _, text in node.named)}
        named = given & set(policy.columns)
        if is_known(node.name) and _has_column(node.name):
            return named
        # One without a column may be about all sensitive ones.
        return named | set(policy.sensitive)
    return set()


def _has_column(criterion: str) -> bool:
    """Whether a criterion is about a column that is named."""
    return any(param.kind == "attribute" for param in params(criterion))


def read_formula(
    text: str, signature: Signature, where: str
) -> tuple[s.Formula, Problems]:
    """A formula with its names looked up, and what is wrong with it."""
    try:
        return resolve(parse(text, where), signature, where, text)
    except InputError as error:
        problems = [_quoting(problem, text, signature) for problem in error.problems]
        # a formula that asks nothing: what else is wrong is told, too
        return s.TRUE, problems


def _quoting(problem: Problem, text: str, signature: Signature) -> Problem:
    """A problem of a formula that cannot be read; a column whose name is no plain word,
    and stands there without quotes, is named.
    """
    for name in signature.attributes:
        plain = re.fullmatch(r"\w+", name)
        if plain is None and re.search(rf"(?<!')\b{re.escape(name)}", text):
            hint = f"{problem.hint}\nthe column stands in single quotes: '{name}'"
            return replace(problem, hint=hint)
    return problem


def check_formulas(policy: PlainPolicy) -> Iterator[Problem]:
    """What is wrong with the formulas whatever the data."""
    attributes = {}
    for name in policy.columns:
        kind = policy.types.get(name, TEXT)
        # any value may occur: the data are not known yet
        attributes[name] = Attribute(name, kind, (), any_value=True)
    agents = ("a0", "a1", *policy.agents)
    signature = Signature(
        attributes, agents, 0, sensitive=policy.sensitive, anyone=True
    )
    # a formula that several people share is wrong once
    distinct = dict.fromkeys(formulas(policy))
    for where, text in distinct:
        formula, problems = read_formula(text, signature, where)
        yield from problems
        yield from check_criteria(formula, signature, where, text)


def check_criteria(
    formula: s.Formula, signature: Signature, where: str, text: str
) -> Iterator[Problem]:
    """Criteria that do not exist, or whose arguments do not fit; none belongs into a
    secret.
    """
    in_rule = ", rules." in where
    for node in s.subformulas(formula):
        if not isinstance(node, s.Criterion):
            continue
        try:
            arguments(node, signature.attributes)
        except Unfit as error:
            yield marked(text, node.span, str(error), where, error.hint)
        if node.name in SAFETY and not in_rule:
            what = f"{node.name} is about secrets and belongs into a rule"
            yield marked(text, node.span, what, where)

    for node in misplaced(formula, in_rule):
        what = (
            "never_known(..) is about all models at once: it stands at the top of a"
            " rule, below forall and & only"
        )
        yield marked(text, node.span, what, where, "write it as a rule of its own")


def misplaced(formula: s.Formula, top: bool) -> Iterator[s.Formula]:
    """Where never_known stands below anything but ``forall`` and ``&``; ``top`` if it
    may stand here.
    """
    # below anything else it could be denied, or asked of one world alone
    below = False
    match formula:
        case s.And() | s.Quantified(True):
            below = top
        case s.NeverKnown() | s.Criterion("never_known"):
            if not top:
                yield formula
    for child in s.children(formula):
        yield from misplaced(child, below)
