"""The verb ``check`` of the command line."""

from __future__ import annotations

import argparse
from functools import partial

from phverify.cli.evidence import evident
from phverify.cli.inputs import hierarchy_files, seconds
from phverify.cli.outputs import page_file, targets, tell
from phverify.cli.terminal import Progress
from phverify.verbs.check import check

EXIT = {"accepted": 0, "refused": 1, "undecided": 3}
UNMET = 1


def run(options: argparse.Namespace) -> int:
    """Verify a certificate again; the exit code."""
    inputs = [options.certificate, options.table, options.policy]
    inputs += [options.release, options.original, *hierarchy_files(options.policy)]
    # --certificate is a file to be written elsewhere, and read here
    written = argparse.Namespace(
        html=options.html, public=options.public, json=options.json
    )
    files = targets(written, inputs)
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
    page = page_file(options, files, partial(result.to_html, options.public))
    tell(options, files, evident(options, result.to_dict), result.lines, page)
    if result.accepted and result.unmet:
        return UNMET
    return EXIT[result.verdict]
