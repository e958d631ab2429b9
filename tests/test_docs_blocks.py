"""Every block of every page is run by some test, or it is said here why it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.documentation import ROOT, blocks, pages
from test_docs_pages import PAGES
from test_readme import README, REFERENCE

DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="installed without docs")
RUN = {
    **{DOCS / name: ("console", "toml", "python") for name in PAGES},
    **dict.fromkeys((README, *REFERENCE), ("", "python", "toml")),
    # By tests of their own.
    DOCS / "audit-data.md": ("csv", "toml", "sql", ""),
    DOCS / "dltts.md": ("", "python"),
    DOCS / "mechanisms.md": ("python",),
    DOCS / "evidence.md": ("python",),
    DOCS / "howto" / "yearly.md": ("csv", "toml"),
    DOCS / "reference" / "commands.md": ("console",),
}
"""Which languages of a page are run."""
NOT_RUN = {
    "$ make demo": "a target of make, which starts all of this",
    "pip install ": "installs from a package index",
    "$ pip install ": "installs from a package index",
    "jobs:": "runs on a server; tests/test_gates_called.py runs its script",
    "repos:": "is read by pre-commit; tests/test_gates_called.py runs the hooks",
    "models:": "is read by dbt; tests/test_dbt.py runs it",
    "def test_the_release": "is run by pytest in tests/test_check_frame.py",
    "mkdir -p ": "writes to the home of who installs it",
    "export SPARK_CONF_DIR": "needs a cluster; tests/test_spark_cluster.py has one",
    'ph.verify("release/*.parquet"': "needs a cluster, as above",
    "[names]": "a section of the policy of an audit",
    "[log]": "a section of the policy of an audit",
    "[answers]": "a section of the policy of an audit",
    "phverify: survey.csv": "an error; tests/test_cli_mechanism.py provokes it",
    'table = "survey.csv"': "entries of which a description has one",
    "adjacent = ": "entries of which a description has one",
    '{"sql": ': "lines of a log",
    "answer,never,once,often": "a table of the survey, as it is packaged",
}
"""How blocks begin that are not run, each with the reason."""


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_every_block_is_run_or_known(page: Path) -> None:
    for language, text in blocks(page):
        if language.startswith("{"):
            continue
        known = any(text.startswith(begins) for begins in NOT_RUN)
        run = language in RUN.get(page, ())
        # Without a command nothing can be run: output stands below what prints it.
        if language == "" and page in (README, *REFERENCE):
            run = re.search(r"^\$ phverify ", text, re.MULTILINE) is not None
        assert run or known, text.partition("\n")[0]


def test_no_reason_is_left_over() -> None:
    every = [text for page in pages() for _, text in blocks(page)]
    for begins in NOT_RUN:
        assert any(text.startswith(begins) for text in every), begins


def test_the_beliefs_of_the_page_are_what_is_said() -> None:
    (text,) = (text for one, text in blocks(DOCS / "evidence.md") if one == "python")
    names: dict[str, object] = {}
    exec(text, names)
    shown = re.findall(r"^([a-z]+\(.*\))  # (\w+)", text, re.MULTILINE)
    assert len(shown) == 4
    for code, answer in shown:
        assert type(eval(code, names)).__name__ == answer, code
