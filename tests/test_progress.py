"""Progress where standard error is no terminal: plain lines, ever rarer, and none for
what is done soon.
"""

from __future__ import annotations

import io
import itertools
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import phverify.cli.terminal as terminal
from phverify.cli.terminal import Progress

DAY = 24 * 3600


class Clock:
    """Each look at it is so many seconds after the one before."""

    def __init__(self, step: float) -> None:
        self.now, self.step = -step, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


class Waits:
    """Stands for the end of the work: it comes after so many waits."""

    def __init__(self, progress: Progress, names: Iterator[str]) -> None:
        self.progress, self.names = progress, names

    def wait(self, _: float) -> bool:
        name = next(self.names, None)
        self.progress.step(name or "")
        return name is None


def lines(
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    step: float = 1.0,
    first: float = 10.0,
) -> list[tuple[int, str]]:
    """What is told of a work whose steps are called this way, ``step`` seconds apart:
    the seconds, and the line.
    """
    told = io.StringIO()
    monkeypatch.setattr(terminal, "FIRST", first)
    monkeypatch.setattr(terminal, "time", Clock(step))
    monkeypatch.setattr(sys, "stderr", told)
    progress: Any = Progress()
    progress.done = Waits(progress, iter(names))
    progress._report()
    found = [
        line.removeprefix("phverify: ").partition(" s: ")
        for line in told.getvalue().splitlines()
    ]
    return [(int(seconds), name) for seconds, _, name in found]


def test_lines_come_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    found = lines(monkeypatch, [f"searching: {k} candidates" for k in range(1, 701)])
    assert [seconds for seconds, _ in found] == [10, 20, 40, 80, 160, 320, 640]
    assert found[0] == (10, "searching: 10 candidates")


def test_work_of_a_few_seconds_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, ["reading", *(f"rule {k}" for k in range(8))]) == []


def test_a_new_phase_is_told_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        ["searching: x"] * 50
        + ["proving the lower bound"] * 5
        + ["certificate: clauses"] * 60
    )
    found = lines(monkeypatch, names)
    assert found == [
        (10, "searching: x"),
        (20, "searching: x"),
        (40, "searching: x"),
        (51, "proving the lower bound"),
        (64, "certificate: clauses"),
    ]


def test_many_phases_are_no_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(lines(monkeypatch, [f"rule {k}" for k in range(3600)])) < 30


def test_a_day_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        seconds
        for seconds, _ in lines(monkeypatch, ["rule a"] * (DAY // 10), step=10.0)
    ]
    gaps = [after - before for before, after in itertools.pairwise(found)]
    assert max(gaps) == terminal.RARELY
    assert len(found) < 160


def test_one_line_stays_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    found = lines(monkeypatch, ["rule a\nphverify: PROVED\x1b[1m"] * 12)
    assert found == [(10, "rule a\\nphverify: PROVED\\x1b[1m")]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), ValueError("closed")]
)
def test_where_nobody_listens_the_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Deaf(io.StringIO):
        def write(self, _: str) -> int:
            raise error

    monkeypatch.setattr(terminal, "FIRST", 0.0)
    monkeypatch.setattr(terminal, "TICK", 0.001)
    monkeypatch.setattr(sys, "stderr", Deaf())
    with Progress() as progress:
        progress.step("reading")
        assert progress.thread is not None
        progress.thread.join(60)
        assert not progress.thread.is_alive()


def test_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with Progress() as progress:
        progress.step("reading")
    assert progress.thread is None


def test_the_thread_ends_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress() as progress:
        time.sleep(0)
    assert progress.thread is not None
    assert not progress.thread.is_alive()
