"""The files under encodings/ are what the code writes, and have the status they state."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from phverify.smt.solver import solve

FOLDER = Path(__file__).parents[1] / "encodings"


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TEXTS = dict(generator().texts())


@pytest.mark.parametrize("file", TEXTS)
def test_the_file_is_fresh_and_its_status_right(file: str) -> None:
    text = (FOLDER / "verify" / file).read_text(encoding="utf-8")
    assert text == TEXTS[file], "run python encodings/generate.py"
    assert f"(set-info :status {solve(text).status})" in text


def test_no_file_is_left_over() -> None:
    assert {path.name for path in (FOLDER / "verify").iterdir()} == set(TEXTS)
