"""``--junit`` and ``--sarif``: what servers of continuous integration are told, held to
the schemas of both formats.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify
from phverify.cli.main import main
from phverify.policy.rule_lines import rule_lines

HOSPITAL = Path(phverify.__file__).parent / "examples" / "hospital"
SCHEMAS = Path(__file__).parents[1] / ".venv" / "schemas"
pytestmark = pytest.mark.skipif(
    not SCHEMAS.exists(), reason="no schemas: make .venv/ready-test"
)
SECRET = "Kuru & <b>]]>"
POLICY = """
[columns]
quasi = ["zip"]
sensitive = ["ill"]

[rules]
anonymous = "k_anonymity(2)"
# never certain
"nobody is known" = '''
~[a1]
  ill = '{secret}'
'''
"a <b> & \\u001b" = "k_anonymity(9)"
"""
TABLE = "zip,ill\n1,{secret}\n1,{secret}\n2,flu\n2,cold\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    policy = POLICY.format(secret=SECRET)
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    (tmp_path / "my release.csv").write_text(TABLE.format(secret=SECRET))
    return tmp_path


def junit(path: Path) -> Any:
    schema = xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")
    schema.validate(path)
    return ElementTree.parse(path).getroot()


def sarif(path: Path) -> Any:
    data = json.loads(path.read_text(encoding="utf-8"))
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text("utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(data)
    return data["runs"][0]


def verified(*more: str) -> int:
    files = ("--junit", "out.xml", "--sarif", "out.sarif")
    return main(["verify", "my release.csv", *more, *files])


def test_rules_that_are_not_proved_are_told_at_their_lines(folder: Path) -> None:
    assert verified("--policy", "policy.toml") == 1
    suite = junit(folder / "out.xml")[0]
    names = [case.get("name") for case in suite]
    assert names == ["anonymous", "nobody is known", "a <b> & \\x1b"]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == names[1:]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")

    run = sarif(folder / "out.sarif")
    results = run["results"]
    assert [one["ruleId"] for one in results] == [
        "verify/formula",
        "verify/k_anonymity",
    ]
    assert [one["level"] for one in results] == ["error", "error"]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    lines = (folder / "policy.toml").read_text(encoding="utf-8").split("\n")
    begins = [lines[place["region"]["startLine"] - 1] for place in places]
    # A comment belongs to what stands below it.
    assert begins[0].startswith(('"nobody is known"', "# never certain"))
    assert begins[1].startswith('"a <b>')
    assert {place["artifactLocation"]["uri"] for place in places} == {"policy.toml"}
    ids = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {one["ruleId"] for one in results} <= ids


def test_no_value_is_told(folder: Path) -> None:
    verified("--policy", "policy.toml")
    rule = f"~[a1] ill = '{SECRET}'"
    told = (folder / "out.xml").read_text() + (folder / "out.sarif").read_text()
    assert "Kuru" not in told
    roles = ("--quasi", "zip", "--sensitive", "ill")
    assert verified(*roles, "--rule", rule) == 1
    told = (folder / "out.xml").read_text() + (folder / "out.sarif").read_text()
    assert "Kuru" not in told and "rule 1" in told
    place = sarif(folder / "out.sarif")["results"][0]["locations"][0]
    location = place["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "my%20release.csv"


def test_fingerprints_stay_when_the_data_changes(folder: Path) -> None:
    verified("--policy", "policy.toml")
    before = sarif(folder / "out.sarif")["results"]
    table = TABLE.format(secret=SECRET) + f"3,{SECRET}\n3,{SECRET}\n"
    (folder / "my release.csv").write_text(table)
    verified("--policy", "policy.toml")
    after = sarif(folder / "out.sarif")["results"]
    prints = [
        [one["partialFingerprints"]["phverify/v1"] for one in results]
        for results in (before, after)
    ]
    assert prints[0] == prints[1] and len(set(prints[0])) == len(before)


def test_undecided_is_an_error_and_no_success(folder: Path) -> None:
    assert verified("--policy", "policy.toml", "--budget", "0.000001") in (1, 3)
    suite = junit(folder / "out.xml")[0]
    open_ones = int(suite.get("errors"))
    results = sarif(folder / "out.sarif")["results"]
    warnings = [one for one in results if one["level"] == "warning"]
    assert len(warnings) == open_ones > 0


@pytest.mark.parametrize("more", [("--policy", "none.toml"), ("--polcy", "p.toml"), ()])
def test_what_has_no_answer_keeps_to_the_schemas(
    folder: Path, more: tuple[str, ...]
) -> None:
    try:
        assert verified(*more) == 2
    except SystemExit as ended:
        assert ended.code == 2
    assert junit(folder / "out.xml")[0].get("errors") == "1"
    assert not sarif(folder / "out.sarif")["invocations"][0]["executionSuccessful"]


def test_what_is_proved_passes(folder: Path) -> None:
    files = ("--junit", "out.xml", "--sarif", "out.sarif")
    given = (str(HOSPITAL / "repaired.csv"), "--policy", str(HOSPITAL / "policy.toml"))
    assert main(["verify", *given, *files]) == 0
    suite = junit(folder / "out.xml")[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert sarif(folder / "out.sarif")["results"] == []


def test_lint_tells_what_it_found(folder: Path) -> None:
    rules = {"weak": "k_anonymity(2)", "strong": "k_anonymity(3)"}
    text = "".join(f'{name} = "{rule}"\n' for name, rule in rules.items())
    head = '[columns]\nquasi = ["zip"]\nsensitive = ["ill"]\n[rules]\n'
    (folder / "policy.toml").write_text(head + text)
    assert main(["lint", "policy.toml", "--junit", "o.xml", "--sarif", "o.sarif"]) == 1
    run = sarif(folder / "o.sarif")
    found = {one["ruleId"]: one for one in run["results"]}
    redundant = found["lint/redundant"]
    line = redundant["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert line == 5
    suite = junit(folder / "o.xml")[0]
    assert int(suite.get("failures")) == len(found)


def test_one_file_for_two_formats_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["verify", "my release.csv", "--policy", "policy.toml"]
    assert main([*given, "--junit", "out", "--sarif", "out"]) == 2
    assert "goes, too" in capsys.readouterr().err
    assert not (folder / "out").exists()


KEYS = st.sampled_from(["a", '"b c"', "'d'", "e.f", '"a\\"b"'])
VALUES = st.sampled_from(
    ['"x"', "'''\nx = 1\n[rules]\ny\n'''", '"""\n\nz"""', "[\n'u',\n# v\n]", "{w = 1}"]
)
NOISE = st.sampled_from(["", "\n", "# x = 1\n", "  \n"])


@given(st.lists(st.tuples(NOISE, KEYS, VALUES), max_size=5, unique_by=lambda e: e[1]))
@so_many(60)
def test_lines_of_rules(entries: list[tuple[str, str, str]]) -> None:
    """A rule begins in the line of its key, or in noise right above it."""
    text = 'title = """\n[rules]\nq = 1"""\n[rules]\n'
    begins = {}
    for noise, key, value in entries:
        text += noise
        begins[text.count("\n") + 1] = key
        text += f"{key} = {value}\n"
    text += "[columns]\nquasi = []\n"
    rules = tomllib.loads(text)["rules"]
    lines = rule_lines(text)
    assert lines.keys() == rules.keys()
    told = sorted(lines.values())
    assert told == sorted(begins)


def test_long_policies_have_lines() -> None:
    assert rule_lines("# long\n" * 2001 + "[rules]\na = 'x'\n") == {"a": 2003}


def test_xml_has_no_character_that_is_none() -> None:
    """A name with a control character is told, escaped."""
    from phverify.report.gate import Gate, GateCase
    from phverify.report.junit import to_junit

    case = GateCase("verify/x", "x", "a\x00b\uffff", "failed", "m", "f")
    text = to_junit(Gate("verify", ("r",), (case,)))
    assert re.search("[\x00-\x08\uffff]", text) is None
