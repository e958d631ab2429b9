"""An audit report that shows itself in notebooks and converts itself to text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from phverify.audit import result
from phverify.audit.plain import to_dict
from phverify.audit.report import to_lines


@dataclass(frozen=True)
class AuditReport(result.AuditReport):
    """The answer to one ``audit`` (see ``phverify.audit.result.AuditReport``) with its renderings."""

    def __str__(self) -> str:
        return "\n".join(to_lines(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The report as ``--json`` writes it."""
        return to_dict(self)
