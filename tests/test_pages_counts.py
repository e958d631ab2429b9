"""Public pages do not tell how many different values a column has: one more may be one
person's.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest
from support.pages import check_page, said

import phverify as ph
from phverify.report.search_space import LEFT_OUT


def table(rare: int) -> pd.DataFrame:
    """Of 240 people so many are 91, 92, .., each alone."""
    ages = [str(20 + number % 12) for number in range(240 - rare)]
    ages += [str(91 + number) for number in range(rare)]
    return pd.DataFrame({"age": ages, "ill": ["a", "b", "c", "d"] * 60})


def policy(**more: Any) -> dict[str, Any]:
    return {
        "columns": {"quasi": ["age"], "sensitive": ["ill"]},
        "types": {"age": "integer"},
        "hierarchies": {"age": {"ranges": [[40, 80], [80]]}},
        "rules": {"r": "k_anonymity(5)"},
        **more,
    }


SEARCHES = {
    "levels": lambda frame: ph.search(frame, policy()),
    "subtrees": lambda frame: ph.search(frame, policy(), space="subtrees"),
    "tuples": lambda frame: ph.anonymize(frame, policy=policy(), budget=1),
}


@pytest.mark.parametrize("space", SEARCHES)
def test_public_pages_do_not_count_values(space: str) -> None:
    told = []
    for rare in (1, 3):
        result = SEARCHES[space](table(rare))
        assert result.cost is not None
        internal = said(result.to_html())
        assert str(12 + rare) in internal.partition("Evidence Purpose")[0].split()
        page = result.to_html(public=True)
        check_page(page)
        shown = said(page).partition("Evidence Purpose")[0]
        assert LEFT_OUT in shown
        # Behind a point stand seconds of a time axis.
        assert not re.search(rf"(?<![\d.]){12 + rare}\b", shown), shown
        told.append(shown)
    released = [one.partition("What is released")[2] for one in told]
    assert released[0] == released[1] and released[0]
