"""What every answer of phverify can do: show itself as text, as plain data for JSON,
and in notebooks.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from importlib import import_module
from typing import Any, ClassVar, Literal

Status = Literal["proved", "refuted", "undecided"]


class Result:
    """Base of all answers.  ``verb`` names the modules of ``phverify.report`` that
    render it.

    ``VERB_text`` has ``to_lines``, ``VERB_json`` has ``to_json``; ``VERB_html``, where
    there is one, has ``to_html``. They are loaded when the answer is shown: who only
    asks for a verdict waits for none of them.
    """

    verb: ClassVar[str]
    drawn: ClassVar[bool] = False
    """Whether there is a ``VERB_html``; otherwise a notebook shows the text."""

    def lines(self) -> list[str]:
        """The answer as lines of plain text, verdicts first word of their lines."""
        found: list[str] = self._renderer("text", "to_lines")(self)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The answer as ``--json`` writes it."""
        found: dict[str, Any] = self._renderer("json", "to_json")(self)
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return (
            str(self._renderer("html", "to_html")(self))
            if self.drawn
            else f"<pre>{escape(str(self))}</pre>"
        )

    def _renderer(self, form: str, function: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(
            import_module(f"phverify.report.{self.verb}_{form}"), function
        )
        return found
