"""Fetches axe-core, the rules of accessibility, from the npm registry: one release,
known by its hash.

    python tests/support/axe.py FOLDER
"""

from __future__ import annotations

import base64
import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path

VERSION = "4.14.1"
PLACE = f"https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz"
SHA512 = (
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVG"
    "tQ=="
)
FILE = "axe.min.js"


def fetch(folder: Path) -> None:
    """Write the one file that pages need."""
    with urllib.request.urlopen(PLACE, timeout=60) as answer:
        packed = answer.read()
    digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()
    if digest != SHA512:
        sys.exit(f"{PLACE} is not what it was: sha512 {digest}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        script = archive.extractfile(f"package/{FILE}")
        assert script is not None
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_bytes(script.read())


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
