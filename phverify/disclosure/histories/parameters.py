"""Parameters of a statement, ``$1``, ``?``, ``:name`` or ``@name``, with their values.

A value is put where the parameter stands outside of quotes and comments, as a literal.
What PostgreSQL logs is a text whatever the type was: there the column beside it says
what it is, by the syntax tree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from phverify.disclosure.histories.records import Written
from phverify.disclosure.log.statements import Statement, tokens

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MARK = "phverify parameter {}"
"""What stands for a parameter while it is looked for in the tree."""
NUMBER, TEXT, OTHER = "number", "text", "other"
Kind = Callable[[str], str | None]
"""What a column has, by its name: numbers, texts, others; None for no column."""


_NUMERIC: tuple[str, ...] = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
)
_NUMERIC += ("USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE")


def kind_of_type(type_: str | None) -> str | None:
    """What a column of one of DuckDB's types has."""
    if not type_:
        return None
    if type_ in _NUMERIC or type_.startswith("DECIMAL"):
        return NUMBER
    return TEXT if type_ == "VARCHAR" else OTHER


class Unfilled(Exception):
    """Why the values of parameters have no place in a statement."""


class OfNoType(Unfilled):
    """Why it is not known of which type a value is: any may have been meant."""


def filled(statement: Statement, kind: Kind) -> Statement:
    """The statement with its values; where they have no place it is not read."""
    if not statement.parameters:
        return statement
    try:
        text = _filled(statement.text, statement.parameters, statement.typed, kind)
    except OfNoType:
        return replace(statement, parameters=None)
    except Unfilled as error:
        return replace(statement, unread=statement.unread or str(error))
    return replace(statement, text=text, parameters=None)


def _filled(text: str, values: Mapping[str, Any], typed: bool, kind: Kind) -> str:
    """A text with values in the place of parameters.  Raises Unfilled."""
    parts = list(_parts(text, values))
    named = [name for is_one, name in parts if is_one]
    if set(named) != set(values):
        unused = sorted(set(values) - set(named))
        raise Unfilled(f"the parameter {unused[0]} has a value, and no place in it")
    literals = {}
    if typed:
        for name, value in values.items():
            literals[name] = _literal(value)
    else:
        kinds = _kinds(_joined(parts, _marks(values)), values, kind)
        for name, value in values.items():
            literals[name] = _as(kinds[name], name, value)
    return _joined(parts, literals)


def _joined(parts: list[tuple[bool, str]], literals: Mapping[str, str]) -> str:
    """The text again, with literals in the place of parameters."""
    texts = []
    for is_one, part in parts:
        text = literals[part] if is_one else part
        texts.append(text)
    return "".join(texts)


def _marks(values: Mapping[str, Any]) -> dict[str, str]:
    """A literal of its own for each parameter."""
    return {name: f"'{_MARK.format(name)}'" for name in values}


_CLAUSES = ("select", "from", "where", "group", "having", "order", "limit", "offset")
"""Words that begin a clause."""


def _parts(text: str, values: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """The parts of a text, each with whether it is the name of a parameter.

    Raises Unfilled for one without a value.
    """
    before, clause, number = "", "", 0
    words = iter([*tokens(text), ""])
    token = next(words)
    while token:
        after = next(words, "")
        # Within a name, and after another sign of its kind, it is none: a$1, b::int.
        alone = not re.fullmatch(r"[\w$:@?]+", before)
        name = ""
        if token == "?" and alone and after not in ("?", "|", "&"):
            number += 1
            name = str(number)
        elif token in ("$", ":", "@") and alone and re.fullmatch(r"\w+", after):
            name = after
        clause = token.lower() if token.lower() in _CLAUSES else clause
        if name:
            if name not in values:
                raise Unfilled(f"its parameter {token}{name} has no value in the log")
            if clause in ("group", "order"):
                # A number that is written there would be a place.
                raise OfNoType(f"its parameter {token}{name} stands in {clause} by")
            yield True, name
            before = name
            token = after if token == "?" else next(words, "")
        else:
            yield False, token
            before, token = token, after


def _literal(value: Any) -> str:
    """A value as SQL.  Raises Unfilled for what has no literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Written):
        exact = Fraction(value)
        plain = _NUMBER.fullmatch(value)
        if plain is None and exact.denominator != 1:
            raise Unfilled(f"the parameter {value} is written with an exponent")
        return _signed(str(value) if plain else str(exact))
    if isinstance(value, int):
        return _signed(str(value))
    if isinstance(value, float) and math.isfinite(value):
        return _literal(Written(repr(value)))
    if isinstance(value, str):
        return _quoted(value)
    raise Unfilled(f"a parameter of the type {type(value).__name__} is not read")


def _signed(number: str) -> str:
    """A number as SQL: in brackets where it has a sign, as ``--5`` is a comment."""
    return f"({number})" if number.startswith("-") else number


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _as(kind: str, name: str, value: str | int | None) -> str:
    """A value of PostgreSQL's log, or of EXECUTE, as what stands beside it has it.

    Raises Unfilled.
    """
    if value is None:
        return "NULL"
    if isinstance(value, int):
        if kind == NUMBER:
            return _signed(str(value))
        # Engines make the column a number, or the number a text.
        raise OfNoType(f"its parameter ${name} is a number, and stands beside none")
    if kind != NUMBER:
        return _quoted(value)
    if _NUMBER.fullmatch(value) is None:
        raise Unfilled(f"its parameter ${name} stands beside a number, and is none")
    return _signed(value)


def _kinds(text: str, values: Mapping[str, Any], kind: Kind) -> dict[str, str]:
    """What each parameter stands beside.  Raises Unfilled where that is not known.

    ``text`` has a mark in the place of each.
    """
    import sqlglot

    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.SqlglotError:
        raise Unfilled("it is not understood where its parameters stand") from None
    marks = {_MARK.format(name): name for name in values}
    kinds: dict[str, str] = {}
    for literal in tree.find_all(sqlglot.exp.Literal):
        name = marks.get(str(literal.this), "")
        if name and literal.is_string:
            found = _beside(literal, kind, sqlglot.exp)
            if kinds.setdefault(name, found) != found:
                raise OfNoType(f"its parameter ${name} stands for several types")
    if set(kinds) != set(values):
        raise Unfilled("it is not understood where its parameters stand")
    return kinds


def _beside(literal: Any, kind: Kind, exp: Any) -> str:
    """What a literal is compared with, or cast to.  Raises Unfilled."""
    node = literal
    while isinstance(node.parent, (exp.Paren, exp.Neg)):
        node = node.parent
    parent = node.parent
    if isinstance(parent, (exp.Cast, exp.TryCast)):
        return OTHER
    if isinstance(parent, (exp.Limit, exp.Offset)):
        return NUMBER
    compared = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike)
    if isinstance(parent, (*compared, exp.Between, exp.In)):
        others = [parent.this]
        if isinstance(parent, exp.Binary):
            others.append(parent.expression)
        for other in others:
            found = None if other is node else _of(other, kind, exp)
            if found:
                return found
    raise OfNoType("what stands beside a parameter does not say what type it has")


def _of(node: Any, kind: Kind, exp: Any) -> str | None:
    """What an expression has: a column's own, or a number for what counts and sums."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Column):
        return kind(node.name)
    if isinstance(node, (exp.Count, exp.Sum, exp.Avg)):
        return NUMBER
    if isinstance(node, (exp.Min, exp.Max)):
        return _of(node.this, kind, exp)
    return None
