"""From text to formulas.

A syntax error names line, column and what was expected, with a caret.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from phverify.errors import InputError, refusal
from phverify.spec import syntax as s
from phverify.spec.parsed_names import NameReader
from phverify.spec.source import NUMBER
from phverify.spec.tokens import plain

DEPTH = 60
"""Formulas nested in one another, at most."""
COMPARISONS = tuple(s.RELATIONS)
CONNECTIVES = ("<->", "->", "|", "&")
"""The signs between formulas; the first binds least."""

ARGUMENT = ("a value", "a name", "a quoted name")
INNER_QUANTIFIER = re.compile(
    r"(?P<word>∀|∃|(forall|exists)(?=\s))\s*(?!(in|and|or)\b|∈)[^\W\d]"
)
"""A quantifier with its variable; ``exists in {..}`` is about a column."""


def parse(text: str, where: str = "formula") -> s.Formula:
    """The formula that a text denotes, with variables bound and names as written.

    Raises InputError with the line, the column, a caret under the place, and what was
    expected there.
    """
    try:
        return _parsed(text)
    except RecursionError:
        raise refusal(where, "the formula is nested too deeply") from None
    except InputError as error:
        raise InputError(
            replace(problem, where=where) for problem in error.problems
        ) from None


@lru_cache(maxsize=65536)
def _parsed(text: str) -> s.Formula:
    """Policies repeat formulas, for one person after another."""
    reader = _Reader(text)
    formula = reader.formula()
    reader.need("the end")
    if reader.wrong:
        raise reader.wrong[0]
    if depth(formula) > DEPTH:
        raise refusal("", f"the formula is nested more than {DEPTH} levels deep")
    return formula


def depth(formula: s.Formula) -> int:
    """How many formulas are nested in one another, at most."""
    # level by level, not by recursion: the formula may be deeper than Python's stack
    count = 0
    level = [formula]
    while level:
        count += 1
        level = [child for node in level for child in s.children(node)]
    return count


class _Reader(NameReader):
    """Recursive descent: each method reads one kind of expression from where the last
    one ended.
    """

    def formula(self, binding: int = 0) -> s.Formula:
        """A formula, as far as it goes; a quantifier's body goes as far as it can.

        With ``binding`` only as far as signs bind so much, and without a quantifier.
        """
        start = self.at
        if not binding:
            quantifier = self.take("forall", "exists")
            if quantifier:
                return self.schema(quantifier == "forall", start)

        formula = self.unary()
        # The signs that bind most come first; what stands between others is read whole.
        for level in reversed(range(binding, len(CONNECTIVES))):
            sign = CONNECTIVES[level]
            parts = [formula]
            while self.take(sign):
                parts.append(self.formula(level + 1))
            formula = _compound(sign, parts, self.span(start))
        return formula

    def schema(self, universal: bool, start: int) -> s.Formula:
        """``i, v in column: body``, after ``forall`` or ``exists``."""
        binders = self.listed(self.binder)
        self.need("':'")
        # An inner variable hides one of its name outside.
        outside = self.scope
        bound = {binder.var.name: binder.sort for binder in binders}
        self.scope = outside | bound
        body = self.formula()
        self.scope = outside
        return s.Quantified(universal, binders, body, span=self.span(start))

    def binder(self) -> s.Binder:
        """A variable and what it ranges over; individuals where nothing is said."""
        start = self.at
        self.need("a name")
        name = plain(self.token)
        var = s.Var(name)
        if not self.take("in"):
            return s.Binder(var, "individuals")
        if self.take("clauses"):
            return self.clauses(var, start)
        kind = self.need("a name", "a quoted name")
        # In quotes these words are columns.
        of_everybody = kind == "a name" and self.token in ("individuals", "agents")
        if of_everybody:
            return s.Binder(var, self.token)
        column = self.meant()
        return s.Binder(var, "values", column)

    def clauses(self, var: s.Var, start: int) -> s.Binder:
        """The column and the length in ``(column, length)``."""
        self.need("'('")
        column = self.label()
        self.need("','")
        self.need("a number")
        length = self.number(start)
        if length.denominator != 1 or length < 1:
            what = "a clause has a whole number of values, at least 1"
            self.wrong.append(self.problem(start, what))
        self.need("')'")
        return s.Binder(var, "clauses", column, int(length))

    def unary(self) -> s.Formula:
        """A formula without connectives: an operator and what it is about, or an
        atom.
        """
        start = self.at
        self.no_bare_quantifier()
        match self.take("~", "'@i'", "<", "⟨", "'[a]'"):
            case "~":
                return s.Not(self.unary(), span=self.span(start))
            case "'@i'":
                name = self.reference()
                return s.At(name, self.unary(), span=self.span(start))
            case "<" | "⟨":
                agent = self.agent()
                self.need(">", "⟩")
                return s.Diamond(agent, self.unary(), span=self.span(start))
            case "'[a]'":
                agent = self.agent()
                self.need("']'")
                return s.Box(agent, self.unary(), span=self.span(start))
        return self.atom(start)

    def no_bare_quantifier(self) -> None:
        """Raises InputError for a quantifier after a sign: how far it would reach is
        not seen at a glance.
        """
        quantifier = INNER_QUANTIFIER.match(self.text, self.at)
        if quantifier is None:
            return
        word = quantifier["word"]
        what = f"{word!r} needs parentheses here"
        hint = f"write it in parentheses: ({word} .. : ..)"
        raise self.problem(self.at, what, hint)

    def atom(self, start: int) -> s.Formula:
        """A formula that is no operator's."""
        match self.take("true", "false", "'('", "pignistic", "never_known"):
            case "true" | "false" as kind:
                return s.Truth(kind == "true", span=self.span(start))
            case "'('":
                return self.closed()
            case "pignistic":
                return self.bet(start)
            case "never_known":
                self.need("'('")
                return s.NeverKnown(self.closed(), span=self.span(start))
        if self.sees("-", "a number", "l_a1(..)", "abs(..)"):
            left = self.linear()
            sign = self.need(*COMPARISONS)
            return s.Compare(left, sign, self.linear(), span=self.span(start))
        return self.named(start)

    def closed(self) -> s.Formula:
        """A formula up to the parenthesis that closes it."""
        inner = self.formula()
        self.need("')'")
        return inner

    def bet(self, start: int) -> s.Formula:
        """``pignistic(i, a) <= q`` is ``@i l_a(i) <= q``: what a bets on i, where i is
        (Torra and Stokes).
        """
        self.need("'('")
        who = self.reference()
        self.need("','")
        agent = self.agent()
        self.need("')'")
        sign = self.need(*COMPARISONS)
        self.need("a number")
        number = self.number(start)
        bound = s.number(number)
        span = self.span(start)
        person = self.nominal(who, span)
        likelihood = s.likelihood(agent, person)
        bet = s.Compare(likelihood, sign, bound, span=span)
        return s.At(who, bet, span=span)

    def named(self, start: int) -> s.Formula:
        """What begins with a name: a criterion, a descriptor or a nominal."""
        kind = self.need("a name", "a quoted name")
        text = self.meant()
        name = self.referred(kind)
        # In quotes it is a column or an individual, whatever follows.
        if kind == "a name" and self.take("'('"):
            return self.criterion(text, start)
        if sign := self.take(*COMPARISONS):
            return s.Descriptor(text, sign, (self.value(),), span=self.span(start))
        if self.take("in"):
            self.need("'{'")
            values = self.listed(self.value)
            self.need("'}'")
            return s.Descriptor(text, "in", values, span=self.span(start))
        return self.nominal(name, self.span(start))

    def criterion(self, name: str, start: int) -> s.Formula:
        """A criterion's arguments, of which some may be named."""
        arguments = () if self.sees("')'") else self.listed(self.argument)
        self.need("')'")
        given = [text for param, text in arguments if not param]
        named = [argument for argument in arguments if argument[0]]
        span = self.span(start)
        return s.Criterion(name, tuple(given), tuple(named), span=span)

    def argument(self) -> tuple[str, str]:
        """The parameter, "" where none is named, and the text."""
        param = ""
        start = self.at
        kind = self.need(*ARGUMENT)
        text = self.meant()
        if kind == "a name" and self.take("="):
            param = text
            start = self.at
            kind = self.need(*ARGUMENT)
            text = self.meant()
        if kind == "a value" and NUMBER.fullmatch(text):
            self.bounded(start)
        return param, text

    # sums

    def linear(self) -> s.Linear:
        """A sum of numbers and likelihoods."""
        factor = -1 if self.take("-") else 1
        terms = [s.times(factor, self.term())]
        while sign := self.take("+", "-"):
            factor = -1 if sign == "-" else 1
            terms.append(s.times(factor, self.term()))
        return s.plus(*terms)

    def term(self) -> s.Linear:
        """A number, or a likelihood with its factor."""
        start = self.at
        factor = Fraction(1)
        if self.take("a number"):
            factor = self.number(start)
            alone = not self.take("'*'") and not self.sees("l_a1(..)", "abs(..)")
            if alone:
                return s.number(factor)
        quantity = self.quantity()
        return s.Linear(((factor, quantity),))

    def quantity(self) -> s.Likelihood | s.Abs:
        """``l_a(formula)`` or ``abs(sum)``."""
        kind = self.need("l_a1(..)", "abs(..)")
        if kind == "abs(..)":
            self.need("'('")
            inner = self.linear()
            self.need("')'")
            return s.Abs(inner)
        # ``l_a1`` and ``l_{a1}`` are the same.
        name = self.token[2:].strip("{}")
        agent = self.known_as(plain(name))
        self.need("'('")
        return s.Likelihood(agent, self.closed())


def _compound(sign: str, parts: list[s.Formula], span: s.Span) -> s.Formula:
    if len(parts) == 1:
        return parts[0]
    match sign:
        case "&":
            return s.And(tuple(parts), span=span)
        case "|":
            return s.Or(tuple(parts), span=span)
        case "->":  # a -> b -> c is a -> (b -> c)
            *premises, formula = parts
            for premise in reversed(premises):
                formula = s.Implies(premise, formula, span=span)
        case _:  # a <-> b <-> c is (a <-> b) <-> c
            formula, *others = parts
            for other in others:
                formula = s.Iff(formula, other, span=span)
    return formula
