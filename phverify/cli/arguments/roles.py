"""What every verb takes that needs a policy: its file, or for a first look roles and
rules without one.
"""

from __future__ import annotations

import argparse

ROLES = {
    "quasi": "columns that others may know of everybody",
    "sensitive": "columns that nobody may learn of somebody",
    "neutral": "columns that are published unchanged",
}
"""By role what it means."""


def add_roles(parser: argparse._ActionsContainer) -> None:
    """Add an option for each role of columns."""
    for role, meaning in ROLES.items():
        parser.add_argument(
            f"--{role}", action="append", default=[], metavar="COL,..", help=meaning
        )
    parser.add_argument(
        "--identifier", metavar="COL", help="the column that names the individuals"
    )


def add_policy(
    parser: argparse.ArgumentParser, file: str = "the policy, a TOML file"
) -> None:
    """Add ``--policy``, and the roles that can be said instead of it."""
    parser.add_argument("--policy", metavar="FILE", help=file)
    instead = "for a first look without a policy file (phverify init writes one)"
    add_roles(parser.add_argument_group(instead))
