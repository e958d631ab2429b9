"""The verb ``search`` of the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from phverify.budget import Tell
from phverify.cli.evidence import evident
from phverify.cli.inputs import hierarchy_files, one_of_several, seconds
from phverify.cli.outputs import (
    Output,
    Unmade,
    delivered,
    json_file,
    page_file,
    saved,
    targets,
    told,
)
from phverify.cli.policies import policy_of, with_steps
from phverify.cli.terminal import KEEP, Progress
from phverify.errors import refusal
from phverify.generalization.result import SearchResult
from phverify.microdata.files import TableFile, piped
from phverify.microdata.formats import is_pattern
from phverify.microdata.part_file import PartFile
from phverify.microdata.write import PACK, require_written
from phverify.report.search_json import to_json
from phverify.report.search_text import to_lines
from phverify.verbs.files import naming
from phverify.verbs.search import search
from phverify.words import plural

EXIT = {"optimal": 0, "infeasible": 1, "undecided": 3}
BY_TUPLES: dict[str, Any] = {
    "disjoint": False,
    "gap": None,
    "cells": "1",
    "ranges": [],
    "blind": None,
    "publish": "range",
}
"""Options that only the space of tuples has, with what they are where nobody says."""


def run(options: argparse.Namespace) -> int:
    """Search, and write what was asked for; the exit code."""
    options.table = piped(options.table)
    options.policy = with_steps(policy_of(options), options.table)
    if options.tradeoff is not None:
        from phverify.cli.tradeoff import run as several

        return several(options)
    if options.space == "tuples":
        # It needs a compiler, which the other spaces do not wait for.
        from phverify.cli.tuples import run as recoded

        return recoded(options)
    unasked(options)

    def least(table: Any, progress: Progress) -> SearchResult:
        return search(
            table,
            options.policy,
            space=options.space,
            objective=options.objective,
            suppress=options.suppress,
            weights=weights_of(options.weights),
            all_minimal=options.all_minimal,
            explain=options.explain,
            charge_withheld=options.charge_withheld,
            engine=options.engine,
            budget=seconds(options.budget),
            shuffle=seed_of(options.shuffle),
            sample=options.sample,
            seed=seed_of(options.seed, "--seed"),
            redact=options.redact,
            progress=progress.step,
        )

    shown = ReleaseRendering(to_json, to_lines, _released)
    return EXIT[searched_and_told(options, least, shown).verdict]


class ReleaseRendering(NamedTuple):
    """How the answer of a search is shown; ``changed`` says what the release is."""

    to_json: Callable[[Any, bool], Any]
    to_lines: Callable[[Any, Any], Sequence[str]]
    changed: Callable[[Any], str]


def searched_and_told(
    options: argparse.Namespace,
    searched: Callable[[Any, Progress], Any],
    shown: ReleaseRendering,
) -> Any:
    """Search for one release, write what was asked for, and say it: the answer."""
    certifiable(options)
    inputs = (options.table, options.policy, *hierarchy_files(options.policy))
    written = targets(options, inputs)
    writable_table(written)
    one_file(options, written)
    # A pipe is read once, and its form is looked at again when the release is written.
    table = one_of_several(piped(options.table), options.named)
    with Progress() as progress, ExitStack() as ending:
        result = searched(table, progress)
        data = evident(options, partial(shown.to_json, result, options.redact))
        files = Files(result, data, written, options.policy, ending, shown.changed)
        pages = page_file(options, written, partial(result.to_html, options.public))
        outputs = delivered([*pages, *files.outputs(progress.step)])
    name = table.name if isinstance(table, TableFile) else table
    told(options.json, data, shown.to_lines(result, name), outputs)
    return result


def unasked(options: argparse.Namespace) -> None:
    """Raises InputError for what only a search in the space of tuples understands."""
    for flag, unsaid in BY_TUPLES.items():
        if getattr(options, flag) != unsaid:
            what = "is about releases by tuples"
            raise refusal(f"--{flag}", what, f"--space tuples --{flag} ..")


def certifiable(options: argparse.Namespace) -> None:
    """Raises InputError for a certificate beside words that show no value: it shows
    the values of the table, and the policy.
    """
    if options.certificate is None:
        return
    if options.redact:
        raise refusal("--certificate", "quotes policy and values: not with --redact")


def writable_table(written: Mapping[str, Path]) -> None:
    """Raises InputError for a release that would not be what its name says."""
    output = written.get("--output")
    if output is None:
        return
    if output.suffix.lower() in PACK and "--certificate" in written:
        what = "with --certificate the release is written plainly, for its checker"
        raise refusal("--output", what, "use .csv, and pack a copy of it")
    require_written(output)


def one_file(options: argparse.Namespace, written: Mapping[str, Path]) -> None:
    """Raises InputError where a certificate is asked for that could name no file."""
    if "--certificate" not in written:
        return
    if options.named is not None or is_pattern(options.table):
        what = "names the file of the table, and this is one of several, or many"
        raise refusal("--certificate", what, "export the table as one CSV or Parquet")


@dataclass(frozen=True, eq=False)
class Files:
    """What a search writes: the release, the result, and the certificate."""

    result: Any
    data: Callable[[], Any]
    """The result as --json has it."""
    written: Mapping[str, Path]
    policy: str
    ending: ExitStack
    """Leaves nothing half written behind."""
    changed: Callable[[Any], str]
    """What is said of the release."""

    def outputs(self, progress: Tell) -> list[Output]:
        """What was asked for; the certificate, which takes longest, comes last."""
        release = self.written.get("--output")
        result = self.written.get("--json")
        proof = self.written.get("--certificate")
        asked: list[Output] = []
        if release:
            said = f"  the release is written to {release}: {self.changed(self.result)}"
            save = partial(_finished, said)
            make = partial(self._release, progress)
            asked.append(Output("the release", release, make, save))
        # The result holds the mapping of every quasi-identifier value.
        said = f"  the result is written to {result}"
        asked += json_file(result, self.data, said)
        if proof:
            said = f"  the certificate is written to {proof} (it quotes values: {KEEP})"
            asked.append(
                Output(
                    "the certificate",
                    proof,
                    partial(self._certificate, progress),
                    partial(saved, proof, said, confidential=True),
                    # the answer stands without it
                    needed=False,
                )
            )
        return asked

    def _release(self, progress: Tell) -> PartFile:
        """The released table in a file that has not got its name.  Raises Unmade."""
        progress("making the release")
        return self._part

    @cached_property
    def _part(self) -> PartFile:
        # Made once: the certificate names the very bytes that are written.
        if self.result.make_release is None:
            raise Unmade
        part: PartFile = self.result.begun(self.written["--output"])
        # Where something else goes wrong, it never gets its name.
        self.ending.callback(part.discard)
        return part

    def _certificate(self, progress: Tell) -> str:
        """The certificate as its file has it, with the SHA-256 of the released file.

        Raises Unmade.
        """
        if self.result.certificate is None:
            raise Unmade(self.result.uncertified)
        release = None
        if "--output" in self.written:
            release = self._release(progress).path
        named = naming(self.result.certificate, policy=self.policy, release=release)
        return json.dumps(named, ensure_ascii=False) + "\n"


def _finished(said: str, part: PartFile) -> str:
    """Give a file its name; what is said then.  Raises InputError."""
    part.finish()
    return said


def _released(result: SearchResult) -> str:
    """Which columns of the release are not those of the input."""
    changed = []
    for name, images in result.mapping.items():
        if any(before != after for before, after in images.items()):
            changed.append(name)
    said = f"{', '.join(changed)} generalized" if changed else "nothing is generalized"
    if not result.suppressed:
        return said
    return f"{said}, {plural(result.suppressed, 'record')} left out"


def weights_of(given: list[str]) -> dict[str, str]:
    """The values of ``--weights``, by column.  Raises InputError."""
    weights: dict[str, str] = {}
    for item in ",".join(given).split(",") if given else []:
        # from the right: a column's name may have an = of its own
        name, equals, weight = item.rpartition("=")
        if not equals or not name:
            what = f"is column=weight, not {item!r}"
            raise refusal("--weights", what, "--weights age=2,zip=1/2")
        if name in weights:
            raise refusal("--weights", f"{name!r} has two weights")
        weights[name] = weight
    return weights


def seed_of(text: str | None, flag: str = "--shuffle") -> int | None:
    """The value of ``--shuffle``, or ``--seed``.  Raises InputError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise refusal(flag, f"is a whole number, not {text!r}") from None
