"""The command line: exit codes, the three forms of a report, --redact, undecided
questions, quiet pipes.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify.cli.main as cli
import phverify.cli.terminal as terminal
import phverify.cli.verify as verify_command
from phverify import Policy
from phverify.constraints import solver
from phverify.constraints.smtlib import script
from phverify.constraints.solver import Answer
from phverify.constraints.terms import FALSE, TRUE
from phverify.verbs.verify import verify
from phverify.verification.result import Report

ROOT = str(Path(cli.__file__).resolve().parents[2])
HOSPITAL = Path(str(files("phverify.examples").joinpath("hospital")))
FEW = "zip,age,health,pay\n1*,30,flu,10\n1*,30,cold,20\n2*,40,flu,30\n2*,40,gout,40\n3*,50,gout,10\n3*,50,gout,20\n"
COLUMNS = (
    '[columns]\nquasi = ["zip", "age"]\nsensitive = ["health", "pay"]\n[types]\npay ='
    ' "integer"\n'
)
GOOD, BAD = "k_anonymity(2)", "l_diversity(health, 2)"
ASKED = "forall i: @i l_a1(health = flu | i) <= 1"
"""A rule that grounding alone does not settle."""

Shown = tuple[int, str, str]


def policy(folder: Path, *, head: str = COLUMNS, **rules: str) -> Path:
    path = folder / "policy.toml"
    lines = "".join(
        f"{json.dumps(name)} = {json.dumps(text)}\n" for name, text in rules.items()
    )
    path.write_text(f"{head}[rules]\n{lines}", encoding="utf-8")
    return path


def release(folder: Path, text: str = FEW) -> Path:
    path = folder / "release.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.chdir(tmp_path)

    def shown(*more: str, text: str = FEW, head: str = COLUMNS, **rules: str) -> Shown:
        table, held = release(tmp_path, text), policy(tmp_path, head=head, **rules)
        code = cli.main(["verify", str(table), "--policy", str(held), *more])
        return (code, *capsys.readouterr())

    return shown


def process(
    *arguments: str, folder: Path, code: str = "", **streams: Any
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "TERM": "xterm",
        **streams.pop("env", {}),
    }
    environment = {
        name: value for name, value in environment.items() if value != "unset"
    }
    command = [
        sys.executable,
        *(["-c", code] if code else ["-m", "phverify"]),
        *arguments,
    ]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        text=True,
        encoding="utf-8",
        timeout=120,
        **streams,
    )


# --- exit codes and the text
# ---------------------------------------------------------------------------


def test_proved(run: Any) -> None:
    code, out, said = run(small=GOOD)
    assert (code, said) == (0, "")
    assert "release.csv: 6 rows, 3 classes, 6 individuals" in out
    assert "PROVED  small: k_anonymity(2)" in out
    assert "REFUTED" not in out
    assert "No assignment of the 6 individuals" in out


def test_refuted(run: Any) -> None:
    code, out, said = run(small=GOOD, many=BAD)
    assert (code, said) == (1, "")
    for part in (
        "PROVED  small",
        "REFUTED  many",
        "zip = 3*",
        "age = 50",
        "(2 rows)",
        "1 distinct value",
        "d5",
        "d6",
    ):
        assert part in out
    assert out.splitlines()[-1].startswith("REFUTED: 2 rules, 1 proved, 1 refuted")


def test_one_rule_decides_alone(run: Any) -> None:
    assert run("--rule", "small", small=GOOD, many=BAD)[0] == 0
    assert run("--rule", "many", small=GOOD, many=BAD)[0] == 1
    code, out, _ = run(
        "--rule",
        "many",
        "--rule",
        "small",
        small=GOOD,
        many=BAD,
        other="k_anonymity(9)",
    )
    assert code == 1
    assert "other" not in out


def test_bad_input(run: Any) -> None:
    code, out, said = run(small="k_anonymity(0)")
    assert (code, out) == (2, "")
    assert "k of k_anonymity must be >= 1" in said


def test_both_encodings_agree(run: Any) -> None:
    rules = {
        "small": GOOD,
        "many": BAD,
        "asked": ASKED,
        "who": "forall i: @i ~[a1] health = gout",
    }
    assert (
        run("--encoding", "quotient", **rules)[0]
        == run("--encoding", "full", **rules)[0]
        == 1
    )
    for name in rules:
        both = [
            run("--encoding", kind, "--rule", name, **rules)[0]
            for kind in ("quotient", "full")
        ]
        assert both[0] == both[1], name


@pytest.mark.parametrize("redact", [False, True])
def test_a_defect_is_no_bare_traceback(
    run: Any, monkeypatch: pytest.MonkeyPatch, redact: bool
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom over zebra-flu")

    monkeypatch.setattr(verify_command, "verify", broken)
    code, out, said = run(
        *(["--redact"] if redact else []), "--json", "out.json", small=GOOD
    )
    assert (code, out) == (4, "")
    assert "defect in phverify" in said
    assert "RuntimeError" in said
    assert "Traceback" not in said
    assert ("zebra" in said) != redact
    assert not Path("out.json").exists()


def test_an_interrupt_is_no_verdict(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(verify_command, "verify", stopped)
    code, out, said = run(small=GOOD)
    assert (code, out) == (3, "")
    assert "interrupted" in said


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo"]) == 0
    out, said = capsys.readouterr()
    assert said == ""
    for part in (
        "REFUTED  safe",
        "03/56",
        "10***",
        "if i3 is d3, i4 is d4",
        "release.csv: 8 rows",
        "OPTIMAL: loss 0.642857",
        "DISCLOSED by query 4",
        "can expect to link 4 of 8 records",
    ):
        assert part in out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        cli.main(["--version"])
    assert leave.value.code == 0
    assert re.fullmatch(r"phverify \d+\.\d+\.\d+\n", capsys.readouterr().out)


# --- JSON
# ------------------------------------------------------------------------------------------------


def test_json(run: Any) -> None:
    code, out, said = run(
        "--json", "-", small=GOOD, many=BAD, who="@i5 ~[a1] health = gout"
    )
    assert (code, said) == (1, "")
    found = json.loads(out)
    assert found["verdict"] == "refuted"
    assert found["release"]["rows"] == 6
    assert found["release"]["classes"] == 3
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["version"])
    assert [(r["name"], r["verdict"]) for r in found["rules"]] == [
        ("small", "proved"),
        ("many", "refuted"),
        ("who", "refuted"),
    ]
    small, many, who = found["rules"]
    assert small["witness"] is None
    for rule in (small, many, who):
        assert {"name", "formula", "verdict", "witness", "seconds"} <= set(rule)
        assert rule["seconds"] >= 0
    for witness in (many["witness"], who["witness"]):
        assert witness["world"] in ("d5", "d6")
        assert witness["class"] == {"zip": "3*", "age": "50"}
        assert witness["rows"] == 2
        assert witness["assignment"]["i5"] in ("d5", "d6")
        assert witness["numbers"]
        for fact in witness["numbers"]:
            assert fact["values"]
            assert all(
                re.fullmatch(r"\d+(/\d+)?", value) for value in fact["values"].values()
            )
    assert who["witness"]["numbers"][0]["values"] == {"l_a1(health = 'gout')": "1"}
    assert many["witness"]["failing"] == {"classes": 1, "rows": 2, "exact": True}


def test_json_into_a_file(run: Any, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("yesterday")
    code, out, _ = run("--json", str(target), small=GOOD, many=BAD)
    assert code == 1
    assert "REFUTED  many" in out, "the text is shown as well"
    found = json.loads(target.read_text(encoding="utf-8"))
    assert found["verdict"] == "refuted"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "out.json",
        "policy.toml",
        "release.csv",
    ]


def test_json_equals_the_report_of_the_library(run: Any, tmp_path: Path) -> None:
    _, out, _ = run("--json", "-", small=GOOD, many=BAD)
    report = verify(tmp_path / "release.csv", tmp_path / "policy.toml")

    def timeless(data: Any) -> Any:
        return {**data, "rules": [{**rule, "seconds": 0} for rule in data["rules"]]}

    assert timeless(json.loads(out)) == timeless(report.to_dict())


def test_json_with_an_original(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [
        str(HOSPITAL / name) for name in ("release.csv", "policy.toml", "original.csv")
    ]
    assert (
        cli.main(
            [
                "verify",
                paths[0],
                "--policy",
                paths[1],
                "--original",
                paths[2],
                "--json",
                "-",
            ]
        )
        == 1
    )
    found = json.loads(capsys.readouterr().out)
    assert found["sanitization"]["truthful"] is True
    assert ["24126", "24***"] in found["sanitization"]["mappings"]["zip"]
    assert found["rules"][1]["witness"]["assignment"] == {"i3": "d3", "i4": "d4"}


@pytest.mark.parametrize("failing", ["replace", "chmod"])
def test_nothing_half_written_when_the_disk_fails(
    run: Any, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    Path("out.json").write_text("yesterday")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(terminal.os, failing, full)
    code, _, said = run("--json", "out.json", small=GOOD)
    assert code == 2
    assert "No space left" in said
    assert "out.json" in said
    assert Path("out.json").read_text() == "yesterday"
    assert sorted(p.name for p in Path().iterdir()) == [
        "out.json",
        "policy.toml",
        "release.csv",
    ]


def test_a_missing_value_of_a_class(run: Any, tmp_path: Path) -> None:
    code, out, _ = run(text=FEW.replace("3*", ""), many=BAD)
    assert code == 1
    assert "zip = (missing)" in out
    report = verify(tmp_path / "release.csv", tmp_path / "policy.toml")
    witness = report.to_dict()["rules"][0]["witness"]
    assert witness["class"] == {"zip": None, "age": "50"}
    assert "zip = (missing)" in report._repr_html_()
    assert "None" not in report._repr_html_()


def test_html_escapes_what_the_data_say() -> None:
    frame = pd.DataFrame({"<q>": ["<b>&", "<b>&"], "s": ["<i>", "<i>"]})
    roles = {"columns": {"quasi": ["<q>"], "sensitive": ["s"]}}
    rules = {"<script>": "l_diversity(s, 2)", "eq": "~[a1] s = '<i>'"}
    page = verify(frame, Policy.from_dict({**roles, "rules": rules}))._repr_html_()
    for tag in ("<script>", "<b>&", "<i>", "<q>"):
        assert tag not in page
    assert "&lt;b&gt;&amp;" in page


def test_a_release_without_quasi_identifiers(run: Any) -> None:
    head = '[columns]\nsensitive = ["health"]\n'
    code, out, _ = run("--json", "-", head=head, small="k_anonymity(7)")
    assert code == 1
    witness = json.loads(out)["rules"][0]["witness"]
    assert (witness["class"], witness["rows"]) == ({}, 6)
    assert "everyone" in run(head=head, small="k_anonymity(7)")[1]


# --- redact
# --------------------------------------------------------------------------------------------

SECRETS = [
    "zebra-flu",
    "yeti-pox",
    "xerus-gout",
    "walrus-ill",
    "770077",
    "880088",
    "990099",
]
PRIVATE = (
    "zip,age,height,health,pay\n"
    "1*,30,160,zebra-flu,770077\n1*,30,165,yeti-pox,880088\n"
    "2*,40,170,zebra-flu,770077\n2*,40,175,zebra-flu,770077\n"
    "3*,50,160,xerus-gout,990099\n3*,50,165,walrus-ill,880088\n3*,50,165,yeti-pox,770077\n"
)
BEFORE = (
    PRIVATE.replace("zip", "name,zip")
    .replace("\n1*", "\nA,11")
    .replace("\n2*", "\nC,21")
    .replace("\n3*", "\nE,31")
)
NUMBERED = "".join(
    f"n{k}{line[line.index(',') :]}" if k else line
    for k, line in enumerate(BEFORE.splitlines(True))
)
ROLES = (
    '[columns]\nquasi = ["zip", "age"]\nneutral = ["height"]\nsensitive = ["health",'
    ' "pay"]\nidentifier = "name"\n'
)
TYPED = ROLES + '[types]\npay = "integer"\n'
LISTED = (
    '[types]\npay = "integer"\nhealth = ["yeti-pox", "zebra-flu", "xerus-gout",'
    ' "walrus-ill"]\n'
)
HELD = (
    TYPED
    + "[secrets]\n'*' = [\"health = 'zebra-flu'\", {formula = 'pay >= 770077', weight ="
    " 0.5}]\n"
)
KNOWN = (
    HELD
    + "[assumptions]\nseen = \"@i1 health = 'zebra-flu'\"\nless = '@i6 pay < 990099'\n"
)
TREE = "zebra-flu;lung;*\nyeti-pox;skin;*\nxerus-gout;joint;*\nwalrus-ill;lung;*\n"
REFUTED_RULES = [
    "k_anonymity(3)",
    "l_diversity(health, 2)",
    "recursive_l_diversity(health, 1, 2)",
    "entropy_l_diversity(health, 2)",
    "t_closeness(health, 0)",
    "t_closeness(health, 0, distance=hierarchical)",
    "t_closeness(health, 0, distance=ordered)",
    "t_closeness(pay, 0.1, distance=ordered)",
    "delta_disclosure(health, 1)",
    "delta_disclosure(health, 0.5, absent=ignored)",
    "beta_likeness(health, 0)",
    "enhanced_beta_likeness(health, 0)",
    "average_benefit(health, 0)",
    "alpha_k_anonymity(health, 0.5, 2)",
    "logical_safety()",
    "weighted_safety(0.1)",
    "forall v in health: ~[a1] health = v",
    "forall i, v in pay: @i l_a1(pay = v) <= 1/2",
    "forall D in clauses(health, 2): l_a1(D) - l_a0(D) < 1/2",
    "@i3 ~[a1] health = 'zebra-flu'",
    "@i3 (health = 'zebra-flu' -> l_a1(pay in {770077, 880088}) < 1/2)",
    "~[a1] health in {'zebra-flu', 'yeti-pox'} & ~<a1> pay > 770076",
    "@i1 health != 'zebra-flu'",
    (
        "2 * l_a1(health = 'zebra-flu') + abs(l_a1(pay = 770077) - l_a0(pay = 770077))"
        " <= 1"
    ),
    "exists v in health: [a0] health = v",
]


def no_secret(text: str, what: str) -> None:
    found = [secret for secret in SECRETS if secret in text]
    assert not found, f"{what} tells {found}:\n{text}"


SLOW_IN_FULL = ("entropy", "enhanced")
REPORTS = [
    *((rule, HELD, "quotient") for rule in REFUTED_RULES),
    *((rule, KNOWN, "quotient") for rule in REFUTED_RULES[::2]),
    *(
        (rule, HELD, "full")
        for rule in REFUTED_RULES
        if not rule.startswith(SLOW_IN_FULL)
    ),
]


@pytest.mark.parametrize(("rule", "head", "encoding"), REPORTS)
def test_redacted_reports(
    run: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: str,
    head: str,
    encoding: str,
) -> None:
    reports: list[Report] = []

    def kept(*arguments: Any, **more: Any) -> Report:
        reports.append(verify(*arguments, **more))
        return reports[0]

    monkeypatch.setattr(verify_command, "verify", kept)
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "original.csv").write_text(NUMBERED)
    options = [
        "--redact",
        "--encoding",
        encoding,
        "--original",
        "original.csv",
        "--json",
        "out.json",
    ]
    head = head + '[hierarchies]\nhealth = "tree.csv"\n'
    code, out, said = run(*options, text=PRIVATE, head=head, rule=rule)
    assert (code, said) == (1, "")
    no_secret(out, "the text")
    no_secret((tmp_path / "out.json").read_text(), "the JSON")
    found = json.loads((tmp_path / "out.json").read_text())["rules"][0]["witness"]
    assert found["class"]["zip"] in out
    assert found["rows"] in (2, 3)
    (report,) = reports
    for shown in (
        str(report),
        repr(report),
        report._repr_html_(),
        json.dumps(report.to_dict()),
    ):
        no_secret(shown, "the library")
    assert "(hidden)" in out or not any(secret in rule for secret in SECRETS)


def test_without_redact_the_values_are_shown(run: Any) -> None:
    _, out, _ = run(text=PRIVATE, head=HELD, rule="@i3 ~[a1] health = 'zebra-flu'")
    assert "zebra-flu" in out


SPOILED: dict[str, tuple[str, dict[str, str], str]] = {
    "a value of another type": (ROLES + '[types]\nhealth = "integer"\n', {}, GOOD),
    "a value of another type among decimals": (
        ROLES + '[types]\nhealth = "decimal"\n',
        {},
        GOOD,
    ),
    "a value that is no date": (ROLES + '[types]\npay = "date"\n', {}, GOOD),
    "an order that lacks a value": (
        ROLES + LISTED.replace(', "walrus-ill"', ""),
        {},
        GOOD,
    ),
    "a hierarchy that lacks a value": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("walrus-ill;lung;*\n", "")},
        "t_closeness(health, 0.1, distance=hierarchical)",
    ),
    "an order by a hierarchy that lacks a value": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("walrus-ill;lung;*\n", "")},
        "t_closeness(health, 0.1, distance=ordered)",
    ),
    "a hierarchy with a value twice": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE + "zebra-flu;lung;*\n"},
        GOOD,
    ),
    "an unbalanced hierarchy": (
        TYPED + '[hierarchies]\nhealth = "tree.csv"\n',
        {"tree.csv": TREE.replace("yeti-pox;skin", "yeti-pox")},
        GOOD,
    ),
    "an original with another value": (
        TYPED,
        {"original.csv": NUMBERED.replace("walrus-ill", "yeti-pox")},
        GOOD,
    ),
    "an original with other values": (
        TYPED,
        {
            "original.csv": (
                NUMBERED.replace("770077", "880088").replace("xerus-gout", "yeti-pox")
            )
        },
        GOOD,
    ),
    "an original with a value of another type": (
        TYPED,
        {"original.csv": NUMBERED.replace("990099", "990099x")},
        GOOD,
    ),
    "a rule with a value that does not occur": (TYPED, {}, "health = 'zebra-fly'"),
    "a rule with a value and an unknown column": (
        TYPED,
        {},
        "health = 'zebra-flu' & helth = 'zebra-flu'",
    ),
    "a rule with a value and an unknown agent": (
        TYPED,
        {},
        "[a7] health = 'zebra-flu'",
    ),
    "a rule that breaks off": (TYPED, {}, "health = 'zebra-flu' and"),
    "a rule with two equal signs": (TYPED, {}, "pay == 770077"),
    "an order on text": (TYPED, {}, "health > 'zebra-flu'"),
    "a text for a number": (TYPED, {}, "pay = '770077x'"),
    "contradictory assumptions": (
        TYPED + '[assumptions]\na = "@i1 health = \'zebra-flu\'"\nb = "@i1 health ='
        " 'yeti-pox'\"\n",
        {},
        GOOD,
    ),
    "a weight": (
        TYPED + "[secrets]\n'*' = [{formula = \"health = 'zebra-flu'\", weight = 2}]\n",
        {},
        GOOD,
    ),
    "a secret that is none": (
        TYPED + "[secrets]\n'*' = [{formla = \"health = 'zebra-flu'\"}]\n",
        {},
        GOOD,
    ),
    "an assumption that is none": (
        TYPED + "[assumptions]\na = [\"health = 'zebra-flu'\"]\n",
        {},
        GOOD,
    ),
    "types that are none": (ROLES + LISTED.replace("]\n", ", 3]\n"), {}, GOOD),
}


@pytest.mark.parametrize("case", SPOILED)
def test_redacted_errors(run: Any, tmp_path: Path, case: str) -> None:
    head, more, rule = SPOILED[case]
    for name, text in more.items():
        (tmp_path / name).write_text(text)
    options = ["--original", "original.csv"] if "original.csv" in more else []
    code, out, said = run("--redact", *options, text=PRIVATE, head=head, rule=rule)
    assert (code, out) == (2, "")
    assert said.startswith("phverify: ")
    no_secret(said, "stderr")
    assert len(said.split(":", 2)[-1].strip()) > 10, "it still says what is wrong"


# --- undecided
# -----------------------------------------------------------------------------------------


@pytest.fixture
def unknowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that answers unknown to every question that needs one."""

    plain = solver.solve

    def solve(text: str, *more: Any) -> Answer:
        if text in (
            script([TRUE]),
            script([FALSE]),
        ):  # the last step of what grounding settles
            return plain(text, *more)
        return Answer("unknown", reason="Z3 says: canceled")

    for name in ("phverify.verification.rule", "phverify.verification.full"):
        monkeypatch.setattr(f"{name}.solve", solve)


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_undecided(run: Any, unknowing: None, tmp_path: Path, encoding: str) -> None:
    code, out, said = run(
        "--encoding", encoding, "--budget", "60", "--json", "out.json", asked=ASKED
    )
    assert (code, said) == (3, "")
    assert "UNDECIDED  asked" in out
    assert "Z3 says: canceled" in out
    assert out.count("PROVED") == 0
    (query,) = tmp_path.glob("*.smt2")
    assert query.name in out
    text = query.read_text()
    assert solver.solve(text).status in (
        "sat",
        "unsat",
    ), "what is saved is a whole script"
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["verdict"] == "undecided"
    assert found["rules"][0]["reason"] == "Z3 says: canceled (budget 60 s)"
    assert found["rules"][0]["query"] == text
    assert found["rules"][0]["witness"] is None


