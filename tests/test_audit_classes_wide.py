"""Audits by classes beside another engine's enumeration of all worlds, and beside the
road of single cells: columns of several kinds, two at once, statements of all forms.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.so_many import FUZZ

import phverify
import phverify.verbs.audit as audited
from phverify.disclosure.classes import few, made_for
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.system import ClassSystem, Entries
from phverify.disclosure.classes.tables import CountedFindings
from phverify.disclosure.result import AuditReport

PUBLIC = ["g = 'x'", "p = 1", "p > 0", "id <> 'k0'", "id <> 'k1'", "p IS NULL"]
PUBLIC += ["id IN ('k0', 'k2')", "g = 'y' OR p = 0", "id < 'k3'", "NOT (p = 1)"]
DOMAINS: list[list[Any]] = [[0, 1], [3, 4], [-1, 0], [0, 7], ["no", "yes"]]
DOMAINS += [[False, True], [0, 1, 2], [-2, -1, 0, 1]]
MOST = 1300
"""Worlds of a table."""
Told = list[Counter[Any]]


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return repr(value)


class Wide:
    """A random table with one or two sensitive columns, a policy and a log."""

    def __init__(self, seed: int) -> None:
        self.pick = pick = random.Random(seed)
        self.domains = {"s": pick.choice(DOMAINS)}
        if pick.random() < 0.4:
            self.domains["u"] = pick.choice([[0, 1], [0, 1, 2]])
        each = 1
        for values in self.domains.values():
            each *= len(values)
        rows = [n for n in (2, 3, 4, 5, 6, 7) if each**n <= MOST]
        self.public = []
        for k in range(pick.choice(rows[-3:])):
            self.public.append((f"k{k}", pick.choice("xy"), pick.choice([0, 1, None])))
        same = pick.choice([0.1, 0.5, 0.9])
        self.truth = tuple(
            tuple(
                values[0] if pick.random() < same else pick.choice(values)
                for _ in self.public
            )
            for values in self.domains.values()
        )
        self.strange = pick.random() < 0.3
        self.log = [self.statement() for _ in range(pick.choice([2, 3, 4, 5, 6]))]

    def statement(self) -> str:
        pick = self.pick
        name = pick.choice(list(self.domains))
        values = self.domains[name]
        one, other = pick.choice(PUBLIC), pick.choice(PUBLIC)
        if self.strange and pick.random() < 0.4:
            return self.other(name, values)
        if pick.random() < 0.08:
            return f"SELECT id, {name} FROM t WHERE {one}"
        where = pick.choice(["", f" WHERE {one}", f" WHERE ({one}) AND ({other})"])
        number = isinstance(values[0], int) and not isinstance(values[0], bool)
        about = pick.choice(
            [f"{name} = {literal(v)}" for v in values]
            + [f"{name} <> {literal(values[0])}", f"{literal(values[0])} < {name}"]
        )
        about = pick.choice([about, f"{about} OR {one}", f"NOT ({about} AND {one})"])
        items = ["COUNT(*)"]
        if number:
            items += [f"SUM({name})", f"AVG({name})", f"COUNT(*), SUM({name})"]
            items.append(f"SUM({name}) FILTER (WHERE {other}), COUNT({name})")
            items.append(", ".join(f"SUM({each})" for each in self.numbers()))
        item = pick.choice(items)
        if len(values) == 2 and pick.random() < 0.5:
            item = "COUNT(*)"
            where = f" WHERE {about}"
            if pick.random() < 0.4:
                item, where = f"COUNT(*) FILTER (WHERE {about}), COUNT(*)", ""
        groups = pick.choice(["", "", "g", "p", "g, p", "p, g"])
        if not groups:
            return f"SELECT {item} FROM t{where}"
        return f"SELECT {groups}, {item} FROM t{where} GROUP BY {groups}"

    def numbers_of(self, name: str) -> str:
        """A sum over another column, if there is one."""
        several = [one for one in self.numbers() if one != name]
        return f"SUM({several[0]})" if several else "COUNT(*)"

    def numbers(self) -> list[str]:
        return [name for name, values in self.domains.items() if type(values[0]) is int]

    def other(self, name: str, values: Sequence[Any]) -> str:
        """What is outside of classes, rewritten, bounded, or no query at all."""
        value = literal(values[-1])
        return self.pick.choice(
            [
                f"SELECT MIN({name}), MAX({name}) FROM t",
                f"SELECT g, COUNT(*) FROM t WHERE {name} = {value} GROUP BY g"
                " HAVING COUNT(*) > 1",
                f"SELECT g FROM t WHERE {name} = {value} GROUP BY g",
                f"SELECT id FROM t WHERE {name} = {value}",
                f"SELECT COUNT(DISTINCT {name}) FROM t",
                f"SELECT SUM(CASE WHEN {name} = {value} THEN 1 ELSE 0 END) FROM t",
                f"SELECT g, {name}, COUNT(*) FROM t GROUP BY g, {name}",
                f"WITH c AS (SELECT * FROM t WHERE p = 1) SELECT COUNT(*) FROM c"
                f" WHERE {name} = {value}",
                f"SELECT COUNT(*) FROM t WHERE {name} = {value} UNION ALL"
                f" SELECT COUNT(*) FROM t WHERE {name} = {value} AND p = 1",
                f"SELECT COUNT(*) * 2 FROM t WHERE {name} = {value}",
                f"SELECT COUNT(*) > 1 FROM t WHERE {name} = {value}",
                f"SELECT id, {name} FROM t WHERE p = 1 ORDER BY {name} LIMIT 1",
                f"SELECT COUNT(*), COUNT(*) FILTER (WHERE p = 1) FROM t"
                f" WHERE {name} = {value}",
                f"SELECT {self.numbers_of(name)} FILTER (WHERE {name} = {value}) FROM t",
                "DELETE FROM t",
                "SELECT nothing FROM t",
                "SELECT COUNT(*) FROM t",
            ]
        )

    def policy(self) -> dict[str, Any]:
        sensitive: dict[str, Any] = {}
        protect: dict[str, Any] = {}
        for name, values in self.domains.items():
            few = len(values) == 2
            sensitive[name] = (
                {"values": values} if few else {"from": values[0], "to": values[-1]}
            )
            protect[name] = {"column": name}
            if few:
                protect[f"{name}_is"] = {"fact": f"{name} = {literal(values[1])}"}
        if self.strange:
            protect["s"]["keys"] = ["k1", "k0"]
        plain = {"table": "t", "key": "id", "public": ["g", "p"]}
        return {**plain, "sensitive": sensitive, "protect": protect}

    def audit(self) -> AuditReport:
        table = pd.DataFrame(self.public, columns=["id", "g", "p"])
        table["p"] = table["p"].astype("Int64")
        for name, cells in zip(self.domains, self.truth, strict=True):
            table[name] = list(cells)
        return phverify.audit(table, self.log, self.policy())

    def worlds(self, left_out: set[int]) -> dict[Any, Told]:
        """The answers of SQLite in all worlds; nothing to some statements."""
        asked = [sql for k, sql in enumerate(self.log, 1) if k not in left_out]
        connection = sqlite3.connect(":memory:")
        names = ", ".join(self.domains)
        connection.execute(f"CREATE TABLE t (id, g, p, {names})")
        columns = [
            itertools.product(values, repeat=len(self.public))
            for values in self.domains.values()
        ]
        marks = ", ".join("?" * (3 + len(self.domains)))
        found = {}
        for world in itertools.product(*map(list, columns)):
            rows = zip(*zip(*self.public, strict=True), *world, strict=True)
            connection.execute("DELETE FROM t")
            connection.executemany(f"INSERT INTO t VALUES ({marks})", list(rows))
            answers = iter([Counter(connection.execute(sql)) for sql in asked])
            nothing: Counter[Any] = Counter()
            found[world] = [
                nothing if k in left_out else next(answers)
                for k in range(1, len(self.log) + 1)
            ]
        connection.close()
        return found


def by_cells(wide: Wide, monkeypatch: pytest.MonkeyPatch) -> AuditReport:
    """The same audit on the road of single cells."""
    with monkeypatch.context() as patch:
        patch.setattr(made_for, "FROM_ROWS", 10**9)
        return wide.audit()


def agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, int]:
    """Whether a random audit took the road of classes, and how much was compared."""
    wide = Wide(seed)
    report = wide.audit()
    classed = isinstance(report.steps[0].findings, CountedFindings)
    if not classed:
        return False, 0
    not_audited = {"unsupported", "refused"}
    left_out = {step.number for step in report.steps if step.status in not_audited}
    worlds = wide.worlds(left_out)
    said = worlds[wide.truth]
    names = list(wide.domains)
    others = by_cells(wide, monkeypatch)
    compared = 0
    for step, beside in zip(report.steps, others.steps, strict=True):
        assert step.status == beside.status
        alive = [
            w
            for w, told in worlds.items()
            if told[: step.number] == said[: step.number]
        ]
        tainted = any(number <= step.number for number in left_out)
        for one, other in zip(step.findings, beside.findings, strict=True):
            column, row = names.index(one.fact.column), int(one.fact.key[1:])
            fixed = len({world[column][row] for world in alive}) == 1
            wanted = "unsupported" if tainted else "safe"
            assert one.verdict == ("disclosed" if fixed else wanted), (seed, step, one)
            assert one.fact.text() == other.fact.text()
            if other.verdict != "undecided":
                assert (one.verdict, one.since) == (other.verdict, other.since), seed
            if fixed:
                core = [number - 1 for number in one.core]
                alike = [
                    w for w, t in worlds.items() if all(t[q] == said[q] for q in core)
                ]
                assert len({world[column][row] for world in alike}) == 1, (seed, one)
            for changes in one.worlds:
                seen = [list(cells) for cells in wide.truth]
                for change in changes:
                    seen[names.index(change.column)][int(change.key[1:])] = change.other
                assert tuple(map(tuple, seen)) in alive, (seed, one)
                assert seen[column][row] != wide.truth[column][row], (seed, one)
            compared += 1
    return True, compared


def test_classes_say_what_worlds_and_single_cells_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 0)
    found = []
    for seed in range(400 if FUZZ else 12):
        # By turns all classes are looked at one by one, none, or the last few ones.
        monkeypatch.setattr(few, "FEW", (64, 0, 3)[seed % 3])
        found.append(agree(seed, monkeypatch))
    assert sum(classed for classed, _ in found) >= len(found) / 2


@pytest.mark.parametrize(
    ("low", "high", "multiplier", "proves"),
    [
        (0, 1, 1.0, True),
        (-1, 0, 1.0, False),
        (-1, 1, 1.0, False),
        (-1, 1, 0.0, False),
        (0, 1, 0.0, False),
        (0, 1, -1.0, False),
        (0, 1, 2.0, True),
    ],
)
def test_wrong_multipliers_prove_nothing(
    low: int, high: int, multiplier: float, proves: bool
) -> None:
    """Of ``x + y = 0``: that x is never above 0, by a multiple of the sum."""
    one = np.array([0, 0])
    ends = np.array([low, low]), np.array([high, high])
    entries = Entries(one, np.array([0, 1]), np.array([1, 1]), 1)
    origins, label = np.array([0]), np.array([0, 1])
    tight = np.array([True, True])
    system = ClassSystem(entries, origins, label, *ends, tight, label, label)
    part = MultipliedPart(system)
    # No sum alone is asked here.
    part.members = part.places = label
    aim = np.array([1, 0])
    found = part.proving(aim, np.array([multiplier]))
    assert (found is not None) == proves


def test_what_nobody_decides_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without proofs, what was given away is undecided from that step on."""
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 0)
    monkeypatch.setattr(few, "FEW", 0)
    monkeypatch.setattr(ColumnHistory, "_sums", lambda self: None)
    monkeypatch.setattr(
        ColumnHistory, "_proved", lambda self, system, level, wanted: (wanted, system)
    )
    monkeypatch.setattr(ColumnHistory, "_asked", lambda self, *given: None)
    wide = Wide(1)
    wide.domains, wide.truth = {"s": [0, 1]}, ((0, 1, 0, 1),)
    wide.public = [(f"k{k}", "xy"[k // 2], k % 2) for k in range(4)]
    wide.strange = False
    wide.log = ["SELECT SUM(s) FROM t", "SELECT id, s FROM t WHERE g = 'x'"]
    found = [[one.verdict for one in step.findings] for step in wide.audit().steps]
    for verdicts in found[:2]:
        assert set(verdicts) == {"safe"}
    assert set(found[2]) == {"safe", "undecided"}
