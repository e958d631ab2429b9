"""All criteria by name, and from the text of their arguments to checked criteria.

They are found in the files of a folder: a file is called as its criterion is.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from phverify.errors import Defect, nearest
from phverify.spec import criteria as folder
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Column, Param
from phverify.spec.signature import Signature
from phverify.spec.source import NUMBER, rational
from phverify.spec.wording import many

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Lines

FILES = {
    info.name: f"{folder.__name__}.{info.name}"
    for info in pkgutil.iter_modules(folder.__path__)
}
"""The module of each criterion, in the folder or in an archive that holds it."""
Sort = TypeVar("Sort")


@cache
def _named(name: str) -> type[Any]:
    """The criterion in the file of its name.

    Raises KeyError where there is no such file.
    """
    module = import_module(FILES[name])
    for member in vars(module).values():
        # Its own name, not an inherited one; files import from one another.
        if inspect.isclass(member) and vars(member).get("name") == name:
            return member
    raise Defect(
        f"the file {name}.py among the criteria has no criterion that is called"
        f" {name!r}, as the file is"
    )


@dataclass(frozen=True)
class Criteria(Mapping[str, type[Sort]]):
    """The criteria of a sort by name; a file is read when its criterion is wanted."""

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
SAFETY: Mapping[str, tuple[Param, ...]] = {
    "logical_safety": (),
    "weighted_safety": (
        Param("b", "number", "expected seriousness", least=Fraction(0)),
    ),
    "never_known": (),
}
"""Criteria that speak about individuals."""


def names() -> list[str]:
    """The names of all criteria, sorted."""
    known = [*FILES, *SAFETY]
    return sorted(known)


def is_known(name: str) -> bool:
    """Whether there is a criterion of that name."""
    of_classes = name in FILES
    return of_classes or name in SAFETY


def params(name: str) -> tuple[Param, ...]:
    """The parameters of a criterion, in the order in which it takes them."""
    if name in SAFETY:
        return SAFETY[name]
    if name in CRITERIA:
        return CRITERIA[name].params
    joint: tuple[Param, ...] = _named(name).params
    return joint


def is_joint(name: str) -> bool:
    """Whether a criterion stands for several, over all sensitive columns."""
    return name in FILES and name not in CRITERIA


class Unfit(ValueError):
    """Arguments that do not fit, with a hint."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def misused(name: str, what: str, small: str = "") -> Unfit:
    """The error that arguments do not fit; it says how the criterion is written.

    ``small`` is a parameter whose number is too small.
    """
    from phverify.spec.criterion.asked import usage

    return Unfit(what, usage(name, small))


def given(node: s.Criterion) -> dict[str, str]:
    """The arguments of a criterion by name, as they are written."""
    known = params(node.name) if is_known(node.name) else ()
    in_order = [param.name for param in known]
    # Too many or too few arguments are reported elsewhere: here they are left out.
    by_position = dict(zip(in_order, node.args, strict=False))
    return by_position | dict(node.named)


def arguments(node: s.Criterion, columns: Container[str]) -> dict[str, Any]:
    """The arguments by name, of the right types.

    Raises Unfit for a criterion that there is not, for arguments that are too many,
    twice, unknown or lacking, and for one that does not fit its parameter.
    """
    name = node.name
    if not is_known(name):
        known = names()
        hint = nearest(name, known, "criteria")
        raise Unfit(f"unknown criterion {name!r}", hint)
    try:
        return _fitting(node, columns)
    except Unfit as error:
        from phverify.spec.criterion.asked import with_point

        hints = filter(None, (with_point(node), error.hint))
        raise Unfit(str(error), "; ".join(hints)) from None


def _fitting(node: s.Criterion, columns: Container[str]) -> dict[str, Any]:
    """The arguments of a known criterion by name.  Raises Unfit."""
    _require_fit(node, params(node.name))
    texts = given(node)
    values = {}
    for param in params(node.name):
        text = texts.get(param.name, param.default or "")
        values[param.name] = _value(node.name, param, text, columns)
    return values


def _require_fit(node: s.Criterion, wanted: tuple[Param, ...]) -> None:
    """Raises Unfit unless each parameter is given once, and nothing else is."""
    name = node.name
    if len(node.args) > len(wanted):
        counted = f"{many(len(wanted), 'argument')}, not {len(node.args)}"
        raise misused(name, f"{name} takes {counted}")

    # The first mistake is reported: later ones may follow from it.
    in_order = [param.name for param in wanted]
    keys = in_order[: len(node.args)] + [key for key, _ in node.named]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        raise misused(name, f"{name} has {twice[0]} twice")
    unknown = [key for key in keys if key not in in_order]
    if unknown:
        raise misused(name, f"{name} has no argument {unknown[0]!r}")

    required = [param.name for param in wanted if param.default is None]
    absent = [key for key in required if key not in keys]
    if absent:
        raise misused(name, f"{name} lacks {', '.join(absent)}")


def _value(name: str, param: Param, text: str, columns: Container[str]) -> object:
    match param.kind:
        case "attribute":
            if text in columns:
                return text
            if NUMBER.fullmatch(text):
                raise misused(name, f"{param.name} of {name} is a column, not {text!r}")
            known = columns if isinstance(columns, Mapping) else ()
            hint = nearest(text, known, "columns of the policy")
            raise Unfit(f"unknown column {text!r}", hint)
        case "choice":
            if text not in param.choices:
                choices = ", ".join(param.choices)
                said = f"{param.name} is one of {choices}, not {text!r}"
                raise misused(name, said)
            return text
        case "node":
            return text
    return _number(name, param, text)


def _number(name: str, param: Param, text: str) -> Fraction | int:
    subject = f"{param.name} of {name}"
    try:
        value = rational(text)
    except ValueError:
        said = f"{subject} is a number ({param.say}), not {text!r}"
        raise misused(name, said) from None
    least = param.least
    if least is not None and (value < least or (param.strict and value == least)):
        sign = ">" if param.strict else ">="
        said = f"{subject} must be {sign} {least}, not {text}"
        raise misused(name, said, param.name)
    # Numbers stay exact: 0.1 is one tenth.
    if param.kind != "whole":
        return value
    if value.denominator != 1:
        raise misused(name, f"{subject} is a whole number, not {text}")
    return int(value)


class NamedHierarchy(NamedTuple):
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
    if values.pop("reference", "release") == "original":
        # Few policies ask for it.
        from phverify.spec.criterion.original import of_original

        return of_original(node, values["f"], signature, hierarchies)
    criterion = CRITERIA[node.name](**values)
    # Without a column there is nothing to prepare it with.
    if "f" not in values:
        return criterion
    attribute = signature.attributes[values["f"]]
    column = Column(attribute.name, attribute.domain, attribute.kind)
    hierarchy = hierarchies.get(attribute.name)
    if hierarchy is not None:
        column = replace(column, paths=hierarchy.paths, source=hierarchy.source)
    try:
        return criterion.prepared(column)
    except ValueError as error:
        raise Unfit(str(error)) from None
