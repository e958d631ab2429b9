"""The words of formulas over cells, and what is said where one does not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.errors import InputError, Problems
from phverify.spec import marks, tokens
from phverify.spec.syntax import Span

TEXT = "a text in single quotes"
COMPARISON = "=, !=, <, <=, >, >="
TOKENS: Mapping[str, re.Pattern[str]] = {
    shown: re.compile(pattern, re.IGNORECASE)
    for shown, pattern in {
        "sum(..)": r"sum(?=\s*\()",
        "or": r"or(?!\w)|∨",
        "and": r"and(?!\w)|∧",
        "not": r"not(?!\w)|¬",
        "in": r"in(?!\w)|∈",
        "is missing": r"is(?!\w)",
        "missing": r"missing(?!\w)",
        "below": r"below(?!\w)",
        "true": r"true(?!\w)",
        "false": r"false(?!\w)",
        COMPARISON: r"<=|>=|!=|<>|[=<>≤≥≠]",
        "+": r"\+",
        "-": r"[-−]",
        "*": r"\*",
        "an integer": r"\d+(\.\d+)?",
        "a column": r'[^\W\d]\w*|"([^"]|"")+"',
        TEXT: r"'([^']|'')*'",
        "a key": r"-?\w+(-\w+)*",
        "'('": r"\(",
        "')'": r"\)",
        "'[key]'": r"\[",
        "']'": r"\]",
        "','": r",",
        "the end": r"\Z",
    }.items()
}
"""The kinds of tokens as they are named in messages; where several could be meant, the
first one is.
"""
SIGNS = {"<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}


class FactTokens(tokens.Tokens):
    """A text read token by token; the scope is told what does not fit."""

    kinds = TOKENS

    def __init__(self, text: str, scope: FormulaScope) -> None:
        super().__init__(text)
        self.scope = scope

    def problem(self, position: int, what: str, hint: str = "") -> InputError:
        """What is wrong at a place of the text, with a caret below it."""
        here = self.text[position : position + 1]
        if here == ".":
            hint = "numbers are integers here"
        span = Span(position, position)
        marked = marks.marked(self.text, span, what, self.scope.where, hint)
        # People count characters from 1.
        place = position + 1
        with_place = f"character {place}: {what}"
        problem = replace(marked, what=with_place)
        return InputError(problem)

    def complain(self, place: int, what: str, hint: str = "") -> None:
        """Note a problem, and go on reading."""
        error = self.problem(place, what, hint)
        self.scope.problems += error.problems

    @property
    def place(self) -> int:
        """Where the last token begins."""
        return self.ended - len(self.token)


@dataclass
class FormulaScope:
    """What formulas may name: the sensitive columns with their domains and taxonomies.

    ``named`` says whether a cell names its row.  Problems are collected in
    ``problems``.
    """

    where: str
    columns: Mapping[str, Domain]
    taxonomies: Mapping[str, Taxonomy]
    named: bool = True
    problems: Problems = field(default_factory=list)
    persons: bool = False
    """Whether the formula is about a person, of whom there may be several rows."""
