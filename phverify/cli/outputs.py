"""An answer that is known is told, whatever becomes of the files that were asked for
with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from phverify.cli.evidence import evidence_of, evident
from phverify.cli.terminal import (
    KEEP,
    Content,
    as_bytes,
    complain,
    json_pieces,
    say_json,
    show,
    writable,
    write,
)
from phverify.errors import InputError, Problem, Problems, refusal
from phverify.microdata.formats import is_pattern, matching, would_join
from phverify.result import Result

FILES = (
    *("--output", "--certificate", "--failing", "--dltts"),
    *("--html", "--json", "--junit", "--sarif"),
)
"""Options that name a file to be written."""


NO_MEMORY = "there is not enough memory to make it"


class Unmade(Exception):
    """Why there is nothing to write, which belongs to the answer; "" where the answer
    says it.
    """


@dataclass(frozen=True)
class Output:
    """Something to be written: ``make`` gives it (or raises Unmade), ``save`` writes it
    and says so.

    What is not ``needed`` leaves the answer complete where it cannot be made in time:
    then that is said, no more.
    """

    what: str
    target: Path
    make: Callable[[], Any]
    save: Callable[[Any], str]
    needed: bool = True


@dataclass(eq=False)
class Delivery:
    """What became of the outputs: lines on what was ``written`` and what is
    ``missing``, problems that ``failed``.
    """

    written: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    failed: Problems = field(default_factory=list)

    def make(self, outputs: Sequence[Output]) -> list[tuple[Output, Any]]:
        """What is to be written; after Ctrl-C nothing further is made."""
        made: list[tuple[Output, Any]] = []
        left = list(outputs)
        try:
            while left:
                try:
                    made.append((left[0], left[0].make()))
                except Unmade as error:
                    self.absent(left[0], str(error))
                except InputError as error:
                    self.failed += error.problems
                    if not left[0].needed:
                        self.absent(left[0], "the error says why")
                except MemoryError:
                    self.leave(left[0], NO_MEMORY)
                # only once it is done: Ctrl-C leaves what was being made
                left.pop(0)
        except KeyboardInterrupt:
            for output in left:
                self.leave(output, "interrupted")
        return made

    def save(self, made: Sequence[tuple[Output, Any]]) -> None:
        """Write what has been made; Ctrl-C ends that."""
        left = list(made)
        try:
            while left:
                output, content = left[0]
                try:
                    self.written += filter(None, [output.save(content)])
                except InputError as error:
                    self.failed += error.problems
                except MemoryError:
                    self.leave(output, NO_MEMORY)
                left.pop(0)
        except KeyboardInterrupt:
            self.failed += [
                Problem(str(output.target), "is not written: interrupted")
                for output, _ in left
            ]

    def leave(self, output: Output, why: str) -> None:
        """An output that could not be made in time."""
        if output.needed:
            self.failed.append(Problem(str(output.target), f"is not written: {why}"))
        else:
            self.absent(output, why)

    def absent(self, output: Output, why: str) -> None:
        """An output that the answer is complete without."""
        reason = f": {why}" if why else ""
        missing = (
            f"  {output.what} is missing: nothing is written to {output.target}{reason}"
        )
        # an earlier file could be taken for one of this answer
        if output.target.is_file():
            missing += " (the file that is there is an earlier one)"
        self.missing.append(missing)


def delivered(outputs: Sequence[Output]) -> Delivery:
    """Make all outputs, then write them: a defect in making one writes none.

    The file of ``--json`` is made as it is written.
    """
    delivery = Delivery()
    made = delivery.make(outputs)
    delivery.save(made)
    return delivery


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
    lines = result.lines()
    public = bool(getattr(options, "public", False))
    pages = page_file(options, files, partial(result.to_html, public))
    tell(options, files, evident(options, result.to_dict), lines, [*pages, *more])


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
    lines: Sequence[str],
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


def saved(target: Path, said: str, content: Content, confidential: bool = False) -> str:
    """Write a file, which others cannot read if it is confidential; what is said then.

    Raises InputError.
    """
    write(target, content, confidential)
    return said


def told(
    where: str | None, data: Callable[[], Any], lines: Iterable[str], outputs: Delivery
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
            show([*lines, *written, *outputs.missing])
    except KeyboardInterrupt:
        # It is known all the same: this is no run without an answer.
        what = "is not written whole: interrupted"
        outputs.failed.append(Problem("standard output", what))
    if outputs.failed:
        raise InputError(outputs.failed)
