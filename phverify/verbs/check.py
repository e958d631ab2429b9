"""``check``: certificates of verdicts and of minimality, each with what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline
from phverify.constraints.agree import agree, agree_on
from phverify.errors import InputError, Problem
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.read import existing_file
from phverify.policy.model import Policy
from phverify.spec.certificate import check as claims
from phverify.spec.certificate import unproved
from phverify.spec.form import KIND as MINIMALITY
from phverify.spec.minimal import Judges
from phverify.spec.minimal import check as minimality
from phverify.spec.shape import KIND as VERDICT
from phverify.verbs.check_bound import none_below
from phverify.verbs.check_inputs import given
from phverify.verbs.check_result import CheckResult, gathered, loaded

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
    require: str | None = None,
    budget: float | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> CheckResult:
    """Verify a certificate again.

    It is read by ``phverify.spec`` alone, without the engine, and without a solver wherever it holds proofs.
    One of a verdict (``verify``) needs the ``release``, a CSV file, and the ``original`` where there was one.  With a
    ``policy`` file it must be about that policy and the hierarchies that it names.
    One of minimality (``search``) needs the ``table`` before sanitization and the ``policy``; with ``release``, the
    released file must hold what the candidate makes of the table.
    ``require="proved"`` asks for more: every rule of the policy given must be proved, else the result is ``unmet``.
    ``budget`` is in seconds, for everything; when it runs out the result is undecided.
    Raises InputError when an input is missing or cannot be read.
    """
    clock = Deadline(_seconds(budget))
    claimed = loaded(certificate, (VERDICT, MINIMALITY))
    if require not in (None, "proved"):
        raise InputError(Problem("--require", f"is proved, not {require!r}"))
    if require and policy is None:
        what = "every rule of your policy is required to be proved, and no policy is given"
        raise InputError(Problem("--require proved", what, "--policy FILE; a certificate's own policy is its author's"))
    if claimed.get("kind") == VERDICT:
        _only({"release": release}, {"table": table, "hierarchies": hierarchies}, "a verdict")
        assert release is not None
        before = None if original is None else _csv(original, "original")
        file = None if policy is None else _policy_file(policy)
        lines = claims(claimed, _csv(release, "release"), before, lambda system: agree(system, clock.left()), file)
        found = gathered(lines, progress, clock)
        return replace(found, unmet=tuple(unproved(claimed))) if require and found.accepted else found
    _only({"table": table, "policy": policy}, {"original": original}, "minimality")
    assert table is not None and policy is not None
    unfit = "the certificate does not fit this table and policy: "
    steps = _minimality(claimed, table, policy, hierarchies or {}, release, clock, progress)
    return gathered(steps, progress, clock, unfit)


def _seconds(budget: float | None) -> float | None:
    if budget is not None and not budget > 0:
        raise InputError(Problem("budget", f"is a number of seconds above 0, not {budget}"))
    return budget


def _minimality(
    claimed: Mapping[str, Any],
    table: File | pd.DataFrame,
    policy: Policy | File,
    hierarchies: Mapping[str, File | Hierarchy],
    release: File | None,
    clock: Deadline,
    progress: Callable[[str], None],
) -> Iterator[str]:
    """What was verified about the least candidate.  Raises Refused, and InputError for what cannot be read."""
    progress("reading")
    judges = Judges(lambda texts: agree_on(texts, clock.left()), none_below(progress, clock))
    yield from minimality(claimed, given(table, policy, hierarchies, release), judges)


def _policy_file(policy: Policy | File) -> Path:
    """A policy's file, which the checker reads by itself.  Raises InputError when it cannot be read."""
    if isinstance(policy, Policy):
        raise InputError(Problem("policy", "a certificate of a verdict quotes a policy's text", "give the file"))
    file = existing_file(policy, "policy")
    try:
        file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(Problem(str(file), "is not UTF-8")) from None
    except OSError as error:
        raise InputError(Problem(str(file), f"cannot be read: {error.strerror}")) from None
    return file


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
