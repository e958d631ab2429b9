"""What is said of a log beside its file: which columns have what, whose statements are
audited, and how answers were published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

ROLES = ("text", "time", "user", "status", "error", "code", "answer", "parameters")
"""What a column of a history may be."""
OK = ("success", "succeeded", "ok", "done", "complete", "completed", "finished", "true")
"""What a status says of a statement that was answered, in any case."""


@dataclass(frozen=True)
class LogColumns:
    """The columns of a history by role, where its own names do not say them.

    ``ok`` are the statuses of statements that were answered.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    ok: tuple[str, ...] = ()

    def over(self, other: LogColumns) -> LogColumns:
        """These settings, and another's where they say nothing."""
        return replace(
            self, names={**other.names, **self.names}, ok=self.ok or other.ok
        )


@dataclass(frozen=True)
class Published:
    """How the numbers of answers were published: the true one is at most ``far`` away.

    ``unit``: rounded to its multiples, so that the true number says the published one.
    None and zero: exactly.
    """

    far: Fraction = Fraction(0)
    unit: Fraction | None = None

    @property
    def exact(self) -> bool:
        """Whether numbers were published as they are."""
        return not self.far


EXACTLY = Published()
