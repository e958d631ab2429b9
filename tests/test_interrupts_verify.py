"""Ctrl-C and budgets while ``verify`` and the other verbs decide: what is known is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.interrupts_cases import (
    ALL,
    HOSPITAL,
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
from support.stopping import counted

import phverify as ph
import phverify.microdata.part_file as part_file
from phverify.linkage.methods import soundness as methods
from phverify.spec.data import Refused

VERIFY = ["verify", INPUTS[0], "--policy", INPUTS[1]]


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
    "place", ["verbs.release_tables.read", "verbs.verify.bind", "verification.run._met"]
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
    monkeypatch.setattr(part_file.tempfile, "mkstemp", failing)
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
    assert not out  # it is said first, before the work
    assert "a certificate is about CSV files" in said


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


BUDGETS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 53, 90, 130, 200, 400)
"""In looks at the clock: from too few for anything to enough for all."""
CERTIFIED = ("optimal", True, False)
UNCERTIFIED = ("optimal", False, True)
UNDECIDED = ("undecided", False, False)


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_a_budget_that_runs_out_anywhere(space: str) -> None:
    """Whatever step the time is over at: the answer is right, and larger budgets reach
    more of it.
    """
    seen = {}
    for budget in BUDGETS:
        seen[budget] = outcome(space, budget)
    certified = min(one for one in seen if seen[one] == CERTIFIED)
    undecided = max(one for one in seen if seen[one] == UNDECIDED)
    # In between the time is enough for the answer, and not for its certificate.
    between = (outcome(space, one) for one in range(undecided + 1, certified))
    assert UNCERTIFIED in seen.values() or UNCERTIFIED in between
    assert set(seen.values()) <= {CERTIFIED, UNDECIDED, UNCERTIFIED}


def outcome(space: str, budget: int) -> tuple[str, bool, bool]:
    """The verdict, whether there is a certificate, and whether that lacks for time."""
    with counted():
        found = ph.search(INPUTS[2], INPUTS[1], space=space, budget=budget)
        certificate = found.certificate
    sensible(found)
    return found.verdict, certificate is not None, bool(found.uncertified)


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_ctrl_c_anywhere(space: str) -> None:
    told = 0
    for stops in range(1, 62, 2):
        with counted(stops):
            try:
                found = ph.search(INPUTS[2], INPUTS[1], space=space, budget=10_000)
            except KeyboardInterrupt:
                continue  # before there was anything to tell
        sensible(found)
        told += 1
    assert told > 12


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