def test_the_budget_of_an_undecided_rule_is_told(run: Any, unknowing: None) -> None:
    _, out, _ = run("--budget", "60", asked=ASKED)
    assert "60 s" in out


def test_refuted_outweighs_undecided_outweighs_proved(
    run: Any, unknowing: None
) -> None:
    assert run(small=GOOD, asked=ASKED)[0] == 3
    code, out, _ = run(small=GOOD, asked=ASKED, many=BAD)
    assert code == 1
    assert out.splitlines()[-2].startswith(
        "REFUTED: 3 rules, 1 proved, 1 refuted, 1 undecided"
    )


def test_each_undecided_rule_has_its_own_query(
    run: Any, unknowing: None, tmp_path: Path
) -> None:
    rules = {
        "a b": ASKED,
        "a/b": "forall i: @i l_a1(health = gout | i) <= 1",
        "a_b": ASKED,
        "../up": ASKED,
        "é": ASKED,
    }
    code, out, _ = run("--json", "out.json", **rules)
    assert code == 3
    saved = re.findall(r"saved as (\S+)", out)
    assert len(set(saved)) == len(rules)
    held = {
        rule["query"]
        for rule in json.loads((tmp_path / "out.json").read_text())["rules"]
    }
    assert {(tmp_path / path).read_text() for path in saved} == held
    assert not list(tmp_path.parent.glob("*.smt2")), "nothing beside the working folder"


