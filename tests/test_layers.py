"""A module imports only from the rows above its own; Z3 is imported in one place;
nothing is left behind.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import phverify

ROOT = Path(phverify.__file__).parent
LAYERS = [
    ["errors", "shown", "interruption"],
    ["budget", "interrupts", "given", "words", "rounded", "version", "result"],
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
    ["understanding"],
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


@cache
def texts(path: Path) -> list[str]:
    """What may name a module that is loaded later: each text that stands in code."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


def file_of(name: str) -> Path | None:
    """The file of a module, or of what is imported from one."""
    while name.startswith("phverify."):
        path = ROOT.parent.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.exists():
                return file
        name = name.rpartition(".")[0]
    return None


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


NAMING = ("__init__", "shown")
"""What names modules of all floors, for others to load."""


def test_no_text_names_a_room_from_above() -> None:
    """What is imported by its name while the program runs is imported, too."""
    for path in FILES:
        own = layer(path)
        for text in texts(path):
            if own not in NAMING and re.fullmatch(r"phverify\.[\w.]+", text):
                # What is no module, the examples, has no row.
                row = ROW.get(text.split(".")[1], 0)
                assert row <= ROW[own], f"{path} ({own}) names {text}"


LATER = ("spec", "errors")
"""Here files load others of their room when they are needed, so that a checker loads
little: there these may read what loads them."""
EXCUSED = {("verification/result.py", "verification/failing_elsewhere.py")}
"""For its type alone."""


def test_no_files_import_each_other() -> None:
    """Neither for types alone nor in functions: what reads another is not read by it."""
    read: dict[str, set[str]] = {}
    for path in FILES:
        own = path.relative_to(ROOT).as_posix()
        found = {file_of(name) for name in imports(path)} - {None, path}
        names = {file.relative_to(ROOT).as_posix() for file in found if file}
        if layer(path) not in LATER and own != "__init__.py":
            read[own] = {name for name in names if (own, name) not in EXCUSED}
    # Raises CycleError, which shows them.
    assert list(TopologicalSorter(read).static_order())


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


LONGEST = 390
LONGER = {
    "generalization/minimality.py": 394,
    "spec/recoding.py": 403,
    "spec/spaces.py": 403,
    # One list of what formulas are made of.
    "spec/syntax.py": 452,
}
"""Files that are longer, and do not grow."""


def test_files_stay_short() -> None:
    for path in FILES:
        longest = LONGER.get(path.relative_to(ROOT).as_posix(), LONGEST)
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
