"""The quotient of a table after quasi-identifier values are mapped, counted from a
quotient that was counted before: never from the rows again.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from phverify.errors import Defect
from phverify.exact import LIMIT, Ints
from phverify.microdata.keys import (
    Packing,
    divided,
    packed,
    ranked,
    starts_of,
    summed,
)
from phverify.microdata.quotient import CodesByCell, Quotient
from phverify.microdata.table import Coded, CodedColumn
from phverify.spec.source import Columns, Names, Values


def coarser(fine: Quotient, recoded: Coded) -> tuple[Quotient, Ints]:
    """The quotient after quasi-identifier values are mapped, and for each class the
    coarser one it lies in.

    ``recoded[name].codes`` gives for each code of the finer quotient the code of its
    image; a column that is not there keeps its values.
    """
    result = counted_again(fine, recoded)
    return result, lying_in(fine, recoded, result)


def lying_in(fine: Quotient, recoded: Coded, coarse: Quotient) -> Ints:
    """For each class the one that it lies in after values are mapped."""
    _, keys, _ = _recoded(fine, recoded, _labels(fine, recoded))
    return coarse.class_at(keys)


def counted_again(fine: Quotient, recoded: Coded) -> Quotient:
    """The quotient after quasi-identifier values are mapped, as ``coarser``."""
    labels = _labels(fine, recoded)
    packing, keys, space = _recoded(fine, recoded, labels)
    class_keys, starts, counts, others = joined(fine, keys, space)
    columns = CodesByCell(fine.quasi, packing, class_keys, starts, others)
    return Quotient(
        fine.rows,
        fine.quasi,
        fine.others,
        starts,
        counts,
        columns,
        labels,
        packing,
        class_keys,
    )


def with_others(fine: Quotient, others: Names) -> Quotient:
    """The same classes, in which some of the other columns tell cells apart."""
    known = replace(fine, others=others)
    classes = np.arange(fine.classes)
    _, starts, counts, codes = joined(known, classes, fine.classes)
    columns = CodesByCell(fine.quasi, fine.packing, fine.class_keys, starts, codes)
    names = (*fine.quasi, *others)
    labels = {name: fine.labels[name] for name in names}
    return replace(known, starts=starts, counts=counts, codes=columns, labels=labels)


def _labels(fine: Quotient, recoded: Coded) -> dict[str, Values]:
    """The labels of all columns after values are mapped."""
    labels = dict(fine.labels)
    for name, column in recoded.items():
        values = labels[name]
        if len(column.codes) != len(values):
            raise Defect(f"not every value of {name!r} has one image")
        labels[name] = column.labels
    return labels


def _recoded(
    fine: Quotient, recoded: Coded, labels: Columns
) -> tuple[Packing, Ints, int]:
    """As ``packed``, the keys of the classes after values are mapped."""
    sizes = tuple([len(labels[name]) for name in fine.quasi])
    space = prod(sizes)
    if space >= LIMIT or fine.packing.ranks:
        codes = dict(fine.class_codes)
        for name, column in recoded.items():
            codes[name] = column.codes[codes[name]]
        return packed([codes[name] for name in fine.quasi], sizes, fine.classes)
    if len(recoded) == 1:
        [(name, column)] = recoded.items()
        keys = _one_recoded(fine, fine.quasi.index(name), column)
    else:
        keys = _several_recoded(fine, recoded, labels)
    return Packing(sizes, {}), keys, space


def _one_recoded(fine: Quotient, place: int, column: CodedColumn) -> Ints:
    """The keys of the classes after the values of one column are mapped: its digit is
    replaced, those before it move, and those after it stay.
    """
    sizes = fine.packing.sizes
    after = prod(sizes[place + 1 :])
    old, new = sizes[place], len(column.labels)
    up_to_it = fine.class_keys // after
    before, digits = divided(up_to_it, old)
    # What the digit becomes less what it was, and likewise of all before it.
    steps = column.codes - np.arange(old)
    moved = steps.take(digits)
    moved += before * (new - old)
    moved *= after
    moved += fine.class_keys
    return moved


def _several_recoded(fine: Quotient, recoded: Coded, labels: Columns) -> Ints:
    """The keys of the classes after the values of some columns are mapped."""
    sizes = {name: len(labels[name]) for name in fine.quasi}
    rest = prod(sizes.values())
    keys = np.zeros(fine.classes, dtype=np.int64)
    for names, numbers in zip(*fine.neighbours, strict=True):
        if recoded.keys().isdisjoint(names):
            rest //= prod([sizes[name] for name in names])
            keys += numbers * rest
            continue
        # What becomes of each combination of a group, in its digits of the key.
        images = np.zeros(1, dtype=np.int64)
        for name in names:
            rest //= sizes[name]
            image = recoded[name].codes if name in recoded else np.arange(sizes[name])
            images = np.add.outer(images, image * rest).ravel()
        keys += images.take(numbers)
    return keys


def joined(
    fine: Quotient, keys: Ints, space: int
) -> tuple[Ints, Ints, Ints, dict[str, Ints]]:
    """Classes made of finer ones, each of which has a key (from 0 to below ``space``).

    The keys of the classes in order, where these start, how many rows each of their
    cells has, and the codes of its other columns.
    """
    if not fine.others:
        # Without other columns a class is one cell.
        distinct, counts = summed(keys, fine.sizes, space, fine.rows)
        return distinct, np.arange(len(distinct) + 1), counts, {}
    profile, width = fine.profiles
    known = None
    if space * width >= LIMIT:
        known, keys = ranked(keys, space)
        space = len(known)
    # The class is the high digit of a cell's key, the profile the low one.
    of_cells = keys.take(fine.class_of_cell) * width + profile
    cell_keys, counts = summed(of_cells, fine.counts, space * width, fine.rows)
    classes, profiles = divided(cell_keys, width)
    starts = starts_of(classes)
    distinct = classes.take(starts[:-1])
    if known is not None:
        distinct = known.take(distinct)
    some = np.empty(width, dtype=np.int64)
    some[profile] = np.arange(fine.cells)  # some cell of each profile: the last one
    others = {}
    for name in fine.others:
        of_profile = fine.codes[name].take(some)
        others[name] = of_profile.take(profiles)
    return distinct, starts, counts, others
