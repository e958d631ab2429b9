"""The table that a search starts from, and what a candidate releases of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from phverify.spec.data import (
    Columns,
    Data,
    PlainPolicy,
    Refused,
    policy,
    release_data,
    released_columns,
)
from phverify.spec.hierarchies import compared, hierarchies, rebuilt, texts
from phverify.spec.nominals import numbered
from phverify.spec.rules import assumption, rule
from phverify.spec.separated import table
from phverify.spec.source import File, Mappings, Names, Trees, policy_text
from phverify.spec.spaces import formulas
from phverify.spec.tokens import SUBSCRIPTS

if TYPE_CHECKING:
    from phverify.spec.sampling import RecordSample

NUMBER = re.compile(r"(?<![\w'\"])i[1-9]\d*(?![\w'\"])")


@dataclass(frozen=True, eq=False)
class Given:
    """The table before sanitization, as read; the policy; and the hierarchies of
    columns.

    ``files`` are those at hand, by what they are: table, policy, release.  ``told``
    says whose the hierarchies are. ``whole`` says that ``columns`` are all columns of
    the table, not those of the policy alone.  ``sample`` is how they were drawn where
    they are not all of its rows.
    """

    policy: PlainPolicy
    columns: Columns
    hierarchies: Trees
    files: Mapping[str, File] = field(default_factory=dict)
    told: Names = ()
    whole: bool = True
    sample: RecordSample | None = None

    @cached_property
    def data(self) -> Data:
        """The table as it is, its own original; individual i is behind row i."""
        data = release_data(self.policy, self.columns, self.hierarchies)
        return replace(data, before=data.columns)

    def nameable(self, budget: int) -> None:
        """Raises Refused when the policy names by numbers what has another number once
        records are withheld.
        """
        # Where nothing may be withheld all numbers stay as they are.
        if not budget:
            return
        policy = self.policy
        data = self.data
        read = [rule(policy, data, name) for name in policy.rules]
        read += [assumption(policy, data, name) for name in policy.assumptions]
        # The rows behind a withheld one get other numbers.
        _, rows = numbered(read)
        if rows:
            raise Refused(
                "the policy names records by number, and records may be withheld"
            )
        if data.names and by_number(policy):
            raise Refused(
                "the policy names individuals by number beside their names, and records"
                " may be withheld"
            )


def by_number(policy: PlainPolicy) -> bool:
    """Whether a policy names individuals by number: i1, i2, .."""
    return any(
        NUMBER.search(text.translate(SUBSCRIPTS))
        for text in (*formulas(policy), *policy.secrets)
    )


def sanitized(columns: Columns, mapping: Mappings, kept: Sequence[int]) -> Columns:
    """Definition 6: values mapped by a function for each column that has one, some rows
    kept.
    """
    shown = {}
    for name, column in columns.items():
        values = [column[row] for row in kept]
        images = mapping.get(name)
        if images is not None:
            values = [images[value] for value in values]
        shown[name] = tuple(values)
    return shown


def from_files(
    files: Mapping[str, File],
    columns: Columns | None = None,
    others: Trees | None = None,
    sample: RecordSample | None = None,
) -> Given:
    """What the files say: the policy, the hierarchies that it names, and the table.

    The caller may have read the table's ``columns``, and hierarchies of its own, the
    ``others``.  What is asked is asked of a ``sample`` of the rows, if there is one.
    Raises Refused.
    """
    rules = policy(policy_text(files["policy"]))
    folder = Path(files["policy"]).parent
    if columns is None:
        columns = table(files["table"], rules.named)
    drawn: Names = ()
    if sample is not None:
        from phverify.spec.sampling import sampled

        columns, drawn = sampled(rules, columns, sample)
    others = others or {}
    named = {
        name: given for name, given in rules.hierarchies.items() if name not in others
    }
    rules = replace(rules, hierarchies=named)
    quoted = texts(rules, folder)
    paths = hierarchies(
        rules, quoted, released_columns(rules, columns), sanitized=False
    )
    told = (*drawn, *compared(rules, quoted, folder), *rebuilt(rules, paths))
    given = Given(rules, columns, {**paths, **others}, files, told)
    return replace(given, sample=sample)


def released(given: Given, mapping: Mappings, withheld: Sequence[int]) -> Data:
    """What is released: values mapped, rows withheld; individuals keep their names.
    Raises Refused.
    """
    # In the order of the table: who is on which row stays to be seen.
    kept = sorted({*range(given.data.rows)} - {*withheld})
    columns = {
        name: column
        for name, column in given.columns.items()
        if name in given.policy.named
    }
    shown = sanitized(columns, mapping, kept)
    data = release_data(given.policy, shown, given.hierarchies, given.data.columns)
    if data.names or not withheld:
        return data
    # The number in the whole table stays the name.
    names = tuple(f"i{row + 1}" for row in kept)
    return replace(data, names=names, numbered=True)
