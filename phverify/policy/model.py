"""A policy as the engine has it: what ``spec`` reads, and how columns were masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phverify.policy.masking import Masking
from phverify.spec import policy as plain
from phverify.spec.source import File, Plain


@dataclass(frozen=True)
class Policy(plain.Policy):
    """What a policy file says; formulas are kept as text until the data are known.

    Load one with ``Policy.load(path)`` or ``Policy.from_dict({...})``; both raise InputError with all
    problems at once.
    """

    masking: Mapping[str, Masking] = field(default_factory=dict)
    """How columns were masked, for ``reidentify``; verdicts of ``verify`` do not depend on it."""

    @classmethod
    def load(cls, path: File) -> Policy:
        """Read a policy from a TOML file."""
        from phverify.policy.load import load

        return load(path)

    @classmethod
    def from_dict(cls, data: Plain, folder: File = ".") -> Policy:
        """A policy from what a TOML file would hold; relative paths start from ``folder``."""
        from phverify.policy.load import from_dict

        return from_dict(data, Path(folder), "policy")
