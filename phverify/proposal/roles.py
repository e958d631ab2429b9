"""Which role a column has, and why: by its values, by its name, or because what is not
understood may be known to others.
"""

from __future__ import annotations

from phverify.proposal.clues import clues
from phverify.proposal.values import COMMA_DECIMAL, ColumnValues

FEW = 10
"""In fewer rows values that are all different say nothing."""
ORDER = ("sensitive", "quasi", "identifier")
"""Whom to believe where a name speaks for several roles: ``drug_name`` is a drug."""


def role_of(values: ColumnValues) -> tuple[str, str]:
    """The role of a column, and the reason."""
    if len(values.values) + bool(values.missing) <= 1:
        return "neutral", "the same in all rows, so it tells nobody apart"
    # Values before names: an e-mail address is one, whatever its column is called.
    if values.personal:
        return "identifier", f"each value is {values.personal}"

    spoken = clues(values.name)
    role = _spoken_for(spoken, values)
    if role:
        word = spoken[role].replace("-", " ")
        return role, f"its name says {word!r}"
    if _numbers_people(values):
        return "identifier", "every row has another value"
    if _is_free_text(values):
        return "quasi", "free text, of which others may know or guess any part"
    return "quasi", "nothing says that others do not know it"


def _spoken_for(spoken: dict[str, str], values: ColumnValues) -> str:
    """The role that the name speaks for most clearly, "" where it says nothing."""
    if not spoken:
        return ""
    # ``health-status`` says more than ``health``.
    longest = max(phrase.count("-") for phrase in spoken.values())
    clearest = [role for role in ORDER if spoken.get(role, "").count("-") == longest]
    roles = [role for role in clearest if role in spoken]
    if "identifier" in roles and _numbers_people(values):
        return "identifier"
    return roles[0]


def _numbers_people(values: ColumnValues) -> bool:
    """Whether no two people share a value; measurements differ by chance."""
    measured = values.kind in ("decimal", COMMA_DECIMAL, "date")
    return values.all_different and values.rows >= FEW and not measured


def _is_free_text(values: ColumnValues) -> bool:
    present = values.rows - values.missing
    return values.kind == "text" and 2 * len(values.values) > present >= FEW
