"""Protected facts, each true in the data: the cells that one is about, when it holds, and which worlds refute it.

There is one way through for all kinds.  The *view* of a world is what the cells of a fact are in it.  A fact says
either that a formula holds (a value up to a distance, a formula about a row or over named individuals): one view where
it does not refutes it.  Or it counts values (the exact value, at least k values left): it takes that many views, all
different, the true one among them; the exact value is protected while 2 stay.  A fact is disclosed when no worlds with
the published answers refute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from phverify.constraints import terms as t
from phverify.disclosure.connectives import And, Formula
from phverify.disclosure.facts import formula as f
from phverify.disclosure.formula_terms import terms
from phverify.disclosure.log.query import Value
from phverify.disclosure.policy import AuditPolicy, Protected
from phverify.disclosure.worlds.cells import Cell, Coding, Frame, World
from phverify.disclosure.worlds.conditions import is_value
from phverify.errors import InputError, Problem, nearest

View = tuple[Value, ...]
"""What the cells of a fact are in a world."""


@dataclass(frozen=True, eq=False, slots=True)
class Fact:
    """One protected fact: a line of the policy, about its ``cells``, in these ``rows`` of the table.

    ``formula`` is what must not follow; None where values are counted.  ``truth`` is the view of the data.  ``places``
    are column and row of each cell, ``counting`` says whether the fact is about how many values stay possible, and
    ``wanted`` is how many views it takes to refute it.
    """

    protected: Protected
    cells: tuple[f.Cell, ...]
    rows: tuple[int, ...]
    truth: View
    formula: Formula | None = None
    places: tuple[tuple[str, int], ...] = field(init=False)
    counting: bool = field(init=False)
    wanted: int = field(init=False)

    def __post_init__(self) -> None:
        places = tuple([(cell.column, row) for cell, row in zip(self.cells, self.rows, strict=True)])
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "counting", self.formula is None)
        wanted = {"exact": 2, "left": self.protected.amount}.get(self.protected.kind, 1)
        object.__setattr__(self, "wanted", wanted)

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Key and column of each cell, as a step names them."""
        return tuple((cell.key or "", cell.column) for cell in self.cells)

    @property
    def key(self) -> str:
        """The row of the first cell."""
        return self.cells[0].key or ""

    @property
    def column(self) -> str:
        """The column of the first cell."""
        return self.cells[0].column

    @property
    def value(self) -> Value:
        """What the first cell is in the data."""
        return self.truth[0]

    def view(self, world: World) -> View:
        return tuple([world[column][row] for column, row in self.places])

    def holds(self, view: View) -> bool:
        """Whether the formula is true in a view; unknown is not true."""
        return self.formula is not None and f.truth(self.formula, dict(zip(self.cells, view, strict=True))) is True

    def text(self) -> str:
        match self.protected.kind:
            case "exact":
                return f"the {self.column} of {self.key}"
            case "within":
                return f"{self.column} of {self.key} up to {self.protected.amount}"
            case "left":
                return f"fewer than {self.protected.amount} values of {self.column} of {self.key} are left"
        return f.text(self.formula) if self.formula is not None else ""


def holds(fact: Fact, frame: Frame) -> t.Term:
    """When the formula of a fact is true."""
    places = dict(zip(fact.cells, fact.places, strict=True))

    def unknown(cell: f.Cell) -> tuple[Cell, Coding]:
        column, row = places[cell]
        return frame.cells[column][row], frame.codings[column]

    return t.FALSE if fact.formula is None else terms(fact.formula, unknown)[0]


def refuting(fact: Fact, views: Iterable[View]) -> list[View]:
    """Of the views that there may be, those that count against the fact, each once; where values are counted the
    true one first."""
    several = dict.fromkeys((fact.truth, *views) if fact.counting else views)
    return list(several) if fact.counting else [view for view in several if not fact.holds(view)]


def against(fact: Fact, frame: Frame, found: Sequence[View]) -> t.Term:
    """What one more world that counts against the fact satisfies."""
    return t.conj(t.neg(_is(fact, frame, view)) for view in found) if fact.counting else t.neg(holds(fact, frame))


def _is(fact: Fact, frame: Frame, view: View) -> t.Term:
    pairs = zip(fact.places, view, strict=True)
    return t.conj(is_value(frame.cells[column][row], frame.codings[column], value) for (column, row), value in pairs)


def facts(policy: AuditPolicy, frame: Frame) -> list[Fact]:
    """All protected facts.  Raises InputError for keys that are not there, and for facts that are false in the data.

    A line for every row protects a formula where it is true, and a value where there is one.
    """
    rows = {str(key): row for row, key in enumerate(frame.keys)}
    problems: list[Problem] = []
    found = [fact for protected in policy.protected for fact in _facts(policy, protected, frame, rows, problems)]
    if problems:
        raise InputError(problems)
    return found


def _facts(
    policy: AuditPolicy, protected: Protected, frame: Frame, rows: Mapping[str, int], problems: list[Problem]
) -> Iterator[Fact]:
    """The facts of one line of the policy."""
    where = f"{policy.source}, protect.{protected.name}"
    keys: Iterable[str | None] = rows if protected.keys is None else protected.keys
    missing: set[str] = set()
    for key in [None] if protected.kind == "formula" else keys:
        cells = _cells(protected, key)
        strange = {str(cell.key) for cell in cells if str(cell.key) not in rows} - missing
        missing |= strange
        for name in sorted(strange):
            problems.append(Problem(where, f"no row has the key {name!r}", nearest(name, rows, "keys"), True))
        if any(cell.key not in rows for cell in cells):
            continue
        fact = _fact(protected, cells, [rows[str(cell.key)] for cell in cells], key, frame)
        if fact.counting or fact.holds(fact.truth):
            yield fact
        elif protected.keys is not None or protected.kind == "formula":
            what = f"is false in the data: {_shown(fact)}, and it says {fact.text()!r}"
            problems.append(Problem(where, what, "a fact that is false cannot be disclosed", True))


def _cells(protected: Protected, key: str | None) -> tuple[f.Cell, ...]:
    """The cells of a fact about a row."""
    if protected.formula is None:
        return (f.Cell(protected.column, key),)
    return f.cells(_about(protected.formula, key))


def _about(formula: Formula, key: str | None) -> Formula:
    """The formula with the cells that name no row in this one."""
    return f.rebuilt(formula, lambda cell: cell if cell.key is not None else f.Cell(cell.column, key, cell.place))


def _fact(protected: Protected, cells: tuple[f.Cell, ...], rows: Sequence[int], key: str | None, frame: Frame) -> Fact:
    truth = tuple(frame.truth[cell.column][row] for cell, row in zip(cells, rows, strict=True))
    formula = _about(protected.formula, key) if protected.formula is not None else None
    if protected.kind == "within":
        side, middle = f.Linear(((1, cells[0]),)), int(truth[0] or 0)
        ends = (f.Linear((), middle - protected.amount), f.Linear((), middle + protected.amount))
        formula = And((f.Compare(side, ">=", ends[0]), f.Compare(side, "<=", ends[1])))
    return Fact(protected, cells, tuple(rows), truth, formula)


def _shown(fact: Fact) -> str:
    """What the cells are in the data."""
    values = ["missing" if value is None else f"'{value}'" for value in fact.truth]  # in quotes: --redact hides them
    if len(values) == 1:
        return f"the cell is {values[0]}"
    return ", ".join(f"{cell} is {value}" for cell, value in zip(fact.cells, values, strict=True))
