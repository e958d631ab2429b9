"""The files that a certificate of minimality names by SHA-256."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from phverify.microdata.files import TableFile
from phverify.microdata.formats import is_pattern
from phverify.spec.certificate import digest
from phverify.spec.source import Plain

if TYPE_CHECKING:
    from phverify.generalization.result import SearchResult
    from phverify.recoding.result import RecodingResult

Searched = TypeVar("Searched", "SearchResult", "RecodingResult")


def naming_inputs(answer: Searched, table: object, policy: object) -> Searched:
    """The answer of a search, whose certificate names the files that it is of."""
    make = answer.make_certificate
    if make is None:
        return answer
    # A pipe is empty by now: what came through it is at hand.
    content = table.content if isinstance(table, TableFile) else table

    def named() -> dict[str, Any]:
        return naming(make(), table=content, policy=policy)

    return replace(answer, make_certificate=named)


def naming(certificate: Plain, **files: object) -> dict[str, Any]:
    """The certificate with the SHA-256 of files: ``table``, ``policy``, ``release``;
    contents, or paths.

    What is in memory alone has none.
    """
    named = dict(certificate["files"])
    for name, given in files.items():
        if sha256 := _sha256(given):
            named[name] = sha256
    content = {**certificate, "files": named}
    return {**content, "digest": digest(content)}


def _sha256(given: object) -> str | None:
    """The digest of a file or of its content; None for a table that is in memory, or in
    many files."""
    if isinstance(given, str | PathLike) and not is_pattern(given):
        with Path(given).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if not isinstance(given, bytes):
        return None
    return hashlib.sha256(given).hexdigest()
