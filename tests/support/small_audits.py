"""Random audits that are small enough to go through all worlds."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import duckdb
import pandas as pd

import phverify
from phverify.disclosure.result import AuditReport

PUBLIC = ["g = 'x'", "p = 1", "p > 0", "id <> 'k0'", "id <> 'k1'", "p IS NULL"]
PUBLIC += ["id IN ('k0', 'k2')", "g = 'y' OR p = 0", "id < 'k3'"]
Worlds = dict[tuple[int, ...], list[Counter[Any]]]


class Small:
    """A random table with a column s of two values or of a range, and a log."""

    def __init__(self, seed: int) -> None:
        pick = random.Random(seed)
        self.two = pick.random() < 0.65
        rows = pick.choice([2, 3, 4, 5, 6] if self.two else [2, 3, 4])
        # Ends of small integer types are among them.
        shift = pick.choice([0, 0, 5, -1, 126, 254, -129, 32766])
        self.values = [v + shift for v in range(2 if self.two else pick.choice([3, 4]))]
        same = pick.choice([0.2, 0.5, 0.9])
        self.public = [
            (f"k{k}", pick.choice("xy"), pick.choice([0, 1, 2, None]))
            for k in range(rows)
        ]
        self.truth = tuple(
            self.values[0] if pick.random() < same else pick.choice(self.values)
            for _ in range(rows)
        )
        self.log = [self.statement(pick) for _ in range(pick.choice([2, 3, 4, 5]))]
        self.protect: dict[str, Any] = {"cells": {"column": "s"}}
        if self.two:
            self.protect["second"] = {"fact": f"s = {self.values[1]}"}

    def statement(self, pick: random.Random) -> str:
        if pick.random() < 0.1:
            return f"SELECT id, s FROM t WHERE {pick.choice(PUBLIC)}"
        one, other = pick.choice(PUBLIC), pick.choice(PUBLIC)
        where = pick.choice(["", f" WHERE {one}", f" WHERE ({one}) AND ({other})"])
        item = pick.choice(["SUM(s)", "AVG(s)", "COUNT(*), SUM(s)"])
        if self.two and pick.random() < 0.5:
            low, high = self.values
            about = pick.choice(
                [f"s = {high}", f"s = {low}", f"{low} < s", f"s <> {low}"]
            )
            about = pick.choice(
                [about, f"{about} OR {one}", f"NOT ({about} AND {one})"]
            )
            item, where = pick.choice(
                [
                    ("COUNT(*)", f" WHERE {about}"),
                    (f"COUNT(*) FILTER (WHERE {about}), AVG(s)", where),
                ]
            )
        groups = pick.choice(["", "", "g", "p", "g, p"])
        if not groups:
            return f"SELECT {item} FROM t{where}"
        return f"SELECT {groups}, {item} FROM t{where} GROUP BY {groups}"

    def policy(self) -> dict[str, Any]:
        domain = {"from": self.values[0], "to": self.values[-1]}
        return {
            "table": "t",
            "key": "id",
            "public": ["g", "p"],
            "sensitive": {"s": domain},
            "protect": self.protect,
        }

    def audit(self, **options: Any) -> AuditReport:
        table = pd.DataFrame(
            [(*row, s) for row, s in zip(self.public, self.truth, strict=True)],
            columns=["id", "g", "p", "s"],
        )
        table["p"] = table["p"].astype("Int64")
        return phverify.audit(table, self.log, self.policy(), **options)

    def worlds(self) -> Worlds:
        """The answers in all worlds."""
        connection = duckdb.connect(config={"threads": "1"})
        connection.execute(
            "CREATE TABLE every (w INTEGER, id VARCHAR, g VARCHAR, p INTEGER, s INTEGER)"
        )
        worlds = list(itertools.product(self.values, repeat=len(self.public)))
        cells = [
            (number, *row, cell)
            for number, world in enumerate(worlds)
            for row, cell in zip(self.public, world, strict=True)
        ]
        columns = [list(column) for column in zip(*cells, strict=True)]
        connection.execute(
            "INSERT INTO every SELECT UNNEST(?::INTEGER[]), UNNEST(?::VARCHAR[]),"
            " UNNEST(?::VARCHAR[]), UNNEST(?::INTEGER[]), UNNEST(?::INTEGER[])",
            columns,
        )
        connection.execute("SET VARIABLE w = 0")
        connection.execute(
            "CREATE VIEW t AS SELECT id, g, p, s FROM every WHERE w = getvariable('w')"
        )
        found: Worlds = {}
        for number, world in enumerate(worlds):
            connection.execute(f"SET VARIABLE w = {number}")
            asked = {sql: connection.execute(sql).fetchall() for sql in {*self.log}}
            found[world] = [Counter(asked[sql]) for sql in self.log]
        return found


def first_step(small: Small, worlds: Worlds, row: int) -> int:
    """The first step after which a cell is what it is in every world left; one more
    than there are where no step is.
    """
    said, true = worlds[small.truth], small.truth[row]
    left = list(worlds.items())
    for number in range(len(said) + 1):
        left = [one for one in left if one[1][:number] == said[:number]]
        if {world[row] for world, _ in left} == {true}:
            return number
    return len(said) + 1
