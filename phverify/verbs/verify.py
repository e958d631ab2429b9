"""``verify``: does this release satisfy this policy?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import refusal
from phverify.microdata.read import read
from phverify.policy.bind import bind
from phverify.policy.model import PolicySource, beside, examine
from phverify.verification.result import Report
from phverify.verification.run import Encoding, decided, shown_as

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


def verify(
    release: TableSource,
    policy: PolicySource,
    original: TableSource | None = None,
    budget: float | Deadline | None = None,
    *,
    encoding: Encoding = "quotient",
    rules: Sequence[str] = (),
    redact: bool = False,
    keep: bool = False,
    partly: bool = False,
    progress: Tell = lambda step: None,
) -> Report:
    """Decide every rule of a policy for a release.

    ``release`` and ``original`` are paths (CSV, Parquet) or DataFrames; with
    ``original`` the release is first checked to be a sanitization of it, and
    individuals are its rows.  ``budget`` is in seconds, for all rules together (or a
    ``Deadline`` that other steps share); what it does not suffice for is undecided.
    ``rules`` restricts the run to some rules.  ``redact`` leaves confidential values
    out of the report.  With ``keep``, each rule's result keeps the questions behind it
    as SMT-LIB texts.  With ``partly``, Ctrl-C leaves rules that are not decided yet
    undecided, instead of ending it all.  ``progress`` is told each step.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    time_left = deadline_of(budget)
    if encoding not in ("quotient", "full"):
        raise refusal("encoding", f"is quotient or full, not {encoding!r}")
    found, problems = examine(policy)
    progress("reading")
    table = read(release, found.named, "release")
    before = None if original is None else read(original, found.named, "original")
    problems = beside(policy, problems, table.columns)
    progress("counting classes")
    bound = bind(found, table, before, tuple(rules), problems)
    style = shown_as(found, redact)
    return decided(
        bound,
        found.source,
        table.source,
        time_left,
        encoding,
        style,
        progress,
        keep,
        partly,
    )
