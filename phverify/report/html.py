"""Pages as HTML: a file that stands by itself, or a fragment for notebooks.

The templates are in ``pages/``.  All texts are escaped when they are written, and marks
that turn a line around or cannot be seen are shown as what they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from phverify.errors import printable
from phverify.report.evidence import Evidence, evidence_section
from phverify.report.grounds import grounds_of
from phverify.report.page import CurveChart, Page
from phverify.version import __version__

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


def _written(template: str, page: Page) -> str:
    notice = NOTICES[page.public]
    whole = _environment().get_template(template)
    return whole.render(page=page, notice=notice, version=__version__)
