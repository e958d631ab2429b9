"""Memory that is freed by one step and asked for by the next."""

from __future__ import annotations

import numpy as np

LARGE = 30_000_000
"""Bytes: nearly the largest block that glibc learns from."""


def keep_freed_memory() -> None:
    """Have the C library keep what is freed for what comes next.

    glibc gives memory back to the system when more lies free than twice the largest
    block that it has seen come and go, and whatever it asks for again is cleared page
    by page.  Steps that make and free arrays by the hundred spend 5% of their time so.
    This block is never touched: it comes and goes in microseconds.  Other C libraries
    do not care.
    """
    np.empty(LARGE, dtype=np.uint8)
