"""The verb ``reidentify`` of the command line."""

from __future__ import annotations

import argparse
from fractions import Fraction
from importlib.resources import as_file, files

from phverify.cli.inputs import hierarchy_files, seconds
from phverify.cli.outputs import answer, targets
from phverify.cli.terminal import Progress, show
from phverify.errors import refusal
from phverify.linkage.methods.roles import ALIASES
from phverify.spec.source import rational
from phverify.verbs.reidentify import reidentify

AS_THEY_ARE = (
    "method",
    "truth",
    "normalize",
    "pairwise",
    "match_threshold",
    "population",
    "redact",
)
"""Options that are handed on as they are given."""
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
    inputs = (
        options.original,
        options.release,
        options.policy,
        options.method,
        options.population,
    )
    written = targets(options, (*inputs, *hierarchy_files(options.policy)))
    with Progress() as progress:
        found = reidentify(
            options.original,
            options.release,
            options.policy,
            options.attacker,
            columns=_columns(options.columns),
            thresholds=[_probability(text) for text in options.threshold],
            budget=seconds(options.budget),
            progress=progress.step,
            **{name: getattr(options, name) for name in AS_THEY_ARE},
        )
    answer(options, written, found)
    return EXIT[found.verdict]


def _demo(options: argparse.Namespace) -> int:
    if any(
        value
        for name, value in vars(options).items()
        if name not in ("demo", "run", "command")
    ):
        raise refusal("--demo", "takes no files and no attackers, and no other option")
    with as_file(files("phverify.examples").joinpath("hospital")) as folder:
        tables = (
            folder / "original.csv",
            folder / "release.csv",
            folder / "policy.toml",
        )
        for method in (None, folder / "links.csv"):
            if method:
                print(
                    "\nSomebody links the first four records as links.csv says. Is that"
                    " sound?\n"
                )
            found = reidentify(*tables, method=method)
            show([line.replace(f"{folder}/", "") for line in found.lines()])
    return 0


def _columns(text: str | None) -> dict[str, str] | None:
    """``a,b,c`` for record, original and probability, or ``set=b`` and the like for
    single roles.
    """
    if text is None:
        return None
    found = {}
    for role, item in zip(
        ("record", "original", "probability"), text.split(","), strict=False
    ):
        named, equals, name = item.partition("=")
        found.update(
            {named.strip(): name.strip()}
            if equals and named.strip() in ALIASES
            else {role: item.strip()}
        )
    if len(found) < len(text.split(",")):
        hint = (
            "--columns id_release,id_original,match_probability, or --columns"
            " record=a,set=b,probability=c"
        )
        raise refusal(
            "--columns",
            f"names one column for each of record, original, probability: {text!r}",
            hint,
        )
    return found


def _probability(text: str) -> Fraction:
    try:
        return rational(text)
    except ValueError:
        raise refusal(
            "--threshold", f"is a probability, not {text!r}", "0.09, 1/5 or 5%"
        ) from None
