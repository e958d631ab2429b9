"""What can be said of a page by reading it: its elements, in order."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import phverify

STYLE = Path(phverify.__file__).parent / "report" / "pages" / "style.css"
VOID = {"wbr", "meta", "link", "br", "hr", "img", "input"}


@dataclass
class Element:
    """An element with its attributes, the text below it and how deep it stands."""

    tag: str
    attributes: dict[str, str | None]
    path: tuple[str, ...]
    text: str = ""


@dataclass
class Reader(HTMLParser):
    """All elements of a page in order; complains of what is not closed."""

    elements: list[Element] = field(default_factory=list)
    stack: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        path = tuple(one.tag for one in self.stack)
        element = Element(tag, dict(attrs), path)
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), ()))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack[-1].tag == tag, (
            f"</{tag}> closes {self.stack[-1:]}"
        )
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        for element in self.stack:
            element.text += data


def read_page(page: str) -> list[Element]:
    """The elements of a page, all of them closed where they should be."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.stack
    return reader.elements


def said(page: str) -> str:
    """The text of a page without its style, spaces as one."""
    elements = read_page(page)
    whole = elements[0].text if elements[0].tag == "html" else ""
    if not whole:
        whole = next(one.text for one in elements if one.tag in ("div", "body"))
    for element in elements:
        if element.tag == "style":
            whole = whole.replace(element.text, " ")
    return " ".join(whole.split())


def check_page(page: str, fragment: bool = False) -> None:
    """What holds of every page: it loads and runs nothing, and readers of screens find
    their way.
    """
    elements = read_page(page)
    tags = [element.tag for element in elements]
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(tags)
    for element in elements:
        names = element.attributes
        assert not [name for name in names if name.startswith("on") or name == "style"]
        assert not {"src", "href", "xlink:href", "action"} & set(names)
    # what is called by its name is on the page
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", page)
    if not fragment:
        assert page.startswith("<!doctype html>")
        assert elements[0].attributes["lang"] == "en"
        policies = [
            element.attributes["content"] or ""
            for element in elements
            if element.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'")
    _check_headings(elements, 3 if fragment else 1)
    _check_tables(elements)
    _check_pictures(elements)


def _check_headings(elements: list[Element], first: int) -> None:
    levels = [int(one.tag[1]) for one in elements if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == first and levels.count(first) == 1
    for before, after in itertools.pairwise(levels):
        assert after <= before + 1, levels


def _check_tables(elements: list[Element]) -> None:
    tables = [one for one in elements if one.tag == "table"]
    captions = [one for one in elements if one.tag == "caption"]
    assert len(tables) == len(captions)
    assert all(one.text.strip() for one in captions)
    for element in elements:
        if element.tag == "th":
            assert element.attributes["scope"] in ("row", "col")
            assert element.text.strip()


def _check_pictures(elements: list[Element]) -> None:
    for element in elements:
        if element.tag == "svg" and "div" not in element.path[-1:]:
            names = element.attributes
            assert names.get("aria-hidden") == "true" or names.get("aria-label")


def palettes() -> dict[str, dict[str, str]]:
    """The colours of each scheme by name."""
    found = {}
    style = STYLE.read_text(encoding="utf-8")
    for name, start in (
        ("light", 0),
        ("dark", style.index("prefers-color-scheme: dark")),
        ("print", style.index("@media print")),
    ):
        block = style[start : style.index("}", start)]
        found[name] = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
    return found


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    total = 0.0
    for start, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        part = int(colour[start : start + 2], 16) / 255
        linear = part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        total += weight * linear
    return total
