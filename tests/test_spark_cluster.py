"""A cluster of Spark, of which a worker dies; and clusters that there are not."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import spark_cluster

import phverify as ph
from phverify.cli.main import main

ABSENT = spark_cluster.absent()
needs_spark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"]},
    "rules": {"k": "k_anonymity(2)", "l": "l_diversity(f, 2)", "d": "@d41 q = z"},
}
FILES = 24


def written(folder: Path) -> str:
    """A table in many files, with one class of one row."""
    for number in range(FILES):
        last = "z" if number == 13 else "x"
        table = pd.DataFrame({"q": ["x", "y", last], "f": ["a", "b", "a"]})
        table.to_parquet(folder / f"{number:02}.parquet")
    return f"{folder}/*.parquet"


def kill_while_it_counts(cluster: spark_cluster.Cluster, killed: list[int]) -> None:
    """Kill a worker when it has done a part of the first task, and not all of it."""
    from pyspark import SparkContext

    until = time.monotonic() + 120
    while time.monotonic() < until and not killed:
        time.sleep(0.01)
        context = SparkContext._active_spark_context
        # It has no tracker before it is there as a whole.
        whole = getattr(context, "_jsc", None)
        tracker = context.statusTracker() if whole else None
        for stage in tracker.getActiveStageIds() if tracker else ():
            task = tracker.getStageInfo(stage)
            if task and 2 < task.numCompletedTasks < FILES - 2 == task.numTasks - 2:
                killed.append(task.numCompletedTasks)
                cluster.kill_worker()
                break


@needs_spark
def test_a_worker_that_dies_changes_no_verdict(tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    pattern = written(release)
    here = ph.verify(pattern, POLICY, engine="duckdb")
    killed: list[int] = []
    with (
        spark_cluster.settings(tmp_path) as environment,
        spark_cluster.cluster(tmp_path, environment) as cluster,
    ):
        killer = threading.Thread(target=kill_while_it_counts, args=(cluster, killed))
        killer.start()
        there = ph.verify(pattern, POLICY, engine="spark", spark=cluster.master)
        killer.join()
    assert killed
    assert (there.rows, there.classes) == (3 * FILES, 3)
    for one, other in zip(here.rules, there.rules, strict=True):
        assert (one.verdict, one.witness) == (other.verdict, other.witness)
    assert here.verdict == "refuted"
    assert own_processes() == []


def own_processes() -> list[str]:
    """The processes of Spark that this one started, and that are still there."""
    children = Path("/proc/self/task").glob("*/children")
    numbers = " ".join(child.read_text() for child in children).split()
    commands = [Path(f"/proc/{number}/cmdline").read_text() for number in numbers]
    return [command for command in commands if "spark" in command]


@needs_spark
def test_a_cluster_that_does_not_answer(tmp_path: Path) -> None:
    master = f"spark://127.0.0.1:{spark_cluster.free_port()}"
    start = time.monotonic()
    with pytest.raises(ph.InputError, match=r"does not answer: .*[Rr]efused"):
        ph.verify(written(tmp_path), POLICY, spark=master)
    assert time.monotonic() - start < 20


@needs_spark
def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ph.InputError, match="install Java 17"):
        ph.verify(written(tmp_path), POLICY, engine="spark")


def test_without_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ph.InputError, match=r"pip install 'phverify\[spark\]'"):
        ph.verify(written(tmp_path), POLICY, engine="spark")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"spark": "host:7077"}, "spark://host:7077"),
        ({"spark": 7077}, "spark://host:7077"),
        ({"spark": "local", "engine": "duckdb"}, "the engine is duckdb"),
        ({"engine": "spark", "failing": True}, "--failing read them all"),
        ({"spark": "spark://host"}, "at which port"),
    ],
)
def test_what_is_not_asked_of_spark(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    if said == "at which port" and ABSENT:
        pytest.skip(ABSENT)
    with pytest.raises(ph.InputError, match=said):
        ph.verify(written(tmp_path), POLICY, **given)


@pytest.mark.parametrize("table", ["t.csv", pd.DataFrame({"q": ["x"], "f": ["a"]})])
def test_tables_that_spark_does_not_count(table: Any) -> None:
    with pytest.raises(ph.InputError, match="or write it as Parquet"):
        ph.verify(table, POLICY, engine="spark")


def test_the_command_names_the_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[columns]\nquasi = ["q"]\n[rules]\nk = "k_anonymity(2)"\n')
    pattern = written(tmp_path)
    command = ["verify", pattern, "--policy", str(policy), "--spark", "host:7077"]
    assert main(command) == 2
    assert "is the address of a cluster" in capsys.readouterr().err
