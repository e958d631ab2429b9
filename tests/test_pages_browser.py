"""Pages of reports as a reader has them: in Chromium, at two widths, light and dark,
printed, and through the rules of axe-core.

``make test-pages`` installs what this needs; where it is not there, nothing of this is
run.  ``PHVERIFY_PICTURES`` names a folder for screenshots to look at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from phverify.cli.main import main

browsers = pytest.importorskip("playwright.sync_api", reason="make test-pages")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[1] / ".venv" / "axe" / "axe.min.js"
EXAMPLES = Path(__file__).parents[1] / "phverify" / "examples"
HOSPITAL = EXAMPLES / "hospital"
WIDTHS = {"phone": 360, "desk": 1200}
SCHEMES = ("light", "dark")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: make test-pages"),
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core: make test-pages"),
]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@dataclass(frozen=True)
class Shown:
    """A command whose page is opened, its exit code, and what the page must say."""

    command: tuple[str, ...]
    code: int
    facts: tuple[str, ...]


RELEASE = (str(HOSPITAL / "release.csv"), "--policy", str(HOSPITAL / "policy.toml"))
TABLE = (str(HOSPITAL / "original.csv"), "--policy", str(HOSPITAL / "policy.toml"))
RISK = (TABLE[0], RELEASE[0], *RELEASE[1:])
LINKS = ("--method", str(HOSPITAL / "links.csv"))
DIVERSE = ("l_diversity(s, 3)", "entropy_l_diversity(s, 3)", "--equivalent")
TUPLES = ("search", *TABLE, "--space", "tuples")
PAGES = {
    "verify": Shown(("verify", *RELEASE), 1, ("REFUTED", "10***", "8 rows")),
    "verify-public": Shown(("verify", *RELEASE, "--public"), 1, ("REFUTED", "Public")),
    "measure": Shown(("measure", *RELEASE), 0, ("largest k", "2")),
    "measure-public": Shown(("measure", *RELEASE, "--public"), 0, ("Public",)),
    "audit": Shown(("audit", "--demo", "bank"), 1, ("GIVES AWAY", "1160", "1: 420")),
    "audit-public": Shown(("audit", "--demo", "bank", "--public"), 1, ("GIVES AWAY",)),
    "reidentify": Shown(("reidentify", *RISK), 0, ("8 of 8 (100%)", "d1")),
    "reidentify-public": Shown(("reidentify", *RISK, "--public"), 0, ("5 or more",)),
    "method": Shown(("reidentify", *RISK, *LINKS), 1, ("UNSOUND", "d3")),
    "compare": Shown(("compare", *DIVERSE), 1, ("SEPARATED", "entropy is below")),
    "levels": Shown(("search", *TABLE), 0, ("OPTIMAL", "0.642857")),
    "levels-public": Shown(("search", *TABLE, "--public"), 0, ("OPTIMAL",)),
    "subtrees": Shown(("search", *TABLE, "--space", "subtrees"), 0, ("OPTIMAL",)),
    "tuples": Shown((*TUPLES, "--budget", "1"), 0, ("PROVED", "0.428571")),
    "tradeoff": Shown(("search", *TABLE, "--tradeoff", "k=2..4"), 0, ("0.642857",)),
    "lint": Shown(("lint", str(HOSPITAL / "policy.toml")), 0, ("CLEAN",)),
    "mechanism": Shown(("mechanism", "--demo"), 0, ("ln(7/2)",)),
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser that asks nobody for anything."""
    with browsers.sync_playwright() as playwright:
        quiet = ["--disable-background-networking", "--disable-component-update"]
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *quiet]
        )
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
            assert main([*shown.command, "--html", str(path)]) == shown.code
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
