"""Whether a release really is a truthful sanitization of an original table (Definition
6).

Truthful: some bijection of the rows and, for each quasi-identifier, one function from
original to released values together turn the original into the release, all other
columns unchanged.  A hierarchy allows its column only functions that generalize along
it.

Where the identifier column stands in both tables, or the policy says so, the bijection
is known (see pairing), and a release that no function for each column explains may be
recoded by tuples (see tupled).  Otherwise any bijection may be the one: the given order
is tried first, then the functions are searched for (see matching), and whoever asks
about single people must ask whether their classes are the same in all explanations.
This module codes the columns, compares the tables in the given order and by their
counts, and says what was found or what stands against it.  Labels are sorted first, so
that the search does not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from phverify.errors import InputError, Problem, Problems
from phverify.exact import Ints
from phverify.microdata.coding import PairedColumn, codes_of, paired_column
from phverify.microdata.departures import (
    RowPlaces,
    changed,
    check_lines,
    check_shape,
    forks,
    miscounts,
    orphans,
    strays,
    surplus,
)
from phverify.microdata.disordered import HINT, perhaps_by_tuples
from phverify.microdata.explained import KNOWN, TELLING, Known, Sanitization
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.matching import MappingSearch, image_of
from phverify.microdata.narrowing import Pairs, TooHard
from phverify.microdata.pairing import Pairing
from phverify.microdata.table import CodedTable
from phverify.microdata.tupled import TupledRelease, against, loose_cells, other_numbers
from phverify.spec.types import ValueType

if TYPE_CHECKING:
    pass

NODES = 5_000
"""Search nodes at most; fewer for large tables, where a node costs more (see
narrowing.EFFORT).
"""


def sanitization(
    original: CodedTable,
    release: CodedTable,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Hierarchies,
    paired: Pairing | None = None,
    types: Mapping[str, ValueType] | None = None,
) -> Sanitization:
    """The mappings that make the release a truthful sanitization of the original.

    A hierarchy restricts its column's mappings to generalizations along it.  With
    ``paired``, which says what rows belong together, tuples may be recoded instead;
    ``types`` say what a range is.  Without it the given row order is tried first, then
    any order.  Raises InputError with what stands against it.
    """
    check_shape(original, release, (*quasi, *others))
    check_lines(original, quasi, hierarchies)
    released = release if paired is None else release.taken(paired.rows)
    known = _columns(original, released, quasi, shared=False)
    unchanging = _columns(original, released, others, shared=True)
    places = RowPlaces.of(original, release, paired)
    untrue = changed(unchanging, places)
    problems = [
        *untrue,
        *forks(known, places),
        *strays(known, hierarchies, places),
    ]
    # Where the given order has no problem its pairs are the mappings.
    in_order = [image_of(one, Pairs(one.before, one.after)) for one in known]
    if paired is not None:
        if not problems:
            return _result(known, in_order, paired.rows, paired.by)
        loose = loose_cells(known, hierarchies, types or {})
        if untrue or loose:
            what = f"is no sanitization of the original, {KNOWN[paired.by]}"
            said = [*untrue, *against(loose, places)]
            raise InputError([Problem(release.source, what), *said])
        return _recoded(known, paired)

    rest = codes_of(unchanging, original.rows)
    search = MappingSearch.of(known, rest, hierarchies, NODES)
    if not problems:
        return _result(known, in_order, np.arange(original.rows), "order", search)
    # Only now another order is searched for: where this one fits, it is taken.
    near = _near(unchanging, problems, original.rows)
    try:
        return _shuffled(search, near)
    except InputError as error:
        loose = loose_cells(known, hierarchies, types or {})
        if untrue or loose:
            said = [] if untrue else other_numbers(loose)
            said += perhaps_by_tuples(
                known, unchanging, hierarchies, types or {}, release
            )
            raise InputError([*error.problems, *said]) from None
        raise InputError([*error.problems, _in_order(release)]) from None


def _columns(
    original: CodedTable, release: CodedTable, names: Sequence[str], shared: bool
) -> list[PairedColumn]:
    return [
        paired_column(name, original.columns[name], release.columns[name], shared)
        for name in names
    ]


def _near(unchanging: list[PairedColumn], problems: Problems, rows: int) -> Problems:
    """The problems of the given order, if that may be meant.

    Raises InputError where no order of the rows can help: the counts of what should be
    unchanged are other ones.
    """
    before, after = rest = codes_of(unchanging, rows)
    differing = [column.before != column.after for column in unchanging]
    changes = np.count_nonzero(np.any(differing, axis=0))
    excess = int(np.abs(surplus(before, after)).sum())
    if not excess:
        # Few rows depart: a release in its order with mistakes, rather than one in
        # another.
        if 4 * changes <= rows:
            return problems
        return []
    if changes <= excess:
        # Putting the counts right takes about as many changes: this order is meant.
        raise InputError(problems)
    singles: Problems = []
    for column in unchanging:
        singles += miscounts([column], (column.before, column.after))
    raise InputError(singles or miscounts(unchanging, rest))


def _result(
    known: Sequence[PairedColumn],
    images: Sequence[Ints],
    home: Ints,
    by: Known,
    others: MappingSearch | None = None,
) -> Sanitization:
    columns = zip(known, images, strict=True)
    mappings = {column.name: column.mapping(codes) for column, codes in columns}
    before, after = codes_of(known, len(home))
    # Mapped rows that are alike stay alike: fewer classes are larger ones.
    proper = len(np.unique(after)) < len(np.unique(before))
    trivial = all(len(column.images) == 1 for column in known)
    return Sanitization(mappings, by, proper, trivial, home, others)


def _recoded(known: Sequence[PairedColumn], paired: Pairing) -> Sanitization:
    """What is said of a release whose cells contain the original ones, row by row."""
    tupled = TupledRelease.of(known)
    proper = tupled.function and tupled.boxes < tupled.tuples
    trivial = tupled.boxes == 1
    return Sanitization({}, paired.by, proper, trivial, paired.rows, None, tupled)


def _in_order(release: CodedTable) -> Problem:
    """That the rows as they stand would be a recoding by tuples."""
    what = (
        "in the order of its rows it is the original, recoded by tuples, which is only"
        " read where it is known which rows belong together"
    )
    return Problem(release.source, what, HINT)


def _shuffled(search: MappingSearch, near: Problems) -> Sanitization:
    """Mappings for rows in another order.  Raises InputError where there are none.

    ``near`` are the problems of the given order, if that may be meant.
    """
    try:
        solved = search.first_two()
    except TooHard:
        what = (
            "which mappings explain the release, whose rows are in another order, was"
            " not settled within bounds"
        )
        hint = f"give hierarchies for the quasi-identifiers, or {TELLING}"
        raise InputError([*near, Problem("release", what, hint)]) from None
    if not solved:
        raise InputError(_nothing(search, near))
    images = search.images_of(solved[0])
    # A second solution stands for others, or for a search that was cut short.
    others = search if len(solved) == 2 else None
    return _result(search.known, images, search.home(images), "matching", others)


def _nothing(search: MappingSearch, near: Problems) -> Problems:
    """Why nothing explains the release.

    ``near`` are the problems of the given order, if that may be meant: then they say
    where the release departs.
    """
    what = (
        "no order of the rows and no mappings of the quasi-identifiers turn the"
        " original into it"
    )
    used = [column for column in search.known if column.name in search.hierarchies]
    if not used:
        return [*near, Problem("release", what)]
    along = "hierarchy" if len(used) == 1 else "hierarchies"
    listed = ", ".join(column.name for column in used)
    said = f"{what} along the {along} of {listed}"
    problem = Problem("release", said, _without_hierarchies(search))
    return [*(near or orphans(used, search.hierarchies)), problem]


def _without_hierarchies(search: MappingSearch) -> str:
    """A hint: whether the hierarchies are to blame, tried without them."""
    try:
        freely = replace(search, hierarchies={}).first_two()
    except TooHard:
        return "without the hierarchies the question was not settled within bounds"
    if not freely:
        return "without the hierarchies there are none either"
    return (
        "without the hierarchies there are such mappings: mend the hierarchies, or"
        " leave out those of columns that were recoded otherwise (by --space intervals"
        " or partitions)"
    )
