"""A policy: column roles, what agents know, what is secret, what is assumed, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.microdata.builders import Builder
from phverify.microdata.pairing import ORDERS
from phverify.policy.masking import Masking
from phverify.spec.types import ValueType


@dataclass(frozen=True)
class SecretText:
    """A secret as written, with its weight in [0, 1]."""

    text: str
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Policy:
    """What a policy file says; formulas are kept as text until the data are known.

    Load one with ``Policy.load(path)`` or ``Policy.from_dict({...})``; both raise InputError with all
    problems at once.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    neutral: tuple[str, ...]
    identifier: str | None
    missing: str
    types: Mapping[str, ValueType]
    hierarchies: Mapping[str, Path | Builder]
    agents: Mapping[str, tuple[str, ...]]
    secrets: Mapping[str, tuple[SecretText, ...]]
    assumptions: Mapping[str, str]
    rules: Mapping[str, str]
    source: str = "policy"
    folder: Path = field(default_factory=Path)
    masking: Mapping[str, Masking] = field(default_factory=dict)
    """How columns were masked, for ``reidentify``; verdicts of ``verify`` do not depend on it."""
    rows: str = ORDERS[0]
    """Whether the release has its rows in the "same order" as the original, or perhaps in "any order"."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a release must have."""
        return (*self.quasi, *self.sensitive, *self.neutral)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Policy:
        """Read a policy from a TOML file."""
        from phverify.policy.load import load

        return load(path)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], folder: str | PathLike[str] = ".") -> Policy:
        """A policy from what a TOML file would hold; relative paths start from ``folder``."""
        from phverify.policy.load import from_dict

        return from_dict(data, Path(folder), "policy")
