"""The verb ``check`` of the command line."""

from __future__ import annotations

import argparse

from phverify.cli.inputs import seconds
from phverify.cli.terminal import Progress, show
from phverify.verbs.check import check

EXIT = {"accepted": 0, "refused": 1, "undecided": 3}
UNMET = 1


def run(options: argparse.Namespace) -> int:
    """Verify a certificate again; the exit code."""
    with Progress() as progress:
        result = check(
            options.certificate,
            options.table,
            options.policy,
            release=options.release,
            original=options.original,
            require=options.require,
            budget=seconds(options.budget),
            progress=progress.step,
        )
    show(result.lines())
    if result.accepted and result.unmet:
        return UNMET
    return EXIT[result.verdict]
