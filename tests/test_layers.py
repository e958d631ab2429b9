"""A module imports only from the rows above its own; Z3 is imported in one place;
nothing is left behind.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import phverify

ROOT = Path(phverify.__file__).parent
LAYERS = [
    ["errors"],
    ["budget", "interrupts", "given", "words", "version", "result"],
    ["spec"],
    ["exact"],
    ["machine"],
    ["logic"],
    ["microdata"],
    ["constraints"],
    ["symbolic"],
    ["policy"],
    ["measurement", "proposal", "utility"],
    ["verification"],
    ["generalization", "comparison", "mechanisms", "linkage"],
    ["disclosure", "recoding"],
    ["verbs"],
    ["report"],
    ["cli"],
    ["__main__", "__init__", "pytest_plugin", "dbt_plugin"],
]
FLOORS = [
    ["connectives", "grouping", "sums", "stages", "grids"],
    ["log"],
    ["histories"],
    ["facts"],
    ["policy"],
    ["policy_columns", "policy_log"],
    ["policy_protected"],
    ["policy_reader"],
    ["worlds", "solving"],
    ["normal", "bounding"],
    ["unfilled"],
    ["understood"],
    ["persons"],
    ["protected"],
    ["result"],
    ["dltts"],
    ["pool", "certain", "measure"],
    ["core", "hindsight", "shift", "web"],
    ["many_worlds"],
    ["decide"],
    ["learning"],
    ["remaining", "reconstruct"],
    ["narrowing"],
    ["classes"],
]
"""The rooms inside ``disclosure``."""
ROW = {name: row for row, names in enumerate(LAYERS) for name in names}
FILES = sorted(ROOT.rglob("*.py"))


def layer(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


@cache
def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write absolute imports"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


# Each test goes through all files: one test a file takes longer to start than to run.


def test_imports_point_upwards() -> None:
    for path in FILES:
        own = layer(path)
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "phverify" and len(parts) > 1 and own != "__init__":
                target = parts[1]
                assert target in ROW, f"{path} imports {name}, which has no row"
                assert ROW[target] <= ROW[own], f"{path} ({own}) imports {name}"
                if ROW[target] == ROW[own]:
                    assert target == own, f"{path} imports its neighbour {name}"


def test_rooms_of_an_audit_point_upwards() -> None:
    floor = {name: row for row, names in enumerate(FLOORS) for name in names}
    for path in sorted((ROOT / "disclosure").rglob("*.py")):
        own = path.relative_to(ROOT / "disclosure").with_suffix("").parts[0]
        for name in imports(path):
            if name.startswith("phverify.disclosure."):
                target = name.split(".")[2]
                assert target == own or floor[target] < floor[own], (
                    f"{path} ({own}) imports {name}"
                )


def test_one_module_imports_the_solver() -> None:
    found = [
        path
        for path in FILES
        if any(name.split(".")[0] == "z3" for name in imports(path))
    ]
    assert found == [ROOT / "constraints" / "solver.py"]


def test_files_stay_short() -> None:
    for path in FILES:
        # The syntax and its parser are one list each, and so is what a checker reads.
        longest = 500 if layer(path) == "spec" else 420
        assert path.read_text(encoding="utf-8").count("\n") <= longest, path


TESTS = sorted(Path(__file__).parent.rglob("*.py"))


def test_files_of_tests_stay_short() -> None:
    for path in TESTS:
        assert path.read_text(encoding="utf-8").count("\n") <= 500, path


MODULES = [path.relative_to(ROOT.parent).with_suffix("").parts for path in FILES]
NAMES = [
    ".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in MODULES
]


def test_no_name_hides_a_module() -> None:
    for name in NAMES:
        if "." not in name or name.endswith(("__main__", "dbt_plugin")):
            continue
        scope: dict[str, object] = {}
        # Goes through the attributes of every package on the way.
        exec(f"import {name} as module", scope)
        assert isinstance(scope["module"], ModuleType), name
        assert scope["module"].__name__ == name


@pytest.mark.parametrize(
    "verb",
    [
        "audit",
        "certify",
        "check",
        "compare",
        "compare_data",
        "lint",
        "measure",
        "reidentify",
        "search",
        "verify",
    ],
)
def test_verbs_are_functions(verb: str) -> None:
    assert inspect.isfunction(getattr(phverify, verb))
