"""In which line of a policy file each rule begins."""

from __future__ import annotations

import tomllib

LONGEST = 2000
"""Of longer policies no lines are told: each line is read as often as there are more
behind it."""


def rule_lines(text: str) -> dict[str, int]:
    """The first line of each rule, from 1.

    An entry is complete with the first line after which the text so far has it; it
    begins behind the last line after which the text so far was TOML.  So quotes over
    several lines are read as TOML reads them.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) > LONGEST:
        return {}
    begins: dict[str, int] = {}
    complete = 0
    for number in range(1, len(lines) + 1):
        try:
            so_far = tomllib.loads("".join(lines[:number]))
        except tomllib.TOMLDecodeError:
            continue
        rules = so_far.get("rules", {})
        if isinstance(rules, dict):
            for name in rules:
                begins.setdefault(name, complete + 1)
        complete = number
    return begins
