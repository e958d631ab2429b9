"""Bare formulas: the policy that they would stand in, invented from what they name."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from phverify.comparison.naming import (
    identified,
    names,
    ordered_ones,
    seen,
    values,
)
from phverify.errors import refusal
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.spec.source import rational
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType


def invented(texts: Mapping[str, str]) -> Policy:
    """A policy for bare formulas: its columns are those that they mention.

    Raises InputError where the type of a column cannot be told.
    """
    formulas = [parse(text, title) for title, text in texts.items()]
    mentioned: dict[str, None] = {}
    for formula in formulas:
        mentioned |= dict.fromkeys(attributes(formula))
    columns = list(mentioned)

    # classes are formed by a column that no formula mentions
    quasi = _free(("class", "group", "cell", "quasi_identifier"), columns)
    identifier = _free(("person", "individual", "identifier"), (*columns, quasi))
    named = any(map(identified, names(formulas)))
    types: dict[str, ValueType] = {}
    for name in columns:
        kind = _guessed(name, formulas)
        if kind != TEXT:
            types[name] = kind
    roles = {"quasi": [quasi], "sensitive": columns}
    policy = Policy.from_dict({"columns": roles, "rules": {"rule": "true"}})
    return replace(policy, identifier=identifier if named else None, types=types)


def _free(candidates: Iterable[str], taken: Collection[str]) -> str:
    """The first name that no column has."""
    return next(name for name in candidates if name not in taken)


def _guessed(column: str, formulas: list[s.Formula]) -> ValueType:
    """The type of a column of bare formulas: text unless its order matters."""
    if column not in ordered_ones(formulas):
        return TEXT
    texts: list[str] = []
    for formula in formulas:
        texts += [text for text in values(formula, column) if text is not None]
    tests: dict[str, Callable[[str], object]] = {
        "integer": int,
        "decimal": rational,
        "date": datetime.date.fromisoformat,
    }
    if column in seen(formulas, "numbers"):
        del tests["integer"]  # decimal numbers are more than whole ones
    for name, test in tests.items():
        try:
            list(map(test, texts))
        except ValueError:
            continue
        return ValueType(name)
    hint = "put it into a policy file with [types], and give the file"
    raise refusal(
        "compare", f"the order of the values of {column!r} is not clear", hint
    )
