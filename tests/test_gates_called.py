"""The files by which others call phverify as a gate: the action and the hooks."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import phverify

ROOT = Path(__file__).parents[1]
HOSPITAL = Path(phverify.__file__).parent / "examples" / "hospital"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
BASH = shutil.which("bash")
ACTION = {
    "POLICY": "policy.toml",
    "JUNIT": "out.xml",
    "SARIF": "out.sarif",
    "ARGUMENTS": "--budget\r\n60\r\n",
}
HEAD = "[columns]\nquasi = ['zip']\nsensitive = ['health']\n[rules]\n"
pytestmark = pytest.mark.skipif(
    BASH is None or not HOOKS.exists(), reason="no bash, or no repository"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The hospital, a release that names everybody, and a policy that says nothing."""
    folder = tmp_path / "work"
    shutil.copytree(HOSPITAL, folder)
    head, *rows = (folder / "repaired.csv").read_text().splitlines()
    named = [f"{row},P{number}" for number, row in enumerate(rows)]
    named.insert(0, f"{head},person")
    (folder / "named.csv").write_text("\n".join(named) + "\n")
    (folder / "weak.toml").write_text(HEAD + "x = 'k_anonymity(1)'\n")
    return folder


def called(words: list[str], folder: Path, **more: str) -> tuple[int, str]:
    """The exit code, and what was printed."""
    binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "PATH": binaries, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout


def action(folder: Path, given: dict[str, str]) -> tuple[int, str]:
    """The exit code of the action, and its verdict."""
    told = folder / "outputs"
    script = [str(BASH), str(ROOT / ".github" / "decide.sh")]
    environment = {**ACTION, **given, "GITHUB_OUTPUT": str(told)}
    code, _ = called(script, folder, **environment)
    name, _, verdict = told.read_text().strip().partition("=")
    assert name == "verdict"
    return code, verdict


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"RELEASE": "repaired.csv"}, (0, "proved")),
        ({"RELEASE": "release.csv"}, (1, "refuted")),
        ({"RELEASE": "named.csv"}, (1, "refuted")),
        ({"RELEASE": "repaired.csv", "JUNIT": ""}, (0, "proved")),
        ({"VERB": "lint"}, (0, "clean")),
        ({"VERB": "lint", "POLICY": "weak.toml"}, (1, "findings")),
        ({"RELEASE": "$(touch pwned).csv"}, (2, "input")),
    ],
)
def test_the_action_decides(
    given: dict[str, str], answer: tuple[int, str], folder: Path
) -> None:
    assert action(folder, given) == answer
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize(
    "given",
    [
        {"RELEASE": "repaired.csv", "ARGUMENTS": "--help"},
        {"RELEASE": "repaired.csv", "ARGUMENTS": "-h\r"},
        {"RELEASE": "repaired.csv", "ARGUMENTS": "--hel"},
        {"RELEASE": "repaired.csv", "ARGUMENTS": "-qh"},
        {"RELEASE": "repaired.csv", "ARGUMENTS": "--"},
        {"RELEASE": "--help"},
        {"RELEASE": "repaired.csv", "POLICY": "-h"},
        {"RELEASE": "repaired.csv", "VERB": "check"},
        {"RELEASE": "repaired.csv", "VERB": "lint"},
        {"RELEASE": ""},
        {"RELEASE": "repaired.csv", "POLICY": ""},
    ],
)
def test_the_action_says_nothing_good_of_what_decides_nothing(
    given: dict[str, str], folder: Path
) -> None:
    # An answer of an earlier run is none of this one.
    old = '<testsuite name="phverify verify" tests="1" failures="0" errors="0"'
    (folder / "out.xml").write_text(old)
    assert action(folder, given) == (2, "input")


def hook(name: str) -> list[str]:
    """The words that pre-commit runs, as YAML folds them."""
    text = HOOKS.read_text(encoding="utf-8")
    own = text.partition(f"- id: {name}\n")[2].partition("\n- id:")[0]
    folded = own.partition("entry: >-\n")[2].partition("  language:")[0]
    return shlex.split(" ".join(line.strip() for line in folded.splitlines()))


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["policy.toml"], 0),
        (["--budget", "30", "--help", "policy two.toml", "policy.toml"], 2),
    ],
)
def test_the_hook_looks_at_every_policy(
    files: list[str], code: int, folder: Path
) -> None:
    (folder / "policy two.toml").write_text(HEAD + "x = 'k_anonimity(2)'\n")
    ended, said = called([*hook("phverify-lint"), *files], folder)
    assert ended == code, said
    assert "CLEAN  policy.toml" in said


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["repaired.csv", "--policy", "policy.toml"], 0),
        (["release.csv", "--policy", "policy.toml"], 1),
        (["named.csv", "--policy", "policy.toml"], 1),
        (["--help"], 2),
    ],
)
def test_the_hook_passes_what_is_proved(
    words: list[str], code: int, folder: Path
) -> None:
    ended, said = called([*hook("phverify-verify"), *words], folder)
    assert ended == code, said
