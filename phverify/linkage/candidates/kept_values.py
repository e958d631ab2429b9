"""Data may be coded already: a released ``<18`` is a value of the original, and the
label above its 15.

Who knows what the masking makes of each value (Definition 6) takes a value that was
kept for itself.  So a released cell is a value of the original, wherever that can be
how it came about; else it is all that its text names.  The same holds for a mark of
suppression that occurs as a value, and for the members of a set.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from phverify.exact import IntsPair
from phverify.linkage.candidates.masking import MaskingRelation, starts_of


def with_kept_values(relation: MaskingRelation, pairs: IntsPair) -> MaskingRelation:
    """The relation in which values that were kept are themselves.

    ``pairs`` are codes of an original and a released value that belong together: a
    value was kept where nothing else became it.
    """
    if not relation.own:
        return relation
    values, images = pairs
    width = len(relation.before.labels)
    became: dict[int, set[int]] = {}
    for pair in np.unique(images * width + values).tolist():
        image, value = divmod(pair, width)
        became.setdefault(image, set()).add(value)
    kept = []
    for image, own in relation.own.items():
        if became.get(image, set()) <= set(own):
            kept.append(image)
    return narrowed(relation, kept)


def with_possibly_kept_values(
    relation: MaskingRelation, certain: bool
) -> MaskingRelation:
    """The same where nobody knows which records belong together.

    A value may have been kept if it occurs as often as its text is released: then the
    risk is that of the attacker who knows so.  With ``certain`` only what cannot be
    otherwise is kept.
    """
    occurring = relation.before.occurrences()
    released = relation.after.occurrences()
    kept = []
    for image, own in relation.own.items():
        held = sum(occurring[code] for code in own)
        if released[image] > held:
            continue
        if certain and not _stays(relation, image):
            continue
        kept.append(image)
    return narrowed(relation, kept)


def _stays(relation: MaskingRelation, image: int) -> bool:
    """Whether the values that a released text is can have become nothing else."""
    own = relation.own[image]
    places = np.isin(relation.codes, own)
    images = set(relation.images[places].tolist())
    return images == {image}


def narrowed(relation: MaskingRelation, kept: Collection[int]) -> MaskingRelation:
    """The relation in which these released values are values of the original."""
    if not kept:
        return relation
    remains = np.ones(len(relation.codes), dtype=bool)
    for image in kept:
        pairs = relation.pairs(image)
        remains[pairs] = np.isin(relation.codes[pairs], relation.own[image])
    weights = relation.weights
    if weights is not None:
        weights = tuple(weights[pair] for pair in np.flatnonzero(remains))
    sizes = np.bincount(relation.images[remains], minlength=len(relation.after.labels))
    return replace(
        relation,
        starts=starts_of(sizes),
        codes=relation.codes[remains],
        weights=weights,
        kept=frozenset(kept),
    )
