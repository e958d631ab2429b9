"""The verb ``reidentify`` of the command line."""

from __future__ import annotations

import argparse
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path

from phverify.cli.inputs import (
    hierarchy_files,
    one_of_several,
    originals_table,
    seconds,
)
from phverify.cli.outputs import answer, targets
from phverify.cli.terminal import Progress, show
from phverify.errors import refusal
from phverify.linkage.methods.roles import ALIASES
from phverify.linkage.result import Reidentification
from phverify.spec.source import rational, writable
from phverify.verbs.reidentify import reidentify

AS_THEY_ARE = (
    "method",
    "truth",
    "normalize",
    "pairwise",
    "match_threshold",
    "population",
    "engine",
    "redact",
)
"""Options that are handed on as they are given."""
ROLES = ("record", "original", "probability")
"""What ``--columns`` names, in this order."""
EXIT = {"assessed": 0, "sound": 0, "unsound": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """How well could attackers link, or is a method sound?  The exit code."""
    if options.demo:
        return _demo(options)
    needed = {"original": "original", "release": "release", "policy": "--policy"}
    missing = [said for name, said in needed.items() if getattr(options, name) is None]
    if missing:
        hint = "phverify reidentify original.csv release.csv --policy policy.toml"
        raise refusal("reidentify", f"needs {' and '.join(missing)}", hint)
    tables = (options.original, options.release)
    inputs = (*tables, options.policy, options.method, options.population)
    written = targets(options, (*inputs, *hierarchy_files(options.policy)))
    as_given = {name: getattr(options, name) for name in AS_THEY_ARE}
    with Progress() as progress:
        result = reidentify(
            originals_table(options.original, options.original_table, options.named),
            one_of_several(options.release, options.named),
            options.policy,
            options.attacker,
            columns=_columns(options.columns),
            thresholds=[_probability(text) for text in options.threshold],
            budget=seconds(options.budget),
            progress=progress.step,
            **as_given,
        )
    answer(options, written, result)
    return EXIT[result.verdict]


def _demo(options: argparse.Namespace) -> int:
    """The risk of the packaged hospital release, and the verdict on some links."""
    given = {**vars(options), "engine": options.engine != "auto"}.items()
    if any(value for name, value in given if name not in ("demo", "run", "command")):
        raise refusal("--demo", "takes no files and no attackers, and no other option")
    question = "Somebody links the first four records as links.csv says. Is that sound?"
    with as_file(files("phverify.examples").joinpath("hospital")) as folder:
        names = ("original.csv", "release.csv", "policy.toml")
        original, release, policy = (folder / name for name in names)
        risk = reidentify(original, release, policy)
        _show_demo(risk, folder)
        print(f"\n{question}\n")
        links = folder / "links.csv"
        judged = reidentify(original, release, policy, method=links)
        _show_demo(judged, folder)
    return 0


def _show_demo(result: Reidentification, folder: Path) -> None:
    """An answer about packaged files, which are called by their names alone."""
    show([line.replace(f"{folder}/", "") for line in result.lines()])


def _columns(text: str | None) -> dict[str, str] | None:
    """``a,b,c`` for record, original and probability, or ``set=b`` and the like for
    single roles.

    Raises InputError for more columns than roles, or two for one role.
    """
    if text is None:
        return None
    columns: dict[str, str] = {}
    items = text.split(",")
    for role, item in zip(ROLES, items, strict=False):
        named, equals, name = item.partition("=")
        # a column's own name may hold =
        if equals and named.strip() in ALIASES:
            columns[named.strip()] = name.strip()
        else:
            columns[role] = item.strip()
    if len(columns) < len(items):
        what = f"names one column for each of {', '.join(ROLES)}: {text!r}"
        hint = (
            "--columns id_release,id_original,match_probability, or --columns"
            " record=a,set=b,probability=c"
        )
        raise refusal("--columns", what, hint)
    return columns


def _probability(text: str) -> Fraction:
    try:
        threshold = rational(text)
    except ValueError:
        what = f"is a probability, not {text!r}"
        raise refusal("--threshold", what, "0.09, 1/5 or 5%") from None
    if not writable(threshold):
        raise refusal("--threshold", f"{text!r} has more than 300 digits")
    return threshold
