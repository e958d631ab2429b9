"""From a solver's answer to a table, judged by ``verify`` on both sides before anyone
sees it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from phverify.budget import Deadline
from phverify.comparison.case import Case
from phverify.comparison.domains import LETTERS
from phverify.comparison.exact import Exact
from phverify.comparison.frame import Frame, Side
from phverify.comparison.shapes import Shape
from phverify.errors import Defect, InputError
from phverify.microdata.dataframes import from_frame
from phverify.microdata.table import Label
from phverify.policy.bind import bind
from phverify.spec.types import TEXT
from phverify.verification.result import Report
from phverify.verification.run import decided

Row = dict[str, Label]
CONSTANTS = {"integer": "1", "decimal": "1", "date": "2000-01-01"}


def table(encoder: Exact, answer: Mapping[str, int]) -> list[Row]:
    """The rows that an answer describes: named rows where they belong, the others class
    by class.
    """
    shape, frame = encoder.shape, encoder.case.frame
    left: list[tuple[int, int]] = []
    for cell in encoder.cells:
        if cell.row is None:
            left += [(cell.cls, cell.profile)] * answer.get(cell.name, 0)
    placed = dict(shape.rows)
    for person, c in shape.homes.items() if encoder.case.anchors.linked else ():
        if person not in placed:
            placed[person] = next(place for place in left if place[0] == c)
            left.remove(placed[person])
    rest = iter(left)
    order = [placed[k] if k in placed else next(rest) for k in range(encoder.rows)]
    found = [_row(encoder, c, p) for c, p in order]
    if frame.names and frame.identifier:
        _call(found, [c for c, _ in order], shape.homes, frame)
    return found


def one_class(counts: Mapping[Label, int], case: Case) -> list[Row]:
    """The rows of a table of one class over one column of values, so many of each."""
    shape = Shape(1, (sum(counts.values()),), labels=((case.frame.quasi, (0,)),))
    encoder = Exact(case, shape, Deadline())
    profiles = [next(iter(profile.values())) for profile in case.choice.profiles]
    answer = {cell.name: counts[profiles[cell.profile]] for cell in encoder.cells}
    return table(encoder, answer)


def _row(encoder: Exact, c: int, p: int) -> Row:
    row: Row = {}
    frame, profile = encoder.case.frame, encoder.profiles[p]
    for columns, numbers in encoder.shape.labels:
        first, *others = columns
        number = numbers[c]
        row[first] = LETTERS[number].upper() if number < len(LETTERS) else f"Z{number}"
        row |= dict.fromkeys(others, "*")
    row = {name: row[name] for name in frame.quasi}
    for name in frame.columns:
        kind = frame.types.get(name, TEXT)
        if name not in row:
            row[name] = (
                profile[name]
                if name in profile
                else (*kind.order, CONSTANTS.get(kind.name, "x"))[0]
            )
    return row


def _call(
    rows: list[Row], classes: list[int], homes: Mapping[int, int], frame: Frame
) -> None:
    """Write everybody's identifier into a row of the own class, and others into the
    rest.
    """
    assert frame.identifier
    taken: dict[int, str] = {}
    for person, c in homes.items():
        k = next(k for k, found in enumerate(classes) if found == c and k not in taken)
        taken[k] = frame.names[person]
    spare = (
        name for k in itertools.count(1) if (name := f"person {k}") not in frame.names
    )
    for k, row in enumerate(rows):
        row[frame.identifier] = taken[k] if k in taken else next(spare)


def judged(rows: list[Row], frame: Frame) -> tuple[Report, Report]:
    """What ``verify`` says of both sides.  Raises Defect unless the first is proved and
    the second refuted.
    """
    reports = _report(rows, frame.first, frame), _report(rows, frame.second, frame)
    one, two = (report.verdict for report in reports)
    if (one, two) != ("proved", "refuted"):
        raise Defect(
            f"a table that should separate the two is {one} by the first and {two} by"
            f" the second: {rows}"
        )
    return reports


def _report(rows: list[Row], side: Side, frame: Frame) -> Report:
    policy = (
        replace(side.policy, identifier=frame.identifier)
        if frame.names
        else side.policy
    )
    try:
        table = from_frame(pd.DataFrame(rows, dtype=object), "release")
        return decided(
            bind(policy, table, None), policy.source, table.source, Deadline()
        )
    except InputError as error:
        raise Defect(
            f"verify refuses a table that should separate the two: {error}: {rows}"
        ) from error
