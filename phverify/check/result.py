"""What a check answers, and certificates read from files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.certificate.data import Refused
from phverify.errors import InputError, Problem
from phverify.report.text import printable
from phverify.tables.read import existing_file

MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, AssertionError)


@dataclass(frozen=True)
class CheckResult:
    """``accepted`` with what was verified, or refused because of ``problem``."""

    accepted: bool
    verified: tuple[str, ...]
    problem: str = ""

    def __str__(self) -> str:
        lines = [f"  ok  {line}" for line in self.verified]
        lines.append("ACCEPTED" if self.accepted else f"REFUSED: {self.problem}")
        return "\n".join(map(printable, lines))


def gathered(claims: Iterator[str], progress: Callable[[str], None], unfit: str = "") -> CheckResult:
    """The result of verifying claim after claim; ``unfit`` says what is wrong after the first one held."""
    verified: list[str] = []
    try:
        for line in claims:
            progress(line)
            verified.append(line)
    except Refused as error:
        return CheckResult(False, tuple(verified), f"{unfit if verified else ''}{error}")
    except MALFORMED as error:
        return CheckResult(False, tuple(verified), f"the certificate is malformed: {type(error).__name__} {error}")
    return CheckResult(True, tuple(verified))


def loaded(certificate: str | PathLike[str] | Mapping[str, Any], kinds: tuple[str, ...]) -> Mapping[str, Any]:
    """A certificate of one of these kinds.  Raises InputError for a file that is none."""
    if isinstance(certificate, Mapping):  # one of another kind is refused, like any other false claim
        return certificate if "kind" in certificate else _kind(certificate, "certificate", kinds)
    file = existing_file(certificate, "certificate")
    try:
        found = parsed(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(str(file), f"cannot be read: {error.strerror}")) from None
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(str(file), f"is no JSON: {error}")) from None
    return _kind(found, str(file), kinds)


def _kind(found: Any, where: str, kinds: tuple[str, ...]) -> Mapping[str, Any]:
    """What was found, if it is a certificate of one of these kinds.  Raises InputError."""
    if not isinstance(found, Mapping) or found.get("kind") not in kinds:
        hint = "phverify verify --certificate FILE or phverify search --certificate FILE writes one"
        raise InputError(Problem(where, "is no certificate", hint))
    return found


def parsed(text: str) -> Any:
    """JSON in which no name occurs twice.  Raises ValueError."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found
