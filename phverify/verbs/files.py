"""The files that a certificate of minimality names by SHA-256."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.spec.certificate import digest
from phverify.spec.source import Plain


def naming(certificate: Plain, **files: object) -> dict[str, Any]:
    """The certificate with the SHA-256 of files: ``table``, ``policy``, ``release``;
    contents, or paths.

    What is in memory alone has none.
    """
    named = {
        **certificate["files"],
        **{name: found for name, one in files.items() if (found := _sha256(one))},
    }
    content = {**certificate, "files": named}
    return {**content, "digest": digest(content)}


def _sha256(found: object) -> str | None:
    content = Path(found).read_bytes() if isinstance(found, str | PathLike) else found
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else None
