"""``check``: certificates of verdicts and of minimality, each with what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.certificate.check import KIND as VERDICT
from phverify.certificate.check import check as claims
from phverify.certificate.form import KIND as MINIMALITY
from phverify.certificate.minimal import Judges
from phverify.certificate.minimal import check as minimality
from phverify.check.bound import none_below
from phverify.check.inputs import given
from phverify.check.result import CheckResult, gathered, loaded
from phverify.errors import InputError, Problem
from phverify.policy.model import Policy
from phverify.proofs.agree import agree, agree_on
from phverify.tables.hierarchy import Hierarchy
from phverify.tables.read import existing_file

if TYPE_CHECKING:
    import pandas as pd

File = str | PathLike[str]


def check(
    certificate: File | Mapping[str, Any],
    table: File | pd.DataFrame | None = None,
    policy: Policy | File | None = None,
    hierarchies: Mapping[str, File | Hierarchy] | None = None,
    *,
    release: File | None = None,
    original: File | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> CheckResult:
    """Verify a certificate again.

    It is read by ``phverify.certificate`` alone, without the engine, and without a solver wherever it holds proofs.
    One of a verdict (``verify``) needs the ``release``, a CSV file, and the ``original`` where there was one.  With a
    ``policy`` file it must be about that policy.
    One of minimality (``search``) needs the ``table`` before sanitization and the ``policy``.
    Raises InputError when an input is missing or cannot be read.
    """
    claimed = loaded(certificate, (VERDICT, MINIMALITY))
    if claimed.get("kind") == VERDICT:
        _only({"release": release}, {"table": table, "hierarchies": hierarchies}, "a verdict")
        assert release is not None
        before = None if original is None else _csv(original, "original")
        text = None if policy is None else _text(policy)
        return gathered(claims(claimed, _csv(release, "release"), before, agree, text), progress)
    _only({"table": table, "policy": policy}, {"release": release, "original": original}, "minimality")
    assert table is not None and policy is not None
    unfit = "the certificate does not fit this table and policy: "
    return gathered(_minimality(claimed, table, policy, hierarchies or {}, progress), progress, unfit)


def _minimality(
    claimed: Mapping[str, Any],
    table: File | pd.DataFrame,
    policy: Policy | File,
    hierarchies: Mapping[str, File | Hierarchy],
    progress: Callable[[str], None],
) -> Iterator[str]:
    """What was verified about the least candidate.  Raises Refused, and InputError for what cannot be read."""
    progress("reading")
    judges = Judges(agree_on, none_below(progress))
    yield from minimality(claimed, given(table, policy, hierarchies), judges)


def _text(policy: Policy | File) -> str:
    """The text of a policy file."""
    if isinstance(policy, Policy):
        raise InputError(Problem("policy", "a certificate of a verdict quotes a policy's text", "give the file"))
    file = existing_file(policy, "policy")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(Problem(str(file), "is not UTF-8")) from None
    except OSError as error:
        raise InputError(Problem(str(file), f"cannot be read: {error.strerror}")) from None


def _csv(given: Any, name: str) -> Path:
    """A table as a file, which the checker reads by itself.  Raises InputError."""
    if hasattr(given, "columns"):
        what = "a certificate of a verdict names a file by its SHA-256"
        raise InputError(Problem(name, what, "give the CSV file, not a DataFrame"))
    return existing_file(given, name)


def _only(needed: Mapping[str, object], unwanted: Mapping[str, object], what: str) -> None:
    """Raises InputError when an input is missing, or is one that the kind of certificate has no use for."""
    absent = [name for name, given in needed.items() if given is None]
    odd = [name for name, given in unwanted.items() if given is not None]
    problems = [Problem("check", f"a certificate of {what} needs the {name}", f"--{name} FILE") for name in absent]
    problems += [Problem("check", f"a certificate of {what} has no use for the {name}") for name in odd]
    if problems:
        raise InputError(problems)
