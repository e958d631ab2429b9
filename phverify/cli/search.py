"""The verb ``search`` of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.cli.inputs import seconds
from phverify.cli.policies import policy_of, with_steps
from phverify.cli.release_outputs import ReleaseRendering, searched_and_told
from phverify.cli.search_options import seed_of, unasked, weights_of
from phverify.cli.terminal import Progress
from phverify.generalization.result import SearchResult
from phverify.microdata.files import piped
from phverify.report.search_json import to_json
from phverify.report.search_text import to_lines
from phverify.verbs.search import search
from phverify.words import plural

EXIT = {"optimal": 0, "infeasible": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """Search, and write what was asked for; the exit code."""
    options.table = piped(options.table)
    options.policy = with_steps(policy_of(options), options.table)
    if options.tradeoff is not None:
        from phverify.cli.tradeoff import run as several

        return several(options)
    if options.space == "tuples":
        # It needs a compiler, which the other spaces do not wait for.
        from phverify.cli.tuples import run as recoded

        return recoded(options)
    unasked(options)

    def least(table: Any, progress: Progress) -> SearchResult:
        return search(
            table,
            options.policy,
            space=options.space,
            objective=options.objective,
            suppress=options.suppress,
            weights=weights_of(options.weights),
            all_minimal=options.all_minimal,
            explain=options.explain,
            charge_withheld=options.charge_withheld,
            engine=options.engine,
            budget=seconds(options.budget),
            shuffle=seed_of(options.shuffle),
            sample=options.sample,
            seed=seed_of(options.seed, "--seed"),
            redact=options.redact,
            progress=progress.step,
        )

    shown = ReleaseRendering(to_json, to_lines, _released)
    return EXIT[searched_and_told(options, least, shown).verdict]


def _released(result: SearchResult) -> str:
    """Which columns of the release are not those of the input."""
    changed = []
    for name, images in result.mapping.items():
        if any(before != after for before, after in images.items()):
            changed.append(name)
    said = f"{', '.join(changed)} generalized" if changed else "nothing is generalized"
    if not result.suppressed:
        return said
    return f"{said}, {plural(result.suppressed, 'record')} left out"
