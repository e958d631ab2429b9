"""Ctrl-C, a full disk and a budget at any moment: what is known is told, and nothing
else is claimed.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.stopping import counted

import phverify as ph
import phverify.cli.main as cli
import phverify.cli.terminal as terminal
from phverify.linkage.methods import soundness as methods
from phverify.spec.data import Refused

ROOT = str(Path(cli.__file__).resolve().parents[2])
HOSPITAL = Path(cli.__file__).parents[1] / "examples" / "hospital"
INPUTS = [
    str(HOSPITAL / name) for name in ("release.csv", "policy.toml", "original.csv")
]
SEARCH = ["search", INPUTS[2], "--policy", INPUTS[1]]
VERIFY = ["verify", INPUTS[0], "--policy", INPUTS[1]]
ALL = ["--output", "out.csv", "--certificate", "proof.json", "--json", "result.json"]

Shown = tuple[int, str, str]
Run = Callable[..., Shown]
Patch = pytest.MonkeyPatch
NAMES = (
    "verbs.search",
    "verbs.verify",
    "verbs.certify",
    "generalization.answer",
    "generalization.hunt",
)
NAMES += ("verification.run", "comparison.run")
modules = {name: importlib.import_module(f"phverify.{name}") for name in NAMES}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Patch) -> Run:
    """One command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def shown(*arguments: str) -> Shown:
        code = cli.main(list(arguments))
        return (code, *capsys.readouterr())

    return shown


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


def stop(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def stops_at(monkeypatch: Patch, owner: Any, name: str, call: int = 1) -> None:
    """Ctrl-C at the given call of a function."""
    plain, calls = getattr(owner, name), [0]

    def stopping(*arguments: Any, **more: Any) -> Any:
        calls[0] += 1
        return stop() if calls[0] == call else plain(*arguments, **more)

    monkeypatch.setattr(owner, name, stopping)


# --- search
# ----------------------------------------------------------------------------------------------


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
    "phase", ["generalization.answer.frame", "generalization.answer.released"]
)
def test_while_the_release_is_made(run: Run, monkeypatch: Patch, phase: str) -> None:
    module, _, name = phase.rpartition(".")
    monkeypatch.setattr(modules[module], name, stop)
    code, out, said = run(*SEARCH, *ALL)
    if name == "released":  # before it is checked: nothing may be released
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
    monkeypatch.setattr(modules["generalization.hunt"], "none_cheaper", stop)
    code, out, said = run(*SEARCH, *ALL)
    assert (code, said) == (3, "")
    assert "PROVED for the release: 2 rules on 8 rows" in out
    assert (
        "not proved to be the least (interrupted while the lower bound was proved)"
        in out
    )
    assert "OPTIMAL" not in out
    assert files() == {"out.csv", "result.json"}


@pytest.mark.parametrize("name", ["read", "opened", "bind", "search_space"])
def test_before_the_search_nothing_is_decided(
    run: Run, monkeypatch: Patch, name: str
) -> None:
    monkeypatch.setattr(modules["verbs.search"], name, stop)
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
    hunt = modules["generalization.hunt"].Hunt
    stops_at(monkeypatch, hunt, "_next", 4)
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
writing = importlib.import_module("phverify.generalization.certificate")
terminal.FIRST = 0.0
def slow(self, report):
    self.step("what takes long")
    time.sleep(600)
writing._Writer.written = slow
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


# --- solvers keep no Ctrl-C to themselves
# --------------------------------------------------------------------

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


# --- verify
# ------------------------------------------------------------------------------------------------


