"""What a criterion is asked about: columns, a class, the table before sanitization."""

from __future__ import annotations

import re
from itertools import pairwise

from phverify.spec import syntax as s
from phverify.spec.criterion.registry import CRITERIA, given, params

_WHOLE = re.compile(r"\d+", re.ASCII)


def alone(node: s.Criterion) -> bool:
    """Whether a criterion sees the class and nothing else of the released table."""
    if node.name not in CRITERIA:
        return False
    return CRITERIA[node.name].alone or given(node).get("reference") == "original"


def subjects(node: s.Criterion) -> list[str]:
    """The columns that a criterion is given."""
    texts = given(node)
    columns = []
    for param in params(node.name):
        if param.kind == "attribute" and param.name in texts:
            columns.append(texts[param.name])
    return columns


def usage(name: str, small: str = "") -> str:
    """How a criterion is written: ``t_closeness(f, t, distance=variational)``.

    Where a number is too ``small``, it also says from which one on it means something.
    """
    shown = []
    more = ""
    for param in params(name):
        text = param.name
        if param.default is not None:
            text += f"={param.default}"
        shown.append(text)
        if text == small and param.kind == "whole" and param.least is not None:
            first = param.least + 1
            more = f"; from {text} = {first} on it asks for something"
    listed = ", ".join(shown)
    return f"write {name}({listed}){more}"


def with_point(node: s.Criterion) -> str:
    """A hint where two numbers beside each other may be one with a decimal comma.

    Only arguments that do not fit are read so: ``(f, 4, 3)`` may mean two numbers.
    """
    for whole, decimals in pairwise(node.args):
        if _WHOLE.fullmatch(whole) and _WHOLE.fullmatch(decimals):
            return (
                f"write {whole}.{decimals} if {whole},{decimals} is one number:"
                " decimals begin with a point"
            )
    return ""
