"""The code reads once: what ``tests/prose.py`` measures stays within bounds."""

from __future__ import annotations

from prose import PACKAGE, figures, measured


def test_lines_say_one_thing() -> None:
    whole = figures(measured([PACKAGE]))
    print(whole)
    assert whole.density <= 11.1
    assert whole.dense <= 20.6
    assert whole.nested <= 0.026
    assert whole.complexity <= 22
