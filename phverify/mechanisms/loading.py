"""Mechanisms from files: a table of probabilities (CSV), or a description (TOML).

A CSV table has a row for each input and a column for each output; its numbers are read
from their text, so that ``1/3`` and ``0.1`` are what they say.  A TOML file has the
table in itself or beside it, or one of the closed forms of ``mechanisms.mechanism``,
and may declare which pairs of inputs are adjacent.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.mechanisms.adjacency import DeclaredPairs, adjacency_of
from phverify.mechanisms.described import described, rows_of
from phverify.mechanisms.mechanism import Mechanism, table
from phverify.mechanisms.rows import TableRow, checked_rows
from phverify.microdata.files import existing_file, table_file, text_of
from phverify.policy.unreadable import unreadable
from phverify.spec.separated import find_separator
from phverify.spec.source import File
from phverify.spec.toml import toml

HEADER = "a column for the inputs, then a column for each output: input,yes,no"
MechanismSource = File | Mapping[str, Mapping[str, Any]] | Mechanism


@dataclass(frozen=True)
class LoadedMechanism:
    """A mechanism, where it is from, and the pairs that are asked (None: all)."""

    mechanism: Mechanism
    source: str
    adjacency: DeclaredPairs | None = None


def load(source: MechanismSource, adjacent: Any = None) -> LoadedMechanism:
    """A mechanism from a file, from rows of probabilities, or as it is.

    ``adjacent`` declares pairs of inputs, as ``adjacent`` of a TOML file does.  Raises
    InputError with all that is wrong.
    """
    where = "mechanism"
    if isinstance(source, Mechanism):
        mechanism = source
    elif isinstance(source, Mapping):
        mechanism = table(rows_of(source, where))
    else:
        path = existing_file(source, where, "a path, or rows in a dictionary")
        where = str(path)
        if path.suffix.lower() == ".toml":
            return _from_toml(path, adjacent)
        mechanism = from_csv(path)
    return _loaded(mechanism, where, adjacent)


def _loaded(mechanism: Mechanism, where: str, adjacent: Any) -> LoadedMechanism:
    """With the adjacency that was declared, if there is one."""
    if len(mechanism.inputs) < 2:
        # Of a single input every epsilon would be PROVED.
        what = "there is only one input, and nothing to tell it apart from"
        raise refusal(where, what, "give a row for every input that is possible")
    if adjacent is None:
        return LoadedMechanism(mechanism, where)
    place = f"{where}, adjacent"
    pairs = adjacency_of(adjacent, mechanism.inputs, place)
    return LoadedMechanism(mechanism, where, pairs)


def from_csv(path: Path) -> Mechanism:
    """The mechanism of a CSV table.  Raises InputError with all that is wrong."""
    lines = _lines(path)
    _, header = next(lines, (1, []))
    if not header:
        raise refusal(str(path), "the file is empty", HEADER)
    outputs = header[1:]
    problems = _header_problems(outputs, path)
    if problems:
        raise InputError(problems)

    width = len(header)
    rows: list[TableRow] = []
    for line, cells in lines:
        place = f"{path}, line {line}"
        if len(cells) != width:
            what = f"has {len(cells)} fields where the header has {width}"
            problem = Problem(place, what, "every output needs a number")
            problems.append(problem)
            continue
        value, *shares = cells
        # As texts: they become numbers without passing through floats.
        probabilities = dict(zip(outputs, shares, strict=True))
        row = TableRow(place, value, probabilities)
        rows.append(row)

    checked = checked_rows(rows, str(path), problems)
    return table(checked)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV file that are not blank, each with its number."""
    with text_of(table_file(path, "mechanism")) as file:
        separator = find_separator(file.readline())
        file.seek(0)
        reader = csv.reader(file, delimiter=separator, strict=True)
        line = 1
        for cells in reader:
            if cells:
                yield line, cells
            # A quoted cell may hold line ends: the next row is that much further down.
            line = reader.line_num + 1


def _header_problems(outputs: Sequence[str], path: Path) -> Problems:
    """What is wrong with the names of the outputs."""
    where = f"{path}, line 1"
    if not outputs:
        what = "the header names no outputs"
        return [Problem(where, what, HEADER)]
    problems = []
    for output in dict.fromkeys(outputs):
        if not output.strip():
            problems.append(Problem(where, "an output has no name"))
        elif outputs.count(output) > 1:
            problems.append(Problem(where, f"the output {output!r} occurs twice"))
    return problems


def _from_toml(path: Path, adjacent: Any) -> LoadedMechanism:
    """The mechanism that a TOML file describes."""
    with text_of(table_file(path, "mechanism")) as file:
        text = file.read()
    try:
        content = toml(text)
    except ValueError as error:
        raise unreadable(str(path), text, error) from None
    section = content.pop("mechanism", None)
    if content or not isinstance(section, dict):
        what = "expected a section [mechanism], and nothing beside it"
        raise refusal(str(path), what)
    declared = section.pop("adjacent", None)
    if adjacent is None:
        adjacent = declared

    beside = section.get("table")
    if isinstance(beside, str) and len(section) == 1:
        file_beside = existing_file(path.parent / beside, str(path))
        mechanism = from_csv(file_beside)
    else:
        mechanism = described(section, str(path))
    return _loaded(mechanism, str(path), adjacent)
