"""From text to formulas.  A syntax error names line, column and what was expected, with a caret."""

from __future__ import annotations

import difflib
import re
from fractions import Fraction
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, VisitError
from lark.tree import Meta

from phverify.errors import InputError, Problem
from phverify.exact import rational
from phverify.spec import syntax as s

OPERATORS = {"EQUAL": "=", "UNEQUAL": "!=", "LESS": "<", "ATMOST": "<=", "GREATER": ">", "ATLEAST": ">="}
DEPTH = 60
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

EXPECTED = {
    "NAME": "a name",
    "STRING": "a quoted name",
    "VALUE": "a value",
    "NUMBER": "a number",
    "LIKELIHOOD": "l_a1(..)",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'[a]'",
    "RSQB": "']'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "COMMA": "','",
    "COLON": "':'",
    "AT": "'@i'",
    "STAR": "'*'",
    "NOT": "~",
    "AND": "&",
    "OR": "|",
    "ARROW": "->",
    "IFF": "<->",
    "IN": "in",
    "FORALL": "forall",
    "EXISTS": "exists",
    "TRUE": "true",
    "FALSE": "false",
    "ABS": "abs(..)",
    "MISSING": "missing",
    "PLUS": "+",
    "MINUS": "-",
    "$END": "the end",
} | OPERATORS


def parse(text: str, where: str = "formula") -> s.Formula:
    """The formula that a text denotes, with variables bound and names as written.

    Raises InputError with the line, the column, a caret under the place, and what was expected there.
    """
    try:
        return _parsed(text)
    except UnexpectedInput as error:
        raise InputError(_syntax_problem(text, error, where)) from None
    except VisitError as error:
        start = getattr(getattr(error.obj, "meta", None), "start_pos", 0)
        raise InputError(_marked(text, start, str(error.orig_exc), where)) from None
    except RecursionError:
        raise InputError(Problem(where, "the formula is nested too deeply")) from None
    except InputError as error:
        raise InputError(Problem(where, problem.what) for problem in error.problems) from None


@lru_cache(maxsize=65536)
def _parsed(text: str) -> s.Formula:
    """Policies repeat formulas, for one person after another."""
    formula: s.Formula = _Build().transform(_grammar().parse(text))
    if depth(formula) > DEPTH:
        raise InputError(Problem("", f"the formula is nested more than {DEPTH} levels deep"))
    return bind(formula, {})


def depth(formula: s.Formula) -> int:
    """How many formulas are nested in one another, at most."""
    level, count = [formula], 0
    while level:
        level, count = [child for node in level for child in s.children(node)], count + 1
    return count


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    text = files("phverify.logic").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=False)


def _syntax_problem(text: str, error: UnexpectedInput, where: str) -> Problem:
    wanted = sorted({EXPECTED[t] for t in _expected(error) if t in EXPECTED})
    hint = f"expected {_listed(wanted)}" if wanted else ""
    for name in re.findall(r"\bl_\w+(?=\s*\()", text):
        if name != "l_diversity" and difflib.get_close_matches(name, ["l_diversity"], cutoff=0.7):
            hint = f"did you mean 'l_diversity'? ({name} reads as the likelihood of an agent {name[2:]!r})"
    if isinstance(error, UnexpectedEOF) or getattr(getattr(error, "token", None), "type", "") == "$END":
        return _marked(text, len(text.rstrip()), "the formula ends too early", where, hint)
    position = error.pos_in_stream or 0
    if isinstance(error, UnexpectedCharacters):
        return _marked(text, position, f"cannot read {text[position]!r} here", where, hint)
    token = getattr(error, "token", "")
    return _marked(text, position, f"{str(token)!r} does not fit here", where, hint)


def _expected(error: UnexpectedInput) -> set[str]:
    found = getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None)
    return set(found or ())


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " or " + items[-1]


def marked(text: str, span: s.Span | None, what: str, where: str, hint: str = "") -> Problem:
    """A problem that points at a place in a formula."""
    return _marked(text, span.start if span else 0, what, where, hint)


