"""Sets of small numbers as one integer.

Bit k stands for the number k, and &, |, ^ are the set operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Bits = int
"""A set of numbers from 0."""


def bits(numbers: Iterable[int]) -> Bits:
    """The set of these numbers."""
    wanted = list(numbers)
    # Bytes and not shifts of an integer, each of which would copy the whole set.
    table = bytearray(max(wanted, default=0) // 8 + 1)
    for number in wanted:
        table[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(table, "little")


def members(numbers: Bits) -> Iterator[int]:
    """The numbers of a set, rising: linear in the length of the mask."""
    size = (numbers.bit_length() + 7) // 8
    table = numbers.to_bytes(size, "little")
    for place, byte in enumerate(table):
        while byte:
            # The lowest bit that is left.
            low = byte & -byte
            yield 8 * place + low.bit_length() - 1
            byte ^= low


def first(numbers: Bits) -> int:
    """The least number of a set that is not empty."""
    lowest = numbers & -numbers
    return lowest.bit_length() - 1


def below(many: int) -> Bits:
    """All numbers below ``many``."""
    return (1 << many) - 1


def within(inner: Bits, outer: Bits) -> bool:
    """Whether every number of ``inner`` is in ``outer``."""
    return inner & ~outer == 0
