"""Values of a column that look alike and are not the same: ``flu``, ``Flu``, ``flu ``.

Each counts as a value of its own wherever diversity is counted, so that a class of one
disease may pass for a class of three.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from phverify.microdata.table import Label
from phverify.spec.source import Names

MARK_OR_FORMAT = ("Cf", "Mn", "Me")
"""Unicode categories that add no character to see: joiners, marks of direction, accents
apart from their letter.
"""
SPACES = ("Zs", "Zl", "Zp", "Cc")


def lookalikes(labels: Iterable[Label]) -> list[Names]:
    """Groups of at least two labels that read alike, in the order of the labels."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        if label is not None:
            groups.setdefault(appearance(label), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def appearance(text: str) -> str:
    """What is left of a text for a hurried reader.

    Letters in one case and one spelling (NFC), spaces of any kind as one, nothing at
    the ends, and nothing invisible.
    """
    if text.isascii():
        return " ".join(text.split()).lower()
    composed = unicodedata.normalize("NFC", text)
    # What can be printed has no invisible characters: most texts are done here.
    if not composed.isprintable():
        visible = (one for one in composed if unicodedata.category(one) != "Cf")
        composed = "".join(visible)
    words = composed.split()
    # Folding may take letters and accents apart, which must be joined again.
    return unicodedata.normalize("NFC", " ".join(words).casefold())


def unmistakable(text: str) -> str:
    """A text in quotes, with escapes for what cannot be seen or tells nothing apart."""
    return "'" + "".join(map(_escaped, text)) + "'"


def _escaped(one: str) -> str:
    """A character, or its escape where nothing or only a space would be seen of it."""
    category = unicodedata.category(one)
    unseen = category in MARK_OR_FORMAT or (category in SPACES and one != " ")
    if unseen:
        return one.encode("unicode_escape").decode("ascii")
    return one