def test_undecided_assumptions(run: Any, unknowing: None) -> None:
    head = COLUMNS + "[assumptions]\nseen = '@i1 health = flu'\n"
    code, out, said = run("--json", "out.json", head=head, small=GOOD)
    assert code == 3
    assert "Z3 says: canceled" in out + said
    assert "Traceback" not in said


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_redacted_queries(
    run: Any, unknowing: None, tmp_path: Path, encoding: str
) -> None:
    rule = (
        "forall i, v in pay: @i (l_a1(health = 'zebra-flu' | i) <= 1 & l_a1(pay = v |"
        " i) <= 1)"
    )
    options = ["--encoding", encoding, "--redact", "--json", "out.json"]
    code, out, _ = run(*options, text=PRIVATE, head=TYPED, rule=rule)
    assert code == 3
    no_secret(out, "the text")
    no_secret((tmp_path / "out.json").read_text(), "the JSON")
    for query in tmp_path.glob("*.smt2"):
        no_secret(query.read_text(), "the saved query")


@pytest.mark.parametrize("budget", ["1e-9", "0.000001"])
@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_a_tiny_budget(run: Any, budget: str, encoding: str) -> None:
    code, out, said = run("--budget", budget, "--encoding", encoding, asked=ASKED)
    assert code == 3
    assert "budget" in out + said
    assert re.search(r"1e-0[69] s", out + said)
    assert "PROVED" not in out


