"""Two tables whose rows stay in DuckDB become a linkage, equal records in one place.

Relations are about the values that occur, which the grouped counts of both tables tell.
Who comes from whom is asked as one more count: how often each original tuple became
each released one.  What that does not settle is left to the road over rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from phverify.exact import Ints, IntsPair
from phverify.linkage.candidates.inferred import images_of, relations_of
from phverify.linkage.candidates.kept_values import (
    with_kept_values,
    with_possibly_kept_values,
)
from phverify.linkage.candidates.masking import MaskingRelation
from phverify.linkage.candidates.pairs import related, relations_between
from phverify.linkage.candidates.records import records_of
from phverify.linkage.candidates.sets import Linkage
from phverify.linkage.candidates.truth import TrueRecords
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.keys import packed
from phverify.microdata.pair_counts import PairCounts, RowsNeeded
from phverify.microdata.paired_tables import PairedTable
from phverify.microdata.table import CodedColumn, CodedTable, Label
from phverify.policy.model import Policy
from phverify.spec.source import Names


@dataclass(frozen=True, eq=False)
class OwnRecords(TrueRecords):
    """True records that are asked for one by one.

    ``rows`` are the places of the originals, where chance makes them matter.
    """

    pairs: PairedTable

    def original(self, row: int) -> int:
        """The original record of a released one."""
        return self.pairs.origin(row) if self.by == "identifier" else row


def counted_linkage(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    attributes: Iterable[str] = (),
) -> Linkage:
    """What ``linkage_of`` answers, of tables that are counted in DuckDB by the
    quasi-identifiers and the attributes named.

    Raises RowsNeeded where rows are to be read, InputError for some of what is wrong
    with the tables: that, too, the rows tell better.
    """
    wanted = {*policy.quasi, *attributes}
    names = related(original, release, policy, wanted)
    together = tuple(name for name in names if name in wanted)
    pairs = _Pairs.of((original, release), policy, tuple(names), together)
    relations, _ = relations_between(
        original, release, policy, names, infer=pairs.inferred
    )
    pairs.require_fitting(relations)
    if pairs.certain:
        relations = pairs.with_kept_values(relations)
    random = [name for name in names if relations[name].random]
    if random and not pairs.certain:
        raise RowsNeeded

    # Without chance nobody asks where a record's original is.
    places = np.full(len(records_of(release).each), -1)
    after = records_of(release)
    if any(name in wanted for name in random):
        # chance tells released records apart that are alike but for their originals
        after = records_of(pairs.counts.counted)
        relations = pairs.beside(relations)
        places = pairs.places(relations)
    truth = OwnRecords(places, pairs.by, pairs.counts.engine)
    sources = (original.source, release.source)
    linkage = Linkage(relations, records_of(original), after, truth, sources)
    if pairs.certain:
        return linkage
    return with_possibly_kept_values(linkage, together)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """How often each original tuple became each released one."""

    counts: PairCounts
    certain: bool
    """Whether something says that these records belong together."""

    @classmethod
    def of(
        cls,
        tables: tuple[CodedTable, CodedTable],
        policy: Policy,
        names: Names,
        together: Names,
    ) -> _Pairs:
        """The pairs of two tables.  Raises RowsNeeded where that is not settled."""
        # An identifier that is a column, too, makes each record a group of its own.
        if policy.identifier in policy.columns:
            raise RowsNeeded
        counts = PairCounts.of(tables, names, together, policy.identifier)
        return cls(counts, counts.identified or policy.rows == "same order")

    @property
    def by(self) -> Literal["identifier", "order", "open"]:
        """How it is known who comes from whom."""
        if self.counts.identified:
            return "identifier"
        return "order" if self.certain else "open"

    def codes(self, name: str, before: CodedColumn, after: CodedColumn) -> IntsPair:
        """The pairs of an original and a released value of a column that occur, by
        their codes.
        """
        was, became = self.counts.columns(name)
        return _coded_as(was, before), _coded_as(became, after)

    def require_fitting(self, relations: Mapping[str, MaskingRelation]) -> None:
        """Raises RowsNeeded where a released value cannot come from the original
        one.
        """
        for name, relation in relations.items():
            pairs = self.codes(name, relation.before, relation.after)
            if not relation.holds(*pairs).all():
                raise RowsNeeded

    def with_kept_values(
        self, relations: Mapping[str, MaskingRelation]
    ) -> dict[str, MaskingRelation]:
        """The relations in which values that were kept are themselves."""
        found = dict(relations)
        for name, relation in relations.items():
            # what names nothing else needs no counts of pairs
            if relation.own:
                pairs = self.codes(name, relation.before, relation.after)
                found[name] = with_kept_values(relation, pairs)
        return found

    def inferred(
        self,
        original: CodedTable,
        release: CodedTable,
        policy: Policy,
        unread: Sequence[str],
        known: Mapping[str, MaskingRelation],
        hierarchies: Hierarchies,
    ) -> Mapping[str, MaskingRelation]:
        """What ``inferred`` answers where it is known who comes from whom.

        Raises RowsNeeded elsewhere.
        """
        if not self.certain:
            raise RowsNeeded
        self.require_fitting(known)
        mappings: dict[str, dict[Label, Label]] = {}
        for name in unread:
            before, after = original.columns[name], release.columns[name]
            pairs = self.codes(name, before, after)
            mappings[name] = images_of(before, after, *pairs)
        # A column that no function explains: the rows say more of it.
        if not all(mappings.values()):
            raise RowsNeeded
        return relations_of(original, release, mappings)

    def beside(
        self, relations: Mapping[str, MaskingRelation]
    ) -> dict[str, MaskingRelation]:
        """The relations, with a place for each pair of an original tuple and a released
        one.
        """
        changed = dict(relations)
        counts = records_of(self.counts.counted).each
        for name in self.counts.together:
            after = relations[name].after
            _, became = self.counts.columns(name)
            codes = _coded_as(became, after)
            column = CodedColumn(codes, after.labels, counts)
            changed[name] = replace(relations[name], after=column)
        return changed

    def places(self, relations: Mapping[str, MaskingRelation]) -> Ints:
        """For each pair the place of its original tuple in the relations."""
        both: list[Ints] = []
        widths: list[int] = []
        originals = 1
        for name in self.counts.together:
            before = relations[name].before
            originals = len(before.codes)
            was, _ = self.counts.columns(name)
            values = _coded_as(was, before)
            both.append(np.concatenate((before.codes, values)))
            widths.append(len(before.labels))
        rows = originals + len(records_of(self.counts.counted).each)
        _, keys, _ = packed(both, widths, rows)
        order = np.argsort(keys[:originals], kind="stable")
        found = np.searchsorted(keys[:originals], keys[originals:], sorter=order)
        return order[found]


def _coded_as(column: CodedColumn, known: CodedColumn) -> Ints:
    """The codes of a column by the labels of another one, empty texts as missing."""
    labels = [label or None for label in column.labels]
    return CodedColumn.coded(labels, known.labels)[column.codes]
