"""What the text of an audit is made of: cells, rows, queries and findings in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

from phverify.disclosure.log.statements import one_line, shortened
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    Distance,
    FactFinding,
    Reconstruction,
    Remaining,
    Step,
)
from phverify.words import plural

FEW = 3
"""How many of several are shown."""
ROWS = 20
"""How many rows of a reconstructed table are shown."""
WIDTH = 160
"""A longer statement is cut where it is shown."""
Findings = Sequence[FactFinding]
Cells = tuple[Remaining, ...]
Left = Mapping[ProtectedFact, Cells]
"""What the cells of each fact may be."""


def cells_left(step: Step, findings: Findings) -> dict[ProtectedFact, Cells]:
    """What the cells of each fact may be after a step."""
    cells = {(cell.key, cell.column): cell for cell in step.remaining}
    left: dict[ProtectedFact, Cells] = {}
    for finding in findings:
        places = finding.fact.names
        # of some cells nothing may have been worked out
        left[finding.fact] = tuple(cells[place] for place in places if place in cells)
    return left


def answer_of(step: Step) -> str:
    """The answer of a statement that has one."""
    if step.status != "answered" or not step.number:
        return ""
    first = step.answer[:FEW]
    rows = [", ".join(map(cell_text, row)) for row in first]
    shown = "no row"
    if rows:
        shown = cut_short("; ".join(rows))
    more = and_more(step.answer, "more row")
    return f" -> {shown}{more}"


def and_more(several: Sized, what: str, sign: str = ",") -> str:
    """How many there are beside the few that are shown."""
    count = len(several) - FEW
    if count > 0:
        return f"{sign} and {plural(count, what)}"
    return ""


def origin_of(core: Sequence[int]) -> str:
    """The queries of a core."""
    if not core:
        return "the declared domains alone"
    if len(core) == 1:
        return f"query {core[0]}"
    return f"queries {listed(list(map(str, core)))}"


def step_of(number: int, exact: bool) -> str:
    """The query after which something followed first, or did at the latest."""
    if exact:
        return f"query {number}"
    return f"query {number} at the latest"


def how_sure(finding: FactFinding) -> str:
    """Who says so, and whether fewer queries are enough."""
    by = agreed(finding.by)
    # the domains alone gave it away: no query could be left out
    if not finding.core:
        return by
    if not finding.minimal:
        return f"fewer may be enough; {by}"
    if len(finding.core) > 1:
        return f"none of them can be left out; {by}"
    return f"it is enough by itself; {by}"


def agreed(by: Sequence[str]) -> str:
    """Who found something out."""
    if len(by) > 1:
        return f"{' and '.join(by)} agree"
    return f"found by {''.join(by)}"


def listed(texts: Sequence[str]) -> str:
    """Texts with commas and a last "and"."""
    if len(texts) < 2:
        return "".join(texts)
    *first, last = texts
    shown = ", ".join(first)
    return f"{shown} and {last}"


def cut_short(sql: str) -> str:
    """A statement on one line, of at most WIDTH characters."""
    # lines first: a statement may be long by its breaks alone
    line = one_line(sql)
    return shortened(line, WIDTH)


def cell_text(value: Any) -> str:
    """A cell as it is shown."""
    if value is None:
        return "missing"
    return str(value)


def table_lines(whole: Reconstruction) -> Iterator[str]:
    """The rows that are determined, in aligned columns."""
    shown = [whole.columns]
    for row in whole.rows[:ROWS]:
        cells = tuple(map(cell_text, row))
        shown.append(cells)
    # the heading is a row, too, and has a width
    columns = zip(*shown, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for texts in shown:
        padded = map(str.ljust, texts, widths)
        line = "  ".join(padded)
        yield f"    {line}".rstrip()
    more = len(whole.rows) - ROWS
    if more > 0:
        rows = plural(more, "more row")
        yield f"    and {rows}"


def replaced_rows(whole: Reconstruction) -> str:
    """The rows of another table, each beside the one that it replaces."""
    several = list(zip(whole.keys, whole.others, whole.rows, strict=True))
    shown = [
        f"{bracketed(other)} instead of {bracketed(row)} for {key}"
        for key, other, row in several[:FEW]
    ]
    return ", ".join(shown) + and_more(whole.keys, "more row")


def bracketed(cells: Sequence[Any]) -> str:
    """A row in brackets."""
    shown = ", ".join(map(cell_text, cells))
    return f"({shown})"


def finding_line(finding: FactFinding, cells: Cells, far: Distance | None) -> str:
    """A fact, what its cells may be, how far it is from being known.

    And what they are in a second world.
    """
    said = finding.fact.text()
    if cells:
        they = "they" if len(cells) > 1 else "it"
        texts = [cell.text() for cell in cells]
        said += f": {they} may be {listed(texts)}"
    if far is not None and far.value is not None:
        said += f", distance {far.value}"
    if finding.worlds:
        changed = changed_cells(finding)
        return f"{said}; in another world {changed}"
    return said


def changed_cells(finding: FactFinding) -> str:
    """What is otherwise in a second world, the protected cells first."""
    own = set(finding.fact.names)
    world = finding.worlds[0]

    # The reader asks what is otherwise in the cells that are protected.
    changes = [change for change in world if (change.key, change.column) in own]
    # So many are enough for FEW others.
    enough = FEW + len(own)
    for change in world[:enough]:
        place = change.key, change.column
        if place not in own:
            changes.append(change)

    shown = []
    column = ""
    for change in changes[:FEW]:
        where = f"of {change.key} "
        # A column is named once, where its cells begin.
        if change.column != column:
            where = f"{change.column} of {change.key} is "
        other = cell_text(change.other)
        shown.append(where + other)
        column = change.column
    more = len(world) - FEW
    if more > 0:
        differ = "cells differ" if more > 1 else "cell differs"
        shown.append(f"and {more:,} more {differ}")
    return ", ".join(shown)


def width_of(cells: Cells) -> float:
    """How little is known of some cells: how many values are left."""
    if not cells:
        # facts without open cells come last
        return float("inf")
    return sum(map(values_left, cells))


def values_left(cell: Remaining) -> int:
    """How many values a cell may still have."""
    if cell.values is None:
        values = max(cell.high - cell.low + 1, 0)
    else:
        values = len(cell.values)
    # that the cell is empty is one possibility more
    return values + cell.missing


def counted_ranges(findings: Iterable[FactFinding], left: Left) -> str:
    """What the cells may be, counted."""
    cells: dict[tuple[str, str], Remaining] = {}
    for finding in findings:
        # facts may share cells: each is counted once
        cells |= {(cell.key, cell.column): cell for cell in left[finding.fact]}
    texts = Counter(f"{cell.column} {cell.text()}" for cell in cells.values())
    several = [
        f"{text} ({plural(count, 'cell')})" for text, count in texts.most_common(FEW)
    ]
    return "; ".join(several) + and_more(texts, "other range", ";")
