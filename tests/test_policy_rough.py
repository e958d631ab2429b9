"""What a policy, a formula or a Python call gets wrong is said where it is wrong, once,
with what to write instead.
"""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.mechanisms.epsilon import epsilon
from phverify.mechanisms.mechanism import randomized_response, table
from phverify.spec.parser import parse
from phverify.spec.toml import toml

RELEASE = "zip,age,disease\n1*,3,flu\n1*,3,cold\n2*,4,flu\n2*,4,hiv\n"
ROLES = '[columns]\nquasi = ["zip", "age"]\nsensitive = ["disease"]\n'
RULES = '[rules]\na = "k_anonymity(2)"\n'
DATA = {
    "columns": {"quasi": ["zip", "age"], "sensitive": ["disease"]},
    "rules": {"a": "k_anonymity(2)"},
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a release, where commands run."""
    (tmp_path / "release.csv").write_text(RELEASE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What ``verify`` says of a policy that it refuses as bad input."""
    Path("policy.toml").write_text(text)
    assert main(["verify", "release.csv", "--policy", "policy.toml"]) == 2
    return capsys.readouterr().err


def problems(text: str, folder: Path) -> list[str]:
    (folder / "policy.toml").write_text(text)
    with pytest.raises(ph.InputError) as caught:
        ph.verify(folder / "release.csv", folder / "policy.toml")
    return [problem.text() for problem in caught.value.problems]


HEXADECIMAL = "0x" + "f" * 5000
SECRET = '[secrets]\ni1 = [{{formula = "disease = flu", weight = {}}}]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1e5000\n", "line 1: 1e5000 has more than 300 digits"),
        ("\nx = 1e-99999\n", "line 2: 1e-99999 has more than 300 digits"),
        (f"x = {'9' * 5000}\n", f"line 1: {'9' * 60}.. has more than 300 digits"),
        (f"x = {HEXADECIMAL}\n", "x has more than 300 digits"),
        (
            f"[hierarchies]\nage = {{ranges = {{width = {HEXADECIMAL}}}}}\n",
            "hierarchies.age.ranges.width has more than 300 digits",
        ),
        (f"[masking]\nage = {{noise = {HEXADECIMAL}}}\n", "masking.age.noise has more"),
        (f"x = {'[' * 5000}{']' * 5000}\n", "line 1 is nested more than 50 levels"),
        (f"\n\nx = {'{a=' * 900}1{'}' * 900}\n", "line 3 is nested more than 50"),
        (f"x = {'[' * 60}{']' * 60}\n", ".. is nested more than 50 levels deep"),
        (f"[masking]\n{'.'.join('a' * 5000)} = 1\n", "is nested more than 50 levels"),
    ],
)
def test_numbers_and_depths_that_no_policy_needs(
    desk: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    before = "" if text.startswith("[") else text
    after = text if text.startswith("[") else ""
    assert said in refused(before + ROLES + after + RULES, capsys)


def test_depth_is_counted_outside_quotes_and_comments() -> None:
    lines = ['a = "[[[["  # ]]]]', "b = '''", "[[['''", "c = " + "[" * 900 + "]" * 900]
    with pytest.raises(ValueError, match=r"^line 4 is nested"):
        toml("\n".join(lines))
    assert toml(f"x = {'[' * 40}{']' * 40}")["x"]


@pytest.mark.parametrize("weight", ["nan", "inf", "-inf", "+nan", "2", "true"])
def test_a_weight_is_a_share(
    desk: Path, capsys: pytest.CaptureFixture[str], weight: str
) -> None:
    said = refused(ROLES + SECRET.format(weight) + RULES, capsys)
    assert "policy.toml, secrets.i1: a weight is a number from 0 to 1, not" in said


@pytest.mark.parametrize("number", ["1e5000", "1e-5000", "9" * 5000, f"1/{'9' * 1001}"])
@pytest.mark.parametrize(
    "rule",
    [
        "t_closeness(disease, {})",
        "k_anonymity(k={})",
        "l_a1(disease = flu) <= {}",
        "{} * l_a1(disease = flu) <= 1",
        "exists c in clauses(disease, {}): c",
    ],
)
def test_numbers_in_rules_can_be_written(
    desk: Path, capsys: pytest.CaptureFixture[str], rule: str, number: str
) -> None:
    said = refused(f'{ROLES}[rules]\na = "{rule.format(number)}"\n', capsys)
    assert "has more than 1,000 digits" in said
    assert max(map(len, said.splitlines())) < 250


MISSPELT = [
    ('[columns]\nquasy = ["zip", "age"]\nsensitive = ["disease"]\n', "quasy", "quasi"),
    ('[columns]\nQuasi = ["zip", "age"]\nsensitive = ["disease"]\n', "Quasi", "quasi"),
    (
        '[columns]\nquasi_identifiers = ["zip", "age"]\nsensitive = ["disease"]\n',
        "quasi_identifiers",
        "quasi",
    ),
    (
        '[columns]\nquasi = ["zip", "age"]\nsensitiv = ["disease"]\n',
        "sensitiv",
        "sensitive",
    ),
]
DEPENDENT = """[types]
age = "integer"
[agents]
a2 = ["zip"]
[rules]
a = "k_anonymity(2) & l_diversity(disease, 2)"
b = "l_a2(disease = flu & zip = '1*') <= 1"
"""


@pytest.mark.parametrize(("columns", "role", "meant"), MISSPELT)
def test_nothing_follows_from_a_misspelt_role(
    desk: Path, columns: str, role: str, meant: str
) -> None:
    (said,) = problems(columns + DEPENDENT, desk)
    place = desk / "policy.toml"
    hint = f"did you mean {meant!r}?"
    assert said == f"{place}, columns.{role}: unknown role\n    {hint}"


def test_nothing_follows_from_a_role_that_is_like_none(desk: Path) -> None:
    said = problems(ROLES.replace("quasi", "qid") + DEPENDENT, desk)
    assert [one.splitlines()[0].split(", ")[1] for one in said] == [
        "columns.qid: unknown role"
    ]


@pytest.mark.parametrize(
    ("right", "wrong"), [("[columns]", "[colums]"), ("[rules]", "[rulez]")]
)
def test_nothing_follows_from_a_misspelt_section(
    desk: Path, right: str, wrong: str
) -> None:
    (said,) = problems((ROLES + DEPENDENT).replace(right, wrong), desk)
    assert f"unknown section {wrong}" in said
    assert f"did you mean {right[1:-1]!r}?" in said


@pytest.mark.parametrize(
    ("name", "role"),
    [("quasi", "quasi"), ("quasi_identifiers", "quasi"), ("sensitive", "sensitive")],
)
def test_a_role_outside_of_its_section(desk: Path, name: str, role: str) -> None:
    """It is read as the role that it is: nothing follows from it."""
    lines = {"quasi": '["zip", "age"]', "sensitive": '["disease"]'}
    outside = f"{name} = {lines.pop(role)}\n"
    inside = "".join(f"{other} = {listed}\n" for other, listed in lines.items())
    rules = RULES + 'l = "l_diversity(disease, 2)"\n'
    (said,) = problems(f"{outside}[columns]\n{inside}{rules}", desk)
    assert f"{name!r} stands outside of [columns]" in said
    assert said.endswith(f"write {role} = .. below [columns]")


@pytest.mark.parametrize(
    ("rule", "what", "hint"),
    [
        (
            "k_anonymity(0)",
            "k of k_anonymity must be >= 1, not 0",
            "write k_anonymity(k); from k = 2 on it asks for something",
        ),
        (
            "l_diversity(s, -1)",
            "l of l_diversity must be >= 1, not -1",
            "write l_diversity(f, l); from l = 2 on it asks for something",
        ),
        (
            "t_closeness(s, -1)",
            "t of t_closeness must be >= 0, not -1",
            "write t_closeness(f, t, distance=variational, reference=release)",
        ),
        (
            "k_anonymity",
            "k_anonymity is a criterion, and is written with parentheses",
            "write k_anonymity(k)",
        ),
        (
            "logical_safety",
            "logical_safety is a criterion, and is written with parentheses",
            "write logical_safety()",
        ),
    ],
)
def test_criteria_that_are_written_wrong(rule: str, what: str, hint: str) -> None:
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    given = {"columns": columns, "rules": {"r": rule}}
    table = pd.DataFrame({"q": ["1", "1"], "s": ["a", "b"]})
    with pytest.raises(ph.InputError) as refused:
        ph.verify(table, given)
    (problem,) = refused.value.problems
    assert what in problem.what
    assert problem.hint.endswith(hint)


def test_columns_where_a_policy_has_none() -> None:
    given = {"columns": {}, "rules": {"r": "l_diversity(ill, 2)"}}
    table = pd.DataFrame({"q": ["1", "1"], "ill": ["a", "b"]})
    with pytest.raises(ph.InputError, match="there are no columns of the policy"):
        ph.verify(table, given)


def test_other_problems_stay_beside_a_misspelt_role(desk: Path) -> None:
    said = problems(MISSPELT[0][0] + DEPENDENT.replace("age =", "ages ="), desk)
    assert ["unknown role" in one for one in said] == [True, False]
    assert "no role names the column 'ages'" in said[1]


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("disease = flu | exists e in disease: disease = e", 17, "exists"),
        ("disease = flu -> forall i: @i disease = flu", 18, "forall"),
        ("~∃ e in disease: disease = e", 2, "∃"),
        ("@d1 exists e in disease: disease = e", 5, "exists"),
        ("[a1] forall i, e in disease: i", 6, "forall"),
    ],
)
def test_a_quantifier_after_a_sign_needs_parentheses(
    text: str, column: int, word: str
) -> None:
    with pytest.raises(ph.InputError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    assert problem.what == f"line 1, column {column}: {word!r} needs parentheses here"
    assert f"write it in parentheses: ({word} .. : ..)" in problem.hint


@pytest.mark.parametrize(
    "text",
    [
        "disease = flu | (exists e in disease: disease = e)",
        "a = b & exists in {c}",
        "a = b | forall",
        "a = b & exists or c",
        "l_a1(exists e in disease: disease = e) <= 1",
    ],
)
def test_what_is_no_bare_quantifier(text: str) -> None:
    assert parse(text)


def test_many_problems_are_counted(desk: Path) -> None:
    rule = " | ".join(f"disease = w{k}" for k in range(20_000))
    said = problems(f'{ROLES}[rules]\na = "{rule}"\n', desk)
    assert len(said) == 101
    assert said[-1].endswith("rules.a: 19,900 more things are wrong")
    assert sum(map(len, said)) < 60_000


def test_the_picture_of_a_long_line_has_its_caret_below_the_place() -> None:
    text = "a = b | " * 500 + "? " + "| a = b" * 500
    with pytest.raises(ph.InputError) as caught:
        parse(text)
    line, caret = caught.value.problems[0].hint.splitlines()[:2]
    assert line[caret.index("^")] == "?"
    assert (line[:3], line[-3:]) == (".. ", " ..")


def test_a_policy_may_be_a_dictionary(desk: Path) -> None:
    assert ph.verify("release.csv", DATA).verdict == "proved"
    assert ph.lint(DATA)
    assert ph.compare(DATA, DATA)
    with pytest.raises(ph.InputError, match=r"expected a path, a Policy or a dict"):
        ph.verify("release.csv", 5)  # type: ignore[arg-type]
    with pytest.raises(ph.InputError, match=r"is a dictionary of sections, not None"):
        ph.Policy.from_dict(None)  # type: ignore[arg-type]


def test_a_budget_is_a_number(desk: Path) -> None:
    with pytest.raises(ph.InputError, match=r"not the text '5'\n.*budget=20 stops"):
        ph.verify("release.csv", DATA, budget="5")  # type: ignore[arg-type]


def test_frames_of_other_libraries_are_named_with_them(desk: Path) -> None:
    frame = type("DataFrame", (SimpleNamespace,), {"to_pandas": lambda self: None})
    frame.__module__ = "polars.dataframe.frame"
    said = r"this DataFrame of polars gives no table"
    with pytest.raises(ph.InputError, match=said):
        ph.verify(frame(columns=[], dtypes=[]), DATA)
    own = pd.read_csv(io.StringIO(RELEASE), dtype=str)
    assert ph.verify(own, DATA).verdict == "proved"


def test_mechanisms_take_no_floats() -> None:
    with pytest.raises(ph.InputError, match=r"use Fraction\('0.9'\)"):
        randomized_response((0, 1), 0.9)  # type: ignore[arg-type]
    with pytest.raises(ph.InputError, match=r"use Fraction\('0.9'\)"):
        randomized_response((0, 1), "0.9")  # type: ignore[arg-type]
    with pytest.raises(ph.InputError, match=r"no exact number"):
        table({0: {0: 0.5, 1: 0.5}})  # type: ignore[dict-item]
    with pytest.raises(ph.InputError, match=r"write it as a text: '1.1'"):
        epsilon(1.1)  # type: ignore[arg-type]


def test_counts_agree_with_what_they_count(desk: Path) -> None:
    assert "takes 1 argument, not 2" in "".join(
        problems(f'{ROLES}[rules]\na = "k_anonymity(2, 3)"\n', desk)
    )
    report = ph.verify("release.csv", {**DATA, "rules": {"a": "l_diversity(zip, 2)"}})
    assert " fail\n" in str(report)
    one = RELEASE.replace("cold", "flu")
    (desk / "one.csv").write_text(one)
    rules = {"a": "l_diversity(disease, 2)"}
    assert "1 class with 2 rows fails" in str(
        ph.verify("one.csv", {**DATA, "rules": rules})
    )
    (desk / "hole.csv").write_text(RELEASE.replace("hiv", ""))
    assert "1 cell of 'disease' is missing" in str(ph.verify("hole.csv", DATA))


def test_a_misspelt_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verfy", "release.csv"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("\n    did you mean 'verify'?\n")


@pytest.mark.parametrize(
    ("typed", "hints"),
    [
        (["t.csv", "--polcy", "p.toml"], ["did you mean '--policy'?"]),
        (["t.csv", "--ruel=k", "--bugdet", "3"], ["'--rule'?", "'--budget'?"]),
        (["t.csv", "p.toml"], ["is it the policy? --policy p.toml"]),
        (["t.csv", "--xyzzy", "u.csv"], []),
    ],
)
def test_what_a_verb_does_not_know(
    capsys: pytest.CaptureFixture[str], typed: list[str], hints: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", *typed])
    assert ended.value.code == 2
    usage, said = capsys.readouterr().err.split("phverify: ")
    assert usage.startswith("usage: phverify verify ")
    unknown, *meant = said.splitlines()
    assert unknown == f"unrecognized arguments: {' '.join(typed[1:])}"
    assert len(meant) == len(hints)
    for line, hint in zip(meant, hints, strict=True):
        assert line.startswith("    ") and line.endswith(hint)


AUDIT = {
    "table": "t",
    "key": "name",
    "sensitive": {"balance": {"from": 0, "to": 9}},
    "protect": {"cells": {"column": "balance"}},
}


def test_the_policy_of_another_verb(desk: Path) -> None:
    with pytest.raises(
        ph.InputError, match=r"is the policy of an audit.*\n.*audit take"
    ):
        ph.verify("release.csv", AUDIT)
    with pytest.raises(
        ph.InputError, match=r"is a policy for a table, not for an audit"
    ):
        ph.audit("release.csv", "SELECT 1", DATA)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{ colum = "balance" }',
            ["unknown entry 'colum'\n    did you mean 'column'?"],
        ),
        ("{ within = 3 }", ["names no column\n    sensitive: 'balance'"]),
        ("{}", ["names no column\n    sensitive: 'balance'"]),
    ],
)
def test_a_protected_fact_without_its_column(
    desk: Path, line: str, said: list[str]
) -> None:
    Path("audit.toml").write_text(
        'table = "t"\nkey = "name"\n[sensitive]\nbalance = { from = 0, to = 9 }\n'
        f"[protect]\ncells = {line}\n"
    )
    with pytest.raises(ph.InputError) as caught:
        ph.audit("release.csv", "SELECT 1", "audit.toml")
    problems = [problem.text() for problem in caught.value.problems]
    assert problems == [f"audit.toml, protect.cells: {one}" for one in said]


def test_files_of_an_audit_without_their_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["audit", "bank.duckdb", "queries.sql"])
    said = capsys.readouterr().err.splitlines()
    assert said[-2:] == [
        "    is it the database? --database bank.duckdb",
        "    is it the log? --log queries.sql",
    ]
