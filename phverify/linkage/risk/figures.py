"""Prosecutor, journalist and marketer risk as ARX defines them (after El Emam), and the
global risk of sdcMicro.

With f_j the number of released records in class j (equal in the attributes known), F_j
the number of records of the population that class j can come from, J classes and n =
sum of f_j released records:

| figure | ARX (RiskModelSampleSummary) | |---|---| | prosecutor, highest risk | 1 / min
f_j | | prosecutor, records at risk for a threshold | sum of f_j over classes with 1 /
f_j > threshold, / n | | prosecutor, success rate | J / n | | journalist, highest risk |
1 / min F_j | | journalist, records at risk | sum of f_j over classes with 1 / F_j >
threshold, / n | | journalist, success rate | max of J / sum of F_j and (sum of f_j /
F_j) / n | | marketer, success rate | (sum of f_j / F_j) / n |

ARX counts records *above* a threshold as at risk, and leaves out suppressed records
(here: those whose cells are all marks of suppression while some other record's are
not).  Without a population F_j = f_j.

sdcMicro (``measure_risk`` without sampling weights): a record's risk is 1 / f_k, the
expected number of re-identifications their sum, the global risk that sum / n; f_k
counts the released records that agree with it where neither cell is missing
(``freqCalc``: a missing cell stands for every value).  With sampling weights sdcMicro
estimates risks by a super-population model with logarithms; there are no weights here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from phverify.exact import ZERO, Bools, Ints
from phverify.linkage.candidates.masking import MaskingRelation, starts_of
from phverify.linkage.candidates.records import Records
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.candidates.truth import TrueRecords
from phverify.microdata.risk import prosecutor_risk
from phverify.microdata.table import CodedColumn


@dataclass(frozen=True)
class Figure:
    """The ``highest`` risk, the share of records above each threshold, and the average
    risk (success rate).
    """

    highest: Fraction
    share_above: Mapping[Fraction, Fraction]
    average: Fraction


@dataclass(frozen=True)
class Figures:
    """The figures for one attacker; all are 0 where every record is suppressed.

    ``records`` are those that ARX counts; ``expected`` and ``overall`` are sdcMicro's
    expected number of re-identifications and global risk, over all records.
    """

    records: int
    prosecutor: Figure
    journalist: Figure
    marketer: Fraction
    expected: Fraction
    overall: Fraction

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Prosecutor and journalist, highest and average; marketer; global risk."""
        prosecutor, journalist = self.prosecutor, self.journalist
        return (
            *(prosecutor.highest, prosecutor.average),
            *(journalist.highest, journalist.average),
            self.marketer,
            self.overall,
        )


def figures_of(
    candidates: Candidates,
    thresholds: Sequence[Fraction],
    population: Ints | None,
    suppressed: Bools | None,
    marks: Sequence[Sequence[str | None]],
) -> Figures:
    """The figures of the released classes.

    ``population[y]`` is how many records of the population released record y can come
    from, None without one; ``suppressed`` marks the records that are left out;
    ``marks`` are the marks of suppression of each attribute.
    """
    each = candidates.linkage.after
    expected = sum_shares(frequencies(candidates, marks), each)
    overall = expected / candidates.linkage.released
    classes = candidates.classes
    wide = classes if population is None else population
    if suppressed is not None:
        classes, wide = classes[~suppressed], wide[~suppressed]
        each = each.part(np.flatnonzero(~suppressed))
    if not len(classes):
        none = Figure(ZERO, dict.fromkeys(thresholds, ZERO), ZERO)
        return Figures(0, none, none, ZERO, expected, overall)

    groups = _groups(classes, wide, each)
    records = each.total
    # J; the sum of F_j over classes; the sum of f_j / F_j: sums over records, each of
    # which is one f_j-th of its class
    number = sum((Fraction(count, f) for f, _, count in groups), ZERO)
    people = sum((Fraction(big * count, f) for f, big, count in groups), ZERO)
    shares = sum((Fraction(count, big) for _, big, count in groups), ZERO)
    marketer = shares / records
    in_class = [(f, count) for f, _, count in groups]
    in_population = [(big, count) for _, big, count in groups]
    smallest, _ = min(in_class)
    risk = prosecutor_risk(smallest, number, records)
    prosecutor = _figure(in_class, records, thresholds, risk.highest, risk.average)
    success = max(number / people, marketer)
    widest = Fraction(1, min(in_population)[0])
    journalist = _figure(in_population, records, thresholds, widest, success)
    return Figures(records, prosecutor, journalist, marketer, expected, overall)


