"""What the tests of reidentify pairwise have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd

from phverify.linkage.methods.answers import Reading
from phverify.linkage.methods.links import Links, Names, read_links

F = Fraction


NAMES = Names("d", 4), Names("i", 5)


def said(*lines: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        lines, columns=["record", "original", "probability"], dtype=object
    )


def links(*lines: tuple[str, str, str], **how: Any) -> Links:
    return read_links(said(*lines), *NAMES, how=Reading(**how))
