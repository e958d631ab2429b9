"""Curves as SVG, drawn by pygal: axes with numbers, lines in steps or straight.

Of what pygal writes only shapes and the numbers at the axes are kept: its scripts,
styles and names would be foreign to the page, whose style colours both schemes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from markupsafe import Markup, escape
from pygal import XY
from pygal.style import Style

from phverify.errors import printable
from phverify.report.page import ChartCurve, CurveChart

WIDTH, HEIGHT = 560, 280
LETTERS = 14
"""The size of the numbers at the axes, in units of the picture."""
MARKED = 12
"""At most so many numbers that were asked for stand at the lower axis, and so many
points of a curve have a dot.
"""
PLACES = 3
"""Decimal places of a number at an axis: with more it is not written."""
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"g", "path", "rect", "circle", "text"}
ATTRIBUTES = {
    *("class", "transform", "d", "x", "y", "width", "height", "cx", "cy", "r"),
}
"""What is kept of the elements that pygal writes."""
UNSEEN = {"text-overlay", "tooltip-overlay", "titles", "legends"}
"""Groups of what only shows itself to a mouse, or stands elsewhere on the page."""

Number = int | float
Place = tuple[float, float]


def curve_svg(chart: CurveChart) -> Markup:
    """The picture of a chart, without its colours; its words are not in it."""
    drawn = ElementTree.fromstring(_chart(chart).render())
    shapes = "".join(_shapes(drawn))
    head = (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(printable(chart.alternative))}">'
    )
    return Markup(f"{head}{shapes}</svg>")


def _chart(chart: CurveChart) -> XY:
    """The chart as pygal has it."""
    left, right, low, high = chart.scale
    style = Style(label_font_size=LETTERS, major_label_font_size=LETTERS)
    drawn = XY(
        style=style,
        js=(),
        width=WIDTH,
        height=HEIGHT,
        margin=4,
        truncate_label=-1,
        show_legend=False,
        xrange=(left, _end(left, right)),
        range=(low, _end(low, high)),
        x_value_formatter=_number,
        value_formatter=_number,
    )
    if chart.marks:
        drawn.x_labels = _some(chart.marks)
    for curve in chart.curves:
        # what is one point, or nearly one, is no line that could be seen
        marked = 2 if curve.stepped else MARKED
        dots = len(curve.points) <= marked
        places = _places(curve, chart.scale)
        drawn.add("", places, show_dots=dots)
    return drawn


def _end(first: float, last: float) -> float:
    """The last number of an axis; one behind the first where the two are one."""
    if last > first:
        return last
    # Beside a large number 1 is nothing.
    return first + max(1.0, abs(first))


def _some(marks: Sequence[float]) -> list[float]:
    """The numbers at the lower axis; of many some, evenly, the first among them."""
    step = -(-len(marks) // MARKED)
    return list(marks[::step])


def _places(curve: ChartCurve, scale: tuple[float, float, float, float]) -> list[Place]:
    """The points by their numbers, with the corners of steps."""
    left, right, low, high = scale
    places: list[Place] = []
    for point in curve.points:
        across = left + point.right * (right - left)
        height = low + point.up * (high - low)
        if curve.stepped and places:
            places.append((across, places[-1][1]))
        places.append((across, height))
    return places


def _number(value: Number) -> str:
    """A number at an axis; nothing where it is not exact in a few places."""
    rounded = round(value, PLACES)
    if abs(rounded - value) > 1e-9 * max(1, abs(value)):
        return ""
    text = f"{rounded:,.{PLACES}f}"
    return text.rstrip("0").rstrip(".")


def _shapes(element: ElementTree.Element) -> Iterator[str]:
    """What is kept below an element."""
    for one in element:
        name = one.tag.removeprefix(SVG)
        kinds = set(one.get("class", "").split())
        if name not in SHAPES or kinds & UNSEEN:
            continue
        below = "".join(_shapes(one))
        text = escape(one.text or "") if name == "text" else ""
        # groups of nothing, and numbers that are not written
        if name in ("g", "text") and not below and not text:
            continue
        named = sorted(set(one.keys()) & ATTRIBUTES)
        pairs = [f'{key}="{escape(one.get(key))}"' for key in named]
        yield f"<{' '.join([name, *pairs])}>{text}{below}</{name}>"
