"""The searches for all numbers at once that tradeoffs run."""

from __future__ import annotations

import pytest

from phverify.generalization.at_once import AtOnce


def runs_noted(monkeypatch: pytest.MonkeyPatch) -> list[AtOnce]:
    """A list to which each of them is added as it runs."""
    runs: list[AtOnce] = []
    run = AtOnce.run

    def noted(one: AtOnce) -> None:
        runs.append(one)
        run(one)

    monkeypatch.setattr(AtOnce, "run", noted)
    return runs
