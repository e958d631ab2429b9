"""Ctrl-C, a full disk and a budget at any moment: what is known is told, and nothing
else is claimed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.interrupts_cases import (
    ALL,
    INPUTS,
    ROOT,
    SEARCH,
    Patch,
    Run,
    files,
    modules,
    run,  # noqa: F401
    stop,
    stops_at,
)

import phverify as ph


def test_while_the_certificate_is_made(run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr(modules["generalization.answer"], "certificate", stop)
    code, out, said = run(*SEARCH, *ALL)
    assert (code, said) == (0, "")
    assert "OPTIMAL: loss 0.642857" in out
    assert "  the release is written to out.csv: " in out
    assert (
        "  the certificate is missing: nothing is written to proof.json: interrupted\n"
        in out
    )
    assert files() == {"out.csv", "result.json"}
    assert (
        json.loads(Path("result.json").read_text(encoding="utf-8"))["verdict"]
        == "optimal"
    )


def test_as_json_the_missing_certificate_is_told_on_standard_error(
    run: Run, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(modules["generalization.answer"], "certificate", stop)
    code, out, said = run(*SEARCH, "--certificate", "proof.json", "--json", "-")
    assert (code, json.loads(out)["verdict"]) == (0, "optimal")
    assert (
        said
        == "phverify: the certificate is missing: nothing is written to proof.json:"
        " interrupted\n"
    )


def test_a_certificate_of_an_earlier_run_is_not_taken_for_this_ones(
    run: Run, monkeypatch: Patch
) -> None:
    run(*SEARCH, *ALL)
    before = Path("proof.json").read_bytes()
    monkeypatch.setattr(modules["generalization.answer"], "certificate", stop)
    _, out, _ = run(*SEARCH, *ALL)
    assert (
        "nothing is written to proof.json: interrupted (the file that is there is an"
        " earlier one)" in out
    )
    assert Path("proof.json").read_bytes() == before


@pytest.mark.parametrize(
    "phase", ["generalization.answer.frame", "generalization.answer.decided_anew"]
)
def test_while_the_release_is_made(run: Run, monkeypatch: Patch, phase: str) -> None:
    module, _, name = phase.rpartition(".")
    monkeypatch.setattr(modules[module], name, stop)
    code, out, said = run(*SEARCH, *ALL)
    if name == "decided_anew":  # before it is checked: nothing may be released
        assert (code, said) == (3, "")
        assert (
            "UNDECIDED: interrupted before the released table was checked; nothing"
            " found so far is known" in out
        )
        assert "the release is missing: nothing is written to out.csv" in out
        assert files() == {"result.json"}
        return
    assert code == 2, "who goes on with the released file must notice"
    assert "OPTIMAL: loss 0.642857" in out
    assert (
        said == "phverify: out.csv: is not written: interrupted\n"
        or said.count("phverify: ") == 2
    )
    assert "out.csv: is not written: interrupted" in said
    assert (
        "the certificate is missing: nothing is written to proof.json: interrupted"
        in out
    )
    assert "out.csv" not in files()


def test_while_the_lower_bound_is_proved(run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr(modules["generalization.bound_again"], "vectors_cost", stop)
    code, out, said = run(*SEARCH, *ALL)
    assert (code, said) == (3, "")
    assert "PROVED for the release: 2 rules on 8 rows" in out
    assert (
        "not proved to be the least (interrupted while the lower bound was proved)"
        in out
    )
    assert "OPTIMAL" not in out
    assert files() == {"out.csv", "result.json"}


@pytest.mark.parametrize(
    "name",
    [
        "search_input.started",
        "search_input.present",
        "prepared_search.bind",
        "prepared_search.search_space",
    ],
)
def test_before_the_search_nothing_is_decided(
    run: Run, monkeypatch: Patch, name: str
) -> None:
    module, step = name.split(".")
    monkeypatch.setattr(modules[f"verbs.{module}"], step, stop)
    assert run(*SEARCH, *ALL) == (3, "", "phverify: interrupted: nothing was decided\n")
    assert files() == set()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_while_files_are_written(run: Run, monkeypatch: Patch, number: int) -> None:
    """The answer is told, files are whole or not there at all, and nothing half written
    is left behind.
    """
    stops_at(monkeypatch, Path, "replace", number)
    code, out, said = run(*SEARCH, *ALL)
    assert code == 2
    assert "OPTIMAL: loss 0.642857" in out
    names = ["out.csv", "result.json", "proof.json"]
    assert files() == set(names[: number - 1])
    assert said == "".join(
        f"phverify: {name}: is not written: interrupted\n"
        for name in names[number - 1 :]
    )


@pytest.mark.parametrize("full", ["out.csv", "result.json", "proof.json"])
def test_a_disk_that_is_full(run: Run, monkeypatch: Patch, full: str) -> None:
    plain = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if Path(target).name == full:
            raise OSError(28, "No space left on device")
        return plain(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    code, out, said = run(*SEARCH, *ALL)
    assert code == 2
    assert "OPTIMAL: loss 0.642857" in out
    assert said == f"phverify: {full}: cannot be written: No space left on device\n"
    assert files() == {"out.csv", "result.json", "proof.json"} - {full}


def test_a_folder_that_is_gone_by_then(run: Run, monkeypatch: Patch) -> None:
    Path("results").mkdir()
    plain = modules["verbs.search"].answered

    def removing(*given: Any) -> Any:
        found = plain(*given)
        Path("results").rmdir()
        return found

    monkeypatch.setattr(modules["verbs.search"], "answered", removing)
    code, out, said = run(*SEARCH, "--output", "results/out.csv")
    assert code == 2
    assert "OPTIMAL: loss 0.642857" in out
    assert (
        said
        == "phverify: results/out.csv: cannot be written: No such file or directory\n"
    )


def test_memory_that_does_not_suffice_for_the_certificate(
    run: Run, monkeypatch: Patch
) -> None:
    def large(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(modules["generalization.answer"], "certificate", large)
    code, out, said = run(*SEARCH, *ALL)
    assert (code, said) == (0, "")
    assert "OPTIMAL: loss 0.642857" in out
    assert (
        "nothing is written to proof.json: there is not enough memory to make it" in out
    )


def test_a_defect_in_the_certificate_writes_nothing(
    run: Run, monkeypatch: Patch
) -> None:
    def wrong(*_: Any) -> None:
        raise ph.Defect("a contradiction")

    monkeypatch.setattr(modules["generalization.answer"], "certificate", wrong)
    code, out, said = run(*SEARCH, *ALL)
    assert (code, out) == (4, "")
    assert "a defect in phverify" in said
    assert files() == set()


def test_in_python_the_certificate_can_be_asked_for_again(monkeypatch: Patch) -> None:
    found = ph.search(INPUTS[2], INPUTS[1])
    with monkeypatch.context() as patched:
        patched.setattr(modules["generalization.answer"], "certificate", stop)
        with pytest.raises(KeyboardInterrupt):
            _ = found.certificate
    assert ph.check(found.certificate, INPUTS[2], INPUTS[1]).accepted


def test_all_minimal_candidates_found_so_far(run: Run, monkeypatch: Patch) -> None:
    """The best of them is shown, not looked for again; nothing is said to be all of
    them.
    """
    hunt = modules["generalization.loop"].LeastSearch
    stops_at(monkeypatch, hunt, "_next", 3)
    code, out, _ = run(*SEARCH, "--all-minimal")
    assert code == 3
    assert "OPTIMAL" not in out
    assert "UNDECIDED: loss" in out


HEEDED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
"""For a child process: a shell starts what runs in the background with SIGINT ignored."""
SLOW = (
    HEEDED
    + """
