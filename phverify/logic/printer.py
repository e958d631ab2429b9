"""From formulas to text that parses back to the same formula, in ASCII or in the
paper's notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.criterion.registry import given, params
from phverify.spec.signature import Signature
from phverify.spec.walk import CONNECTIVES

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


def quoted(text: str) -> str:
    """A name in quotes."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def individual(language: Signature, person: s.Person) -> str:
    """What an individual is called where no other can be meant: in quotes when the
    name reads as a position.
    """
    text = language.person(person.index).text
    if language.find(s.Name(text)) == person:
        return text
    return quoted(text)


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
    row: Callable[[int], int] = lambda world: world
    """The number of a world's row in its table, both from 0."""

    @property
    def hides(self) -> bool:
        """Whether something is left out: confidential values, and identifiers."""
        return self.positions


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
    if strength < place:
        return f"({text})"
    return text


def _text(formula: s.Formula, style: Style) -> tuple[int, str]:
    """A formula with how strongly it binds."""
    if isinstance(formula, CONNECTIVES):
        return _connective(formula, style)
    if isinstance(formula, s.Diamond | s.Box | s.At):
        return _UNARY, _prefixed(formula, style)
    if isinstance(formula, s.Quantified):
        sign = style.forall if formula.universal else style.exists
        bound = ", ".join(_binder(binder, style) for binder in formula.binders)
        return _SCHEMA, f"{sign}{bound}: {_show(formula.body, style, _SCHEMA)}"
    return _UNARY, _atom(formula, style)


def _connective(formula: s.Formula, style: Style) -> tuple[int, str]:
    match formula:
        case s.Not(body):
            # ~(f = 2), because ~f = 2 reads as (~f) = 2
            compared = isinstance(body, s.Descriptor | s.Compare)
            place = _ATOM if compared else _UNARY
            return _UNARY, style.neg + _show(body, style, place)
        case s.And(parts):
            return _joined(parts, style.conj, _AND, style)
        case s.Or(parts):
            return _joined(parts, style.disj, _OR, style)
        case s.Implies(left, right):  # a -> b -> c reads as a -> (b -> c)
            before = _show(left, style, _OR)
            after = _show(right, style, _IMPLIES)
            return _IMPLIES, before + style.implies + after
        case s.Iff(left, right):  # a <-> b <-> c reads as (a <-> b) <-> c
            before = _show(left, style, _IFF)
            after = _show(right, style, _IMPLIES)
            return _IFF, before + style.iff + after
    raise TypeError(f"no connective: {formula!r}")


def _joined(
    parts: tuple[s.Formula, ...], sign: str, strength: int, style: Style
) -> tuple[int, str]:
    if not parts:  # all of none is true, one of none is false
        return _UNARY, "true" if strength == _AND else "false"
    if len(parts) == 1:
        return _text(parts[0], style)
    return strength, sign.join(_show(part, style, strength + 1) for part in parts)


def _prefixed(formula: s.Diamond | s.Box | s.At, style: Style) -> str:
    body = _show(formula.body, style, _UNARY)
    match formula:
        case s.Diamond(agent):
            possible = style.diamond.format(_agent(agent))
            return possible + body
        case s.Box(agent):
            known = style.box.format(_agent(agent))
            return known + body
        case s.At(name):
            return f"@{reference(name, style.positions, style.row)} {body}"
    raise TypeError(f"no operator: {formula!r}")


def _atom(formula: s.Formula, style: Style) -> str:
    match formula:
        case s.Truth(value):
            if value:
                return style.true
            return style.false
        case s.Descriptor():
            return _descriptor(formula, style)
        case s.Nominal(name):
            return reference(name, style.positions, style.row)
        case s.Chosen(var):
            return variable(var)
        case s.Compare(left, op, right):
            sign = _op(op, style)
            return f"{linear(left, style)} {sign} {linear(right, style)}"
        case s.NeverKnown(body):
            return f"never_known({_show(body, style, _SCHEMA)})"
        case s.Criterion(name):
            return f"{name}({', '.join(_arguments(formula, style))})"
    raise TypeError(f"no formula: {formula!r}")


