"""Runs that end early: the budget, Ctrl-C, SIGTERM, no memory; what was decided by then
is reported, and no more.
"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.audit_bank import ALL, BUT_JEAN, COUNT, Run, auditor

import phverify
from phverify import budget
from phverify.budget import Deadline, alarmed
from phverify.cli import audit as cli_audit
from phverify.constraints import solver
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.pool import Pool
from phverify.disclosure.solving import nullspace
from phverify.disclosure.solving.linear_rows import LinearRow
from phverify.disclosure.solving.nullspace import NullSpace
from phverify.disclosure.solving.rowspace import RowSpace
from phverify.errors import BudgetExceeded
from phverify.verbs.auditor import Auditor

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

LOG = f"{ALL};\n{BUT_JEAN};\n{COUNT};\n"
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g", "h"],
    "sensitive": {"v": {"from": 0, "to": 1000}},
    "protect": {"cells": {"column": "v"}},
}


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    return auditor(tmp_path, capsys, monkeypatch)


def at(what: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Something happens when the progress says so."""
    monkeypatch.setattr(
        cli_audit.Progress,
        "step",
        lambda self, name: act() if name.startswith(what) else None,
    )


def interrupted() -> None:
    raise KeyboardInterrupt


def test_what_was_disclosed_before_is_reported(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    at("query 3", interrupted, monkeypatch)
    code, out, err = run(LOG, "--json", "out.json")
    assert (code, err) == (1, "") and "2 of 3 queries of the log" in out
    assert (
        "DISCLOSED by query 2: the balance of Jean = 420 follows from queries 1 and 2"
        in out
    )
    said = (
        "UNDECIDED: 4 facts after the last query; the run was stopped after query 2 of"
        " 3: it was interrupted"
    )
    assert f"{said} (by then 1 disclosed, 4 safe)" in out and "\nSAFE" not in out
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert (saved["verdict"], saved["complete"], saved["stopped"]) == (
        "disclosed",
        False,
        "it was interrupted",
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals(
    number: int,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    at("query 2", lambda: os.kill(os.getpid(), number), monkeypatch)
    code, out, _ = run(LOG)
    assert (
        code == 3
        and "the run was stopped after query 1 of 3: it was interrupted" in out
        and "\nSAFE" not in out
    )
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_fails_because_of_a_signal_is_no_defect(
    number: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_loaded() -> None:
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise AttributeError("partially initialized module") from None

    before = signal.getsignal(number)
    at("query 2", half_loaded, monkeypatch)
    code, _, err = run(LOG)
    assert code == 3 and "interrupted: nothing was decided" in err
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("asked", "where"),
    [
        (["--json", "-"], "standard output: is not written whole"),
        (["--json", "out.json"], "out.json: is not written"),
        ([], "standard output: is not written whole"),
    ],
)
def test_while_the_answer_is_told(
    number: int,
    asked: list[str],
    where: str,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is decided: what could not be written is said, and not that nothing was."""

    def stopping(*_: object) -> object:
        os.kill(os.getpid(), number)
        return {"verdict": "disclosed"}

    name = "in_parts" if asked else "to_lines"
    monkeypatch.setattr(cli_audit, name, stopping)
    code, _, err = run(LOG, *asked)
    assert (code, err) == (2, f"phverify: {where}: interrupted\n")
    assert not Path("out.json").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, BudgetExceeded])
def test_within_a_step_the_facts_that_are_decided_stay_so(
    error: type[BaseException], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of five were decided, and of the last step, so that this is what holds after
    the last query.
    """
    cheap, calls = AuditJudge.cheap, count()

    def stopped(self: AuditJudge, fact: Any) -> Any:
        if self.asked and next(calls) == 2:
            raise error
        return cheap(self, fact)

    monkeypatch.setattr(AuditJudge, "cheap", stopped)
    monkeypatch.setattr(AuditJudge, "exchange", lambda self, needy, classes: None)
    monkeypatch.setattr(AuditJudge, "widen", lambda self, facts: None)
    code, out, _ = run("SELECT name, balance FROM accounts")
    assert (
        code == 1
        and "the balance of Ann = 320 and the balance of Bob = 270 follow from query 1"
        in out
    )
    assert (
        "UNDECIDED: 3 facts after the last query" in out
        and "Jean =" not in out
        and "the run was stopped: " in out
    )


def test_a_stop_after_the_last_verdict_takes_nothing_away(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Auditor.told

    def stopped(self: Auditor, step: Any) -> Any:
        if step.number:
            raise KeyboardInterrupt
        return told(self, step)

    monkeypatch.setattr(Auditor, "told", stopped)
    code, out, _ = run(ALL)
    assert code == 0 and "SAFE: 5 facts after the last query" in out
    assert "  the run was stopped: it was interrupted" in out


def test_a_world_that_was_not_replayed_to_its_end_is_none(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt = Pool.adopt

    def stopped(self: Pool, world: Any) -> Any:
        if self.asked:
            raise KeyboardInterrupt
        return adopt(self, world)

    monkeypatch.setattr(Pool, "adopt", stopped)
    code, out, _ = run("SELECT name, balance FROM accounts WHERE branch = 'north'")
    assert code == 3 and "SAFE" not in out.split("query 1, line 1")[0].replace(
        "1 disclosed", ""
    )


def test_the_budget_is_for_everything(run: Run) -> None:
    code, out, _ = run(LOG, "--budget", "1e-9", "--reconstruct", "--json", "-")
    found = json.loads(out)
    assert code == 3 and found["stopped"] == "the budget of 1e-09 s ran out"
    assert {one["verdict"] for one in found["steps"][-1]["findings"]} == {"undecided"}
    assert found["reconstruction"]["status"] == "undecided"


# the alarm


def test_the_alarm_ends_what_looks_at_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.01)
    with pytest.raises(BudgetExceeded, match="budget of 0 s"), alarmed(Deadline(0.0)):
        while True:
            pass


def test_the_alarm_leaves_timers_and_what_comes_after_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.05)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        # Where the machine is slow the time is over here.
        with suppress(BudgetExceeded), alarmed(Deadline(1e-9)):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
        time.sleep(0.1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_a_thread_has_its_own_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.01)

    def audited() -> None:
        with pytest.raises(BudgetExceeded), alarmed(Deadline(1e-9)):
            while True:
                pass
        done.append(1)

    done: list[int] = []
    thread = threading.Thread(target=audited)
    thread.start()
    thread.join()
    assert done == [1]


def test_a_signal_that_the_solver_takes_is_for_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Cancelled(solver.z3.Solver):  # type: ignore[misc]
        def check(self, *_: Any) -> Any:
            return solver.z3.unknown

        def reason_unknown(self) -> str:
            return "canceled"

    monkeypatch.setattr(solver.z3, "SimpleSolver", Cancelled)
    for deadline in (None, Deadline(100.0)):
        with pytest.raises(KeyboardInterrupt):
            solver.solve("(assert true)", deadline)
    over = Deadline(100.0)
    over.end = time.monotonic() + 0.005  # where its time is over Z3 says the same
    assert solver.solve("(assert true)", over).status == "unknown"


# no matrix over all cells


def grouped(rows: int, groups: int) -> tuple[RowSpace, dict[str, int]]:
    """Sums of four group-bys over as many cells."""
    r = random.Random(3)
    names = [f"x{k}" for k in range(rows)]
    space = RowSpace()
    for _ in range(4):
        several: dict[int, dict[str, int]] = {}
        for name in names:
            several.setdefault(r.randrange(groups), {})[name] = 1
        space.add(
            [
                LinearRow(parts, 5 * len(parts), 5 * len(parts))
                for parts in several.values()
            ]
        )
    return space, dict.fromkeys(names, 5)


def test_cells_that_no_query_tells_apart_share_a_column() -> None:
    space, point = grouped(20_000, 4)
    assert (
        len(space.members) <= 4**4
        and space.matrix.size <= 4 * 4**4 * 40
        and not space.proofs
    )
    taken = {name: [5] for name in point}
    found = NullSpace(space, dict.fromkeys(point, (0, 10)), point, taken)
    assert found.entries.size <= 2 * nullspace.ENTRIES
    new = point | found.away(taken)
    assert all(
        sum(new[str(name)] for name in row.parts) == row.low for row in space.rows
    )
    assert sum(value != 5 for value in new.values()) > 19_000


def test_a_space_that_would_be_too_large_leaves_an_equation_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also the groups that it tells apart: what the others determine stays right."""
    monkeypatch.setattr("phverify.disclosure.solving.rowspace.LARGEST", 6)
    space = RowSpace()
    rows = [
        ({"a": 1, "b": 1}, 3),
        ({"a": 1, "b": 1, "c": 1}, 7),
        ({"c": 1, "d": 2, "e": 3, "f": 4}, 9),
    ]
    space.add([LinearRow(parts, value, value) for parts, value in rows])
    space.add([LinearRow({"a": 1, "d": 1, "f": 1}, 2, 2)])
    assert {atom: found.value for atom, found in space.proofs.items()} == {"c": 4}
    assert (
        space.matrix.size <= 2 * 4 * 6
    )  # atoms, and the equations that they are combinations of


def test_equal_cells_are_moved_in_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all of a group are equal no swap shows anything; without a solver, and for
    all rows.
    """
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS id, i % 7 AS g, i % 5 AS h, 500 AS v FROM"
            " range(3000) x(i)"
        )
    for name in ("together",):
        monkeypatch.setattr(
            AuditJudge, name, lambda *_: pytest.fail("a solver was asked")
        )
    log = [
        f"SELECT {name}, SUM(v), AVG(v), COUNT(*) FROM t GROUP BY {name}"
        for name in ("g", "h")
    ]
    report = phverify.audit(path, log, POLICY, ranges=0)
    assert report.verdict == "safe" and {
        f.verdict for s in report.steps for f in s.findings
    } == {"safe"}
