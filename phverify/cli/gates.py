"""The files of ``--junit`` and ``--sarif``: what is in them is about this run, or they
are not there.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from phverify.cli.arguments.gates import add_gates
from phverify.cli.delivery import Output, saved
from phverify.cli.terminal import json_text, write
from phverify.comparison.findings import Lint
from phverify.errors import InputError
from phverify.policy.rule_lines import rule_lines
from phverify.report.gate import Gate, gate, no_answer
from phverify.report.junit import to_junit
from phverify.report.sarif import to_sarif
from phverify.verification.result import Report

FLAGS = ("--junit", "--sarif")
VERBS = ("verify", "lint")
"""Those that have such files."""


def gate_files(
    options: argparse.Namespace, files: dict[str, Path], result: Report | Lint
) -> list[Output]:
    """What a gate reads, where it was asked for."""
    outputs = []
    fails = ""
    if isinstance(result, Report) and result.identified:
        fails = ", and it fails: the release still carries its identifier column"
    if target := files.get("--junit"):
        make = partial(_junit, options, result)
        outputs.append(_output("the JUnit file", target, make, fails))
    if target := files.get("--sarif"):
        make = partial(_sarif, options, result)
        outputs.append(_output("the SARIF file", target, make, fails))
    return outputs


def without_answer(options: argparse.Namespace, why: str) -> None:
    """Write files that say that the run has no answer, where there are none."""
    policy = _steady(options.policy)
    release = _steady(getattr(options, "release", None))
    told = no_answer(options.command, policy, release, why)
    for flag, target in _free(options):
        try:
            if flag == "--junit":
                write(target, to_junit(told))
            else:
                source = policy or release
                write(target, json_text(to_sarif(told, source, {})) + "\n")
        except (InputError, OSError):
            # What is wrong with the file has been told, or is the lesser trouble.
            continue


def unreadable(words: Sequence[str]) -> None:
    """The same where the command line itself cannot be read, for the verbs that write
    such files: what it asks for is read alone.
    """
    asked = argparse.ArgumentParser(
        add_help=False, allow_abbrev=False, exit_on_error=False
    )
    add_gates(asked)
    try:
        options, others = asked.parse_known_args(words)
    except argparse.ArgumentError:
        return
    if not others or others[0] not in VERBS:
        return
    options.command = others[0]
    policies = [word for word in others if word.endswith(".toml")]
    options.policy = policies[0] if policies else None
    without_answer(options, "the command line cannot be read (exit code 2)")


def _named(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """The files that are asked for, unless one is named twice or for reading."""
    others = [
        value for name, value in vars(options).items() if f"--{name}" not in FLAGS
    ]
    read = {os.path.realpath(one) for one in others if isinstance(one, str) and one}
    names = [getattr(options, flag[2:], None) for flag in FLAGS]
    given = [os.path.realpath(name) for name in names if name]
    for flag, name in zip(FLAGS, names, strict=True):
        if name in (None, "", "-"):
            continue
        path = os.path.realpath(name)
        if path not in read and given.count(path) == 1:
            yield flag, Path(name)


def _free(options: argparse.Namespace) -> list[tuple[str, Path]]:
    """Files that can be written without a loss."""
    free = []
    for flag, target in _named(options):
        if not os.path.exists(target):
            free.append((flag, target))
    return free


def _output(what: str, target: Path, make: partial[str], fails: str) -> Output:
    said = f"  {what} is written to {target}{fails}"
    save = partial(saved, target, said)
    return Output(what, target, make, save)


def _gate(options: argparse.Namespace, result: Report | Lint) -> Gate:
    policy = _steady(options.policy)
    if isinstance(result, Lint):
        return gate(result, policy)
    release = _steady(options.release)
    return gate(result, policy, release)


def _steady(name: object) -> str:
    """A path as it is called from where the command runs, however it was given."""
    if not isinstance(name, str) or not name:
        return ""
    path = os.path.normpath(name)
    if os.path.isabs(name):
        path = os.path.relpath(name)
    # What lies elsewhere keeps its name.
    if path.startswith(".."):
        path = name
    return Path(path).as_posix()


def _junit(options: argparse.Namespace, result: Report | Lint) -> str:
    told = _gate(options, result)
    return to_junit(told)


def _sarif(options: argparse.Namespace, result: Report | Lint) -> str:
    """Shown at the policy; where rules are options of the command, at the release."""
    policy = options.policy
    told = _gate(options, result)
    if not isinstance(policy, str):
        release = _steady(options.release)
        return json_text(to_sarif(told, release, {})) + "\n"
    try:
        lines = rule_lines(Path(policy).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        # It was read before, perhaps from a pipe: the file is named without lines.
        lines = {}
    return json_text(to_sarif(told, _steady(policy), lines)) + "\n"
