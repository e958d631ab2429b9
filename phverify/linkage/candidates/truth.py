"""Which original record each released record really comes from, and the true
probability (Definition 6).

The true record is told by the identifier column where both tables have it, else by the
order of the rows where the policy says that it is the same.  Otherwise any order may be
the true one, also when the given one fits, and the true records are open: no figure may
depend on them.  A release that does not fit in its order is matched through the
mappings that explain it (as ``verify --original`` does), which settles the true records
up to originals that became alike.

The true probability of a released record knows the whole masking method: among the
originals that the record can come from, those with the same chance of becoming it are
equally probable (Example 8), and with a random masking the probability of an original
is proportional to its chance of becoming the record.  This is Bayes' rule with every
original equally probable beforehand, record by record, as the paper has it: that no two
released records come from one original is not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.exact import Ints
from phverify.linkage.candidates.masking import MaskingRelation, mapped, misfits
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.pairing import by_identifier
from phverify.microdata.sanitization import sanitization
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy
from phverify.spec.withheld import earliest
from phverify.words import plural

ORDER = (
    "no one function for each column explains the rows in another order, either",
    (
        "where they are in another order, add the identifier column to both, and name"
        " it in the policy: identifier = .."
    ),
)
"""What is said where the rows do not fit as they are, and nothing else tells which
belong together.
"""
OPEN = (
    (
        "which records belong together is open: the rows fit in their order, and may"
        " fit in another one"
    ),
    'say rows = "same order" in the policy, or add the identifier column to both files',
)
"""What is said where the rows fit as they are, and nothing says that they are so."""


@dataclass(frozen=True, eq=False)
class TrueRecords:
    """``rows[y]`` is the original record of released record y; ``by`` says how that is
    known.

    By "matching", it is one of the originals that became alike: which of them is not
    known.  "open" says only that the release can come from the original in this order.
    """

    rows: Ints
    by: Literal["identifier", "order", "matching", "open"]

    @property
    def known(self) -> bool:
        """Whether each record's own original is known."""
        return self.by in ("identifier", "order")

    def original(self, row: int) -> int:
        """The original record of a released one."""
        return int(self.rows[row])


def true_records(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    relations: Mapping[str, MaskingRelation],
    hierarchies: Hierarchies,
) -> TrueRecords:
    """The true record of each released record, which must be one that it can come from,
    attribute by attribute.

    Raises InputError that names the records and attributes that fit no masking, or says
    what would tell the truth.
    """
    rows = by_identifier(original, release, policy.identifier)
    if rows is None and original.rows != release.rows:
        if policy.rows == "same order" and release.rows < original.rows:
            return _aligned(original, release, relations)
        raise _uneven(original, release, "")
    if rows is None:
        truth = TrueRecords(np.arange(release.rows), "order")
    else:
        truth = TrueRecords(rows, "identifier")
    problems = misfits(relations, truth.rows, release.source)
    # pairs that are certain must fit: in an open order others may
    if rows is not None or policy.rows == "same order":
        if problems:
            what = (
                "the release is no masking of the original: a record cannot come from"
                " the original that it comes from"
            )
            hint = "say under [masking] how the columns were masked"
            raise InputError([Problem(release.source, what, hint), *problems])
        return truth
    if problems:
        return _matched(original, release, policy, hierarchies, relations, problems)
    if any(relation.random for relation in relations.values()):
        raise refusal(release.source, *OPEN)

    return replace(truth, by="open")


def _uneven(original: CodedTable, release: CodedTable, why: str) -> InputError:
    """That it is open which records come from which."""
    what = (
        f"the original has {plural(original.rows, 'record')} and the release"
        f" {release.rows}: which come from which is open{why}"
    )
    hint = (
        "add the identifier column to both, and name it in the policy: identifier = .."
    )
    if not why and release.rows < original.rows:
        hint += '; or keep the rows in their order, and say rows = "same order"'
    return refusal(release.source, what, hint)


