"""A PostgreSQL server of this machine, for as long as the tests run."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "s3cret/of:the@test"
QUOTED = "s3cret%2Fof%3Athe%40test"


def binaries() -> Path | None:
    """The folder with initdb and postgres; None where they are not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def missing() -> str:
    """Why no server can be started; "" where one can be."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'phverify[postgres]'"
    if binaries() is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    if os.geteuid() == 0 and not shutil.which("runuser"):
        return "root cannot run PostgreSQL, and there is no runuser"
    return ""


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def server() -> Iterator[str]:
    """The URL of a new server, with its password, that only this machine reaches."""
    folder = binaries()
    assert folder is not None
    # PostgreSQL refuses to be run by root; the package has made a user for it.
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        place = Path(name)
        secret = place / "password"
        secret.write_text(PASSWORD)
        place.chmod(0o755)
        if user:
            shutil.chown(place, "postgres")
            shutil.chown(secret, "postgres")
        data = place / "data"
        common = {"check": True, "capture_output": True, "cwd": name}
        made = [
            "-D",
            data,
            "-U",
            "auditor",
            f"--pwfile={secret}",
            "-A",
            "scram-sha-256",
        ]
        locale = ["--locale=C.UTF-8", "--no-sync", "-E", "UTF8"]
        subprocess.run([*user, folder / "initdb", *made, *locale], **common)  # type: ignore[call-overload]
        port = _free_port()
        settings = f"-p {port} -k {place} -h 127.0.0.1 -F"
        start = [*user, folder / "pg_ctl", "-D", data, "-w", "-l", place / "log"]
        subprocess.run([*start, "-o", settings, "start"], **common)  # type: ignore[call-overload]
        try:
            yield f"postgresql://auditor:{QUOTED}@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*start, "-m", "immediate", "stop"], **common)  # type: ignore[call-overload]
