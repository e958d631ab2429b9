"""What every answer of phverify can do: show itself as text, as plain data for JSON,
and in notebooks.
"""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import Any, ClassVar, Literal, Protocol

from phverify.errors import printable, refusal
from phverify.shown import SHOWN_BY

Status = Literal["proved", "refuted", "undecided"]


MONOSPACE = "font-family: monospace; white-space: pre"
"""Of text in notebooks, whose templates set it in a proportional font."""
WIDEST = 120


class Reports(Protocol):
    """What shows answers: a module that is named elsewhere."""

    def rendered(self, answer: Any, form: str, *how: Any) -> Any:
        """An answer in one of its forms, as text or as data."""

    def page_of(self, answer: Any, public: bool, evidence: Any) -> str:
        """The page of an answer, as a file."""

    def fragment_of(self, answer: Any) -> str:
        """The page of an answer, for a notebook."""


def reports() -> Reports:
    """What shows answers, loaded when one is shown: who only asks for a verdict does
    not wait for it.
    """
    module: Any = import_module(SHOWN_BY)
    shown_by: Reports = module
    return shown_by


class Result:
    """Base of all answers.  By its ``verb`` reports know how to show it."""

    verb: ClassVar[str]
    drawn: ClassVar[bool] = False
    """Whether it has a page; otherwise a notebook shows the text."""

    def __init_subclass__(cls) -> None:
        # A dataclass would write one with all its fields, a screen full.
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def lines(self) -> list[str]:
        """The answer as lines of plain text, verdicts first word of their lines."""
        lines: list[str] = reports().rendered(self, "text")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The answer as ``--json`` writes it."""
        data: dict[str, Any] = reports().rendered(self, "json")
        return data

    def to_html(self, public: bool = False, evidence: Any = None) -> str:
        """The answer as ``--html`` writes it: a page that stands by itself.

        A ``public`` one has no value of the data, nobody's identity and no rare
        combination.  ``evidence`` says how the answer was asked for, where that is
        known (an ``Evidence``).  Raises InputError for answers that have no page.
        """
        if not self.drawn:
            what = f"has no page: {type(self).__name__} is told as text and as JSON"
            raise refusal(self.verb, what)
        return reports().page_of(self, public, evidence)

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
            return reports().fragment_of(self)
        text = escape(str(self))
        return f'<pre style="{MONOSPACE}">{text}</pre>'
