"""The project of ``docs/dbt`` in an environment of its own: ``make test-dbt``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DBT = ROOT / ".venv-dbt" / "bin" / "dbt"
pytestmark = pytest.mark.skipif(not DBT.exists(), reason="no dbt: make test-dbt")


def test_a_model_that_leaks_fails_and_one_that_does_not_passes(tmp_path: Path) -> None:
    project = tmp_path / "dbt"
    shutil.copytree(ROOT / "docs" / "dbt", project)
    done = subprocess.run(
        [str(DBT), "build", "--profiles-dir", ".", "--store-failures"],
        cwd=project,
        env={**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1, done.stdout
    results = json.loads((project / "target" / "run_results.json").read_text())
    told = {
        one["unique_id"].split(".")[2]: (one["status"], one["failures"])
        for one in results["results"]
        if one["unique_id"].startswith("test.")
    }
    assert told == {
        "proved_by_month_policy_toml": ("fail", 1),
        "proved_by_year_policy_toml": ("pass", 0),
    }
    python = DBT.with_name("python")
    asked = (
        "import duckdb; print(duckdb.connect('hospital.duckdb').sql("
        "'FROM main_dbt_test__audit.proved_by_month_policy_toml').fetchall())"
    )
    rows = subprocess.run(
        [str(python), "-c", asked], cwd=project, capture_output=True, text=True
    )
    assert rows.stdout.strip() == "[('safe: REFUTED',)]", rows.stderr
