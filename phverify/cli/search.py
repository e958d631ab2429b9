"""The verb ``search`` of the command line."""

from __future__ import annotations

import argparse
import json
from functools import cache, partial
from pathlib import Path

from phverify.budget import Tell
from phverify.cli.inputs import seconds
from phverify.cli.outputs import (
    Output,
    Unmade,
    delivered,
    json_file,
    saved,
    targets,
    told,
)
from phverify.cli.terminal import KEEP, Progress
from phverify.errors import refusal
from phverify.generalization.result import SearchResult
from phverify.microdata.write import table_bytes
from phverify.policy.model import examine
from phverify.report.search_json import to_json
from phverify.report.search_text import to_lines
from phverify.spec.source import Names
from phverify.verbs.files import naming
from phverify.verbs.search import search

EXIT = {"optimal": 0, "infeasible": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """Search, and write what was asked for; the exit code."""
    policy, _ = examine(options.policy)
    files = [
        str(source)
        for source in policy.hierarchies.values()
        if isinstance(source, Path)
    ]
    written = targets(options, (options.table, options.policy, *files))
    if "--output" in written and written["--output"].suffix.lower() in (
        ".xlsx",
        ".xls",
        ".ods",
    ):
        raise refusal(
            "--output", "spreadsheets are not written", "use .csv or .parquet"
        )
    wanted = policy.named
    with Progress() as progress:
        result = search(
            options.table,
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
        outputs = delivered(_outputs(result, written, options, wanted, progress.step))
    data = partial(to_json, result, options.redact)
    told(options.json, data, to_lines(result, options.table), outputs)
    return EXIT[result.verdict]


def _outputs(
    result: SearchResult,
    written: dict[str, Path],
    options: argparse.Namespace,
    wanted: Names,
    progress: Tell,
) -> list[Output]:
    """What was asked for: release, result, and the certificate, which takes longest, at
    last.
    """
    output, target, proof = (
        written.get(flag) for flag in ("--output", "--json", "--certificate")
    )

    @cache
    def release() -> bytes | None:
        """The released table as its file has it.  Raises Unmade."""
        if output is None:
            return None
        progress("making the release")
        if result.release is None:
            raise Unmade
        return table_bytes(result.release, output, Path(options.table), wanted)

    def certificate() -> str:
        """The certificate as its file has it, with the SHA-256 of the released file.
        Raises Unmade.
        """
        if result.certificate is None:
            raise Unmade(result.uncertified)
        named = naming(result.certificate, policy=options.policy, release=release())
        return json.dumps(named, ensure_ascii=False) + "\n"

    found = []
    if output:
        said = f"  the release is written to {output}: {_released(result)}"
        found.append(
            Output("the release", output, release, partial(saved, output, said))
        )
    found += json_file(
        target,
        partial(to_json, result, options.redact),
        f"  the result is written to {target}",
    )
    if proof:
        said = f"  the certificate is written to {proof} (it quotes values: {KEEP})"
        found.append(
            Output(
                "the certificate",
                proof,
                certificate,
                partial(saved, proof, said, private=True),
                needed=False,
            )
        )
    return found


def _released(result: SearchResult) -> str:
    """Which columns of the release are not those of the input."""
    changed = []
    for name, images in result.mapping.items():
        if any(before != after for before, after in images.items()):
            changed.append(name)
    said = f"{', '.join(changed)} generalized" if changed else "nothing is generalized"
    return (
        f"{said}, {result.suppressed} records left out" if result.suppressed else said
    )


def _weights(given: list[str]) -> dict[str, str]:
    found = {}
    for item in (item for text in given for item in text.split(",")):
        name, equals, weight = item.rpartition("=")
        if not equals or not name:
            raise refusal(
                "--weights",
                f"is column=weight, not {item!r}",
                "--weights age=2,zip=1/2",
            )
        if name in found:
            raise refusal("--weights", f"{name!r} has two weights")
        found[name] = weight
    return found


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise refusal("--shuffle", f"is a whole number, not {text!r}") from None
