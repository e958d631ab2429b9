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


def gathered(formula: s.Formula) -> s.Formula:
    """The same formula; of a column each list of values is looked at once.

    ``f = a | f = b`` is ``f in {a, b}``, ``f != a & f != b`` is ``~ f in {a, b}``: a
    list of many values would take as many columns.
    """
    match formula:
        case s.Or(parts):
            listed, others = _by_column(parts, ("=", "in"))
            return s.disj(*listed, *others)
        case s.And(parts):
            listed, others = _by_column(parts, ("!=",))
            return s.conj(*map(s.Not, listed), *others)
    return formula


def _by_column(
    parts: Sequence[s.Formula], ops: Sequence[str]
) -> tuple[list[s.Formula], list[s.Formula]]:
    """For each column one list of the values that are compared so; all other parts."""
    values: dict[str, dict[s.Operand, None]] = {}
    others = []
    for part in parts:
        if isinstance(part, s.Descriptor) and part.op in ops:
            of_column = values.setdefault(part.attribute, {})
            of_column.update(dict.fromkeys(part.values))
        else:
            others.append(part)
    listed: list[s.Formula] = []
    for name, operands in values.items():
        listed.append(s.Descriptor(name, "in", tuple(operands)))
    return listed, others


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