def test_verify_tells_the_rules_that_were_decided(run: Run, monkeypatch: Patch) -> None:
    stops_at(monkeypatch, modules["verification.run"]._Run, "rule", 2)
    code, out, said = run(*VERIFY, "--json", "report.json")
    assert (code, said) == (3, "")
    assert "PROVED  anonymous" in out
    assert "UNDECIDED  safe" in out
    assert "interrupted" in out
    assert (
        out.rstrip().splitlines()[-1].startswith("UNDECIDED")
        or "UNDECIDED: 2 rules" in out
    )
    assert (
        json.loads(Path("report.json").read_text(encoding="utf-8"))["rules"][1][
            "reason"
        ]
        == "interrupted"
    )


def test_a_leak_that_was_found_stays_one(run: Run, monkeypatch: Patch) -> None:
    policy = (HOSPITAL / "policy.toml").read_text(encoding="utf-8")
    policy = policy.replace("[rules]", '[rules]\nlarge = "k_anonymity(5)"')
    Path("policy.toml").write_text(policy, encoding="utf-8")
    shutil.copy(HOSPITAL / "birth.csv", "birth.csv")
    stops_at(monkeypatch, modules["verification.run"]._Run, "rule", 3)
    code, out, _ = run("verify", INPUTS[0], "--policy", "policy.toml")
    assert code == 1
    assert "REFUTED: 3 rules, 1 proved, 1 refuted, 1 undecided" in out


def test_in_python_verify_is_interrupted_as_anything_else(monkeypatch: Patch) -> None:
    stops_at(monkeypatch, modules["verification.run"]._Run, "rule", 2)
    with pytest.raises(KeyboardInterrupt):
        ph.verify(INPUTS[0], INPUTS[1])


