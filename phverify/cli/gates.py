"""The files of ``--junit`` and ``--sarif``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from phverify.cli.outputs import Output, saved
from phverify.cli.terminal import json_text
from phverify.comparison.findings import Lint
from phverify.policy.rule_lines import rule_lines
from phverify.report.gate import gate
from phverify.report.junit import to_junit
from phverify.report.sarif import to_sarif
from phverify.verification.result import Report


def gate_files(
    options: argparse.Namespace, files: dict[str, Path], result: Report | Lint
) -> list[Output]:
    """What a gate reads, where it was asked for."""
    outputs = []
    if target := files.get("--junit"):
        make = partial(_junit, options, result)
        outputs.append(_output("the JUnit file", target, make))
    if target := files.get("--sarif"):
        make = partial(_sarif, options, result)
        outputs.append(_output("the SARIF file", target, make))
    return outputs


def _output(what: str, target: Path, make: partial[str]) -> Output:
    said = f"  {what} is written to {target}"
    return Output(what, target, make, partial(saved, target, said))


def _junit(options: argparse.Namespace, result: Report | Lint) -> str:
    return to_junit(gate(result, isinstance(options.policy, str)))


def _sarif(options: argparse.Namespace, result: Report | Lint) -> str:
    """Shown at the policy; where rules are options of the command, at the release."""
    policy = options.policy
    if not isinstance(policy, str):
        return (
            json_text(to_sarif(gate(result, named=False), options.release, {})) + "\n"
        )
    try:
        lines = rule_lines(Path(policy).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        # It was read before, perhaps from a pipe: the file is named without lines.
        lines = {}
    return json_text(to_sarif(gate(result), policy, lines)) + "\n"
