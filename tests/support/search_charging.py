"""Random questions in which withheld records are charged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from support.search_oracle import WHOLE
from support.search_questions import NAMES, Setting, settings

WITHHELD = st.sampled_from([Fraction(1, 5), Fraction(1, 3), Fraction(1, 2)])
CHARGED = ("loss", "precision", *WHOLE)


@st.composite
def charging(draw: st.DrawFn, least: int, most: int) -> Setting:
    """Levels by an objective that charges withheld records."""
    setting = draw(settings(least, most, space="levels"))
    objective = draw(st.sampled_from(CHARGED))
    weights = {} if objective in WHOLE else setting.weights
    names = setting.names if len(setting.rows) <= len(NAMES) else ()
    share = draw(WITHHELD)
    return replace(
        setting, objective=objective, weights=weights, suppress=share, names=names
    )
