"""The code reads once: what ``tests/prose.py`` measures stays within bounds."""

from __future__ import annotations

import ast

from prose import PACKAGE, figures, measured


def test_lines_say_one_thing() -> None:
    whole = figures(measured([PACKAGE]))
    print(whole)
    assert whole.density <= 10
    assert whole.dense <= 16.1
    assert whole.nested == 0
    assert whole.complexity <= 10


def test_no_class_name_means_two_things() -> None:
    modules: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                modules.setdefault(node.name, []).append(path.name)
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}
