"""The verbs search and check: exit codes, files written, the form of a CSV, bad input,
interrupts, tampering.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phverify.cli.main as cli
from phverify.generalization.certificate import digest
from phverify.verbs.files import naming

hunt = importlib.import_module("phverify.generalization.hunt")
ROOT = str(Path(cli.__file__).resolve().parents[2])

TABLE = """person,age,zip,illness,note
Ann,34,12045,flu,a
Bob,36,12045,cold,b
Cid,47,12111,flu,c
Dee,45,12111,gout,d
Eve,52,13001,cold,e
Fay,59,13001,gout,f
Gus,71,13002,flu,g
Hal,78,13002,cold,h
"""
GENERAL = ["30-39", "30-39", "40-49", "40-49", "50-59", "50-59", "70-79", "70-79"]
LONER = "person,age,zip,illness,note\nZoe,99,99999,flu,z\n" + TABLE.split("\n", 1)[1]
COLUMNS = (
    '[columns]\nquasi = ["age", "zip"]\nsensitive = ["illness"]\nneutral ='
    ' ["note"]\nidentifier = "person"\n'
)
HIERARCHIES = 'age = {intervals = [10, 20, 40]}\nzip = {masking = "right"}\n'
GOOD = 'anonymous = "k_anonymity(2)"\ndiverse = "l_diversity(illness, 2)"\n'
IMPOSSIBLE = 'anonymous = "k_anonymity(9)"\n'
ALL = ("--output", "out.csv", "--certificate", "proof.json", "--json", "result.json")

Shown = tuple[int, str, str]
Run = Callable[..., Shown]


def policy(
    rules: str = GOOD,
    hierarchies: str = HIERARCHIES,
    columns: str = COLUMNS,
    more: str = "",
) -> None:
    head = f'{columns}[types]\nage = "integer"\n[hierarchies]\n{hierarchies}'
    Path("policy.toml").write_text(f"{head}{more}[rules]\n{rules}", encoding="utf-8")


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """One command in a folder of its own that holds table.csv and policy.toml."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    policy()

    def shown(verb: str, *arguments: str) -> Shown:
        code = cli.main([verb, *arguments, "--policy", "policy.toml"])
        return (code, *capsys.readouterr())

    return shown


def searched(run: Run, *more: str) -> Shown:
    return run("search", "table.csv", *more)


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {
        "table.csv",
        "policy.toml",
        "zip.csv",
    }


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


# --- what is found, and the exit codes
# -----------------------------------------------------------------


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
    assert (
        "INFEASIBLE: even the most general candidate breaks anonymous: 8 records would"
        " have to be withheld" in out
    )
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
    code, _, said = run("verify", "out.csv", "--original", "table.csv")
    assert code == 2
    assert "the original has 9 rows and the release 8" in said
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


# --- the files
# -----------------------------------------------------------------------------------------


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
    '[columns]\nquasi = ["Größe", "PLZ"]\nsensitive = ["Krankheit"]\nidentifier ='
    ' "Name"\n[hierarchies]\n"Größe" = {intervals = [10, 50]}\nPLZ = {prefixes ='
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


# --- bad input: exit code 2, nothing written
# -----------------------------------------------------------

BAD_OPTIONS = [
    (("--space", "subtree"), "unknown space 'subtree'\n    did you mean 'subtrees'?"),
    (("--objective", "los"), "unknown objective 'los'\n    did you mean 'loss'?"),
    (("--suppress", "1"), "is a share of the records, from 0 to below 1, not 1"),
    (("--suppress", "-1"), "is a share of the records, from 0 to below 1, not -1"),
    (("--suppress", "abc"), "is a number, not 'abc'"),
    (("--suppress", "0,05"), "is a number, not '0,05'"),
    (("--suppress", "nan"), "is a number, not 'nan'"),
    (("--weights", "agee=2"), "'agee' is no quasi-identifier\n    did you mean 'age'?"),
    (("--weights", "age"), "is column=weight, not 'age'"),
    (("--weights", "age=abc"), "is a number, not 'abc'"),
    (("--weights", "age=-1"), "the weight of 'age' is -1, which is below 0"),
    (("--weights", "age=0,zip=0"), "all weights are 0"),
    (("--shuffle", "x"), "--shuffle: is a whole number, not 'x'"),
    (("--budget", "0"), "--budget: is a number of seconds above 0, not '0'"),
    (("--budget", "soon"), "--budget: is a number of seconds above 0, not 'soon'"),
    (
        ("--all-minimal", "--space", "subtrees"),
        "lists level vectors: use space levels, not subtrees",
    ),
    (
        ("--objective", "discernibility", "--space", "subtrees"),
        "discernibility is offered for space levels",
    ),
    (
        ("--objective", "discernibility", "--suppress", "0.1"),
        "use loss, or suppress nothing",
    ),
    (("--objective", "height", "--space", "intervals"), "use --objective loss"),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD_OPTIONS, ids=lambda value: " ".join(value)[:40]
)
def test_bad_options(run: Run, options: tuple[str, ...], message: str) -> None:
    code, out, said = searched(run, *options, *ALL)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()


