"""From the text of a formula to nested tuples with names as written.

What a word means depends on what may stand there: ``2126*`` is a value after ``zip =`` and a product before
``l_a1(..)``; ``in`` may be a column where a formula begins.  The reader below therefore asks at each place only for
the tokens that the language allows there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from phverify.spec.source import Refused, number, shortened
from phverify.spec.tuples import Formula, Linear, children

DEPTH = 60
"""Formulas nested in one another, at most."""
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
SIGNS = {"≠": "!=", "≤": "<=", "≥": ">="}
QUANTITY = r"abs(?=\s*\()|(?!l_diversity\s*\()(l|ℓ)_\{?[A-Za-z]\w*\}?(?=\s*\()"
TOKENS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "forall": r"forall(?!-?\w)|∀",
        "exists": r"exists(?!-?\w)|∃",
        "in": r"in(?!-?\w)|∈",
        "clauses": r"clauses(?=\s*\()",
        "missing": r"missing(?!-?\w)",
        "true": r"true(?!-?\w)|⊤",
        "false": r"false(?!-?\w)|⊥",
        "not": r"not(?!-?\w)|~|¬|!(?!=)",
        "and": r"and(?!-?\w)|&&?|∧",
        "or": r"or(?!-?\w)|\|\|?|∨",
        "implies": r"->|→|⊃|⇒",
        "iff": r"<->|↔|≡|⇔",
        "<": r"<|⟨",
        ">": r">|⟩",
        "comparison": r"<=|>=|!=|<(?!->)|[=>≠≤≥]",
        "sign": r"[-−](?!>)|\+",
        "minus": r"[-−](?!>)",
        "times": r"[*·×]",
        "quantity": QUANTITY,
        "pignistic": r"pignistic(?=\s*\()",
        "sum": rf"[-−\d]|{QUANTITY}",
        "name": r"[^\W\d]\w*(-\w+)*",
        "string": r"""'([^']|'')*'|"([^"]|"")*\"""",
        "number": r"\d+(\.\d+)?([eE][+-]?\d+)?(/\d+)?%?",
        "value": r"-?\.?\d([\w.*/%:]|-(?=\w))*",
        "end": r"\Z",
    }.items()
}


def parse(text: str) -> Formula:
    """The formula of a text, with its names as written: ("name", text, quoted).

    Raises Refused for anything that is no formula, or is nested more than 60 levels deep.
    """
    try:
        reader = _Reader(text)
        formula = reader.formula()
        reader.need("end")
    except ValueError as error:
        raise Refused(f"no formula: {error}") from None
    except RecursionError:
        raise Refused("the formula is nested too deeply") from None
    level, depth = [formula], 0
    while level:
        level, depth = [child for node in level for child in children(node)], depth + 1
    if depth > DEPTH:
        raise Refused(f"the formula is nested more than {DEPTH} levels deep")
    return formula


def _plain(word: str) -> str:
    """A name as it counts: i₃ is i3."""
    return word.translate(SUBSCRIPTS)


def _unquoted(string: str) -> str:
    return string[1:-1].replace(string[0] * 2, string[0])


