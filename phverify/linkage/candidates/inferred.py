"""What released values mean where nothing is declared: the mapping that explains the release (Definition 6 of Hsu,
Liau and Wang), found as ``verify --original`` finds it.  An attacker who sees ``03/56`` needs no declaration, either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phverify.errors import refusal
from phverify.exact import Ints
from phverify.linkage.candidates.masking import Relation, misfits_of, starts_of
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.pairing import by_identifier
from phverify.microdata.sanitization import sanitization
from phverify.microdata.table import Column, Label, Table
from phverify.policy.model import Policy


def inferred(
    original: Table,
    release: Table,
    policy: Policy,
    unread: Sequence[str],
    known: Mapping[str, Relation],
    hierarchies: Mapping[str, Hierarchy],
) -> dict[str, Relation]:
    """The relations of the columns that cannot be read, when one function each explains them.

    The identifiers tell which records belong together, else the order of the rows where it is the same (as the
    policy says), else any order in which the columns that have the same values in both tables are unchanged,
    if only one mapping comes out of it.
    Raises InputError when there are no such functions.
    """
    pairs = {name: (original.columns[name], release.columns[name]) for name in unread}
    true = _paired(original, release, known, policy)
    if true is not None:
        found = {name: _images(*pair, true) for name, pair in pairs.items()}
        if all(images is not None for images in found.values()):
            return {name: mapped(name, *pairs[name], images) for name, images in found.items() if images is not None}
    same = [name for name in known if set(original.columns[name].labels) == set(release.columns[name].labels)]
    quasi = [*unread, *(name for name in known if name not in same)]
    matched = sanitization(original, release, quasi, same, hierarchies)
    if not matched.unique:
        raise refusal(release.source, "several mappings explain the release", "give [hierarchies]")
    return {name: mapped(name, *pairs[name], _codes(*pairs[name], matched.mappings[name])) for name in unread}


def _paired(original: Table, release: Table, known: Mapping[str, Relation], policy: Policy) -> Ints | None:
    """The original record of each released one by identifiers or order, where what is known does not speak against."""
    true = by_identifier(original, release, policy.identifier)
    if true is None and policy.rows == "same order" and original.rows == release.rows:
        true = np.arange(release.rows)
    return None if true is None or misfits_of(known, true, "") else true


def _images(before: Column, after: Column, true: Ints) -> Ints | None:
    """The released code of each original value; None where a value became two things, or nothing that is released."""
    images = np.full(len(before.labels), -1, dtype=np.int64)
    images[before.codes[true]] = after.codes
    return images if (images >= 0).all() and (images[before.codes[true]] == after.codes).all() else None


def _codes(before: Column, after: Column, mapping: Mapping[Label, Label]) -> Ints:
    return Column.coded((mapping[label] for label in before.labels), after.labels)


def mapped(name: str, before: Column, after: Column, images: Ints) -> Relation:
    """The relation of a function, from the released code of each original value."""
    codes = np.argsort(images, kind="stable")
    sizes = np.bincount(images, minlength=len(after.labels))
    return Relation(name, before, after, starts_of(sizes), codes, inferred=True)
