"""How answers are shown: by the modules that are called after their verbs.

``VERB_text`` has ``to_lines``, ``VERB_json`` has ``to_json``; ``VERB_html``, where
there is one, has ``to_page``. They are loaded when the answer is shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

FUNCTIONS = {
    "text": "to_lines",
    "json": "to_json",
    "html": "to_page",
    "toml": "to_toml",
    "dltts": "traced",
}
"""What the module of a form is asked for."""


def rendered(answer: Any, form: str, *how: Any) -> Any:
    """An answer in one of its forms, as text or as data."""
    module = import_module(f"phverify.report.{answer.verb}_{form}")
    return getattr(module, FUNCTIONS[form])(answer, *how)


def page_of(answer: Any, public: bool = False, evidence: Any = None) -> str:
    """The page of an answer as a file, with the evidence behind it."""
    # Templates are loaded for who asks for a page.
    from phverify.report.html import page_file, with_evidence

    page = rendered(answer, "html", public)
    return page_file(with_evidence(page, answer, evidence))


def fragment_of(answer: Any) -> str:
    """The page of an answer for a notebook."""
    from phverify.report.html import page_fragment

    return page_fragment(rendered(answer, "html", False))
