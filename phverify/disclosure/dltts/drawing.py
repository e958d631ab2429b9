"""A DLTTS as SVG, drawn without any other program.

States stand in rows, each below all of its predecessors; in a row they stand side by
side.  An audited log is one column.  Letters have one width, so that boxes fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from phverify.disclosure.dltts.picture import (
    COLOURS,
    Distances,
    Labels,
    Line,
    Probabilities,
    fails,
)
from phverify.disclosure.dltts.system import FAIL, TaggedSystem, Transition
from phverify.errors import printable

LETTER, LEADING = 7.3, 17.0
"""Width of a letter and height of a line, in pixels, at 12 pixels of font size."""
PADDING, BESIDE, BELOW = 10.0, 28.0, 64.0
"""Free space in pixels: in a box, between two boxes of a row, and between two rows."""
STYLES = {
    "name": 'font-weight="bold"',
    "told": "",
    "secret": 'font-weight="bold" fill="#8c0000"',
    "deduced": 'fill="#204a87"',
    "status": 'font-weight="bold" fill="#8c0000"',
    "measure": 'fill="#444444"',
}
"""How a line of a box is written, by what it is about."""
FAILED = "#f4b6b6"
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
    ' viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="12">'
)
ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="8"'
    ' markerHeight="8" orient="auto"><path d="M0,0 L10,5 L0,10 z"/></marker></defs>'
)


@dataclass(frozen=True)
class StateBox:
    """The lines of a state with their place, in pixels from the top left corner."""

    lines: Sequence[Line]
    colour: str
    left: float = 0.0
    top: float = 0.0

    @property
    def width(self) -> float:
        """As wide as the longest line."""
        lengths = [len(line.text) for line in self.lines]
        return max(lengths) * LETTER + 2 * PADDING

    @property
    def height(self) -> float:
        """As high as the lines are together."""
        text = len(self.lines) * LEADING
        margins = 2 * PADDING
        return text + margins

    @property
    def middle(self) -> float:
        """Where arrows come in and go out."""
        half = self.width / 2
        return self.left + half

    @property
    def bottom(self) -> float:
        """The lower side."""
        return self.top + self.height


def svg(
    system: TaggedSystem,
    distances: Distances | None = None,
    probabilities: Probabilities | None = None,
) -> str:
    """The picture as SVG: boxes for states, arrows for what is asked.

    Raises InputError for more states than a picture has.
    """
    boxes = _boxes(system, distances, probabilities)
    boxes = _placed(boxes, _rows(system))
    moves = [move for state in system.states.values() for move in state.moves]

    # Boxes are drawn over the arrows, where these cross a row.
    arrows = [line for move in moves for line in _arrows(move, boxes)]
    drawn = [line for name, box in boxes.items() for line in _box(name, box)]

    # Words beside an arrow may reach further to the right than any box.
    ends = [box.left + box.width for box in boxes.values()]
    for move in moves:
        words = len(printable(move.action)) * LETTER
        ends.append(boxes[move.source].middle + words + 2 * PADDING)
    width = max(ends) + PADDING
    height = max(box.bottom for box in boxes.values()) + PADDING

    # A name for readers of screens.
    title = "<title>transition system with tags</title>"
    head = HEAD.format(width=width, height=height)
    return "\n".join([head, title, ARROW, *arrows, *drawn, "</svg>", ""])


def _boxes(
    system: TaggedSystem,
    distances: Distances | None,
    probabilities: Probabilities | None,
) -> dict[str, StateBox]:
    """A box for each state, and one for *fail* where something leads to it."""
    labels = Labels(system, distances, probabilities)
    boxes = {}
    for state, lines in labels.states():
        colour = COLOURS[state.status]
        boxes[state.name] = StateBox(lines, colour)
    if fails(system):
        lines_of_fail = labels.fail()
        boxes[FAIL] = StateBox(lines_of_fail, FAILED)
    return boxes


def _rows(system: TaggedSystem) -> list[list[str]]:
    """The states by the length of the longest way to them."""
    depths = {system.initial: 0}
    # Each state comes after its predecessors: its own depth is known by then.
    for name, state in system.states.items():
        longer = depths[name] + 1
        for move in state.moves:
            for branch in move.branches:
                target = branch.target
                before = depths.get(target, 0)
                depths[target] = max(longer, before)
    deepest = max(depths.values())
    rows: list[list[str]] = [[] for _ in range(deepest + 1)]
    for name, depth in depths.items():
        rows[depth].append(name)
    return rows


def _placed(
    boxes: Mapping[str, StateBox], rows: Sequence[Sequence[str]]
) -> dict[str, StateBox]:
    """The boxes where they are drawn: rows are centred below one another."""
    widths = []
    for row in rows:
        taken = sum(boxes[name].width for name in row)
        widths.append(taken + BESIDE * (len(row) - 1))
    whole = max(widths)
    placed: dict[str, StateBox] = {}

    # Row by row, each as high as its highest box.
    top = PADDING
    for row, width in zip(rows, widths, strict=True):
        left = PADDING + (whole - width) / 2
        for name in row:
            box = boxes[name]
            placed[name] = StateBox(box.lines, box.colour, left, top)
            left += box.width + BESIDE
        top = max(placed[name].bottom for name in row) + BELOW
    return placed


def _box(name: str, box: StateBox) -> Iterator[str]:
    """A box with its lines; that of *fail* is doubled."""
    yield _rectangle(box, 0.0, box.colour)
    if name == FAIL:
        yield _rectangle(box, 3.0, "none")
    line_left = box.left + PADDING
    line_top = box.top + PADDING
    for line in box.lines:
        line_top += LEADING
        # Letters stand on a line: some of them reach below it.
        base = line_top - 4
        place = f'x="{line_left:.1f}" y="{base:.1f}"'
        style = STYLES[line.kind]
        text = escape(line.text)
        yield f"<text {place} {style}>{text}</text>"


def _rectangle(box: StateBox, inside: float, colour: str) -> str:
    """The frame of a box, or one so many pixels inside it."""
    left = box.left + inside
    top = box.top + inside
    width = box.width - 2 * inside
    height = box.height - 2 * inside
    place = f'x="{left:.1f}" y="{top:.1f}"'
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} {size} rx="6" fill="{colour}" stroke="black"/>'


def _arrows(move: Transition, boxes: Mapping[str, StateBox]) -> Iterator[str]:
    """What is asked, beside an arrow; where several answers may come, an arrow each."""
    source = boxes[move.source]
    start = source.middle, source.bottom
    if len(move.branches) == 1:
        target = boxes[move.branches[0].target]
        yield _line(start, (target.middle, target.top))

        # Words stand to the right of the arrow's middle.
        halfway = (source.middle + target.middle) / 2
        between = (source.bottom + target.top) / 2
        yield _words(halfway + PADDING, between, move.action)
        return

    # The question leads to a point, and the answers from there.
    fork = source.middle, source.bottom + BELOW / 3
    yield _line(start, fork, arrow=False)
    yield f'<circle cx="{fork[0]:.1f}" cy="{fork[1]:.1f}" r="3"/>'
    yield _words(source.middle + PADDING, source.bottom + BELOW / 4, move.action)
    for branch in move.branches:
        target = boxes[branch.target]
        end = target.middle, target.top
        yield _line(fork, end, dashed=branch.probability == 0)

        beside = (fork[0] + end[0]) / 2 + PADDING / 2
        above = (fork[1] + end[1]) / 2 - PADDING / 2
        yield _words(beside, above, str(branch.probability))


def _line(
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    arrow: bool = True,
    dashed: bool = False,
) -> str:
    """A straight line between two points."""
    begin = f"M{start[0]:.1f},{start[1]:.1f}"
    stop = f"L{end[0]:.1f},{end[1]:.1f}"
    style = 'stroke="black" fill="none"'
    if dashed:
        style += ' stroke-dasharray="4"'
    if arrow:
        style += ' marker-end="url(#arrow)"'
    return f'<path d="{begin} {stop}" {style}/>'


def _words(left: float, top: float, text: str) -> str:
    """Words beside an arrow."""
    shown = escape(printable(text))
    return f'<text x="{left:.1f}" y="{top:.1f}" font-style="italic">{shown}</text>'
