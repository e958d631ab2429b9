"""Searches whose parts have all the time they need, however slow the machine is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from phverify.budget import Deadline
from phverify.recoding.run import TwoSides
from phverify.verbs import tuples
from phverify.verbs.by_levels import released_by_levels


@contextmanager
def at_leisure(search: bool = True) -> Iterator[None]:
    """Levels have all the time they need, however slow the machine is; without a
    ``search`` by tuples what is released comes from them.
    """

    def unlimited(problem: Any, asked: Any, paths: Any, _: Any, tell: Any) -> Any:
        return released_by_levels(problem, asked, paths, Deadline(), tell)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuples, "released_by_levels", unlimited)
        if not search:
            patched.setattr(TwoSides, "run", TwoSides.tell)
        yield
