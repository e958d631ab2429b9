"""``search --tradeoff``: the best release for each number of a rule."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from phverify.cli.delivery import delivered
from phverify.cli.evidence import evident
from phverify.cli.inputs import columns_of, hierarchy_files, one_of_several, seconds
from phverify.cli.outputs import json_file, page_file, targets, told
from phverify.cli.search_options import blind_of, seed_of, unasked, weights_of
from phverify.cli.terminal import Progress
from phverify.errors import refusal
from phverify.microdata.files import TableFile, piped
from phverify.report.tradeoff_text import to_lines
from phverify.verbs.tradeoff import tradeoff

EXIT = {"decided": 0, "infeasible": 1, "undecided": 3}
SINGLE = ("output", "certificate", "shuffle")
"""Options about a single release."""


def run(options: argparse.Namespace) -> int:
    """Search each point, and write what was asked for; the exit code."""
    _several(options)
    if options.space != "tuples":
        unasked(options)
    parameter, values = _asked(options.tradeoff)
    varying: dict[str, Any] = {parameter: values}
    inputs = (options.table, options.policy, *hierarchy_files(options.policy))
    written = targets(options, inputs)
    table = one_of_several(piped(options.table), options.named)
    with Progress() as progress:
        result = tradeoff(
            table,
            options.policy,
            **varying,
            space=options.space,
            objective=options.objective,
            suppress=options.suppress,
            weights=weights_of(options.weights),
            charge_withheld=options.charge_withheld,
            **_by_tuples(options),
            engine=options.engine,
            sample=options.sample,
            seed=seed_of(options.seed, "--seed"),
            budget=seconds(options.budget),
            redact=options.redact,
            progress=progress.step,
        )
        data = evident(options, result.to_dict)
        outputs = json_file(written.get("--json"), data)
        outputs += page_file(options, written, partial(result.to_html, options.public))
        delivery = delivered(outputs)
    name = table.name if isinstance(table, TableFile) else str(options.table)
    told(options.json, data, partial(to_lines, result, name), delivery)
    return EXIT[result.verdict]


def _several(options: argparse.Namespace) -> None:
    """Raises InputError for options about a single release."""
    for name in SINGLE:
        if getattr(options, name) is not None:
            what = "is about one release, and --tradeoff finds several"
            raise refusal(f"--{name}", what, "search again with the number you choose")
    if options.all_minimal:
        what = "is about one number, and --tradeoff has several"
        raise refusal("--all-minimal", what, "leave one of the two out")
    if options.explain:
        what = "is about one release, and --tradeoff finds several"
        raise refusal("--explain", what, "search again with the number you choose")


def _asked(text: str) -> tuple[str, str]:
    """The parameter and its values, of ``k=2..100``.  Raises InputError."""
    name, equals, values = text.partition("=")
    if not equals or name.strip() not in ("k", "l", "t"):
        what = f"is k=.., l=.. or t=.., not {text!r}"
        raise refusal("--tradeoff", what, "--tradeoff k=2..100 or --tradeoff t=0.1,0.2")
    return name.strip(), values


def _by_tuples(options: argparse.Namespace) -> dict[str, Any]:
    """What only releases by tuples have."""
    if options.space != "tuples":
        return {}
    return {
        "cells": options.cells,
        "disjoint": options.disjoint,
        "gap": options.gap,
        "ranges": columns_of(options.ranges),
        "blind": blind_of(options.blind),
        "publish": options.publish,
    }
