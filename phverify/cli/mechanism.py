"""The verb ``mechanism`` of the command line."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.resources import as_file, files

from phverify.cli.outputs import answer, targets
from phverify.errors import refusal
from phverify.mechanisms.result import MechanismReport
from phverify.verbs.mechanism import DIGITS, mechanism

EXIT = {"proved": 0, "refuted": 1, "undecided": 3}
EXAMPLE = """\
example: randomized.csv, with a row for each input and a column for each output,

  input,yes,no
  yes,3/4,1/4
  no,1/4,3/4

has the least epsilon ln(3):  phverify mechanism randomized.csv --epsilon "ln(3)"

exit codes: 0 the epsilon is enough (without --epsilon: some epsilon is),
1 it is not (no epsilon is), 2 bad input, 3 undecided
"""


def mechanism_parser(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``phverify mechanism``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLE
    parser.add_argument(
        "file",
        nargs="?",
        help="probabilities (CSV: a row an input, a column an output), or TOML",
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        help="is this one enough? such as 1.1, 'ln(3)' or '1/2 + ln(2)'",
    )
    parser.add_argument(
        "--digits",
        metavar="N",
        default=str(DIGITS),
        help=f"decimals of the enclosure ({DIGITS})",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    parser.add_argument(
        "--demo", action="store_true", help="the package's survey, a table with TOML"
    )
    parser.set_defaults(run=_mechanism)


def _mechanism(options: argparse.Namespace) -> int:
    if options.file is None and not options.demo:
        hint = "phverify mechanism survey.csv, or phverify mechanism --demo"
        raise refusal("mechanism", "needs a file", hint)
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
