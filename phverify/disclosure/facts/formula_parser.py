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

from dataclasses import replace
from fractions import Fraction
from typing import Any

from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
    parts,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import unsummed
from phverify.disclosure.facts.formula_tokens import (
    COMPARISON,
    SIGNS,
    TEXT,
    FormulaScope,
)
from phverify.disclosure.facts.formula_units import Constant, UnitTokens, single
from phverify.errors import InputError, Problem, nearest

DEPTH = 50
"""How deep formulas may be nested."""


def parse(text: str, scope: FormulaScope) -> Proposition | None:
    """The formula that a text denotes.

    None, with problems in ``scope``, where it denotes none.
    """
    before = len(scope.problems)
    reader = _FormulaReader(text, scope)
    try:
        formula = reader.formula()
        reader.need("the end")
    except InputError as error:
        # Where reading ends early, what was noted before is about a text half read.
        scope.problems[before:] = error.problems
        return None
    if _too_deep(formula):
        what = f"the formula is nested more than {DEPTH} levels deep"
        scope.problems.append(Problem(scope.where, what))
    if len(scope.problems) == before:
        return formula
    return None


def _too_deep(formula: Proposition) -> bool:
    """Whether there is something more than DEPTH levels below a formula."""
    level: list[Proposition] = [formula]

    # Later walks over a formula are nested calls, and must not run out of stack.
    for _ in range(DEPTH):
        below: list[Proposition] = []
        for above in level:
            below += parts(above)
        level = below
    return bool(level)


