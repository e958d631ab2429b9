"""The verb ``completion`` of the command line: what a shell needs to complete verbs,
options and files.
"""

from __future__ import annotations

import argparse

import shtab

from phverify.cli.arguments.parser import parser
from phverify.cli.terminal import say

FILES = ("FILE", "DIR", None)
"""What stands for a file in usages; a table has no word of its own."""


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell; the exit code."""
    every = parser()
    for verb in every.verbs.values():
        for action in verb._actions:
            _completed(action)
    script = shtab.complete(every, options.shell)
    say(script.splitlines())
    return 0


def _completed(action: argparse.Action) -> None:
    """Say what an option or argument completes to: its words, or files."""
    meant = action.metavar
    if isinstance(meant, str) and "|" in meant:
        # Usages show the words that an option takes; the verb itself checks them.
        action.choices = meant.split("|")
    elif action.nargs != 0 and action.choices is None and meant in FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
