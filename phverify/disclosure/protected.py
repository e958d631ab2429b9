"""Protected facts, each true in the data: the cells that one is about, when it holds,
and which worlds refute it.

There is one way through for all kinds.  The *view* of a world is what the cells of a
fact are in it.  A fact says either that a formula holds (a value up to a distance, a
formula about a row or over named individuals): one view where it does not refutes it.
Or it counts values (the exact value, at least k values left): it takes that many views,
all different, the true one among them; the exact value is protected while 2 stay.  A
fact is disclosed when no worlds with the published answers refute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.connectives import AllOf, Proposition
from phverify.disclosure.facts import formula as f
from phverify.disclosure.log.query import Value
from phverify.disclosure.persons import of_person, persons
from phverify.disclosure.policy import AuditPolicy, Protected
from phverify.disclosure.worlds.conditions import terms
from phverify.disclosure.worlds.unknowns import AuditFrame, World
from phverify.errors import InputError, Problem, nearest
from phverify.spec.decimals import decimal

View = tuple[Value, ...]
"""What the cells of a fact are in a world."""


@dataclass(frozen=True, eq=False)
class ProtectedFact:
    """One protected fact: a line of the policy, about its ``cells``, in these ``rows``
    of the table.

    ``formula`` is what must not follow; None where values are counted.  ``truth`` is
    the view of the data.
    """

    protected: Protected
    cells: tuple[f.FactCell, ...]
    rows: tuple[int, ...]
    truth: View
    formula: Proposition | None = None
    given: tuple[Any, ...] = ()
    """What the cells are as the table has them; of a total, the sum alone."""
    person: str = ""
    """Whose fact it is, where a person has several rows: column and name."""

    @cached_property
    def places(self) -> tuple[tuple[str, int], ...]:
        """Column and row of each cell."""
        placed = zip(self.cells, self.rows, strict=True)
        return tuple([(cell.column, row) for cell, row in placed])

    @cached_property
    def counting(self) -> bool:
        """Whether the fact is about how many values stay possible."""
        return self.formula is None

    @cached_property
    def wanted(self) -> int:
        """How many views it takes to refute it."""
        if self.protected.kind == "exact":
            return 2
        if self.protected.kind == "left":
            return int(self.protected.amount)
        return 1

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Key and column of each cell, as a step names them."""
        named = [(cell.key or "", cell.column) for cell in self.cells]
        return tuple(named)

    @property
    def key(self) -> str:
        """The row of the first cell."""
        first = self.cells[0]
        return first.key or ""

    @property
    def column(self) -> str:
        """The column of the first cell."""
        first = self.cells[0]
        return first.column

    @property
    def value(self) -> Value:
        """What the first cell is in the data."""
        return self.truth[0]

    @property
    def shown(self) -> Any:
        """The same as the table has it."""
        return self.given[0] if self.given else self.value

    def view(self, world: World) -> View:
        """What the cells of the fact are in a world."""
        cells = [world[column][row] for column, row in self.places]
        return tuple(cells)

    def holds(self, view: View) -> bool:
        """Whether the formula is true in a view; unknown is not true."""
        if self.formula is None:
            return False
        values = dict(zip(self.cells, view, strict=True))
        truth = f.truth(self.formula, values)
        return truth is True

    def refuted_by(self, view: View) -> bool:
        """Whether a view counts against the fact."""
        # Where views are counted, each one is against the fact.
        if self.counting:
            return True
        return not self.holds(view)

    def text(self) -> str:
        """The fact as reports name it."""
        match self.protected.kind:
            case "total":
                return self._total()
            case "person" if self.protected.formula is not None:
                return f"of {self.person}: {f.text(self.protected.formula)}"
            case "exact":
                return f"the {self.column} of {self.key}"
            case "within":
                far = decimal(Fraction(self.protected.amount))
                return f"{self.column} of {self.key} up to {far}"
            case "left":
                return (
                    f"fewer than {self.protected.amount} values of {self.column} of"
                    f" {self.key} are left"
                )
        if self.formula is not None:
            return f.text(self.formula)
        return ""

    def _total(self) -> str:
        """The sum of a person's cells, as reports name it."""
        text = f"the total {self.column} of {self.person}"
        if self.protected.amount:
            text += f" up to {decimal(Fraction(self.protected.amount))}"
        return text


def against(fact: ProtectedFact, frame: AuditFrame, views: Sequence[View]) -> t.Term:
    """What one more world that counts against the fact satisfies."""
    cells = [frame.cells[column][row] for column, row in fact.places]
    if fact.formula is not None:
        true, _ = terms(fact.formula, dict(zip(fact.cells, cells, strict=True)))
        # Where the formula is unknown it is not true: that world counts, too.
        return t.neg(true)
    different = []
    for view in views:
        same = [cell.has(value) for cell, value in zip(cells, view, strict=True)]
        # A view is another one as soon as one cell is otherwise.
        different.append(t.neg(t.conj(same)))
    return t.conj(different)


