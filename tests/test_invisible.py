"""Characters that nobody sees, or that turn a line around, are escaped in every file
that an audit writes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from phverify.cli.main import main
from phverify.errors import CONTROLS

NAME = "A\u202eb\u200bx"
POLICY = """
table = "accounts"
key = "name"
[sensitive]
balance = { from = 0, to = 1000 }
[protect]
"secret\\u202e" = { column = "balance" }
"""


def audited(folder: Path, ending: str) -> tuple[str, str]:
    """The texts of --dltts and --json."""
    table = f"name,balance\n{NAME},5\nC,7\n"
    queries = [
        f"SELECT SUM(balance) FROM accounts WHERE name <> '{NAME}';",
        "SELECT SUM(balance) FROM accounts;",
    ]
    (folder / "accounts.csv").write_text(table, encoding="utf-8")
    (folder / "log.sql").write_text("\n".join(queries), encoding="utf-8")
    (folder / "audit.toml").write_text(POLICY, encoding="utf-8")
    inputs = {"database": "accounts.csv", "log": "log.sql", "policy": "audit.toml"}
    outputs = {"dltts": f"system{ending}", "json": "report.json"}
    arguments = ["audit"]
    for flag, name in (inputs | outputs).items():
        arguments += [f"--{flag}", str(folder / name)]
    assert main(arguments) == 1
    texts = [(folder / name).read_text(encoding="utf-8") for name in outputs.values()]
    return texts[0], texts[1]


@pytest.mark.parametrize("ending", [".json", ".svg", ".dot"])
def test_what_nobody_sees_is_escaped(ending: str, tmp_path: Path) -> None:
    system, report = audited(tmp_path, ending)
    for text in (system, report):
        unseen = set(CONTROLS.findall(text)) - {"\n"}
        assert not unseen
        assert re.search(r"A\\+u202eb\\+u200bx", text)
    for text in [report, *([system] if ending == ".json" else [])]:
        assert NAME in json.dumps(json.loads(text), ensure_ascii=False)
