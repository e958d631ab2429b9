"""What gates hear beside verdicts: identifiers, warnings, runs without an answer; and
what they never tell: values and people.
"""

from __future__ import annotations

import json
import pickle
import re
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.policy.rule_lines import rule_lines

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
POLICY = HOSPITAL / "policy.toml"
HEAD = '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\nidentifier = "name"\n'
TABLE = "zip,ill\n1,flu\n1,cold\n"
NAMED = "name,zip,ill\nJean,1,flu\nAnn,1,cold\n"
GATES = ("--junit", "out.xml", "--sarif", "out.sarif")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("k_anonymity(2)")
    Path("release.csv").write_text(TABLE)
    return tmp_path


def write(*rules: str, more: str = "", name: str = "policy.toml") -> None:
    lines = [f'rule{number} = "{rule}"\n' for number, rule in enumerate(rules, 1)]
    Path(name).write_text(HEAD + more + "[rules]\n" + "".join(lines), encoding="utf-8")


def verified(release: str = "release.csv", policy: str = "policy.toml") -> int:
    return main(["verify", release, "--policy", policy, *GATES])


def suite() -> Any:
    return ElementTree.parse("out.xml").getroot()[0]


def run() -> Any:
    return json.loads(Path("out.sarif").read_text(encoding="utf-8"))["runs"][0]


def prints() -> list[str]:
    return [one["partialFingerprints"]["phverify/v1"] for one in run()["results"]]


def test_a_release_that_names_everybody_does_not_pass(folder: Path) -> None:
    Path("release.csv").write_text(NAMED)
    assert main(["verify", "release.csv", "--policy", "policy.toml"]) == 0
    assert verified() == 1
    assert suite().get("failures") == "1"
    found = {one["ruleId"]: one["level"] for one in run()["results"]}
    assert found == {"verify/identifier": "error", "verify/warning": "note"}
    with pytest.raises(ph.NotProved, match="identifier column 'name'") as caught:
        ph.check_frame("release.csv", "policy.toml")
    assert caught.value.report.verdict == "proved"


def test_warnings_are_told_without_the_values_they_list(folder: Path) -> None:
    Path("release.csv").write_text("zip,ill,more\n1,flu,x\n1,FLU,x\n1,cold,x\n")
    assert verified() == 0
    said = suite().find("system-out").text
    assert "no role for 'more'" in said and "look alike" in said
    assert "flu" not in said.lower()
    notes = [one["message"]["text"] for one in run()["results"]]
    assert [f"warning: {one}" for one in notes] == said.split("\n")
    assert {one["level"] for one in run()["results"]} == {"note"}


@pytest.mark.parametrize("broken", ["policy.toml", "release.csv"])
def test_an_old_answer_is_not_taken_for_a_new_one(folder: Path, broken: str) -> None:
    assert verified() == 0
    Path(broken).write_text("zip\n")
    assert verified() == 2
    assert (suite().get("failures"), suite().get("errors")) == ("0", "1")
    assert run()["invocations"] == [{"executionSuccessful": False}]
    assert [one["level"] for one in run()["results"]] == ["error"]


def test_a_defect_leaves_no_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    assert verified() == 0
    monkeypatch.setattr("phverify.cli.verify.verify", fails)
    assert verified() == 4
    assert suite().get("errors") == "1"
    assert "secret" not in Path("out.xml").read_text()


def test_files_of_others_are_never_lost(folder: Path) -> None:
    """A file that is no gate's own stays, and so does what is read."""
    write("k_anonimity(2)")
    Path("out.xml").write_text("<mine/>")
    assert verified() == 2
    assert Path("out.xml").read_text() == "<mine/>"
    given = ["verify", "release.csv", "--policy", "policy.toml"]
    assert main([*given, "--junit", "release.csv"]) == 2
    assert Path("release.csv").read_text() == TABLE


def test_runs_about_other_files_are_other_runs(folder: Path) -> None:
    ids, told = set(), set()
    write("k_anonymity(3)")
    write("k_anonymity(3)", name="other.toml")
    Path("second.csv").write_text(TABLE)
    for release in ("release.csv", "second.csv"):
        for policy in ("policy.toml", "other.toml"):
            assert verified(release, policy) == 1
            ids.add(run()["automationDetails"]["id"])
            told.update(prints())
    assert len(ids) == len(told) == 4
    assert "phverify/verify/policy.toml/release.csv/" in ids


