"""Sentences without what they quote."""

from __future__ import annotations

import re
from urllib.parse import unquote

from phverify.errors import InputError, Problem

_QUOTED = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL
)
"""A text as ``repr`` writes it."""
_MARK = re.compile(r"""(?<!\w)['"]|['"](?!\w)""")
_ANYTHING = re.compile(r"""['"].*['"]""", re.DOTALL)
"""From the first quote to the last."""


_PERSONAL = re.compile(r"(?s)\b(secrets\.)(?!\*).*")
"""The place of a secret names whose it is, and nothing stands behind that."""


def unnamed(where: str) -> str:
    """A place in a policy without the person whose secret it is."""
    return _PERSONAL.sub(r"\1(hidden)", where)


def without_values(error: InputError) -> InputError:
    """The same error where what it quotes of the data is not to be read."""
    problems = []
    for problem in error.problems:
        text = problem.text(redact=True)
        problems.append(Problem("", text))
    return InputError(problems)


def hidden(text: str) -> str:
    """A sentence without what it quotes."""
    shown = _QUOTED.sub("(hidden)", text)
    if _MARK.search(shown):  # quotes stand in values, and where one ends is open
        return _ANYTHING.sub("(hidden)", text)
    return shown


def without_password(text: str, url: str = "") -> str:
    """A text without the passwords of the URLs in it, and without that of ``url``."""
    written = re.findall(r"://[^:/@?\s]*:(.*)@", url)
    written += re.findall(r"password=([^&\s]*)", url)
    # As it is written in the URL, and as it is meant.
    meant = map(unquote, written)
    for secret in (*written, *meant):
        if secret:
            text = text.replace(secret, "..")
    text = re.sub(r"(://[^:/@?\s]*):.*@", r"\1@", text)
    return re.sub(r"(password=)[^&\s]*", r"\1..", text)
