"""Hierarchies of the columns that criteria are about, which give t-closeness its order and its tree."""

from __future__ import annotations

from os import PathLike

from phverify.errors import InputError, Problem
from phverify.logic import syntax as s
from phverify.logic.parser import parse
from phverify.policy.bind import hierarchies as read_all
from phverify.policy.load import formulas
from phverify.policy.model import Policy
from phverify.tables.read import read

File = str | PathLike[str]


def hierarchies(policy_file: File, release: File, original: File | None) -> dict[str, list[list[str]]]:
    """By column, the paths as lists: a value with its generalizations, in the order of the hierarchy."""
    policy = Policy.load(policy_file)
    wanted = [name for name in policy.hierarchies if name not in policy.quasi or _measured(policy, name)]
    if not wanted:
        return {}
    problems: list[Problem] = []
    before = None if original is None else read(original, policy.columns, "original")
    found = read_all(policy, read(release, policy.columns, "release"), before, problems)
    if problems:
        raise InputError(problems)
    return {name: [list(path) for path in found[name].paths.values()] for name in wanted if name in found}


def _measured(policy: Policy, column: str) -> bool:
    """Whether a criterion names a column."""
    nodes = (node for place, text in formulas(policy) for node in s.subformulas(parse(text, place)))
    criteria = (node for node in nodes if isinstance(node, s.Criterion))
    return any(column in (*node.args, *(text for _, text in node.named)) for node in criteria)
