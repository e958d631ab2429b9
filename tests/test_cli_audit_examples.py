"""The packaged examples of ``phverify audit``, and tables as a whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import phverify
from phverify.cli import audit as cli_audit
from phverify.cli.main import main
from phverify.disclosure.histories.read import read_log

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

ROOT = Path(phverify.__file__).parents[1]


def test_demo_bank(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--demo", "bank"]) == 1
    out = capsys.readouterr().out
    assert (
        "the balance of Jean = 420 and balance of Jean >= 420 follow from queries 1"
        " and 4"
        in out
        or ("DISCLOSED by query 4: the balance of Jean = 420 and" in out)
    )
    assert "accounts.csv, accounts: 5 rows" in out


def test_demo_census(capsys: pytest.CaptureFixture[str]) -> None:
    """Garfinkel, Abowd and Martindale: the statistics have one solution, up to who is
    who.
    """
    assert main(["audit", "--demo", "census", "--ranges", "0"]) == 1
    out = capsys.readouterr().out
    block = re.search(r"determine all 7 rows:\n(.*?)\n    \d: SELECT", out, re.DOTALL)
    assert block
    rows = [tuple(line.split()) for line in block[1].splitlines()]
    assert rows == [
        ("age", "sex", "race", "marital_status"),
        ("8", "female", "black", "single"),
        ("18", "male", "white", "single"),
        ("24", "female", "white", "single"),
        ("30", "male", "white", "married"),
        ("36", "female", "black", "married"),
        ("66", "female", "black", "married"),
        ("84", "male", "black", "married"),
    ]
    assert "the only solution, up to which row is whose: CP-SAT and Z3 agree" in out
    assert "SAFE: 7 facts" in out


def test_the_published_statistics_of_the_census_block() -> None:
    """The seven of the paper: how many, median, mean (to one place)."""
    folder = ROOT / "phverify" / "examples" / "census"
    connection = duckdb.connect(":memory:")
    connection.execute(
        "CREATE TABLE people AS SELECT * FROM read_csv(?)", [str(folder / "people.csv")]
    )
    found = [
        connection.execute(s.text).fetchone()
        for s in read_log(folder / "queries.sql").statements
    ]
    published = [
        (7, 30, 38),
        (4, 30, 33.5),
        (3, 30, 44),
        (4, 51, 48.5),
        (3, 24, 24),
        (4, 51, 54),
        (3, 36, 36.7),
    ]
    assert [(row[0], row[1], round(row[2], 1)) for row in found] == published


def test_rows_with_equal_values_are_one_solution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows of one age may stand in any order; that is no other table."""
    (tmp_path / "t.csv").write_text(
        "id,age,sex\n1,30,f\n2,30,m\n3,40,f\n4,40,m\n", encoding="utf-8"
    )
    head = (
        'table = "t"\nkey = "id"\n[sensitive]\nage = { from = 0, to = 90 }\nsex = {'
        ' values = ["f", "m"] }\n'
    )
    (tmp_path / "a.toml").write_text(
        head + '[protect]\nc = { column = "sex" }\n', encoding="utf-8"
    )
    conditions = (
        "age = 30",
        "age = 40",
        "sex = 'f' AND age = 30",
        "sex = 'f' AND age = 40",
    )
    log = "".join(
        f"SELECT COUNT(*) FROM t WHERE {condition};\n" for condition in conditions
    )
    (tmp_path / "q.sql").write_text(log, encoding="utf-8")
    given = [
        "--database",
        str(tmp_path / "t.csv"),
        "--log",
        str(tmp_path / "q.sql"),
        "--policy",
        str(tmp_path / "a.toml"),
    ]
    assert main(["audit", *given, "--reconstruct", "--ranges", "0"]) == 1
    out = capsys.readouterr().out
    assert (
        "DISCLOSED as a whole: queries 1, 2, 3 and 4 determine all 4 rows:" in out
        and "SAFE: 4 facts" in out
    )


def test_demo_takes_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--demo", "bank", "--log", "x.sql"]) == 2
    assert "--demo: has files of its own" in capsys.readouterr().err
    assert main(["audit", "--demo", "cencus"]) == 2
    assert "did you mean 'census'?" in capsys.readouterr().err


def test_examples_have_all_their_files() -> None:
    for name, (table, said) in cli_audit.DEMOS.items():
        folder = ROOT / "phverify" / "examples" / name
        assert {p.name for p in folder.iterdir()} == {
            table,
            "queries.sql",
            "audit.toml",
        } and said