def test_a_tiny_budget_with_assumptions(run: Any) -> None:
    head = COLUMNS + "[assumptions]\nseen = '@i1 health = flu'\n"
    code, out, said = run("--budget", "1e-9", head=head, small=GOOD)
    assert code == 3
    assert "budget" in out + said


def test_large_budgets_do_not_wrap_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 counts milliseconds in 32 bits."""
    given: list[int] = []
    plain = solver.z3.SimpleSolver

    def watched() -> Any:
        made = plain()
        keep = made.set
        made.set = lambda key, value: (given.append(value), keep(key, value))
        return made

    monkeypatch.setattr(solver.z3, "SimpleSolver", watched)
    for seconds in (4294968.0, 1e9, 1e300):
        assert (
            solver.solve("(assert true)(check-sat)", solver.Deadline(seconds)).status
            == "sat"
        )
    assert all(10**6 <= value < 2**32 for value in given)


# --- terminals and pipes
# -------------------------------------------------------------------------------

SLOW = """
import sys, time
import phverify.cli.main as cli
import phverify.cli.verify as command
plain = command.verify
def slow(*args, progress, **more):
    progress("rule small")
    time.sleep(1.7)
    return plain(*args, progress=progress, **more)
command.verify = slow
sys.exit(cli.main(sys.argv[1:]))
"""


def listen(
    *arguments: str, folder: Path, code: str = "", stream: str = "stderr"
) -> tuple[int, str]:
    """Run with one stream on a terminal; returns what that stream got."""
    leader, follower = pty.openpty()
    try:
        done = process(
            *arguments,
            folder=folder,
            code=code,
            env={"NO_COLOR": "unset"},
            **{stream: follower},
        )
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:
            pass  # Linux says so at the end
    finally:
        os.close(leader)
    return done.returncode, shown.decode("utf-8", "replace")


def test_slow_work_shows_progress_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    piped = process(*arguments, folder=tmp_path, code=SLOW)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert "\x1b" not in piped.stdout
    code, shown = listen(*arguments, folder=tmp_path, code=SLOW)
    assert code == 0
    assert "rule small" in shown


def test_quick_work_shows_no_progress(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    assert listen(*arguments, folder=tmp_path) == (0, "")


def test_colour_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD, many=BAD)),
    ]
    code, shown = listen(*arguments, folder=tmp_path, stream="stdout")
    assert code == 1
    assert "\x1b[1;32mPROVED" in shown
    assert "\x1b[1;31mREFUTED" in shown


def test_pipes_of_a_narrow_encoding(tmp_path: Path) -> None:
    """A terminal that cannot show a letter is no defect, and changes no verdict."""
    table = release(tmp_path, FEW.replace("3*", "Zürich 東").replace("gout", "Gicht é"))
    arguments = [
        "verify",
        str(table),
        "--policy",
        str(policy(tmp_path, many=BAD, who="~[a1] health = 'Gicht é'")),
    ]
    for narrow in ("ascii", "latin-1"):
        command = [sys.executable, "-m", "phverify", *arguments]
        env = {**os.environ, "PYTHONIOENCODING": narrow}
        done = subprocess.run(
            command, capture_output=True, text=True, encoding=narrow, env=env
        )
        assert done.returncode == 1, done.stderr
        assert "REFUTED" in done.stdout
    done = process(
        *arguments, "--json", "-", folder=tmp_path, env={"PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["verdict"] == "refuted"


def test_a_reader_that_leaves_early_is_no_defect(tmp_path: Path) -> None:
    arguments = [
        "verify",
        str(release(tmp_path)),
        "--policy",
        str(policy(tmp_path, small=GOOD)),
    ]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = process(*arguments, folder=tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr


# Certificates


def test_a_certificate_overwrites_no_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hierarchies are inputs too, and two outputs are two files."""
    release, policy, paths = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "zip.csv",
    )
    release.write_text("zip,f\n1,a\n1,b\n", encoding="utf-8")
    paths.write_text("1;*\n2;*\n", encoding="utf-8")
    roles = (
        '[columns]\nquasi = ["zip"]\nsensitive = ["f"]\n[hierarchies]\nzip ='
        ' "zip.csv"\n'
    )
    policy.write_text(f'{roles}[rules]\nk = "k_anonymity(2)"\n', encoding="utf-8")
    same = str(tmp_path / "out.json")
    for flags in (
        ["--certificate", str(paths)],
        ["--json", str(paths)],
        ["--certificate", same, "--json", same],
    ):
        assert (
            cli.main(["verify", str(release), "--policy", str(policy), *flags]) == 2
        ), flags
    assert paths.read_text(encoding="utf-8") == "1;*\n2;*\n" and not Path(same).exists()
    assert (
        cli.main(
            ["verify", str(release), "--policy", str(policy), "--certificate", same]
        )
        == 0
    )
    assert f"the certificate is written to {same}" in capsys.readouterr().out
    assert cli.main(["check", same, "--release", str(release)]) == 0
    assert cli.main(["check", same, "--release", str(paths)]) == 1
    assert capsys.readouterr().out.count("ACCEPTED") == 1


