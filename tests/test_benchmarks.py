"""Benchmarks run seldom: what they import is there when they do."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
OURS = ("phverify", "rich")
"""What is installed wherever the tests run."""


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem
)
def test_what_is_imported_is_there(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        if node.module.split(".")[0] not in OURS:
            continue
        module = importlib.import_module(node.module)
        for one in node.names:
            inside = f"{node.module}.{one.name}"
            assert hasattr(module, one.name) or importlib.import_module(inside)
