"""All machine code of a search, made before its clock starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phverify.budget import Deadline
from phverify.machine.kept_code import kept
from phverify.recoding.closing import closed_release
from phverify.recoding.coarse import passes
from phverify.recoding.demands import ClassDemands
from phverify.recoding.first import first_release
from phverify.recoding.grid import UNIT, GridLayer, TupleGrid
from phverify.recoding.neighbourhoods import improve, started
from phverify.recoding.prices import bounds
from phverify.recoding.task import ReleaseTask
from phverify.recoding.walker import Distinct

STEPS = 50


def preparing() -> str:
    """What the first search on a machine does first, in words."""
    if any(kept(Path(__file__).parent).glob("*.nbi")):
        return "preparing"
    return "compiling the search, once on this machine (half a minute)"


def warm_up() -> None:
    """A search for nothing: what it needs is compiled, or read from the disk."""
    grid = _toy()
    histograms = np.eye(grid.tuples, dtype=np.int64)
    for withheld, disjoint in ((0, False), (2, True)):
        demands = ClassDemands(2, histograms)
        # Only searches for few cells of * ask this.
        passes(demands.tests, 1, histograms[0])
        task = ReleaseTask(grid, demands, withheld, None, disjoint)
        release = first_release(task)
        if release is not None:
            improve(task, started(task, release), count=STEPS)
        if disjoint:
            # Only releases that no cut finds are closed.
            alone = np.arange(grid.tuples, dtype=np.int64)
            closed_release(task, alone)
    for _ in bounds(grid, 2, Deadline(5.0), [Distinct(2, histograms)], 2):
        pass


def _toy() -> TupleGrid:
    """Six tuples of two attributes in ranges."""
    values = np.arange(3)
    price = np.abs(values[:, None] - values[None, :]) / 4
    alone = GridLayer(values.astype(np.int32), np.zeros(3, dtype=np.int64))
    whole = GridLayer(np.zeros(3, dtype=np.int32), np.full(1, UNIT // 2))
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [2, 0], [2, 2]], dtype=np.int32)
    counts = np.ones(len(codes), dtype=np.int64)
    layers = (alone, whole)
    return TupleGrid(codes, counts, (price, price), (layers, layers), len(codes))
