"""What is loaded when: arguments are parsed before anything heavy, and a verb loads what
it needs and no more.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import duckdb
import pandas
import pytest
from support.forked import LoadedServer

import phverify
from phverify.cli.arguments import check
from phverify.cli.arguments.parser import VERBS
from phverify.comparison.run import BUDGET
from phverify.spec import options
from phverify.spec.spaces import OBJECTIVES, SPACES
from phverify.verbs.audit import RANGES
from phverify.verbs.judged_method import TRUTHS

EXAMPLES = Path(phverify.__file__).parent / "examples"
HEAVY = {
    *("numpy", "pandas", "pyarrow", "z3", "cvc5", "ortools", "scipy", "flint"),
    *("duckdb", "sqlglot", "rich", "jinja2", "markupsafe", "pygal", "sklearn"),
}
WATCH = """
import json, sys
from phverify.__main__ import run
sys.argv = ["phverify", *sys.argv[1:]]
try:
    code = run()
except SystemExit as leave:
    code = leave.code
tops = sorted({name.split(".")[0] for name in sys.modules})
rooms = sorted(name for name in sys.modules if name.startswith("phverify."))
print(json.dumps([code, tops, rooms]), file=sys.stderr)
"""
SOLVING = ("numpy", "z3")
HOSPITAL = ["hospital/original.csv", "--policy", "hospital/policy.toml"]
RELEASE = ["hospital/release.csv", "--policy", "hospital/policy.toml"]
BANK = ["--database", "bank/accounts.csv", "--log", "bank/queries.sql"]
ALLOWED = {
    ("verify", *RELEASE, "--original", "hospital/original.csv"): {"numpy", "z3"},
    ("measure", *RELEASE): {"numpy", "z3"},
    ("lint", "hospital/policy.toml"): {"numpy", "z3", "pandas", "pyarrow"},
    ("compare", "k_anonymity(3)", "k_anonymity(2)"): {
        *("numpy", "z3", "pandas", "pyarrow"),
    },
    ("compare-data", "hospital/original.csv", *RELEASE): {"numpy", "z3"},
    ("search", *HOSPITAL): {"numpy", "z3", "ortools", "pandas", "pyarrow"},
    ("reidentify", "hospital/original.csv", *RELEASE): {"numpy", "z3"},
    ("audit", *BANK, "--policy", "bank/audit.toml"): (
        HEAVY - {"rich", "scipy", "jinja2", "markupsafe", "pygal", "sklearn"}
    ),
}
"""Heavy modules that a verb may load on the packaged examples."""


@cache
def server(libraries: tuple[str, ...]) -> LoadedServer:
    """Where these are loaded already."""
    return LoadedServer(WATCH, libraries)


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    for libraries in ((), SOLVING):
        server(libraries).close()


def loaded(
    *arguments: str, before: tuple[str, ...] = SOLVING
) -> tuple[int, set[str], set[str]]:
    """The exit code of a command, the packages that it loaded, and our own modules.

    ``before``: what is loaded already; by default what all verbs may load.
    """
    done = server(before).run(arguments, EXAMPLES)
    code, tops, ours = json.loads(done.err.splitlines()[-1])
    return code, set(tops), set(ours)


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], *([verb, "--help"] for verb in VERBS)],
    ids=" ".join,
)
def test_help_loads_nothing(arguments: list[str]) -> None:
    code, tops, ours = loaded(*arguments, before=())
    assert code == 0
    assert not tops & HEAVY
    allowed = ("phverify.cli.", "phverify.errors", "phverify.version")
    rest = {name for name in ours if not name.startswith(allowed)}
    # Ctrl-C is heard from the start on; the options of check are those of the checker
    # alone, written there once.
    heard = {"phverify.interruption", "phverify.interrupts"}
    shared = {*heard, "phverify.spec", "phverify.spec.options"}
    assert rest <= {"phverify.cli", "phverify.__main__", *shared}


def test_check_takes_what_the_checker_alone_takes() -> None:
    taken: list[set[tuple[str, object, str | None]]] = []
    for add in (options.add_arguments, check.add_arguments):
        parser = argparse.ArgumentParser(add_help=False)
        add(parser)
        told = [(one.dest, one.choices, one.help) for one in parser._actions]
        taken.append({(name, choices, said) for name, choices, said in told})
    alone, whole = taken
    assert alone < whole
    assert {name for name, _, _ in whole - alone} == {
        "budget",
        "html",
        "json",
        "public",
    }


def test_mistyped_options_are_refused_before_anything_is_loaded() -> None:
    words = ["verify", "table.csv", "--polcy", "policy.toml"]
    code, tops, _ = loaded(*words, before=())
    assert code == 2
    assert not tops & HEAVY


@pytest.mark.parametrize("arguments", ALLOWED, ids=lambda one: one[0])
def test_a_verb_loads_what_it_needs(arguments: tuple[str, ...]) -> None:
    code, tops, _ = loaded(*arguments)
    assert code in (0, 1)
    assert tops & HEAVY <= ALLOWED[arguments]


def test_a_page_loads_its_templates(tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    code, tops, _ = loaded("verify", *RELEASE, "--html", page)
    assert code == 1
    assert tops & HEAVY == {"numpy", "z3", "jinja2", "markupsafe"}


OF_A_KIND = {
    "release.parquet": {"pyarrow"},
    "release.arrow": {"pyarrow"},
    "release.sqlite": set(),
    "release.duckdb": {"pyarrow", "duckdb"},
    "release.csv": set(),
}
"""What is loaded to read a file of a kind."""
READERS = {"openpyxl", "pyreadstat", "polars", "pyspark", "ibis", "narwhals"}


@pytest.mark.parametrize("name", OF_A_KIND)
def test_a_kind_of_file_loads_what_it_needs(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pandas.read_csv(EXAMPLES / "hospital/release.csv", dtype=str)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".arrow":
        frame.to_feather(path)
    elif path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as connection:
            frame.to_sql("release", connection, index=False)
    elif path.suffix == ".duckdb":
        with closing(duckdb.connect(str(path))) as connection:
            connection.execute("CREATE TABLE release AS SELECT * FROM frame")
    else:
        frame.to_csv(path, index=False)
    code, tops, _ = loaded("verify", str(path), *RELEASE[1:])
    assert code == 1
    assert tops & HEAVY <= {"numpy", "z3", *OF_A_KIND[name]}
    assert not tops & READERS


def test_no_verb_loads_another() -> None:
    rooms = ("generalization", "comparison", "disclosure", "linkage", "mechanisms")
    _, _, ours = loaded("verify", *RELEASE)
    for room in rooms:
        assert not any(name.startswith(f"phverify.{room}") for name in ours), room


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, phverify; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(EXAMPLES.parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not set(done.stdout.split()) & HEAVY
    assert "phverify.verbs.verify" not in done.stdout.split()


def test_names_are_loaded_from_where_types_are_read() -> None:
    """What a type checker sees is what a program gets."""
    source = Path(phverify.__file__).read_text(encoding="utf-8")
    imported: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If):
            for line in node.body:
                if isinstance(line, ast.ImportFrom):
                    home = str(line.module).removeprefix("phverify.")
                    imported[home] = {alias.name for alias in line.names}
    homes = {home: set(names) for home, names in phverify._HOMES.items()}
    assert homes == imported
    for name in phverify.__all__:
        assert getattr(phverify, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'verfy'"):
        phverify.verfy  # type: ignore[attr-defined]  # noqa: B018
    assert set(phverify.__all__) <= set(dir(phverify))


@pytest.mark.parametrize(
    ("verb", "text"),
    [
        ("search", "|".join(SPACES)),
        ("search", "|".join(OBJECTIVES)),
        ("reidentify", "|".join(TRUTHS)),
        ("compare", f"({BUDGET:g})"),
        ("lint", f"({BUDGET:g})"),
        ("audit", f"({RANGES:g})"),
    ],
)
def test_help_says_what_the_verbs_take(
    verb: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from phverify.cli.main import main

    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert text in "".join(capsys.readouterr().out.split())
