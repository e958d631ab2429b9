"""Pages of reports as a reader has them: in Chromium, at two widths, light and dark,
printed, and through the rules of axe-core.

``make test-pages`` installs what this needs; where it is not there, nothing of this is
run.  ``PHVERIFY_PICTURES`` names a folder for screenshots to look at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.shown_pages import CHROMIUM, PAGES, launched, write_page
from test_pages_verbs import a_matrix

browsers = pytest.importorskip("playwright.sync_api", reason="make test-pages")
AXE = Path(__file__).parents[1] / ".venv" / "axe" / "axe.min.js"
WIDTHS = {"phone": 360, "desk": 1200}
SCHEMES = ("light", "dark")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: make test-pages"),
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core: make test-pages"),
]
PAPER = 673
"""The width of A4 within its margins, in pixels."""
BEYOND = """width => [...document.querySelectorAll('table, svg')]
    .filter(one => one.getBoundingClientRect().right > width + 1)
    .map(one => one.outerHTML.slice(0, 200))"""
"""What stands out to the right of the paper."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a command, written once."""
    folder = tmp_path_factory.mktemp("pages")

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            shown = PAGES[name]
            with pytest.MonkeyPatch.context() as patch:
                # of all pairs it would take a minute
                patch.setattr(
                    "phverify.cli.compare.matrix", lambda *_, **__: a_matrix()
                )
                assert write_page(shown, path) == shown.code
        return path

    return page


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_by_everybody(
    chromium: Any, written: Callable[[str], Path], name: str, scheme: str
) -> None:
    path = written(name)
    asked: list[str] = []
    complaints: list[str] = []
    context = chromium.new_context(color_scheme=scheme)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for kind, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(path.as_uri())
        widest = page.evaluate("document.documentElement.scrollWidth")
        assert widest <= width, f"{kind}: wider than the window"
        text = page.inner_text("body")
        for fact in PAGES[name].facts:
            assert fact in text, fact
        picture(page, f"{name}-{kind}-{scheme}")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": {"type": "tag", "values": RULES}}
    found = page.evaluate("options => axe.run(document, options)", options)
    assert violations(found) == []
    assert asked == [path.as_uri()] * len(WIDTHS) and complaints == []
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_printed(
    chromium: Any, written: Callable[[str], Path], name: str
) -> None:
    path = written(name)
    assert path.stat().st_size < 5_000_000
    page = chromium.new_page(color_scheme="dark")
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    background = "getComputedStyle(document.querySelector('.phverify')).backgroundColor"
    assert page.evaluate(background) == "rgb(255, 255, 255)"  # ink for letters alone
    page.set_viewport_size({"width": PAPER, "height": 900})
    assert page.evaluate(BEYOND, PAPER) == []
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF") and len(printed) > 5_000
    page.close()


def violations(found: dict[str, Any]) -> list[str]:
    """What axe-core complains of, with the elements."""
    told = []
    for one in found["violations"]:
        places = [node["html"] for node in one["nodes"]]
        told.append(f"{one['id']}: {one['help']}: {places[:3]}")
    return told


def picture(page: Any, name: str) -> None:
    """A screenshot, where a folder for them is named."""
    folder = os.environ.get("PHVERIFY_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)
