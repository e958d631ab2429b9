"""Searches that are cut short, whatever the speed of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace

import pytest

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import Bools
from phverify.generalization import loop as hunt
from phverify.generalization import whole, withholding
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import LeastSearch
from phverify.generalization.nearby import Nearby
from phverify.generalization.priced import PricedSearch
from phverify.generalization.refining import Refining
from phverify.verbs import stricter

LOOKS = 100
"""So many candidates near the best known are looked at."""


@contextmanager
def cut_short(
    candidates: int, rungs: int = stricter.RUNGS, soon: bool = True
) -> Iterator[None]:
    """Each search ends after so many candidates, and few ways to withhold are tried;
    it has the help of so many stricter numbers, and first of what is ``soon`` seen.
    """

    def counting(kind: type[LeastSearch]) -> Callable[..., Fitting | None]:
        """How a kind of search tries a candidate, until it has tried enough."""
        tried = kind._tried

        def counted(search: LeastSearch, candidate: Bools) -> Fitting | None:
            if search.examined == candidates:
                search.examined += 1
                raise BudgetExceeded("enough candidates")
            return tried(search, candidate)

        return counted

    with pytest.MonkeyPatch.context() as patched:
        for kind in (LeastSearch, PricedSearch):
            patched.setattr(kind, "_tried", counting(kind))
        patched.setattr(hunt, "time", SimpleNamespace(monotonic=lambda: 0.0))
        patched.setattr(Nearby, "looks", first_looks(Nearby.looks))
        patched.setattr(withholding, "STEPS", 1)
        patched.setattr(withholding, "FEW", 0)
        patched.setattr(whole, "WAYS", 1)
        patched.setattr(stricter, "RUNGS", rungs)
        if not soon:
            patched.setattr(LeastSearch, "look_soon", lambda search, rounds=3: None)
            patched.setattr(LeastSearch, "refine", unless_by_levels)
        yield


def unless_by_levels(search: LeastSearch, until: Deadline) -> None:
    """Betters what is known, but no level vector."""
    if not search.space.by_levels:
        Refining.refine(search, until)


def first_looks(
    looks: Callable[[Nearby], Iterator[None]],
) -> Callable[[Nearby], Iterator[None]]:
    """The same looks at what is near, and then no more."""
    return lambda nearby: islice(looks(nearby), LOOKS)
