"""From text to formulas over cells.  A message shows the place with a caret, and names the nearest right thing.

::

    balance[Jean] >= 420 and (illness[Ann] = 'flu' or illness[Bob] = 'flu')
    balance[Jean] > balance[Ann]          # two cells
    balance[Jean] + 2 * balance[Ann] >= 700
    illness[Ann] in ('flu', 'cancer')     # or: not in
    illness[Ann] below 'Viral-Infection'  # at or below a node of the column's taxonomy
    balance['Jean Paul'] is not missing   # a key that is no word stands in single quotes, a column in double ones

A sum has integer cells and constants.  Texts stand in single quotes.  Words such as ``and`` may be in capitals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput

from phverify.disclosure.connectives import And, Formula, Not, Or, parts
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import LARGEST, Domain, kind_of
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.errors import Problem, nearest

_GRAMMAR = r"""
start: either
?either: both (_OR both)*
?both: unary (_AND unary)*
?unary: _NOT unary                                   -> negation
      | "(" either ")"
      | side OPERATOR side                           -> comparison
      | cell _IN "(" value ("," value)* ")"          -> among
      | cell _NOT _IN "(" value ("," value)* ")"     -> outside
      | cell _IS _MISSING                            -> missing
      | cell _IS _NOT _MISSING                       -> present
      | cell BELOW TEXT                              -> below
?side: sum | TEXT | TRUE | FALSE
sum: [MINUS] term ((PLUS | MINUS) term)*
term: NUMBER | NUMBER "*" cell | cell "*" NUMBER | cell
value: [MINUS] NUMBER | TEXT | TRUE | FALSE
cell: (NAME | QUOTED) ["[" (KEY | TEXT) "]"]

