"""The verb ``search`` of the command line, in the space of tuples."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from functools import partial

from phverify.cli.evidence import evident
from phverify.cli.inputs import columns_of, hierarchy_files, one_of_several, seconds
from phverify.cli.outputs import delivered, page_file, targets, told
from phverify.cli.search import (
    Files,
    certifiable,
    one_file,
    seed_of,
    weights_of,
    writable_table,
)
from phverify.cli.terminal import Progress
from phverify.errors import refusal
from phverify.microdata.files import TableFile, piped
from phverify.recoding.result import RecodingResult, Standing
from phverify.report.tuples_json import to_json
from phverify.report.tuples_text import below, percent, short, to_lines
from phverify.verbs.tuples import recode
from phverify.words import plural


def run(options: argparse.Namespace) -> int:
    """Search, and write what was asked for; the exit code."""
    if options.all_minimal:
        what = "lists level vectors, and --space tuples has none"
        raise refusal("--all-minimal", what, "leave it out")
    certifiable(options)
    inputs = (options.table, options.policy, *hierarchy_files(options.policy))
    written = targets(options, inputs)
    writable_table(written)
    one_file(options, written)
    table = one_of_several(piped(options.table), options.named)
    with Progress() as progress, ExitStack() as ending:
        result = recode(
            table,
            options.policy,
            objective=options.objective,
            suppress=options.suppress,
            weights=weights_of(options.weights),
            cells=options.cells,
            disjoint=options.disjoint,
            gap=options.gap,
            ranges=columns_of(options.ranges),
            blind=blind_of(options.blind),
            publish=options.publish,
            engine=options.engine,
            budget=seconds(options.budget),
            shuffle=seed_of(options.shuffle),
            redact=options.redact,
            progress=progress.step,
            watch=lambda standing: progress.step(line(standing)),
        )
        data = evident(options, partial(to_json, result, options.redact))
        files = Files(result, data, written, options.policy, ending, _released)
        pages = page_file(options, written, partial(result.to_html, options.public))
        outputs = delivered([*pages, *files.outputs(progress.step)])
    name = table.name if isinstance(table, TableFile) else table
    told(options.json, data, to_lines(result, name), outputs)
    return exit_code(result)


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
    return f"{short(standing.cost)}, {bound} (gap {percent(standing.gap)})"


def _released(result: RecodingResult) -> str:
    """What the release is."""
    said = f"recoded by tuples, {plural(result.classes, 'class')}"
    if not result.suppressed:
        return said
    return f"{said}, {plural(result.suppressed, 'record')} left out"


def blind_of(text: str | None) -> int:
    """The value of ``--blind``.  Raises InputError."""
    if text is None:
        return 0
    if text.isdecimal() and int(text):
        return int(text)
    what = f"is a whole number of records above 0, not {text!r}"
    raise refusal("--blind", what, "--blind 25")
