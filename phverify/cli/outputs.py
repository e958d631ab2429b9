"""An answer that is known is told, whatever becomes of the files that were asked for
with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from phverify.cli.delivery import Delivery, Output, delivered, saved
from phverify.cli.evidence import evidence_of, evident
from phverify.cli.terminal import (
    KEEP,
    as_bytes,
    complain,
    json_pieces,
    say_json,
    show,
    writable,
)
from phverify.errors import InputError, Problem, refusal
from phverify.microdata.formats import is_pattern, matching, would_join
from phverify.result import Result

FILES = (
    *("--output", "--certificate", "--failing", "--dltts"),
    *("--html", "--json", "--junit", "--sarif"),
)
"""Options that name a file to be written."""
Lines = Callable[[], Iterable[str]]
"""Makes the lines of an answer, once they are to be said."""


def targets(options: argparse.Namespace, inputs: Iterable[Any]) -> dict[str, Path]:
    """The files that a command is asked to write, by option, checked before any work is
    done.

    Raises InputError; no two of them are one file.
    """
    chosen: dict[str, Path] = {}
    # a policy may be given without a file
    read = [one for one in inputs if isinstance(one, str)]
    # No file that a pattern stands for is overwritten.
    patterns = [*filter(is_pattern, read)]
    for pattern in patterns:
        read += map(str, matching(pattern))
    if getattr(options, "public", False) and not options.html:
        what = "says what stands on the page of --html, and none is asked for"
        raise refusal("--public", what, "add --html FILE")
    for flag in FILES:
        name = getattr(options, flag.removeprefix("--"), None)
        if name == "-" and flag != "--json":
            what = "is the name of a file; only --json writes to standard output"
            raise refusal(flag, what)
        if name in (None, "-"):
            continue
        path = writable(name, flag, read)
        for pattern in patterns:
            if would_join(pattern, path):
                what = f"{path} would be one of the files that {pattern!r} stands for"
                raise refusal(flag, what, "write it to another folder")
        for twin, other in chosen.items():
            # one file may have two names
            if other.resolve() == path.resolve():
                raise refusal(twin, f"{other} is where {flag} goes, too")
        chosen[flag] = path
    return chosen


def answer(
    options: argparse.Namespace,
    files: dict[str, Path],
    result: Result,
    more: Sequence[Output] = (),
) -> None:
    """Say what was found, and write it where ``--json`` asks for it, with ``more``."""
    public = bool(getattr(options, "public", False))
    pages = page_file(options, files, partial(result.to_html, public))
    data = evident(options, result.to_dict)
    tell(options, files, data, result.lines, [*pages, *more])


def gates(
    options: argparse.Namespace, files: dict[str, Path], result: Any
) -> list[Output]:
    """What gates of continuous integration read, where it was asked for."""
    if "--junit" not in files and "--sarif" not in files:
        return []
    # Its formats are loaded for who asks for them.
    from phverify.cli.gates import gate_files

    return gate_files(options, files, result)


def tell(
    options: argparse.Namespace,
    files: dict[str, Path],
    data: Callable[[], Any],
    lines: Lines,
    more: Sequence[Output] = (),
) -> None:
    """The same for an answer in these lines, with more to be written."""
    outputs = [*json_file(files.get("--json"), data), *more]
    told(options.json, data, lines, delivered(outputs))


def json_file(
    target: Path | None,
    data: Callable[[], Any],
    said: str = "",
) -> list[Output]:
    """The file of ``--json``, if one was asked for; only the owner can read it.

    Most answers describe leaks, or quote the data.
    """
    if target is None:
        return []

    def made() -> Iterator[bytes]:
        pieces = json_pieces(data())
        whole = chain(pieces, ["\n"])
        return map(as_bytes, whole)

    save = partial(saved, target, said, confidential=True)
    return [Output("the result", target, made, save)]


def page_file(
    options: argparse.Namespace, files: dict[str, Path], make: Callable[..., str]
) -> list[Output]:
    """The page of ``--html``, if one was asked for; only the owner can read it.

    ``make`` is given the ``evidence``: how the answer was asked for.
    """
    target = files.get("--html")
    if target is None:
        return []
    said = f"  the page is written to {target}"
    if not options.public:
        said += f" (it may quote the data: {KEEP})"

    def made() -> str:
        return make(evidence=evidence_of(options))

    save = partial(saved, target, said, confidential=True)
    return [Output("the page", target, made, save)]


def told(
    where: str | None, data: Callable[[], Any], lines: Lines, outputs: Delivery
) -> None:
    """Say the answer: as JSON where ``--json -`` asks for it, else as text.

    Both are made as they are said.  Raises InputError afterwards, when something could
    not be written.
    """
    try:
        if where == "-":
            say_json(data())
            for line in outputs.missing:
                complain(line.strip())
        else:
            written = [line for text in outputs.written for line in text.split("\n")]
            show([*_made(lines), *written, *outputs.missing])
    except KeyboardInterrupt:
        # It is known all the same: this is no run without an answer.
        what = "is not written whole: interrupted"
        outputs.failed.append(Problem("standard output", what))
    if outputs.failed:
        raise InputError(outputs.failed)


def _made(lines: Lines) -> list[str]:
    """The lines of an answer: who interrupts once is told it all the same."""
    try:
        return list(lines())
    except KeyboardInterrupt:
        # Nothing of it has been said yet; a second Ctrl-C ends it.
        return list(lines())
