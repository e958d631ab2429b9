"""The verb ``measure`` of the command line."""

from __future__ import annotations

import argparse

from phverify.cli.inputs import (
    hierarchy_files,
    one_of_several,
    originals_table,
    seconds,
)
from phverify.cli.outputs import answer, targets
from phverify.cli.policies import policy_of
from phverify.cli.terminal import Progress
from phverify.verbs.measure import measure

INCOMPLETE = 3


def run(options: argparse.Namespace) -> int:
    """Measure a release; the exit code is 0, as nothing is decided, or 3 where the
    budget did not suffice.
    """
    options.policy = policy_of(options, rules=False)
    inputs = (options.release, options.policy, options.original)
    files = targets(options, (*inputs, *hierarchy_files(options.policy)))
    release = one_of_several(options.release, options.named)
    original = originals_table(options.original, options.original_table, options.named)
    with Progress() as progress:
        measurement = measure(
            release,
            options.policy,
            original,
            seconds(options.budget),
            engine=options.engine,
            spark=options.spark,
            redact=options.redact,
            progress=progress.step,
        )
    answer(options, files, measurement)
    return 0 if measurement.complete else INCOMPLETE