class _Reader:
    """Recursive descent: each method reads one kind of expression from where the last one ended."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def _found(self, kind: str) -> re.Match[str] | None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        pattern = TOKENS.get(kind) or re.compile(re.escape(kind))
        return pattern.match(self.text, self.at)

    def sees(self, kind: str) -> bool:
        return self._found(kind) is not None

    def take(self, kind: str) -> str:
        """The next token if it is of this kind, else nothing."""
        found = self._found(kind)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def need(self, kind: str) -> str:
        if not self.sees(kind):
            if re.search(r"never_known\s*\(", self.text):
                raise Refused("certificates do not cover never_known")
            rest = shortened(self.text[self.at :]) or "the end"
            raise Refused(f"no formula: {kind} expected at character {self.at + 1}, before {rest!r}")
        return self.take(kind)

    # formulas

    def formula(self) -> Formula:
        for kind in ("forall", "exists"):
            if self.take(kind):
                binders = self.listed(self.binder)
                self.need(":")
                return (kind, binders, self.formula())
        return self.iff()

    def listed(self, item: Callable[[], Any]) -> tuple[Any, ...]:
        items = [item()]
        while self.take(","):
            items.append(item())
        return tuple(items)

    def binder(self) -> tuple[str, str, str, int]:
        name = _plain(self.need("name"))
        if not self.take("in"):
            return (name, "individuals", "", 0)
        if self.take("clauses"):
            return (name, "clauses", *self.clauses())
        word = self.take("name")
        if word in ("individuals", "agents"):
            return (name, word, "", 0)
        return (name, "values", _plain(word) if word else _unquoted(self.need("string")), 0)

    def clauses(self) -> tuple[str, int]:
        """The column and the length in ``(column, length)``."""
        self.need("(")
        column = self.label()
        self.need(",")
        length = number(self.need("number"))
        self.need(")")
        if length < 1 or length.denominator > 1:
            raise Refused(f"no formula: a clause has a whole number of values, not {shortened(str(length))}")
        return column, int(length)

    def iff(self) -> Formula:
        left = self.implies()
        while self.take("iff"):
            left = ("iff", left, self.implies())
        return left

    def implies(self) -> Formula:
        left = self.joined("or", lambda: self.joined("and", self.unary))
        return ("implies", left, self.implies()) if self.take("implies") else left

    def joined(self, kind: str, part: Callable[[], Formula]) -> Formula:
        parts = [part()]
        while self.take(kind):
            parts.append(part())
        return (kind, tuple(parts)) if len(parts) > 1 else parts[0]

    def unary(self) -> Formula:
        if self.take("not"):
            return ("not", self.unary())
        if self.take("@"):
            return ("at", self.reference(), self.unary())
        for opening, closing, kind in (("<", ">", "some"), ("[", "]", "every")):
            if self.take(opening):
                agent = _plain(self.need("name"))
                self.need(closing)
                return (kind, agent, self.unary())
        return self.atom()

    def atom(self) -> Formula:
        for kind in ("true", "false"):
            if self.take(kind):
                return (kind,)
        if self.take("("):
            inner = self.formula()
            self.need(")")
            return inner
        if self.take("pignistic"):
            return self.bet()
        if not self.sees("sum"):
            return self.named()
        left = self.linear()
        sign = self.need("comparison")
        return ("compare", left, SIGNS.get(sign, sign), self.linear())

    def bet(self) -> Formula:
        """``pignistic(i, a) <= q`` is short for ``@i l_a(i) <= q``."""
        self.need("(")
        who = self.reference()
        self.need(",")
        agent = _plain(self.need("name"))
        self.need(")")
        sign, bound = self.need("comparison"), number(self.need("number"))
        share = ((Fraction(1), ("l", agent, ("who", who))),)
        return ("at", who, ("compare", (share, Fraction(0)), SIGNS.get(sign, sign), ((), bound)))

    def named(self) -> Formula:
        """What begins with a name: a criterion, a descriptor or a nominal."""
        word = self.take("name")
        if word and self.take("("):
            items = () if self.sees(")") else self.listed(self.argument)
            self.need(")")
            positional, named = (tuple(i for i in items if bool(i[0]) == keyword) for keyword in (False, True))
            return ("criterion", word, tuple(text for _, text in positional), named)
        name = ("name", _plain(word), False) if word else ("name", _unquoted(self.need("string")), True)
        if sign := self.take("comparison"):
            return ("is", name[1], SIGNS.get(sign, sign), (self.value(),))
        if self.take("in"):
            self.need("{")
            values = self.listed(self.value)
            self.need("}")
            return ("is", name[1], "in", values)
        return ("who", name)

    # names and values

    def label(self) -> str:
        word = self.take("name")
        return _plain(word) if word else _unquoted(self.need("string"))

    def reference(self) -> Formula:
        quoted = self.sees("string")
        return ("name", self.label(), quoted)

    def value(self) -> Any:
        """None for ``missing``; a bare name may be a variable."""
        if self.take("missing"):
            return None
        if self.sees("name"):
            return ("name", self.label(), False)
        return self.take("value") or self.label()

    def argument(self) -> tuple[str, str]:
        """The parameter, "" where none is named, and the text."""
        word = self.take("name")
        if word and self.take("="):
            return (word, self.take("value") or self.label())
        return ("", _plain(word) or self.take("value") or self.label())

    # sums

    def linear(self) -> Linear:
        sign = -1 if self.take("minus") else 1
        terms, constant = self.term(sign)
        while found := self.take("sign"):
            more, number = self.term(1 if found == "+" else -1)
            terms, constant = terms + more, constant + number
        return terms, constant

    def term(self, sign: int) -> tuple[tuple[Any, ...], Fraction]:
        text = self.take("number")
        factor = sign * (number(text) if text else Fraction(1))
        if text and not self.take("times") and not self.sees("quantity"):
            return (), factor
        return ((factor, self.quantity()),), Fraction(0)

    def quantity(self) -> Formula:
        word = self.need("quantity")
        self.need("(")
        inner = self.linear() if word == "abs" else self.formula()
        self.need(")")
        return ("abs", inner) if word == "abs" else ("l", _plain(word[2:].strip("{}")), inner)
