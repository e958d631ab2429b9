"""Sets of rows as bits, and as masks."""

from __future__ import annotations

import numpy as np

from phverify.exact import Bools
from phverify.spec.semantics import Worlds


def bits(mask: Bools) -> Worlds:
    """A mask over rows as a set of worlds."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def mask(worlds: Worlds, rows: int) -> Bools:
    """A set of worlds as a mask over rows."""
    data = np.frombuffer(worlds.to_bytes((rows + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(data, count=rows, bitorder="little").astype(bool)
