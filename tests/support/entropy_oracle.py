"""Non-uniform entropy by its words: what each cell of a column loses, in bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil


def entropies(
    blocks: Mapping[str | None, frozenset[str | None]], column: Sequence[str | None]
) -> Iterator[Fraction]:
    """What each cell of a column loses: the logarithm to the base 2 of the records of
    its block, less that of its own value's, each rounded up to parts of 1 / 2^20.
    """
    for value in column:
        many = sum(other in blocks[value] for other in column)
        yield bits(many) - bits(column.count(value))


def bits(count: int) -> Fraction:
    power = count.bit_length() - 1
    if count == 2**power:
        return Fraction(power)
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(count).ln() / Decimal(2).ln() * 2**20
    return Fraction(ceil(exact), 2**20)
