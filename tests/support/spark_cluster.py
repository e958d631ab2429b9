"""A cluster of Spark on this machine: a master and two workers, as processes of their
own, from the scripts that the package of pyspark brings.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

DEPLOYED = "org.apache.spark.deploy"
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Programs that run for seconds are not worth compiling twice."""
DEFAULTS = f"""
spark.driver.memory 512m
spark.driver.host 127.0.0.1
spark.driver.extraJavaOptions {JAVA}
spark.executor.memory 512m
spark.executor.extraJavaOptions {JAVA}
spark.sql.shuffle.partitions 2
spark.sql.files.openCostInBytes 134217728
"""
"""Small, and each file is a task of its own."""
STARTED = 60
"""Seconds within which a process has to be there."""


def absent() -> str:
    """What is not there of what Spark needs, as the reason why its tests are skipped."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: make test-spark installs it"
    if shutil.which("java") is None:
        return "Java is not installed: make test-spark installs it"
    return ""


def free_port() -> int:
    """A port of this machine at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def settings(folder: Path) -> Iterator[dict[str, str]]:
    """An environment in which sessions of Spark are small; also of this process."""
    (folder / "spark-defaults.conf").write_text(DEFAULTS, encoding="utf-8")
    names = {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "128m",
        "SPARK_DAEMON_JAVA_OPTS": JAVA,
        "SPARK_NO_DAEMONIZE": "1",
    }
    before = dict(os.environ)
    os.environ.update(names)
    try:
        yield {**os.environ}
    finally:
        os.environ.clear()
        os.environ.update(before)


@dataclass
class Cluster:
    """Where the master is, and the processes of the workers."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def kill_worker(self) -> None:
        """End one worker at once, and what it runs for sessions."""
        end(self.workers.pop())


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(STARTED)


def _end_with_parent() -> None:
    """A process ends when that of the tests does, however that ends."""
    set_signal_at_end = 1
    ctypes.CDLL(None).prctl(set_signal_at_end, signal.SIGKILL)


@contextmanager
def cluster(folder: Path, environment: dict[str, str]) -> Iterator[Cluster]:
    """A master and two workers, which end with the block."""
    import pyspark

    script = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    with ExitStack() as ending:

        def started(name: str, *arguments: str) -> subprocess.Popen[bytes]:
            log = ending.enter_context((folder / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                [str(script), *arguments],
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
            ending.callback(end, process)
            return process

        started("master", f"{DEPLOYED}.master.Master", *local, "--port", str(port))
        workers = []
        for name in ("one", "two"):
            work = [
                "--cores",
                "1",
                "--memory",
                "600m",
                "--work-dir",
                str(folder / name),
            ]
            worker = started(name, f"{DEPLOYED}.worker.Worker", *local, *work, master)
            workers.append(worker)
        for name in ("one", "two"):
            _wait_for(folder / f"{name}.log", b"Successfully registered")
        yield Cluster(master, workers)


def _wait_for(log: Path, text: bytes) -> None:
    """Wait until a process has written something."""
    until = time.monotonic() + STARTED
    while text not in log.read_bytes():
        assert time.monotonic() < until, log.read_text(encoding="utf-8")
        time.sleep(0.1)
