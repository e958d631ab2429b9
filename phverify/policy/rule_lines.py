"""In which line of a policy file each rule begins."""

from __future__ import annotations

import tomllib
from typing import Any

LONGEST = 2000
"""An entry of more lines ends the search: each line is read as often as there are more
of the same entry behind it."""
PLACES = ("columns", "secrets", "agents", "assumptions")
"""Sections beside the rules, whose entries are named with them: ``secrets.Jean``."""


def rule_lines(text: str) -> dict[str, int]:
    """The first line of each rule, from 1, and of what other sections name.

    An entry is complete with the first line after which it is TOML below the header
    of its table.  So quotes over several lines are read as TOML reads them.
    """
    begins: dict[str, int] = {}
    header, entry = "", ""
    first = 1
    # TOML knows no other ends of lines.
    for number, line in enumerate(text.split("\n"), 1):
        entry += f"{line}\n"
        heads = entry.lstrip().startswith("[")
        try:
            read = tomllib.loads(entry if heads else header + entry)
        except tomllib.TOMLDecodeError:
            if number - first > LONGEST:
                break
            continue
        if heads:
            header = entry
        for name in _named(read):
            begins.setdefault(name, first)
        entry, first = "", number + 1
    return begins


def _named(read: dict[str, Any]) -> list[str]:
    """What findings are about, in some entries of a policy."""
    rules = read.get("rules")
    names = [*rules] if isinstance(rules, dict) else []
    for section in PLACES:
        entries = read.get(section)
        if not isinstance(entries, dict):
            continue
        if section == "secrets":
            names.append(section)
        if section != "columns":
            names += [f"{section}.{name}" for name in entries]
            continue
        for given in entries.values():
            columns = given if isinstance(given, list) else [given]
            names += [f"columns.{name}" for name in columns]
    return names