BAD_TARGETS = [
    (("--output", "table.csv"), "table.csv is an input, which is never overwritten"),
    (
        ("--output", "./policy.toml"),
        "policy.toml is an input, which is never overwritten",
    ),
    (("--json", "table.csv"), "table.csv is an input, which is never overwritten"),
    (("--output", "nowhere/out.csv"), "the folder nowhere does not exist"),
    (("--certificate", "."), ". is a directory"),
    (
        ("--output", "one", "--certificate", "./one"),
        "one is where --certificate goes, too",
    ),
    (("--json", "one", "--certificate", "one"), "one is where --json goes, too"),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD_TARGETS, ids=lambda value: " ".join(value)[:40]
)
def test_bad_targets(run: Run, options: tuple[str, ...], message: str) -> None:
    code, out, said = searched(run, *options)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()
    assert Path("table.csv").read_text(encoding="utf-8") == TABLE


LINES = ["12045;12*;*", "12111;12*;*", "13001;13*;*", "13002;13*;*"]
BAD_HIERARCHIES = [
    (
        LINES[:3],
        (
            "the value '13002' of the column 'zip' is not in the hierarchy\n    add a"
            " line for it"
        ),
    ),
    (
        [*LINES[:3], "13002;*"],
        "the path of '13002' has 2 entries, that of '12045' has 3",
    ),
    ([*LINES, "14000;12*;14*"], "'12*' at level 1 lies under '*' and '14*'"),
    ([*LINES, "13002;13*;*"], "the value '13002' occurs on two lines"),
    ([], "the hierarchy is empty"),
]


