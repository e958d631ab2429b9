"""Whether a release that stays in DuckDB is a sanitization of an original that does,
where it is known which rows belong together.

What Definition 6 asks is asked of each pair of an original and a released tuple that
occurs.  What is wrong, the rows tell better, with their numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phverify.microdata.explained import Sanitization
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.pair_counts import PairCounts, RowsNeeded
from phverify.microdata.pairing import Pairing
from phverify.microdata.sanitization import sanitization
from phverify.microdata.table import CodedColumn, CodedTable, Label
from phverify.policy.model import Policy
from phverify.policy.typed_columns import canonical


def counted_sanitization(
    policy: Policy, tables: tuple[CodedTable, CodedTable], hierarchies: Hierarchies
) -> Sanitization:
    """What ``sanitization`` answers of an original and a release.

    Raises RowsNeeded where rows are to be read, and InputError where something is
    wrong.
    """
    original, release = tables
    others = (*policy.sensitive, *policy.neutral)
    if policy.identifier in policy.columns or original.rows != release.rows:
        raise RowsNeeded
    names = (*policy.quasi, *others)
    counts = PairCounts.of(tables, names, policy.quasi, policy.identifier)
    people = counts.people()
    in_order = policy.rows == "same order"
    # identifiers may speak against the policy, and without both any order may be true
    if in_order == (people is not None) and (in_order or not counts.identified):
        raise RowsNeeded
    for name in others:
        before, after = counts.columns(name)
        told = _texts(policy, original, name, before)
        if told != _texts(policy, release, name, after):
            raise RowsNeeded

    explained = _explained(policy, tables, hierarchies, counts)
    none = np.zeros(0, dtype=np.int64)
    found = replace(explained, home=none, in_order=people is None, people=people)
    if found.tupled is None:
        return found
    if not found.tupled.function:
        # which records are torn, their rows tell
        raise RowsNeeded
    nobody = np.broadcast_to(np.zeros((), dtype=bool), original.rows)
    return replace(found, tupled=replace(found.tupled, torn=nobody))


def _explained(
    policy: Policy,
    tables: tuple[CodedTable, CodedTable],
    hierarchies: Hierarchies,
    counts: PairCounts,
) -> Sanitization:
    """The mappings of the pairs, each of which stands for a row."""
    sides: list[dict[str, CodedColumn]] = [{}, {}]
    for name in policy.quasi:
        for side, column in zip(sides, counts.columns(name), strict=True):
            side[name] = CodedColumn(column.codes, column.labels)
    pairs = len(counts.each)
    before, after = [
        CodedTable(table.source, side, pairs)
        for table, side in zip(tables, sides, strict=True)
    ]
    paired = Pairing(np.arange(pairs), "identifier" if counts.identified else "policy")
    return sanitization(
        before, after, policy.quasi, (), hierarchies, paired, policy.types
    )


def _texts(
    policy: Policy, table: CodedTable, name: str, column: CodedColumn
) -> list[Label]:
    """The cells of a column of pairs, in the texts of its type."""
    pairs = CodedTable(table.source, {name: column}, len(column.codes))
    return canonical(policy, pairs, name).cells()
