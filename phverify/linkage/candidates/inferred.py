"""What released values mean where nothing is declared: the mapping that explains the
release (Definition 6 of Hsu, Liau and Wang), found as ``verify --original`` finds it.
An attacker who sees ``03/56`` needs no declaration, either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phverify.errors import refusal
from phverify.exact import Ints
from phverify.linkage.candidates.masking import MaskingRelation, mapped, misfits
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.pairing import by_identifier
from phverify.microdata.sanitization import sanitization
from phverify.microdata.table import CodedColumn, CodedTable, Label
from phverify.policy.model import Policy


def inferred(
    original: CodedTable,
    release: CodedTable,
    policy: Policy,
    unread: Sequence[str],
    known: Mapping[str, MaskingRelation],
    hierarchies: Hierarchies,
) -> dict[str, MaskingRelation]:
    """The relations of the columns that cannot be read, when one function each explains
    them.

    The identifiers tell which records belong together, else the order of the rows where
    it is the same (as the policy says), else any order in which the columns that have
    the same values in both tables are unchanged, if only one mapping comes out of it.
    Raises InputError when there are no such functions.
    """
    true = by_identifier(original, release, policy.identifier)
    in_order = policy.rows == "same order" and original.rows == release.rows
    if true is None and in_order:
        true = np.arange(release.rows)
    if true is not None and not misfits(known, true, ""):
        mappings: dict[str, dict[Label, Label]] = {}
        for name in unread:
            before, after = original.columns[name], release.columns[name]
            mappings[name] = images_of(before, after, before.codes[true], after.codes)
        if all(mappings.values()):
            return relations_of(original, release, mappings)

    # no order is known: a column with the same values in both is taken as unchanged
    same = [
        name
        for name in known
        if set(original.columns[name].labels) == set(release.columns[name].labels)
    ]
    quasi = [*unread, *(name for name in known if name not in same)]
    matched = sanitization(original, release, quasi, same, hierarchies)
    if not matched.unique:
        raise refusal(
            release.source, "several mappings explain the release", "give [hierarchies]"
        )

    return relations_of(
        original, release, {name: matched.mappings[name] for name in unread}
    )


def images_of(
    before: CodedColumn, after: CodedColumn, values: Ints, images: Ints
) -> dict[Label, Label]:
    """What each original value became, by pairs of codes; nothing where one became two
    things, or nothing that is released.
    """
    values, images = np.unique(np.stack((values, images)), axis=1)
    became: dict[Label, Label] = {}
    for value, image in zip(values.tolist(), images.tolist(), strict=True):
        became[before.labels[value]] = after.labels[image]

    is_function = len(became) == len(values) == len(before.labels)
    return became if is_function else {}


def relations_of(
    original: CodedTable,
    release: CodedTable,
    mappings: Mapping[str, Mapping[Label, Label]],
) -> dict[str, MaskingRelation]:
    """The relation of each mapping."""
    relations: dict[str, MaskingRelation] = {}
    for name, mapping in mappings.items():
        before = original.columns[name]
        after = release.columns[name]
        relations[name] = mapped(name, before, after, mapping)
    return relations
