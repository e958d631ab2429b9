"""Truth as a column: one Boolean for each of many things, such as the cells of a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from phverify.exact import Bools
from phverify.spec.fold import Carrier

Seen = TypeVar("Seen")


class Columns(Carrier[Bools, Seen]):
    """Connectives elementwise; what is looked at has a length."""

    @abstractmethod
    def length(self, seen: Seen) -> int:
        """How many things are looked at."""

    def constant(self, value: bool, seen: Seen) -> Bools:
        return np.full(self.length(seen), value)

    def negation(self, truth: Bools, seen: Seen) -> Bools:
        return ~truth

    def conjunction(self, truths: Iterator[Bools], seen: Seen) -> Bools:
        result = self.constant(True, seen)
        for truth in truths:
            result &= truth
        return result

    def disjunction(self, truths: Iterator[Bools], seen: Seen) -> Bools:
        result = self.constant(False, seen)
        for truth in truths:
            result |= truth
        return result

    def same(self, left: Bools, right: Bools, seen: Seen) -> Bools:
        return ~(left ^ right)
