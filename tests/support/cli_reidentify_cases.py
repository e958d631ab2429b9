"""What the tests of cli reidentify have in common."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import phverify as ph
from phverify.cli.main import main

TOWN = ["people.csv", "shown.csv", "--policy", "town.toml"]


PEOPLE = """name,age,zip,job
Ann,23,10427,baker
Bob Lee,24,10427,baker
Cem,29,10431,nurse
Dan,41,10431,nurse
Eve,42,10431,baker
Fay,58,26015,pilot
"""


SHOWN = """age,zip,job
20-29,104**,baker
20-29,104**,baker
20-29,104**,nurse
>=40,104**,nurse
>=40,104**,baker
>=40,*,pilot
"""


POLICY = """
rows = "same order"
[columns]
quasi = ["age", "zip"]
neutral = ["job"]
identifier = "name"
[agents]
landlord = ["zip"]
colleague = ["age", "zip"]
[hierarchies]
zip = {prefixes = [3]}
"""


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    with_hospital = files("phverify.examples").joinpath("hospital")
    shutil.copytree(str(with_hospital), tmp_path, dirs_exist_ok=True)
    for name, text in (
        ("people.csv", PEOPLE),
        ("shown.csv", SHOWN),
        ("town.toml", POLICY),
    ):
        Path(name).write_text(text, encoding="utf-8")

    def call(arguments: list[str], *more: str, links: str = "") -> tuple[int, str, str]:
        if links:
            Path("links.csv").write_text(links, encoding="utf-8")
            more = ("--method", "links.csv", *more)
        code = main(["reidentify", *arguments, *more])
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def of(columns: dict[str, Any], agents: dict[str, Any], rule: str) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "rows": "same order",
            "columns": columns,
            "agents": agents,
            "rules": {"r": rule},
        }
    )
