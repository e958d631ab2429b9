"""Tuples as bits of words: which of them lie in a box is known 64 at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import inlined
from phverify.recoding.boxes import BoxTable

WORD = 64
DE_BRUIJN = 0x03F79D71B4CB0A89
"""Times a power of two below 2^64, its six highest bits tell which power it is."""


class TupleBits(NamedTuple):
    """Tuples as bits: ``below[starts[a] + rank]`` are those below the rank.

    ``places`` is the place of a bit by its six bits of ``DE_BRUIJN``'s product.
    """

    below: Ints
    starts: Ints
    places: Ints


def tuple_bits(table: BoxTable, tuples: int) -> TupleBits:
    """The first tuples below each rank of each attribute."""
    words = -(-tuples // WORD)
    starts = np.cumsum(table.widths + 1) - table.widths - 1
    below = np.zeros((int((table.widths + 1).sum()), words), dtype=np.uint64)
    for a, width in enumerate(table.widths.tolist()):
        for rank in range(width + 1):
            lower = np.zeros(words * WORD, dtype=np.uint8)
            lower[:tuples] = table.codes[:tuples, a] < rank
            packed = np.packbits(lower, bitorder="little")
            below[starts[a] + rank] = packed.view("<u8")
    places = np.zeros(WORD, dtype=np.int64)
    for place in range(WORD):
        product = (DE_BRUIJN << place) % 2**WORD
        places[product >> (WORD - 6)] = place
    return TupleBits(below, starts, places)


@inlined
def inside_word(
    table: BoxTable, bits: TupleBits, low: Ints, high: Ints, i: int, word: int
) -> np.uint64:
    """The tuples of one word that are in the box released for row i."""
    inside = ~np.uint64(0)
    for a in range(table.widths.size):
        place = table.starts[a] + low[i, a] * table.widths[a] + high[i, a]
        first = bits.starts[a] + table.reach_low[place]
        behind = bits.starts[a] + table.reach_high[place] + 1
        inside &= bits.below[behind, word] & ~bits.below[first, word]
        if inside == np.uint64(0):
            break
    return inside


@inlined
def lowest_place(bits: TupleBits, inside: np.uint64) -> int:
    """The place of the lowest bit."""
    lowest = inside & (~inside + np.uint64(1))
    return int(bits.places[(lowest * np.uint64(DE_BRUIJN)) >> np.uint64(WORD - 6)])
