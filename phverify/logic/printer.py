"""From formulas to text that parses back to the same formula, in ASCII or in the
paper's notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.signature import quoted

_BARE = re.compile(r"[^\W\d]\w*(-\w+)*")
_BARE_VALUE = re.compile(r"-?\.?\d([\w.*/%:]|-(?=\w))*")
_RESERVED = {
    "true",
    "false",
    "not",
    "and",
    "or",
    "in",
    "forall",
    "exists",
    "missing",
    "abs",
    "clauses",
}
_RESERVED_COLUMNS = _RESERVED | {"agents", "individuals"}

# Binding strength, loosest first; a part is put in parentheses when it binds no tighter
# than its place needs.
_SCHEMA, _IFF, _IMPLIES, _OR, _AND, _UNARY, _ATOM = range(7)


@dataclass(frozen=True)
class Style:
    """The signs of a notation, and how to write a value (``--redact`` hides
    confidential ones).
    """

    conj: str = " & "
    disj: str = " | "
    implies: str = " -> "
    iff: str = " <-> "
    neg: str = "~"
    diamond: str = "<{}> "
    box: str = "[{}] "
    forall: str = "forall "
    exists: str = "exists "
    element: str = " in "
    true: str = "true"
    false: str = "false"
    operators: tuple[tuple[str, str], ...] = ()
    hide: Callable[[str], bool] = lambda attribute: False
    positions: bool = False
    """Whether individuals are called by their positions, not by their identifiers."""


ASCII = Style()
UNICODE = Style(
    " ∧ ", " ∨ ", " → ", " ≡ ", "¬", "⟨{}⟩ ", "[{}] ", "∀ ", "∃ ", " ∈ ", "⊤", "⊥",
    (("!=", "≠"), ("<=", "≤"), (">=", "≥")),
)  # fmt: skip
HIDDEN = "'(hidden)'"


def to_text(formula: s.Formula, style: Style = ASCII) -> str:
    """The formula as text; ``parse(to_text(f)) == f`` for every formula without
    ``Person`` names.
    """
    return _show(formula, style, _SCHEMA)


def _show(formula: s.Formula, style: Style, place: int) -> str:
    strength, text = _text(formula, style)
    return f"({text})" if strength < place else text


def _text(formula: s.Formula, style: Style) -> tuple[int, str]:
    match formula:
        case s.Truth(value):
            return _UNARY, style.true if value else style.false
        case s.Descriptor():
            return _UNARY, _descriptor(formula, style)
        case s.Nominal(name):
            return _UNARY, reference(name, style.positions)
        case s.Chosen(var):
            return _UNARY, variable(var)
        case s.Not(body):
            atom = isinstance(
                body, s.Descriptor | s.Compare
            )  # ~(f = 2), because ~f = 2 reads as (~f) = 2
            return _UNARY, style.neg + _show(body, style, _ATOM if atom else _UNARY)
        case s.And(parts):
            return (
                _joined(parts, style.conj, _AND, style)
                if len(parts) > 1
                else _single(parts, style, "true")
            )
        case s.Or(parts):
            return (
                _joined(parts, style.disj, _OR, style)
                if len(parts) > 1
                else _single(parts, style, "false")
            )
        case s.Implies(left, right):
            sides = _show(left, style, _OR), _show(right, style, _IMPLIES)
            return _IMPLIES, style.implies.join(sides)
        case s.Iff(left, right):
            return (
                _IFF,
                f"{_show(left, style, _IFF)}{style.iff}{_show(right, style, _IMPLIES)}",
            )
        case s.Diamond(agent, body):
            return _UNARY, style.diamond.format(_agent(agent)) + _show(
                body, style, _UNARY
            )
        case s.Box(agent, body):
            return _UNARY, style.box.format(_agent(agent)) + _show(body, style, _UNARY)
        case s.At(name, body):
            who = reference(name, style.positions)
            return _UNARY, f"@{who} {_show(body, style, _UNARY)}"
        case s.Compare(left, op, right):
            return (
                _UNARY,
                f"{linear(left, style)} {_op(op, style)} {linear(right, style)}",
            )
        case s.Quantified(universal, binders, body):
            sign = style.forall if universal else style.exists
            listed = ", ".join(_binder(b, style) for b in binders)
            return _SCHEMA, f"{sign}{listed}: {_show(body, style, _SCHEMA)}"
        case s.NeverKnown(body):
            return _UNARY, f"never_known({_show(body, style, _SCHEMA)})"
        case s.Criterion(name, args, named):
            shown = [*map(_argument, args), *(f"{k}={_argument(v)}" for k, v in named)]
            return _UNARY, f"{name}({', '.join(shown)})"
    raise TypeError(f"no formula: {formula!r}")


def _single(parts: tuple[s.Formula, ...], style: Style, empty: str) -> tuple[int, str]:
    return _text(parts[0], style) if parts else (_UNARY, empty)


def _joined(
    parts: tuple[s.Formula, ...], sign: str, strength: int, style: Style
) -> tuple[int, str]:
    return strength, sign.join(_show(part, style, strength + 1) for part in parts)


def linear(expression: s.Linear, style: Style = ASCII) -> str:
    """A sum of likelihoods, such as ``2 * l_a1(x) - 1/3``."""
    pieces = [(c, _quantity(q, style)) for c, q in expression.terms]
    if expression.constant or not pieces:
        pieces.append((expression.constant, ""))
    text = ""
    for k, (coefficient, quantity) in enumerate(pieces):
        sign = "-" if coefficient < 0 else "" if k == 0 else "+"
        spaced = f" {sign} " if k else sign
        text += spaced + _scaled(abs(coefficient), quantity)
    return text


def _scaled(coefficient: Fraction, quantity: str) -> str:
    if not quantity:
        return str(coefficient)
    return quantity if coefficient == 1 else f"{coefficient} * {quantity}"


def _quantity(quantity: s.Likelihood | s.Abs, style: Style) -> str:
    if isinstance(quantity, s.Abs):
        return f"abs({linear(quantity.body, style)})"
    return f"l_{_agent(quantity.agent)}({_show(quantity.body, style, _SCHEMA)})"


def _op(op: str, style: Style) -> str:
    return dict(style.operators).get(op, op)


def _descriptor(formula: s.Descriptor, style: Style) -> str:
    values = (
        [HIDDEN]
        if style.hide(formula.attribute)
        else list(map(operand, formula.values))
    )
    if formula.op == "in":
        return f"{column(formula.attribute)}{style.element}{{{', '.join(values)}}}"
    return f"{column(formula.attribute)} {_op(formula.op, style)} {values[0]}"


def variable(var: s.Var) -> str:
    """A variable as the user wrote it, without the number that keeps it apart from
    others.
    """
    return var.name.partition("!")[0]


def column(name: str) -> str:
    """A column name, quoted where it is no plain name."""
    return (
        name
        if _BARE.fullmatch(name) and name not in _RESERVED_COLUMNS
        else quoted(name)
    )


def operand(value: s.Operand) -> str:
    """A value as it is written in a formula; numbers are bare, other text is quoted."""
    if isinstance(value, s.Var):
        return variable(value)
    if value.text is None:
        return "missing"
    return value.text if _BARE_VALUE.fullmatch(value.text) else quoted(value.text)


def _argument(text: str) -> str:
    plain = _BARE_VALUE.fullmatch(text) or (
        _BARE.fullmatch(text) and text not in _RESERVED
    )
    return text if plain else quoted(text)


def reference(name: s.Reference, positions: bool = False) -> str:
    """A nominal: ``i3``, ``d4``, a variable, or an identifier's value in quotes (with
    ``positions`` the individual's position instead).
    """
    match name:
        case s.Var():
            return variable(name)
        case s.Name(text, False):
            return text
        case s.Name(text, True):
            return quoted(text)
        case s.Person(index, text):
            position = f"i{index + 1}"
            identified = text not in ("", position) and not positions
            return quoted(text) if identified else position
        case s.Row(index):
            return f"d{index + 1}"
    raise TypeError(f"no nominal: {name!r}")


def _agent(agent: s.Agent) -> str:
    return variable(agent) if isinstance(agent, s.Var) else agent


def _binder(binder: s.Binder, style: Style) -> str:
    match binder.sort:
        case "individuals":
            return variable(binder.var)
        case "agents":
            return f"{variable(binder.var)}{style.element}agents"
        case "values":
            return f"{variable(binder.var)}{style.element}{column(binder.attribute)}"
    return (
        f"{variable(binder.var)}{style.element}clauses({column(binder.attribute)},"
        f" {binder.length})"
    )
