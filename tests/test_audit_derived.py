"""Audits of columns derived from public ones, and of statements in their exact form:
what is left of each cell is what all worlds with the answer have.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.normal_worlds import SmallTable
from support.so_many import FUZZ

from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")

STATEMENTS = [
    "SELECT date_trunc('month', d), SUM(s) FROM t GROUP BY date_trunc('month', d)",
    "SELECT CASE WHEN p > 0 THEN g END, COUNT(*) FROM t WHERE s > p - 1 GROUP BY 1",
    "SELECT id, upper(g), s FROM t WHERE p * 2 > 1 AND u = 'b'",
    "SELECT COUNT(DISTINCT p % 2), SUM(p + 1) FROM t WHERE s = 1",
    "SELECT g, SUM(p * 2), MAX(s) FROM t WHERE s BETWEEN p - 1 AND p GROUP BY g",
    "SELECT c, COUNT(*) FROM t JOIN e ON g = h AND k + 1 > s GROUP BY c",
    "SELECT lower(c), k * 2, MIN(s) FROM t JOIN e ON g = h GROUP BY lower(c), k * 2",
    "SELECT u, SUM(s) FROM t GROUP BY u",
    "SELECT ROUND(SUM(s) / 2.0) FROM t",
    "SELECT g, SUM(CASE WHEN u = 'b' THEN s ELSE 0 END) FROM t GROUP BY g",
    "SELECT DISTINCT s FROM t WHERE u LIKE 'a%'",
]
TABLES = 12 if FUZZ else 1


@pytest.mark.parametrize("place", range(len(STATEMENTS)))
def test_what_is_left_is_what_all_worlds_have(place: int, tmp_path: Path) -> None:
    text = STATEMENTS[place]
    for seed in range(TABLES):
        table = SmallTable(seed + place, null=place % 3 == 0, size=2, most=100)
        path = tmp_path / f"{seed}.duckdb"
        table.write(path)
        report = audit(path, [text], table.policy(), each=60, ranges=60)
        step = report.steps[-1]
        assert (step.status, step.reason) == ("answered", "")
        alive = [table.worlds[number] for number in table.alike([text])]
        for cell in step.remaining:
            row = int(str(cell.key)[1:])
            column = ["s", "u"].index(cell.column)
            values = {world[row][column] for world in alive}
            assert left(cell.text()) == set(map(str, values)), (seed, text, cell)


def left(text: str) -> set[str]:
    """What a cell may be, as a report has it."""
    found = set()
    for part in text.replace(" or missing", ", None").split(", "):
        if ".." in part:
            low, high = part.split("..")
            found |= {str(value) for value in range(int(low), int(high) + 1)}
        else:
            found.add("None" if part == "missing" else part)
    return found
