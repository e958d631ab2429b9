"""The checker as a command of its own: a certificate is checked with a bare Python,
without any solver.

Where a certificate rests on two solvers instead of a proof, it is refused here;
``phverify check`` asks them again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from phverify.errors import PhverifyError, printable
from phverify.spec import certificate as verdicts
from phverify.spec.options import add_arguments
from phverify.spec.shape import KIND
from phverify.spec.source import Plain, Refused

MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    AssertionError,
)
"""What a certificate of another form may make of the code that reads it."""
KINDS = (
    KIND,
    "phverify certificate of minimality",
    "phverify certificate of a recoding by tuples",
)
ACCEPTED, REFUSED, BAD_INPUT = range(3)
DIGITS = re.compile(r"\d{100,}")
"""Numbers that nobody reads: only their first digits are shown."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one certificate and print what was verified; 0 accepted, 1 refused, 2 bad
    input.
    """
    options = _parser().parse_args(arguments)
    try:
        return _checked(options)
    except OSError as error:
        # Standard output is full, or its reader is gone: what is left stays unsaid.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"phverify-check: standard output: {error.strerror}", file=sys.stderr)
        return BAD_INPUT


def _checked(options: argparse.Namespace) -> int:
    """Check the certificate and print what was verified; the exit code."""
    for name in (options.release, options.original, options.table, options.policy):
        if name is not None and not Path(name).is_file():
            print(shown(f"phverify-check: {name}: there is no such file"))
            return BAD_INPUT
    try:
        claimed = loaded(Path(options.certificate))
        lines = _lines(claimed, options)
    except (Refused, OSError) as error:
        print(shown(f"phverify-check: {error}"))
        return BAD_INPUT
    try:
        for line in lines:
            print(shown(f"  ok  {line}"), flush=True)
    except PhverifyError as error:
        print(shown(f"REFUSED: {error}"))
        return REFUSED
    except MALFORMED as error:
        print(
            shown(
                f"REFUSED: the certificate is malformed: {type(error).__name__} {error}"
            )
        )
        return REFUSED
    # A certificate of minimality is accepted only if all rules are proved.
    unmet: list[str] = []
    if options.require and claimed["kind"] == KIND:
        from phverify.spec.required import unproved

        unmet = unproved(claimed)
    print(
        shown(
            "UNMET: what it claims is so, and is not what is required:"
            f" {'; '.join(unmet)}"
            if unmet
            else "ACCEPTED"
        )
    )
    return REFUSED if unmet else ACCEPTED


def shown(line: str) -> str:
    """A line that stays one line, with long numbers cut short."""
    one_line = printable(line)
    return DIGITS.sub(_cut_short, one_line)


def _cut_short(number: re.Match[str]) -> str:
    digits = number[0]
    first = digits[:20]
    length = len(digits)
    return f"{first}..({length} digits)"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "phverify-check",
        description="verify a certificate again, with nothing but Python",
    )
    add_arguments(parser)
    return parser


def loaded(path: Path) -> Plain:
    """A certificate as JSON in which no name occurs twice.  Raises Refused for a file
    that holds none.
    """
    try:
        content = parsed(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path} is no JSON: {error}") from None
    if not isinstance(content, Mapping) or content.get("kind") not in KINDS:
        raise Refused(f"{path} is no certificate")
    return content


def parsed(text: str) -> Any:
    """JSON in which no name occurs twice.  Raises ValueError."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Python would keep the last of two values, another reader perhaps the first.
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return fields


def _lines(claimed: Plain, options: argparse.Namespace) -> Iterator[str]:
    """What is verified about a certificate.  Raises Refused for inputs that it does not
    need, or has not.
    """
    if claimed["kind"] == KIND:
        _only(options, {"release"}, {"table"})
        if options.require and options.policy is None:
            raise Refused(
                "--require proved is about your policy: give it with --policy"
            )
        return verdicts.check(
            claimed, options.release, options.original, None, options.policy
        )
    _only(options, {"table", "policy"}, {"original"})
    # Half of the checker, which a verdict does not need.
    from phverify.spec.searched import lines

    return lines(claimed, vars(options))


def _only(options: argparse.Namespace, needed: set[str], unwanted: set[str]) -> None:
    given = {name for name, value in vars(options).items() if value is not None}
    if absent := sorted(needed - given):
        raise Refused(f"this certificate needs --{absent[0]} FILE")
    if odd := sorted(unwanted & given):
        raise Refused(f"this certificate has no use for --{odd[0]}")