import importlib, sys, time
import phverify.cli.main as cli, phverify.cli.terminal as terminal
writing = importlib.import_module("phverify.generalization.minimality")
terminal.FIRST = 0.0
def slow(self, report):
    self.step("what takes long")
    time.sleep(600)
writing._MinimalityWriter.written = slow
sys.exit(cli.main(sys.argv[1:]))
"""
)


def test_a_process_that_is_interrupted_while_it_makes_the_certificate(
    tmp_path: Path,
) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-c", SLOW, *SEARCH, *ALL]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, text=True
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        line = ""
        while "certificate: what takes long" not in line:
            line = child.stderr.readline()
            assert line, "the process has ended"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert "OPTIMAL: loss 0.642857" in out
    assert (
        "the certificate is missing: nothing is written to proof.json: interrupted"
        in out
    )
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "result.json"}


ENDLESS = (
    HEEDED
    + """
import os, random, signal, threading
from phverify.budget import Deadline
from phverify.constraints.hitting import HittingSet, cheapest
from phverify.constraints.solver import least, solve
declared = "".join(f"(declare-const {v} Int)(assert (> {v} 1))" for v in "xyz")
cubes = declared + "(assert (= (+ (* x x x) (* y y y)) (* z z z)))(check-sat)"
draw = random.Random(1)
clauses = [tuple(sorted(draw.sample(range(1, 401), 3))) for _ in range(1500)]
hard = HittingSet([draw.randint(50, 60) for _ in range(400)], clauses)
ways = {
    "Z3": lambda deadline: solve(cubes, deadline),
    "Z3 with tactics": lambda deadline: solve(cubes, deadline, tactics=True),
    "Z3 optimizing": lambda deadline: least(cubes, deadline),
    "Z3 without a limit": lambda deadline: solve(cubes),
    "CP-SAT": lambda deadline: cheapest(hard, deadline),
}
for name, ask in ways.items():
    deadline = Deadline(60)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        ask(deadline)
    except KeyboardInterrupt:
        print(name, "stops", "in time" if deadline.left() > 0 else "late", flush=True)
"""
)


def test_solvers_stop_on_ctrl_c() -> None:
    pytest.importorskip("ortools")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-c", ENDLESS]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=400
    )
    names = ["Z3", "Z3 with tactics", "Z3 optimizing", "Z3 without a limit", "CP-SAT"]
    assert done.stdout.splitlines() == [f"{name} stops in time" for name in names], (
        done.stderr
    )
