"""Protected facts about single cells, each true in the data.

A fact is disclosed when it holds in every world with the published answers.  That a cell keeps at least k values is
disclosed when fewer than k stay; the exact value is protected while 2 stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from phverify.audit import integers as t
from phverify.audit.constraints import compared, is_value
from phverify.audit.policy import AuditPolicy, Protected
from phverify.audit.query import Value
from phverify.audit.worlds import Frame
from phverify.errors import InputError, Problem, nearest


@dataclass(frozen=True)
class Fact:
    """One protected fact: a line of the policy, about one row."""

    protected: Protected
    row: int
    key: str
    value: Value

    @property
    def column(self) -> str:
        return self.protected.column

    @property
    def wanted(self) -> int:
        """How many worlds it takes to refute: with different values for exact and left, any one for the others."""
        return {"exact": 2, "left": self.protected.amount}.get(self.protected.kind, 1)

    @property
    def counting(self) -> bool:
        """Whether the fact is about how many values stay possible."""
        return self.protected.kind in ("exact", "left")

    def text(self) -> str:
        p = self.protected
        match p.kind:
            case "threshold":
                bound = f"'{p.bound}'" if isinstance(p.bound, str) else str(p.bound).lower()
                return f"{p.column} of {self.key} {p.operator} {bound}"
            case "within":
                return f"{p.column} of {self.key} up to {p.amount}"
            case "left":
                return f"fewer than {p.amount} values of {p.column} of {self.key} are left"
        return f"the {p.column} of {self.key}"


def holds(fact: Fact, frame: Frame) -> t.Term:
    """When a threshold, or a value within a distance, holds; never of a missing cell."""
    cell, coding = frame.cells[fact.column][fact.row], frame.codings[fact.column]
    body = t.Sum(plain=((1, cell.variable),))
    if fact.protected.kind == "threshold":
        term = compared(body, fact.protected.operator, coding.position(fact.protected.bound))
    else:
        middle = coding.code(fact.value)
        term = t.within(body, middle - fact.protected.amount, middle + fact.protected.amount)
    return t.conj((t.neg(cell.missing), term))


def refuted_by(fact: Fact, frame: Frame, values: Iterable[Value]) -> list[Value]:
    """Of values that the cell may have, those that count against the fact, each once, the true one first."""
    several = list(dict.fromkeys((fact.value, *values) if fact.counting else values))
    return several if fact.counting else [v for v in several if not _holds(fact, v)]


def _holds(fact: Fact, value: Value) -> bool:
    p = fact.protected
    if value is None:
        return False
    if p.kind == "within":
        return abs(int(value) - int(fact.value or 0)) <= p.amount
    one, other = (v.encode() if isinstance(v, str) else v for v in (value, p.bound))
    pairs = {"=": one == other, "!=": one != other, "<": one < other, "<=": one <= other}  # type: ignore[operator]
    return pairs[p.operator] if p.operator in pairs else not pairs[{">": "<=", ">=": "<"}[p.operator]]


def against(fact: Fact, frame: Frame, found: Sequence[Value]) -> t.Term:
    """What one more world that counts against the fact satisfies."""
    if not fact.counting:
        return t.neg(holds(fact, frame))
    cell, coding = frame.cells[fact.column][fact.row], frame.codings[fact.column]
    return t.conj(t.neg(is_value(cell, coding, value)) for value in found)


def facts(policy: AuditPolicy, frame: Frame) -> list[Fact]:
    """All protected facts.  Raises InputError for keys that are not there, and for facts that are false in the data.

    A line for every row protects a threshold where it is true, and a value where there is one.
    """
    rows = {str(key): row for row, key in enumerate(frame.keys)}
    problems: list[Problem] = []
    found: list[Fact] = []
    for protected in policy.protected:
        where = f"{policy.source}, protect.{protected.name}"
        for key in protected.keys if protected.keys is not None else rows:
            if key not in rows:
                problems.append(Problem(where, f"no row has the key {key!r}", nearest(key, rows, "keys"), True))
                continue
            fact = Fact(protected, rows[key], key, frame.truth[protected.column][rows[key]])
            if fact.counting or _holds(fact, fact.value):
                found.append(fact)
            elif protected.keys is not None:
                shown = "missing" if fact.value is None else repr(fact.value)
                what = f"'{fact.text()}' is false in the data: the cell is {shown}"
                problems.append(Problem(where, what, "a fact that is false cannot be disclosed", True))
    if problems:
        raise InputError(problems)
    return found