def _marked(text: str, position: int, what: str, where: str, hint: str = "") -> Problem:
    line = text.count("\n", 0, position) + 1
    start = text.rfind("\n", 0, position) + 1
    column = position - start + 1
    shown = text[start:].split("\n", 1)[0].replace("\t", " ")
    picture = f"{shown}\n{' ' * (column - 1)}^"
    said = f"line {line}, column {column}: {what}"
    return Problem(where, said, f"{picture}\n{hint}" if hint else picture, private=True)


def _span(meta: Meta) -> s.Span | None:
    return None if meta.empty else s.Span(meta.start_pos, meta.end_pos)


def _unquote(token: Token) -> str:
    if token.type != "STRING":
        return str(token).translate(SUBSCRIPTS) if token.type == "NAME" else str(token)
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


def _flat(kind: Any, meta: Meta, items: list[Any]) -> s.Formula:
    parts = tuple(item for item in items if not isinstance(item, Token))
    return kind(parts, span=_span(meta))  # type: ignore[no-any-return]


@v_args(meta=True)
class _Build(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def start(self, _: Meta, items: list[Any]) -> Any:
        return items[0]

    def schema(self, meta: Meta, items: list[Any]) -> s.Formula:
        quantifier, *binders, body = items
        universal = quantifier.type == "FORALL"
        return s.Quantified(universal, tuple(binders), body, span=_span(meta))

    def over_individuals(self, _: Meta, items: list[Any]) -> s.Binder:
        return s.Binder(s.Var(_unquote(items[0])), "individuals")

    def over_values(self, _: Meta, items: list[Any]) -> s.Binder:
        var, domain = s.Var(_unquote(items[0])), items[2]
        if domain.type == "NAME" and str(domain) in ("individuals", "agents"):
            return s.Binder(var, str(domain))
        return s.Binder(var, "values", _unquote(domain))

    def over_clauses(self, _: Meta, items: list[Any]) -> s.Binder:
        length = rational(str(items[4]))
        if length.denominator != 1 or length < 1:
            raise ValueError("a clause has a whole number of values, at least 1")
        return s.Binder(s.Var(_unquote(items[0])), "clauses", items[3], int(length))

    def iff(self, meta: Meta, items: list[Any]) -> s.Formula:
        parts = [item for item in items if not isinstance(item, Token)]
        result = parts[0]
        for part in parts[1:]:
            result = s.Iff(result, part, span=_span(meta))
        return result  # type: ignore[no-any-return]

    def implies(self, meta: Meta, items: list[Any]) -> s.Formula:
        *lefts, result = [item for item in items if not isinstance(item, Token)]
        for left in reversed(lefts):
            result = s.Implies(left, result, span=_span(meta))
        return result  # type: ignore[no-any-return]

    def negation(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Not(items[1], span=_span(meta))

    def at(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.At(items[0], items[1], span=_span(meta))

    def diamond(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Diamond(_unquote(items[1]), items[3], span=_span(meta))

    def box(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Box(_unquote(items[0]), items[1], span=_span(meta))

    def true(self, meta: Meta, _: list[Any]) -> s.Formula:
        return s.Truth(True, span=_span(meta))

    def false(self, meta: Meta, _: list[Any]) -> s.Formula:
        return s.Truth(False, span=_span(meta))

    def parentheses(self, _: Meta, items: list[Any]) -> Any:
        return items[0]

    def descriptor(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Descriptor(items[0], items[1], (items[2],), span=_span(meta))

    def membership(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Descriptor(items[0], "in", tuple(items[2:]), span=_span(meta))

    def compare(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Compare(items[0], items[1], items[2], span=_span(meta))

    def pignistic(self, meta: Meta, items: list[Any]) -> s.Formula:
        """``pignistic(i, a) <= q`` is ``@i l_a(i) <= q``: what a bets on i, where i is (Torra and Stokes)."""
        _, who, agent, op, bound = items
        bet = s.likelihood(_unquote(agent), s.Nominal(who, span=_span(meta)))
        return s.At(who, s.Compare(bet, op, s.number(rational(str(bound))), span=_span(meta)), span=_span(meta))

    def never_known(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.NeverKnown(items[1], span=_span(meta))

    def nominal_atom(self, meta: Meta, items: list[Any]) -> s.Formula:
        return s.Nominal(items[0], span=_span(meta))

    def criterion(self, meta: Meta, items: list[Any]) -> s.Formula:
        args = tuple(text for name, text in items[1:] if not name)
        named = tuple((name, text) for name, text in items[1:] if name)
        return s.Criterion(str(items[0]), args, named, span=_span(meta))

    def column(self, _: Meta, items: list[Any]) -> str:
        return _unquote(items[0])

    def nominal(self, _: Meta, items: list[Any]) -> s.Name:
        return s.Name(_unquote(items[0]), items[0].type == "STRING")

    def value(self, _: Meta, items: list[Any]) -> Any:
        if items[0].type == "MISSING":
            return s.Value(None)
        # a bare name may be a variable: bind() decides
        return s.Var(_unquote(items[0])) if items[0].type == "NAME" else s.Value(_unquote(items[0]))

    def positional(self, _: Meta, items: list[Any]) -> tuple[str, str]:
        return "", _unquote(items[0])

    def keyword(self, _: Meta, items: list[Any]) -> tuple[str, str]:
        return str(items[0]), _unquote(items[2])

    def cmp(self, _: Meta, items: list[Any]) -> str:
        return OPERATORS[items[0].type]

    relation = cmp

    def sum(self, _: Meta, items: list[Any]) -> s.Linear:
        sign, result = 1, s.Linear(())
        for item in items:
            if isinstance(item, Token):
                sign = -1 if item.type == "MINUS" else 1
            else:
                result, sign = s.plus(result, s.times(sign, item)), 1
        return result

    def scaled(self, _: Meta, items: list[Any]) -> s.Linear:
        return s.Linear(((rational(str(items[0])), items[-1]),))

    def unscaled(self, _: Meta, items: list[Any]) -> s.Linear:
        return s.Linear(((Fraction(1), items[0]),))

    def constant(self, _: Meta, items: list[Any]) -> s.Linear:
        return s.number(rational(str(items[0])))

    def likelihood(self, _: Meta, items: list[Any]) -> s.Likelihood:
        return s.Likelihood(str(items[0])[2:].strip("{}").translate(SUBSCRIPTS), items[1])

    def absolute(self, _: Meta, items: list[Any]) -> s.Abs:
        return s.Abs(items[1])


for _rule, _kind in (("and", s.And), ("or", s.Or)):
    setattr(_Build, _rule, v_args(meta=True)(lambda self, meta, items, kind=_kind: _flat(kind, meta, items)))


def bind(formula: s.Formula, scope: dict[str, str]) -> s.Formula:
    """Names in the scope of a schema become variables; ``scope`` maps a variable to its sort."""
    inner = partial(bind, scope=scope)
    match formula:
        case s.Quantified(universal, binders, body):
            scope = scope | {binder.var.name: binder.sort for binder in binders}
            return s.Quantified(universal, binders, bind(body, scope), span=formula.span)
        case s.Nominal(s.Name(text, False)) if text in scope:
            if scope[text] == "clauses":
                return s.Chosen(s.Var(text), span=formula.span)
            return s.Nominal(s.Var(text), span=formula.span)
        case s.At(s.Name(text, False), body) if text in scope:
            return s.At(s.Var(text), inner(body), span=formula.span)
        case s.Descriptor(attribute, op, values):
            bound = tuple(_bound_value(value, scope) for value in values)
            return s.Descriptor(attribute, op, bound, span=formula.span)
        case s.Diamond(agent, body):
            return s.Diamond(_bound_agent(agent, scope), inner(body), span=formula.span)
        case s.Box(agent, body):
            return s.Box(_bound_agent(agent, scope), inner(body), span=formula.span)
        case s.Compare(left, op, right):

            def term(item: s.Likelihood) -> s.Likelihood:
                return s.Likelihood(_bound_agent(item.agent, scope), item.body)

            formula = s.Compare(s.map_linear(left, term), op, s.map_linear(right, term), span=formula.span)
    return s.rebuild(formula, inner)


def _bound_value(value: s.Operand, scope: dict[str, str]) -> s.Operand:
    return s.Value(value.name) if isinstance(value, s.Var) and value.name not in scope else value


def _bound_agent(agent: s.Agent, scope: dict[str, str]) -> s.Agent:
    return s.Var(agent) if isinstance(agent, str) and scope.get(agent) == "agents" else agent
