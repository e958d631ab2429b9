"""What formulas look at: the values and individuals that they name, and what their
criteria see in the values of a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.asked import subjects
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import CRITERIA, Unfit, arguments, given

Formulas = Iterable[s.Formula]
Seen = dict[str, list[s.Criterion]]
"""Columns, and the criteria that see something in their values."""
BY_ORDER = ("<", "<=", ">", ">=")
BY_POSITION = re.compile(r"[id][1-9]\d*", re.ASCII)


def ordered_ones(formulas: Formulas) -> set[str]:
    """The columns whose values are compared by order."""
    columns = set(seen(formulas, "order", "numbers"))
    for formula in formulas:
        for node in s.subformulas(formula):
            if not isinstance(node, s.Descriptor):
                continue
            if node.op in BY_ORDER:
                columns.add(node.attribute)
    return columns


def seen(formulas: Formulas, *what: str) -> Seen:
    """The columns in whose values criteria see one of these besides which are equal,
    and the criteria.
    """
    columns: Seen = {}
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion) and _looks(node) in what:
                for name in subjects(node):
                    columns.setdefault(name, []).append(node)
    return columns


def _looks(node: s.Criterion) -> str:
    """What a criterion sees in values; nothing where its arguments do not fit."""
    if node.name not in CRITERIA:
        return ""
    try:
        return unprepared(node).structure()
    except Unfit:
        return ""


def values(formula: s.Formula, column: str) -> Iterator[Label]:
    """The values of a column that a formula names."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor) and node.attribute == column:
            yield from (v.text for v in node.values if isinstance(v, s.Value))


def names(formulas: Formulas) -> Iterator[s.Name]:
    """The individuals and rows that formulas name, as they write them."""
    for formula in formulas:
        for node in s.subformulas(formula):
            if not isinstance(node, s.Nominal | s.At):
                continue
            if isinstance(node.name, s.Name):
                yield node.name


def identified(name: s.Name) -> bool:
    """Whether somebody is called by an identifier, not by position."""
    return name.quoted or not BY_POSITION.fullmatch(name.text)


class Everything:
    """Any text as a column."""

    def __contains__(self, name: object) -> bool:
        return True


def unprepared(node: s.Criterion) -> ClassCriterion:
    """The criterion of classes that a node names, before it has met its column.

    Raises Unfit.
    """
    values = arguments(node, Everything())
    values.pop("reference", None)
    kind = CRITERIA[node.name]
    return kind(**values)


def beside_original(formula: s.Formula) -> bool:
    """Whether a criterion in a formula compares with the table before sanitization."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Criterion) and given(node).get("reference") == "original":
            return True
    return False
