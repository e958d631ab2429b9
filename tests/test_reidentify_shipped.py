"""README's section on re-identification is true of the files that the package ships."""

from __future__ import annotations

import shutil
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

import phverify as ph
from phverify.cli.main import main

README = Path(ph.__file__).parents[1] / "docs" / "reference" / "reidentify.md"
PROMPT = "$ phverify "


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = files("phverify.examples").joinpath("reidentify")
    shutil.copytree(str(folder), tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(not README.exists(), reason="installed without its README")
@pytest.mark.parametrize(("more", "code"), [([], 0), (["--method", "links.csv"], 1)])
def test_the_commands_print_what_is_shown(
    shipped: None, capsys: pytest.CaptureFixture[str], more: list[str], code: int
) -> None:
    """Block by block, "..": lines left out."""
    tables = ["people.csv", "release.csv", "--policy", "policy.toml"]
    arguments = ["reidentify", *tables, *more]
    assert main(arguments) == code
    printed = capsys.readouterr().out
    command = PROMPT + " ".join(arguments) + "\n"
    shown = README.read_text(encoding="utf-8").split(command)[1].split("```")[0]
    for block in shown.split("\n..\n"):
        assert block.strip("\n") in printed


@pytest.mark.skipif(not README.exists(), reason="installed without its README")
def test_the_links_are_those_shown(shipped: None) -> None:
    shown = README.read_text(encoding="utf-8").split("$ head -4 links.csv\n")[1]
    first = Path("links.csv").read_text(encoding="utf-8").splitlines()[:4]
    assert shown.splitlines()[:4] == first


def test_from_python(shipped: None) -> None:
    result = ph.reidentify("people.csv", "release.csv", "policy.toml", ["age,zip"])
    assert result.risk is not None
    assert result.risk.attackers[0].outcomes.expected == Fraction(7, 3)


def test_the_first_example_from_python() -> None:
    """The rule that fails is the second one: the first is proved, without a witness."""
    folder = files("phverify.examples").joinpath("hospital")
    policy = ph.Policy.load(str(folder / "policy.toml"))
    rules = ph.verify(str(folder / "release.csv"), policy).rules
    assert rules[0].witness is None
    assert rules[1].witness is not None
    text = "l_a1(income = 100K | health = 2) = 1"
    assert rules[1].witness.facts[0].text == text
    shown = README.with_name("use.md")
    if shown.exists():
        assert text in shown.read_text(encoding="utf-8")
