"""From text to what formulas are about: numbers, values, individuals, agents."""

from __future__ import annotations

from fractions import Fraction

from phverify.errors import InputError
from phverify.spec import syntax as s
from phverify.spec.source import (
    DIGITS,
    Unsettled,
    number,
    shortened,
)
from phverify.spec.tokens import Tokens, plain


class NameReader(Tokens):
    """Each method reads one kind of name from where the last one ended."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.scope: dict[str, str] = {}
        """The sorts of the variables that schemas have bound."""
        self.wrong: list[InputError] = []
        """Numbers that are none: reported when the rest of the formula is one."""

    def number(self, start: int) -> Fraction:
        """The number that was read last."""
        try:
            return number(self.token)
        except ValueError as error:
            self.wrong.append(self.problem(start, str(error)))
        except Unsettled:
            self.too_long(start)
        # Any number will do: the text is refused.
        return Fraction(1)

    def too_long(self, start: int) -> None:
        """A number that the checker would refuse, and no message could show."""
        what = f"{shortened(self.token)} has more than {DIGITS:,} digits"
        self.wrong.append(self.problem(start, what))

    def bounded(self, start: int) -> None:
        """Whether a number fits its parameter is asked where the criterion is known."""
        try:
            number(self.token)
        except Unsettled:
            self.too_long(start)
        except ValueError:
            pass

    def label(self, *kinds: str) -> str:
        """A name or a quoted text, or another of these kinds, without its quotes."""
        self.need(*kinds, "a name", "a quoted name")
        return self.meant()

    def variable(self, kind: str) -> s.Var | None:
        """The variable that the token that was read last names, if it is bound here."""
        name = plain(self.token)
        if kind == "a name" and name in self.scope:
            return s.Var(name)
        return None

    def reference(self) -> s.Reference:
        """An individual or a record, or a variable that stands for one."""
        kind = self.need("a name", "a quoted name")
        return self.referred(kind)

    def referred(self, kind: str) -> s.Reference:
        """The same, of the token that was read last."""
        variable = self.variable(kind)
        if variable is not None:
            return variable
        quoted = kind == "a quoted name"
        text = self.meant()
        return s.Name(text, quoted)

    def nominal(self, name: s.Reference, span: s.Span) -> s.Formula:
        """An individual or a record, or the clause that a variable stands for."""
        if isinstance(name, s.Var) and self.scope[name.name] == "clauses":
            return s.Chosen(name, span=span)
        return s.Nominal(name, span=span)

    def agent(self) -> s.Agent:
        """An agent, or a variable that stands for one."""
        self.need("a name")
        name = plain(self.token)
        return self.known_as(name)

    def known_as(self, agent: str) -> s.Agent:
        """The same, of its name."""
        bound = self.scope.get(agent) == "agents"
        if bound:
            return s.Var(agent)
        return agent

    def value(self) -> s.Operand:
        """A value of a column, ``missing``, or a variable that stands for a value."""
        kind = self.need("missing", "a value", "a name", "a quoted name")
        if kind == "missing":
            return s.Value(None)
        variable = self.variable(kind)
        if variable is not None:
            return variable
        text = self.meant()
        return s.Value(text)
