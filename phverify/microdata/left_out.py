"""The quotient of what is released, where some classes are not."""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.microdata.quotient import Quotient


def without(q: Quotient, classes: Ints) -> Quotient:
    """The quotient after these classes are left out; the other classes keep their
    order.
    """
    left = np.setdiff1d(np.arange(q.classes), classes)
    cells = np.flatnonzero(np.isin(q.class_of_cell, left))
    lengths = np.diff(q.starts)[left]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    codes = {name: column[cells] for name, column in q.codes.items()}
    rows = int(q.counts[cells].sum())
    return Quotient(
        rows,
        q.quasi,
        q.others,
        starts,
        q.counts[cells],
        codes,
        q.labels,
        q.packing,
        q.class_keys[left],
    )
