"""What the tests of reidentify pairwise have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd

from phverify.linkage.methods.answers import LinkReading
from phverify.linkage.methods.links import Links, read_links
from phverify.linkage.methods.record_names import RecordNames

F = Fraction


NAMES = RecordNames("d", 4), RecordNames("i", 5)


def said(*lines: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        lines, columns=["record", "original", "probability"], dtype=object
    )


def links(*lines: tuple[str, str, str], **how: Any) -> Links:
    return read_links(said(*lines), *NAMES, how=LinkReading(**how))
