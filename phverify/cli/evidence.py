"""How an answer was asked for: the command, the files that it read, their hashes."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from phverify.errors import HIDDEN, InputError
from phverify.errors.redaction import without_password
from phverify.microdata.files import TableFile
from phverify.microdata.formats import is_pattern, matching
from phverify.policy.model import examine
from phverify.report.evidence import Evidence, InputFile
from phverify.spec.source import Names

ROLES = {
    "certificate": "certificate",
    "release": "release",
    "original": "original",
    "table": "table",
    "database": "database",
    "log": "query log",
    "file": "mechanism",
    "method": "links",
    "first": "first side",
    "second": "second side",
    "policy": "policy",
}
"""What the files are that options name, in the order in which they are told."""
NO_FILE = "it is no file"
UNNAMED = "said by options of the command"
REDACTED = "left out beside --redact"


def evidence_of(options: argparse.Namespace) -> Evidence:
    """What is known of how an answer was asked for."""
    redacted = bool(getattr(options, "redact", False))
    files = tuple(_inputs(options, redacted))
    command = ("phverify", *_command(options, redacted))
    return Evidence(command, files, _check(options), redacted)


def _command(options: argparse.Namespace, redacted: bool) -> Iterator[str]:
    """The words of the command; redacted, without rules, which may name values."""
    secret: list[str] = []
    # Beside a policy file --rule has names of rules.
    if redacted and isinstance(getattr(options, "policy", None), dict):
        secret += getattr(options, "rule", ())
    for word in getattr(options, "invoked", ()):
        shown = without_password(word)
        for rule in secret:
            shown = shown.replace(rule, HIDDEN)
        yield shown


def evident(
    options: argparse.Namespace, make: Callable[[], dict[str, Any]]
) -> Callable[[], dict[str, Any]]:
    """An answer as JSON, with its evidence."""

    def plain() -> dict[str, Any]:
        return {**make(), "evidence": evidence_of(options).to_dict()}

    return plain


def _inputs(options: argparse.Namespace, redacted: bool) -> Iterator[InputFile]:
    """All files that were read, in the order of ``ROLES``; hierarchies last."""
    reads = dict(ROLES)
    # Elsewhere it is a file to be written.
    if options.command != "check":
        del reads["certificate"]
    for option, role in reads.items():
        given = getattr(options, option, None)
        # What compare is given may be a formula, and links may be a method's name.
        sides = option in ("first", "second", "method")
        if given is None or (sides and not _is_file(given)):
            continue
        if isinstance(given, TableFile) and given.content is not None:
            yield _piped(role, given.content, redacted)
        elif isinstance(given, dict):
            yield InputFile(role, UNNAMED, None, NO_FILE)
        else:
            yield from _files(role, without_password(str(given)), redacted)
    for role, name in _hierarchies(options):
        yield from _files(role, name, redacted)


def _piped(role: str, content: bytes, redacted: bool) -> InputFile:
    """What came through a pipe."""
    if redacted:
        return InputFile(role, "-", None, REDACTED)
    return InputFile(role, "-", hashlib.sha256(content).hexdigest())


def _files(role: str, name: str, redacted: bool) -> Iterator[InputFile]:
    """A file, or all that a pattern stands for."""
    names = [name]
    if is_pattern(name):
        names = [str(file) for file in matching(name)]
    for one in names:
        if redacted:
            yield InputFile(role, one, None, REDACTED)
        elif not _is_file(one):
            yield InputFile(role, one, None, NO_FILE)
        else:
            yield InputFile(role, one, sha256_of(Path(one)))


def _hierarchies(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The files of hierarchies that policies name."""
    for option in ("policy", "first", "second"):
        given = getattr(options, option, None)
        if given is None:
            continue
        try:
            policy, _ = examine(given)
        # What is no policy is complained of elsewhere.
        except InputError:
            continue
        for column, source in policy.hierarchies.items():
            if isinstance(source, Path):
                yield f"hierarchy of {column}", str(source)


def _is_file(name: Any) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError, TypeError):
        return False


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file as it is now."""
    state = path.stat()
    return _digest(path, state.st_mtime_ns, state.st_size)


@cache
def _digest(path: Path, modified: int, size: int) -> str:
    """The same, once as long as the file does not change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(options: argparse.Namespace) -> Names:
    """The command that checks the certificate that was asked for."""
    certificate = getattr(options, "certificate", None)
    if options.command == "check" or not certificate:
        return ()
    command = ["phverify", "check", certificate]
    for option in ("release", "original", "table", "policy"):
        given = getattr(options, option, None)
        # A policy may be said by options: then the certificate has it.
        if given is not None and not isinstance(given, dict):
            command += [f"--{option}", str(given)]
    written = getattr(options, "output", None)
    if written is not None:
        command += ["--release", written]
    return tuple(command)
