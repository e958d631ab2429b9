"""Statements that are taken for more than they say: worlds with the same answers to what
they are taken for have the same answer to them, by enumeration.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.bounding_cases import POLICY, SmallTable, statement
from support.so_many import FUZZ

from phverify.disclosure.log.silent import Silent
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.policy_reader import load
from phverify.disclosure.understood import BOUNDED
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.verbs.audit import Auditor
from phverify.budget import Deadline

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

TABLES = 400 if FUZZ else 4
STATEMENTS = 30


def auditor(path: Path, table: SmallTable) -> Auditor:
    connection = duckdb.connect(str(path))
    table.fill(connection, "t", table.truth)
    connection.execute("CREATE TABLE e (h VARCHAR, k INTEGER)")
    connection.execute("INSERT INTO e VALUES ('x', 1), ('y', 2)")
    connection.close()
    settings = load(POLICY)
    source = open_database(path, "t")
    frame = read(source, settings)
    return Auditor(source, frame, [], Deadline(None), 8.0, 0.0)


@pytest.mark.parametrize("seed", range(TABLES))
def test_what_a_statement_is_taken_for_tells_at_least_as_much(
    tmp_path: Path, seed: int
) -> None:
    r = random.Random(seed)
    table = SmallTable(r)
    understanding = auditor(tmp_path / "t.duckdb", table).understanding
    for _ in range(STATEMENTS):
        text = statement(r)
        answers = table.answers(text)
        if isinstance(answers[table.truth], str):
            continue
        same = [number for number, one in enumerate(answers) if one == answers[table.truth]]
        try:
            found = understanding.of(text, 1)
        except Silent:
            assert len(same) == len(answers), (seed, text)
            continue
        except Unsupported as error:
            assert error.status == "unsupported"
            continue
        left = set(range(len(answers)))
        for part, _answer in found.asked:
            told = table.answers(part)
            left &= {number for number, one in enumerate(told) if one == told[table.truth]}
        assert left <= set(same), (seed, text, found.says, found.asked)
        if found.status != BOUNDED:
            assert left == set(same), (seed, text)
