"""A proposed policy as a TOML file that explains itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phverify.errors import printable
from phverify.proposal.result import PolicyProposal, ProposedColumn, typed
from phverify.words import plural, toml_key, toml_string, toml_value


def to_toml(proposal: PolicyProposal, folder: Path | None = None) -> str:
    """The file's text; paths of hierarchies are written relative to ``folder``."""
    lines = [
        *_head(proposal),
        *_roles(proposal),
        *_types(proposal),
        *_hierarchies(proposal, folder),
        *_rules(proposal),
    ]
    return "\n".join(lines) + "\n"


def _head(proposal: PolicyProposal) -> Iterator[str]:
    rows = plural(proposal.rows, "row")
    yield f"# A first policy for {printable(proposal.table)} ({rows})."
    yield "# Read it line by line: what others know of people is for you to say."
    yield "#"
    yield f"# Template {proposal.template.name}: {proposal.template.title}."
    yield f"# Source: {proposal.template.source}."
    yield "# What it cannot say:"
    for limit in proposal.template.limits:
        yield f"# - {limit}"


def _roles(proposal: PolicyProposal) -> Iterator[str]:
    yield ""
    yield "[columns]"
    quasi = [one for one in proposal.columns if one.role == "quasi"]
    yield from _listed("quasi", quasi, "what others may know of everybody")
    sensitive = [one for one in proposal.columns if one.role == "sensitive"]
    yield from _listed("sensitive", sensitive, "what nobody may learn of somebody")
    neutral = [one for one in proposal.columns if one.role == "neutral"]
    yield from _listed("neutral", neutral, "published unchanged, and not looked at")
    for column in proposal.columns:
        if column.role == "identifier":
            identifier = toml_string(column.name)
            yield f"identifier = {identifier}  # {_why(column)}; never released"


def _listed(role: str, columns: list[ProposedColumn], meaning: str) -> Iterator[str]:
    """One list of columns, each on a line with its reason."""
    if not columns:
        yield f"{role} = []  # {meaning}"
        return
    yield f"{role} = [  # {meaning}"
    for column in columns:
        yield f"    {toml_string(column.name)},  # {_why(column)}"
    yield "]"


def _why(column: ProposedColumn) -> str:
    """The reason for a role; what comes from the data cannot end the line."""
    reason = f"{column.described}: {column.reason}"
    if column.alone:
        reason += (
            ", and stands for somebody by itself: leave the column out of the file, or"
            " all of it becomes *"
        )
    return printable(reason)


def _types(proposal: PolicyProposal) -> Iterator[str]:
    columns = [one for one in proposal.columns if typed(one)]
    if not columns:
        return
    yield ""
    yield "[types]  # all else is text"
    for column in columns:
        yield f"{toml_key(column.name)} = {toml_string(column.kind)}"


def _hierarchies(proposal: PolicyProposal, folder: Path | None) -> Iterator[str]:
    """The hierarchies, and which columns have none."""
    quasi = [one for one in proposal.columns if one.role == "quasi"]
    if not quasi:
        return
    yield ""
    yield "[hierarchies]  # how values become coarser; files have value;level1;level2"
    for column in quasi:
        if column.hierarchy is None:
            yield f"# {printable(column.name)}: kept, or * for all"
        else:
            steps = _relative(column.hierarchy, folder)
            yield f"{toml_key(column.name)} = {toml_value(steps)}"


def _relative(steps: dict[str, Any] | str, folder: Path | None) -> Any:
    """The path of a file as seen from the policy's folder."""
    if isinstance(steps, dict) or folder is None:
        return steps
    return Path(os.path.relpath(steps, folder)).as_posix()


def _rules(proposal: PolicyProposal) -> Iterator[str]:
    yield ""
    yield "[rules]"
    sensitive = [one.name for one in proposal.columns if one.role == "sensitive"]
    for name, formula, said in proposal.template.rules(sensitive):
        yield f"{name} = {toml_string(formula)}  # {said}"
