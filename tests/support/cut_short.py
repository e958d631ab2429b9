"""Searches that are cut short, whatever the speed of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from phverify.errors import BudgetExceeded
from phverify.exact import Bools
from phverify.generalization import loop as hunt
from phverify.generalization import whole, withholding
from phverify.generalization.fitting import Fitting
from phverify.generalization.loop import LeastSearch
from phverify.generalization.priced import PricedSearch
from phverify.verbs import stricter


@contextmanager
def cut_short(candidates: int, rungs: int = stricter.RUNGS) -> Iterator[None]:
    """Each search ends after so many candidates, and few ways to withhold are tried;
    it has the help of so many stricter numbers.
    """
    tried = LeastSearch._tried

    def counted(search: LeastSearch, candidate: Bools) -> Fitting | None:
        if search.examined == candidates:
            search.examined += 1
            raise BudgetExceeded("enough candidates")
        return tried(search, candidate)

    priced = PricedSearch._tried

    def counted_priced(search: PricedSearch, candidate: Bools) -> Fitting | None:
        if search.examined == candidates:
            search.examined += 1
            raise BudgetExceeded("enough candidates")
        return priced(search, candidate)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LeastSearch, "_tried", counted)
        patched.setattr(PricedSearch, "_tried", counted_priced)
        patched.setattr(hunt, "time", SimpleNamespace(monotonic=lambda: 0.0))
        patched.setattr(withholding, "STEPS", 1)
        patched.setattr(withholding, "FEW", 0)
        patched.setattr(whole, "WAYS", 1)
        patched.setattr(stricter, "RUNGS", rungs)
        yield
