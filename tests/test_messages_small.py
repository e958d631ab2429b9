"""Messages that name the command at hand, exact thresholds, one hierarchy and several,
empty names.
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.report.risk_text import at_least

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
FILES = [
    str(HOSPITAL / "original.csv"),
    str(HOSPITAL / "release.csv"),
    "--policy",
    str(HOSPITAL / "policy.toml"),
]
COLUMNS = {"quasi": ["q"], "sensitive": ["s"]}
TABLE = pd.DataFrame({"q": ["a", "a"], "s": ["x", "y"]})


def policy(**rules: str) -> ph.Policy:
    return ph.Policy.from_dict({"columns": COLUMNS, "rules": rules})


def test_lint_is_called_lint() -> None:
    named = policy(ann="@'Ann' s = 'x'")
    with pytest.raises(ph.InputError, match=r"^lint: there is no identifier column"):
        ph.lint(named)
    with pytest.raises(ph.InputError, match=r"^compare: there is no identifier column"):
        ph.compare(named, "k_anonymity(2)")
    identified: dict[str, Any] = {**COLUMNS, "identifier": "who"}
    rules = {"two": "@'Ann' s = 'x' | @i2 s = 'x'"}
    mixed = ph.Policy.from_dict({"columns": identified, "rules": rules})
    with pytest.raises(ph.InputError, match=r"^lint: individuals are called in two"):
        ph.lint(mixed)


def test_lint_says_what_it_does_not_look_into() -> None:
    looks = policy(looks="q = 'a'")
    finding = next(one for one in ph.lint(looks).findings if one.kind == "open")
    assert finding.why.endswith("'q': lint does not look into this")
    reason = ph.compare(looks, "k_anonymity(2)").reason
    assert not reason or reason.endswith("compare does not look into this")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (Fraction(1, 20), ">= 0.05"),
        (Fraction(1, 3), ">= 1/3"),
        (Fraction(0), ">= 0"),
        (Fraction(1), ">= 1"),
        (Fraction(1, 10**200), ">= 1E-200"),
        (Fraction(123, 10**7), ">= 123/10000000"),
        (Fraction(1, 3**200), ">= ~3.765E-96"),
    ],
)
def test_thresholds_head_their_columns_as_they_are(bound: Fraction, said: str) -> None:
    assert at_least(bound) == said


def test_a_small_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reidentify", *FILES, "--threshold", "1e-200"]) == 0
    assert ">= 1E-200" in capsys.readouterr().out


@pytest.mark.parametrize("given", [",", "", "zip,", "zip,,birth"])
def test_empty_names_of_attackers(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reidentify", *FILES, "--attacker", given]) == 2
    said = capsys.readouterr().err
    assert f"--attacker: {given!r} holds an empty name" in said
    assert "for example: --attacker zip,birth, or --attacker a1" in said


def test_one_hierarchy_and_several(tmp_path: Path) -> None:
    for columns, said in [
        (["a"], "the hierarchy of a"),
        (["a", "b"], "hierarchies of"),
    ]:
        head = ",".join([*columns, "s"])
        width = len(columns)
        (tmp_path / "old.csv").write_text(f"{head}\n{'1,' * width}x\n{'2,' * width}y\n")
        (tmp_path / "new.csv").write_text(f"{head}\n{'1,' * width}y\n{'1,' * width}x\n")
        data = {
            "columns": {"quasi": columns, "sensitive": ["s"]},
            "hierarchies": dict.fromkeys(columns, "tree.csv"),
            "rules": {"one": "k_anonymity(1)"},
        }
        (tmp_path / "tree.csv").write_text("1,*\n2,*\n")
        with pytest.raises(ph.InputError, match=said):
            rules = ph.Policy.from_dict(data, tmp_path)
            ph.verify(tmp_path / "new.csv", rules, tmp_path / "old.csv")


ODD = 'age "in" years'


@pytest.mark.parametrize("name", ["job", "the job", ODD, "Größe", "a=b", "a\\b", ""])
def test_names_in_hints_are_written_as_toml_takes_them(name: str) -> None:
    table = pd.DataFrame({name: [1, 2], "s": ["x", "y"]})
    columns = {"quasi": [name], "sensitive": ["s"]}
    said = {"columns": columns, "types": {name: "integer"}, "rules": {}}
    with pytest.raises(ph.InputError, match="needs a hierarchy") as refused:
        ph.search(
            table, ph.Policy.from_dict({**said, "rules": {"k": "k_anonymity(2)"}})
        )
    (problem,) = refused.value.problems
    told, other = problem.hint.removeprefix("under [hierarchies]: ").split("; ")
    assert other == "--space intervals needs none"
    file, builder = told.split(", or a builder such as ")
    assert tomllib.loads(file) == {name: f"{name}.csv"}
    assert tomllib.loads(builder) == {name: {"intervals": [5, 10, 20]}}


def test_hints_for_other_sections_are_toml_too() -> None:
    loose = pd.DataFrame({"q": ["1"], "s": ["x"], ODD: ["y"]})
    plain = ph.Policy.from_dict({"columns": COLUMNS, "rules": {"k": "k_anonymity(1)"}})
    with pytest.raises(ph.InputError, match="has no role") as refused:
        ph.search(loose, plain)
    hint = refused.value.problems[0].hint.splitlines()[0]
    assert tomllib.loads(hint.partition(" under [columns]: ")[2]) == {"neutral": [ODD]}

    columns = {"quasi": [ODD], "sensitive": ["s"]}
    strict = {"columns": columns, "missing": "error", "rules": {"k": "k_anonymity(1)"}}
    table = pd.DataFrame({ODD: ["1", "2"], "s": ["x", "y"]})
    holes = pd.DataFrame({ODD: ["1", None], "s": ["x", "y"]})
    with pytest.raises(ph.InputError, match="is missing") as refused:
        ph.reidentify(table, holes, ph.Policy.from_dict(strict))
    hint = refused.value.problems[0].hint
    said = tomllib.loads(hint.partition("write [masking] ")[2])
    assert said == {ODD: {"suppressed": ["*", ""]}}


def test_hints_for_trees_of_columns_are_toml_too(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    pd.DataFrame({"who": ["a", "b"], ODD: ["x", "y"]}).to_csv(file, index=False)
    said = {
        "table": "people",
        "key": "who",
        "sensitive": {ODD: {"values": ["x", "y"]}},
        "protect": {"p": {"column": ODD}},
        "taxonomies": {ODD: 7},
    }
    with pytest.raises(ph.InputError, match="or nested tables, not 7") as refused:
        ph.audit(file, ["BEGIN"], said)
    (problem,) = refused.value.problems
    assert tomllib.loads(problem.hint.partition(", or ")[0]) == {ODD: f"{ODD}.csv"}


def test_a_column_without_a_name_may_be_an_index(tmp_path: Path) -> None:
    original, release = tmp_path / "original.csv", tmp_path / "release.csv"
    frame = pd.DataFrame({"age": ["1", "1"], "ill": ["x", "y"]})
    frame.to_csv(original, index=False)
    frame.to_csv(release)
    roles = {"columns": {"quasi": ["age"], "sensitive": ["ill"]}}
    asked = {**roles, "rules": {"k": "k_anonymity(2)"}}
    with pytest.raises(ph.InputError, match="'' has no name: it may be an index"):
        ph.search(release, asked)
    told = ph.compare_data(original, release, roles)
    assert "only the release has: ''" in told.notes


@pytest.mark.parametrize(
    "cell", ["03/1956", "3/1956", " 12/2001 ", "1956/03", "2020/1"]
)
@pytest.mark.parametrize(
    "builder",
    [{"intervals": [10]}, {"round": [10]}, {"at_most": 90, "intervals": [10]}],
)
def test_months_are_no_fractions(cell: str, builder: dict[str, Any]) -> None:
    table = pd.DataFrame({"born": [cell, "1/3"], "s": ["x", "y"]})
    columns = {"quasi": ["born"], "sensitive": ["s"]}
    rules = {"k": "k_anonymity(2)"}
    given = {"columns": columns, "hierarchies": {"born": builder}, "rules": rules}
    with pytest.raises(ph.InputError) as refused:
        ph.search(table, given)
    (problem,) = refused.value.problems
    assert problem.what == f"the value {cell!r} is a month of a year, and no number"
    assert "1956-03-01" in problem.hint
    # Fractions are numbers as before, with any years that are none.
    table["born"] = ["13/1956", "3/2500"]
    assert ph.search(table, given).verdict == "optimal"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--suppress", "2"], ["--suppress: is a share of the records"]),
        (
            ["--suppress", "2", "--space", "leves"],
            ["--space: unknown space 'leves'", "--suppress: is a share of the records"],
        ),
        (["--objective", "los"], ["--objective: unknown objective 'los'"]),
        (["--space", "tuples", "--cells", "7"], ["--cells: is a share of the cells"]),
        (["--space", "tuples", "--gap", "x"], ["--gap: is a number, not 'x'"]),
        (["--tradeoff", "k=2..3", "--suppress", "x"], ["--suppress: is a number"]),
        (
            ["--tradeoff", "k=2..3", "--space", "tuples", "--cells", "7"],
            ["--cells: is a share of the cells"],
        ),
    ],
)
def test_what_is_typed_is_told_before_what_is_in_the_policy(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    typed: list[str],
    said: list[str],
) -> None:
    rules = tmp_path / "policy.toml"
    rules.write_text('[columns]\nquasi = ["q"]\n[rules]\nr = "k_anonimity(2)"\n')
    table = tmp_path / "people.csv"
    table.write_text("q\n1\n1\n")
    assert main(["search", str(table), "--policy", str(rules), *typed]) == 2
    lines = capsys.readouterr().err.splitlines()
    told = [line for line in lines if line.startswith("phverify: ")]
    assert len(told) == len(said)
    for line, begun in zip(told, said, strict=True):
        assert line.startswith(f"phverify: {begun}")


def test_what_else_a_file_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("q,s\n1,x\n1,y\n")
    Path("policy.json").write_text('{"columns": {"quasi": ["q"]}}')
    assert main(["verify", "people.csv", "--policy", "policy.json"]) == 2
    assert "seems to be JSON, where a TOML file belongs" in capsys.readouterr().err
    columns = '[columns]\nquasi = ["q"]\nsensitive = ["s"]\n'
    rules = '[rules]\nk = "k_anonymity(2)"\n'
    Path("policy.toml").write_text(columns + rules)
    assert main(["check", "policy.toml"]) == 2
    assert "verify --certificate FILE" in capsys.readouterr().err
    # A file that is not there is told where it is named.
    Path("policy.toml").write_text(columns + '[hierarchies]\nq = "no.csv"\n' + rules)
    assert main(["verify", "people.csv", "--policy", "policy.toml"]) == 2
    told = "policy.toml, hierarchies.q: no.csv: there is no such file"
    assert told in capsys.readouterr().err
    assert main(["measure", "people.csv", "--quasi", "p"]) == 2
    assert "which the policy names in columns.quasi" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--suppress", "ten"], ["--suppress: is a number", "write 5% or 0.05"]),
        (["--suppress=ten"], ["--suppress: is a number", "write 5% or 0.05"]),
        (
            ["--suppress", "0,05"],
            ["--suppress: is a number", "write 0.05: decimals begin with a point"],
        ),
        (["--suppress", "2,5%"], ["--suppress: is a number", "write 2.5%: decimals"]),
        (["--sample", "ten"], ["--sample: is a number", "write 10% or 0.1"]),
        (["--seed", "3"], ["--seed: draws a sample", "which share is the sample"]),
        (["--weights", "q=x"], ["--weights, q: is a number, not 'x'"]),
        (["--weights", "q=1,5"], ["--weights: is column=weight, not '5'"]),
        (["--disjoint"], ["--disjoint: is about", "--space tuples --disjoint\n"]),
        (["--gap", "1%"], ["--gap: is about", "--space tuples --gap ..\n"]),
        (
            ["--charge-withheld", "--objective", "height"],
            ["--charge-withheld: a record that is withheld"],
        ),
    ],
)
def test_options_are_named_as_they_were_typed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: list[str],
    said: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("q,s\n1,x\n1,y\n")
    rule = ["--quasi", "q", "--sensitive", "s", "--rule", "k_anonymity(2)"]
    assert main(["search", "t.csv", *rule, *typed]) == 2
    told = capsys.readouterr().err
    for text in said:
        assert text in told


def test_a_file_that_is_called_like_an_option_is_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rule = ["--quasi", "q", "--rule", "k_anonymity(2)", "--suppress", "0.1"]
    assert main(["search", "suppress", *rule]) == 2
    assert capsys.readouterr().err.startswith("phverify: suppress: there is no such")


@pytest.mark.parametrize(
    ("level", "hint"),
    [
        ("1,1", "write 1.1: decimals begin with a point"),
        (",5", "write .5: decimals begin with a point"),
        ("1,000", "write 1000 if its comma separates thousands, or 1.000 if"),
        ("1,1,1", "write a sum of rationals and logarithms"),
        ("ten", "write a sum of rationals and logarithms"),
    ],
)
def test_levels_with_a_comma(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], level: str, hint: str
) -> None:
    table = tmp_path / "m.csv"
    table.write_text("input,x,y\na,3/4,1/4\nb,1/4,3/4\n")
    assert main(["mechanism", str(table), "--epsilon", level]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"phverify: --epsilon '{level}', character ")
    assert hint in told


@pytest.mark.parametrize("cell", ["03/1956", "1956/03"])
def test_months_where_dates_are_read(cell: str) -> None:
    table = pd.DataFrame({"born": [cell, "1956-03-01"], "s": ["x", "y"]})
    columns = {"quasi": ["born"], "sensitive": ["s"]}
    dates = {"born": {"dates": ["year"]}}
    rules = {"k": "k_anonymity(2)"}
    given = {"columns": columns, "hierarchies": dates, "rules": rules}
    with pytest.raises(ph.InputError) as refused:
        ph.search(table, given)
    (problem,) = refused.value.problems
    assert problem.what == f"the value {cell!r} is no date"
    assert problem.hint == "write the months as days, such as 1956-03-01"


@pytest.mark.parametrize(
    ("formula", "hint"),
    [
        ("l_a1(s = x) < 1,5", "write 1.5: decimals begin with a point"),
        ("l_a1(s = x) <= 0,12345", "write 0.12345: decimals begin with a point"),
        ("l_a1(s = x) < 1,500", "expected"),
        ("l_a1(s = x) < 1,", "expected"),
    ],
)
def test_decimal_commas_in_formulas(formula: str, hint: str) -> None:
    table = pd.DataFrame({"q": ["1", "1"], "s": ["x", "y"]})
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    with pytest.raises(ph.InputError) as refused:
        ph.verify(table, {"columns": columns, "rules": {"r": formula}})
    (problem,) = refused.value.problems
    assert "',' does not fit here" in problem.what
    assert problem.hint.splitlines()[-1].startswith(hint)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (["mechanism", "m.csv", "--xyzzy", "0.1"], ""),
        (
            ["search", "t.csv", "--epsilon=3"],
            "--epsilon is an option of phverify mechanism",
        ),
        (
            ["verify", "t.csv", "--suppress", "5%"],
            "--suppress is an option of phverify search",
        ),
        (
            ["search", "t.csv", "--original", "o.csv"],
            "--original is an option of phverify verify, measure, check",
        ),
        (["search", "t.csv", "--supress", "10%"], "did you mean '--suppress'?"),
        (["search", "t.csv", "--jsn=-"], "did you mean '--json'?"),
    ],
)
def test_options_that_are_nearly_right(
    capsys: pytest.CaptureFixture[str], typed: list[str], hint: str
) -> None:
    with pytest.raises(SystemExit):
        main(typed)
    *_, last = capsys.readouterr().err.splitlines()
    if hint:
        assert last == f"    {hint}"
    else:
        assert last.startswith("phverify: unrecognized arguments: --")


TYPED = {
    "integer": ("12", "{intervals = [5, 10, 20]}"),
    "decimal": ("1.5", "{intervals = [5, 10, 20]}"),
    "date": ("1956-03-23", '{dates = ["month", "year"]}'),
}


@pytest.mark.parametrize("kind", TYPED)
def test_a_typed_column_without_a_hierarchy_is_told_the_builder_of_its_type(
    kind: str, tmp_path: Path
) -> None:
    value, builder = TYPED[kind]
    (tmp_path / "q.csv").write_text(f"q,s\n{value},x\n{value},y\n")
    said = {"columns": COLUMNS, "types": {"q": kind}, "rules": {"k": "k_anonymity(2)"}}
    with pytest.raises(ph.InputError, match="a builder such as q") as refused:
        ph.search(tmp_path / "q.csv", ph.Policy.from_dict(said))
    (problem,) = refused.value.problems
    # Nobody typed a space, so none is blamed.
    assert problem.where == ph.Policy.from_dict(said).source
    assert builder in problem.hint
    # What is proposed instead does answer.
    found = ph.search(tmp_path / "q.csv", ph.Policy.from_dict(said), space="intervals")
    assert found.verdict == "optimal"


@pytest.mark.parametrize(
    ("rule", "number"),
    [
        ("t_closeness(s, 0,2)", "0.2"),
        ("t_closeness(s, 0,25, ordered)", "0.25"),
        ("beta_likeness(s, 1,5)", "1.5"),
        ("delta_disclosure(s, 1,5)", "1.5"),
        ("recursive_l_diversity(s, 0,5, 2)", "0.5"),
    ],
)
def test_a_decimal_comma_among_arguments_is_told(rule: str, number: str) -> None:
    with pytest.raises(ph.InputError, match=f"write {number} if .* is one number:"):
        ph.verify(TABLE, policy(one=rule))


def test_two_numbers_that_fit_are_two_numbers() -> None:
    result = ph.verify(TABLE, policy(one="recursive_l_diversity(s, 3, 2)"))
    assert result.verdict == "proved"
    with pytest.raises(ph.InputError, match=r"write l_diversity\(f, l\)"):
        ph.verify(TABLE, policy(one="l_diversity(s, 2, q)"))


def test_a_decimal_comma_among_weights_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    original, _, *said = FILES
    assert main(["search", original, *said, "--weights", "zip=1,5,birth=2"]) == 2
    assert "write 1.5: decimals begin with a point" in capsys.readouterr().err
    assert main(["search", original, *said, "--weights", "zip=2,birth"]) == 2
    assert "--weights age=2,zip=1/2" in capsys.readouterr().err


def test_lint_takes_its_policy_without_a_flag(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["lint", *FILES[2:]])
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "    the policy is written without '--policy' before it"
    # A word is no flag, whatever it ends with.
    with pytest.raises(SystemExit):
        main(["lint", FILES[3], "mypolicy"])
    assert "is written without" not in capsys.readouterr().err


def test_a_month_is_no_decimal() -> None:
    table = pd.DataFrame({"q": ["03/1956", "1/3"], "s": ["x", "y"]})
    said = {
        "columns": COLUMNS,
        "types": {"q": "decimal"},
        "rules": {"k": "k_anonymity(1)"},
    }
    with pytest.raises(ph.InputError, match="'03/1956' is no decimal value") as refused:
        ph.search(table, ph.Policy.from_dict(said), space="intervals")
    (problem,) = refused.value.problems
    assert problem.hint.startswith("write the months as days")
    assert ph.search(table.iloc[1:], ph.Policy.from_dict(said), space="intervals")


def test_a_decimal_comma_in_a_typed_column_is_told() -> None:
    table = pd.DataFrame({"q": ["0,5", "1"], "s": ["x", "y"]})
    said = {
        "columns": COLUMNS,
        "types": {"q": "decimal"},
        "rules": {"k": "k_anonymity(1)"},
    }
    with pytest.raises(ph.InputError, match=r"write 0\.5: decimals begin with a point"):
        ph.search(table, ph.Policy.from_dict(said), space="intervals")
