"""``verify --smtlib DIR``: the questions behind the verdicts, which any solver can be
asked again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.examples import EXAMPLES

import phverify as ph
import phverify.cli.main as cli
from phverify.constraints.second import second_all
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import Defect
from phverify.report.verify_smtlib import to_files
from phverify.verification import rule as deciding

HOSPITAL = Path(str(files("phverify.examples").joinpath("hospital")))
COLUMNS = {
    "quasi": ["birth", "zip"],
    "sensitive": ["income", "health"],
    "neutral": ["height"],
}
RULES = {
    "safe": "logical_safety()",
    "fair": "forall i, v in health: @i l_a1(health = v & i) <= 2 * l_a0(health = v)",
    "gap": "abs(l_a1(i3 & health = 2) - l_insurer(i4)) <= 1/2",
    "counted": "k_anonymity(2)",
}
SECTIONS = {
    "columns": COLUMNS,
    "agents": {"insurer": ["zip"]},
    "assumptions": {"tip": "@i5 ~(health = 0)"},
    "secrets": {"*": ["income = '100K' or health = 2"]},
}


def stated(text: str) -> str:
    (found,) = re.findall(r"^\(set-info :status (\w+)\)$", text, re.MULTILINE)
    return str(found)


def written(
    rules: dict[str, str], release: Any = HOSPITAL / "release.csv", **more: Any
) -> tuple[ph.Report, dict[str, str]]:
    policy = ph.Policy.from_dict({**SECTIONS, "rules": rules})
    report = ph.verify(release, policy, keep=True, **more)
    return report, to_files(report)


def checked(found: dict[str, str]) -> None:
    """Both solvers find what each file states."""
    texts = [text for name, text in found.items() if name.endswith(".smt2")]
    assert texts
    for text, other in zip(texts, second_all(texts, 20, strict=True), strict=True):
        assert solve(text).status == other.status == stated(text), (text, other)


def test_the_full_encoding_says_what_is_on_which_row() -> None:
    _, found = written({"counted": "@i1 health = 2"})
    rows = re.findall(r"^; row (\d+): (.+)$", found["counted.full.smt2"], re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(8))
    for (_, said), row in zip(rows, given(), strict=True):
        assert dict(cell.split(" = ") for cell in said.split(", ")) == row


def given() -> list[dict[str, str]]:
    """The cells of the release that rules can speak of, row by row."""
    names = [*COLUMNS["quasi"], *COLUMNS["sensitive"]]
    with (HOSPITAL / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: row[name] for name in names} for row in rows]


def test_all_examples_by_two_solvers() -> None:
    """The paper's worked cases: the full encoding states the verdict, and the instances
    add up to it.
    """
    rules = {f"r{number}": text for number, (text, _) in enumerate(EXAMPLES)}
    policy = ph.Policy.from_dict(
        {
            "rows": "same order",
            "columns": {**COLUMNS, "identifier": "person"},
            "rules": rules,
        }
    )
    report = ph.verify(
        HOSPITAL / "release.csv", policy, HOSPITAL / "original.csv", keep=True
    )
    found = to_files(report)
    checked(found)
    for rule, (_, verdict) in zip(report.rules, EXAMPLES, strict=True):
        assert rule.verdict == verdict
        assert stated(found[f"{rule.name}.full.smt2"]) == (
            "unsat" if verdict == "proved" else "sat"
        )
        statuses = [q.status for q in rule.kept if q.kind == "instance"]
        assert statuses[:-1] == ["unsat"] * len(statuses[:-1])
        assert verdict == "refuted" or "sat" not in statuses


def test_assumptions_agents_and_absolute_values() -> None:
    report, found = written(RULES)
    checked(found)
    names = {"README.md", "assumptions.smt2", *(f"{rule}.full.smt2" for rule in RULES)}
    assert set(found) == names | {
        "safe.1.smt2",
        "fair.1.smt2",
        "fair.2.smt2",
        "fair.3.smt2",
        "gap.1.smt2",
    }
    index = found["README.md"]
    assert all(f"]({name})" in index for name in found if name != "README.md")
    assert "### safe: REFUTED" in index and "### gap: PROVED" in index
    assert index.count("Settled by counting") == 1, "only k-anonymity needs no solver"
    assert [rule.kept[0].kind for rule in report.rules] == ["assumptions"] * 4


def test_the_header_says_what_the_unknowns_are() -> None:
    _, found = written({"gap": RULES["gap"]})
    text = found["gap.1.smt2"]
    for name in re.findall(r"declare-const (\w+)", text):
        assert f";   {name} = 1: " in text
    assert (
        "health = 2 is true" in text
        and "over release.csv: 8 rows, 4 classes, 8 individuals" in text
    )


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str)


def test_many_rows_have_no_full_encoding() -> None:
    rows = (
        "birth,zip,height,income,health\n"
        + "09/56,24***,160,100K,0\n09/56,24***,160,70K,1\n" * 20
    )
    policy = ph.Policy.from_dict(
        {"columns": COLUMNS, "rules": {"gap": "~[a1] (i3 & health = 1)"}}
    )
    found = to_files(ph.verify(table(rows), policy, keep=True))
    assert set(found) == {"README.md", "gap.1.smt2"}
    assert "The full encoding is not written here" in found["README.md"]
    checked(found)


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_redacted_files_hold_no_confidential_value(encoding: Any) -> None:
    """Values that occur nowhere else in the files: none is there, and no full encoding
    with the rows' values.
    """
    text = (HOSPITAL / "release.csv").read_text(encoding="utf-8")
    text = (
        text.replace("100K", "Xmuch")
        .replace(",2\n", ",Xill\n")
        .replace(",0\n", ",Xwell\n")
        .replace(",1\n", ",Xso\n")
    )

    rules = {
        "both": (
            "~[a1](@i3 health = Xill & @i4 health = Xill) & ~[a1] (i3 & income = Xmuch)"
        ),
        "clause": "forall c in clauses(health, 1): ~[a1] (c & i3)",
        "each": "forall v in health: l_a1(i3 & health = v) <= 1/2",
    }
    policy = ph.Policy.from_dict(
        {
            "columns": COLUMNS,
            "assumptions": {"tip": "@i5 ~(health = Xwell)"},
            "rules": rules,
        }
    )
    found = to_files(
        ph.verify(table(text), policy, keep=True, redact=True, encoding=encoding)
    )
    assert not any(re.search("Xmuch|Xill|Xwell|Xso", text) for text in found.values())
    assert not any(name.endswith(".full.smt2") for name in found)
    plain = to_files(ph.verify(table(text), policy, keep=True))
    assert any("Xill" in text for text in plain.values()), (
        "the test looks for what is otherwise there"
    )


def test_undecided_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "phverify.verification.rule.solve",
        lambda *_: SolverAnswer("unknown", reason="too hard"),
    )
    policy = ph.Policy.from_dict(
        {"columns": COLUMNS, "rules": {"gap": "~[a1] (i3 & health = 1)"}}
    )
    found = to_files(ph.verify(HOSPITAL / "release.csv", policy, keep=True))
    assert stated(found["gap.1.smt2"]) == "unknown" == stated(found["gap.full.smt2"])
    assert "Undecided: too hard" in found["README.md"]


def test_a_solver_that_denies_what_is_plain_is_believed_in_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What counting settles is asked of the solver, too, once in a process."""
    policy = ph.Policy.from_dict({"columns": COLUMNS, "rules": {"k": "k_anonymity(1)"}})
    # By another test it may have been asked before.
    deciding._answers.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(deciding, "solve", lambda *_: SolverAnswer("sat"))
        with pytest.raises(Defect, match="says sat of what is unsat"):
            ph.verify(HOSPITAL / "release.csv", policy)
    assert ph.verify(HOSPITAL / "release.csv", policy).verdict == "proved"


