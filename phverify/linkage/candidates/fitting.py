"""Which originals of a block fit a released tuple."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phverify.exact import Ints
from phverify.linkage.candidates.masking import MaskingRelation


class FittingBlock:
    """The originals of a block, and which of them fit a released tuple.

    Tuples are asked for in lexicographic order: ``path`` has the released value of each
    attribute, and the places that fit all of them so far.
    """

    def __init__(self, rows: Ints, relations: Sequence[MaskingRelation]) -> None:
        self.rows = rows
        self.relations = relations
        self.codes = [relation.before.codes[rows] for relation in relations]
        self.path: list[tuple[int, Ints]] = []
        if relations:
            # the places by their values of the first attribute, and where each starts
            values = np.arange(len(relations[0].before.labels) + 1)
            self.order = np.argsort(self.codes[0], kind="stable")
            self.starts = np.searchsorted(self.codes[0][self.order], values)

    def fitting(self, images: Sequence[int]) -> Ints:
        """The places of the originals that can have become these values."""
        same = 0
        while same < len(self.path) and self.path[same][0] == images[same]:
            same += 1

        # the places that fit the common prefix are known
        del self.path[same:]
        left = np.arange(len(self.rows))
        if self.path:
            _, left = self.path[-1]
        for k in range(same, len(images)):
            image = images[k]
            left = self.among(k, image, left)
            self.path.append((image, left))

        return left

    def among(self, k: int, image: int, left: Ints) -> Ints:
        """Of the places that are left those that fit one more attribute."""
        relation = self.relations[k]
        if image in relation.anything:
            return left
        if k:
            values = self.codes[k][left]
            allowed = relation.among(image)
            fits = allowed[values]
            return left[fits]

        # nothing is left out before the first attribute
        parts = [self.order[:0]]
        for code in relation.sources(image).tolist():
            first = self.starts[code]
            after = self.starts[code + 1]
            part = self.order[first:after]
            parts.append(part)
        return np.concatenate(parts)
