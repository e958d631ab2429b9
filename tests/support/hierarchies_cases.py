"""What the tests of hierarchies have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from phverify import Policy
from phverify.errors import Problem
from phverify.microdata.hierarchy import Hierarchy, build
from phverify.microdata.read import from_frame
from phverify.policy.bind import hierarchies
from phverify.policy.hierarchies import read_builder

WHERE = "policy.toml, hierarchies.f"


def built(spec: Mapping[str, Any], values: Sequence[str]) -> Hierarchy:
    return build(read_builder(spec, WHERE), values, WHERE)


def paths(spec: Mapping[str, Any], *values: str) -> list[str]:
    """The paths as lines, in the order of the hierarchy."""
    return [" | ".join(path) for path in built(spec, values).paths.values()]


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp")),
    min_size=1,
    max_size=6,
)


@st.composite
def widths(draw: st.DrawFn) -> list[Fraction]:
    found = [
        draw(
            st.fractions(Fraction(1, 4), 7, max_denominator=4)
            | st.integers(1, 7).map(Fraction)
        )
    ]
    for factor in draw(st.lists(st.integers(2, 4), max_size=3)):
        found.append(found[-1] * factor)
    return found


def of(
    kind: str, argument: st.SearchStrategy[Any], values: st.SearchStrategy[str]
) -> st.SearchStrategy[Any]:
    return st.tuples(
        argument.map(lambda a: {kind: a}),
        st.lists(values, min_size=1, max_size=12, unique=True),
    )


NAMES = ["zip", "age", "birth", "grade", "pay"]


SPECS: dict[str, Any] = {
    "zip": {"prefixes": [3, 2]},
    "age": {"intervals": [5, 10]},
    "birth": {"dates": ["quarter", "year"]},
    "grade": {"groups": [{"low": ["A", "B"], "high": ["C", "D"]}]},
    "pay": {"ranges": [[20]]},
}


def frame(rows: Sequence[Sequence[str | None]]) -> pd.DataFrame:
    return pd.DataFrame([list(row) for row in rows], columns=NAMES, dtype=object)


def policy(
    specs: Mapping[str, Any] = SPECS,
    types: Mapping[str, str] | None = None,
    **rules: str,
) -> Policy:
    return Policy.from_dict(
        {
            "columns": {"quasi": NAMES[:3], "sensitive": NAMES[3:]},
            "types": dict(types or {}),
            "hierarchies": dict(specs),
            "rules": rules or {"k": "k_anonymity(2)"},
        }
    )


def found(
    specs: Mapping[str, Any], rows: Sequence[Any], original: Any = None, **types: str
) -> tuple[Any, list[Problem]]:
    problems: list[Problem] = []
    before = None if original is None else from_frame(frame(original), "original.csv")
    result = hierarchies(
        policy(specs, types), from_frame(frame(rows), "release.csv"), before, problems
    )
    return result, problems
