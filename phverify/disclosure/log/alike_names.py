"""Names that engines may take for one or for several: DuckDB ignores the case of the
letters A to Z alone, others that of all letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase

from phverify.disclosure.log.statements import tokens

_SMALL = {ord(capital): capital.lower() for capital in ascii_uppercase}


def alike(text: str, known: Iterable[str]) -> str:
    """Why names of a statement, or of tables and columns that are ``known``, may be
    one name or two; nothing where they may not.

    What is struck by ``* EXCLUDE ("é")`` must not be taken for É, too.
    """
    names = [*known, *_names(text)]
    if all(map(str.isascii, names)):
        return ""
    forms: dict[str, str] = {}
    for name in names:
        form = name.translate(_SMALL)
        other = forms.setdefault(name.casefold(), form)
        if other != form:
            return (
                f"{other} and {form} are two names for DuckDB, and one for other"
                " engines: rename one of them"
            )
    return ""


def _names(text: str) -> Iterable[str]:
    """The words of a statement, those in quotes for names among them."""
    for token in tokens(text):
        name = token.strip('"`[]')
        word = name.isidentifier() or token.startswith('"')
        if word and name:
            yield name
