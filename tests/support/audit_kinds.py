"""The judge of audits over kinds of data: random tables with decimals, doubles, dates,
timestamps, Booleans and enumerations, and every world of them.

Nothing here comes from the package: a world is one way to fill the cells from the
domains, and what a query says of it is what DuckDB answers there.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb

Row = tuple[Any, ...]
DAYS = [date(2020, 2, 28), date(2020, 2, 29), date(2020, 3, 1)]
TIMES = [datetime(1969, 12, 31, 23), datetime(1970, 1, 1, 0), datetime(1970, 1, 1, 1)]
ANY = ["COUNT({0})", "COUNT(DISTINCT {0})"]
ENDS = [*ANY, "MIN({0})", "MAX({0})"]
SUMS = [*ENDS, "SUM({0})", "AVG({0})", "AVG({0})"]
EXACT = [*ENDS, "SUM({0})", "COUNT({0}), AVG({0})", "COUNT({0}), AVG({0})"]
"""The mean of decimals is audited beside its COUNT."""
SIGNS = ["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Kind:
    """A type of columns: its values, how a policy declares them, what is asked of them,
    constants beside them, and signs.
    """

    type: str
    values: list[Any]
    declared: dict[str, Any]
    asked: list[str]
    constants: list[str]
    signs: tuple[str, ...] = tuple(SIGNS)
    formulas: tuple[str, ...] = ()


KINDS = {
    "quarters": Kind(
        "DECIMAL(10,2)",
        [Decimal("0.75"), Decimal("1.00"), Decimal("1.25")],
        {"from": Fraction(3, 4), "to": Fraction(5, 4), "step": Fraction(1, 4)},
        EXACT,
        ["1", "1.0", "1.25", "0.8", "1.253"],
        formulas=("{0} >= 1", "{0} < 1.25", "2 * {0} > 2.1", "{0} in (0.75, 1.3)"),
    ),
    "gaps": Kind(
        "DECIMAL(6,3)",
        [Decimal("-0.1"), Decimal("0.125"), Decimal("2.000")],
        {"values": [Fraction(-1, 10), Fraction(1, 8), 2]},
        EXACT,
        ["0", "-0.1", "2", "0.125", "1.5"],
        formulas=("{0} > 0.1", "{0} = 2", "{0} not in (2, 0.125)"),
    ),
    "units": Kind(
        "DECIMAL(4,1)",
        [Decimal("1.0"), Decimal("2.0"), Decimal("3.0")],
        {"from": 1, "to": 3},
        [*EXACT, "MEDIAN({0})"],
        ["2", "2.5", "1.0"],
    ),
    "binary": Kind(
        "DOUBLE",
        [0.5, 1.25, 3.0],
        {"values": [Fraction(1, 2), Fraction(5, 4), 3]},
        [*SUMS, "MEDIAN({0})"],
        ["0.5", "1", "1.25", "1.3"],
        formulas=("{0} >= 1", "{0} in (0.5, 3)"),
    ),
    "tenths": Kind(
        "DOUBLE",
        [0.1, 0.2, 0.3],
        {"from": Fraction(1, 10), "to": Fraction(3, 10), "step": Fraction(1, 10)},
        ENDS,
        ["0.1", "0.3", "0.2", "0.25", "1"],
        formulas=("{0} >= 0.2", "{0} < 0.3"),
    ),
    "whole": Kind(
        "DOUBLE", [0.0, 1.0, 2.0], {"from": 0, "to": 2}, [*SUMS, "MEDIAN({0})"], ["1"]
    ),
    "fives": Kind(
        "SMALLINT",
        [5, 10, 15],
        {"from": 5, "to": 15, "step": 5},
        [*SUMS, "MEDIAN({0})"],
        ["5", "7", "10", "12.5"],
        formulas=("{0} > 5", "{0} + {0} = 20"),
    ),
    "days": Kind(
        "DATE",
        DAYS,
        {"from": DAYS[0], "to": DAYS[2]},
        ENDS,
        [
            "DATE '2020-02-29'",
            "'2020-03-01'",
            "TIMESTAMP '2020-02-29 12:00:00'",
            "CAST('2020-02-28' AS DATE)",
        ],
        formulas=("{0} >= '2020-02-29'", "{0} in ('2020-03-01')"),
    ),
    "times": Kind(
        "TIMESTAMP",
        TIMES,
        {"from": TIMES[0], "to": TIMES[2], "step": 3600},
        ENDS,
        ["TIMESTAMP '1970-01-01 00:00:00'", "'1970-01-01'", "DATE '1970-01-01'"],
        formulas=("{0} < '1970-01-01'", "{0} = '1970-01-01 01:00'"),
    ),
    "truths": Kind(
        "BOOLEAN",
        [False, True],
        {"values": [False, True]},
        [*ANY, "MIN({0})", "SUM({0})"],
        ["TRUE", "FALSE"],
    ),
    "labels": Kind(
        "ENUM('ill', 'b', 'well')",
        ["b", "ill", "well"],
        {"values": ["b", "ill", "well"]},
        ANY,
        ["'b'", "'ill'"],
        ("=", "<>"),
        ("{0} = 'b'", "{0} in ('b', 'ill')"),
    ),
    "ranks": Kind(
        "ENUM('a', 'b', 'c')",
        ["a", "b", "c"],
        {"values": ["a", "b", "c"]},
        ENDS,
        ["'b'", "'c'"],
    ),
}
"""All that cells can be, beside integers and texts."""
NAMES = {id(kind): name for name, kind in KINDS.items()}
TOGETHER = [
    {"quarters", "gaps", "units", "fives"},
    {"binary", "whole", "fives"},
]
"""Kinds that are compared with one another."""


@dataclass(frozen=True)
class KindCase:
    """A table t with public id, g and p, one or two sensitive columns, facts and a log.

    The public p has values of the first sensitive column.
    """

    kinds: dict[str, Kind]
    missing: dict[str, bool]
    rows: tuple[Row, ...]
    protect: dict[str, dict[str, Any]]
    log: tuple[str, ...]

    @classmethod
    def random(cls, seed: int) -> KindCase:
        r = random.Random(seed)
        among = sorted(KINDS if r.random() < 0.6 else r.choice(TOGETHER))
        names = r.sample(among, 2 if len(among) < 5 or r.random() < 0.2 else 1)
        kinds = dict(zip("su", [KINDS[name] for name in names], strict=False))
        missing = {column: r.random() < 0.4 for column in kinds}
        rows = []
        for place in range(3 if len(kinds) == 1 else 2):
            cells = []
            for column, kind in kinds.items():
                cells.append(r.choice(kind.values + [None] * missing[column]))
            beside = r.choice([*kinds["s"].values, None])
            rows.append((f"k{place}", r.choice("xy"), beside, *cells))
        protect: dict[str, dict[str, Any]] = {}
        for column, kind in kinds.items():
            protect[column] = {"column": column}
            for place, text in enumerate(kind.formulas):
                protect[f"{column}{place}"] = {"fact": text.format(column)}
        log = tuple(statement(r, kinds) for _ in range(5))
        return cls(kinds, missing, tuple(rows), protect, log)

    @property
    def types(self) -> list[str]:
        kinds = list(self.kinds.values())
        return ["VARCHAR", "VARCHAR", kinds[0].type, *(kind.type for kind in kinds)]

    @property
    def columns(self) -> list[str]:
        return ["id", "g", "p", *self.kinds]

    def policy(self) -> dict[str, Any]:
        sensitive = {}
        for column, kind in self.kinds.items():
            sensitive[column] = {**kind.declared, "null": self.missing[column]}
        return {
            "table": "t",
            "key": "id",
            "public": ["g", "p"],
            "sensitive": sensitive,
            "protect": self.protect,
        }

    def write(self, path: Any) -> None:
        with duckdb.connect(str(path)) as connection:
            pairs = zip(self.columns, self.types, strict=True)
            connection.execute(f"CREATE TABLE t ({', '.join(map(' '.join, pairs))})")
            marks = ", ".join("?" * len(self.columns))
            connection.executemany(f"INSERT INTO t VALUES ({marks})", self.rows)

    def worlds(self) -> list[tuple[Row, ...]]:
        """Every way to fill the sensitive cells."""
        domains = []
        for column, kind in self.kinds.items():
            domains.append(kind.values + [None] * self.missing[column])
        one_row = list(itertools.product(*domains))
        found = []
        for cells in itertools.product(one_row, repeat=len(self.rows)):
            pairs = zip(self.rows, cells, strict=True)
            found.append(tuple([(*row[:3], *filled) for row, filled in pairs]))
        return found


class AllWorlds:
    """Every world of a case, side by side in one table."""

    def __init__(self, case: KindCase) -> None:
        self.case = case
        self.all = case.worlds()
        self.truth = self.all.index(case.rows)
        self.alive = set(range(len(self.all)))
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        columns = ["w", *case.columns]
        types = ["INTEGER", *case.types]
        pairs = map(" ".join, zip(columns, types, strict=True))
        self.connection.execute(f"CREATE TABLE every ({', '.join(pairs)})")
        rows = [(w, *row) for w, world in enumerate(self.all) for row in world]
        lists = ", ".join(f"UNNEST(?::{kind}[])" for kind in types)
        cells = [list(column) for column in zip(*rows, strict=True)]
        self.connection.execute(f"INSERT INTO every SELECT {lists}", cells)

    def answers(self, sql: str) -> dict[int, Counter[Row]]:
        """The answer in each world."""
        rows = f"(SELECT {', '.join(self.case.columns)} FROM every WHERE w = ws.w) AS t"
        inner = sql.replace(" FROM t", f" FROM {rows}", 1)
        found: dict[int, Counter[Row]] = {w: Counter() for w in range(len(self.all))}
        worlds = "(SELECT DISTINCT w FROM every) ws"
        everything = f"SELECT ws.w, answer.* FROM {worlds}, LATERAL ({inner}) answer"
        for world, *row in self.connection.execute(everything).fetchall():
            found[world][tuple(row)] += 1
        return found

    def ask(self, sql: str) -> None:
        """Worlds that answer otherwise than the data are out."""
        found = self.answers(sql)
        self.alive &= {w for w, rows in found.items() if rows == found[self.truth]}

    def disclosed(self, entry: dict[str, Any], row: int) -> bool | None:
        """Whether a fact follows; None where it is false in the data."""
        if "column" in entry:
            place = self.case.columns.index(entry["column"])
            return len({self.all[w][row][place] for w in self.alive}) == 1
        # A formula of one row, as SQL over the rows of each world.
        text = f"SELECT w, ({entry['fact']}) FROM every WHERE id = 'k{row}'"
        found = dict(self.connection.execute(text).fetchall())
        if found[self.truth] is not True:
            return None
        return all(found[w] is True for w in self.alive)


def statement(r: random.Random, kinds: dict[str, Kind]) -> str:
    """A random query of the audited fragment."""
    column = r.choice(list(kinds))
    kind = kinds[column]
    where = f" WHERE {condition(r, kinds, 1)}" if r.random() < 0.6 else ""
    if r.random() < 0.1:
        return f"SELECT id, {column} FROM t{where or ' WHERE id = ' + repr('k1')}"
    items = [r.choice(["COUNT(*)", *kind.asked]).format(column)]
    if r.random() < 0.4:
        items.append(r.choice(kind.asked).format(column))
    items = list(dict.fromkeys(items))
    if r.random() < 0.2 and "AVG" not in items[0]:
        items[0] += f" FILTER (WHERE {condition(r, kinds, 0)})"
    group = r.random() < 0.4
    shown = ", ".join([*(["g"] * group), *items])
    after = " GROUP BY g" if group else ""
    if "MIN({0})" in kind.asked and r.random() < 0.15:
        sign, constant = r.choice(kind.signs), r.choice(kind.constants)
        after += f" HAVING MAX({column}) {sign} {constant}"
    return f"SELECT {shown} FROM t{where}{after}"


def condition(r: random.Random, kinds: dict[str, Kind], depth: int) -> str:
    """A random condition."""
    if depth and r.random() < 0.4:
        left, right = (condition(r, kinds, depth - 1) for _ in range(2))
        return f"({left} {r.choice(['AND', 'OR'])} {right})"
    column = r.choice(list(kinds))
    kind = kinds[column]
    one, other = r.choice(kind.constants), r.choice(kind.constants)
    sign = r.choice(kind.signs)
    choices = [
        *[f"{column} {sign} {one}"] * 3,
        f"NOT ({column} {sign} {one})",
        f"{column} IN ({one}, {other})",
        f"{column} IS NULL",
        "g = 'x'",
    ]
    names = {NAMES[id(one)] for one in kinds.values()}
    if len(kinds) > 1 and any(names <= together for together in TOGETHER):
        choices += [f"s {r.choice(SIGNS)} u"] * 4
    if not kinds["s"].type.startswith(("ENUM", "DOUBLE")):
        choices += [f"s {r.choice(kinds['s'].signs)} p", f"p {r.choice(SIGNS)} s"]
    if "<" in kind.signs:
        choices += [f"{column} BETWEEN {one} AND {other}", f"{one} {sign} {column}"]
    return r.choice(choices)