def _arguments(node: s.Criterion, style: Style) -> Iterator[str]:
    """The arguments of a criterion; of a hidden column no node of its hierarchy."""
    secret: list[str] = []
    in_order: list[str] = []
    if style.hide(given(node).get("f", "")):
        in_order = [param.name for param in params(node.name)]
        secret = [param.name for param in params(node.name) if param.kind == "node"]

    names = [*in_order, *("" for _ in node.args)]
    for name, arg in zip(names, node.args, strict=False):
        yield HIDDEN if name in secret else _argument(arg)
    for name, arg in node.named:
        text = HIDDEN if name in secret else _argument(arg)
        yield f"{name}={text}"


def linear(expression: s.Linear, style: Style = ASCII) -> str:
    """A sum of likelihoods, such as ``2 * l_a1(x) - 1/3``."""
    pieces = [(factor, _quantity(term, style)) for factor, term in expression.terms]
    if expression.constant or not pieces:
        pieces.append((expression.constant, ""))

    (first_factor, first), *others = pieces
    text = "-" if first_factor < 0 else ""
    text += _scaled(abs(first_factor), first)
    for factor, quantity in others:
        text += " - " if factor < 0 else " + "
        text += _scaled(abs(factor), quantity)
    return text


def _scaled(coefficient: Fraction, quantity: str) -> str:
    if not quantity:
        return str(coefficient)
    if coefficient == 1:
        return quantity
    return f"{coefficient} * {quantity}"


def _quantity(quantity: s.Likelihood | s.Abs, style: Style) -> str:
    if isinstance(quantity, s.Abs):
        return f"abs({linear(quantity.body, style)})"
    return f"l_{_agent(quantity.agent)}({_show(quantity.body, style, _SCHEMA)})"


def _op(op: str, style: Style) -> str:
    return dict(style.operators).get(op, op)


def _descriptor(formula: s.Descriptor, style: Style) -> str:
    name = column(formula.attribute)
    values = [operand(value) for value in formula.values]
    if style.hide(formula.attribute):
        values = [HIDDEN]
    if formula.op == "in":
        return f"{name}{style.element}{{{', '.join(values)}}}"
    return f"{name} {_op(formula.op, style)} {values[0]}"


def variable(var: s.Var) -> str:
    """A variable as the user wrote it, without the number that keeps it apart from
    others.
    """
    return var.name.partition("!")[0]


def column(name: str) -> str:
    """A column name, quoted where it is no plain name."""
    plain = _BARE.fullmatch(name) and name not in _RESERVED_COLUMNS
    if plain:
        return name
    return quoted(name)


def operand(value: s.Operand) -> str:
    """A value as it is written in a formula; numbers are bare, other text is quoted."""
    if isinstance(value, s.Var):
        return variable(value)
    if value.text is None:
        return "missing"
    if _BARE_VALUE.fullmatch(value.text):
        return value.text
    return quoted(value.text)


def _argument(text: str) -> str:
    if _BARE_VALUE.fullmatch(text):
        return text
    plain = _BARE.fullmatch(text) and text not in _RESERVED
    if plain:
        return text
    return quoted(text)


def reference(
    name: s.Reference,
    positions: bool = False,
    row: Callable[[int], int] = lambda world: world,
) -> str:
    """A nominal: ``i3``, ``d4``, a variable, or an identifier's value in quotes.

    With ``positions`` it is the individual's position instead of the identifier.
    ``row`` says which row of the table a world is.
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
            if identified:
                return quoted(text)
            return position
        case s.Row(index):
            return f"d{row(index) + 1}"
    raise TypeError(f"no nominal: {name!r}")


def _agent(agent: s.Agent) -> str:
    if isinstance(agent, s.Var):
        return variable(agent)
    return agent


def _binder(binder: s.Binder, style: Style) -> str:
    name = variable(binder.var)
    match binder.sort:
        case "individuals":
            return name
        case "agents":
            return f"{name}{style.element}agents"
        case "values":
            return f"{name}{style.element}{column(binder.attribute)}"
    clauses = f"clauses({column(binder.attribute)}, {binder.length})"
    return f"{name}{style.element}{clauses}"
