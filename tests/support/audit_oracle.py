"""The judge of audits: random tables, facts and queries, and what they say.

Nothing here comes from the package: worlds are the product of the domains
(``audit_worlds``), and what a query says is what DuckDB answers; what a formula says,
too: its cells become the cells of a world, the rest is SQL as it stands.
``Case.random`` draws a table, facts and queries.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

Row = tuple[Any, ...]
TYPES = {
    "id": "VARCHAR",
    "g": "VARCHAR",
    "p": "INTEGER",
    "s": "INTEGER",
    "u": "VARCHAR",
}
TEXTS = ["ab", "b", "ba"]
BELOW = {"any": ["ab", "b", "ba"], "bs": ["b", "ba"]}
SIGNS = ["=", "<>", "!=", "<", "<=", ">", ">="]
EXTERNAL = {
    "e": {"h": "VARCHAR", "k": "INTEGER", "c": "VARCHAR"},
    "f": {"p": "INTEGER", "z": "VARCHAR"},
}
"""Public tables that queries join."""
JOINS = [
    "JOIN e ON g = h",
    "JOIN e ON {0}g = e.h",
    "LEFT JOIN e ON g = h",
    "JOIN e ON {0}p < k",
    "CROSS JOIN e",
]
JOINS += [
    "LEFT JOIN e ON {0}p >= k AND g = h",
    "JOIN f USING (p)",
    "LEFT JOIN f USING (p)",
    "JOIN e ON s = k",
]
JOINS += [
    "JOIN e ON g = h AND {0}s <= k",
    "JOIN e AS x ON {0}g = x.h LEFT JOIN f USING (p)",
    ", e",
]


@dataclass(frozen=True)
class Case:
    """A table with public id, g, p and sensitive s (and u), the domains of s and u,
    facts, and a log.
    """

    rows: tuple[Row, ...]
    domains: dict[str, list[Any]]
    protect: dict[str, dict[str, Any]]
    log: tuple[str, ...]
    external: dict[str, tuple[Row, ...]]

    @property
    def columns(self) -> list[str]:
        return ["id", "g", "p", *self.domains]

    @classmethod
    def random(cls, seed: int) -> Case:
        r = random.Random(seed)
        size = r.choice([2, 3, 3, 4])
        domains: dict[str, list[Any]] = {
            "s": list(range(r.choice([2, 3, 3]))) + ([None] if r.random() < 0.4 else [])
        }
        if size < 4 and r.random() < 0.4:
            domains["u"] = TEXTS[: r.choice([2, 3])] if size == 2 else TEXTS[:2]
        shift = r.choice([0, 0, -1, 7])
        domains["s"] = [None if v is None else v + shift for v in domains["s"]]
        rows = tuple(
            (
                f"k{n}",
                r.choice(["x", "y", None]),
                r.choice([0, 1, 1, 2, None]),
                *(r.choice(d) for d in domains.values()),
            )
            for n in range(size)
        )
        log = tuple(statement(r, domains) for _ in range(r.choice([6, 7, 8])))
        e = tuple(
            (r.choice("xyz"), r.choice([0, 1, 2, 7, None]), r.choice(["n", "o", None]))
            for _ in range(3)
        )
        f = tuple(
            (r.choice([0, 1, 1, None]), r.choice(["n", "o"]))
            for _ in range(r.choice([1, 2]))
        )
        protect = facts(r, domains) | formulas(random.Random(-seed - 1), rows, domains)
        return cls(rows, domains, protect, log, {"e": e, "f": f})

    def policy(self) -> dict[str, Any]:
        sensitive = {}
        for name, domain in self.domains.items():
            values = [v for v in domain if v is not None]
            span = (
                {"values": values}
                if name == "u"
                else {"from": min(values), "to": max(values)}
            )
            sensitive[name] = span | {"null": None in domain}
        columns = {
            "table": "t",
            "key": "id",
            "public": ["g", "p"],
            "external": ["e", "f"],
            "sensitive": sensitive,
        }
        trees = (
            {"taxonomies": {"u": {"any": pruned(self.domains["u"])}}}
            if "u" in self.domains
            else {}
        )
        return columns | trees | {"protect": self.protect}

    def write(self, path: Path) -> None:
        connection = duckdb.connect(str(path))
        connection.execute(
            f"CREATE TABLE t ({', '.join(f'{c} {TYPES[c]}' for c in self.columns)})"
        )
        connection.executemany(
            f"INSERT INTO t VALUES ({', '.join('?' * len(self.columns))})", self.rows
        )
        self.outside(connection)
        connection.close()

    def outside(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make the external tables."""
        for name, columns in EXTERNAL.items():
            connection.execute(
                f"CREATE TABLE {name} ({', '.join(map(' '.join, columns.items()))})"
            )
            connection.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})",
                self.external[name],
            )


