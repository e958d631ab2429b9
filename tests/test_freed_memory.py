"""Memory that one step frees is there for the next one, without the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

ROUNDS = """
import resource
import numpy as np
from phverify.microdata.freed import keep_freed_memory

def cleared():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        arrays = [np.ones(100_000) for _ in range(8)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
cleared()
print(cleared())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's own way")
def test_freed_memory_is_not_cleared_again() -> None:
    # A process of its own: nothing large has come and gone in it.
    told = subprocess.run(
        [sys.executable, "-c", ROUNDS], capture_output=True, text=True, check=True
    )
    # Pages that the system cleared in twenty rounds; thirty thousand if it took all.
    assert int(told.stdout) < 1000
