"""Pictures of spaces as SVG: lattices of levels, hierarchies with their cuts, boxes.

All texts are escaped here; colours are for a white ground, and marks say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import escape

from phverify.errors import printable

LETTER = 7.2
"""The width of a letter, about."""
GAP = 8.0
ROW = 26.0
UNIT = 26.0
"""The width of a value, where there are few."""
WIDEST = 1400.0


@dataclass(frozen=True)
class NodeLook:
    """How a node of a state is drawn: its ground, its line, and a mark in words."""

    ground: str
    line: str
    mark: str
    width: float = 1.0


@dataclass(frozen=True)
class LatticeNode:
    """A level vector with its state."""

    levels: tuple[int, ...]
    state: str


@dataclass(frozen=True)
class Strip:
    """A part of a row of a hierarchy: where it begins, how long it is (in values), what
    it is called, and whether it is released.
    """

    start: int
    length: int
    text: str
    look: str


LOOKS: Mapping[str, NodeLook] = {
    "best": NodeLook("#dafbe1", "#116329", "\u2605", 3.0),
    "broken": NodeLook("#ffebe9", "#a40e26", "\u2715"),
    "satisfies": NodeLook("#dafbe1", "#116329", "\u2713"),
    "dear": NodeLook("#f6f8fa", "#57606a", "\u2265"),
    "open": NodeLook("#fff8c5", "#6f4400", "?"),
    "cut": NodeLook("#dafbe1", "#116329", "", 2.0),
    "above": NodeLook("#ffffff", "#57606a", ""),
    "below": NodeLook("#f6f8fa", "#57606a", ""),
}


def lattice_svg(nodes: Sequence[LatticeNode], edges: bool) -> str:
    """Level vectors by height, the least general at the bottom."""
    places = _lattice_places(nodes)
    width = max(right for _, _, right, _ in places.values()) + GAP
    height = max(bottom for _, _, _, bottom in places.values()) + GAP
    parts = [*_lattice_edges(places)] if edges else []
    for node in nodes:
        look = LOOKS[node.state]
        text = f"{_vector(node.levels)} {look.mark}"
        parts += _rectangle(places[node.levels], text, look)
    return _svg(parts, width, height)


Place = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def _vector(levels: Sequence[int]) -> str:
    return ",".join(map(str, levels))


def _lattice_places(nodes: Sequence[LatticeNode]) -> dict[tuple[int, ...], Place]:
    rows: dict[int, list[tuple[int, ...]]] = {}
    for node in nodes:
        rows.setdefault(sum(node.levels), []).append(node.levels)
    longest = max(len(_vector(node.levels)) for node in nodes) + 2
    wide = longest * LETTER + GAP
    most = max(map(len, rows.values()))
    highest = max(rows)
    places = {}
    for height, vectors in rows.items():
        # each row in the middle
        left = GAP + (most - len(vectors)) * (wide + GAP) / 2
        # The most general vector stands at the top.
        top = GAP + (highest - height) * 2 * ROW
        for vector in sorted(vectors):
            places[vector] = (left, top, left + wide, top + ROW)
            left += wide + GAP
    return places


def _lattice_edges(places: Mapping[tuple[int, ...], Place]) -> Iterator[str]:
    for vector, (left, top, right, _) in places.items():
        middle = (left + right) / 2
        for column in range(len(vector)):
            higher = list(vector)
            # Neighbours differ by one level in one column.
            higher[column] += 1
            above = places.get(tuple(higher))
            if above is not None:
                end = (above[0] + above[2]) / 2
                yield (
                    f'<line x1="{middle:.1f}" y1="{top:.1f}" x2="{end:.1f}"'
                    f' y2="{above[3]:.1f}" stroke="#8c959f"/>'
                )


def strips_svg(rows: Sequence[Sequence[Strip]]) -> str:
    """A hierarchy from its root to its values: what stands below is part of it."""
    values = max(strip.start + strip.length for strip in rows[-1])
    longest = max(len(strip.text) for strip in rows[-1])
    # Wide enough for its texts, up to a dozen letters.
    wanted = values * max(UNIT, min(longest, 12) * LETTER + GAP)
    unit = min(wanted, WIDEST) / values
    parts: list[str] = []
    for number, row in enumerate(rows):
        top = GAP + number * (ROW + 4)
        for strip in row:
            left = GAP + strip.start * unit
            right = left + strip.length * unit - 2
            place = (left, top, right, top + ROW)
            parts += _rectangle(place, strip.text, LOOKS[strip.look])
    width = values * unit + 2 * GAP
    return _svg(parts, width, GAP + len(rows) * (ROW + 4) + GAP)


def boxes_svg(boxes: Sequence[Place], size: tuple[int, int]) -> str:
    """Boxes in the plane of two columns, whose values stand evenly."""
    wide, high = 600.0 / max(size[0], 1), 360.0 / max(size[1], 1)
    parts: list[str] = []
    for left, low, right, up in boxes:
        # upwards as in a chart
        place = (
            GAP + left * wide,
            GAP + (size[1] - up) * high,
            GAP + right * wide - 1,
            GAP + (size[1] - low) * high - 1,
        )
        parts += _rectangle(place, "", LOOKS["cut"], 'fill-opacity="0.45"')
    return _svg(parts, 600 + 2 * GAP, 360 + 2 * GAP)


def _rectangle(
    place: Place, text: str, look: NodeLook, more: str = ""
) -> Iterator[str]:
    """A box with as much of its text as it holds."""
    left, top, right, bottom = place
    # However many there are, each can be seen.
    wide = max(right - left, 1.0)
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}"'
        f' height="{max(bottom - top, 1.0):.1f}" rx="2" fill="{look.ground}"'
        f' stroke="{look.line}" stroke-width="{look.width}" {more}/>'
    )
    # Values of the data may hold control characters, which no XML has.
    shown = _fitting(printable(text), wide)
    if shown:
        middle, base = (left + right) / 2, bottom - 8
        yield (
            f'<text x="{middle:.1f}" y="{base:.1f}" text-anchor="middle"'
            f' fill="#1b1f24">{escape(shown)}</text>'
        )


def _fitting(text: str, wide: float) -> str:
    """The text, or its beginning; nothing where not even that can be read."""
    most = int((wide - 4) / LETTER)
    if len(text) <= most:
        return text
    if most < 3:
        return ""
    return text[: most - 1] + "\u2026"


def _svg(parts: Sequence[str], width: float, height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}"'
        f' height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        ' font-family="ui-monospace, monospace" font-size="12" aria-hidden="true"'
        ' focusable="false">'
    )
    return "\n".join([head, *parts, "</svg>"])
