"""What every answer of phverify can do: show itself as text, as plain data for JSON,
and in notebooks.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from importlib import import_module
from typing import Any, ClassVar, Literal

from phverify.errors import printable, refusal

Status = Literal["proved", "refuted", "undecided"]


MONOSPACE = "font-family: monospace; white-space: pre"
"""Of text in notebooks, whose templates set it in a proportional font."""
WIDEST = 120


class Result:
    """Base of all answers.  ``verb`` names the modules of ``phverify.report`` that
    render it.

    ``VERB_text`` has ``to_lines``, ``VERB_json`` has ``to_json``; ``VERB_html``, where
    there is one, has ``to_page``. They are loaded when the answer is shown: who only
    asks for a verdict waits for none of them.
    """

    verb: ClassVar[str]
    drawn: ClassVar[bool] = False
    """Whether there is a ``VERB_html``; otherwise a notebook shows the text."""

    def __init_subclass__(cls) -> None:
        # A dataclass would write one with all its fields, a screen full.
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def lines(self) -> list[str]:
        """The answer as lines of plain text, verdicts first word of their lines."""
        renderer = self._renderer("text", "to_lines")
        lines: list[str] = renderer(self)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The answer as ``--json`` writes it."""
        data: dict[str, Any] = self._renderer("json", "to_json")(self)
        return data

    def to_html(self, public: bool = False) -> str:
        """The answer as ``--html`` writes it: a page that stands by itself.

        A ``public`` one has no value of the data, nobody's identity and no rare
        combination.  Raises InputError for answers that have no page.
        """
        return str(self._written("page_file", public))

    def counted(self) -> str:
        """What was counted, in a few words; nothing where the verdict says it all."""
        return ""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        parts = [getattr(self, "verdict", ""), self.counted()]
        said = ": ".join(part for part in parts if part)
        line = printable(f"{type(self).__name__}({said})")
        if len(line) <= WIDEST:
            return line
        return f"{line[: WIDEST - 3]}..)"

    def _repr_html_(self) -> str:
        if self.drawn:
            return str(self._written("page_fragment", False))
        text = escape(str(self))
        return f'<pre style="{MONOSPACE}">{text}</pre>'

    def _written(self, writer: str, public: bool) -> str:
        """The page of the answer, written in one of the two forms."""
        if not self.drawn:
            what = f"has no page: {type(self).__name__} is told as text and as JSON"
            raise refusal(self.verb, what)
        page = self._renderer("html", "to_page")(self, public)
        write = getattr(import_module("phverify.report.html"), writer)
        return str(write(page))

    def _renderer(self, form: str, function: str) -> Callable[..., Any]:
        module = import_module(f"phverify.report.{self.verb}_{form}")
        renderer: Callable[..., Any] = getattr(module, function)
        return renderer
