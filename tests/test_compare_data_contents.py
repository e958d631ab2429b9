"""What a released cell stands for is what ``CellMeaning.contains`` says, asked of every
value.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.spec.contained import CellMeaning
from phverify.spec.types import TEXT, ValueType
from phverify.utility.contents import CellContents

NUMBERS = ("1", "2", "3", "5", "8", "08", "2.0", "-1", "1/3")
DATES = ("2020-01-01", "2020-01-05", "2020-02-01")
TEXTS = ("a", "b", "a,b", "", "2-5", "low")
SIGNS = ("-", "..", " to ", "~", ", ", "=>")
PATHS = {
    "1": ("1", "low", "*"),
    "2": ("2", "low", "*"),
    "5": ("5", "5", "*"),
    "8": ("8", "high", "*"),
}
KINDS = (
    TEXT,
    ValueType("integer"),
    ValueType("decimal"),
    ValueType("date"),
    ValueType("ordered", ("a", "b", "low", "2-5")),
)
ends = st.sampled_from((*NUMBERS, *DATES, *TEXTS))


@st.composite
def labels(draw: st.DrawFn) -> str | None:
    """What a cell may be: a value, a range, a bound, a set, a node, anything."""
    low, high = draw(ends), draw(ends)
    sign = draw(st.sampled_from(SIGNS))
    written = (
        low,
        f"{low}{sign}{high}",
        f"[{low}, {high}[",
        f"]{low}; {high}]",
        f">={low}",
        f"<{low}",
        f"{low}+",
        f"{{{low}, {high}}}",
        f"{low} or {high}",
        "*",
        "low",
        "5 (level 1)",
        "high (level 1)",
        None,
    )
    return draw(st.sampled_from(written))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@so_many(150)
@given(
    st.sets(st.sampled_from((*NUMBERS, *DATES, *TEXTS, None)), min_size=1),
    st.sampled_from((NUMBERS, DATES, (*NUMBERS, *DATES, *TEXTS))),
    st.booleans(),
    st.lists(labels(), min_size=1, max_size=6),
)
def test_places_are_the_values_that_are_contained(
    kind: ValueType,
    drawn: set[str | None],
    of_a_kind: tuple[str, ...],
    along: bool,
    released: list[str | None],
) -> None:
    occurring = {one for one in drawn if one is None or one in of_a_kind}
    paths = PATHS if along else None
    listed = [*PATHS] if along else []
    values = tuple(dict.fromkeys((*listed, *sorted(occurring, key=str))))
    meaning = CellMeaning(kind, frozenset(occurring), paths)
    contents = CellContents(meaning, values)
    for label in released:
        expected = [
            place
            for place, value in enumerate(values)
            if meaning.contains(label, value)
        ]
        assert contents.places(label) == expected
