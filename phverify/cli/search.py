"""The verbs ``search`` and ``check`` of the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from phverify.budget import Tell
from phverify.cli.outputs import (
    Output,
    Unmade,
    delivered,
    json_file,
    saved,
    targets,
    told,
)
from phverify.cli.terminal import Progress, show
from phverify.errors import InputError, refusal
from phverify.generalization.result import SearchResult
from phverify.microdata.files import TableFile, piped
from phverify.microdata.write import PACK, table_bytes
from phverify.policy.model import Policy, examine
from phverify.report.search_text import to_lines
from phverify.spec.source import Names, rational
from phverify.spec.spaces import OBJECTIVES, SPACES
from phverify.verbs.check import check
from phverify.verbs.files import naming
from phverify.verbs.search import search

EXIT = {"optimal": 0, "infeasible": 1, "undecided": 3}


def search_parser(parser: argparse.ArgumentParser) -> None:
    """The options of ``phverify search``."""
    parser.add_argument("table", help="the table before sanitization: CSV, or Parquet")
    parser.add_argument("--policy", required=True, help="the policy, a TOML file")
    parser.add_argument(
        "--space",
        default="levels",
        metavar="|".join(SPACES),
        help="what may be chosen (levels)",
    )
    parser.add_argument(
        "--objective",
        default="loss",
        metavar="|".join(OBJECTIVES),
        help="what is least (loss)",
    )
    parser.add_argument(
        "--weights",
        action="append",
        default=[],
        metavar="COL=W,..",
        help="how much columns count",
    )
    parser.add_argument(
        "--suppress",
        default="0",
        metavar="SHARE",
        help="share of records that may be withheld (0)",
    )
    parser.add_argument(
        "--all-minimal", action="store_true", help="list every minimal level vector"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write the released table: CSV like the input, or .parquet",
    )
    parser.add_argument(
        "--shuffle", metavar="SEED", help="write the released rows in a new order"
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="write the certificate of minimality, for phverify check",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all, the certificate included; then the best so far",
    )
    parser.add_argument(
        "--redact", action="store_true", help="say no confidential value"
    )
    parser.set_defaults(run=_search)


def _search(options: argparse.Namespace) -> int:
    """Search, write what was asked for, say the answer.  Returns the exit code."""
    policy, _ = examine(options.policy)
    inputs = (options.table, options.policy, *_hierarchy_files(policy))
    written = targets(options, inputs)
    _writable_table(written)
    # A pipe is read once, and its form is looked at again when the release is written.
    table = piped(options.table)
    with Progress() as progress:
        result = search(
            table,
            options.policy,
            space=options.space,
            objective=options.objective,
            suppress=options.suppress,
            weights=_weights(options.weights),
            all_minimal=options.all_minimal,
            budget=seconds(options.budget),
            shuffle=_seed(options.shuffle),
            redact=options.redact,
            progress=progress.step,
        )
        files = Files(result, written, table, options.policy, policy.named)
        outputs = delivered(files.outputs(progress.step))
    name = table.name if isinstance(table, TableFile) else table
    told(options.json, result.to_dict, to_lines(result, name), outputs)
    return EXIT[result.verdict]


def _writable_table(written: Mapping[str, Path]) -> None:
    """Raises InputError for a release that would not be what its name says."""
    output = written.get("--output")
    if output is None:
        return
    if output.suffix.lower() in PACK and "--certificate" in written:
        what = "with --certificate the release is written plainly, for its checker"
        raise refusal("--output", what, "use .csv, and pack a copy of it")
    if output.suffix.lower() in (".xlsx", ".xls", ".ods"):
        what = "spreadsheets are not written"
        raise refusal("--output", what, "use .csv or .parquet")
    if output.suffix.lower() == ".zip":
        what = "archives are not written"
        raise refusal("--output", what, "use .csv or .csv.gz")


@dataclass(frozen=True, eq=False)
class Files:
    """What a search writes: the release, the result, and the certificate."""

    result: SearchResult
    written: Mapping[str, Path]
    table: Any
    policy: str
    wanted: Names
    """The columns that decide the separator of the table."""

    def outputs(self, progress: Tell) -> list[Output]:
        """What was asked for; the certificate, which takes longest, comes last."""
        release = self.written.get("--output")
        result = self.written.get("--json")
        proof = self.written.get("--certificate")
        asked: list[Output] = []
        if release:
            said = f"  the release is written to {release}: {_released(self.result)}"
            save = partial(saved, release, said)
            make = partial(self._release, progress)
            asked.append(Output("the release", release, make, save))
        # The result holds the mapping of every quasi-identifier value.
        said = f"  the result is written to {result}"
        asked += json_file(result, self.result.to_dict, said, confidential=True)
        if proof:
            said = (
                f"  the certificate is written to {proof} (it quotes values: keep it"
                " confidential)"
            )
            asked.append(
                Output(
                    "the certificate",
                    proof,
                    partial(self._certificate, progress),
                    partial(saved, proof, said, confidential=True),
                    needed=False,
                )
            )
        return asked

    def _release(self, progress: Tell) -> bytes:
        """The released table as its file has it.  Raises Unmade."""
        progress("making the release")
        return self._release_bytes

    @cached_property
    def _release_bytes(self) -> bytes:
        # Made once: the certificate names the very bytes that are written.
        if self.result.release is None:
            raise Unmade
        output = self.written["--output"]
        return table_bytes(self.result.release, output, self.table, self.wanted)

    def _certificate(self, progress: Tell) -> str:
        """The certificate as its file has it, with the SHA-256 of the released file.

        Raises Unmade.
        """
        if self.result.certificate is None:
            raise Unmade(self.result.uncertified)
        release = self._release(progress) if "--output" in self.written else None
        named = naming(self.result.certificate, policy=self.policy, release=release)
        return json.dumps(named, ensure_ascii=False) + "\n"


def _released(result: SearchResult) -> str:
    """Which columns of the release are not those of the input."""
    changed = []
    for name, images in result.mapping.items():
        if any(value != image for value, image in images.items()):
            changed.append(name)
    said = f"{', '.join(changed)} generalized" if changed else "nothing is generalized"
    if result.suppressed:
        said += f", {result.suppressed} records left out"
    return said


def _weights(given: list[str]) -> dict[str, str]:
    """The values of ``--weights``, by column.  Raises InputError."""
    weights: dict[str, str] = {}
    for item in ",".join(given).split(",") if given else []:
        name, equals, weight = item.rpartition("=")
        if not equals or not name:
            what = f"is column=weight, not {item!r}"
            raise refusal("--weights", what, "--weights age=2,zip=1/2")
        if name in weights:
            raise refusal("--weights", f"{name!r} has two weights")
        weights[name] = weight
    return weights


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise refusal("--shuffle", f"is a whole number, not {text!r}") from None


def hierarchy_files(*policies: str | None) -> list[str]:
    """The hierarchies that policy files name: inputs as well.

    What is no policy file is complained of elsewhere.
    """
    files: list[str] = []
    for path in policies:
        try:
            policy, _ = examine(path or "")
        except InputError:
            continue
        files += _hierarchy_files(policy)
    return files


def _hierarchy_files(policy: Policy) -> list[str]:
    sources = policy.hierarchies.values()
    return [str(source) for source in sources if isinstance(source, Path)]


def seconds(text: str | None) -> float | None:
    """The value of ``--budget``."""
    if text is None:
        return None
    try:
        given = float(rational(text))
    except OverflowError:
        return None  # longer than any number of seconds that a float holds
    except ValueError:
        given = 0.0
    if given <= 0 or text.endswith("%"):
        hint = "--budget 20 stops after 20 seconds, --budget 0.5 after half a second"
        raise refusal("--budget", f"is a number of seconds above 0, not {text!r}", hint)
    return given


def check_parser(parser: argparse.ArgumentParser) -> None:
    """The options of ``phverify check``."""
    parser.add_argument(
        "certificate",
        help="what phverify verify --certificate, or search --certificate, wrote",
    )
    parser.add_argument(
        "--release",
        help="the released table, a CSV file; a verdict's certificate needs it",
    )
    parser.add_argument(
        "--original", help="for a verdict with an original table: that table"
    )
    parser.add_argument("--table", help="for a search: the table before sanitization")
    parser.add_argument(
        "--policy",
        help=(
            "the policy, a TOML file; for a verdict: what the certificate must be about"
        ),
    )
    parser.add_argument(
        "--require",
        choices=("proved",),
        help="every rule of --policy must be proved, else exit 1",
    )
    parser.add_argument(
        "--budget", metavar="SECONDS", help="time for everything; then it is undecided"
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    with Progress() as progress:
        answer = check(
            options.certificate,
            options.table,
            options.policy,
            release=options.release,
            original=options.original,
            require=options.require,
            budget=seconds(options.budget),
            progress=progress.step,
        )
    show(str(answer).splitlines())
    code = {"accepted": 0, "refused": 1, "undecided": 3}[answer.verdict]
    return code or int(bool(answer.unmet))
