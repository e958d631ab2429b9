"""The different rows of a table, as far as attributes go, and how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.keys import packed
from phverify.microdata.table import CodedColumn
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.data import Data
from phverify.spec.fold import fold
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Unsettled
from phverify.symbolic.columns import TruthColumns, matching
from phverify.symbolic.release import SymbolicRelease

Names = tuple[str, ...]
Criteria = Callable[[s.Criterion], ClassCriterion]


@dataclass(frozen=True, eq=False)
class Kinds(TruthColumns[None]):
    """The different rows of the table, as far as some attributes go, and how many there
    are of each.
    """

    signature: Signature
    quasi: Names
    criteria: Criteria
    columns: Mapping[str, CodedColumn]
    counts: Ints
    _known: dict[s.Formula, Bools] = field(default_factory=dict)

    def truth(self, formula: s.Formula, place: None = None) -> Bools:
        """The truth of a propositional formula at each kind of row."""
        truth = self._known.get(formula)
        if truth is None:
            truth = fold(self, formula, place)
            self._known[formula] = truth
        return truth

    def length(self, place: None) -> int:
        """How many kinds of rows there are."""
        return len(self.counts)

    def descriptor(self, formula: s.Descriptor, place: None) -> Bools:
        """Where a kind's value is one of those described."""
        column = self.columns[formula.attribute]
        of_labels = matching(formula, self.signature, column.labels)
        of_kinds: Bools = of_labels[column.codes]
        return of_kinds

    def other(self, formula: s.Formula, place: None) -> Bools:
        """Raises Unsettled."""
        raise Unsettled("a0 is asked about more than descriptors")

    def share(self, formula: s.Formula) -> Fraction:
        """``l_a0`` of a propositional formula."""
        true_rows = int(self.counts[self.truth(formula)].sum())
        return Fraction(true_rows, int(self.counts.sum()))

    def whole(self, name: str) -> dict[Label, int]:
        """How often each value of a column occurs; without one, nothing."""
        if not name:
            return {}
        domain = self.signature.attributes[name].domain
        occurring = {}
        for value in domain:
            of_value = s.equals(name, value)
            true_of_kinds = self.truth(of_value)
            occurring[value] = int(self.counts[true_of_kinds].sum())
        return occurring

    def describe(self, kind: int) -> str:
        """A kind of row in words, by its values."""
        said = [
            f"{f} = {column.labels[int(column.codes[kind])]}"
            for f, column in self.columns.items()
        ]
        joined = " & ".join(said)
        return joined or "any"


def kinds(release: SymbolicRelease, names: Names) -> Kinds:
    """The kinds of rows of a release."""
    columns = {name: release.columns[name] for name in names}
    criteria = release.criteria.__getitem__
    each = np.ones(release.size, np.int64)
    if release.places is not None:
        # Equal rows stand once.
        each = release.places.elsewhere.counts
    quasi = release.quotient.quasi
    return _distinct(Kinds(release.signature, quasi, criteria, columns, each))


def told_apart(data: Data, names: Names) -> Kinds:
    """The kinds of rows of a checker's table."""
    columns = {}
    for name in names:
        numbers = {label: number for number, label in enumerate(data.domains[name])}
        codes = [numbers[label] for label in data.columns[name]]
        columns[name] = CodedColumn(np.array(codes, dtype=np.int64), data.domains[name])
    return _distinct(
        Kinds(
            data.signature,
            data.quasi,
            data.criterion,
            columns,
            np.ones(data.rows, np.int64),
        )
    )


def _distinct(rows: Kinds) -> Kinds:
    """Rows that are alike, counted."""
    columns = rows.columns.values()
    sizes = [len(column.labels) for column in columns]
    packing, keys, _ = packed(
        [column.codes for column in columns], sizes, len(rows.counts)
    )
    distinct, rank = np.unique(keys, return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, rank, rows.counts)
    codes = dict(zip(rows.columns, packing.unpack(distinct), strict=True))
    shown = {
        name: CodedColumn(codes[name], column.labels)
        for name, column in rows.columns.items()
    }
    # what was known of rows does not fit the kinds
    return replace(rows, columns=shown, counts=counts, _known={})
