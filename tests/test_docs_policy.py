"""The page about policies has every key that is read; its examples are read, and what
it calls refused is refused with these words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import phverify as ph
from phverify.policy import masking
from phverify.spec.builders import BOUNDS, READ, SIDES, UNITS
from phverify.spec.policy import ROLES, SECTIONS, SETTINGS
from phverify.spec.types import NAMES

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "policy.md"
if not PAGE.exists():
    pytest.skip("installed without docs", allow_module_level=True)
TEXT = PAGE.read_text(encoding="utf-8")
SECTION = {"Before the sections": "", "Masking": "masking"}
"""What is written before keys that stand without their section."""


def rows() -> Iterator[tuple[str, list[str]]]:
    """The rows of the tables of keys, each with the heading above it."""
    for part in TEXT.split("\n## ")[1:]:
        heading = part.partition("\n")[0]
        for table in re.findall(r"\| key \|.*\n\|[-|]+\n((?:\|.*\n)+)", part):
            for line in table.splitlines():
                cells = [cell.strip() for cell in line.strip("|").split(" | ")]
                yield heading, [cell.strip(" |") for cell in cells]


ROWS = list(rows())


def policy(heading: str, key: str, entry: str) -> dict[str, Any]:
    """A small policy with this entry; what it begins with gives way to it."""
    data: dict[str, Any] = {
        "columns": {"quasi": ["zip", "birth"], "sensitive": ["health"]},
        "rules": {"r": "true"},
    }
    place = key.rpartition(".")[0] or SECTION[heading]
    section = data.setdefault(place, {}) if place else data
    given = tomllib.loads(entry)
    for column in given.get("neutral", ()), given.get("sensitive", ()):
        # Each column has one role, unless that is what the example is about.
        if column and set(column) != {"zip"}:
            section["sensitive"] = []
    section.update(given)
    return data


@pytest.mark.parametrize(("heading", "cells"), ROWS, ids=[row[1][0] for row in ROWS])
def test_examples_are_read_and_what_is_wrong_is_told(
    heading: str, cells: list[str]
) -> None:
    key = cells[0].strip("`")
    example = cells[-2].strip("`")
    wrong, said = re.fullmatch(r"`(.*)`: (.*)", cells[-1]).groups()  # type: ignore[union-attr]
    assert ph.Policy.from_dict(policy(heading, key, example)).rules
    with pytest.raises(ph.InputError) as error:
        ph.Policy.from_dict(policy(heading, key, wrong))
    assert said in str(error.value)


def test_every_key_is_there() -> None:
    keys = [cells[0].strip("`") for _, cells in ROWS]
    sections = {key.partition(".")[0] for key in keys if "." in key}
    assert {*sections, "masking"} == set(SECTIONS)
    assert set(SETTINGS) <= set(keys)
    roles = {key.partition(".")[2] for key in keys if key.startswith("columns.")}
    assert roles == {*ROLES, "identifier"}
    masked = {cells[0].strip("`") for heading, cells in ROWS if heading == "Masking"}
    assert masked == {*masking.KINDS, "suppressed"}
    assert "`direction`" in TEXT


@pytest.mark.parametrize(
    "words", [NAMES, tuple(READ), BOUNDS, UNITS, SIDES, masking.DIRECTIONS]
)
def test_every_word_is_there(words: tuple[str, ...]) -> None:
    for word in words:
        assert re.search(rf'[`" {{]{word}["` ]', TEXT), word


def test_builders_are_read() -> None:
    """Each of the table makes of the value what is shown."""
    table = re.search(r"\| builder \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT)
    assert table is not None
    named = set()
    for line in table[1].splitlines():
        entry = line.split(" | ")[0].strip("| `")
        ((column, given),) = tomllib.loads(entry).items()
        columns = {"quasi": [column]}
        hierarchies = {column: given}
        rules = {"r": "true"}
        data = {"columns": columns, "hierarchies": hierarchies, "rules": rules}
        assert ph.Policy.from_dict(data).hierarchies
        named |= set(given)
    assert named >= set(READ) | set(BOUNDS)
