"""What a search for one release writes and says, in whatever space."""

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
from phverify.cli.delivery import Output, Unmade, delivered, saved
from phverify.cli.evidence import evident
from phverify.cli.inputs import hierarchy_files, one_of_several
from phverify.cli.outputs import json_file, page_file, targets, told
from phverify.cli.terminal import KEEP, Progress
from phverify.errors import refusal
from phverify.microdata.files import TableFile, piped
from phverify.microdata.formats import is_pattern
from phverify.microdata.part_file import PartFile
from phverify.microdata.write import PACK, require_written
from phverify.verbs.files import naming


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
    told(options.json, data, partial(shown.to_lines, result, name), outputs)
    return result


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
