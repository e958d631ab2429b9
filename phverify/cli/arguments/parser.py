"""The parser of the command line: the verbs, and what each of them takes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Container, Iterator
from typing import Any

from phverify.cli.arguments import (
    audit,
    check,
    compare,
    compare_data,
    completion,
    demo,
    init,
    lint,
    measure,
    mechanism,
    reidentify,
    search,
    verify,
)
from phverify.cli.arguments.examples import examples
from phverify.cli.arguments.overview import overview
from phverify.cli.terminal import say
from phverify.errors.near import close
from phverify.version import __version__

BAD_INPUT = 2
VERBS = {
    "verify": (verify, "prove that a release satisfies a policy, or show the leak"),
    "measure": (measure, "how strict could a policy be, and which class forces it?"),
    "init": (init, "a first policy for a table, with the reason for each line"),
    "search": (search, "find the least generalization that satisfies a policy"),
    "check": (check, "verify a certificate again, without the engine that wrote it"),
    "compare": (
        compare,
        "does one criterion or policy imply another, for every table?",
    ),
    "compare-data": (
        compare_data,
        "what is a release still good for, beside its original?",
    ),
    "lint": (lint, "find rules of a policy that cannot mean what they should"),
    "audit": (audit, "which query of a log first gave a protected fact away?"),
    "reidentify": (
        reidentify,
        "how well could attackers link the records of a release?",
    ),
    "mechanism": (
        mechanism,
        "the least epsilon of a mechanism, and what forces it",
    ),
    "demo": (demo, "the packaged examples: verify, search, audit and reidentify"),
    "completion": (completion, "a script by which a shell completes commands"),
}
"""Each verb's arguments and what it is for; ``phverify.cli.VERB`` has its ``run``
(of ``compare-data``, ``compare_data``)."""


class Parser(argparse.ArgumentParser):
    """Options are written out; what cannot be parsed is bad input."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, allow_abbrev=False)
        self.verbs: dict[str, Parser] = {}

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was typed; of words that a verb does not know, the verb's own usage."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            verb = self.verbs[options.command]
            hints = [*verb._meant(unknown), *self._elsewhere(verb, unknown)]
            meant = "".join(f"\n    {hint}" for hint in hints)
            verb.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
        return options

    def _elsewhere(self, verb: Parser, unknown: list[str]) -> Iterator[str]:
        """Options that other verbs have, and this one nothing like them."""
        for word in unknown:
            option = word.partition("=")[0]
            if not option.startswith("--") or verb._meant([word]):
                continue
            having = [
                name
                for name, other in self.verbs.items()
                if option in other._option_string_actions
            ]
            if having:
                yield f"{option} is an option of phverify {', '.join(having)}"

    def _meant(self, unknown: list[str]) -> list[str]:
        """What such words may have been meant for, a line each."""
        known = self._option_string_actions
        # With their dashes short names would be alike that have nothing in common.
        names = [option[2:] for option in known if option.startswith("--")]
        # Some verbs have a flag for what is another's first word, and never their own.
        bare = [action.dest for action in self._actions if not action.option_strings]
        hints = []
        before = ""
        for word in unknown:
            name = word.partition("=")[0]
            flag = name.startswith("--")
            alike = close(name[2:], names) if flag else []
            if flag and name[2:] in bare:
                hints.append(f"the {name[2:]} is written without {name!r} before it")
            elif alike:
                hints.append(f"did you mean '--{alike[0]}'?")
            # The value of an option that is unknown is no file without one.
            elif not before.startswith("--"):
                hints += _by_ending(word, known)
            before = word
        return hints

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help on standard output is said like any answer; argparse would leave what
        cannot be written without a word, and what is written for Python to flush.
        """
        if file is sys.stdout:
            say(message.splitlines())
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> None:  # type: ignore[override]
        """Show the usage and what is wrong, and exit as for any bad input."""
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"phverify: {message}{_did_you_mean(message)}\n")


FILES = {
    ".toml": "--policy",
    ".sql": "--log",
    ".jsonl": "--log",
    ".csv": "--database",
    ".duckdb": "--database",
    ".sqlite": "--database",
    ".db": "--database",
    ".parquet": "--database",
}
"""By the ending of a file, the option that most likely names it."""


def _by_ending(word: str, known: Container[str]) -> Iterator[str]:
    """How a file is named that stands without its option."""
    _, dot, ending = word.rpartition(".")
    option = FILES.get(dot + ending)
    if option is not None and option in known:
        yield f"is it the {option.removeprefix('--')}? {option} {word}"


def _did_you_mean(message: str) -> str:
    """The choice that is nearest to one that argparse does not know."""
    choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
    if choice is None:
        return ""
    alike = close(choice[1], re.findall(r"[\w-]+", choice[2]))
    if alike:
        return f"\n    did you mean {alike[0]!r}?"
    return ""


class Overview(Parser):
    """The parser of all verbs: its help shows them in groups."""

    def format_help(self) -> str:
        """Usage, the verbs by what they are for, examples, exit codes."""
        purposes = {verb: purpose for verb, (_, purpose) in VERBS.items()}
        lines = [
            "usage: phverify [--help] [--version] COMMAND ...",
            "",
            str(self.description),
            "",
            *overview(purposes),
        ]
        return "\n".join(lines) + "\n"


def parser() -> Overview:
    """The parser of all verbs; the one that was typed is ``command``."""
    every = Overview(
        prog="phverify",
        description=(
            "Prove that a data release keeps its privacy promises, or show the leak."
        ),
    )
    every.add_argument("--version", action="version", version=f"phverify {__version__}")
    commands = every.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    for verb, (module, purpose) in VERBS.items():
        added = commands.add_parser(
            verb,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:].rstrip('.')}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=examples(verb),
        )
        module.add_arguments(added)
        every.verbs[verb] = added
    return every
