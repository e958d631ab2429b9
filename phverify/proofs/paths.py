"""Hierarchies of confidential and neutral columns, which give t-closeness its order and its tree."""

from __future__ import annotations

from os import PathLike

from phverify.errors import InputError, Problem
from phverify.policy.bind import hierarchies as read_all
from phverify.policy.model import Policy
from phverify.tables.read import read

File = str | PathLike[str]


def hierarchies(policy_file: File, release: File, original: File | None) -> dict[str, list[list[str]]]:
    """By column, the paths as lists: a value with its generalizations, in the order of the hierarchy."""
    policy = Policy.load(policy_file)
    wanted = [name for name in policy.hierarchies if name not in policy.quasi]
    if not wanted:
        return {}
    problems: list[Problem] = []
    before = None if original is None else read(original, policy.columns, "original")
    found = read_all(policy, read(release, policy.columns, "release"), before, problems)
    if problems:
        raise InputError(problems)
    return {name: [list(path) for path in found[name].paths.values()] for name in wanted if name in found}
