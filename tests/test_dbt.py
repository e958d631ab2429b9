"""The project of ``docs/dbt`` in an environment of its own: ``make test-dbt``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DBT = ROOT / ".venv-dbt" / "bin" / "dbt"
pytestmark = pytest.mark.skipif(not DBT.exists(), reason="no dbt: make test-dbt")
CONFIGS: dict[str, dict[str, object]] = {
    "where": {"where": "birth is not null"},
    "no_limit": {"limit": 0},
    "limit": {"limit": 5},
    "fail_calc": {"fail_calc": "sum(0)"},
    "error_if": {"error_if": ">5"},
    "warn_if": {"warn_if": ">5", "severity": "warn"},
    "usual": {"error_if": "!= 0", "warn_if": "!= 0", "fail_calc": "count(*)"},
    "severity": {"severity": "warn"},
    "stored_view": {"store_failures_as": "view"},
}
"""What the model that leaks is asked with besides, by the name of the test."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with tests of all configurations, after one run of dbt."""
    project = tmp_path_factory.mktemp("dbt") / "dbt"
    shutil.copytree(ROOT / "docs" / "dbt", project)
    asked = []
    for name, config in CONFIGS.items():
        given = {"arguments": {"policy": "policy.toml"}, "config": config}
        asked.append({"proved": {"name": name, **given}})
    # They stand behind the test of the first model.
    schema = project / "models" / "schema.yml"
    text = schema.read_text(encoding="utf-8")
    head, _, rest = text.partition("  - name: by_year")
    assert rest
    entries = "".join(f"      - {json.dumps(one)}\n" for one in asked)
    schema.write_text(f"{head}{entries}  - name: by_year{rest}", encoding="utf-8")
    done = subprocess.run(
        [
            str(DBT),
            "build",
            "--profiles-dir",
            ".",
            "--store-failures",
            "--threads",
            "2",
        ],
        cwd=project,
        env={**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1, done.stdout
    return project


def told(project: Path) -> dict[str, Any]:
    """What dbt says of each test, by its name."""
    text = (project / "target" / "run_results.json").read_text()
    results = json.loads(text)["results"]
    tests = [one for one in results if one["unique_id"].startswith("test.")]
    return {one["unique_id"].split(".")[2]: one for one in tests}


def test_a_model_that_leaks_fails_and_one_that_does_not_passes(project: Path) -> None:
    results = told(project)
    for name, answer in (
        ("proved_by_month_policy_toml", ("fail", 1)),
        ("proved_by_year_policy_toml", ("pass", 0)),
    ):
        assert (results[name]["status"], results[name]["failures"]) == answer


@pytest.mark.parametrize("name", CONFIGS)
def test_no_configuration_lets_a_model_that_leaks_pass(
    name: str, project: Path
) -> None:
    one = told(project)[name]
    if name in ("usual", "stored_view"):
        assert (one["status"], one["failures"]) == ("fail", 1)
    elif name == "severity":
        # Told, and dbt goes on: that is what this option is for.
        assert (one["status"], one["failures"]) == ("warn", 1)
    else:
        option = name.removeprefix("no_")
        assert one["status"] == "error"
        assert f"leave {option} out" in one["message"]


def test_what_is_stored_names_rules_and_no_value(project: Path) -> None:
    python = DBT.with_name("python")
    asked = (
        "import duckdb; print(duckdb.connect('hospital.duckdb').sql("
        "'FROM main_dbt_test__audit.proved_by_month_policy_toml').fetchall())"
    )
    rows = subprocess.run(
        [str(python), "-c", asked], cwd=project, capture_output=True, text=True
    )
    assert rows.stdout.strip() == "[('safe: REFUTED',)]", rows.stderr
