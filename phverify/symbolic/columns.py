"""Truth as a column: one Boolean for each of many things, such as the cells of a
release.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from phverify.exact import Bools
from phverify.spec import syntax as s
from phverify.spec.fold import Carrier
from phverify.spec.signature import Signature
from phverify.spec.source import Label

Seen = TypeVar("Seen")


def matching(
    descriptor: s.Descriptor, signature: Signature, labels: Sequence[Label]
) -> Bools:
    """For each label, whether a descriptor is true of it."""
    wanted = signature.attributes[descriptor.attribute].matches(
        descriptor.op, s.texts(descriptor)
    )
    return np.array([label in wanted for label in labels], dtype=bool)


class TruthColumns(Carrier[Bools, Seen]):
    """Connectives elementwise; what is looked at has a length."""

    @abstractmethod
    def length(self, seen: Seen) -> int:
        """How many things are looked at."""

    def constant(self, value: bool, seen: Seen) -> Bools:
        """The same truth everywhere."""
        return np.full(self.length(seen), value)

    def negation(self, truth: Bools, seen: Seen) -> Bools:
        """True where it is not."""
        return ~truth

    def conjunction(self, truths: Iterator[Bools], seen: Seen) -> Bools:
        """True where all are."""
        result = self.constant(True, seen)
        for truth in truths:
            result &= truth
        return result

    def disjunction(self, truths: Iterator[Bools], seen: Seen) -> Bools:
        """True where one of them is."""
        result = self.constant(False, seen)
        for truth in truths:
            result |= truth
        return result

    def same(self, left: Bools, right: Bools, seen: Seen) -> Bools:
        """True where both or none is."""
        return ~(left ^ right)
