"""Kinds of data in sensitive columns: each verdict is that of all worlds."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.audit_kinds import AllWorlds, KindCase
from support.so_many import so_many

import phverify as ph


def audited(case: KindCase) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.duckdb"
        case.write(path)
        return ph.audit(path, list(case.log), case.policy(), each=60, ranges=0)


@so_many(30)
@given(st.integers(0, 10**9))
def test_every_verdict_is_that_of_all_worlds(seed: int) -> None:
    case = KindCase.random(seed)
    worlds = AllWorlds(case)
    report = audited(case)
    for step in report.steps:
        if step.number:
            assert step.status == "answered", (step.sql, step.reason)
            worlds.ask(step.sql)
        seen = set()
        for finding in step.findings:
            name, row = finding.fact.protected.name, finding.fact.rows[0]
            seen.add((name, row))
            disclosed = worlds.disclosed(case.protect[name], row)
            assert disclosed is not None
            expected = "disclosed" if disclosed else "safe"
            assert finding.verdict == expected, (seed, step.sql, name, row)
        for name, entry in case.protect.items():
            for row in range(len(case.rows)):
                known = worlds.disclosed(entry, row) is not None
                assert ((name, row) in seen) == known
