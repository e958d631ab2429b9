"""Sets of rows as bits, and as masks."""

from __future__ import annotations

import numpy as np

from phverify.exact import Bools
from phverify.spec.semantics import Worlds


def bits(mask: Bools) -> Worlds:
    """A mask over rows as a set of worlds."""
    packed = np.packbits(mask, bitorder="little")
    as_bytes = packed.tobytes()
    return int.from_bytes(as_bytes, "little")


def mask(worlds: Worlds, rows: int) -> Bools:
    """A set of worlds as a mask over rows."""
    whole_bytes = (rows + 7) // 8
    packed = np.frombuffer(worlds.to_bytes(whole_bytes, "little"), dtype=np.uint8)
    unpacked = np.unpackbits(packed, count=rows, bitorder="little")
    return unpacked.astype(bool)
