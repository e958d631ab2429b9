"""What the tests of interrupts have in common."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phverify.cli.main as cli

ROOT = str(Path(cli.__file__).resolve().parents[2])


HOSPITAL = Path(cli.__file__).parents[1] / "examples" / "hospital"


INPUTS = [
    str(HOSPITAL / name) for name in ("release.csv", "policy.toml", "original.csv")
]


SEARCH = ["search", INPUTS[2], "--policy", INPUTS[1]]


ALL = ["--output", "out.csv", "--certificate", "proof.json", "--json", "result.json"]


Shown = tuple[int, str, str]


Run = Callable[..., Shown]


Patch = pytest.MonkeyPatch


NAMES = (
    "verbs.prepared_search",
    "verbs.search",
    "verbs.search_input",
    "verbs.verify",
    "verbs.certify",
    "verbs.release_tables",
    "generalization.answer",
    "generalization.bound_again",
    "generalization.loop",
)
NAMES += ("verification.run", "comparison.run")


modules = {name: importlib.import_module(f"phverify.{name}") for name in NAMES}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Patch) -> Run:
    """One command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def shown(*arguments: str) -> Shown:
        code = cli.main(list(arguments))
        return (code, *capsys.readouterr())

    return shown


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


def stop(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def stops_at(monkeypatch: Patch, owner: Any, name: str, call: int = 1) -> None:
    """Ctrl-C at the given call of a function."""
    plain, calls = getattr(owner, name), [0]

    def stopping(*arguments: Any, **more: Any) -> Any:
        calls[0] += 1
        return stop() if calls[0] == call else plain(*arguments, **more)

    monkeypatch.setattr(owner, name, stopping)
