"""The verb ``mechanism`` of the command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.resources import as_file, files

from phverify.cli.outputs import answer, targets
from phverify.errors import refusal
from phverify.mechanisms.result import MechanismReport
from phverify.verbs.mechanism import mechanism

EXIT = {"proved": 0, "refuted": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """The least epsilon of a mechanism, or whether one is enough; the exit code."""
    if options.file is None and not options.demo:
        hint = "phverify mechanism survey.csv, or phverify mechanism --demo"
        raise refusal("mechanism", "needs a file", hint)
    if options.file is not None and options.demo:
        raise refusal("--demo", "is the packaged example: leave the file out")
    written = targets(options, (options.file,))
    digits = _digits(options.digits)
    if options.demo:
        with as_file(files("phverify.examples").joinpath("survey")) as folder:
            report = mechanism(folder / "survey.toml", options.epsilon, digits=digits)
        # where the package is installed says nothing to the reader
        shipped = replace(report.loaded, source="survey.toml")
        report = replace(report, loaded=shipped)
    else:
        report = mechanism(options.file, options.epsilon, digits=digits)
    answer(options, written, report)
    return _exit_code(report)


def _digits(text: str) -> int:
    """The number of digits.  Raises InputError for what is no whole number."""
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise refusal("--digits", f"is a whole number from 1 to 1000, not {text!r}")
    return int(text)


def _exit_code(report: MechanismReport) -> int:
    """That of the verdict; without a bound, whether any finite epsilon is enough."""
    if report.verdict is not None:
        return EXIT[report.verdict]
    if report.least is None:
        return EXIT["undecided"]
    return EXIT["proved" if report.least.finite else "refuted"]
