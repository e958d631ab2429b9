"""A proposed policy, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phverify.policy.model import Policy
from phverify.proposal.templates import PolicyTemplate
from phverify.result import Result, reports
from phverify.words import plural

ROLES = {
    "quasi": "quasi-identifier: others may know it",
    "sensitive": "confidential: nobody may learn it of somebody",
    "neutral": "neutral: published unchanged",
    "identifier": "identifier: who somebody is",
}
"""What a role means."""


@dataclass(frozen=True)
class ProposedColumn:
    """A column with its role and the reason, and how its values become coarser.

    ``hierarchy`` is a builder as a policy writes it, the path of a file, or None (kept
    or suppressed). ``alone`` says that the column stands for somebody by itself beside
    the identifier: a release can only have it suppressed.
    """

    name: str
    role: str
    reason: str
    described: str
    kind: str
    hierarchy: dict[str, Any] | str | None = None
    alone: bool = False


@dataclass(frozen=True)
class PolicyProposal(Result):
    """A first policy for a table; ``policy()`` is it, ``toml()`` its commented file."""

    verb = "propose"

    table: str
    rows: int
    columns: tuple[ProposedColumn, ...]
    template: PolicyTemplate
    notes: tuple[str, ...] = ()
    folder: Path = field(default=Path())
    """Where paths of hierarchies start."""

    def of(self, role: str) -> list[str]:
        """The columns of a role, in the table's order."""
        return [column.name for column in self.columns if column.role == role]

    def plain(self) -> dict[str, Any]:
        """The policy as a TOML file would hold it."""
        roles: dict[str, Any] = {
            role: self.of(role) for role in ("quasi", "sensitive", "neutral")
        }
        if identifier := self.of("identifier"):
            roles["identifier"] = identifier[0]
        types = {one.name: one.kind for one in self.columns if typed(one)}
        # A column without steps is kept or suppressed, which needs no entry.
        hierarchies = {
            one.name: one.hierarchy for one in self.columns if one.hierarchy is not None
        }
        rules = self.template.rules(self.of("sensitive"))
        return {
            "columns": roles,
            "types": types,
            "hierarchies": hierarchies,
            "rules": {name: formula for name, formula, _ in rules},
        }

    def policy(self) -> Policy:
        """The policy, ready for ``verify`` and ``search``.  Raises InputError where a
        hierarchy file is gone.
        """
        return Policy.from_dict(self.plain(), self.folder)

    def toml(self) -> str:
        """The policy as a file with a comment for each decision."""
        return str(reports().rendered(self, "toml"))

    def counted(self) -> str:
        """How many columns there are."""
        return plural(len(self.columns), "column")


def typed(column: ProposedColumn) -> bool:
    """Whether the policy says a type: numbers and dates, but for identifiers, and for
    what is kept or suppressed, as only texts are.
    """
    kinds = ("integer", "decimal", "date")
    if column.role == "identifier" or column.alone:
        return False
    if column.role == "quasi" and column.hierarchy is None:
        return False
    return column.kind in kinds and not _prefixed(column)


def _prefixed(column: ProposedColumn) -> bool:
    """Whether the digits are those of a code, whose beginnings are its levels."""
    return isinstance(column.hierarchy, dict) and "prefixes" in column.hierarchy