_OR.2: /or(?!\w)|∨/i
_AND.2: /and(?!\w)|∧/i
_NOT.2: /not(?!\w)|¬/i
_IN.2: /in(?!\w)|∈/i
_IS.2: /is(?!\w)/i
_MISSING.2: /missing(?!\w)/i
BELOW.2: /below(?!\w)/i
TRUE.2: /true(?!\w)/i
FALSE.2: /false(?!\w)/i
OPERATOR: "<=" | ">=" | "!=" | "<>" | "=" | "<" | ">" | "≤" | "≥" | "≠"
PLUS: "+"
MINUS: "-" | "−"
NUMBER: /\d+/
NAME: /[^\W\d]\w*/
QUOTED: /"([^"]|"")+"/
TEXT: /'([^']|'')*'/
KEY: /-?\w+(-\w+)*/
%ignore /\s+/
"""
_SIGNS = {"<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
_EXPECTED = {
    "NAME": "a column",
    "QUOTED": "a column",
    "KEY": "a key",
    "TEXT": "a text in single quotes",
    "NUMBER": "an integer",
    "TRUE": "true",
    "FALSE": "false",
    "OPERATOR": "=, !=, <, <=, >, >=",
    "_IN": "in",
    "_IS": "is missing",
    "_MISSING": "missing",
    "BELOW": "below",
    "_AND": "and",
    "_OR": "or",
    "_NOT": "not",
    "LSQB": "'[key]'",
    "RSQB": "']'",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "$END": "the end",
}
DEPTH = 50
"""How deep formulas may be nested."""


@dataclass
class Scope:
    """What formulas may name: the sensitive columns with their domains, their taxonomies, and whether rows are named.

    Problems are collected in ``problems``.
    """

    where: str
    columns: Mapping[str, Domain]
    taxonomies: Mapping[str, Taxonomy]
    named: bool = True
    problems: list[Problem] = field(default_factory=list)


def parse(text: str, scope: Scope) -> Formula | None:
    """The formula that a text denotes; None with problems in ``scope`` where it denotes none."""
    known = len(scope.problems)
    try:
        found: Formula = _Build(text, scope).transform(_grammar().parse(text))
    except UnexpectedInput as error:
        scope.problems.append(_unread(text, error, scope.where))
        return None
    except RecursionError:
        found = Not(And(()))
    if _deep(found):
        scope.problems.append(Problem(scope.where, f"the formula is nested more than {DEPTH} levels deep"))
    return found if len(scope.problems) == known else None


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual", maybe_placeholders=False)


def _deep(formula: Formula) -> bool:
    level = [formula]
    for _ in range(DEPTH):
        level = [part for one in level for part in parts(one)]
    return bool(level)


def _unread(text: str, error: UnexpectedInput, where: str) -> Problem:
    names = getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None)
    wanted = sorted({_EXPECTED[name] for name in names or () if name in _EXPECTED})
    hint = f"expected {', '.join(wanted[:-1])}{' or ' if wanted[1:] else ''}{wanted[-1]}" if wanted else ""
    place = error.pos_in_stream
    token = getattr(error, "token", None)
    if isinstance(error, UnexpectedEOF) or getattr(token, "type", "") == "$END" or place is None:
        return marked(text, len(text.rstrip()), "the formula ends too early", where, hint)
    if isinstance(error, UnexpectedCharacters):
        if text[place] == ".":
            hint = "numbers are integers here"
        return marked(text, place, f"cannot read {text[place]!r} here", where, hint)
    return marked(text, place, f"{str(token)!r} does not fit here", where, hint)


def marked(text: str, place: int, what: str, where: str, hint: str = "") -> Problem:
    """A problem that points at a place in a formula."""
    start = text.rfind("\n", 0, place) + 1
    line = text[start:].split("\n", 1)[0].replace("\t", " ")
    picture = f"{line}\n{' ' * (place - start)}^"
    return Problem(where, f"character {place + 1}: {what}", f"{picture}\n{hint}" if hint else picture, private=True)


def _unquoted(token: Token) -> str:
    if token.type in ("TEXT", "QUOTED"):
        return str(token[1:-1]).replace(token[0] * 2, token[0])
    return str(token)


class _Build(Transformer[Token, Any]):
    """One method for each rule of the grammar; what does not fit is told to the scope."""

    def __init__(self, text: str, scope: Scope) -> None:
        super().__init__()
        self.text, self.scope = text, scope

    def complain(self, place: int, what: str, hint: str = "") -> None:
        self.scope.problems.append(marked(self.text, place, what, self.scope.where, hint))

    def start(self, items: list[Any]) -> Any:
        return items[0]

    def either(self, items: list[Any]) -> Formula:
        return Or(tuple(items))

    def both(self, items: list[Any]) -> Formula:
        return And(tuple(items))

    def negation(self, items: list[Any]) -> Formula:
        return Not(items[0])

    def cell(self, items: list[Token]) -> f.Cell:
        column, place = _unquoted(items[0]), items[0].start_pos or 0
        if column not in self.scope.columns:
            what = f"no sensitive column is called {column!r}"
            self.complain(place, what, nearest(column, self.scope.columns, "sensitive"))
        if len(items) == 1 and self.scope.named:
            self.complain(place, f"{column!r} of which row?", f"write {column}[key]")
        return f.Cell(column, _unquoted(items[1]) if len(items) > 1 else None, place)

    def term(self, items: list[Any]) -> f.Linear:
        numbers = [self.integer(item) for item in items if isinstance(item, Token)]
        named = [item for item in items if isinstance(item, f.Cell)]
        factor = numbers[0] if numbers else 1
        return f.Linear(((factor, named[0]),)) if named else f.Linear((), factor)

    def integer(self, token: Token) -> int:
        if int(token) > LARGEST:
            self.complain(token.start_pos or 0, f"{token} is larger than 2^52")
        return int(token)

    def sum(self, items: list[Any]) -> f.Linear:
        sign, factors, constant = 1, [], 0
        for item in items:
            if isinstance(item, Token):
                sign = -1 if item.type == "MINUS" else 1
                continue
            factors += [(sign * c, cell) for c, cell in item.factors]
            constant += sign * item.constant
        return f.Linear(tuple(factors), constant)

    def value(self, items: list[Token]) -> int | str | bool:
        if items[-1].type == "NUMBER":
            return self.integer(items[-1]) * (-1 if len(items) > 1 else 1)
        return self.constant(items[0])

    def constant(self, token: Token) -> str | bool:
        return _unquoted(token) if token.type == "TEXT" else token.type == "TRUE"

    def comparison(self, items: list[Any]) -> Formula:
        left, operator, right = items
        one, other = (self.constant(side) if isinstance(side, Token) else side for side in (left, right))
        self.comparable(one, other, operator.start_pos or 0)
        return f.Compare(one, _SIGNS.get(str(operator), str(operator)), other)

    def comparable(self, one: f.Side, other: f.Side, place: int) -> None:
        """Sums of integers with one another, a text or Boolean cell with its values or a cell that has the same."""
        named = [cell for side in (one, other) if isinstance(side, f.Linear) for _, cell in side.factors]
        if not named:
            self.complain(place, "no cell is compared here")
            return
        known = [cell for cell in named if cell.column in self.scope.columns]
        if len(known) < len(named):
            return
        whole = [self.scope.columns[cell.column].integral for cell in known]
        if all(whole) and isinstance(one, f.Linear) and isinstance(other, f.Linear):
            return
        if any(whole) or not all(self.single(side) for side in (one, other)):
            self.complain(place, "these cannot be compared", "sums and numbers are for columns of integers")
            return
        for side in (one, other):
            if not isinstance(side, f.Linear):
                self.among_values(known[0], side)
        if len({self.scope.columns[cell.column].values for cell in known}) > 1:
            self.complain(place, "these columns have other values, and cannot be compared")

    def single(self, side: f.Side) -> bool:
        return not isinstance(side, f.Linear) or (len(side.factors) == 1 == side.factors[0][0] and not side.constant)

    def among_values(self, cell: f.Cell, value: int | str | bool) -> None:
        """Complain where a value is none of the column's, or of another type."""
        domain = self.scope.columns.get(cell.column)
        if domain is None:
            return
        if kind_of(value) != domain.kind or (not domain.integral and value not in domain.values):
            hint = f"declared: {domain.text()}" if domain.integral else nearest(str(value), domain.values, "values")
            self.complain(cell.place, f"{cell.column!r} cannot be compared with {f.literal(value)}", hint)

    def among(self, items: list[Any]) -> Formula:
        for value in items[1:]:
            self.among_values(items[0], value)
        return f.Among(items[0], tuple(items[1:]))

    def outside(self, items: list[Any]) -> Formula:
        return Not(self.among(items))

    def missing(self, items: list[Any]) -> Formula:
        return f.Missing(items[0])

    def present(self, items: list[Any]) -> Formula:
        return Not(f.Missing(items[0]))

    def below(self, items: list[Any]) -> Formula:
        cell, node, place = items[0], _unquoted(items[2]), items[2].start_pos or 0
        tree = self.scope.taxonomies.get(cell.column)
        if tree is None:
            hint = nearest(cell.column, self.scope.taxonomies, "taxonomies")
            self.complain(place, f"{cell.column!r} has no taxonomy", hint)
        elif node not in tree:
            self.complain(place, f"{node!r} is no node", nearest(node, tree.nodes(), "nodes"))
        domain = self.scope.columns.get(cell.column)
        if tree is None or node not in tree or domain is None:
            return f.Among(cell, (), node)
        known = [v for v in domain.values if isinstance(v, str) and v in tree]  # a value that is no node was told
        return f.Among(cell, tuple(v for v in known if node in tree.path(v)), node)