def test_verify_while_the_certificate_is_made(run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr(modules["verbs.certify"], "claims", stop)
    code, out, said = run(
        *VERIFY, "--certificate", "proof.json", "--json", "report.json"
    )
    assert (code, said) == (1, "")
    assert "REFUTED: 2 rules, 1 proved, 1 refuted" in out
    assert (
        "the certificate is missing: nothing is written to proof.json: interrupted"
        in out
    )
    assert files() == {"report.json"}


@pytest.mark.parametrize(
    "place", ["verbs.verify.read", "verbs.verify.bind", "verification.run._met"]
)
def test_before_the_first_rule_nothing_is_decided(
    run: Run, monkeypatch: Patch, place: str
) -> None:
    module, _, name = place.rpartition(".")
    monkeypatch.setattr(modules[module], name, stop)
    assert run(*VERIFY) == (3, "", "phverify: interrupted: nothing was decided\n")


def test_a_folder_in_which_nothing_can_be_saved(run: Run, monkeypatch: Patch) -> None:
    """The query of an undecided rule is saved unasked: where that fails, the verdict is
    told all the same.
    """

    def tired(_run: Any, rule: Any, *_: Any) -> ph.RuleResult:
        return ph.RuleResult(
            rule.name, "", "undecided", 0.0, reason="tired", query="(check-sat)"
        )

    def failing(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(modules["verification.run"]._Run, "rule", tired)
    monkeypatch.setattr(terminal.tempfile, "NamedTemporaryFile", failing)
    code, out, said = run(*VERIFY)
    assert (code, said) == (3, "")
    assert "UNDECIDED  safe" in out
    assert (
        "the query of safe is not saved: phverify-safe.smt2: cannot be written:"
        " Read-only file system" in out
    )


def test_a_certificate_that_cannot_be_of_parquet(run: Run) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.read_csv(INPUTS[0], dtype=str).to_parquet("release.parquet")
    code, out, said = run(
        "verify",
        "release.parquet",
        "--policy",
        INPUTS[1],
        "--certificate",
        "proof.json",
    )
    assert code == 2
    assert "REFUTED: 2 rules" in out
    assert "a certificate is about CSV files" in said


# --- compare, reidentify
# -------------------------------------------------------------------------------------


def test_compare_tells_the_direction_that_was_decided(
    run: Run, monkeypatch: Patch
) -> None:
    stops_at(monkeypatch, modules["comparison.run"], "compared", 2)
    code, out, said = run("compare", "k_anonymity(3)", "k_anonymity(2)", "--equivalent")
    assert (code, said) == (3, "")
    assert out.splitlines()[0].startswith("IMPLIES")
    assert "  interrupted" in out
    assert out.splitlines()[-1] == "UNDECIDED"


def test_reidentify_tells_the_answers_that_were_judged(
    run: Run, monkeypatch: Patch
) -> None:
    links = str(HOSPITAL / "links.csv")
    arguments = [
        "reidentify",
        INPUTS[2],
        INPUTS[0],
        "--policy",
        INPUTS[1],
        "--method",
        links,
    ]
    assert "UNSOUND: 1 of 4 answers\n" in run(*arguments)[1]
    stops_at(monkeypatch, methods, "_shares", 2)
    code, out, said = run(*arguments)
    assert (code, said) == (3, "")
    assert "UNDECIDED: interrupted for 3 answers, the others are sound\n" in out
    stops_at(monkeypatch, methods, "_shares", 4)
    code, out, said = run(*arguments)
    assert (code, said) == (1, "")
    assert "UNSOUND: 1 of 4 answers; interrupted for 1 answer\n" in out


# --- standard output
# ---------------------------------------------------------------------------------------


def test_a_full_standard_output_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "phverify", *SEARCH, *ALL]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "phverify: standard output: No space left on device\n"
    assert {path.name for path in tmp_path.iterdir()} == {
        "out.csv",
        "result.json",
        "proof.json",
    }


# --- what does not depend on the machine: a clock that goes on by a second whenever it
# is looked at ------------


def sensible(found: ph.SearchResult) -> None:
    """What a search that was stopped says is so, and its certificate, if there is one,
    is accepted.
    """
    least = ph.search(INPUTS[2], INPUTS[1], space=found.space).cost
    assert least is not None
    assert found.verdict in ("optimal", "undecided")
    if found.cost is not None:
        assert found.checks is not None and found.checks.verdict == "proved"
        assert found.cost >= least
        assert found.cost == least or found.verdict == "undecided"
    else:
        assert found.release is None
    assert found.verdict == "optimal" or found.certificate is None
    if found.certificate is not None:
        assert ph.check(found.certificate, INPUTS[2], INPUTS[1]).accepted
    elif found.verdict == "optimal":
        assert "budget" in found.uncertified


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_a_budget_that_runs_out_anywhere(space: str) -> None:
    """Whatever step the time is over at: the answer is right, and larger budgets reach
    more of it.
    """
    seen = set()
    for budget in (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 90, 130, 200, 400):
        with counted():
            found = ph.search(INPUTS[2], INPUTS[1], space=space, budget=budget)
            certificate = found.certificate
        sensible(found)
        seen.add((found.verdict, certificate is not None, bool(found.uncertified)))
    assert ("optimal", True, False) in seen
    assert (
        "optimal",
        False,
        True,
    ) in seen, "time for the answer, and none for the certificate"
    assert ("undecided", False, False) in seen


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_ctrl_c_anywhere(space: str) -> None:
    told = 0
    for stops in range(1, 40):
        with counted(stops):
            try:
                found = ph.search(INPUTS[2], INPUTS[1], space=space, budget=10_000)
            except KeyboardInterrupt:
                continue  # before there was anything to tell
        sensible(found)
        told += 1
    assert told > 20


def test_what_time_is_left_is_for_the_certificate(monkeypatch: Patch) -> None:
    """The certificate has what the search left of the budget, however long nobody asked
    for it.
    """
    told: list[float | None] = []

    def looking(*given: Any) -> Any:
        told.append(given[-1].left())
        raise Refused("enough")

    monkeypatch.setattr(modules["generalization.answer"], "certificate", looking)
    found = ph.search(INPUTS[2], INPUTS[1], budget=1000)
    assert found.uncertified == "enough"
    (left,) = told
    assert left is not None and 0 < left < 1000 - found.statistics.seconds