def test_without_asking_nothing_is_kept() -> None:
    policy = ph.Policy.from_dict(
        {"columns": COLUMNS, "rules": {"gap": "~[a1] (i3 & health = 1)"}}
    )
    report = ph.verify(HOSPITAL / "release.csv", policy)
    assert report.rules[0].kept == () and "kept" not in json.dumps(report.to_dict())


def test_names_of_rules_become_names_of_files() -> None:
    rules = {
        "A": "~[a1] (i3 & health = 1)",
        "a": "~[a1] i3",
        "ä/b": "true",
        "ä b": "true",
        "assumptions": "true",
    }
    rules |= {"a-2": "true", "../up": "true", "x" * 300: "true"}
    _, found = written(rules)
    lowered = [name.lower() for name in found]
    assert len(set(lowered)) == len(lowered)
    assert all(
        re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name) and not name.startswith(".")
        for name in found
    )
    assert sum(name.endswith(".full.smt2") for name in found) == len(rules)


# The command


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.chdir(tmp_path)
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[columns]\nquasi = ["birth", "zip"]\nsensitive = ["income", "health"]\nneutral'
        ' = ["height"]\n[rules]\nalone = "~[a1] (i3 & health = 2)"\nsmall ='
        ' "k_anonymity(3)"\n'
    )

    def shown(*more: str) -> tuple[int, str, str]:
        code = cli.main(
            ["verify", str(HOSPITAL / "release.csv"), "--policy", str(policy), *more]
        )
        return (code, *capsys.readouterr())

    return shown


def test_a_new_folder_and_a_second_run(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("--smtlib", "queries")
    folder = tmp_path / "queries"
    assert code == 1 and "3 queries in queries" in out
    assert {p.name for p in folder.iterdir()} == {
        "README.md",
        "alone.1.smt2",
        "alone.full.smt2",
        "small.full.smt2",
    }
    checked({path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()})
    code, out, _ = run("--smtlib", "queries", "--rule", "small")
    assert {p.name for p in folder.iterdir()} == {
        "README.md",
        "small.full.smt2",
    }, "an earlier run's files are replaced"


@pytest.mark.parametrize("name", ["notes.txt", "README.md", "mine.smt2", "sub/"])
def test_foreign_files_are_never_touched(name: str, run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "queries"
    run("--smtlib", "queries")
    before = {path.name for path in folder.iterdir()}
    foreign = folder / name
    if name.endswith("/"):
        foreign.mkdir()
    else:
        foreign.write_text("mine\n")
    code, _, err = run("--smtlib", "queries")
    assert code == 2 and name.strip("/") in err and "never overwritten" in err
    assert {path.name for path in folder.iterdir()} == before | {name.strip("/")}
    assert name.endswith("/") or foreign.read_text() == "mine\n"


def test_a_link_is_foreign(run: Any, tmp_path: Path) -> None:
    run("--smtlib", "queries")
    target = tmp_path / "elsewhere.smt2"
    (tmp_path / "queries" / "alone.1.smt2").rename(target)
    (tmp_path / "queries" / "alone.1.smt2").symlink_to(target)
    assert run("--smtlib", "queries")[0] == 2 and target.exists()


@pytest.mark.parametrize("name", ["policy.toml", "no/such/folder", ""])
def test_what_cannot_be_a_folder(name: str, run: Any) -> None:
    code, out, err = run("--smtlib", name)
    assert code == 2 and "--smtlib" in err and out == ""


def test_json_stays_json(run: Any) -> None:
    _, out, _ = run("--smtlib", "queries", "--json", "-")
    assert json.loads(out)["verdict"] == "refuted"
