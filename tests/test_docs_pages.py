"""Pages of the documentation: their commands run and show what they show, their links
lead somewhere, and generated ones are what the program says of itself.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from support.documentation import LINK, ROOT, blocks, commands, pages

import phverify
from phverify.cli.main import main
from phverify.policy.model import Policy

EXAMPLES = Path(phverify.__file__).parent / "examples"
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="installed without docs")
PAGES = {
    "tutorial.md": "hospital",
    "howto/dashboard.md": "bank",
    "howto/policy.md": "hospital",
    "gates.md": "hospital",
}
"""Pages that are run, and the example whose files they are about."""
PREPARED = ("pip", "cd", "make", "curl")


@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_is_shown(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In their order, in one copy of the example."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLES / PAGES[name], folder)
    monkeypatch.chdir(folder)
    shown = [one for _, text in blocks(DOCS / name) for one in commands(text)]
    for command in shown:
        if command.words[0] in PREPARED:
            continue
        assert command.words[0] == "phverify", command
        assert main(command.words[1:]) in (0, 1, 3), command
        # Lines may be broken otherwise on the page.
        printed = " ".join(capsys.readouterr().out.split())
        for line in command.lines:
            said = " ".join(line.split()).removesuffix("..").strip()
            assert said in printed, (command.words, line)


@pytest.mark.parametrize("name", PAGES)
def test_python_and_policies_are_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLES / PAGES[name], folder)
    monkeypatch.chdir(folder)
    for language, text in blocks(DOCS / name):
        if language == "toml" and "rules" in tomllib.loads(text):
            Path("shown.toml").write_text(text, encoding="utf-8")
            assert Policy.load("shown.toml").rules
        if language == "python":
            exec(text, {})


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, _ in LINK.findall(text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["commands.md", "criteria.md", "python.md"])
def test_generated_pages_are_as_they_are_written(name: str) -> None:
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == generator().page(name), "python docs/generate.py"


def test_every_page_stands_in_the_table_of_contents() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        if name != "index.md" and not name.startswith("pictures/"):
            assert f"\n{name}\n" in index, name


@pytest.mark.skipif(
    importlib.util.find_spec("furo") is None, reason="no Sphinx: make docs"
)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    done = subprocess.run(
        [
            *command,
            "-c",
            str(DOCS),
            "-d",
            str(tmp_path / "trees"),
            str(ROOT),
            str(tmp_path / "site"),
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "docs" / "tutorial.html").exists()
