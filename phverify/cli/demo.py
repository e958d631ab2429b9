"""The verb ``demo``: the packaged examples, shown or copied."""

from __future__ import annotations

import argparse
import io
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path

from phverify.cli.arguments.parser import parser
from phverify.cli.terminal import say, show
from phverify.errors import refusal

DEFECT = 4


@dataclass(frozen=True)
class Shown:
    """A command on the packaged files, what it is about, and its exit code; the first
    ``lines`` of its answer are shown.
    """

    heading: str
    command: str
    code: int
    lines: int = 20


SHOWN = (
    Shown(
        "verify: a hospital wants to publish release.csv. Its policy: every class of"
        " records that look alike has\nat least two, and nobody may be known to earn"
        " 100K or to be seriously ill (health = 2).",
        "phverify verify hospital/release.csv --policy hospital/policy.toml"
        " --original hospital/original.csv",
        1,
    ),
    Shown(
        "search: which release keeps the policy and loses least?",
        "phverify search hospital/original.csv --policy hospital/policy.toml",
        0,
    ),
    Shown(
        "audit: a bank answers sums and counts over its accounts. Which query first"
        " gave a balance away?",
        "phverify audit --database bank/accounts.csv --log bank/queries.sql"
        " --policy bank/audit.toml",
        1,
        lines=9,
    ),
    Shown(
        "reidentify: how well could attackers link the hospital's records?",
        "phverify reidentify hospital/original.csv hospital/release.csv"
        " --policy hospital/policy.toml",
        0,
        lines=10,
    ),
)


def run(options: argparse.Namespace) -> int:
    """Show the examples, or write them where ``--write`` says; the exit code."""
    with as_file(files("phverify.examples")) as root:
        if options.write is not None:
            target = Path(options.write)
            return _write(root, target)
        codes = [_show(number, one, root) for number, one in enumerate(SHOWN, start=1)]
    say(["Try them on your own files: phverify demo --write DIR copies these."])
    expected = [one.code for one in SHOWN]
    if codes == expected:
        return 0
    return DEFECT


def _show(number: int, example: Shown, root: Path) -> int:
    """Run one command and show what it says; gives its exit code."""
    say([f"{number}. {example.heading}", "", f"$ {example.command}"])
    arguments = shlex.split(example.command)[1:]
    placed = []
    for argument in arguments:
        is_file = "/" in argument
        placed.append(str(root / argument) if is_file else argument)
    options = parser().parse_args(placed)
    verb = import_module(f"phverify.cli.{options.command}")
    answer = io.StringIO()
    with redirect_stdout(answer):
        code: int = verb.run(options)

    # As who stands in the folder of the examples would read it.
    text = answer.getvalue().replace(f"{root}/", "")
    lines = text.splitlines()
    shown = lines[: example.lines]
    show(shown)
    if len(lines) > len(shown):
        say([f".. and {len(lines) - len(shown)} lines more"])
    say([""])
    return code


def _write(root: Path, folder: Path) -> int:
    """Copy the examples into a folder, none over a file that is there."""
    copies = {}
    for source in _packaged(root):
        copies[source] = folder / source.relative_to(root)
    there = [str(target) for target in copies.values() if target.exists()]
    if there:
        what = f"{there[0]} is there already, and nothing is overwritten"
        raise refusal("--write", what, "name a new or an empty folder")
    try:
        for source, target in copies.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    except OSError as error:
        what = f"{error.filename or folder} cannot be written: {error.strerror}"
        raise refusal("--write", what) from None

    lines = [f"  written: {target}" for target in copies.values()]
    lines += ["", "Type next:", f"  cd {shlex.quote(str(folder))}"]
    lines += [f"  {example.command}" for example in SHOWN]
    show(lines)
    return 0


def _packaged(root: Path) -> Iterator[Path]:
    """The files of the examples, folder by folder."""
    for path in sorted(root.rglob("*")):
        in_example = path.parent.parent == root and path.suffix != ".pyc"
        if in_example and path.is_file():
            yield path
