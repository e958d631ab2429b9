"""Statements of DuckDB and of SQLite end where Ctrl-C or the end of a budget says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from phverify import budget
from phverify.budget import Deadline, alarmed
from phverify.errors import BudgetExceeded
from phverify.microdata.interruptible import Interruptible

LONG = 60.0
"""Seconds after which something hangs."""


class Endless:
    """A connection whose statement goes on until it is interrupted, and hears that only
    when it is said once more, as one that had not begun.
    """

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.said = threading.Semaphore(0)

    def execute(self, sql: str) -> Any:
        self.begun.set()
        for _ in range(2):
            assert self.said.acquire(timeout=LONG)
        raise RuntimeError("interrupted")

    def interrupt(self) -> None:
        self.said.release()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_raised_meanwhile_ends_the_statement(number: int) -> None:
    endless = Endless()

    def sent() -> None:
        assert endless.begun.wait(LONG)
        os.kill(os.getpid(), number)

    def handler(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, handler)
    try:
        thread = threading.Thread(target=sent)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            Interruptible(endless).rows("SELECT")
        thread.join()
    finally:
        signal.signal(number, before)


def test_the_end_of_a_budget_ends_the_statement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.0)
    connection = Interruptible(Endless())
    with pytest.raises(BudgetExceeded), alarmed(Deadline(0.01)):
        connection.rows("SELECT")


@pytest.mark.parametrize("error", [TimeoutError, RuntimeError, KeyboardInterrupt])
def test_an_error_of_the_statement_is_its_own(error: type[BaseException]) -> None:
    def question(plain: Any) -> None:
        raise error("of the statement")

    connection = Interruptible(Endless())
    with pytest.raises(error, match="of the statement"):
        connection.ask(question)
    assert connection.ask(lambda plain: 1) == 1


HEAVY = """
import os, signal, sqlite3, sys, threading
import duckdb
from phverify.microdata.interruptible import Interruptible

MANY = "SELECT COUNT(*) FROM many a, many b, many c, many d WHERE a.i + b.i < c.i - d.i"
FILL = "INSERT INTO many WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r"
begun = threading.Event()

def heavy(plain):
    begun.set()
    return plain.execute(MANY).fetchall()

def sent():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)

for plain in (
    duckdb.connect(":memory:", config={"threads": "2"}),
    sqlite3.connect(":memory:", check_same_thread=False),
):
    plain.execute("CREATE TABLE many (i INTEGER)")
    plain.execute(f"{FILL} WHERE i < 3000) SELECT i FROM r")
    connection = Interruptible(plain)
    begun.clear()
    thread = threading.Thread(target=sent)
    try:
        thread.start()
        connection.ask(heavy)
    except KeyboardInterrupt:
        print("interrupted", connection.rows("SELECT COUNT(*) FROM many"))
    thread.join()
"""


def test_duckdb_with_two_threads_and_sqlite_hear_it(tmp_path: Path) -> None:
    """In a process of its own: one that hangs is ended."""
    made = subprocess.run(
        [sys.executable, "-c", HEAVY],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert made.stdout == "interrupted [(3000,)]\n" * 2


def test_a_question_that_is_given_up_before_it_begins_never_does() -> None:
    """Ctrl-C came when it stood in the queue already."""
    connection = Interruptible(Endless())
    questions = connection._questions
    begun = []

    class Queue:
        def put(self, one: Any) -> None:
            questions.put(one)
            raise KeyboardInterrupt

    connection._questions = Queue()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        connection.ask(begun.append)
    connection._questions = questions
    assert connection.ask(lambda plain: 1) == 1 and not begun


def test_the_thread_ends_with_its_connection() -> None:
    connection = Interruptible(Endless())
    idents = {connection.ask(lambda plain: threading.get_ident()) for _ in range(3)}
    assert len(idents) == 1 and threading.get_ident() not in idents
    questions = connection._questions
    del connection
    # The thread has taken what ends it.
    for _ in range(600):
        if questions.empty():
            return
        threading.Event().wait(0.1)
    raise AssertionError("the thread goes on")


def test_an_answer_that_is_read_piece_by_piece() -> None:
    """DuckDB itself would say RuntimeError, which passes for a defect."""
    from phverify.microdata.duckdb_tables import DuckTable

    table = DuckTable("t", ("range",), "range(100000000000)", "range", ())
    endless = f"SELECT sum(hash(range)) FROM {table.relation}"
    alarm = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            alarm.start()
            list(table.streamed(endless, {}))
    finally:
        alarm.join()
        signal.signal(signal.SIGINT, before)
    pieces = table.streamed("SELECT * FROM range(250000)", {})
    assert [piece.num_rows for piece in pieces][-1] == 50_000