@pytest.mark.parametrize(
    ("lines", "message"), BAD_HIERARCHIES, ids=lambda value: str(value)[-30:]
)
def test_bad_hierarchy_files(run: Run, lines: list[str], message: str) -> None:
    Path("zip.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    policy(hierarchies='age = {intervals = [10]}\nzip = "zip.csv"\n')
    code, out, said = searched(run, *ALL)
    assert (code, out) == (2, "")
    assert f"zip.csv: {message}" in said
    assert files() == set()


BAD_POLICIES = [
    (
        {"hierarchies": "age = {intervals = [10]}\n"},
        "the quasi-identifier 'zip' needs a hierarchy",
    ),
    (
        {"hierarchies": 'age = {intervals = [10]}\nzip = "no.csv"\n'},
        "no.csv: there is no such file",
    ),
    (
        {"hierarchies": HIERARCHIES.replace("masking", "maskin")},
        "unknown builder 'maskin'\n    did you mean 'masking'?",
    ),
    (
        {"hierarchies": HIERARCHIES.replace("20", "15")},
        "the width 15 is no larger multiple of 10",
    ),
    ({"rules": 'a = "k_anonimity(2)"\n'}, "unknown criterion 'k_anonimity'"),
    ({"rules": 'a = "l_diversity(ilness, 2)"\n'}, "did you mean 'illness'?"),
    ({"rules": "a = \"@'Zed' illness = flu\"\n"}, "unknown individual 'Zed'"),
    (
        {"rules": 'a = "age >= 65 -> k_anonymity(3)"\n'},
        "policy.toml, rules.a: 'age' is released generalized, where >= has no meaning",
    ),
    ({"columns": COLUMNS.replace('"age"', '"agee"')}, "agee"),
    (
        {
            "columns": (
                COLUMNS.replace('["age", "zip"]', "[]").replace(
                    '["note"]', '["age", "zip"]'
                )
            )
        },
        "quasi-identifiers",
    ),
]


@pytest.mark.parametrize(
    ("changed", "message"), BAD_POLICIES, ids=lambda value: str(value)[-30:]
)
def test_bad_policies(run: Run, changed: dict[str, str], message: str) -> None:
    policy(**changed)
    code, out, said = searched(run, *ALL)
    assert (code, out) == (2, "")
    assert message in said
    assert files() == set()


def test_all_problems_are_told_at_once(run: Run) -> None:
    code, _, said = searched(
        run, "--space", "x", "--objective", "y", "--suppress", "2", "--weights", "z=1"
    )
    assert code == 2
    assert (
        len([line for line in said.splitlines() if line.startswith("phverify: ")]) == 4
    )


@pytest.mark.parametrize("option", [("--suppress", "0.3"), ("--shuffle", "1")])
def test_record_numbers_mean_nothing_once_records_move(
    run: Run, option: tuple[str, str]
) -> None:
    policy('a = "@d3 illness = flu"\n')
    code, _, said = searched(run, *option)
    assert code == 2
    assert "names records by their number (d1, d2, ..) in 'a'" in said
    assert searched(run)[0] == 0


def test_individual_numbers_while_records_may_be_withheld(run: Run) -> None:
    policy('a = "@i3 ~[a1] illness = flu"\n')
    code, _, said = searched(run, "--suppress", "0.3")
    assert code == 2
    assert "name them by their 'person', in quotes" in said
    assert searched(run)[0] == 0


# --- undecided: budgets and interrupts
# -----------------------------------------------------------------


def test_a_budget_that_is_too_small(run: Run) -> None:
    code, out, said = searched(run, "--budget", "1e-9", *ALL)
    assert (code, said) == (3, "")
    assert "not proved to be the least (the budget of 1e-09 s ran out)" in out
    assert files() == {"out.csv", "result.json"}
    assert "nothing is written to proof.json" in out
    assert run("verify", "out.csv", "--original", "table.csv")[0] == 0


@pytest.mark.parametrize("space", ["levels", "subtrees"])
@pytest.mark.parametrize("place", [1, 2])
def test_an_interrupt_keeps_the_best_found(
    run: Run, monkeypatch: pytest.MonkeyPatch, space: str, place: int
) -> None:
    calls, before = [], hunt.Hunt._next

    def interrupted(self: Any, choose: Any) -> Any:
        calls.append(choose)
        if len(calls) == place:
            raise KeyboardInterrupt
        return before(self, choose)

    monkeypatch.setattr(hunt.Hunt, "_next", interrupted)
    code, out, said = searched(run, "--space", space, *ALL)
    assert (code, said) == (3, "")
    assert "PROVED for the release: 2 rules on 8 rows" in out
    assert "UNDECIDED: loss " in out
    assert "the best found, not proved to be the least (interrupted)" in out
    assert "OPTIMAL" not in out
    assert files() == {"out.csv", "result.json"}
    assert (
        json.loads(Path("result.json").read_text(encoding="utf-8"))["reason"]
        == "interrupted"
    )


def test_an_interrupt_before_the_search_decides_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        importlib.import_module("phverify.verbs.search"), "prepared", interrupted
    )
    code, out, said = searched(run, *ALL)
    assert (code, out, said) == (3, "", "phverify: interrupted: nothing was decided\n")
    assert files() == set()


# --- check
# ---------------------------------------------------------------------------------------------


def checked(
    run: Run, certificate: str = "proof.json", table: str = "table.csv"
) -> Shown:
    return run("check", certificate, "--table", table)


def test_accepted(run: Run) -> None:
    searched(run, *ALL)
    code, out, said = checked(run)
    assert (code, said) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == [
        "  ok  the policy is 'policy.toml', given with --policy",
        "  ok  the digest fits",
    ]
    assert (
        "  ok  the released table satisfies the policy (8 records, 0 withheld)" in lines
    )
    assert "  ok  loss is 1/14" in lines
    assert lines[-1] == "ACCEPTED"


@pytest.mark.parametrize(
    ("old", "new"),
    [("Ann,34", "Ann,35"), ("Hal,78,13002,cold,h\n", ""), ("13002,cold", "13002,flu")],
)
def test_another_table_is_refused(run: Run, old: str, new: str) -> None:
    searched(run, *ALL)
    Path("other.csv").write_text(TABLE.replace(old, new), encoding="utf-8")
    code, out, said = checked(run, table="other.csv")
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


@pytest.mark.parametrize(
    "changed",
    [
        {"rules": GOOD.replace("k_anonymity(2)", "k_anonymity(3)")},
        {"rules": GOOD.splitlines()[0] + "\n"},
        {"hierarchies": HIERARCHIES.replace("[10, 20, 40]", "[10, 20]")},
        {"columns": COLUMNS.replace('"age", "zip"', '"zip", "age"')},
    ],
)
def test_another_policy_is_refused(run: Run, changed: dict[str, str]) -> None:
    searched(run, *ALL)
    policy(**changed)
    code, out, said = checked(run)
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


