"""All criteria by name, and from the text of their arguments to checked criteria.

Adding a criterion: write a class in this folder (see ``ClassCriterion``) and name it in ``CRITERIA``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from phverify.criteria.anonymity import AlphaKAnonymity, KAnonymity
from phverify.criteria.base import ClassCriterion, Param
from phverify.criteria.closeness import TCloseness
from phverify.criteria.disclosure import AverageBenefit, BetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from phverify.criteria.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from phverify.errors import nearest
from phverify.exact import rational
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec import syntax as s
from phverify.spec.names import Signature
from phverify.spec.safety import Secrets, logical_safety, never_known, weighted_safety

CRITERIA: Mapping[str, type[ClassCriterion]] = {
    kind.name: kind
    for kind in (
        KAnonymity,
        AlphaKAnonymity,
        DistinctDiversity,
        RecursiveDiversity,
        EntropyDiversity,
        TCloseness,
        DeltaDisclosure,
        BetaLikeness,
        EnhancedBetaLikeness,
        AverageBenefit,
    )
}
"""Criteria of classes; those of ``SAFETY`` speak about individuals instead."""

SAFETY: Mapping[str, tuple[Param, ...]] = {
    "logical_safety": (),
    "weighted_safety": (Param("b", "number", "expected seriousness", least=Fraction(0)),),
    "never_known": (),
}


def names() -> list[str]:
    return sorted([*CRITERIA, *SAFETY])


def params(name: str) -> tuple[Param, ...]:
    return CRITERIA[name].params if name in CRITERIA else SAFETY[name]


class Unfit(ValueError):
    """Arguments that do not fit, with a hint."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def usage(name: str) -> str:
    """How a criterion is written: ``t_closeness(f, t, distance=variational)``."""
    shown = [p.name if p.default is None else f"{p.name}={p.default}" for p in params(name)]
    return f"write {name}({', '.join(shown)})"


def build(node: s.Criterion, signature: Signature, hierarchies: Mapping[str, Hierarchy]) -> ClassCriterion:
    """The criterion of classes that a node names.  Raises Unfit when its arguments do not fit."""
    values = arguments(node, signature)
    try:
        return CRITERIA[node.name](**values).prepared(signature, hierarchies)
    except ValueError as error:
        raise Unfit(str(error)) from None


def arguments(node: s.Criterion, signature: Signature) -> dict[str, object]:
    """The arguments by name, of the right types.  Raises Unfit."""
    if node.name not in CRITERIA and node.name not in SAFETY:
        raise Unfit(f"unknown criterion {node.name!r}", nearest(node.name, names(), "criteria"))
    wanted = params(node.name)
    given = dict(zip([p.name for p in wanted], node.args, strict=False)) | dict(node.named)
    if len(node.args) > len(wanted):
        raise Unfit(f"{node.name} takes {len(wanted)} arguments, not {len(node.args)}", usage(node.name))
    keys = [*(p.name for p in wanted[: len(node.args)]), *(name for name, _ in node.named)]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise Unfit(f"{node.name} has {twice[0]} twice", usage(node.name))
    unknown = [name for name, _ in node.named if name not in {p.name for p in wanted}]
    if unknown:
        raise Unfit(f"{node.name} has no argument {unknown[0]!r}", usage(node.name))
    absent = [p.name for p in wanted if p.name not in given and p.default is None]
    if absent:
        raise Unfit(f"{node.name} lacks {', '.join(absent)}", usage(node.name))
    return {p.name: _value(node.name, p, given.get(p.name, p.default or ""), signature) for p in wanted}


def _value(name: str, param: Param, text: str, signature: Signature) -> object:
    if param.kind == "attribute":
        if text not in signature.attributes:
            raise Unfit(f"unknown column {text!r}", nearest(text, signature.attributes, "the policy's columns"))
        return text
    if param.kind == "choice":
        if text not in param.choices:
            raise Unfit(f"{param.name} is one of {', '.join(param.choices)}, not {text!r}", usage(name))
        return text
    return _number(name, param, text)


def _number(name: str, param: Param, text: str) -> Fraction | int:
    try:
        value = rational(text)
    except ValueError:
        raise Unfit(f"{param.name} of {name} is a number ({param.say}), not {text!r}", usage(name)) from None
    if param.least is not None and (value < param.least or (param.strict and value == param.least)):
        sign = ">" if param.strict else ">="
        raise Unfit(f"{param.name} of {name} must be {sign} {param.least}, not {text}", usage(name))
    if param.kind == "whole":
        if value.denominator != 1:
            raise Unfit(f"{param.name} of {name} is a whole number, not {text}", usage(name))
        return int(value)
    return value


def written_out(node: s.Criterion, secrets: Secrets, signature: Signature) -> s.Formula:
    """The formula of a criterion that speaks about individuals.  Raises Unfit."""
    values = arguments(node, signature)
    if node.name == "logical_safety":
        return logical_safety(secrets)
    if node.name == "never_known":
        return never_known(secrets)
    bound = values["b"]
    assert isinstance(bound, Fraction)
    return weighted_safety(secrets, bound)
