"""Curves on pages: shapes at their places, numbers at the axes, and nothing else of what
draws them.
"""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from phverify.report.curves import HEIGHT, WIDTH, curve_svg
from phverify.report.page import ChartCurve, CurveChart, CurvePoint

Place = tuple[float, float]
SVG = "{*}"


def chart(*curves: ChartCurve, scale: tuple[float, ...] = (0, 8, 0, 2)) -> CurveChart:
    left, right, low, high = scale
    whole = (left, right, low, high)
    return CurveChart("caption", 'said "so" <b>', "x", "y", whole, curves)


def point(right: float, up: float) -> CurvePoint:
    return CurvePoint(right, up, "", "")


def lines(drawn: ElementTree.Element, number: int) -> list[Place]:
    """The corners of the line of one curve."""
    for group in drawn.iter("g"):
        if f"serie-{number}" in group.get("class", ""):
            found = group.find("path")
            assert found is not None
            numbers = re.findall(r"-?[\d.]+", found.get("d", ""))
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            return [(float(x), float(y)) for x, y in pairs]
    raise AssertionError(number)


def ticks(drawn: ElementTree.Element, axis: str) -> dict[str, float]:
    """The numbers at an axis with their places along it."""
    found = {}
    for group in drawn.iter("g"):
        if group.get("class", "").split()[:2] == ["axis", axis]:
            for text in group.iter("text"):
                found[text.text or ""] = float(text.get(axis, "nan"))
    return found


def test_points_are_where_the_axes_say() -> None:
    stepped = ChartCurve("a", (point(0, 0.25), point(0.5, 0.75), point(1, 1)))
    straight = ChartCurve("b", (point(0, 0.25), point(1, 0.75)), stepped=False)
    svg = curve_svg(chart(stepped, straight))
    drawn = ElementTree.fromstring(svg.replace('xmlns="', 'x="'))
    assert drawn.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    assert drawn.get("aria-label") == 'said "so" <b>'
    across, up = ticks(drawn, "x"), ticks(drawn, "y")
    assert {"0", "8"} <= set(across) and {"0", "1", "2"} <= set(up)
    corners = lines(drawn, 0)
    assert len(corners) == 5 and len(lines(drawn, 1)) == 2
    left, right = across["0"], across["8"]
    # of each place what the axes say it is, a letter is three and a half lower
    read = []
    for x, y in corners:
        share = (up["0"] - 3.5 - y) / (up["0"] - up["2"])
        read.append((round(8 * (x - left) / (right - left)), round(2 * share, 6)))
    assert [(x, pytest.approx(y, abs=0.05)) for x, y in read] == [
        (0, 0.5),
        (4, 0.5),
        (4, 1.5),
        (8, 1.5),
        (8, 2),
    ]


def test_nothing_else_is_on_the_page() -> None:
    curve = ChartCurve("<script>", (point(0, 0), point(1, 1)), stepped=False)
    svg = curve_svg(chart(curve))
    drawn = ElementTree.fromstring(svg)
    assert {one.tag for one in drawn.iter()} <= {
        *("svg", "g", "path", "rect", "circle", "text"),
    }
    for one in drawn.iter():
        assert not {"style", "id", "onclick"} & set(one.keys())
    assert "http" not in svg and svg == curve_svg(chart(curve))
    assert len(svg) < 6_000


def test_numbers_that_were_asked_for() -> None:
    curve = ChartCurve("a", tuple(point(k / 98, 1) for k in range(99)), stepped=False)
    whole = chart(curve, scale=(2, 100, 0, 1234567))
    marked = CurveChart(**{**vars(whole), "marks": tuple(range(2, 101))})
    drawn = ElementTree.fromstring(curve_svg(marked))
    shown = list(ticks(drawn, "x"))
    assert shown[:2] == ["2", "11"] and len(shown) <= 12
    assert any("," in text for text in ticks(drawn, "y"))
    # one number alone, at which there is one point
    alone = chart(ChartCurve("a", (point(0, 1),), False), scale=(5, 5, 0, 0))
    assert "<circle" in curve_svg(CurveChart(**{**vars(alone), "marks": (5.0,)}))


@pytest.mark.parametrize("last", [0.0004, 0.003, 0.7, 1234.5])
def test_numbers_at_axes_are_what_they_say(last: float) -> None:
    """No two are alike, and each is at its place."""
    curve = ChartCurve("a", (point(0, 1), point(1, 1)))
    drawn = ElementTree.fromstring(curve_svg(chart(curve, scale=(0, last, 0, 1))))
    found = ticks(drawn, "x")
    (left, _), *_, (right, _) = lines(drawn, 0)
    for text, place in found.items():
        value = last * (place - left) / (right - left)
        assert float(Fraction(text.replace(",", ""))) == pytest.approx(
            value, abs=1e-6 * max(1, last)
        )
    assert "0" in found