def test_an_edited_certificate_does_not_fit_its_digest(run: Run) -> None:
    searched(run, *ALL)
    text = Path("proof.json").read_text(encoding="utf-8")
    Path("edited.json").write_text(
        text.replace('"cost": "1/14"', '"cost": "1/15"'), encoding="utf-8"
    )
    code, out, _ = checked(run, "edited.json")
    refused = (
        "REFUSED: the certificate was changed after it was written (its digest does not"
        " fit)"
    )
    assert (code, out.splitlines()[1:]) == (1, [refused])


FORGED: list[tuple[str, Any, str]] = [
    ("cost", "0", "the cost is 1/14, not 0"),
    ("choice", [], "the mapping is not that of the candidate"),
    ("choice", [999], "a candidate names unknowns that the space does not have"),
    ("choice", None, "choice of the certificate is no list"),
    ("clauses", [], "a cheaper candidate meets all clauses"),
    ("clauses", [{"kind": "x"}], "none of the forms that it may have"),
    (
        "withheld_classes",
        [["nobody", "1"]],
        "a class that is said to be withheld does not exist",
    ),
    ("format", 3, "let it certify the same files again"),
    ("rows", 4, "the certificate has not exactly the fields"),
    ("suppress", "2", "the certificate does not fit this table and policy: suppress"),
    ("space", "subtrees", "the mapping is not that of the candidate"),
    ("objective", "height", "the cost is 1, not 1/14"),
    ("weights", {"age": "9"}, "the weights are not those"),
    ("weights", {"age": "9", "zip": "1"}, "the cost is"),
    ("closures", [{"part": 0, "upward": True, "how": "each"}], "closure under merging"),
    ("bound", {"farkas": []}, "REFUSED"),
    ("mapping", {}, "the mapping is not that of the candidate"),
]


@pytest.mark.parametrize(
    ("key", "value", "reason"), FORGED, ids=lambda value: str(value)[:20]
)
def test_a_forged_certificate_is_refused(
    run: Run, key: str, value: Any, reason: str
) -> None:
    searched(run, *ALL)
    code, out, said = forged(run, {key: value})
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")
    assert reason in out


@pytest.mark.parametrize(
    "change",
    [
        {"blocks": [-1, -1]},
        {"blocks": [999, 0]},
        {"blocks": None},
        {"part": 99},
        {"rows": 5},
        {"rule": "x"},
    ],
)
def test_a_forged_violation_is_refused(run: Run, change: dict[str, Any]) -> None:
    searched(run, *ALL)
    first, *others = json.loads(Path("proof.json").read_text(encoding="utf-8"))[
        "clauses"
    ]
    code, out, said = forged(run, {"clauses": [first | change, *others]})
    assert (code, said) == (1, "")
    assert out.splitlines()[-1].startswith("REFUSED: ")


def forged(run: Run, change: dict[str, Any]) -> Shown:
    """The certificate with something changed and a digest that fits."""
    content = json.loads(Path("proof.json").read_text(encoding="utf-8")) | change
    del content["digest"]
    Path("forged.json").write_text(
        json.dumps({**content, "digest": digest(content)}), encoding="utf-8"
    )
    return checked(run, "forged.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"kind": "phverify certif', "is no JSON"),
        ("", "is no JSON"),
        ("[]", "is no certificate"),
        ("{}", "phverify search --certificate FILE writes one"),
        (TABLE, "is no JSON"),
    ],
)
def test_what_is_no_certificate(run: Run, content: str, message: str) -> None:
    Path("proof.json").write_text(content, encoding="utf-8")
    code, out, said = checked(run)
    assert (code, out) == (2, "")
    assert message in said


def test_files_that_are_not_there(run: Run) -> None:
    assert "this is a directory, not a file" in checked(run, ".")[2]
    code, out, said = checked(run, "prof.json")
    assert (code, out) == (2, "")
    assert "prof.json: there is no such file" in said
    searched(run, *ALL)
    code, out, said = checked(run, table="tabel.csv")
    assert (code, out) == (2, "")
    assert "tabel.csv: there is no such file\n    did you mean 'table.csv'" in said