class _FormulaReader(UnitTokens):
    """Each method reads one kind of expression from where the last one ended; the scope
    is told what does not fit.
    """

    def formula(self) -> Proposition:
        """Formulas with the signs between them.

        Parentheses and ``not`` may be many: they wait in a list, and no call is nested.
        ``several`` are the parts of an *or*, each the parts of an *and*.
        """
        waiting: list[tuple[list[list[Proposition]], int]] = []
        several: list[list[Proposition]] = [[]]
        while True:
            negations, opened = self.prefix()
            while opened:
                waiting.append((several, negations))
                several = [[]]
                negations, opened = self.prefix()
            atom = self.atom()
            part = _negated(atom, negations)
            several[-1].append(part)

            # After a part stands a sign, or the formula that it is in has ended.
            sign = self.take("and", "or")
            while not sign:
                whole = _joined(several)
                if not waiting:
                    return whole
                self.need("')'")
                several, negations = waiting.pop()
                # The parenthesis is closed: it is a part of what it stands in.
                several[-1].append(_negated(whole, negations))
                sign = self.take("and", "or")
            if sign == "or":
                several.append([])

    def prefix(self) -> tuple[int, bool]:
        """How many ``not`` stand here, and whether a parenthesis opens after them."""
        negations = 0
        while taken := self.take("not", "'('"):
            if taken != "not":
                return negations, True
            negations += 1
        return negations, False

    def atom(self) -> Proposition:
        """A comparison, or what is said of one cell."""
        left: f.Side | None = self.constant()
        if left is None:
            cell = None
            if not self.sums() and self.sees("a column"):
                cell = self.cell()
                said = self.said(cell)
                if said is not None:
                    return said
            left = self.sum(cell)

        self.need(COMPARISON)
        sign = self.token
        place = self.place
        constant = self.constant()
        right = self.sum() if constant is None else constant
        left, right = self.dated(left, right), self.dated(right, left)
        self.comparable(left, right, place)
        left, right = self.in_units(left, right, place)
        return f.CellComparison(left, SIGNS.get(sign, sign), right)

    def said(self, cell: f.FactCell) -> Proposition | None:
        """What is said of a cell by a word; None where the cell is part of a sum."""
        match self.take("in", "not", "is missing", "below"):
            case "in":
                return self.among(cell)
            case "not":
                self.need("in")
                return Negation(self.among(cell))
            case "is missing":
                present = self.take("not")
                self.need("missing")
                if present:
                    return Negation(f.Missing(cell))
                return f.Missing(cell)
            case "below":
                return self.below(cell)
        return None

    def sums(self) -> bool:
        """Whether the sum of a person's cells stands here."""
        if self.scope.persons:
            return bool(self.sees("sum(..)"))
        if self.kinds["sum(..)"].match(self.text, self.at):
            what = "a sum is over the rows of a person"
            hint = 'for example { person = "sum(cost) >= 1000" }'
            raise self.problem(self.at, what, hint)
        return False

    def summed(self) -> f.FactCell:
        """The sum of a person's cells."""
        self.need("sum(..)")
        self.need("'('")
        cell = self.cell()
        self.need("')'")
        domain = self.scope.columns.get(cell.column)
        wrong = "" if domain is None else unsummed(domain)
        if wrong:
            self.complain(cell.place, f"sum needs {wrong}")
        return replace(cell, every=True)

    # values

    def cell(self) -> f.FactCell:
        """A column, with the key of its row where rows are named; or a sum of them."""
        if self.sums():
            return self.summed()
        self.need("a column")
        column = self.meant()
        place = self.place
        if column not in self.scope.columns:
            hint = nearest(column, self.scope.columns, "sensitive")
            what = f"no sensitive column is called {column!r}"
            self.complain(place, what, hint)
        if self.take("'[key]'"):
            self.need("a key", TEXT)
            key = self.meant()
            self.need("']'")
            return self.placed(column, key, place)
        if self.scope.named:
            self.complain(place, f"{column!r} of which row?", f"write {column}[key]")
        return self.placed(column, None, place)

    def placed(self, column: str, key: str | None, place: int) -> f.FactCell:
        """A cell with the unit of its column."""
        domain = self.scope.columns.get(column)
        unit = Fraction(1) if domain is None else domain.unit
        return f.FactCell(column, key, place, unit)

    def constant(self) -> str | bool | None:
        """A text or a truth value; None where there is none."""
        kind = self.take(TEXT, "true", "false")
        if not kind:
            return None
        if kind == TEXT:
            return self.meant()
        return kind == "true"

    def value(self) -> Constant:
        """A value of a list: an integer, a text or a truth value."""
        if self.take("-"):
            self.need("an integer")
            return -self.number()
        constant = self.constant()
        if constant is not None:
            return constant
        self.need("an integer")
        return self.number()

    def sum(self, first: f.FactCell | None = None) -> f.LinearSide:
        """A sum; ``first`` is its first cell where that was read already."""
        sign = 1
        if first is None and self.take("-"):
            sign = -1
        factors: list[tuple[Any, f.FactCell]] = []
        constant: Any = 0
        while True:
            factor, cell = self.term(first)
            first = None
            if cell is None:
                constant += sign * factor
            else:
                factors.append((sign * factor, cell))
            following = self.take("+", "-")
            if not following:
                return f.LinearSide(tuple(factors), constant)
            # The sign belongs to the term that comes next.
            sign = -1 if following == "-" else 1

    def term(self, cell: f.FactCell | None) -> tuple[int | Fraction, f.FactCell | None]:
        """A factor and a cell, or a constant and None."""
        if cell is None and self.take("an integer"):
            factor = self.number()
            if self.take("*"):
                return factor, self.cell()
            return factor, None
        cell = cell or self.cell()
        if not self.take("*"):
            return 1, cell
        self.need("an integer")
        return self.number(), cell

    # what fits together

    def comparable(self, one: f.Side, other: f.Side, place: int) -> None:
        """Complain where two sides cannot be compared.

        Sums of integers can with one another, a text or Boolean cell with its values or
        a cell that has the same.
        """
        sums = [side for side in (one, other) if isinstance(side, f.LinearSide)]
        named = [cell for side in sums for _, cell in side.factors]
        if not named:
            self.complain(place, "no cell is compared here")
            return
        columns = [self.scope.columns.get(cell.column) for cell in named]
        domains = [domain for domain in columns if domain is not None]
        whole = [domain.integral for domain in domains]
        # That a column is none was a problem before.
        if len(domains) < len(named) or (all(whole) and len(sums) == 2):
            return

        # Texts and Booleans have no sums, and are not compared with integers.
        if any(whole) or not all(map(single, sums)):
            hint = "sums and numbers are for columns of integers"
            self.complain(place, "these cannot be compared", hint)
            return
        for side in (one, other):
            if not isinstance(side, f.LinearSide):
                self.fits(named[0], side)

        # Codes of two domains are comparable where the domains are one.
        if len({domain.values for domain in domains}) > 1:
            what = "these columns have other values, and cannot be compared"
            self.complain(place, what)

    def among(self, cell: f.FactCell) -> Proposition:
        """The list of values after ``in``."""
        self.need("'('")
        values = self.listed(self.value)
        self.need("')'")
        domain = self.scope.columns.get(cell.column)
        if domain is None or not domain.scaled:
            for value in values:
                self.fits(cell, value)
            return f.Among(cell, values)
        return f.Among(cell, self.codes(cell, values), sort=domain.sort)

    def below(self, cell: f.FactCell) -> Proposition:
        """The node after ``below``, as the values at and below it."""
        self.need(TEXT)
        node = self.meant()
        place = self.place
        tree = self.scope.taxonomies.get(cell.column)
        domain = self.scope.columns.get(cell.column)
        if tree is None:
            hint = nearest(cell.column, self.scope.taxonomies, "taxonomies")
            self.complain(place, f"{cell.column!r} has no taxonomy", hint)
        elif node not in tree:
            hint = nearest(node, tree.nodes(), "nodes")
            self.complain(place, f"{node!r} is no node", hint)
        elif domain is not None:
            # That a value is no node of the tree was a problem before.
            texts = [value for value in domain.values if isinstance(value, str)]
            placed = [value for value in texts if value in tree]
            under = [value for value in placed if node in tree.path(value)]
            return f.Among(cell, tuple(under), node)
        return f.Among(cell, (), node)


def _negated(formula: Proposition, negations: int) -> Proposition:
    """A formula below so many ``not``."""
    for _ in range(negations):
        formula = Negation(formula)
    return formula


def _joined(several: list[list[Proposition]]) -> Proposition:
    """An *or* of *ands*; one part alone is itself."""
    both = []
    for one in several:
        alone = len(one) == 1
        both.append(one[0] if alone else AllOf(tuple(one)))
    if len(both) == 1:
        return both[0]
    return AnyOf(tuple(both))
