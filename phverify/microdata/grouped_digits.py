"""Numbers that are written with a separator of thousands, which are never guessed."""

from __future__ import annotations

import re

_GROUPED = re.compile(
    r"([+-]?[1-9]\d{0,2})(?P<by>[,.'’ \u00a0\u202f])(\d{3}(?:(?P=by)\d{3})*)"
    r"(?:(?P<point>[.,])(\d+))?",
    re.ASCII,
)
"""``1,000``, ``1.000.000,50``, ``1 000``, ``1'000``."""
_COMMA = re.compile(r"([+-]?\d*),(\d+%?)", re.ASCII)
"""``0,5``, ``,5`` and ``12,5%``."""
NAMES = {",": "comma", ".": "point"}


def grouped_hint(label: str) -> str:
    """A hint where a text may be a number in groups of three digits, else ""."""
    match = _GROUPED.fullmatch(label.strip())
    if match is None or match["by"] == match["point"]:
        return ""
    first, by, others, point, decimals = match.groups()
    groups = [first, *others.split(by)]
    plain = "".join(groups)
    if point is not None:
        plain += f".{decimals}"
    elif len(groups) == 2 and by in NAMES:
        # Either may be meant, and one is a thousand times the other.
        return (
            f"write {plain} if its {NAMES[by]} separates thousands, or {first}.{others}"
            " if it begins the decimals"
        )
    return f"write {plain}: numbers have no separator of thousands"


def comma_hint(text: str) -> str:
    """A hint where a comma begins decimals or parts digits of a number, else ""."""
    if grouped := grouped_hint(text):
        return grouped
    match = _COMMA.fullmatch(text.strip())
    if match is None:
        return ""
    whole, decimals = match.groups()
    return f"write {whole}.{decimals}: decimals begin with a point"
