"""From text to formulas over cells.  A message shows the place with a caret, and names
the nearest right thing.

::

    balance[Jean] >= 420 and (illness[Ann] = 'flu' or illness[Bob] = 'flu')
    balance[Jean] > balance[Ann]          # two cells
    balance[Jean] + 2 * balance[Ann] >= 700
    illness[Ann] in ('flu', 'cancer')     # or: not in
    illness[Ann] below 'Viral-Infection'  # at or below a node of the column's taxonomy
    balance['Jean Paul'] is not missing   # a key that is no word stands in single
    quotes, a column in double ones

A sum has integer cells and constants.  Texts stand in single quotes.  Words such as
``and`` may be in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from phverify.disclosure.connectives import And, Formula, Not, Or, parts
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import LARGEST, Domain, kind_of
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.errors import InputError, Problem, Problems, nearest
from phverify.spec import marks, tokens
from phverify.spec.syntax import Span

TEXT, COMPARISON = "a text in single quotes", "=, !=, <, <=, >, >="
TOKENS: Mapping[str, re.Pattern[str]] = {
    shown: re.compile(pattern, re.IGNORECASE)
    for shown, pattern in {
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
        "an integer": r"\d+",
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
DEPTH = 50
"""How deep formulas may be nested."""
Constant = int | str | bool


@dataclass
class Scope:
    """What formulas may name: the sensitive columns with their domains, their
    taxonomies, and whether rows are named.

    Problems are collected in ``problems``.
    """

    where: str
    columns: Mapping[str, Domain]
    taxonomies: Mapping[str, Taxonomy]
    named: bool = True
    problems: Problems = field(default_factory=list)


def parse(text: str, scope: Scope) -> Formula | None:
    """The formula that a text denotes; None with problems in ``scope`` where it denotes
    none.
    """
    known = len(scope.problems)
    reader = _Reader(text, scope)
    try:
        found = reader.formula()
        reader.need("the end")
    except InputError as error:
        scope.problems[known:] = error.problems
        return None
    level: list[Formula] = [found]
    for _ in range(DEPTH):
        level = [part for one in level for part in parts(one)]
    if level:
        scope.problems.append(
            Problem(scope.where, f"the formula is nested more than {DEPTH} levels deep")
        )
    return found if len(scope.problems) == known else None


class _Reader(tokens.Tokens):
    """Each method reads one kind of expression from where the last one ended; the scope
    is told what does not fit.
    """

    kinds = TOKENS

    def __init__(self, text: str, scope: Scope) -> None:
        super().__init__(text)
        self.scope = scope

    def problem(self, position: int, what: str, hint: str = "") -> InputError:
        if self.text[position : position + 1] == ".":
            hint = "numbers are integers here"
        marked = marks.marked(
            self.text, Span(position, position), what, self.scope.where, hint
        )
        return InputError(replace(marked, what=f"character {position + 1}: {what}"))

    def complain(self, place: int, what: str, hint: str = "") -> None:
        self.scope.problems += self.problem(place, what, hint).problems

    @property
    def place(self) -> int:
        """Where the last token begins."""
        return self.ended - len(self.token)

    def meant(self) -> str:
        """The last token, without its quotes."""
        quote = self.token[0]
        return (
            self.token[1:-1].replace(quote * 2, quote) if quote in "'\"" else self.token
        )

    def formula(self) -> Formula:
        """Formulas with the signs between them.  Parentheses and ``not`` may be many:
        they wait in a list.
        """
        waiting: list[tuple[list[list[Formula]], int]] = []
        several: list[list[Formula]] = [[]]
        negations = 0
        while True:
            while opened := self.take("not", "'('"):
                if opened == "not":
                    negations += 1
                else:
                    waiting.append((several, negations))
                    several, negations = [[]], 0
            found = self.atom()
            while True:
                for _ in range(negations):
                    found = Not(found)
                negations = 0
                several[-1].append(found)
                if sign := self.take("and", "or"):
                    several += [[]] if sign == "or" else []
                    break
                both = [one[0] if len(one) == 1 else And(tuple(one)) for one in several]
                found = both[0] if len(both) == 1 else Or(tuple(both))
                if not waiting:
                    return found
                self.need("')'")
                several, negations = waiting.pop()

    def atom(self) -> Formula:
        """A comparison, or what is said of one cell."""
        left: f.Side | None = self.constant()
        if left is None:
            cell = self.cell() if self.sees("a column") else None
            if cell is not None and (said := self.said(cell)) is not None:
                return said
            left = self.sum(cell)
        self.need(COMPARISON)
        sign, place = self.token, self.place
        constant = self.constant()
        right = self.sum() if constant is None else constant
        self.comparable(left, right, place)
        return f.Compare(left, SIGNS.get(sign, sign), right)

    def said(self, cell: f.Cell) -> Formula | None:
        """What is said of a cell by a word; None where the cell is part of a sum."""
        match self.take("in", "not", "is missing", "below"):
            case "in":
                return self.among(cell)
            case "not":
                self.need("in")
                return Not(self.among(cell))
            case "is missing":
                present = self.take("not")
                self.need("missing")
                return Not(f.Missing(cell)) if present else f.Missing(cell)
            case "below":
                return self.below(cell)
        return None

    # values

    def cell(self) -> f.Cell:
        self.need("a column")
        column, place = self.meant(), self.place
        if column not in self.scope.columns:
            hint = nearest(column, self.scope.columns, "sensitive")
            self.complain(place, f"no sensitive column is called {column!r}", hint)
        if self.take("'[key]'"):
            self.need("a key", TEXT)
            key = self.meant()
            self.need("']'")
            return f.Cell(column, key, place)
        if self.scope.named:
            self.complain(place, f"{column!r} of which row?", f"write {column}[key]")
        return f.Cell(column, None, place)

    def integer(self) -> int:
        """The number that was read last."""
        if len(self.token.lstrip("0")) > len(str(LARGEST)) or int(self.token) > LARGEST:
            self.complain(self.place, f"{self.token} is larger than 2^52")
            return LARGEST
        return int(self.token)

    def constant(self) -> str | bool | None:
        """A text or a truth value; None where there is none."""
        kind = self.take(TEXT, "true", "false")
        return self.meant() if kind == TEXT else kind == "true" if kind else None

    def value(self) -> Constant:
        if self.take("-"):
            self.need("an integer")
            return -self.integer()
        constant = self.constant()
        if constant is not None:
            return constant
        self.need("an integer")
        return self.integer()

    def sum(self, first: f.Cell | None = None) -> f.Linear:
        """A sum; ``first`` is its first cell where that was read already."""
        sign = -1 if first is None and self.take("-") else 1
        factors, constant = [], 0
        while True:
            factor, cell = self.term(first)
            if cell is None:
                constant += sign * factor
            else:
                factors.append((sign * factor, cell))
            following = self.take("+", "-")
            if not following:
                return f.Linear(tuple(factors), constant)
            sign, first = -1 if following == "-" else 1, None

    def term(self, cell: f.Cell | None) -> tuple[int, f.Cell | None]:
        if cell is None and self.take("an integer"):
            factor = self.integer()
            return factor, self.cell() if self.take("*") else None
        cell = cell or self.cell()
        if not self.take("*"):
            return 1, cell
        self.need("an integer")
        return self.integer(), cell

    # what fits together

    def comparable(self, one: f.Side, other: f.Side, place: int) -> None:
        """Sums of integers with one another, a text or Boolean cell with its values or
        a cell that has the same.
        """
        sums = [side for side in (one, other) if isinstance(side, f.Linear)]
        named = [cell for side in sums for _, cell in side.factors]
        if not named:
            self.complain(place, "no cell is compared here")
            return
        columns = [self.scope.columns.get(cell.column) for cell in named]
        domains = [domain for domain in columns if domain is not None]
        whole = [domain.integral for domain in domains]
        if len(domains) < len(named) or (all(whole) and len(sums) == 2):
            return
        single = [
            len(side.factors) == 1 == side.factors[0][0] and not side.constant
            for side in sums
        ]
        if any(whole) or not all(single):
            self.complain(
                place,
                "these cannot be compared",
                "sums and numbers are for columns of integers",
            )
            return
        for side in (one, other):
            if not isinstance(side, f.Linear):
                self.fits(named[0], side)
        if len({domain.values for domain in domains}) > 1:
            self.complain(
                place, "these columns have other values, and cannot be compared"
            )

    def fits(self, cell: f.Cell, value: Constant) -> None:
        """Complain where a value is none of the column's, or of another type."""
        domain = self.scope.columns.get(cell.column)
        if domain is None:
            return
        if kind_of(value) != domain.kind or (
            not domain.integral and value not in domain.values
        ):
            hint = (
                f"declared: {domain.text()}"
                if domain.integral
                else nearest(str(value), domain.values, "values")
            )
            self.complain(
                cell.place,
                f"{cell.column!r} cannot be compared with {f.literal(value)}",
                hint,
            )

    def among(self, cell: f.Cell) -> Formula:
        self.need("'('")
        values = self.listed(self.value)
        self.need("')'")
        for value in values:
            self.fits(cell, value)
        return f.Among(cell, values)

    def below(self, cell: f.Cell) -> Formula:
        self.need(TEXT)
        node, place = self.meant(), self.place
        tree, domain = (
            self.scope.taxonomies.get(cell.column),
            self.scope.columns.get(cell.column),
        )
        if tree is None:
            hint = nearest(cell.column, self.scope.taxonomies, "taxonomies")
            self.complain(place, f"{cell.column!r} has no taxonomy", hint)
        elif node not in tree:
            self.complain(
                place, f"{node!r} is no node", nearest(node, tree.nodes(), "nodes")
            )
        elif domain is not None:
            known = [
                v for v in domain.values if isinstance(v, str) and v in tree
            ]  # a value that is no node was told
            return f.Among(cell, tuple(v for v in known if node in tree.path(v)), node)
        return f.Among(cell, (), node)
