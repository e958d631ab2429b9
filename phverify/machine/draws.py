"""Random numbers for compiled functions."""

from __future__ import annotations

import numpy as np

from phverify.exact import Ints
from phverify.machine.machine_code import inlined


@inlined
def draw(state: Ints) -> float:
    """A random number from 0 to 1 (splitmix64); ``state`` moves on."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) / 9007199254740992.0


@inlined
def draw_below(state: Ints, bound: int) -> int:
    """A random integer from 0 to ``bound`` - 1."""
    return int(draw(state) * bound)
