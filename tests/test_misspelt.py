"""A misspelt column of a policy is the one problem that is told, whatever else in the
policy names the right one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.cli.main import main

ROWS = "Ann,34,12045,flu\nBob,36,12045,cold\nCid,47,12111,flu\nDee,45,12111,gout\n"
TABLE = f"person,age,zip,illness\n{ROWS}"
POLICY = """[columns]
quasi = ["age", "zip"]
sensitive = ["illness"]
identifier = "person"
[types]
age = "integer"
illness = ["cold", "flu", "gout"]
[hierarchies]
age = {intervals = [10, 20]}
zip = {masking = "right"}
[agents]
insurer = ["zip"]
[masking]
age = {suppressed = ["?"]}
[secrets]
"*" = ["illness = gout"]
[rules]
small = "k_anonymity(2)"
diverse = "l_diversity(illness, 2)"
safe = "logical_safety()"
known = "~[insurer] illness >= flu"
"""
MISSPELT = [
    ('quasi = ["age"', 'quasi = ["agee"', "agee", "age"),
    ('quasi = ["age"', 'quasi = ["Age"', "Age", "age"),
    ('quasi = ["age"', 'quasi = ["AGE"', "AGE", "age"),
    ('quasi = ["age"', 'quasi = [" age"', " age", "age"),
    ('"zip"]\ns', '"zipcode"]\ns', "zipcode", "zip"),
    ('"zip"]\ns', '"postcode"]\ns', "postcode", "zip"),
    ('sensitive = ["illness"]', 'sensitive = ["ilness"]', "ilness", "illness"),
    ('sensitive = ["illness"]', 'sensitive = ["disease"]', "disease", "illness"),
]
VERBS = {
    "verify": ["verify", "table.csv"],
    "search": ["search", "table.csv", "--weights", "age=2"],
    "lint": ["lint", "policy.toml", "--table", "table.csv"],
    "compare-data": ["compare-data", "table.csv", "table.csv"],
    "reidentify": ["reidentify", "table.csv", "table.csv"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path


def misspelt(right: str, wrong: str) -> None:
    assert POLICY.count(right) == 1
    Path("policy.toml").write_text(POLICY.replace(right, wrong), encoding="utf-8")


def complaint(verb: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a verb complains of, as one text."""
    policy = [] if verb == "lint" else ["--policy", "policy.toml"]
    assert main([*VERBS[verb], *policy]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    return str(said)


@pytest.mark.parametrize("verb", VERBS)
def test_the_policy_is_fine_as_it_is(verb: str) -> None:
    assert main(
        [*VERBS[verb], *([] if verb == "lint" else ["--policy", "policy.toml"])]
    ) in (0, 1)


@pytest.mark.parametrize(("right", "wrong", "name", "meant"), MISSPELT)
@pytest.mark.parametrize("verb", VERBS)
def test_one_problem_and_the_right_name(
    verb: str,
    right: str,
    wrong: str,
    name: str,
    meant: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    misspelt(right, wrong)
    said = complaint(verb, capsys)
    assert said.count("phverify: ") == 1, said
    assert (
        f"table.csv: there is no column {name!r}, which policy.toml names in columns."
        in said
    )
    assert said.endswith(f"did you mean {meant!r}?\n")


@pytest.mark.parametrize("verb", VERBS)
def test_two_misspelt_columns_are_two_problems(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    misspelt('quasi = ["age", "zip"]', 'quasi = ["agee", "zp"]')
    said = complaint(verb, capsys)
    assert said.count("phverify: ") == 2, said
    assert "did you mean 'age'?" in said
    assert "did you mean 'zip'?" in said


@pytest.mark.parametrize("verb", VERBS)
def test_other_problems_are_told_beside_it(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = POLICY.replace('quasi = ["age"', 'quasi = ["agee"').replace(
        'zip = {masking = "right"}', 'zp = "no.csv"'
    )
    Path("policy.toml").write_text(text, encoding="utf-8")
    said = complaint(verb, capsys)
    assert said.count("phverify: ") == 2, said
    assert "there is no column 'agee'" in said
    assert (
        "hierarchies.zp: no role names the column 'zp'\n    did you mean 'zip'" in said
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_name_that_is_no_columns_at_all(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is guessed where several columns could be meant: then the columns are
    listed.
    """
    misspelt('quasi = ["age", "zip"]', 'quasi = ["x", "y"]')
    said = complaint(verb, capsys)
    assert "there is no column 'x'" in said
    assert "'age', 'zip'" in said


def test_a_misspelling_elsewhere_is_blamed_where_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    misspelt('[types]\nage = "integer"', '[types]\nagee = "integer"')
    said = complaint("search", capsys)
    assert said.count("phverify: ") == 1, said
    assert "types.agee: no role names the column 'agee'\n    did you mean 'age'" in said


def test_without_a_table_both_spellings_are_named() -> None:
    misspelt('quasi = ["age"', 'quasi = ["agee"')
    with pytest.raises(ph.InputError) as error:
        ph.Policy.load("policy.toml")
    said = error.value.problems[0].text()
    assert "policy.toml, types.age: no role names the column 'age'" in said
    assert "did you mean 'agee', or is that misspelt in [columns]?" in said


@pytest.mark.parametrize("identifier", ["persn", "PERSON"])
def test_a_misspelt_identifier_beside_a_misspelt_column(
    identifier: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = POLICY.replace('"person"', f'"{identifier}"').replace(
        'quasi = ["age"', 'quasi = ["agee"'
    )
    Path("policy.toml").write_text(text, encoding="utf-8")
    said = complaint("search", capsys)
    assert said.count("phverify: ") == 2, said
    assert "did you mean 'age'?" in said
    assert "did you mean 'person'?" in said


def test_from_python(folder: Path) -> None:
    """The same when the policy, its weights and hierarchies are given in memory."""
    misspelt('[types]\nage = "integer"\n', "[types]\n")
    text = (
        Path("policy.toml")
        .read_text(encoding="utf-8")
        .replace("age = {intervals = [10, 20]}\n", "")
    )
    text = text.replace('[masking]\nage = {suppressed = ["?"]}\n', "")
    Path("policy.toml").write_text(
        text.replace('quasi = ["age"', 'quasi = ["agee"'), encoding="utf-8"
    )
    policy = ph.Policy.load("policy.toml")
    with pytest.raises(ph.InputError) as error:
        ph.search("table.csv", policy, {"age": "age.csv"}, weights={"age": 2})
    assert [problem.hint for problem in error.value.problems] == ["did you mean 'age'?"]


EDITS = ("left out", "doubled", "put in", "replaced", "capital")


@so_many(30)
@given(
    st.sampled_from(["age", "zip", "illness"]),
    st.sampled_from(EDITS),
    st.integers(0, 6),
    st.sampled_from("aexz_ "),
)
def test_any_slip_in_a_name(name: str, edit: str, place: int, letter: str) -> None:
    """One letter wrong in the name of a column with a role: one problem, and the right
    name.
    """
    k = place % len(name)
    new = {
        "left out": "",
        "doubled": name[k] * 2,
        "put in": name[k] + letter,
        "replaced": letter,
    }
    wrong = name[:k] + new.get(edit, name[k].upper()) + name[k + 1 :]
    assume(wrong not in ("age", "zip", "illness"))
    roles, types, rest = POLICY.partition("[types]")
    text = roles.replace(f'"{name}"', f'"{wrong}"') + types + rest
    with tempfile.TemporaryDirectory() as folder:
        policy, table = Path(folder) / "policy.toml", Path(folder) / "table.csv"
        policy.write_text(text, encoding="utf-8")
        table.write_text(TABLE, encoding="utf-8")
        for verb in (ph.verify, ph.search):
            with pytest.raises(ph.InputError) as error:
                verb(table, policy)
            assert [problem.hint for problem in error.value.problems] == [
                f"did you mean {name!r}?"
            ]
