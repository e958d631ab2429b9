"""From a solver's answer to a table, judged by ``verify`` on both sides before anyone
sees it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase
from phverify.comparison.domains import LETTERS
from phverify.comparison.exact import Exact
from phverify.comparison.shapes import TableShape
from phverify.comparison.sides import ComparisonFrame, Side
from phverify.errors import Defect, InputError
from phverify.microdata.dataframes import from_frame
from phverify.microdata.table import Label
from phverify.policy.bind import bind
from phverify.spec.types import TEXT, ValueType
from phverify.verification.result import Report
from phverify.verification.run import decided

Row = dict[str, Label]
CONSTANTS = {"integer": "1", "decimal": "1", "date": "2000-01-01"}


def table(encoder: Exact, answer: Mapping[str, int]) -> list[Row]:
    """The rows that an answer describes: named rows where they belong, the others class
    by class.
    """
    shape, frame = encoder.shape, encoder.case.frame
    unnamed: list[tuple[int, int]] = []
    for cell in encoder.cells:
        if cell.row is None:
            unnamed += [(cell.cls, cell.profile)] * answer.get(cell.name, 0)
    placed = dict(shape.rows)
    if encoder.case.anchors.linked:
        # individual k is the person behind row k: a row of the own class goes there
        for person, cls in shape.homes.items():
            if person not in placed:
                placed[person] = next(place for place in unnamed if place[0] == cls)
                unnamed.remove(placed[person])
    remaining = iter(unnamed)
    order = []
    for number in range(encoder.rows):
        order.append(placed[number] if number in placed else next(remaining))
    rows = [_row(encoder, cls, profile) for cls, profile in order]
    if frame.names and frame.identifier:
        _call(rows, [cls for cls, _ in order], shape.homes, frame)
    return rows


def one_class(counts: Mapping[Label, int], case: ComparedCase) -> list[Row]:
    """The rows of a table of one class over one column of values, so many of each."""
    labels = ((case.frame.quasi, (0,)),)
    shape = TableShape(1, (sum(counts.values()),), labels=labels)
    encoder = Exact(case, shape, Deadline())
    values = [next(iter(profile.values())) for profile in case.choice.profiles]
    answer = {cell.name: counts[values[cell.profile]] for cell in encoder.cells}
    return table(encoder, answer)


def _row(encoder: Exact, cls: int, profile_number: int) -> Row:
    """A row of a class: its quasi-identifiers say which, its profile the rest."""
    frame = encoder.case.frame
    profile = encoder.profiles[profile_number]
    row: Row = {}
    for columns, numbers in encoder.shape.labels:
        # columns that the same agents know: one tells the classes apart
        first, *others = columns
        row[first] = _class_name(numbers[cls])
        row |= dict.fromkeys(others, "*")
    row = {name: row[name] for name in frame.quasi}
    for name in frame.columns:
        if name in profile and name not in row:
            row[name] = profile[name]
        elif name not in row:
            row[name] = _any_value(frame.types.get(name, TEXT))
    return row


def _class_name(number: int) -> str:
    """A letter, as long as there are letters."""
    if number < len(LETTERS):
        return LETTERS[number].upper()
    return f"Z{number}"


def _any_value(kind: ValueType) -> str:
    """Some value of a type, for a column that no formula looks at."""
    if kind.order:
        return kind.order[0]
    return CONSTANTS.get(kind.name, "x")


def _call(
    rows: list[Row],
    classes: list[int],
    homes: Mapping[int, int],
    frame: ComparisonFrame,
) -> None:
    """Write everybody's identifier into a row of the own class, and others into the
    rest.
    """
    assert frame.identifier
    names: dict[int, str] = {}
    for person, home in homes.items():
        for number, cls in enumerate(classes):
            if cls == home and number not in names:
                names[number] = frame.names[person]
                break
        else:
            raise Defect(f"no row is left in class {home} for {frame.names[person]}")
    others = map("person {}".format, itertools.count(1))
    # identifiers that formulas name belong to those people alone
    spare = (name for name in others if name not in frame.names)
    for number, row in enumerate(rows):
        row[frame.identifier] = names[number] if number in names else next(spare)


def judged(rows: list[Row], frame: ComparisonFrame) -> tuple[Report, Report]:
    """What ``verify`` says of both sides.  Raises Defect unless the first is proved and
    the second refuted.
    """
    first = _report(rows, frame.first, frame)
    second = _report(rows, frame.second, frame)
    if first.verdict != "proved" or second.verdict != "refuted":
        raise Defect(
            f"a table that should separate the two is {first.verdict} by the first and"
            f" {second.verdict} by the second: {rows}"
        )
    return first, second


def _report(rows: list[Row], side: Side, frame: ComparisonFrame) -> Report:
    """What ``verify`` says of one side.  Raises Defect when it refuses the table."""
    policy = side.policy
    if frame.names:
        policy = replace(policy, identifier=frame.identifier)
    try:
        release = from_frame(pd.DataFrame(rows, dtype=object), "release")
        bound = bind(policy, release, None)
        return decided(bound, policy.source, release.source, Deadline())
    except InputError as error:
        raise Defect(
            f"verify refuses a table that should separate the two: {error}: {rows}"
        ) from error
