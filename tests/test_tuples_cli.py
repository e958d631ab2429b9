"""``phverify search --space tuples`` as a stranger meets it: options, files, exit codes."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phverify
from phverify import interrupts
from phverify.cli.main import main
from phverify.machine import machine_code

ROOT = Path(phverify.__file__).parents[1]
POLICY = """
[columns]
quasi = ["age", "Stadt; Ort"]
sensitive = ["ill"]
identifier = "who"

[types]
age = "integer"

[rules]
enough = "k_anonymity(2)"
"""
AGES = (31, 32, 58, 59)
ROWS = [f'p{n};{age};"Köln; Süd";{"xyxy"[n]}' for n, age in enumerate(AGES)]
TABLE = "\r\n".join(['who;age;"Stadt; Ort";ill', *ROWS, ""])
RELEASE = TABLE.replace(";31;", ";31-32;").replace(";32;", ";31-32;")
RELEASE = RELEASE.replace(";58;", ";58-59;").replace(";59;", ";58-59;")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run a search beside its files; the exit code, what is printed, what is said."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8", newline="")
    Path("policy.toml").write_text(POLICY, encoding="utf-8")

    def run(*options: str, table: str = "table.csv") -> tuple[int, str, str]:
        asked = ["search", table, "--policy", "policy.toml", *options]
        if "--space" not in options:
            asked += ["--space", "tuples"]
        if not {"--budget", "--gap", "--space"} & set(options):
            # The search ends as soon as its bound is there.
            asked += ["--gap", "1%", "--budget", "60"]
        try:
            code = main(asked)
        except SystemExit as leave:
            code = int(leave.code or 0)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def published(text: str) -> str:
    """A table without its identifier."""
    return "\r\n".join(line.partition(";")[2] for line in text.split("\r\n"))


def test_the_release_is_written_as_the_table_is(search: Run) -> None:
    code, out, err = search("--output", "best.csv", "--certificate", "best.json")
    assert (code, err) == (0, "")
    assert "the release is written to best.csv: recoded by tuples, 2 classes" in out
    written = Path("best.csv").read_bytes().decode("utf-8")
    assert written == published(RELEASE)
    checked = ["--table", "table.csv", "--policy", "policy.toml"]
    assert main(["check", "best.json", *checked, "--release", "best.csv"]) == 0


def test_packed_and_from_a_pipe(search: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    assert search("--output", "best.csv.gz", table="table.csv.gz")[0] == 0
    with gzip.open("best.csv.gz") as file:
        assert file.read().decode() == published(RELEASE)
    with open("table.csv", encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdin", file)
        code, out, _ = search("--output", "piped.csv", table="-")
    assert code == 0 and "PROVED for the release" in out
    assert Path("piped.csv").read_bytes().decode() == published(RELEASE)


def test_the_exit_code_is_of_the_gap(search: Run) -> None:
    """Ranges of 2 of 4 ages, and a city that costs nothing: the bound is tight but for
    the rounding of prices.
    """
    code, out, _ = search("--gap", "1%", "--budget", "60")
    assert code == 0 and "UNDECIDED" not in out
    # Whether prices meet the cost exactly is left to the search; the code follows.
    code, out, _ = search("--gap", "0", "--weights", "age=1/3", "--budget", "0.5")
    assert (code == 3) == ("UNDECIDED: the gap of 0% was not reached" in out)
    assert "PROVED for the release" in out


def test_what_nothing_satisfies(search: Run) -> None:
    policy = POLICY.replace("k_anonymity(2)", "k_anonymity(5)")
    Path("policy.toml").write_text(policy, encoding="utf-8")
    code, out, _ = search("--output", "best.csv", "--certificate", "best.json")
    assert code == 1
    assert "INFEASIBLE: even the most general release breaks enough" in out
    assert not Path("best.csv").exists() and not Path("best.json").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gap", "2"], "gap: is a share of the cost, from 0 to below 1, not 2"),
        (["--gap", "near"], "gap: is a number, not 'near'"),
        (["--cells", "2"], "cells: is a share of the cells"),
        (["--suppress", "1"], "suppress: is a share of the records"),
        (["--ranges", "aeg"], "ranges: 'aeg' is no quasi-identifier"),
        (["--ranges", "aeg"], "did you mean 'age'?"),
        (["--blind", "0"], "--blind: is a whole number of records above 0, not '0'"),
        (["--blind", "5"], "blind: no class has 5 records: the table has 4"),
        (["--weights", "age"], "--weights: is column=weight, not 'age'"),
        (["--objective", "height"], "not 'height'"),
        (["--budget", "0"], "--budget: is a number of seconds above 0, not '0'"),
        (["--all-minimal"], "--all-minimal: lists level vectors"),
        (["--explain"], "--explain: is about columns"),
        (["--output", "-"], "only --json writes to standard output"),
        (["--output", "table.csv"], "is an input, which is never overwritten"),
        (["--output", "best.xlsx"], "no release is written as .xlsx"),
        (["--space", "tuple"], "did you mean 'tuples'?"),
    ],
    ids=" ".join,
)
def test_messages_teach(search: Run, options: list[str], said: str) -> None:
    code, out, err = search(*options)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    "options",
    [["--gap", "0.1"], ["--disjoint"], ["--cells", "0.5"], ["--blind", "3"]],
    ids=" ".join,
)
def test_other_spaces_have_no_such_options(search: Run, options: list[str]) -> None:
    code, _, err = search("--space", "partitions", *options)
    assert code == 2 and f"{options[0]}: is about releases by tuples" in err


def test_rows_in_the_same_order_are_not_shuffled(search: Run) -> None:
    policy = 'rows = "same order"\n' + POLICY
    Path("policy.toml").write_text(policy, encoding="utf-8")
    code, _, err = search("--shuffle", "3", "--output", "best.csv")
    assert code == 2 and "leave out one of the two" in err
    assert not Path("best.csv").exists()


def test_too_many_values(search: Run) -> None:
    rows = [f"p{n};{n};Bonn;x" for n in range(5001)]
    Path("table.csv").write_text("\n".join(['who;age;"Stadt; Ort";ill', *rows]))
    code, _, err = search()
    assert code == 2 and "'age' has 5,001 different values, and at most 5,000" in err


@pytest.mark.parametrize("space", ["levels", "tuples"])
def test_a_certificate_shows_values(search: Run, space: str) -> None:
    given = ["--space", space, "--certificate", "best.json", "--redact"]
    code, out, err = search(*given)
    assert (code, out) == (2, "")
    assert "--certificate: quotes policy and values: not with --redact" in err
    assert not Path("best.json").exists()


def test_as_json(search: Run) -> None:
    code, out, _ = search("--json", "-", "--redact")
    found = json.loads(out)
    assert code == 0
    assert (found["verdict"], found["space"]) == ("proved", "tuples")
    assert found["gap_reached"] is True and found["classes"] == 2


def test_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """A package that others installed, for a user without a home."""
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "for name in vars(caching).values():\n"
        "    if hasattr(name, '_locator_classes'):\n"
        "        name._locator_classes = []\n"
        "from phverify.machine.machine_code import entry_point\n"
        "print(entry_point(lambda one: one + 1)(1))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "2\n", done.stderr


def test_a_full_disk_loses_no_function() -> None:
    def full(*overload: Any) -> None:
        raise OSError(28, "No space left on device")

    machine_code._if_possible(full)("signature", "code")


def test_interrupts_wait_for_the_compiler() -> None:
    """Ctrl-C in a call back of the compiler would be lost, and the call with it."""
    done = []
    put_off = interrupts.interrupts_put_off
    with pytest.raises(KeyboardInterrupt), put_off():
        with pytest.raises(KeyboardInterrupt), put_off():
            signal.raise_signal(signal.SIGINT)
            done.append("inner")
        signal.raise_signal(signal.SIGINT)
        done.append("outer")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
