"""The verb ``compare-data`` of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.cli.inputs import (
    hierarchy_files,
    one_of_several,
    originals_table,
    roles_of,
)
from phverify.cli.outputs import answer, targets
from phverify.cli.policies import policy_of
from phverify.cli.terminal import Progress
from phverify.errors import refusal
from phverify.report.compare_data_html import NONE_PUBLIC
from phverify.verbs.compare_data import compare_data


def run(options: argparse.Namespace) -> int:
    """Compare a release with its original; the exit code is 0, as nothing is
    decided.
    """
    if options.public:
        raise refusal("--public", NONE_PUBLIC, "leave --public out, and keep the page")
    options.policy = _policy(options)
    inputs = (options.release, options.policy, options.original)
    files = targets(options, (*inputs, *hierarchy_files(options.policy)))
    release = one_of_several(options.release, options.named)
    original = originals_table(options.original, options.original_table, options.named)
    with Progress() as progress:
        found = compare_data(
            original,
            release,
            options.policy,
            classifier=options.classifier,
            target=options.target,
            seed=_seed(options.seed, options.classifier or options.target),
            redact=options.redact,
            progress=progress.step,
        )
    answer(options, files, found)
    return 0


def _policy(options: argparse.Namespace) -> Any:
    """The policy, where one is given: without one the tables say what changed."""
    if options.policy is None and not roles_of(options):
        return None
    return policy_of(options, rules=False)


def _seed(text: str | None, classifier: bool | str | None) -> int:
    """The value of ``--seed``, which a classifier uses alone.  Raises InputError."""
    if text is None:
        return 0
    if not classifier:
        what = "splits records for a classifier, and none is asked for"
        raise refusal("--seed", what, "add --classifier, or leave it out")
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        what = f"is a whole number from 0 to {2**32 - 1}, not {text!r}"
        raise refusal("--seed", what, "--seed 1")
    return int(text)