def _aligned(
    original: CodedTable,
    release: CodedTable,
    relations: Mapping[str, MaskingRelation],
) -> TrueRecords:
    """The true records where the release is the original in its order, with records
    withheld: where only one way to withhold them explains it.
    """
    columns = list(relations.values())

    @cache
    def possible(column: int, value: int, image: int) -> bool:
        sources = columns[column].sources(image)
        return value in sources

    values = [column.before.codes.tolist() for column in columns]
    images = [column.after.codes.tolist() for column in columns]

    def fits(row: int, place: int) -> bool:
        for column in range(len(columns)):
            value = values[column][row]
            image = images[column][place]
            if not possible(column, value, image):
                return False
        return True

    rows, places = range(original.rows), range(release.rows)
    early = earliest(fits, rows, places)
    if len(early) < release.rows:
        place = f"{release.source}, record {len(early) + 1}"
        what = (
            "comes from no record of the original behind the one before it, and the"
            ' policy says rows = "same order"'
        )
        raise refusal(place, what, "say under [masking] how the columns were masked")
    late = earliest(fits, rows[::-1], places[::-1])[::-1]
    if early != late:
        place_of = next(
            p for p, (a, b) in enumerate(zip(early, late, strict=True)) if a != b
        )
        why = f": record {place_of + 1} of the release may be one of several"
        raise _uneven(original, release, why)
    return TrueRecords(np.array(early, dtype=np.int64), "order")


def _matched(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    hierarchies: Hierarchies,
    relations: Mapping[str, MaskingRelation],
    problems: Problems,
) -> TrueRecords:
    """True records through mappings that explain the release in another order; else the
    problems of the given one.
    """
    what = "in the order of its rows it is no masking of the original"
    problems = [Problem(release.source, what, OPEN[1]), *problems]
    nothing = InputError([*problems, Problem(release.source, *ORDER)])
    if any(relation.random for relation in relations.values()):
        raise nothing
    rows = _by_images(relations)
    if rows is not None:
        return TrueRecords(rows, "matching")

    # what is no quasi-identifier stays as it is
    both = original.columns.keys() & release.columns.keys()
    others = [name for name in (*policy.sensitive, *policy.neutral) if name in both]
    quasi = [name for name in relations if name not in others]
    before = original.only((*quasi, *others))
    after = release.only((*quasi, *others))
    try:
        explained = sanitization(before, after, quasi, others, hierarchies)
    except InputError:
        raise nothing from None

    if not explained.unique:
        several = "several mappings explain it in another order"
        raise InputError([*problems, Problem(release.source, several, OPEN[1])])
    mapped_by: dict[str, MaskingRelation] = {}
    # an empty mapping leaves every value as it is
    mappings = {**explained.mappings, **{name: {} for name in others}}
    for name, mapping in mappings.items():
        columns = before.columns[name], after.columns[name]
        mapped_by[name] = mapped(name, *columns, mapping)

    rows = _by_images(mapped_by)
    if rows is None or misfits(relations, rows, ""):
        raise nothing

    return TrueRecords(rows, "matching")


def _by_images(relations: Mapping[str, MaskingRelation]) -> Ints | None:
    """Where each original value can have become one released value only: rows in
    another order, paired by these.

    None where it is otherwise, or where the released rows are not those that the
    originals become.
    """
    functional = (relation.functional for relation in relations.values())
    if not all(functional):
        return None
    before: list[Ints] = []
    after: list[Ints] = []
    for relation in relations.values():
        values = relation.before.codes
        before.append(relation.image_of[values])
        after.append(relation.after.codes)

    # sorted alike, the rows of both tables must be the same
    originals = np.lexsort(before)
    released = np.lexsort(after)
    for images, codes in zip(before, after, strict=True):
        expected = images[originals]
        differ = expected != codes[released]
        if differ.any():
            return None

    rows = np.empty(len(released), dtype=np.int64)
    # the k-th of the one order comes from the k-th of the other
    rows[released] = originals
    return rows
