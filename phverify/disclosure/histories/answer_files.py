"""Answers that were kept beside the log: a folder with a CSV or JSON file for each
query, or one file of JSON Lines.

``3.csv`` (with a header) and ``3.json`` are the answer to the third statement of the
log, ``line12.csv`` to the one in line 12; in JSON Lines
``{"query": 3, "rows": [[41]]}`` or ``{"line": 12, "rows": [[41]]}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from phverify.disclosure.histories import records
from phverify.disclosure.histories.systems import kept
from phverify.disclosure.log.statements import KeptAnswer, Statement
from phverify.errors import refusal
from phverify.microdata.files import existing_file
from phverify.spec.source import File

_NAME = re.compile(r"(?P<by>query|line)?_?(?P<number>\d+)")
HINT = '{"query": 3, "rows": [[41]]}, or {"line": 12, "rows": [[41]]}'
Place = tuple[str, int]
"""``query`` and its number in the log, or ``line``."""


def joined(statements: Sequence[Statement], source: File) -> list[Statement]:
    """The statements with the answers that are kept elsewhere.

    Raises InputError for an answer of no statement, and for two of one.
    """
    path = Path(source)
    places: dict[Place, list[int]] = {}
    for number, one in enumerate(statements):
        places.setdefault(("query", number + 1), []).append(number)
        places.setdefault(("line", one.line), []).append(number)
    answers = _folder(path) if path.is_dir() else _lines(path)
    with_answers = list(statements)
    for where, place, answer in answers:
        named = f"{place[0]} {place[1]}"
        found = places.get(place, [])
        if len(found) != 1:
            several = "more than one statement" if found else "no statement"
            hint = f"the log has {len(statements)} statements"
            raise refusal(where, f"there is {several} for {named}", hint)
        one = with_answers[found[0]]
        if one.kept is not None:
            raise refusal(where, f"{named} has two answers")
        with_answers[found[0]] = replace(one, kept=answer)
    return with_answers


def _folder(folder: Path) -> Iterator[tuple[str, Place, KeptAnswer]]:
    """The answers of a folder.  Raises InputError for a file that is none."""
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in files:
        name = _NAME.fullmatch(path.stem)
        ending = path.suffix.lower()
        if name is None or ending not in (*records.CSV, *records.JSON):
            hint = "an answer is called 3.csv, 3.json, or line12.csv"
            raise refusal(str(path), "is the answer of no query", hint)
        place = name["by"] or "query", int(name["number"])
        text = records.text_of(path)
        if ending in records.JSON:
            answer = kept(text, str(path))
            if answer is None:
                raise refusal(str(path), "holds no answer", "no row is []")
        else:
            table = records.of_csv(path, text, ())
            rows = [tuple(record.cells.values()) for record in table.records]
            answer = KeptAnswer(tuple(rows), table.names)
        yield str(path), place, answer


def _lines(source: Path) -> Iterator[tuple[str, Place, KeptAnswer]]:
    """The answers of a file of JSON Lines.  Raises InputError."""
    path = existing_file(source, "answers", "a folder or a file of JSON Lines")
    table = records.of_json(path, records.text_of(path))
    for record in table.records:
        where = f"{path}, {table.at} {record.place}"
        names = set(record.cells)
        by = names & {"query", "line"}
        if names - {"query", "line", "rows"} or len(by) != 1 or "rows" not in names:
            raise refusal(where, "is no answer of a query", HINT)
        [name] = by
        number: Any = record.cells[name]
        answer = kept(record.cells["rows"], where)
        if type(number) is not int or answer is None:
            raise refusal(where, "is no answer of a query", HINT)
        yield where, (name, number), answer
