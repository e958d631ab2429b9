"""Odd input is told as such: numbers too long, columns called as something else, pipes."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import phverify
from phverify.cli.main import main

HOSPITAL = Path(phverify.__file__).parent / "examples" / "hospital"


@pytest.fixture
def hospital(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hospital"
    shutil.copytree(HOSPITAL, folder)
    monkeypatch.chdir(folder)
    return folder


SEARCH = ["search", "original.csv", "--policy", "policy.toml"]
LINK = ["reidentify", "original.csv", "release.csv", "--policy", "policy.toml"]


@pytest.mark.parametrize(
    "command",
    [
        [*SEARCH, "--suppress", "1e-5000"],
        [*SEARCH, "--weights", "zip=1e5000"],
        [*SEARCH, "--weights", "zip=1e-5000"],
        [*LINK, "--threshold", "1e5000"],
        [*LINK, "--threshold", "1e-5000"],
    ],
)
def test_numbers_too_long_to_be_written(
    command: list[str], hospital: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    assert "300 digits" in capsys.readouterr().err


@pytest.mark.parametrize(
    "entry", ['{rounding = "1e5000"}', '{noise = {"1e-5000" = 1}}']
)
def test_numbers_of_a_masking(
    entry: str, hospital: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = Path("policy.toml")
    text = policy.read_text(encoding="utf-8")
    policy.write_text(f"{text}\n[masking]\nzip = {entry}\n", encoding="utf-8")
    assert main(LINK) == 2
    assert "masking" in capsys.readouterr().err


def test_an_audits_policy_nested_too_deeply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "deep.toml"
    policy.write_text(f"a = {'[' * 5000}{']' * 5000}\n", encoding="utf-8")
    log = tmp_path / "log.sql"
    log.write_text("SELECT 1;\n", encoding="utf-8")
    release = str(HOSPITAL / "release.csv")
    command = ["audit", "--database", release, "--log", str(log)]
    assert main([*command, "--policy", str(policy)]) == 2
    assert "nested more than 50 levels deep" in capsys.readouterr().err


def test_a_packed_hierarchy(hospital: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The checker reads hierarchies itself, and reads no packed ones."""
    Path("birth.csv.gz").write_bytes(gzip.compress(Path("birth.csv").read_bytes()))
    policy = Path("policy.toml")
    text = policy.read_text(encoding="utf-8").replace("birth.csv", "birth.csv.gz")
    policy.write_text(text, encoding="utf-8")
    assert main(SEARCH) == 2
    assert "not read packed" in capsys.readouterr().err


def test_a_policy_from_a_pipe(
    hospital: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("pipe.toml")
    assert main(["verify", "release.csv", "--policy", "pipe.toml"]) == 2
    assert "a pipe only once" in capsys.readouterr().err


def test_a_stranger_with_a_secret_is_not_named(
    hospital: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = Path("policy.toml")
    text = policy.read_text(encoding="utf-8")
    text = text.replace("[secrets]\n", '[secrets]\nZebedee = ["health = 2"]\n')
    policy.write_text(text, encoding="utf-8")
    command = ["verify", "release.csv", "--policy", "policy.toml"]
    assert main([*command, "--redact"]) == 2
    assert "Zebedee" not in capsys.readouterr().err
    assert main(command) == 2
    assert "Zebedee" in capsys.readouterr().err


def test_the_demo_of_mechanism_takes_no_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["mechanism", "nosuch.csv", "--demo"]) == 2
    assert "leave the file out" in capsys.readouterr().err


def test_what_an_epsilon_of_0_says_of_declared_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.toml"
    rows = "rows = {a = {x = 1}, b = {x = 1}, c = {y = 1}}"
    file.write_text(f'[mechanism]\n{rows}\nadjacent = [["a", "b"]]\n', encoding="utf-8")
    assert main(["mechanism", str(file)]) == 0
    out = capsys.readouterr().out
    assert "tells the inputs of a declared pair apart" in out
    assert "says nothing about the input" not in out


def test_probabilities_are_not_below_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.toml"
    gauss = 'gauss = {inputs = [0, 100], grid = [0, 100], variance = "1/100000"}'
    file.write_text(f"[mechanism]\n{gauss}\n", encoding="utf-8")
    main(["mechanism", str(file)])
    # The first line names the file, and folders of tests end in numbers, too.
    _, *said = capsys.readouterr().out.splitlines()
    assert said and not [line for line in said if "-0" in line]


@pytest.mark.parametrize("keys", [("Ann", "Bob", "Cem"), ("1", "2", "3")])
def test_a_column_called_answer(
    keys: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its cells are no answers of queries: nothing follows before the third one."""
    monkeypatch.chdir(tmp_path)
    one, two, three = keys
    rows = f"name,g,answer\n{one},x,1\n{two},x,2\n{three},y,3\n"
    Path("t.csv").write_text(rows, encoding="utf-8")
    Path("p.toml").write_text(
        'table = "t"\nkey = "name"\npublic = ["g"]\n'
        "[sensitive]\nanswer = { from = 0, to = 9 }\n[protect]\n"
        f'a = {{ formula = "answer[{three}] = 3 and answer[{one}] = 1" }}\n',
        encoding="utf-8",
    )
    Path("q.sql").write_text(
        "SELECT SUM(answer) FROM t WHERE g='y';\nSELECT SUM(answer) FROM t;\n"
        f"SELECT SUM(answer) FROM t WHERE name='{two}';\n",
        encoding="utf-8",
    )
    command = ["audit", "--database", "t.csv", "--log", "q.sql", "--policy", "p.toml"]
    assert main([*command, "--dltts", "o.json"]) == 1
    assert "DISCLOSED by query 3" in " ".join(capsys.readouterr().out.split())
    states = json.loads(Path("o.json").read_text(encoding="utf-8"))["states"]
    violated = [state for state in states if state["status"] == "violated"]
    assert len(states) >= 4
    assert [state["name"] for state in violated] == ["after query 3"]


def test_the_bare_checker_and_files_that_are_not_there(hospital: Path) -> None:
    verify = ["verify", "release.csv", "--policy", "policy.toml"]
    assert main([*verify, "--certificate", "c.json"]) == 1
    run = "import sys; from phverify.spec.command import main; sys.exit(main())"
    check = [sys.executable, "-c", run, "c.json", "--release"]
    absent = subprocess.run([*check, "nosuch.csv"], capture_output=True, text=True)
    assert absent.returncode == 2 and "no such file" in absent.stdout
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [*check, "release.csv"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert told.returncode == 2 and "Traceback" not in told.stderr
