"""An audit by classes that is ended early says what it knows, and no more."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.disclosure.classes.few import FewHistory
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.road import ClassRoad

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
