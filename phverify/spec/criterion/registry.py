"""All criteria by name, found in the files of a folder, and from the text of their
arguments to checked criteria.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeVar

from phverify.errors import Defect, nearest
from phverify.spec import criteria as folder
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Column, JointCriterion, Param
from phverify.spec.signature import Signature
from phverify.spec.source import rational
from phverify.spec.wording import many

FILES = {
    info.name: f"{folder.__name__}.{info.name}"
    for info in pkgutil.iter_modules(folder.__path__)
}
"""The module of each criterion: a file of the folder, or of an archive, that is called
as the criterion is.
"""
Sort = TypeVar("Sort")


@cache
def _named(name: str) -> type[Any]:
    """The criterion in the file of its name.  Raises KeyError where there is no such
    file.
    """
    for kind in vars(import_module(FILES[name])).values():
        if inspect.isclass(kind) and vars(kind).get("name") == name:
            return kind
    raise Defect(
        f"the file {name}.py among the criteria has no criterion that is called"
        f" {name!r}, as the file is"
    )


@dataclass(frozen=True)
class Criteria(Mapping[str, type[Sort]]):
    """The criteria of a sort by name; a file is read when its criterion is asked
    for.
    """

    sort: type[Sort]

    def __getitem__(self, name: str) -> type[Sort]:
        kind = _named(name)
        if not issubclass(kind, self.sort):
            raise KeyError(name)
        return kind

    def __iter__(self) -> Iterator[str]:
        return (name for name in FILES if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


CRITERIA = Criteria(ClassCriterion)  # type: ignore[type-abstract]
"""Criteria of classes."""
JOINT = Criteria(JointCriterion)  # type: ignore[type-abstract]
"""Criteria that stand for several, over all sensitive columns."""
SAFETY: Mapping[str, tuple[Param, ...]] = {
    "logical_safety": (),
    "weighted_safety": (
        Param("b", "number", "expected seriousness", least=Fraction(0)),
    ),
    "never_known": (),
}
"""Criteria that speak about individuals."""


def alone(name: str) -> bool:
    """Whether a criterion looks at the class and at nothing else of the table."""
    return name in CRITERIA and CRITERIA[name].alone


def names() -> list[str]:
    return sorted([*FILES, *SAFETY])


def params(name: str) -> tuple[Param, ...]:
    if name in SAFETY:
        return SAFETY[name]
    return CRITERIA[name].params if name in CRITERIA else JOINT[name].params


class Unfit(ValueError):
    """Arguments that do not fit, with a hint."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def usage(name: str) -> str:
    """How a criterion is written: ``t_closeness(f, t, distance=variational)``."""
    shown = [
        p.name if p.default is None else f"{p.name}={p.default}" for p in params(name)
    ]
    return f"write {name}({', '.join(shown)})"


def given(node: s.Criterion) -> dict[str, str]:
    """The arguments of a criterion by name."""
    wanted = params(node.name) if node.name in names() else ()
    return dict(zip([p.name for p in wanted], node.args, strict=False)) | dict(
        node.named
    )


def subjects(node: s.Criterion) -> list[str]:
    """The columns that a criterion is given."""
    found = given(node)
    return [
        found[p.name]
        for p in params(node.name)
        if p.kind == "attribute" and p.name in found
    ]


def arguments(node: s.Criterion, columns: Container[str]) -> dict[str, Any]:
    """The arguments by name, of the right types.  Raises Unfit."""
    name, args, named = node.name, node.args, node.named
    if name not in names():
        raise Unfit(f"unknown criterion {name!r}", nearest(name, names(), "criteria"))
    wanted = params(name)
    texts = dict(zip([p.name for p in wanted], args, strict=False)) | dict(named)
    if len(args) > len(wanted):
        raise Unfit(
            f"{name} takes {many(len(wanted), 'argument')}, not {len(args)}",
            usage(name),
        )
    keys = [*(p.name for p in wanted[: len(args)]), *(key for key, _ in named)]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise Unfit(f"{name} has {twice[0]} twice", usage(name))
    unknown = [key for key, _ in named if key not in {p.name for p in wanted}]
    if unknown:
        raise Unfit(f"{name} has no argument {unknown[0]!r}", usage(name))
    absent = [p.name for p in wanted if p.name not in texts and p.default is None]
    if absent:
        raise Unfit(f"{name} lacks {', '.join(absent)}", usage(name))
    return {
        p.name: _value(name, p, texts.get(p.name, p.default or ""), columns)
        for p in wanted
    }


def _value(name: str, param: Param, text: str, columns: Container[str]) -> object:
    if param.kind == "attribute":
        if text not in columns:
            known = columns if isinstance(columns, Mapping) else ()
            raise Unfit(
                f"unknown column {text!r}", nearest(text, known, "the policy's columns")
            )
        return text
    if param.kind == "choice":
        if text not in param.choices:
            raise Unfit(
                f"{param.name} is one of {', '.join(param.choices)}, not {text!r}",
                usage(name),
            )
        return text
    return text if param.kind == "node" else _number(name, param, text)


def _number(name: str, param: Param, text: str) -> Fraction | int:
    try:
        value = rational(text)
    except ValueError:
        raise Unfit(
            f"{param.name} of {name} is a number ({param.say}), not {text!r}",
            usage(name),
        ) from None
    if param.least is not None and (
        value < param.least or (param.strict and value == param.least)
    ):
        sign = ">" if param.strict else ">="
        raise Unfit(
            f"{param.name} of {name} must be {sign} {param.least}, not {text}",
            usage(name),
        )
    if param.kind == "whole":
        if value.denominator != 1:
            raise Unfit(
                f"{param.name} of {name} is a whole number, not {text}", usage(name)
            )
        return int(value)
    return value


class Everything:
    """Any text as a column."""

    def __contains__(self, name: object) -> bool:
        return True


def unprepared(node: s.Criterion) -> ClassCriterion:
    """The criterion of classes that a node names, before it has met its column.  Raises
    Unfit.
    """
    return CRITERIA[node.name](**arguments(node, Everything()))


class Lines(Protocol):
    @property
    def source(self) -> str: ...
    @property
    def paths(self) -> Mapping[str, tuple[str, ...]]: ...


class Tree(NamedTuple):
    """A hierarchy, and what it is called."""

    source: str
    paths: Mapping[str, tuple[str, ...]]


def build(
    node: s.Criterion, signature: Signature, hierarchies: Mapping[str, Lines]
) -> ClassCriterion:
    """The criterion of classes that a node names, with what it needs of its column.
    Raises Unfit.
    """
    values = arguments(node, signature.attributes)
    criterion = CRITERIA[node.name](**values)
    if "f" not in values:
        return criterion
    attribute, tree = signature.attributes[values["f"]], hierarchies.get(values["f"])
    column = Column(attribute.name, attribute.domain, attribute.kind)
    if tree is not None:
        column = replace(column, paths=tree.paths, source=tree.source)
    try:
        return criterion.prepared(column)
    except ValueError as error:
        raise Unfit(str(error)) from None


def joint_parts(node: s.Criterion, sensitive: Sequence[str]) -> tuple[s.Criterion, ...]:
    """The conjuncts of a criterion over all sensitive columns.  Raises Unfit."""
    values = arguments(node, ())
    if not sensitive:
        raise Unfit(
            f"{node.name} is about the sensitive columns, and there are none",
            "name them under [columns]",
        )
    return tuple(
        replace(part, span=node.span)
        for part in JOINT[node.name](**values).parts(sensitive)
    )