def test_ctrl_c_still_interrupts_after_cp_sat(run: Run) -> None:
    code = (
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from phverify.constraints.hitting import HittingSet,"
        " none_cheaper\nfrom phverify.constraints.solver import"
        " Deadline\nnone_cheaper(HittingSet((1, 1), [(1, 2)]), 1, 'CP-SAT',"
        " Deadline())\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept"
        " KeyboardInterrupt:\n    print('caught')\n"
    )
    pytest.importorskip("ortools")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "caught\n"


def test_a_hierarchy_is_never_overwritten(run: Run) -> None:
    Path("zip.csv").write_text("\n".join(LINES), encoding="utf-8")
    policy(hierarchies='age = {intervals = [10]}\nzip = "zip.csv"\n')
    assert searched(run, "--output", "zip.csv")[0] == 2


def test_a_misspelt_identifier_publishes_no_names(run: Run) -> None:
    policy(columns=COLUMNS.replace('"person"', '"persn"'))
    assert searched(run, "--output", "out.csv")[0] == 2
    assert files() == set()


@pytest.mark.parametrize("weights", ["age=0", "zip=0"])
def test_nothing_is_generalized_for_nothing(run: Run, weights: str) -> None:
    searched(run, "--weights", weights, "--all-minimal", "--json", "all.json")
    searched(run, "--weights", weights, "--json", "one.json")
    found, one = (
        json.loads(Path(name).read_text(encoding="utf-8"))
        for name in ("all.json", "one.json")
    )
    assert one["levels"] in found["minimal"]


def test_numbers_of_individuals_are_those_of_the_input(run: Run) -> None:
    """Individual i4 stays row 4 of the input when row 1 is withheld, and the user is
    told.
    """
    rows = (
        "99,99999,flu\n"
        + "34,12045,flu\n34,12045,cold\n34,12045,flu\n"
        + "45,12111,gout\n" * 3
    )
    Path("table.csv").write_text(f"age,zip,illness\n{rows}", encoding="utf-8")
    columns = '[columns]\nquasi = ["age", "zip"]\nsensitive = ["illness"]\n'
    policy(
        'a = "k_anonymity(2)"\nb = "@i4 l_a1(illness = gout) <= 0"\n', columns=columns
    )
    code, out, _ = searched(run, "--suppress", "0.15", "--output", "out.csv")
    assert code == 0
    assert (
        "warning: the policy names individuals by the input: records are withheld"
        in out
    )
    assert Path("out.csv").read_text(encoding="utf-8").count("34,12045") == 3


def test_a_weight_given_twice(run: Run) -> None:
    assert searched(run, "--weights", "age=2,age=3")[0] == 2


@pytest.mark.parametrize(
    "change", [{"clauses": [1]}, {"weights": 3}, {"weights": {"age": None}}]
)
def test_certificates_of_the_wrong_shape(run: Run, change: dict[str, Any]) -> None:
    searched(run, *ALL)
    assert forged(run, change)[0] == 1


def test_an_order_that_the_policy_fixes(run: Run) -> None:
    """A shuffled release contradicts it, and so does a released file in another
    order.
    """
    text = Path("policy.toml").read_text(encoding="utf-8")
    Path("policy.toml").write_text(f'rows = "same order"\n{text}', encoding="utf-8")
    code, _, said = searched(run, "--shuffle", "5")
    assert code == 2 and 'the policy says rows = "same order"' in said
    assert searched(run, *ALL)[0] == 0
    check = ("check", "proof.json", "--table", "table.csv", "--release", "out.csv")
    code, out, _ = run(*check)
    assert code == 0 and "in the order of the table, as the policy says" in out
    head, *rows = Path("out.csv").read_text(encoding="utf-8").splitlines()
    Path("out.csv").write_text("\n".join([head, *rows[::-1]]) + "\n", encoding="utf-8")
    certificate = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    named = naming(certificate, release=Path("out.csv").read_bytes())
    Path("proof.json").write_text(json.dumps(named), encoding="utf-8")
    code, out, _ = run(*check)
    assert code == 1 and "in another order than the table" in out


def test_a_certificate_that_would_claim_nothing(run: Run) -> None:
    Path("release.csv").write_text(
        "age,zip,illness,note\n1,1,flu,a\n1,1,cold,b\n", encoding="utf-8"
    )
    policy('r = "never_known(@i1 illness = flu)"\n', hierarchies="")
    code, out, _ = run("verify", "release.csv", "--certificate", "proof.json")
    assert code == 0 and "certificates do not cover never_known" in out
    assert not Path("proof.json").exists()