def test_fingerprints_follow_the_promise_and_no_path(folder: Path) -> None:
    write("k_anonymity(3)")
    verified()
    before = prints()
    verified(str(folder / "release.csv"), str(folder / "policy.toml"))
    assert prints() == before
    verified("./release.csv", "./policy.toml")
    assert prints() == before
    write("k_anonymity(4)")
    verified()
    assert prints() != before


PERSONAL = (
    "[secrets]\nJean = [\"ill = 'flu'\", \"ill = 'cold'\"]\nAnn = \"ill = 'flu'\"\n"
)


def test_lint_names_no_person(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("k_anonymity(2)", more=PERSONAL)
    assert main(["lint", "policy.toml", *GATES]) == 1
    told = Path("out.xml").read_text() + Path("out.sarif").read_text()
    assert "Jean" not in told and "flu" not in told
    assert "a personal secret, number 1" in told
    found = [one for one in run()["results"] if one["ruleId"] == "lint/unprotected"]
    assert len(found) == 3
    places = [one["locations"][0]["physicalLocation"] for one in found]
    assert [place["region"]["startLine"] for place in places] == [6, 6, 7]
    assert len(set(prints())) == len(prints())
    assert "Jean" in capsys.readouterr().out
    Path("table.csv").write_text(NAMED)
    given = ["lint", "policy.toml", "--redact", "--table", "table.csv"]
    for more in ([], ["--json", "-"]):
        assert main([*given, *more]) == 1
        said = "".join(capsys.readouterr())
        assert "a personal secret, number 1" in said
        for hidden in ("Jean", "Ann", "flu", "cold"):
            assert hidden not in said


def test_errors_name_no_person(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("k_anonymity(2)", more="[secrets]\nPJEANX = \"il = 'flu'\"\n")
    for given in (
        ["lint", "policy.toml"],
        ["verify", "release.csv", "--policy", "policy.toml"],
    ):
        assert main([*given, "--redact"]) == 2
        said = capsys.readouterr().err
        assert "secrets.(hidden)" in said and "PJEANX" not in said


def test_check_frame_hides_classes_and_what_errors_quote(folder: Path) -> None:
    broken = HOSPITAL / "release.csv"
    with pytest.raises(ph.NotProved) as caught:
        ph.check_frame(broken, POLICY)
    said = str(caught.value)
    assert "class: that of d3 (2 rows)" in said and "10***" not in said
    with pytest.raises(ph.NotProved, match=re.escape("10***")):
        ph.check_frame(broken, POLICY, redact=False)
    frame = pd.DataFrame({"zip": ["1", "1"], "ill": ["KURU", "x"]})
    policy = {"columns": {"quasi": ["zip"], "sensitive": ["ill"]}}
    policy["types"] = {"ill": "integer"}
    policy["rules"] = {"a": "k_anonymity(2)"}  # type: ignore[dict-item]
    with pytest.raises(ph.InputError, match="KURU"):
        ph.check_frame(frame, policy, redact=False)
    with pytest.raises(ph.InputError) as wrong:
        ph.check_frame(frame, policy)
    assert "KURU" not in str(wrong.value)


def test_what_is_not_proved_goes_from_process_to_process() -> None:
    with pytest.raises(ph.NotProved) as caught:
        ph.check_frame(HOSPITAL / "release.csv", POLICY)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.report.verdict == "refuted"


@pytest.mark.parametrize(
    "given", [{"head": 2}, {"tail": 2}, {"sample": 2, "random_state": 1}]
)
def test_a_sample_does_not_pass_as_the_whole(given: dict[str, int]) -> None:
    pandera = pytest.importorskip("pandera.pandas")
    frame = pd.read_csv(HOSPITAL / "repaired.csv", dtype=str)
    schema = pandera.DataFrameSchema(checks=ph.pandera_check(POLICY))
    with pytest.raises(pandera.errors.SchemaError, match="sample"):
        schema.validate(frame, **given)


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("k_anonymity(3)", "verify/k_anonymity"),
        ("~k_anonymity(2)", "verify/formula"),
        ("k_anonymity(3) | (k_anonymity(4))", "verify/formula"),
        ("l_diversity(ill, 3)", "verify/l_diversity"),
    ],
)
def test_a_criterion_is_told_where_the_rule_is_one(
    folder: Path, rule: str, kind: str
) -> None:
    write(rule)
    assert verified() == 1
    assert [one["ruleId"] for one in run()["results"]] == [kind]


