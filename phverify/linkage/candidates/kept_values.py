"""Data may be coded already: a released ``<18`` is a value of the original, and the
label above its 15.

Who knows what the masking makes of each value (Definition 6) takes a value that was
kept for itself.  So a released cell is a value of the original, wherever that can be
how it came about; else it is all that its text names.  The same holds for a mark of
suppression that occurs as a value, and for the members of a set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from phverify.exact import IntsPair
from phverify.linkage.candidates.masking import MaskingRelation, starts_of
from phverify.linkage.candidates.sets import Candidates, Linkage


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
    linkage: Linkage, names: Sequence[str], certain: bool = False
) -> Linkage:
    """The same where nobody knows which records belong together.

    A value may have been kept if it occurs as often as its text is released, or more
    often, and each released record can come from somebody then, as far as ``names``
    tell: the risk is that of the attacker who knows so.  With ``certain`` only what
    cannot be otherwise is kept.
    """
    # a function keeps all records of a value: those come first
    for wholly in (True, False):
        for name, relation in linkage.relations.items():
            kept = _possibly_kept(relation, wholly, certain)
            linkage = with_kept_where_possible(linkage, name, kept, names)
    return linkage


def _possibly_kept(
    relation: MaskingRelation, wholly: bool, certain: bool
) -> Iterator[int]:
    """The released values that may have been kept by how often they occur: all their
    records, or some of them.
    """
    occurring = relation.before.occurrences()
    released = relation.after.occurrences()
    for image, own in relation.own.items():
        held = sum(occurring[code] for code in own)
        often = released[image] == held if wholly else released[image] < held
        if often and (not certain or _stays(relation, image)):
            yield image


def with_kept_where_possible(
    linkage: Linkage, name: str, kept: Iterable[int], names: Sequence[str]
) -> Linkage:
    """The linkage in which these released values of a column are values of the
    original, but for those with which some record could come from nobody.
    """
    relation = linkage.relations[name]
    tried = frozenset(kept)
    found = _replaced(linkage, narrowed(relation, tried))
    if not tried or name not in names:
        return found
    from_nobody = Candidates(found, tuple(names)).sizes == 0
    refuted = relation.after.codes[from_nobody].tolist()
    if not refuted:
        return found
    return _replaced(linkage, narrowed(relation, tried - {*refuted}))


def _replaced(linkage: Linkage, relation: MaskingRelation) -> Linkage:
    """The linkage with another relation of a column."""
    relations = dict(linkage.relations)
    relations[relation.name] = relation
    return replace(linkage, relations=relations)


def _stays(relation: MaskingRelation, image: int) -> bool:
    """Whether the values that a released text is can have become nothing else."""
    own = relation.own[image]
    places = np.isin(relation.codes, own)
    images = set(relation.images[places].tolist())
    return images == {image}


def narrowed(relation: MaskingRelation, kept: Collection[int]) -> MaskingRelation:
    """The relation in which these released values, too, are values of the original."""
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
        kept=relation.kept.union(kept),
    )
