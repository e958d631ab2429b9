"""A sampled mutation run: does a test fail when the program is wrong in one place?

``python tests/mutants.py NUMBER SEED [FOLDER OR FILE ..]``, as ``make mutants`` calls
it.  Cosmic Ray makes all mutants of the rooms that decide; a sample is drawn from the
seed, each is put into a copy of the repository, and the tests run there: those of the
room first, then all others.  Prints what became of each, and those that survived with
their difference.  The exit code is 1 where fewer than 95% are killed, of those that are
not listed in ``tests/mutants_equal.txt`` as changing nothing.
"""

from __future__ import annotations

import ast
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkResult

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("spec", "symbolic", "verification", "disclosure", "generalization")
LONGEST = 1200
"""Seconds for the tests of one mutant; what runs longer counts as killed."""
KILLED = 0.95
FIRST = {
    "phverify/spec/criteria": "tests/test_crit*.py tests/test_new_criteria.py",
    "phverify/spec/criterion": "tests/test_crit*.py tests/test_new_criteria.py",
    "phverify/spec": "tests/test_s[em]*.py tests/test_c[er]*.py tests/test_check*.py",
    "phverify/symbolic": "tests/test_closure*.py tests/test_agreement.py",
    "phverify/verification": "tests/test_agreement.py tests/test_never_known.py",
    "phverify/disclosure": "tests/test_audit*.py tests/test_smt*.py",
    "phverify/generalization": "tests/test_search*.py tests/test_minimality*.py",
}
"""The tests that are most likely to fail, by room; the longest prefix counts."""
EQUAL = ROOT / "tests" / "mutants_equal.txt"


def sample(number: int, seed: int, places: Sequence[Path]) -> list[MutationSpec]:
    """So many mutants of the files below the places; paths are relative to the root."""
    files = sorted(file for place in places for file in _files(place))
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "session.sqlite")
        with use_db(database, WorkDB.Mode.create) as session:
            init(files, session, {})
            mutants = [item.mutations[0] for item in session.work_items]
    meant = {file: _said(file) for file in files}
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


def _within(mutant: MutationSpec, parts: list[ast.expr]) -> bool:
    for part in parts:
        assert part.end_lineno is not None and part.end_col_offset is not None
        start = part.lineno, part.col_offset
        end = part.end_lineno, part.end_col_offset
        if start <= mutant.start_pos and mutant.end_pos <= end:
            return True
    return False


def command(mutant: MutationSpec) -> str:
    """The tests of the mutant's room, then all; the first failure ends them."""
    module = mutant.module_path.as_posix()
    room = max((room for room in FIRST if module.startswith(room)), key=len)
    pytest = (
        f"{sys.executable} -m pytest -x -q -n 2 --dist worksteal -p no:cacheprovider"
    )
    return "sh -c " + shlex.quote(f"{pytest} {FIRST[room]} && {pytest}")


def outcomes(
    mutants: Sequence[MutationSpec],
) -> Iterator[tuple[MutationSpec, WorkResult]]:
    """Each mutant with what became of it; the working folder is a copy that may change."""
    for mutant in mutants:
        yield mutant, mutate_and_test([mutant], command(mutant), LONGEST)


def difference(result: WorkResult) -> str:
    """The changed lines, as they are listed in ``mutants_equal.txt``."""
    lines = (result.diff or "").splitlines()
    changed = (
        line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")
    )
    return "\n".join(line.rstrip() for line in changed)


def main(number: int, seed: int, places: list[str]) -> int:
    """Run a sample in a copy of the repository's present state."""
    equal = EQUAL.read_text(encoding="utf-8") if EQUAL.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "phverify"
        copied(copy)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)
        os.environ["HYPOTHESIS_PROFILE"] = "mutants"
        rooms = [Path(place) for place in places] or [
            Path("phverify", r) for r in ROOMS
        ]
        return report(outcomes(sample(number, seed, rooms)), equal)


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
        survived = not result.is_killed
        nothing = survived and difference(result) in equal
        word = "changes nothing" if nothing else "SURVIVED" if survived else "killed"
        line = f"{mutant.module_path}:{mutant.start_pos[0]}"
        print(f"{word:16} {line} {mutant.operator_name}", flush=True)
        if survived:
            print(difference(result), flush=True)
        killed += not survived
        changing += not nothing
    print(f"{killed} of {changing} mutants that change something are killed")
    return 0 if killed >= KILLED * changing else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
