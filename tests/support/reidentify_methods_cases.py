"""What the tests of reidentify methods have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd

from phverify.linkage.methods.links import Links, Names, read_links

F = Fraction


D, I = Names("d", 4), Names("i", 5)


def links(
    lines: Any, *, released: Names = D, original: Names = I, **options: Any
) -> Links:
    frame = lines if isinstance(lines, pd.DataFrame) else pd.DataFrame(lines, dtype=str)
    return read_links(frame, released, original, **options)


def distribution(weights: list[int]) -> dict[int, Fraction]:
    return {k: F(w, sum(weights)) for k, w in enumerate(weights) if w}
