"""Questions to a database that Ctrl-C, and the end of a budget, stop at once.

DuckDB executes a statement in several threads.  The main one hears Ctrl-C between two
of its tasks, leaves, and waits for the others, whom nobody has told.  SQLite hears
nothing before its answer is there, and psycopg no end of a budget.  So a question has a
thread of its own, and whatever is raised where its answer is awaited interrupts the
connection.

Locks alone are used, whose steps nothing can come between: what is raised inside of a
condition's or a future's own code could leave it locked for ever.
"""

from __future__ import annotations

import weakref
from _thread import start_new_thread
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")
LOOK = 0.2
"""Seconds between two steps of Python, at which the end of a budget is heard."""
AGAIN = 0.1
"""Seconds until a statement is interrupted once more: before it begins it hears
nothing.
"""
GIVEN = "given"
"""The name of a table that is handed over."""


class _Statement(Generic[T]):
    """What is asked, and its answer once it is ``over``."""

    def __init__(self, asked: Callable[[], T]) -> None:
        self.asked = asked
        self.over = False
        self.error: BaseException | None = None
        # Who has it first answers the question, or gives it up.
        self.turn = Lock()
        # Free once it is over.
        self.open = Lock()
        self.open.acquire()

    def answer(self) -> None:
        """In the thread of the statements."""
        if not self.turn.acquire(blocking=False):
            return
        try:
            self.value = self.asked()
        except BaseException as error:
            self.error = error
        self.over = True
        self.open.release()

    def awaited(self) -> T:
        """The answer.  Raises what the question raised."""
        while not self.over:
            self.open.acquire(timeout=LOOK)
        if self.error is not None:
            raise self.error
        return self.value

    def ended(self, interrupt: Callable[[], object]) -> None:
        """It is over, or never begins."""
        if self.turn.acquire(blocking=False):
            return
        while not self.over:
            interrupt()
            self.open.acquire(timeout=AGAIN)


class Interruptible:
    """A connection of DuckDB or SQLite, for one question at a time, or any other with
    what interrupts its statement.
    """

    def __init__(
        self, connection: Any, interrupt: Callable[[], object] | None = None
    ) -> None:
        self._connection = connection
        self._interrupt = interrupt or connection.interrupt
        self._questions: SimpleQueue[_Statement[Any] | None] = SimpleQueue()
        self._started = False
        weakref.finalize(self, self._questions.put, None)

    def close(self) -> None:
        """Ends the connection, and the thread of its statements."""
        self._questions.put(None)
        self._started = False
        self._connection.close()

    def ask(self, question: Callable[[Any], T]) -> T:
        """What a question to the connection gives: values, and nothing that is still
        open.
        """
        connection = self._connection
        one: _Statement[T] = _Statement(lambda: question(connection))
        try:
            self._questions.put(one)
            if not self._started:
                start_new_thread(_answering, (self._questions,))
                self._started = True
            return one.awaited()
        finally:
            one.ended(self._interrupt)
            # An error has this frame, and the question the error.
            one.error = None

    def rows(self, sql: Any, *given: Any) -> list[tuple[Any, ...]]:
        """All rows of a statement's answer; ``given`` are its parameters, if any."""

        def answer(plain: Any) -> list[tuple[Any, ...]]:
            found = plain.execute(sql, *given)
            rows: list[tuple[Any, ...]] = found.fetchall()
            return rows

        return self.ask(answer)

    def run(self, sql: str, *given: Any) -> None:
        """A statement whose answer is of no interest."""
        self.rows(sql, *given)

    def taken(self, table: Any, sql: str) -> None:
        """A statement of DuckDB that reads a table of Arrow by the name ``GIVEN``."""

        def take(plain: Any) -> None:
            plain.register(GIVEN, table)
            try:
                plain.execute(sql)
            finally:
                plain.unregister(GIVEN)

        self.ask(take)


def _answering(questions: SimpleQueue[_Statement[Any] | None]) -> None:
    """The thread of a connection's statements, until there is no connection."""
    while True:
        one = questions.get()
        if one is None:
            return
        one.answer()
        # What was answered is not kept until the next question.
        del one