def test_no_name_passes_for_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, policy, proof = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "c.json",
    )
    release.write_text('zip,f\n"1\nACCEPTED",a\n2,b\n', encoding="utf-8")
    roles = '[columns]\nquasi = ["zip"]\nsensitive = ["f"]\n'
    policy.write_text(
        f'{roles}[rules]\n"a\\nACCEPTED\\u001b[31m" = "k_anonymity(2)"\n',
        encoding="utf-8",
    )
    cli.main(
        ["verify", str(release), "--policy", str(policy), "--certificate", str(proof)]
    )
    cli.main(["check", str(proof), "--release", str(release)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and shown.splitlines().count("ACCEPTED") == 1


def test_a_policy_that_is_not_utf8(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, policy, proof = (
        tmp_path / "r.csv",
        tmp_path / "p.toml",
        tmp_path / "c.json",
    )
    release.write_text("zip,f\n1,a\n1,b\n", encoding="utf-8")
    policy.write_text(
        '[columns]\nquasi = ["zip"]\n[rules]\nk = "k_anonymity(2)"\n', encoding="utf-8"
    )
    assert (
        cli.main(
            [
                "verify",
                str(release),
                "--policy",
                str(policy),
                "--certificate",
                str(proof),
            ]
        )
        == 0
    )
    policy.write_bytes(b'[columns]\nquasi = ["zip\xe9"]\n')
    assert (
        cli.main(
            ["check", str(proof), "--release", str(release), "--policy", str(policy)]
        )
        == 2
    )
    assert "is not UTF-8" in capsys.readouterr().err
