"""The verb ``search`` of the command line, in the space of tuples."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.cli.inputs import columns_of, seconds
from phverify.cli.release_outputs import ReleaseRendering, searched_and_told
from phverify.cli.search_options import blind_of, seed_of, weights_of
from phverify.cli.terminal import Progress
from phverify.errors import refusal
from phverify.recoding.options import TupleSettings
from phverify.recoding.result import RecodingResult, Standing
from phverify.report.tuples_json import to_json
from phverify.report.tuples_text import to_lines
from phverify.rounded import below, in_places
from phverify.verbs.tuples import recode
from phverify.words import percent, plural


def run(options: argparse.Namespace) -> int:
    """Search, and write what was asked for; the exit code."""
    if options.all_minimal:
        what = "lists level vectors, and --space tuples has none"
        raise refusal("--all-minimal", what, "leave it out")
    if options.charge_withheld:
        what = "is for the space levels: by tuples withheld records cost nothing"
        raise refusal("--charge-withheld", what, "leave it out")
    if options.explain:
        what = (
            "is about columns; a release by tuples says why its classes are not split"
        )
        raise refusal("--explain", what, "leave it out")

    def best(table: Any, progress: Progress) -> RecodingResult:
        return recode(
            table,
            options.policy,
            settings=_settings(options),
            engine=options.engine,
            sample=options.sample,
            seed=seed_of(options.seed, "--seed"),
            budget=seconds(options.budget),
            progress=progress.step,
            watch=lambda standing: progress.step(line(standing)),
        )

    shown = ReleaseRendering(to_json, to_lines, _released)
    return exit_code(searched_and_told(options, best, shown))


def _settings(options: argparse.Namespace) -> TupleSettings:
    """What the options say of the release."""
    return TupleSettings(
        objective=options.objective,
        suppress=options.suppress,
        weights=weights_of(options.weights),
        cells=options.cells,
        disjoint=options.disjoint,
        gap=options.gap,
        ranges=columns_of(options.ranges),
        blind=blind_of(options.blind),
        publish=options.publish,
        shuffle=seed_of(options.shuffle),
        redact=options.redact,
    )


def exit_code(result: RecodingResult) -> int:
    """0 where the release is there and the gap asked for is reached; 1, 3."""
    if result.verdict == "infeasible":
        return 1
    if result.verdict == "proved" and result.reached:
        return 0
    return 3


def line(standing: Standing) -> str:
    """How far the search is, on one line."""
    bound = f"none below {below(standing.bound)}"
    if standing.cost is None or standing.gap is None:
        return bound
    return f"{in_places(standing.cost)}, {bound} (gap {percent(standing.gap)})"


def _released(result: RecodingResult) -> str:
    """What the release is."""
    said = f"recoded by tuples, {plural(result.classes, 'class')}"
    if not result.suppressed:
        return said
    return f"{said}, {plural(result.suppressed, 'record')} left out"
