"""A report that shows itself in notebooks and converts itself to text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify import verdict
from phverify.report.html import to_html
from phverify.report.json import to_json
from phverify.report.text import to_lines


@dataclass(frozen=True)
class Report(verdict.Report):
    """The answer to one ``verify`` (see ``phverify.verdict.Report``) with its three renderings."""

    def __str__(self) -> str:
        return "\n".join(to_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """The report as ``--json`` writes it."""
        return to_json(self)

    def _repr_html_(self) -> str:
        return to_html(self)
