"""What classes are made for, before the first statement is asked: whatever is not named
here goes the road of single cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.disclosure.log.statements import Statement
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.worlds.database import Database
from phverify.disclosure.worlds.unknowns import AuditFrame, Coding

FROM_ROWS = 600
"""From so many rows on classes are worth their while."""
ROWS_OF_RANGES = 5000
"""Up to so many rows the road of single cells says exactly what is left of each."""
TYPES = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT"}
TYPES |= {"UINTEGER", "UBIGINT", "VARCHAR", "BOOLEAN"}
"""Columns whose cells are their own values."""


def refusals(
    source: Database,
    frame: AuditFrame,
    statements: Sequence[Statement],
    ranges: bool,
) -> Iterator[str]:
    """Why an audit is not for classes; nothing where it may be.

    ``ranges``: what is left of each cell is wanted, too.
    """
    if frame.rows < FROM_ROWS:
        yield "few rows"
    if source.server is not None or source.sqlite is not None:
        yield "another engine answered the log"
    if frame.external:
        yield "external tables"
    yield from _of_policy(frame.policy)
    for name, coding in frame.codings.items():
        if not _plain(coding):
            yield f"{name} is a column of {coding.type}, with {coding.domain.text()}"
    if any(one.kept is not None for one in statements):
        yield "answers that were kept"
    few = frame.rows <= ROWS_OF_RANGES
    if ranges and few and any(_of_range(frame)):
        yield "what is left of cells of many values is wanted"


def _of_policy(policy: AuditPolicy) -> Iterator[str]:
    """What a policy has that classes know nothing of."""
    if not policy.published.exact:
        yield "answers that were published rounded"
    if policy.more_keys:
        yield "a key of several columns"
    if policy.person:
        yield "persons of several rows"
    if policy.views or policy.names:
        yield "views, or other names of the table"
    for protected in policy.protected:
        if protected.kind not in ("exact", "fact"):
            yield f"facts of the kind {protected.kind}"


def _plain(coding: Coding) -> bool:
    """Whether the cells of a column are its values, none of them missing."""
    if coding.type not in TYPES or coding.domain.null:
        return False
    if coding.unordered:
        return False
    return not coding.beside_integers


def _of_range(frame: AuditFrame) -> Iterator[bool]:
    """Of each protected line, whether its cells may have more than two values."""
    for protected in frame.policy.protected:
        # Facts are about columns of two values, or outside (``tables``).
        if protected.kind == "exact":
            yield len(frame.codings[protected.column].codes) > 2
