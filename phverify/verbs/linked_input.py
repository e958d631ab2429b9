"""Two tables that are linked: what a policy says of them, and their records."""

from __future__ import annotations

from collections.abc import Mapping

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.linkage.methods.record_names import RecordNames
from phverify.microdata.pair_counts import RowsNeeded
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy
from phverify.policy.spelling import misspelt


def usable(policy: Policy, original: CodedTable, problems: Problems) -> None:
    """Raises InputError for what is wrong with a policy, which needs no rules here, and
    for misspelt columns.
    """
    wrong: Problems = []
    for problem in problems:
        no_rules = problem.what.startswith("there are no [rules]")
        if policy.rules or not no_rules:
            wrong.append(problem)

    # columns that are no quasi-identifiers are compared where they are
    absent = any(name not in original.columns for name in policy.quasi)
    if wrong or absent or policy.meant(original.columns):
        raise InputError([*wrong, *misspelt(policy, original)])


def refuse_useless(given: Mapping[str, object], what: str) -> None:
    """Raises InputError for what is given (not None) and plays no part."""
    useless = [name for name, value in given.items() if value is not None]
    if useless:
        raise InputError(
            Problem(f"--{name.replace(' ', '-')}", what.format(name))
            for name in useless
        )


def names(table: CodedTable, policy: Policy, letter: str) -> RecordNames:
    """What the records of a table are called.

    Raises InputError for identifiers that do not tell them apart.
    """
    name = policy.identifier
    if name is None or name not in table.columns:
        return RecordNames(letter, table.rows)
    if table.elsewhere is not None:
        if table.elsewhere.flaws(name):
            # which identifiers they are, the rows tell
            raise RowsNeeded
        return RecordNames(letter, table.rows, table.elsewhere.names(name))
    column = table.columns[name]
    labels = column.cells()
    missing = labels.count(None)
    if missing or len(column.labels) < len(labels):
        wrong = f"{missing} are missing" if missing else "some occur twice"
        what = f"identifiers do not tell the records apart: {wrong}"
        hint = "give every record its own, or leave the identifier out of the policy"
        raise refusal(f"{table.source}, {name}", what, hint)

    return RecordNames(letter, table.rows, tuple(label or "" for label in labels))
