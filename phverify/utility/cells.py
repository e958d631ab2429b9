"""What released cells stand for: a column of both tables over one domain.

The domain are the values of the hierarchy, where there is one, and those that occur in
the original.  A released cell stands for the values that it surely contains (see
``spec.contained``, as ``verify --original`` reads it), each of them alike: of a cell
that stands for ten values, each has a tenth.  This is the uniform assumption, on which
every figure of a comparison rests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from phverify.exact import Ints
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import CodedColumn, Label
from phverify.microdata.tupled import meaning_of
from phverify.spec.contained import ALL, LEVEL, CellMeaning
from phverify.spec.notation import interval, is_date, number
from phverify.spec.source import Values
from phverify.spec.types import TEXT, ValueType
from phverify.utility.contents import CellContents


@dataclass(frozen=True, eq=False)
class SpreadColumn:
    """A column before and after, over the values that its cells may stand for.

    ``values[before[row]]`` is a cell of the original, ``labels[after[row]]`` one of the
    release, and ``sets[label]`` are the places in ``values`` that a released cell
    stands for: none where it stands for no value that is known.
    """

    name: str
    meaning: CellMeaning
    values: Values
    before: Ints
    labels: Values
    after: Ints
    sets: tuple[Ints, ...]

    @property
    def rows(self) -> int:
        """Records of the original."""
        return len(self.before)

    @property
    def released(self) -> int:
        """Records of the release."""
        return len(self.after)

    @cached_property
    def occurrences(self) -> list[int]:
        """In how many released records each label stands."""
        counted: list[int] = np.bincount(
            self.after, minlength=len(self.labels)
        ).tolist()
        return counted

    @cached_property
    def unread(self) -> Mapping[Label, int]:
        """The labels that stand for no value, each with its records."""
        found: dict[Label, int] = {}
        for label, places, count in zip(
            self.labels, self.sets, self.occurrences, strict=True
        ):
            if not len(places):
                found[label] = count
        return found

    @property
    def plain(self) -> bool:
        """Whether every released cell stands for itself alone."""
        for label, places in zip(self.labels, self.sets, strict=True):
            meant = [self.values[place] for place in places.tolist()]
            if meant != [label]:
                return False
        return True

    # Numbers

    def figures(self, untyped: bool) -> list[Fraction | None] | None:
        """The number of each value, None where a cell is missing; None for a column
        without an order.

        A column has one by its type.  ``untyped`` says that no type tells: then it is
        one of numbers alone, or of dates alone.
        """
        present = [value for value in self.values if value is not None]
        read = self.meaning.figure
        if not self.meaning.kind.ordered:
            if not untyped or not _of_one_kind(present):
                return None
            read = number
        figures = {value: read(value) for value in present}
        unknown = [value for value in present if figures[value] is None]
        if unknown:
            return None
        return [None if value is None else figures[value] for value in self.values]

    def shown_figures(self, untyped: bool) -> list[Fraction | None] | None:
        """The number of each released label: the mean of those it stands for.

        What stands for none is its own number, where it is one: the mean of a class, a
        number with noise.
        """
        figures = self.figures(untyped)
        if figures is None:
            return None
        shown: list[Fraction | None] = []
        for label, places in zip(self.labels, self.sets, strict=True):
            inside = [figures[place] for place in places.tolist()]
            if inside:
                shown.append(_mean(inside))
            elif label is not None:
                shown.append(number(label))
            else:
                shown.append(None)
        return shown


def _mean(figures: list[Fraction | None]) -> Fraction | None:
    """The mean of the figures that are known; None where none is."""
    known = [figure for figure in figures if figure is not None]
    if not known:
        return None
    total = sum(known, Fraction(0))
    return total / len(known)


def _of_one_kind(texts: list[str]) -> bool:
    """Whether texts are numbers alone, or dates alone."""
    if any(number(text) is None for text in texts):
        return False
    kinds = set(map(is_date, texts))
    return len(kinds) == 1


def spread_column(
    name: str,
    before: CodedColumn,
    after: CodedColumn,
    hierarchy: Hierarchy | None = None,
    kind: ValueType = TEXT,
) -> SpreadColumn:
    """A column of both tables, with what its released cells stand for.

    Where a cell is no node of the hierarchy, the column may have been recoded without
    it (in ranges, or by a partition): it is read so if every cell then stands for some
    value.
    """
    types = {name: kind}
    occurring = frozenset(before.labels)
    without = meaning_of(name, occurring, {}, types)
    if hierarchy is None:
        return _spread(name, before, after, without)
    meaning = meaning_of(name, occurring, {name: hierarchy}, types)
    along = _spread(name, before, after, meaning)
    if all(_is_node(label, meaning) for label in after.labels):
        return along
    alone = _spread(name, before, after, without)
    if alone.unread:
        return along
    return alone


def _is_node(label: Label, meaning: CellMeaning) -> bool:
    """Whether a released cell is a node of the hierarchy."""
    if label is None or label == ALL:
        return True
    if label in meaning.named:
        return True
    leveled = LEVEL.fullmatch(label)
    return leveled is not None


def _spread(
    name: str, before: CodedColumn, after: CodedColumn, meaning: CellMeaning
) -> SpreadColumn:
    paths = meaning.paths or {}
    # A line may begin with an empty cell: the missing value.
    listed = [value or None for value in paths]
    values = tuple(dict.fromkeys((*listed, *before.labels)))
    contents = CellContents(meaning, values)
    sets = tuple(
        np.array(contents.places(label), dtype=np.int64) for label in after.labels
    )
    own = CodedColumn.coded(before.labels, values)
    return SpreadColumn(
        name, meaning, values, own[before.codes], after.labels, after.codes, sets
    )


def contradicted(column: SpreadColumn, mapping: Mapping[Label, Label]) -> bool:
    """Whether some released cell stands for values, and was made of another one.

    Definition 6 lets a function without a hierarchy make 41 of 40.
    """
    read = dict(zip(column.labels, column.sets, strict=True))
    for place, value in enumerate(column.values):
        # Of what is withheld nothing is known.
        if value not in mapping:
            continue
        places = read.get(mapping[value], ())
        if len(places) and place not in places:
            return True
    return False


def with_kept_values(
    column: SpreadColumn, mapping: Mapping[Label, Label]
) -> SpreadColumn:
    """The column in which a value that was kept is that value, not the node of its
    name.

    Data may be coded already: ``<18`` is a value, and the node above 15.  It was kept
    where nothing else became it, and some other value below the node did not, or no
    value changed.
    """
    unchanged = all(value == image for value, image in mapping.items())
    sources: dict[Label, list[Label]] = {}
    for value, image in mapping.items():
        sources.setdefault(image, []).append(value)
    sets = []
    for label, places in zip(column.labels, column.sets, strict=True):
        below = [column.values[place] for place in places.tolist()]
        apart = any(mapping.get(value, label) != label for value in below)
        if sources.get(label) == [label] and (unchanged or apart):
            places = np.array([column.values.index(label)], dtype=np.int64)
        sets.append(places)
    return replace(column, sets=tuple(sets))


def with_read_labels(
    column: SpreadColumn, mapping: Mapping[Label, Label]
) -> SpreadColumn:
    """The column in which a value that others became is what it is written as: ``*``,
    a range, a set.

    Data may be coded already, and no hierarchy say it: ``20-29`` is a value, and what
    20 became.  It is the range where all plain values that became it lie there.
    """
    became: dict[Label, set[int]] = {}
    for place, value in enumerate(column.values):
        image = mapping.get(value, value)
        if image != value and image is not None and number(image) is None:
            became.setdefault(image, set()).add(place)
    plain = [
        place
        for place, value in enumerate(column.values)
        if value not in became and (value is None or interval(value) is None)
    ]
    values = tuple(column.values[place] for place in plain)
    meaning = replace(column.meaning, values=frozenset(values))
    contents = CellContents(meaning, values)
    sets = []
    for label, places in zip(column.labels, column.sets, strict=True):
        if label in became and label in column.values:
            inside = {plain[place] for place in contents.places(label)}
            told = became[label].intersection(plain)
            if label == ALL:
                places = np.arange(len(column.values))
            elif told and told <= inside:
                itself = column.values.index(label)
                meant = sorted({itself, *inside, *became[label]})
                places = np.array(meant, dtype=np.int64)
        sets.append(places)
    return replace(column, sets=tuple(sets))


def by_mapping(column: SpreadColumn, mapping: Mapping[Label, Label]) -> SpreadColumn:
    """The column whose released cells stand for the values that became them.

    Where one function explains a column (Definition 6), this is what labels mean that
    say nothing themselves; those that do keep their meaning.
    """
    sources: dict[Label, list[int]] = {label: [] for label in column.labels}
    for place, value in enumerate(column.values):
        if value in mapping:
            sources[mapping[value]].append(place)
    sets = []
    for label, places in zip(column.labels, column.sets, strict=True):
        made = np.array(sources[label], dtype=np.int64)
        sets.append(places if len(places) else made)
    return replace(column, sets=tuple(sets))
