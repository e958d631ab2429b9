"""The verbs search and check: exit codes, files written, the form of a CSV, bad input,
interrupts, tampering.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cli_search_cases import (
    ALL,
    ROOT,
    TABLE,
    Run,
    files,
    policy,
    run,  # noqa: F401
    searched,
)

GENERAL = ["30-39", "30-39", "40-49", "40-49", "50-59", "50-59", "70-79", "70-79"]


LONER = "person,age,zip,illness,note\nZoe,99,99999,flu,z\n" + TABLE.split("\n", 1)[1]


IMPOSSIBLE = 'anonymous = "k_anonymity(9)"\n'


def process(*arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "phverify", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        command, env=environment, text=True, encoding="utf-8", timeout=120, **streams
    )


def test_optimal(run: Run) -> None:
    code, out, said = searched(run)
    assert (code, said) == (0, "")
    assert out.startswith(
        "table.csv: 8 records, 2 quasi-identifiers; space levels, objective loss"
    )
    assert "age, level 1 of 4: 8 values -> 4: 30-39, 40-49, 50-59, 70-79" in out
    assert re.search(r"zip, level 0 of \d: unchanged", out)
    assert (
        "OPTIMAL: loss 0.071429 (exactly 1/14); 0 is the table unchanged, 1 all"
        " suppressed\n" in out
    )
    assert "Nothing in the space costs less and satisfies the policy" in out
    assert "PROVED for the release: 2 rules on 8 rows" in out
    assert files() == set()


@pytest.mark.parametrize(
    ("space", "objective", "cost"),
    [
        ("levels", "height", "1"),
        ("levels", "precision", "1/8"),
        ("levels", "discernibility", "16"),
        ("subtrees", "loss", "1/14"),
        ("subtrees", "height", "1"),
        ("intervals", "loss", "1/14"),
        ("partitions", "loss", "1/14"),
    ],
)
def test_spaces_and_objectives(run: Run, space: str, objective: str, cost: str) -> None:
    code, out, said = searched(run, "--space", space, "--objective", objective, *ALL)
    assert (code, said) == (0, "")
    assert re.search(rf"OPTIMAL: {objective} (\d\.\d+ \(exactly )?{cost}\b", out)
    assert run("check", "proof.json", "--table", "table.csv")[0] == 0
    if space in (
        "intervals",
        "partitions",
    ):  # recoded without the hierarchies, which hold where they are given
        code, _, said = run("verify", "out.csv", "--original", "table.csv")
        assert code == 2 and "by --space intervals or partitions" in said
        policy(hierarchies="")
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0
    assert json.loads(Path("result.json").read_text(encoding="utf-8"))["cost"] == cost


def test_infeasible_says_which_rule_fails_and_writes_no_release(run: Run) -> None:
    policy(IMPOSSIBLE)
    code, out, said = searched(run, *ALL)
    assert (code, said) == (1, "")
    for part in (
        "REFUTED  anonymous: k_anonymity(9)",
        "the class has 8 rows, fewer than 9",
    ):
        assert part in out
    assert "INFEASIBLE: even the most general candidate breaks anonymous" in out
    assert "nothing is written to out.csv" in out
    assert "nothing is written to proof.json" in out
    assert files() == {"result.json"}
    assert (
        json.loads(Path("result.json").read_text(encoding="utf-8"))["verdict"]
        == "infeasible"
    )


@pytest.mark.parametrize("suppress", ["0", "0.3"])
@pytest.mark.parametrize("space", ["levels", "subtrees", "intervals"])
def test_a_secret_that_is_certain_whatever_is_done(
    run: Run, suppress: str, space: str
) -> None:
    policy(
        'safe = "logical_safety()"\n',
        more='[secrets]\n"*" = ["illness = flu or illness != flu"]\n',
    )
    code, out, said = searched(run, "--suppress", suppress, "--space", space)
    assert (code, said) == (1, "")
    assert "REFUTED  safe: logical_safety()" in out
    assert "INFEASIBLE: even the most general candidate breaks safe" in out


def test_withheld_records(run: Run) -> None:
    Path("table.csv").write_text(LONER, encoding="utf-8")
    code, out, _ = searched(run, "--suppress", "0.15", *ALL)
    assert code == 0
    assert "at most 1 record may be withheld" in out
    assert "1 record withheld" in out
    assert len(Path("out.csv").read_text(encoding="utf-8").splitlines()) == 9
    assert run("verify", "out.csv")[0] == 0
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0
    code, out, _ = run("check", "proof.json", "--table", "table.csv")
    assert (code, out.splitlines()[-1]) == (0, "ACCEPTED")


def test_somebody_who_is_named_is_not_withheld(run: Run) -> None:
    Path("table.csv").write_text(LONER, encoding="utf-8")
    policy('anonymous = "k_anonymity(2)"\nzoe = "@\'Zoe\' l_a1(illness = gout) <= 1"\n')
    code, out, _ = searched(run, "--suppress", "0.15")
    assert code == 0
    assert "0 records withheld" in out


@pytest.mark.parametrize("share", ["5%", "0.05", "1e-3", "1/20", ".05", "0"])
def test_shares_that_are_numbers(run: Run, share: str) -> None:
    assert searched(run, "--suppress", share)[0] == 0


def test_all_minimal_vectors(run: Run) -> None:
    code, out, _ = searched(run, "--all-minimal", *ALL)
    assert code == 0
    assert "minimal level vectors (age, zip):\n    (1, 0)\n" in out
    assert json.loads(Path("result.json").read_text(encoding="utf-8"))["minimal"] == [
        {"age": 1, "zip": 0}
    ]
    assert run("check", "proof.json", "--table", "table.csv")[0] == 0


def test_weights(run: Run) -> None:
    assert "(exactly 2/21)" in searched(run, "--weights", "age=2")[1]
    assert "(exactly 2/21)" in searched(run, "--weights", "age=1,zip=1/2")[1]
    assert (
        "(exactly 2/21)"
        in searched(run, "--weights", "age=1", "--weights", "zip=0.5")[1]
    )


def test_what_is_written(run: Run) -> None:
    code, out, _ = searched(run, *ALL)
    assert code == 0
    assert files() == {"out.csv", "proof.json", "result.json"}
    assert "the release is written to out.csv" in out
    assert "the certificate is written to proof.json" in out
    rows = [line.split(",")[2:] for line in TABLE.splitlines()[1:]]
    expected = [
        ["age", "zip", "illness", "note"],
        *([age, *row] for age, row in zip(GENERAL, rows, strict=True)),
    ]
    assert (
        list(csv.reader(Path("out.csv").read_text(encoding="utf-8").splitlines()))
        == expected
    )
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0


ODD = [
    ["Größe", "Name", "PLZ", "Krankheit", "frei", "leer"],
    ["150", "Ann", "01234", "=1+1", " vorn", ""],
    ["151", "Bob", "01234", "NA", "hinten ", ""],
    ["162", "Cid", "01299", "nan", "a;b,c|d\te", ""],
    ["163", "Dee", "01299", "None", 'sagt "ja"', ""],
    ["170", "Eve", "07000", "漢字", "zwei\nZeilen", ""],
    ["171", "Fay", "07000", "", "1.50", ""],
    ["170", "Gus", "07000", "00", "2024-01-02", ""],
    ["171", "Hal", "07000", "1e5", "-5", ""],
]


ODD_POLICY = (
    '[columns]\nquasi = ["Größe", "PLZ"]\nsensitive = ["Krankheit"]\nneutral ='
    ' ["frei", "leer"]\nidentifier = "Name"\n[hierarchies]\n"Größe" = {intervals = [10, 50]}\nPLZ = {prefixes ='
    ' [3]}\n[rules]\na = "k_anonymity(2)"\n'
)


def as_csv(rows: list[list[str]], separator: str, newline: str, mark: bool) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=separator, lineterminator=newline).writerows(rows)
    return (b"\xef\xbb\xbf" if mark else b"") + buffer.getvalue().encode("utf-8")


@pytest.mark.parametrize("mark", [False, True])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_release_is_written_as_the_table(
    run: Run, separator: str, newline: str, mark: bool
) -> None:
    Path("policy.toml").write_text(ODD_POLICY, encoding="utf-8")
    Path("table.csv").write_bytes(as_csv(ODD, separator, newline, mark))
    code, _, said = searched(run, "--output", "out.csv")
    assert (code, said) == (0, "")
    expected = [
        [f"{cell[:2]}0-{cell[:2]}9" if cell[:1] == "1" else cell, *rest]
        for cell, _, *rest in ODD
    ]
    assert Path("out.csv").read_bytes() == as_csv(expected, separator, newline, mark)
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0


def test_one_column_with_missing_cells(run: Run) -> None:
    Path("table.csv").write_text("x\n1\n\n\n1\n", encoding="utf-8")
    Path("policy.toml").write_text(
        '[columns]\nquasi = ["x"]\n[hierarchies]\nx = {masking = "right"}\n[rules]\na ='
        ' "k_anonymity(2)"\n'
    )
    assert searched(run, "--output", "out.csv")[0] == 0
    assert Path("out.csv").read_text(encoding="utf-8") == 'x\n1\n""\n""\n1\n'


def test_shuffled_rows_are_the_same_rows(run: Run) -> None:
    searched(run, "--output", "plain.csv")
    for name, seed in (("one.csv", "1"), ("again.csv", "1"), ("two.csv", "2")):
        assert searched(run, "--output", name, "--shuffle", seed)[0] == 0
    texts = {
        name: Path(name).read_text(encoding="utf-8")
        for name in ("plain.csv", "one.csv", "again.csv", "two.csv")
    }
    assert texts["one.csv"] == texts["again.csv"]
    assert len({texts["plain.csv"], texts["one.csv"], texts["two.csv"]}) == 3
    assert len({tuple(sorted(text.splitlines())) for text in texts.values()}) == 1
    assert run("verify", "one.csv", "--original", "table.csv")[0] == 0


def test_json_on_standard_output(run: Run) -> None:
    code, out, said = searched(run, "--json", "-")
    assert (code, said) == (0, "")
    found = json.loads(out)
    assert (found["verdict"], found["cost"], found["bound"]) == (
        "optimal",
        "1/14",
        "1/14",
    )
    assert found["levels"] == {"age": 1, "zip": 0}


def test_a_reader_that_goes_away_changes_no_verdict(run: Run) -> None:
    end, start = os.pipe()
    os.close(end)
    done = process(
        "search", "table.csv", "--policy", "policy.toml", "--json", "-", stdout=start
    )
    os.close(start)
    assert (done.returncode, done.stderr) == (0, "")


def test_colours_on_a_terminal_only(run: Run) -> None:
    screen, inside = pty.openpty()
    done = process("search", "table.csv", "--policy", "policy.toml", stdout=inside)
    shown = os.read(screen, 100_000).decode()
    os.close(inside)
    os.close(screen)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("\x1b[1;32mOPTIMAL\x1b[0m" in shown) == ("NO_COLOR" not in os.environ)
    assert (
        "\x1b" not in process("search", "table.csv", "--policy", "policy.toml").stdout
    )
