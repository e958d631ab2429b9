"""A report as data: what a page says and shows, before it is HTML.

Each ``VERB_html`` makes a ``Page`` of an answer; ``html`` writes pages.  Blocks hold
plain texts and numbers alone: they are escaped when they are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Tone = Literal["good", "bad", "open", "plain"]
"""A promise kept, a leak, an open question or a warning, and all else."""
TONES: dict[str, Tone] = {"proved": "good", "refuted": "bad", "undecided": "open"}
"""The tones of verdicts."""


class PageBlock:
    """What sections consist of; the macro called ``kind`` writes it."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Paragraph(PageBlock):
    """A text of some sentences."""

    kind = "paragraph"

    text: str


@dataclass(frozen=True)
class CodeText(PageBlock):
    """Lines in letters of one width: formulas, commands."""

    kind = "code"

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Banner(PageBlock):
    """A verdict: its word, and a sentence that says what it means."""

    kind = "banner"

    word: str
    sentence: str
    tone: Tone


@dataclass(frozen=True)
class Remark(PageBlock):
    """A note or a warning beside the text; ``label`` says which."""

    kind = "remark"

    label: str
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Points(PageBlock):
    """A list: of steps, one after the other, where ``ordered``."""

    kind = "points"

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Facts(PageBlock):
    """Names with what they stand for: versions, hashes, counts."""

    kind = "facts"

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table by its title; numbers are aligned to the right."""

    title: str
    number: bool = False


@dataclass(frozen=True)
class DataTable(PageBlock):
    """Rows of texts below titles; the first cell of a row is its header.

    ``more`` says what was left out, where something was.
    """

    kind = "table"

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str = ""


@dataclass(frozen=True)
class Bar:
    """A bar of a length between 0 and 1, with what it is about and its number."""

    label: str
    number: str
    length: float
    tone: Tone = "plain"


@dataclass(frozen=True)
class BarChart(PageBlock):
    """Bars below one another, as a table whose numbers are drawn.

    A histogram is one, too: its labels are the bins.  ``threshold`` is a length at
    which all bars have a mark.
    """

    kind = "bars"

    caption: str
    label: str
    number: str
    bars: tuple[Bar, ...]
    threshold: float | None = None
    more: str = ""


@dataclass(frozen=True)
class BarPair:
    """Two bars that are compared, with their numbers."""

    label: str
    first: str
    first_length: float
    second: str
    second_length: float
    tone: Tone = "plain"


@dataclass(frozen=True)
class PairedBars(PageBlock):
    """Two bars a row: a class beside the table, or before beside after."""

    kind = "pairs"

    caption: str
    label: str
    first: str
    second: str
    pairs: tuple[BarPair, ...]
    more: str = ""


@dataclass(frozen=True)
class CurvePoint:
    """A point by its place, each between 0 and 1 from the lower left, and its
    numbers.
    """

    right: float
    up: float
    x: str
    y: str


@dataclass(frozen=True)
class ChartCurve:
    """A line through points, left to right; in steps where ``stepped``."""

    name: str
    points: tuple[CurvePoint, ...]
    stepped: bool = True


@dataclass(frozen=True)
class CurveChart(PageBlock):
    """Curves over one another; all their points stand in a table below.

    ``alternative`` says in words what the picture shows, ``scale`` are the numbers at
    its ends: least and most to the right, least and most upwards; ``marks`` those that
    stand at the lower axis, where not any will do.
    """

    kind = "curves"

    caption: str
    alternative: str
    x: str
    y: str
    scale: tuple[float, float, float, float]
    curves: tuple[ChartCurve, ...]
    more: str = ""
    marks: tuple[float, ...] = ()


@dataclass(frozen=True)
class TimelineEvent:
    """One step of a timeline; ``word`` marks it, where it needs a mark."""

    title: str
    lines: tuple[str, ...] = ()
    word: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class Timeline(PageBlock):
    """Steps one after the other."""

    kind = "timeline"

    caption: str
    events: tuple[TimelineEvent, ...]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of a matrix; its text says what its colour does."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class MatrixTable(PageBlock):
    """Everything against everything: a row and a column for each."""

    kind = "matrix"

    caption: str
    corner: str
    tops: tuple[str, ...]
    sides: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True)
class Drawing(PageBlock):
    """A picture that is SVG already, whose texts are escaped; ``alternative`` says what
    it shows.
    """

    kind = "drawing"

    caption: str
    alternative: str
    svg: str


@dataclass(frozen=True)
class SignatureLines(PageBlock):
    """A table to be filled in with a pen: a line for each who signs."""

    kind = "signatures"

    caption: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class PageSection:
    """A heading with what stands below it; sections of their own come last."""

    title: str
    blocks: tuple[PageBlock, ...]
    sections: tuple[PageSection, ...] = ()


@dataclass(frozen=True)
class Page:
    """A report: its verdict first, then its sections.

    A ``public`` one has no value, no identity and no rare combination; whoever makes
    the page leaves them out, and the page says so.
    """

    title: str
    subject: str
    verdict: Banner
    sections: tuple[PageSection, ...]
    public: bool = False


def share_of(part: float, whole: float) -> float:
    """The length of a bar for a part of a whole; 0 where there is nothing."""
    if not whole:
        return 0.0
    return min(max(part / whole, 0.0), 1.0)
