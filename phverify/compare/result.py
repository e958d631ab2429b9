"""The answer to one comparison, and its renderings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from phverify.report.notebook import Report
from phverify.report.text import cell, plural, printable
from phverify.report.text import to_lines as to_text_lines
from phverify.tables.table import Label

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["implies", "separated", "undecided"]
MARKS = {"implies": "IMPLIES", "separated": "SEPARATED", "undecided": "UNDECIDED"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Whether every table that satisfies the first satisfies the second.

    ``verdict`` is implies, separated or undecided.  ``values`` bounds how many values the columns have that an
    implication was proved for, and is empty where it was proved for any number of values (nothing bounds the rows and
    the classes); ``tried`` are the numbers of values for which, beyond that bound, neither a proof nor a separating
    table was found.  ``table`` is a separating table with as few rows as possible, a dictionary for each row, and
    ``reports`` are what ``verify`` says of both sides on it.
    ``searched``: no table with so many rows, or fewer, separates the two within these values.  ``proved`` and
    ``open`` are names of rules of the second.  ``vacuous``: no table satisfies the first.  ``converse`` is the
    other direction, where it was asked for.
    """

    verdict: Verdict
    first: str
    second: str
    values: Mapping[str, int] = field(default_factory=dict)
    table: tuple[Mapping[str, Label], ...] = ()
    reports: tuple[Report, Report] | None = None
    reason: str = ""
    searched: int = 0
    proved: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    vacuous: bool = False
    seconds: float = 0.0
    converse: Comparison | None = None
    tried: Mapping[str, int] = field(default_factory=dict)

    @property
    def bound(self) -> str:
        """What an implication was proved up to: ``4 values of s``; empty where there is no bound."""
        return bound(self.values) if self.verdict == "implies" else ""

    @property
    def equivalent(self) -> Verdict:
        """Both directions in one word: implies when they are equivalent."""
        found = {self.verdict, self.converse.verdict} if self.converse else {self.verdict}
        return "separated" if "separated" in found else "undecided" if "undecided" in found else "implies"

    def frame(self) -> pd.DataFrame:
        """The separating table."""
        import pandas

        return pandas.DataFrame([dict(row) for row in self.table], dtype=object)

    def __str__(self) -> str:
        return "\n".join(to_lines(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` writes it."""
        return to_json(self)


def bound(values: Mapping[str, int]) -> str:
    """``4 values of s and 3 values of t``."""
    return " and ".join(f"{plural(many, 'value')} of {name}" for name, many in values.items())


def to_lines(found: Comparison) -> list[str]:
    """The comparison as text; the verdict is the first word, and its bound stands beside it."""
    lines = _direction(found)
    if found.converse:
        lines += ["", *_direction(found.converse), "", _both(found, found.converse)]
    return [printable(line) for line in lines]


def _both(found: Comparison, converse: Comparison) -> str:
    if found.equivalent != "implies":
        return {"separated": "SEPARATED: not equivalent", "undecided": "UNDECIDED"}[found.equivalent]
    names = {**found.values, **converse.values}
    least = {name: min(c.values[name] for c in (found, converse) if name in c.values) for name in names}
    return f"EQUIVALENT up to {bound(least)}" if least else "EQUIVALENT"


def _direction(found: Comparison) -> list[str]:
    up_to = f" up to {found.bound}" if found.bound else ""
    lines = [f"{MARKS[found.verdict]}{up_to}  {found.first}  =>  {found.second}"]
    if found.verdict == "implies":
        lines += _implied(found)
    elif found.verdict == "separated":
        lines += [*_table(found), "", *grid(found.table), "", *_why(found)]
    else:
        lines.append(f"  {found.reason}")
        if found.searched:
            lines.append(f"  No table with at most {plural(found.searched, 'row')} separates the two, {_bound(found)}.")
    if found.verdict != "implies" and found.proved:
        lines.append(f"  implied all the same: {', '.join(found.proved)}")
    return lines


def _implied(found: Comparison) -> list[str]:
    """What an implication was proved for."""
    lines = ["  Every table that satisfies the first satisfies the second:"]
    if found.bound:
        lines.append(f"  any number of rows and classes, {_bound(found)}.")
        more = f": neither proved nor refuted with {bound(found.tried)}" if found.tried else ""
        lines.append(f"  Of more values nothing is claimed{more}.")
    else:
        lines.append("  any number of rows, of classes and of values.")
    if found.vacuous:
        lines.append(f"  No table {'within that bound ' if found.bound else ''}satisfies the first at all.")
    return lines


def _table(found: Comparison) -> list[str]:
    """What the separating table is."""
    rows = plural(len(found.table), "row")
    if found.searched == len(found.table) - 1:
        return [
            f"  The smallest table with {_bound(found)} has {rows}.",
            "  It satisfies the first and not the second:",
        ]
    least = f"  A smallest one has more than {found.searched} ({_bound(found)})."
    return [f"  This table ({rows}) satisfies the first and not the second.", least]


def _bound(found: Comparison) -> str:
    said = [f"at most {plural(many, 'value')} of {name}" for name, many in found.values.items()]
    return ", ".join(said) if said else "any number of values"


def grid(table: tuple[Mapping[str, Label], ...]) -> list[str]:
    """A table with aligned columns; rows have numbers."""
    names = list(table[0]) if table else []
    texts = [["", *names], *([f"d{k}", *(cell(row[n]) for n in names)] for k, row in enumerate(table, start=1))]
    widths = [max(len(row[k]) for row in texts) for k in range(len(texts[0]))]
    return ["    " + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in texts]


def _why(found: Comparison) -> list[str]:
    """The rules of both sides with what ``verify`` says of them."""
    assert found.reports
    lines = [line for report in found.reports for line in _rules(to_text_lines(report))]
    return [f"  {line}" for line in lines]


def _rules(lines: list[str]) -> list[str]:
    """What stands between the head and the tail of a report."""
    blanks = [k for k, line in enumerate(lines) if not line]
    return [line for line in lines[blanks[0] : blanks[-1]] if line]


def to_json(found: Comparison) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "verdict": found.verdict,
        "first": found.first,
        "second": found.second,
        "values": dict(found.values),
        "up_to": found.bound or None,
        "tried_values": dict(found.tried),
        "table": [dict(row) for row in found.table],
        "reports": [report.to_dict() for report in found.reports] if found.reports else None,
        "reason": found.reason,
        "searched_rows": found.searched,
        "proved": list(found.proved),
        "open": list(found.open),
        "vacuous": found.vacuous,
        "seconds": round(found.seconds, 6),
        "converse": to_json(found.converse) if found.converse else None,
    }