def facts(r: random.Random, domains: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    values = [v for v in domains["s"] if v is not None]
    bounds = [
        f"s {sign} {r.choice(values)}" for sign in ("=", "!=", "<", "<=", ">", ">=")
    ]
    found: dict[str, dict[str, Any]] = {"cells": {"column": "s"}}
    found |= {f"bound{k}": {"fact": bound} for k, bound in enumerate(bounds)}
    found |= {"near": {"column": "s", "within": 1}} if r.random() < 0.5 else {}
    found |= {"left": {"column": "s", "left": 3}} if len(domains["s"]) > 2 else {}
    return found | ({"texts": {"column": "u"}} if "u" in domains else {})


def pruned(texts: Sequence[str]) -> dict[str, list[str]]:
    """The taxonomy of column u, over the texts that it may have."""
    return {"ab": [], "bs": [text for text in ("b", "ba") if text in texts]}


def formulas(
    r: random.Random, rows: Sequence[Row], domains: dict[str, list[Any]]
) -> dict[str, dict[str, Any]]:
    """Formulas about each row, and over named rows; the latter are true in the data."""
    own = formula(r, domains, [""], 1)
    found = {"own": {"fact": own}} | (
        {"viral": {"fact": "u below 'bs'"}} if "u" in domains else {}
    )
    keys = [f"[{row[0]}]" for row in rows]
    true = _true(
        [formula(r, domains, keys, 2) for _ in range(6)],
        rows,
        ["id", "g", "p", *domains],
    )
    return found | {f"named{k}": {"formula": text} for k, text in enumerate(true[:2])}


def _true(
    texts: Sequence[str], rows: Sequence[Row], columns: Sequence[str]
) -> list[str]:
    """The formulas that are true in a table, by DuckDB."""
    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        connection.execute(
            f"CREATE TABLE t ({', '.join(f'{c} {TYPES[c]}' for c in columns)})"
        )
        connection.executemany(
            f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", list(rows)
        )
        found = connection.execute(
            f"SELECT {', '.join(as_sql(text, '') for text in texts)} FROM t"
        ).fetchone()
    return [
        text for text, value in zip(texts, found or (), strict=True) if value is True
    ]


def formula(
    r: random.Random, domains: dict[str, list[Any]], keys: Sequence[str], depth: int
) -> str:
    """A random formula over cells of these rows (``""`` is the row that a fact is
    about).
    """
    if depth and r.random() < 0.55:
        left, right = (formula(r, domains, keys, depth - 1) for _ in range(2))
        return f"({left} {r.choice(['and', 'or', 'OR'])} {right})"
    if depth and r.random() < 0.2:
        return f"not ({formula(r, domains, keys, depth - 1)})"
    values = [v for v in domains["s"] if v is not None]
    s, t, v, sign = (
        f"s{r.choice(keys)}",
        f"s{r.choice(keys)}",
        r.choice(values),
        r.choice(SIGNS),
    )
    choices = [
        f"{s} {sign} {v}",
        f"{s} {sign} {t}",
        f"{s} + {t} {sign} {2 * v + r.choice([0, 1])}",
    ]
    choices += [
        f"2 * {s} - {t} * 3 {sign} {-v} + 1",
        f"{v} {sign} {s}",
        f"{s} in ({v}, {r.choice(values)})",
    ]
    choices += [f"{s} not in ({v}, {v + 1})", f"{s} is missing", f"{s} is not missing"]
    if "u" in domains:
        u, w = f"u{r.choice(keys)}", f"u{r.choice(keys)}"
        text = r.choice(domains["u"])
        choices += [
            f"{u} {sign} '{text}'",
            f"{u} {sign} {w}",
            f"{u} in ('{text}', '{domains['u'][0]}')",
        ]
        choices += [f"{u} below '{r.choice(list(BELOW))}'"]
    return r.choice(choices)


def as_sql(text: str, key: str) -> str:
    """A formula as an SQL aggregate over the rows of a world; ``key`` is the row that
    it is about.
    """
    text = re.sub(
        r"below '(\w+)'", lambda m: f"IN ({', '.join(map(repr, BELOW[m[1]]))})", text
    )
    text = text.replace("missing", "NULL")
    return re.sub(
        r"\b([su])\b(?:\[(\w+)\])?",
        lambda m: f"(max({m[1]}) FILTER (WHERE id = '{m[2] or key}'))",
        text,
    )


def statement(r: random.Random, domains: dict[str, list[Any]]) -> str:
    """A random query of the audited fragment, every third one with a join."""
    values = [v for v in domains["s"] if v is not None]
    kinds = [
        "COUNT(*)",
        "COUNT(s)",
        "SUM(s)",
        *["AVG(s)"] * 3,
        "MIN(s)",
        "MAX(s)",
        "MEDIAN(s)",
        "SUM(p)",
        "AVG(p)",
    ]
    kinds += [
        "MEDIAN(p)",
        "MIN(p)",
        "COUNT(p)",
        "COUNT(DISTINCT s)",
        "COUNT(DISTINCT s)",
        "COUNT(DISTINCT p)",
    ]
    kinds += (
        ["MIN(u)", "MAX(u)", "COUNT(u)", "COUNT(DISTINCT u)"] if "u" in domains else []
    )
    table, more, groups = source(r)
    choices = [*conditions(r, values, "u" in domains), *more]
    where = f" WHERE {condition(r, choices, 2)}" if r.random() < 0.75 else ""
    if r.random() < 0.12:
        return (
            f"SELECT id, {r.choice([*domains, *groups[1:]])} FROM"
            f" {table}{where or ' WHERE p = 1'}"
        )
    kinds += (
        ["SUM(k)", "COUNT(c)", "AVG(k)", "COUNT(DISTINCT c)"] * 2
        if "c" in groups
        else []
    )
    items = ", ".join(
        filtered(r, item, choices) for item in r.sample(kinds, r.choice([1, 1, 2]))
    )
    after = (
        f" HAVING {having(r, values, choices, 'u' in domains)}"
        if r.random() < 0.15
        else ""
    )
    if r.random() < 0.4:
        names = ", ".join(r.sample(groups, r.choice([1, min(2, len(groups))])))
        return f"SELECT {names}, {items} FROM {table}{where} GROUP BY {names}{after}"
    return f"SELECT {items} FROM {table}{where}{after}"


def filtered(r: random.Random, item: str, choices: Sequence[str]) -> str:
    """An aggregate, every fourth one with FILTER."""
    return (
        f"{item} FILTER (WHERE {condition(r, choices, 1)})"
        if r.random() < 0.25
        else item
    )


def having(
    r: random.Random, values: Sequence[int], choices: Sequence[str], texts: bool
) -> str:
    """A condition on groups."""
    if r.random() < 0.3:
        left, right = (having(r, values, choices, texts) for _ in range(2))
        return r.choice(
            [f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"]
        )
    v, sign = r.choice(values), r.choice(SIGNS)
    sides = [
        ("COUNT(*)", 1),
        ("COUNT(*)", 2),
        ("COUNT(s)", 2),
        ("SUM(s)", 2 * v),
        ("MIN(s)", v),
        ("MAX(s)", v),
    ]
    sides += [("AVG(s)", v), ("COUNT(DISTINCT s)", 2), ("SUM(p)", 1)]
    item, bound = r.choice([*sides, *([("MIN(u)", "'b'"), ("MAX(u)", "'az'")] * texts)])
    item = filtered(r, item, choices)
    return r.choice([f"{item} {sign} {bound}", f"{bound} {sign} {item}"])


def source(r: random.Random) -> tuple[str, list[str], list[str]]:
    """A FROM clause, conditions on its external columns, and columns to group by."""
    if r.random() < 0.67:
        return "t", [], ["g"]
    join = r.choice(JOINS)
    alias = r.choice(["", "AS a "])
    table = f"t {alias}{join.format(r.choice(['', 'a.' if alias else 't.']))}"
    in_e, in_f = " e" in join, " f" in join
    more = ["k > 1", "s < k", "k = s", "c = 'n'", "c IS NULL"] if in_e else []
    return (
        table,
        3 * (more + (["z = 'n'", "z <> 'n'"] if in_f else [])),
        ["g", *(["c"] * in_e), *(["z"] * in_f)],
    )


def condition(r: random.Random, choices: Sequence[str], depth: int) -> str:
    if depth and r.random() < 0.4:
        left, right = (condition(r, choices, depth - 1) for _ in range(2))
        return f"({left} {r.choice(['AND', 'OR'])} {right})"
    if depth and r.random() < 0.15:
        return f"NOT ({condition(r, choices, depth - 1)})"
    return r.choice(choices)


def conditions(r: random.Random, values: Sequence[int], texts: bool) -> list[str]:
    """Conditions on the table's own columns; ``sign`` and constants are drawn anew for
    each.
    """
    v, w = sorted((r.choice(values), r.choice(values)))

    def sign() -> str:
        return r.choice(["=", "<>", "<", "<=", ">", ">="])

    choices = [
        f"s {sign()} {v}",
        f"{v} {sign()} s",
        f"s BETWEEN {v} AND {w}",
        f"s IN ({v}, {w})",
    ]
    choices += [
        f"s NOT IN ({v}, NULL)",
        f"s {sign()} p",
        f"p {sign()} s",
        f"s {sign()} {v}.5",
        "s IS NULL",
    ]
    choices += [
        "s IS NOT NULL",
        "s = NULL",
        f"p {sign()} 1",
        "g = 'x'",
        "g IS NULL",
        "g LIKE 'x%'",
        "id <> 'k0'",
    ]
    choices += [
        "id = 'k1'",
        "id IN ('k0', 'k2')",
        "p IN (1, NULL)",
        "p NOT IN (0, NULL)",
    ]
    choices += (
        [f"u {sign()} '{r.choice([*TEXTS, 'az', 'c'])}'" for _ in range(3)]
        if texts
        else []
    )
    return choices
