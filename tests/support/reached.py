"""Which test reaches which function: a plugin of pytest, for ``tests/mutants.py``.

``pytest -p support.reached --reached FOLDER`` writes one line of JSON a test: its name,
its seconds, and the functions of ``phverify`` that it called, as ``FILE:LINE``.  Random
tests run few examples: what they reach shows early.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest
from hypothesis import settings

PACKAGE = Path(__file__).resolve().parents[2] / "phverify"
EXAMPLES = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reached", help="folder for what each test reaches")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Fixtures count as well: what is kept for later tests is made in the first."""
    _few_examples(item)
    called: set[CodeType] = set()

    def entered(frame: FrameType, event: str, argument: object) -> None:
        # Without a local trace function the lines inside cost nothing.
        called.add(frame.f_code)

    start = time.perf_counter()
    sys.settrace(entered)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        _write(item, time.perf_counter() - start, called)


def _few_examples(item: pytest.Item) -> None:
    test = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    kept = getattr(test, "_hypothesis_internal_use_settings", None)
    if kept is not None and kept.max_examples > EXAMPLES:
        few = settings(kept, max_examples=EXAMPLES)
        test._hypothesis_internal_use_settings = few  # type: ignore[union-attr]


def _write(item: pytest.Item, seconds: float, called: set[CodeType]) -> None:
    prefix = f"{PACKAGE}{os.sep}"
    functions = sorted(
        f"{code.co_filename.removeprefix(prefix)}:{code.co_firstlineno}"
        for code in called
        if code.co_filename.startswith(prefix)
    )
    line = json.dumps([item.nodeid, round(seconds, 3), functions])
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    folder = Path(item.config.getoption("--reached"))
    with (folder / f"{worker}.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
