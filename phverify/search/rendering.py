"""A search result that shows itself in notebooks and converts itself to text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from phverify.search import result
from phverify.search.report import to_json, to_lines


@dataclass(frozen=True, eq=False)
class SearchResult(result.SearchResult):
    """The answer to one ``search`` (see ``phverify.search.result.SearchResult``) with its renderings."""

    def __str__(self) -> str:
        return "\n".join(to_lines(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` writes it."""
        return to_json(self)