@pytest.mark.parametrize("mark", ["\ufffe", "\uffff"])
def test_names_with_noncharacters_are_told(folder: Path, mark: str) -> None:
    Path("policy.toml").write_text(f"{HEAD}[rules]\n'a{mark}b' = 'k_anonymity(3)'\n")
    assert verified() == 1
    assert suite()[0].get("name") == f"a\\u{ord(mark):04x}b"


def test_file_names_that_are_no_text_are_told(folder: Path) -> None:
    name = b"r\xff.csv".decode("utf-8", "surrogateescape")
    try:
        Path(name).write_text(TABLE)
    except OSError:
        pytest.skip("no such names here")
    write("k_anonymity(3)")
    assert verified(name) == 1
    assert "r\\udcff.csv" in suite().get("name")
    given = ["verify", name, "--quasi", "zip", "--rule", "k_anonymity(3)"]
    assert main([*given, *GATES, "--json", "out.json"]) == 1
    uri = run()["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri["uri"] == "r%FF.csv"


def test_lines_end_where_toml_ends_them() -> None:
    text = "# \u2028 \x85 \x0c\n[columns]\nquasi = ['zip']\r\n[rules]\r\na = 'x'\r\n"
    assert rule_lines(text.replace("\x0c", "")) == {"columns.zip": 3, "a": 5}


def test_lines_of_what_findings_are_about() -> None:
    text = (
        "rules.first = 'x'\n[secrets]\nJean = 'y'\n'*' = ['z']\n[agents]\nbob = ['zip']\n"
        "[rules]\nsecond = '''\n[rules]\nthird = 1'''\nfourth = 'x'\n"
    )
    assert rule_lines(text) == {
        "first": 1,
        "secrets": 2,
        "secrets.Jean": 3,
        "secrets.*": 4,
        "agents.bob": 6,
        "second": 8,
        "fourth": 11,
    }


def test_an_endless_entry_ends_the_search() -> None:
    text = "[rules]\na = 'x'\nb = '''\n" + "y\n" * 2010 + "'''\nc = 'x'\n"
    assert rule_lines(text) == {"a": 2}


def test_years_that_are_proved_together_are_not_proved(folder: Path) -> None:
    """The example of the guide: why each year is proved alone, too."""
    page = Path(__file__).parents[1] / "docs" / "howto" / "yearly.md"
    if not page.exists():
        pytest.skip("installed without docs")
    text = page.read_text(encoding="utf-8")
    shown = dict(re.findall(r"```(csv|toml)\n(.*?)```", text, re.DOTALL))
    policy = tomllib.loads(shown["toml"])
    joined = pd.read_csv(StringIO(shown["csv"]), dtype=str)
    assert ph.verify(joined, policy).verdict == "proved"
    for year in ("24", "25"):
        ill, rule = f"ill{year}", f"diverse{year}"
        there = joined.loc[joined[ill].notna(), ["zip", ill]]
        rules = {name: policy["rules"][name] for name in ("anonymous", rule)}
        alone = {"columns": {"quasi": ["zip"], "sensitive": [ill]}, "rules": rules}
        report = ph.verify(there, alone)
        assert [one.verdict for one in report.rules] == ["refuted", "refuted"]


def test_the_policy_of_the_guide_is_clean(folder: Path) -> None:
    page = Path(__file__).parents[1] / "docs" / "howto" / "policy.md"
    if not page.exists():
        pytest.skip("installed without docs")
    (shown,) = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    Path("shown.toml").write_text(shown, encoding="utf-8")
    assert ph.lint("shown.toml", HOSPITAL / "original.csv").verdict == "clean"
