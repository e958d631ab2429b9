"""What the tests of check claims have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phverify as ph


class Desk:
    """A folder with the files of a question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        if text:
            path.write_text(text, encoding="utf-8")
        return path

    def certificate(self, content: Any) -> Path:
        return self("cert.json", json.dumps(content))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


TWO = """[columns]
quasi = ["q"]
sensitive = ["f"]
[types]
f = ["a", "b", "c"]
[secrets]
"*" = ["f = a"]
i1 = ["f = b"]
i2 = ["f = b"]
i3 = ["f = b"]
i4 = ["f = b"]
[rules]
good = "k_anonymity(2)"
bad = "k_anonymity(3)"
"""


@pytest.fixture
def two(desk: Desk) -> Desk:
    release, policy = (
        desk("release.csv", "q,f\nx,a\nx,b\ny,a\ny,b\n"),
        desk("policy.toml", TWO),
    )
    desk.certificate(ph.certify(ph.verify(release, policy), release, policy))
    return desk