def _groups(classes: Ints, wide: Ints, each: Records) -> list[tuple[int, int, int]]:
    """The pairs (f, F) of the records, each with how many records have it."""
    width = int(wide.max()) + 1
    # one number for each pair
    keys, counts = each.distinct(classes * width + wide)
    sizes, populations = np.divmod(keys, width)
    columns = (sizes.tolist(), populations.tolist(), counts.tolist())
    return list(zip(*columns, strict=True))


def _figure(
    sizes: Sequence[tuple[int, int]],
    records: int,
    thresholds: Sequence[Fraction],
    highest: Fraction,
    success: Fraction,
) -> Figure:
    """From pairs (size, records): what is above a threshold is at risk."""
    above: dict[Fraction, Fraction] = {}
    for bound in thresholds:
        at_risk = 0
        for size, count in sizes:
            if Fraction(1, size) > bound:
                at_risk += count
        above[bound] = Fraction(at_risk, records)
    return Figure(highest, above, success)


def sum_shares(sizes: Ints, records: Records) -> Fraction:
    """The sum of 1 / size over all records."""
    counts = records.tally(sizes, int(sizes.max()) + 1).tolist()
    total = ZERO
    for size, count in enumerate(counts):
        if count:
            total += Fraction(count, size)
    return total


def frequencies(candidates: Candidates, marks: Sequence[Sequence[str | None]]) -> Ints:
    """sdcMicro's f_k: how many released records agree with each where neither cell is
    missing or suppressed.
    """
    columns = [relation.after for relation in candidates.relations]
    marked = _marked(columns, marks)
    # marks of a whole column change nothing
    if all(some.all() or not some.any() for some in marked):
        return candidates.classes
    names = [relation.name for relation in candidates.relations]
    both = zip(names, columns, marked, strict=True)
    relations = {name: _wild(name, column, some) for name, column, some in both}
    records = candidates.linkage.after
    order = TrueRecords(np.arange(records.size), "order")
    # the release linked with itself: candidates are the records that agree
    itself = Linkage(relations, records, records, order)
    return Candidates(itself, tuple(names)).sizes


def _marked(
    columns: Sequence[CodedColumn], marks: Sequence[Sequence[str | None]]
) -> list[Bools]:
    """For each column, which of its labels are marks."""
    marked: list[Bools] = []
    for column, some in zip(columns, marks, strict=True):
        is_mark = [label in some for label in column.labels]
        marked.append(np.array(is_mark, dtype=bool))
    return marked


def _wild(name: str, column: CodedColumn, marked: Bools) -> MaskingRelation:
    """A column with itself: equal values, and marks with everything."""
    every = np.arange(len(column.labels))
    lists: list[Ints] = []
    for k in every:
        fits = marked | (every == k)
        lists.append(every if marked[k] else np.flatnonzero(fits))

    starts = starts_of(list(map(len, lists)))
    return MaskingRelation(name, column, column, starts, np.concatenate(lists))


def withheld(
    columns: Sequence[CodedColumn], marks: Sequence[Sequence[str | None]]
) -> Bools | None:
    """The records whose cells are all marks of suppression, where not all records are
    so; None where no record is.
    """
    if not columns:
        return None
    both = zip(columns, _marked(columns, marks), strict=True)
    cells = [marked[column.codes] for column, marked in both]
    hidden: Bools = np.logical_and.reduce(cells)
    if hidden.any() and not hidden.all():
        return hidden
    return None
