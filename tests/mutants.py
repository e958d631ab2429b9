"""A sampled mutation run: does a test fail when the program is wrong in one place?

``python tests/mutants.py NUMBER SEED [FOLDER OR FILE ..]``, as ``make mutants`` calls
it.  All tests run once in a copy of the repository, with few examples, to see which
functions each reaches (``tests/support/reached.py``); ``--reached FOLDER`` keeps that
for the next run on the same code.  Cosmic Ray makes all mutants of the rooms that
decide; a sample is drawn from the seed, each is put into the copy, and the tests that
reach its function run there: the quick ones first, then all others.  Prints what became
of each, and those that survived with their difference.  The exit code is 1 where fewer
than 95% are killed, of those that are not listed in ``tests/mutants_equal.txt`` as
changing nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attrs import evolve
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkResult

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "spec",
    "symbolic",
    "verification",
    "disclosure",
    "generalization",
    "recoding/answer.py",
    "recoding/certificate.py",
    "recoding/counted_space.py",
    "recoding/counting.py",
    "recoding/deciding.py",
    "recoding/demands.py",
    "recoding/grid.py",
    "recoding/handed_over.py",
    "recoding/measures.py",
    "recoding/nearest.py",
    "recoding/options.py",
    "recoding/release.py",
    "recoding/repair.py",
    "recoding/tests_of.py",
)
"""What decides.  What only searches for releases may be wrong: the bound and the
checker see it.
"""
COMPILED = {"entry_point", "counted_entry_point", "compiled", "inlined", "counted"}
"""Decorators of functions that become machine code.  These are left out: no trace tells
which test calls them.
"""
LONGEST = 1200
"""Seconds for the tests of a stage.  Where the quick ones run longer the mutant hangs,
and is killed; of the others nothing is said.
"""
QUICK = 5.0
"""Seconds of tests, as they ran with few examples, that run first."""
UNSETTLED = "unsettled"
"""The output of tests that were stopped though the quick ones had passed."""
KILLED = 0.95
EQUAL = ROOT / "tests" / "mutants_equal.txt"
PYTEST = [
    *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
    *("-p", "support.plain_mutants"),
]
PARALLEL = ["-n", "2", "--dist", "worksteal"]


@dataclass(frozen=True)
class ReachingTest:
    """A test, its seconds with few examples, and what it calls, as ``FILE:LINE``."""

    name: str
    seconds: float
    functions: frozenset[str]


def sample(number: int, seed: int, places: Sequence[Path]) -> list[MutationSpec]:
    """So many mutants of the files below the places; paths are relative to the root."""
    files = sorted(file for place in places for file in _files(place))
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "session.sqlite")
        with use_db(database, WorkDB.Mode.create) as session:
            init(files, session, {})
            mutants = [item.mutations[0] for item in session.work_items]
    meant = {file: [*_said(file), *_compiled(file)] for file in files}
    by_place: dict[tuple[str, tuple[int, int]], list[MutationSpec]] = {}
    for mutant in mutants:
        if not _within(mutant, meant[mutant.module_path]):
            place = str(mutant.module_path), mutant.start_pos
            by_place.setdefault(place, []).append(mutant)
    # Places first: an operator that has twenty replacements counts once.
    chance = random.Random(seed)
    drawn = chance.sample(sorted(by_place), min(number, len(by_place)))
    return [_any(by_place[place], chance) for place in drawn]


def _any(mutants: list[MutationSpec], chance: random.Random) -> MutationSpec:
    return chance.choice(sorted(mutants, key=lambda mutant: mutant.operator_name))


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else [*place.rglob("*.py")]


def _said(file: Path) -> list[ast.expr]:
    """Annotations and decorators of a file: mutants there change no answer."""
    annotations: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            annotations.append(node.returns)
            annotations += node.decorator_list
        elif isinstance(node, ast.ClassDef):
            # Whether a dataclass is frozen shows in no answer.
            annotations += node.decorator_list
        elif isinstance(node, ast.arg | ast.AnnAssign):
            annotations.append(node.annotation)
    return [annotation for annotation in annotations if annotation is not None]


def _compiled(file: Path) -> list[ast.expr | ast.stmt]:
    """What is part of machine code: compiled functions, and where a file has some, all
    that stands outside of functions and classes.
    """
    body = ast.parse(file.read_text(encoding="utf-8")).body
    compiled = [node for node in body if _is_compiled(node)]
    if not compiled:
        return []
    plain = ast.FunctionDef | ast.ClassDef
    outside = [node for node in body if not isinstance(node, plain)]
    return [*compiled, *outside]


def _is_compiled(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(ast.unparse(one) in COMPILED for one in node.decorator_list)


def _within(mutant: MutationSpec, parts: Sequence[ast.expr | ast.stmt]) -> bool:
    for part in parts:
        assert part.end_lineno is not None and part.end_col_offset is not None
        start = part.lineno, part.col_offset
        end = part.end_lineno, part.end_col_offset
        if start <= mutant.start_pos and mutant.end_pos <= end:
            return True
    return False


def reaching(folder: Path) -> list[ReachingTest]:
    """What ``tests/support/reached.py`` noted, the quickest test first."""
    tests = []
    for file in sorted(folder.rglob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            name, seconds, functions = json.loads(line)
            tests.append(ReachingTest(name, seconds, frozenset(functions)))
    return sorted(tests, key=lambda test: (test.seconds, test.name))


def note_reached(folder: Path) -> None:
    """Run all tests once; those that fail here fail beside mutants, too."""
    folder.mkdir(parents=True, exist_ok=True)
    plugin = ["-p", "support.reached", "--reached", str(folder)]
    run = [*PYTEST, *PARALLEL, *plugin]
    subprocess.run(run, check=True)


def stages(
    mutant: MutationSpec, tests: Sequence[ReachingTest]
) -> Iterator[list[ReachingTest]]:
    """The tests that reach the mutant's function: first the quick ones, then the rest.

    What stands outside of functions is reached where one of the file is.
    """
    file = mutant.module_path.relative_to("phverify").as_posix()
    line = _function_line(mutant)
    place = f"{file}:{line}"
    reach = [test for test in tests if place in test.functions]
    if line is None or not reach:
        prefix = f"{file}:"
        reach = [test for test in tests if _reaches_file(test, prefix)]

    seconds = 0.0
    quick = []
    for test in reach:
        seconds += test.seconds
        if seconds <= QUICK:
            quick.append(test)
    if quick:
        yield quick
    yield reach[len(quick) :]


def _reaches_file(test: ReachingTest, prefix: str) -> bool:
    return any(function.startswith(prefix) for function in test.functions)


def _function_line(mutant: MutationSpec) -> int | None:
    """Where the outermost function around a mutant begins, its decorators included."""
    tree = ast.parse(mutant.module_path.read_text(encoding="utf-8"))
    bodies: list[Sequence[ast.stmt]] = [tree.body]
    while bodies:
        for node in bodies.pop():
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            assert node.end_lineno is not None
            if not node.lineno <= mutant.start_pos[0] <= node.end_lineno:
                continue
            if isinstance(node, ast.ClassDef):
                bodies.append(node.body)
                continue
            decorators = [decorator.lineno for decorator in node.decorator_list]
            return min([node.lineno, *decorators])
    return None


def outcomes(
    mutants: Sequence[MutationSpec], tests: Sequence[ReachingTest]
) -> Iterator[tuple[MutationSpec, WorkResult]]:
    """Each mutant with what became of it; the working folder is a copy that may change."""
    for mutant in mutants:
        for number, stage in enumerate(stages(mutant, tests)):
            result = mutate_and_test([mutant], command(stage), LONGEST)
            if number and result.output == "timeout":
                result = evolve(result, output=UNSETTLED)
            if result.is_killed:
                break
        yield mutant, result


def command(stage: Sequence[ReachingTest]) -> str:
    """These tests, named in a file: there may be thousands.  The first failure ends them."""
    if not stage:
        return "true"
    names = "\n".join(test.name for test in stage)
    Path("stage.txt").write_text(names, encoding="utf-8")
    seconds = sum(test.seconds for test in stage)
    workers = PARALLEL if seconds > QUICK else ["-p", "no:xdist"]
    return shlex.join([*PYTEST, "-x", *workers, "@stage.txt"])


def difference(result: WorkResult) -> str:
    """The changed lines, as they are listed in ``mutants_equal.txt``."""
    lines = (result.diff or "").splitlines()
    changed = (
        line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")
    )
    return "\n".join(line.rstrip() for line in changed)


def main(number: int, seed: int, places: list[str], kept: Path | None) -> int:
    """Run a sample in a copy of the repository's present state."""
    equal = EQUAL.read_text(encoding="utf-8") if EQUAL.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "phverify"
        copied(copy)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)
        os.environ["HYPOTHESIS_PROFILE"] = "mutants"

        reached = kept or Path(folder) / "reached"
        if not reached.exists():
            note_reached(reached)
        tests = reaching(reached)
        names = places or [f"phverify/{room}" for room in ROOMS]
        mutants = sample(number, seed, [Path(name) for name in names])
        return report(outcomes(mutants, tests), equal)


def copied(folder: Path) -> None:
    """Put the tracked files into a new folder, as they are now."""
    git = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, git.stdout.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def report(results: Iterator[tuple[MutationSpec, WorkResult]], equal: str) -> int:
    """Print what became of each mutant; 1 where too many of them survived."""
    killed = changing = 0
    for mutant, result in results:
        survived = not result.is_killed or result.output == UNSETTLED
        nothing = survived and difference(result) in equal
        word = "killed"
        if survived:
            word = "changes nothing" if nothing else "SURVIVED"
        if result.output == UNSETTLED:
            word += f" (tests took more than {LONGEST} s)"
        line = f"{mutant.module_path}:{mutant.start_pos[0]}"
        print(f"{word:16} {line} {mutant.operator_name}", flush=True)
        if survived:
            print(difference(result), flush=True)
        killed += not survived
        changing += not nothing
    print(f"{killed} of {changing} mutants that change something are killed")
    return 0 if killed >= KILLED * changing else 1


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="A sampled mutation run.")
    parser.add_argument("number", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("places", nargs="*")
    parser.add_argument("--reached", type=lambda name: Path(name).resolve())
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    sys.exit(main(given.number, given.seed, given.places, given.reached))
