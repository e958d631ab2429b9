"""An audit by classes that is ended early says what it knows, and no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph
from phverify.disclosure.classes import history as histories
from phverify.disclosure.classes.few import FewHistory
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.replays import ClassReplays
from phverify.disclosure.classes.road import ClassRoad
from phverify.errors import Defect

pytest.importorskip("sqlglot")

FRAME = pd.DataFrame(
    {
        "k": [f"p{place}" for place in range(700)],
        "g": [place % 7 for place in range(700)],
        "ill": [place % 2 for place in range(700)],
        "wage": [place % 3 for place in range(700)],
    }
)
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "k",
    "public": ["g"],
    "sensitive": {"ill": {"from": 0, "to": 1}, "wage": {"from": 0, "to": 2}},
    "protect": {"ill": {"column": "ill"}, "wage": {"column": "wage"}},
}
LOG = ["SELECT g, SUM(ill), SUM(wage) FROM t GROUP BY g"]


def judged() -> Any:
    return ph.audit(FRAME, LOG, POLICY, ranges=0)


def open_reasons(report: Any) -> dict[str, set[str]]:
    """The reasons of what is open at the end, by column."""
    found: dict[str, set[str]] = {}
    for one in report.steps[-1].findings:
        if one.verdict == "undecided":
            found.setdefault(one.fact.column, set()).add(one.reason)
    return found


def test_ctrl_c_ends_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    decided = []

    def decide(self: ColumnHistory) -> None:
        decided.append(self)
        self.stopped = KeyboardInterrupt()

    monkeypatch.setattr(ColumnHistory, "decide", decide)
    monkeypatch.setattr(FewHistory, "decide", decide)
    report = judged()
    assert len(decided) == 1 and report.stopped == "it was interrupted"
    said = {"it was interrupted"}
    assert open_reasons(report) == {"ill": said, "wage": said}


def test_an_end_between_two_columns_leaves_a_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = ClassRoad._history

    def history(self: ClassRoad, column: str, steps: int) -> ColumnHistory:
        if column == "wage" and "ended" not in vars(self):
            self.ended = True  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return made(self, column, steps)

    monkeypatch.setattr(ClassRoad, "_history", history)
    report = judged()
    assert report.stopped == "it was interrupted"
    assert open_reasons(report) == {"wage": {"it was interrupted"}}
    verdicts = {one.verdict for one in report.steps[-1].findings}
    assert verdicts == {"safe", "undecided"}


def test_earlier_answers_have_time_as_long_as_a_tenth_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr(histories.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(ColumnHistory, "_adopt", lambda *given: None)
    history = object.__new__(ColumnHistory)
    history.levels = 2
    history.earlier_end = None
    wanted = np.arange(20)

    def worlds(several: list[int]) -> Any:
        for place in several:
            clock[0] += 1.0
            yield np.arange(20) == place

    history._go_on(20)
    # One in twenty is too few, two are enough: another two seconds from then on.
    wanted = history._shown(None, 1, worlds([3]), wanted)  # type: ignore[arg-type]
    assert history.level_end == histories.EARLIER
    wanted = history._shown(None, 1, worlds([4]), wanted)  # type: ignore[arg-type]
    assert history.level_end == clock[0] + histories.EARLIER
    assert history.level_left == len(wanted) == 18
    # All earlier answers have so much together.
    clock[0] = histories.ALL_EARLIER - 1
    history._go_on(20)
    assert history.level_end == histories.ALL_EARLIER
    # In the end there is all the time.
    ends = history.level_end
    history._shown(None, 2, worlds([5, 6, 7]), wanted)  # type: ignore[arg-type]
    assert history.level_end == ends


def test_a_later_world_is_looked_at_as_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That an answer was right before says nothing of another world."""
    replay = ClassReplays.replay
    wrong = 0

    def twice(self: ClassReplays, column: str, codes: Any, asked: Any) -> None:
        nonlocal wrong
        several = list(asked)
        for _ in range(2):
            replay(self, column, codes, several)
        other = codes.copy()
        other[0] = 1 - other[0]
        if column == "ill":
            with pytest.raises(Defect, match="otherwise"):
                replay(self, column, other, several)
            wrong += 1

    monkeypatch.setattr(ClassReplays, "replay", twice)
    ask = "SELECT g, COUNT(*) FROM t WHERE ill = 1 GROUP BY g"
    report = ph.audit(FRAME, [ask], POLICY, ranges=0)
    assert not open_reasons(report) and wrong
