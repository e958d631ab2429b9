"""A policy as data: column roles, what agents know, what is secret, what is assumed,
and the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from phverify.spec.source import Names
from phverify.spec.types import ValueType

if TYPE_CHECKING:
    from phverify.spec.builders import Builder

SECTIONS = (
    "columns",
    "types",
    "hierarchies",
    "agents",
    "masking",
    "secrets",
    "assumptions",
    "rules",
)
FURTHER = ("types", "hierarchies", "agents", "secrets")
"""The sections that few policies have."""
ROLES = ("quasi", "sensitive", "neutral")
ORDERS = ("any order", "same order")
"""What is known of the rows of a release: nothing, or that row k is made of row k of
the original.
"""
SETTINGS = {
    "missing": (
        ("value", "error"),
        'is "value" (a missing cell is a value of its own) or "error"',
    ),
    "rows": (
        ORDERS,
        (
            'is "same order" (row 3 of the release is row 3 of the original) or "any'
            ' order"'
        ),
    ),
}
"""Words that stand before the sections of a policy: their choices, and what is said of
another.
"""


NONE_MISSING = "no cell is missing"
"""What is said of a policy that lets none be."""


class SecretText(NamedTuple):
    """A secret as written, with its weight in [0, 1]."""

    text: str
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class PlainPolicy:
    """What a policy file says; formulas are kept as text until the data are known.

    ``secrets["*"]`` are everyone's; a hierarchy is the path of its file, or how it is
    built; ``source`` is what the policy is called where something is wrong with it.
    """

    quasi: Names
    sensitive: Names
    neutral: Names
    identifier: str | None
    missing: str
    types: Mapping[str, ValueType]
    hierarchies: Mapping[str, Path | Builder]
    agents: Mapping[str, Names]
    secrets: Mapping[str, tuple[SecretText, ...]]
    assumptions: Mapping[str, str]
    rules: Mapping[str, str]
    rows: str = ORDERS[0]
    """Whether the release has its rows in the "same order" as the original, or perhaps
    in "any order".
    """
    source: str = "policy"

    @property
    def columns(self) -> Names:
        """The columns that a release must have."""
        return (*self.quasi, *self.sensitive, *self.neutral)

    @property
    def named(self) -> Names:
        """The columns with a role, the identifier among them."""
        if self.identifier:
            return (*self.columns, self.identifier)
        return self.columns
