"""Statements as Metabase, Looker, Tableau, Superset, dbt, pandas, Power BI and analysts
write them, in seven dialects, and what happens to each.

A fate may improve: what is bounded here may be modelled exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from support.corpus_cases import (
    POLICY,
    RANKS,
    answers_alike,
    corpus,
    duckdb,
    fate,
    fill,
)

from phverify.budget import Deadline
from phverify.disclosure.policy_reader import load
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.verbs.auditor import Auditor

pytest.importorskip("sqlglot")
ENTRIES = corpus()
LEAST = 85
"""So many statements of a hundred are modelled or bounded at least, of those that are
not about public data alone.
"""


@pytest.fixture(scope="module")
def understand(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Understanding]:
    """How statements of a dialect are understood."""
    path = tmp_path_factory.mktemp("corpus") / "employees.duckdb"
    with duckdb.connect(str(path)) as connection:
        fill(connection)

    @cache
    def of(dialect: str) -> Understanding:
        settings = load({**POLICY, "dialect": dialect})
        source = open_database(path, "employees")
        frame = read(source, settings)
        return Auditor(source, frame, [], Deadline(None), 8.0, 0.0).understanding

    return of


def test_the_corpus_is_of_many_tools_and_dialects() -> None:
    assert len(ENTRIES) >= 150
    assert len({entry["dialect"] for entry in ENTRIES}) >= 6
    assert len({entry["tool"] for entry in ENTRIES}) >= 8
    fates = Counter(entry["fate"] for entry in ENTRIES)
    covered = fates["exact"] + fates["bounded"]
    assert 100 * covered >= LEAST * (covered + fates["refused"])


def test_the_page_has_its_numbers() -> None:
    page = Path(__file__).parent.parent / "docs" / "bounded.md"
    words = " ".join(page.read_text(encoding="utf-8").split())
    fates = Counter(entry["fate"] for entry in ENTRIES)
    assert f"has {len(ENTRIES)} statements as" in words
    assert (
        f"{fates['public']} are about public data; of the others {fates['exact']} are"
        f" modelled exactly, {fates['bounded']} bounded, and {fates['refused']} refused"
    ) in words


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["sql"][:60])
def test_what_happens_to_a_statement(
    entry: dict[str, str], understand: Callable[[str], Understanding]
) -> None:
    found, says = fate(understand(entry["dialect"]), entry)
    expected = entry["fate"]
    # A statement over public data may be audited as it stands: it rules nothing out.
    reached = RANKS["public"] if found == "exact" else RANKS[found]
    assert reached >= RANKS[expected], says
    if found == expected:
        assert entry["says"] in says
    # What is public is never so by mistake: nothing may improve to it.
    assert found != "public" or expected in ("public", "exact"), says


@pytest.mark.parametrize(
    "sql",
    [
        entry["sql"]
        for entry in ENTRIES
        if entry["fate"] == "public"
        and entry["sql"].upper().startswith(("SELECT", "WITH"))
    ],
    ids=lambda sql: sql[:60],
)
def test_what_is_public_answers_alike_in_all_worlds(sql: str) -> None:
    """By DuckDB, where it can execute the statement."""
    text = sql.replace("`", '"').replace("[", '"').replace("]", '"')
    try:
        assert answers_alike(text)
    except duckdb.Error:
        pytest.skip("DuckDB has no such statement")
