"""Commands and Python of README, and of the pages of the reference, run on the packaged
examples and print what is shown.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.forked import LoadedServer

import phverify

ROOT = Path(phverify.__file__).parents[1]
README = ROOT / "README.md"
WRITTEN = ("use", "inputs", "policy", "formulas", "measure", "search", "compare-data")
MORE = ("certificates", "compare", "audit", "reidentify", "mechanism", "how")
REFERENCE = [ROOT / "docs" / "reference" / f"{name}.md" for name in (*WRITTEN, *MORE)]
"""README, and the pages that tell of each part; the others are generated."""
EXAMPLES = Path(phverify.__file__).parent / "examples"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> Iterator[tuple[str, str]]:
    """The language and the text of each block; nothing where README is not there."""
    for page in filter(Path.exists, (README, *REFERENCE)):
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield block[1], block[2]


def commands() -> Iterator[list[tuple[list[str], list[str]]]]:
    """Of each block that runs phverify: its commands, each with the lines shown."""
    for _, text in blocks():
        if not re.search(r"^\$ phverify ", text, re.MULTILINE):
            continue
        shown: list[tuple[list[str], list[str]]] = []
        for line in text.splitlines():
            if line.startswith("$ "):
                shown.append((shlex.split(line[2:], comments=True), []))
            elif line.strip():
                shown[-1][1].append(line.strip())
        yield shown


def example(words: list[str], folder: Path) -> Path:
    """A copy of the example that has most of the files that a command names."""
    names = [word for word in words if re.fullmatch(r"[\w-]+\.(csv|toml|sql)", word)]
    there: dict[Path, int] = {}
    for place in sorted(EXAMPLES.iterdir()):
        there[place] = sum((place / name).exists() for name in names)
    best = max(there, key=lambda place: there[place])
    if not there[best]:
        return folder
    copy = folder / best.name
    if not copy.exists():
        shutil.copytree(best, copy)
    return copy


@pytest.fixture(scope="module")
def loaded() -> Iterator[LoadedServer]:
    server = LoadedServer()
    yield server
    server.close()


@pytest.mark.parametrize("block", list(commands()), ids=lambda block: block[-1][0][1])
def test_commands_print_what_is_shown(
    block: list[tuple[list[str], list[str]]],
    tmp_path: Path,
    loaded: LoadedServer,
) -> None:
    for words, lines in block:
        if words[0] != "phverify":
            continue
        # A process of its own: what a solver answered before may change its examples.
        answer = loaded.run(words[1:], example(words, tmp_path))
        assert answer.code in (0, 1, 3), (words, answer)
        # Lines may be broken otherwise on the page.
        printed = " ".join(answer.out.split())
        for line in lines:
            said = " ".join(line.split()).removesuffix("..").strip()
            assert said in printed, (words, line)


def test_there_are_commands() -> None:
    assert not README.exists() or sum(map(len, commands())) >= 8


def test_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block, as a reader of the hospital's files runs it."""
    texts = [text for language, text in blocks() if language == "python"]
    if not texts:
        pytest.skip("installed without its README")
    copy = tmp_path / "hospital"
    shutil.copytree(EXAMPLES / "hospital", copy)
    monkeypatch.chdir(copy)
    names: dict[str, object] = {}
    exec(texts[0], names)
    assert os.path.exists("policy.toml") and names["report"].verdict == "refuted"  # type: ignore[attr-defined]