def facts(policy: AuditPolicy, frame: AuditFrame) -> list[ProtectedFact]:
    """All protected facts.  Raises InputError for keys that are not there, and for
    facts that are false in the data.

    A line for every row protects a formula where it is true, and a value where there is
    one.
    """
    rows = frame.places
    read: list[ProtectedFact] = []
    problems: list[Problem] = []
    for protected in policy.protected:
        of_persons = protected.kind in ("person", "total")
        facts_of = _of_persons if of_persons else _facts
        for one in facts_of(protected, frame, rows):
            if isinstance(one, Problem):
                problems.append(one)
            else:
                read.append(one)
    if problems:
        raise InputError(problems)
    return read


def about(protected: Protected, frame: AuditFrame, row: int) -> ProtectedFact:
    """The fact of a line about a row, whether it is true there or not."""
    key = str(frame.keys[row])
    formula = protected.formula
    if formula is not None:
        formula = f.rebuilt(formula, partial(_about, key=key))
    cells = f.cells(formula) if formula else (f.FactCell(protected.column, key),)
    return _fact(protected, frame, cells, (row,), formula)


def _facts(
    protected: Protected, frame: AuditFrame, rows: Mapping[str, int]
) -> Iterator[ProtectedFact | Problem]:
    """The facts of one line of the policy, and what is wrong with it."""
    where = f"{frame.policy.source}, protect.{protected.name}"
    keys: Iterable[str | None] = rows if protected.keys is None else protected.keys
    missing: set[str] = set()
    for key in [None] if protected.kind == "formula" else keys:
        formula = protected.formula
        if formula is not None:
            formula = f.rebuilt(formula, partial(_about, key=key))
        cells = f.cells(formula) if formula else (f.FactCell(protected.column, key),)
        strange = {str(cell.key) for cell in cells if str(cell.key) not in rows}
        for name in sorted(strange - missing):
            what = f"no row has the key {name!r}"
            yield Problem(where, what, nearest(name, rows, "keys"), True)
        # A key that is not there is told once, however many cells name it.
        missing |= strange
        if strange:
            continue
        places = tuple([rows[str(cell.key)] for cell in cells])
        fact = _fact(protected, frame, cells, places, formula)
        if fact.counting or fact.holds(fact.truth):
            yield fact
        elif protected.keys is not None or protected.kind == "formula":
            what = f"is false in the data: {_shown(fact)}, and it says {fact.text()!r}"
            yield Problem(where, what, "a fact that is false cannot be disclosed", True)


def _of_persons(
    protected: Protected, frame: AuditFrame, rows: Mapping[str, int]
) -> Iterator[ProtectedFact | Problem]:
    """The facts of one line about each person, and what is wrong with it."""
    where = f"{frame.policy.source}, protect.{protected.name}"
    several = persons(frame)
    column = frame.policy.person
    for who in several if protected.keys is None else protected.keys:
        if who not in several:
            what = f"no row has the {column} {who!r}"
            yield Problem(where, what, nearest(who, several, "persons"), True)
            continue
        formula = of_person(protected, several[who], frame, rows)
        cells = f.cells(formula)
        places = tuple([rows[str(cell.key)] for cell in cells])
        fact = _fact(protected, frame, cells, places, formula)
        fact = replace(fact, person=f"{column} {who}")
        if protected.kind == "total":
            coding = frame.codings[protected.column]
            total = sum(int(value or 0) for value in fact.truth)
            fact = replace(fact, given=(coding.outward(total),))
        if fact.holds(fact.truth):
            yield fact
        elif protected.keys is not None:
            what = f"is false in the data: {fact.text()!r}"
            yield Problem(where, what, "a fact that is false cannot be disclosed", True)


def _fact(
    protected: Protected,
    frame: AuditFrame,
    cells: tuple[f.FactCell, ...],
    places: tuple[int, ...],
    formula: Proposition | None,
) -> ProtectedFact:
    """A fact about cells in some rows, with what they are in the data."""
    placed = zip(cells, places, strict=True)
    truth = tuple([frame.truth[cell.column][row] for cell, row in placed])
    if protected.kind == "within":
        domain = frame.policy.sensitive[cells[0].column]
        far = domain.units_in(protected.amount)
        formula = _within(cells[0], int(truth[0] or 0), far)
    held = zip(cells, truth, strict=True)
    given = tuple([frame.codings[cell.column].outward(value) for cell, value in held])
    return ProtectedFact(protected, cells, places, truth, formula, given)


def _within(cell: f.FactCell, middle: int, far: int) -> Proposition:
    """The cell is at most so far from a number."""
    side = f.LinearSide(((1, cell),))
    low = f.LinearSide((), middle - far)
    high = f.LinearSide((), middle + far)
    return AllOf(
        (f.CellComparison(side, ">=", low), f.CellComparison(side, "<=", high))
    )


def _about(cell: f.FactCell, key: str | None) -> f.FactCell:
    """The cell, in this row where it names none."""
    if cell.key is not None:
        return cell
    return replace(cell, key=key)


def _shown(fact: ProtectedFact) -> str:
    """What the cells are in the data."""
    # In quotes: --redact hides them.
    values = ["missing" if value is None else f"'{value}'" for value in fact.given]
    if len(values) == 1:
        return f"the cell is {values[0]}"
    shown = zip(fact.cells, values, strict=True)
    return ", ".join(f"{cell} is {value}" for cell, value in shown)
