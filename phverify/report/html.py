"""Pages as HTML: a file that stands by itself, or a fragment for notebooks.

The templates are in ``pages/``.  All texts are escaped when they are written, and marks
that turn a line around or cannot be seen are shown as what they are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from phverify.errors import printable
from phverify.report.evidence import Evidence, evidence_section
from phverify.report.grounds import grounds_of
from phverify.report.page import CurveChart, Page
from phverify.version import __version__

PART = 16
"""So many characters of a word as long as a hash stand together."""
LONG_WORD = re.compile(r"[0-9A-Za-z]{48,}")
NOTICES = {
    True: "Public form: it has no value of the data, nobody's identity and no rare"
    " combination.",
    False: "Internal form: it may quote values of the data and describe leaks."
    " Guard it as the data themselves.",
}
"""What a page says about who may read it, by whether it is public."""


def page_file(page: Page) -> str:
    """The page as a file: nothing is loaded, nothing runs."""
    return _written("page.html", page)


def page_fragment(page: Page) -> str:
    """The same body for a notebook; its style says nothing about anything else."""
    return _written("fragment.html", page)


def with_evidence(page: Page, answer: Any, evidence: Evidence | None) -> Page:
    """The page of an answer, with the evidence behind it as its last section."""
    grounds = grounds_of(answer, page.public)
    last = evidence_section(grounds, evidence or Evidence(), page.public)
    return replace(page, sections=(*page.sections, last))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("phverify.report", "pages"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["drawn"] = _drawn
    environment.globals["breakable"] = _breakable
    return environment


def _drawn(chart: CurveChart) -> Markup:
    """The picture of curves; what draws them is loaded where there are some."""
    from phverify.report.curves import curve_svg

    return curve_svg(chart)


def _visible(shown: Any) -> Any:
    """What is put into a template: markup as it is, each text on its one line."""
    if isinstance(shown, Markup):
        return shown
    return printable(str(shown))


def _breakable(text: str) -> Markup:
    """A text whose words that are as long as hashes may go on in the next line."""
    # what cannot be seen is escaped first: no place is inside of an escape's name
    return Markup(LONG_WORD.sub(_parted, str(escape(printable(text)))))


def _parted(word: re.Match[str]) -> str:
    """A word of letters and digits in parts."""
    return "<wbr>".join(re.findall(rf".{{1,{PART}}}", word[0]))


def _written(template: str, page: Page) -> str:
    notice = NOTICES[page.public]
    whole = _environment().get_template(template)
    return whole.render(page=page, notice=notice, version=__version__)
