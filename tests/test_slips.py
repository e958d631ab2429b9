"""What who writes a first policy gets wrong: TOML's quotes, columns of two words, and
people who are named where nobody is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.proposal.clues import clues, is_code

TABLE = "who,post code,ill\nAnn,10,flu\nBob,10,cold\nCem,20,flu\nDan,20,cold\n"
POLICY = """rows = "same order"
[columns]
quasi = ["post code"]
sensitive = ["ill"]
identifier = "who"

[types]
"post code" = "integer"

[rules]
k = "k_anonymity(2)"
"""
SLIPS = {
    "a formula without quotes": (
        ('k = "k_anonymity(2)"', "k = k_anonymity(2)  # at least"),
        "line 11, column 5: is no TOML: Invalid value",
        'stands in quotes: k = "k_anonymity(2)"',
    ),
    "a quantifier without quotes": (
        ('k = "k_anonymity(2)"', "k = forall v in ill: l_a1(ill = v) < 1"),
        "line 11, column 5: is no TOML: Invalid value",
        'stands in quotes: k = "forall v in ill: l_a1(ill = v) < 1"',
    ),
    "a type without quotes": (
        ('= "integer"', "= integer"),
        "line 8, column 15",
        'stands in quotes: "post code" = "integer"',
    ),
    "a quote that is not closed": (
        ('["ill"]', '["ill]'),
        "line 4, column 19: is no TOML: Illegal character",
        "a quote is opened in this line, and not closed",
    ),
    "a name of two words": (
        ('"post code" =', "post code ="),
        "line 8, column 6",
        "a name with spaces, signs or letters beyond a to z stands in quotes:"
        ' "post code" = ..',
    ),
    "a name with an umlaut": (
        ('"post code" =', "größe ="),
        "line 8, column 3",
        'stands in quotes: "größe" = ..',
    ),
    "a name that begins with an umlaut": (
        ('"post code" =', "Übung ="),
        "line 8, column 1: is no TOML: Invalid statement",
        'stands in quotes: "Übung" = ..',
    ),
    "a comma between columns": (
        ('["ill"]', '["ill" "who"]'),
        "line 4, column 20: is no TOML: Unclosed array",
        "a comma between two entries is missing, or the ] at the end",
    ),
    "a rule written twice": (
        ("[rules]\n", '[rules]\nk = "true"\n'),
        "line 12, column 21: is no TOML: Cannot overwrite a value",
        "the name stands above already, in the same section",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "original.csv").write_text(TABLE, encoding="utf-8")
    lines = [line.partition(",")[2] for line in TABLE.splitlines()]
    (tmp_path / "release.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problem(text: str) -> list[str]:
    """The lines of the only problem of a policy."""
    Path("policy.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.verify("release.csv", "policy.toml")
    (one,) = caught.value.problems
    return one.text().splitlines()


def test_the_policy_is_fine_as_it_is(folder: Path) -> None:
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    assert ph.verify("release.csv", "policy.toml").verdict == "proved"


@pytest.mark.parametrize("slip", SLIPS)
def test_what_is_no_toml_is_shown(folder: Path, slip: str) -> None:
    (before, after), place, hint = SLIPS[slip]
    text = POLICY.replace(before, after)
    said, line, caret, *hints = problem(text)
    assert said.startswith("policy.toml: ") and place in said
    number = int(said.split("line ")[1].split(",")[0])
    assert line.strip() == text.splitlines()[number - 1].strip()
    assert caret.strip() == "^"
    assert len(hints) == 1 and hints[0].endswith(hint)


def test_what_is_plain_needs_no_hint(folder: Path) -> None:
    for wrong in ("[rules", "k == 3", "k = 12x", "a.k = 12x", "k = [a]"):
        said, *picture = problem(POLICY.replace("[rules]", wrong))
        assert "is no TOML" in said
        assert len(picture) == 2, picture


def test_other_policies_have_their_line_shown(folder: Path) -> None:
    Path("audit.toml").write_text('table = "t"\nkey = name\n', encoding="utf-8")
    with pytest.raises(ph.InputError, match='stands in quotes: key = "name"'):
        ph.audit("original.csv", "SELECT 1", "audit.toml")
    Path("mechanism.toml").write_text("[mechanism]\ntable = a.csv\n", encoding="utf-8")
    with pytest.raises(ph.InputError, match=r'in quotes: table = "a\.csv"'):
        ph.mechanism("mechanism.toml")


@pytest.mark.parametrize("rule", ["l_diversity(post code, 2)", "post code = 10"])
def test_columns_of_two_words_stand_in_quotes(folder: Path, rule: str) -> None:
    said = problem(POLICY.replace("k_anonymity(2)", rule))
    assert said[-1] == "    the column stands in single quotes: 'post code'"


@pytest.mark.parametrize("rule", ["l_diversity('post code', 2", "'post code' = = 10"])
def test_where_they_do_nothing_is_said_of_quotes(folder: Path, rule: str) -> None:
    said = problem(POLICY.replace("k_anonymity(2)", rule))
    assert "quotes" not in said[-1]


def test_who_is_who_is_told_by_the_original(folder: Path) -> None:
    text = POLICY.replace("k_anonymity(2)", "@'Ann' ~[a1] ill = flu")
    said = problem(text)
    assert said[-1].endswith("; who is who by 'who' is told by --original")
    assert ph.verify("release.csv", "policy.toml", "original.csv").verdict == "proved"
    said = problem(text.replace('identifier = "who"\n', ""))
    assert said[-1].endswith("individuals are i1 to i4, records d1 to d4")


@pytest.mark.parametrize("name", ["Post code", "post_code", "PostCode", "ZIP code"])
def test_areas_of_two_words_are_seen(name: str) -> None:
    assert "quasi" in clues(name)
    assert is_code(name)


def test_a_table_where_a_policy_belongs(folder: Path) -> None:
    with pytest.raises(ph.InputError, match="seems to be a table, where a TOML file"):
        ph.lint("original.csv")
    with pytest.raises(ph.InputError, match="seems to be a table, where a TOML file"):
        ph.verify("policy.toml", "original.csv")


def test_a_mechanism_that_is_another_table(folder: Path) -> None:
    rows = [f"i{number},a,b\n" for number in range(100)]
    Path("table.csv").write_text("input,x,y\n" + "".join(rows), encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.mechanism("table.csv")
    *few, rest = caught.value.problems
    assert len(few) == 20
    assert rest.text() == "table.csv: 180 more things are wrong"


def test_roles_of_a_first_look_are_options(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    looked = ["--quasi", "post code", "--rule", "k_anonymity(2)"]
    assert main(["search", "original.csv", *looked]) == 2
    said = capsys.readouterr().err
    assert "or with options: --neutral who,ill, --identifier for" in said
    Path("policy.toml").write_text(POLICY.replace('"ill"', ""), encoding="utf-8")
    assert main(["search", "original.csv", "--policy", "policy.toml"]) == 2
    assert "with options" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "kind", [("0", "1"), ("2024-01-01", "2025-01-01"), ("1.5", "2")]
)
def test_a_proposal_can_be_searched(folder: Path, kind: tuple[str, str]) -> None:
    """Two numbers have no ranges between them: kept, or suppressed."""
    rows = [f"{kind[n % 2]},{n % 3},{n % 5}\n" for n in range(40)]
    Path("flags.csv").write_text("married,age,ill\n" + "".join(rows), encoding="utf-8")
    assert main(["init", "flags.csv", "--yes", "--output", "flags.toml"]) == 0
    assert main(["search", "flags.csv", "--policy", "flags.toml"]) == 0
    roles = ["--quasi", "married,age", "--sensitive", "ill", "--rule", "k_anonymity(3)"]
    assert main(["search", "flags.csv", *roles]) == 0


@pytest.mark.parametrize(
    ("row", "said", "hint"),
    [
        (
            '10,"flu',
            "unexpected end of data, in the row that begins in line 6",
            "opened",
        ),
        ('10,"5" pipe"', "in the row that begins in line 6", "written twice"),
    ],
)
def test_a_quote_that_spoils_a_table(
    folder: Path, row: str, said: str, hint: str
) -> None:
    lines = Path("release.csv").read_text(encoding="utf-8")
    Path("release.csv").write_text(f"{lines}{row}\n", encoding="utf-8")
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    with pytest.raises(ph.InputError) as caught:
        ph.verify("release.csv", "policy.toml")
    (one,) = caught.value.problems
    assert said in one.what and hint in one.hint


def test_numbers_of_links_that_are_called_otherwise(folder: Path) -> None:
    """Without them each link would count as certain."""
    links = "record,original,{}\nd1,Ann,0.75\nd1,Bob,1/4\nd2,Bob,1\n"
    files = ("original.csv", "release.csv")
    policy = ph.Policy.from_dict(
        {
            "rows": "same order",
            "columns": {"quasi": ["post code"], "identifier": "who"},
            "rules": {"r": "true"},
        }
    )

    def judged(name: str, **more: Any) -> str:
        Path("links.csv").write_text(links.format(name), encoding="utf-8")
        return str(ph.reidentify(*files, policy, method="links.csv", **more).verdict)

    read = judged("probability")
    for name in ("prob", "p", "Probability"):
        with pytest.raises(ph.InputError, match=f"'{name}' holds numbers, and no") as e:
            judged(name)
        assert f"--columns record,original,{name} reads" in e.value.problems[0].hint
        assert judged(name, columns={"probability": name}) == read
    whole = "record,original,age\nd1,Ann,30\nd2,Bob,31\n"
    Path("links.csv").write_text(whole, encoding="utf-8")
    assert ph.reidentify(*files, policy, method="links.csv").verdict == "sound"


@pytest.mark.parametrize(
    "rule", ["k_anonymity 2", "k_anonymity = 2", "k_anonymity[2]", "~k_anonymity"]
)
def test_criteria_without_parentheses(folder: Path, rule: str) -> None:
    said = problem(POLICY.replace("k_anonymity(2)", rule))
    assert said[-1] == "    write k_anonymity(k)"


def test_a_number_where_a_column_belongs() -> None:
    columns = {"quasi": ["zip"], "sensitive": ["ill"]}
    policy = {"columns": columns, "rules": {"l": "l_diversity(2, ill)"}}
    with pytest.raises(ph.InputError) as caught:
        ph.lint(policy)
    said = caught.value.problems[0].text()
    assert "f of l_diversity is a column, not '2'" in said
    assert said.endswith("write l_diversity(f, l)")


def test_a_release_where_the_original_belongs() -> None:
    policy = {
        "columns": {"quasi": ["age"]},
        "hierarchies": {"age": {"intervals": [5]}},
        "rules": {"k": "k_anonymity(1)"},
    }
    release = pd.DataFrame({"age": ["*", "*"]})
    original = pd.DataFrame({"age": ["21", "22"]})
    for exchanged in (
        lambda: ph.compare_data(release, original, policy),
        lambda: ph.search(release, policy),
    ):
        with pytest.raises(
            ph.InputError, match="the table before sanitization belongs"
        ):
            exchanged()
