"""``--help`` in groups, examples that run, completion of shells, and the files by which
others call phverify.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from importlib.metadata import entry_points, metadata
from pathlib import Path

import pytest

import phverify
from phverify.cli.arguments.examples import EXAMPLES
from phverify.cli.arguments.overview import BEGIN, GROUPS
from phverify.cli.arguments.parser import VERBS, parser
from phverify.cli.main import main

ROOT = Path(__file__).parents[1]
HOSPITAL = "hospital"


def test_every_verb_stands_in_one_group() -> None:
    grouped = [verb for verbs in GROUPS.values() for verb in verbs]
    assert sorted(grouped) == sorted(VERBS)


def test_help_tells_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    for verb, (_, purpose) in VERBS.items():
        assert f"  {verb} " in said and purpose in said
    for command in BEGIN:
        assert command in said
        # Each word after the verb is one that the verb knows.
        parser().parse_args(shlex.split(command)[1:])
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("verb", EXAMPLES)
def test_examples_of_help_run(
    verb: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the folder that help names, none is bad input."""
    assert main(["demo", "--write", str(tmp_path / "examples")]) == 0
    monkeypatch.chdir(tmp_path / "examples" / HOSPITAL)
    for command in EXAMPLES[verb]:
        words = shlex.split(command.partition(" > ")[0])
        assert words[0] == "phverify"
        if verb != "demo":
            assert main(words[1:]) in (0, 1, 3), command
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    said = capsys.readouterr().out
    assert EXAMPLES[verb][-1] in said


BASH = shutil.which("bash")
COMPLETE = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$(complete -p phverify | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(BASH is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("phverify ver", "verify"),
        ("phverify comp", "compare-data"),
        ("phverify verify --jun", "--junit"),
        ("phverify search --space tu", "tuples"),
    ],
)
def test_bash_completes(
    words: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    asked = COMPLETE.format(script=script, words=words)
    done = subprocess.run(
        [str(BASH), "-c", asked], capture_output=True, text=True, timeout=60
    )
    assert meant in done.stdout.split(), done.stderr


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells_have_a_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    assert "phverify" in capsys.readouterr().out


def test_the_package_says_what_it_is() -> None:
    said = metadata("phverify")
    assert said.get_all("Classifier") and said.get_all("Project-URL")
    names = {one.name: one.value for one in entry_points(group="pytest11")}
    assert names["phverify"] == "phverify.pytest_plugin"
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {phverify.__version__}\n" in text


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "phverify", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == f"phverify {phverify.__version__}"
