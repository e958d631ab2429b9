"""The verbs ``search`` and ``check`` of the command line."""

from __future__ import annotations

import argparse
import json
from functools import cache, partial
from pathlib import Path

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
from phverify.microdata.write import table_bytes
from phverify.policy.model import examine
from phverify.report.search_text import to_lines
from phverify.spec.source import Names, rational
from phverify.spec.spaces import OBJECTIVES, SPACES
from phverify.verbs.check import check
from phverify.verbs.files import naming
from phverify.verbs.search import search
from phverify.words import plural

EXIT = {"optimal": 0, "infeasible": 1, "undecided": 3}


def search_parser(parser: argparse.ArgumentParser) -> None:
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
    told(options.json, result.to_dict, to_lines(result, options.table), outputs)
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
    found += json_file(target, result.to_dict, f"  the result is written to {target}")
    if proof:
        said = (
            f"  the certificate is written to {proof} (it quotes values: keep it"
            " confidential)"
        )
        found.append(
            Output(
                "the certificate",
                proof,
                certificate,
                partial(saved, proof, said),
                needed=False,
            )
        )
    return found


def _released(result: SearchResult) -> str:
    """Which columns of the release are not those of the input."""
    changed = [
        name
        for name, images in result.mapping.items()
        if any(a != b for a, b in images.items())
    ]
    said = f"{', '.join(changed)} generalized" if changed else "nothing is generalized"
    if not result.suppressed:
        return said
    return f"{said}, {plural(result.suppressed, 'record')} left out"


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


def hierarchy_files(*policies: str | None) -> list[str]:
    """The hierarchies that policy files name: inputs as well.  What is no policy file
    is complained of elsewhere.
    """
    found: list[str] = []
    for path in policies:
        try:
            policy, _ = examine(path or "")
        except InputError:
            continue
        found += [
            str(source)
            for source in policy.hierarchies.values()
            if isinstance(source, Path)
        ]
    return found


def seconds(text: str | None) -> float | None:
    """The value of ``--budget``."""
    if text is None:
        return None
    try:
        found = float(rational(text))
    except OverflowError:
        return None  # longer than any number of seconds that a float holds
    except ValueError:
        found = 0.0
    if found <= 0 or text.endswith("%"):
        hint = "--budget 20 stops after 20 seconds, --budget 0.5 after half a second"
        raise refusal("--budget", f"is a number of seconds above 0, not {text!r}", hint)
    return found


def check_parser(parser: argparse.ArgumentParser) -> None:
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
        found = check(
            options.certificate,
            options.table,
            options.policy,
            release=options.release,
            original=options.original,
            require=options.require,
            budget=seconds(options.budget),
            progress=progress.step,
        )
    show(str(found).splitlines())
    return {"accepted": 0, "refused": 1, "undecided": 3}[found.verdict] or int(
        bool(found.unmet)
    )
