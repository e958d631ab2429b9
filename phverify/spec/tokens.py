"""The tokens of formulas.  What was asked for and not found is told with line, column
and a caret.

What a word means depends on what may stand there: ``2126*`` is a value after ``zip =``
and a product before ``l_a1(..)``; ``in`` may be a column where a formula begins.  So a
reader asks at each place only for the tokens that the language allows there, and what
it asked for is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from phverify.errors import InputError
from phverify.spec import syntax as s

SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

TOKENS: Mapping[str, re.Pattern[str]] = {
    shown: re.compile(pattern)
    for shown, pattern in {
        "never_known": (
            r"never_known(?=\s*\((?!\s*\)))"
        ),  # without a formula it is a criterion about secrets
        "pignistic": r"pignistic(?=\s*\()",
        "clauses": r"clauses(?=\s*\()",
        "missing": r"missing(?!-?\w)",
        "exists": r"exists(?!-?\w)|∃",
        "forall": r"forall(?!-?\w)|∀",
        "false": r"false(?!-?\w)|⊥",
        "true": r"true(?!-?\w)|⊤",
        "~": r"not(?!-?\w)|~|¬|!(?!=)",
        "&": r"and(?!-?\w)|&&?|∧",
        "abs(..)": r"abs(?=\s*\()",
        "|": r"or(?!-?\w)|\|\|?|∨",
        "in": r"in(?!-?\w)|∈",
        # l_diversity(..) is a criterion, so that no agent may be called diversity
        "l_a1(..)": r"(?!l_diversity\s*\()(l|ℓ)_\{?[A-Za-z]\w*\}?(?=\s*\()",
        "a number": r"\d+(\.\d+)?([eE][+-]?\d+)?(/\d+)?%?",
        "a value": r"-?\.?\d([\w.*/%:]|-(?=\w))*",
        "a quoted name": r"""'([^']|'')*'|"([^"]|"")*\"""",
        # Subscripts count as digits: no name begins with one.
        "a name": r"[^\W\d₀-₉]\w*(-\w+)*",
        "<->": r"<->|[↔≡⇔]",
        "->": r"->|[→⊃⇒]",
        ">=": r">=|≥",
        "<=": r"<=|≤",
        "!=": r"!=|≠",
        "=": r"=",
        "<": r"<(?!->)",
        ">": r">",
        "⟨": r"⟨",
        "⟩": r"⟩",
        "+": r"\+",
        "-": r"-(?!>)|−",
        "'*'": r"[*·×]",
        "'@i'": r"@",
        "':'": r":",
        "','": r",",
        "'('": r"\(",
        "')'": r"\)",
        "'[a]'": r"\[",
        "']'": r"\]",
        "'{'": r"\{",
        "'}'": r"\}",
        "the end": r"\Z",
    }.items()
}
"""The kinds of tokens as they are named in errors; where several could be meant, the
first one is.
"""
SPACE = re.compile(r"\s*")


def plain(word: str) -> str:
    """A variable, an agent or a position as it counts: i₃ is i3.  Columns, values and
    identifiers stay as written.
    """
    return word.translate(SUBSCRIPTS)


class Tokens:
    """A text from which one token after the other is taken."""

    kinds = TOKENS

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = _after_space(text, 0)
        """Where the next token begins."""
        self.ended = 0
        """Where the last token ended."""
        self.token = ""
        """The last token."""
        self.asked: set[str] = set()
        """What could stand here."""

    def sees(self, *kinds: str) -> str:
        """The first of these kinds of which the next token is, "" when it is of
        none.
        """
        self.asked.update(kinds)
        for kind in kinds:
            if self.kinds[kind].match(self.text, self.at):
                return kind
        return ""

    def take(self, *kinds: str) -> str:
        """The same; goes on behind the token, which is kept."""
        kind = self.sees(*kinds)
        if kind:
            token = self.kinds[kind].match(self.text, self.at)
            assert token is not None
            self.token = token[0]
            self.ended = token.end()
            self.at = _after_space(self.text, self.ended)
            # What could have stood here is of no interest any more.
            self.asked.clear()
        return kind

    def need(self, *kinds: str) -> str:
        """The same, where nothing else can stand.  Raises InputError."""
        return self.take(*kinds) or self.fail()

    def meant(self) -> str:
        """The last token, without its quotes."""
        quote = self.token[0]
        if quote not in "'\"":
            return self.token
        # Inside, a quote is written twice.
        return self.token[1:-1].replace(quote * 2, quote)

    def fail(self) -> str:
        """Raises InputError: nothing that could stand here does."""
        from phverify.spec.marks import misfit

        raise self.problem(*misfit(self))

    def problem(self, position: int, what: str, hint: str = "") -> InputError:
        """The error that something is wrong at a position."""
        from phverify.spec.marks import marked  # who makes no mistake reads no more

        here = s.Span(position, position)
        problem = marked(self.text, here, what, "", hint)
        return InputError(problem)

    def span(self, start: int) -> s.Span:
        """From a position to the end of the last token."""
        return s.Span(start, self.ended)

    def listed(self, item: Callable[[], Any]) -> tuple[Any, ...]:
        """One item or several, with commas between them."""
        items = [item()]
        while self.take("','"):
            items.append(item())
        return tuple(items)


def _after_space(text: str, position: int) -> int:
    space = SPACE.match(text, position)
    assert space is not None
    return space.end()
