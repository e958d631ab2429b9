"""Compiled functions: one for all whole numbers, and only entry points are called."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from phverify.machine.draws import draw

MODULE = """
from phverify.machine.machine_code import compiled, entry_point

@compiled
def doubled(number):
    return number + number

@entry_point
def total(small, large):
    return doubled(1) + doubled(-1) + doubled(small[0]) + doubled(large[0])
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    file = tmp_path / "sums.py"
    file.write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sums", file)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_one_function_for_all_whole_numbers(module: ModuleType) -> None:
    most = 2**31 - 1
    small, large = np.array([most], dtype=np.int32), np.array([2**40])
    assert module.total(small, large) == 2 * most + 2**41
    assert len(module.doubled.overloads) == 1


def test_what_machine_code_alone_calls_is_not_called_from_python(
    module: ModuleType,
) -> None:
    refused = "doubled is no entry point"
    with pytest.raises(TypeError, match=refused):
        module.doubled(1)
    module.total(np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64))
    with pytest.raises(TypeError, match=refused):
        module.doubled(1)
    with pytest.raises(TypeError, match="draw is no entry point"):
        draw(np.ones(1, dtype=np.uint64))
