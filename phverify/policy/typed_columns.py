"""The columns of a table that a policy speaks of, in the texts of their types."""

from __future__ import annotations

from collections.abc import Container, Iterable

from phverify.errors import InputError, Problem, Problems
from phverify.microdata.table import CodedColumn, CodedTable, merge_labels
from phverify.policy.model import Policy
from phverify.policy.spelling import misspelt
from phverify.spec.types import TEXT
from phverify.words import are_missing


def present(policy: Policy, table: CodedTable, known: Iterable[Problem] = ()) -> None:
    """Raises InputError for columns that are not there, and what is ``known`` to be
    wrong with the policy.
    """
    problems = [*known, *misspelt(policy, table)]
    if problems:
        raise InputError(problems)


def typed(
    policy: Policy, table: CodedTable, missing: str, problems: Problems
) -> dict[str, CodedColumn]:
    """The policy's columns; confidential and neutral ones in the canonical texts of
    their types.
    """
    table.read(policy.columns)
    columns = {}
    for name in policy.columns:
        column = table.column(name)
        # a generalized text, such as 20-29, need not be of its column's type
        if name not in policy.quasi:
            try:
                column = canonical(policy, table, name)
            except InputError as error:
                problems += error.problems
        else:
            problems += both_kinds(policy, table, [name])
        if missing == "error" and column.missing():
            what = are_missing(column.missing(), name)
            problems.append(
                Problem(table.source, what, 'the policy says missing = "error"')
            )
        columns[name] = column
    return columns


def require_one_kind(policy: Policy, table: CodedTable, names: Container[str]) -> None:
    """Raises InputError where a column of these, no quasi-identifier, has empty texts
    beside missing cells.

    Whoever has the table tells them apart, and as one value of a rule they would hide
    how far classes differ.
    """
    told_before = set(policy.quasi)
    looked_at = [name for name in policy.columns if name in names]
    problems = both_kinds(
        policy, table, [name for name in looked_at if name not in told_before]
    )
    if problems:
        raise InputError(problems)


def both_kinds(policy: Policy, table: CodedTable, names: Iterable[str]) -> Problems:
    """A problem for each of these columns that has empty texts beside missing cells."""
    problems = []
    for name in names:
        if {"", None} <= set(table.columns[name].labels):
            role = "quasi-identifier" if name in policy.quasi else "column"
            what = f"the {role} {name!r} has empty texts beside missing cells"
            hint = "in CSV they look alike, in other files and in memory they do not"
            problems.append(Problem(table.source, f"{what}: make them one", hint))
    return problems


def canonical(policy: Policy, table: CodedTable, name: str) -> CodedColumn:
    """A column in the canonical texts of its type, empty texts as missing cells.
    Raises InputError.
    """
    column = table.columns[name]
    texts = [label or None for label in column.labels]
    emptied = CodedColumn(*merge_labels(column.codes, texts), column.counts)
    return emptied.typed(policy.types.get(name, TEXT), f"{table.source}, column {name}")
