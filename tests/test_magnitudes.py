"""Absolute values of sums that are below 0 in some models and above in others: the
systems of engine and checker against all models.
"""

from __future__ import annotations

import random
from pathlib import Path

from support.certificate_cases import written
from support.certificate_more_cases import FOUR, opened
from test_certificate_more import by_models, by_systems

SEEDS = range(60)
FACTS = ("@i1 f = a", "@i2 f = a", "@i3 f = b", "i1 & f = a", "i2 & f = b", "f = a")
"""Likelihoods 0, 1/4, 1/2 or 1, by where these people are."""


def magnitude(chance: random.Random) -> str:
    """The distance of one sum from another."""
    first, second = chance.sample(FACTS, 2)
    factor = chance.choice(["", "2 ", "1/2 "])
    constant = chance.choice(["0", "1/4", "1/2", "3/4"])
    return f"abs({factor}l_a1({first}) - l_a1({second}) - {constant})"


def comparison(chance: random.Random) -> str:
    left = magnitude(chance)
    if chance.random() < 0.3:
        left += f" - {magnitude(chance)}"
    operator = chance.choice(["<=", ">=", "=", "!="])
    bound = chance.choice(["0", "1/4", "1/2", "3/4", "1", "5/4", "3/2", "2"])
    return f"{left} {operator} {bound}"


def test_systems_say_what_all_models_say_of_magnitudes(tmp_path: Path) -> None:
    said = set()
    for seed in SEEDS:
        text = comparison(random.Random(seed))
        release, file = written(tmp_path, FOUR, text)
        asked = opened(release, file.read_text(encoding="utf-8"))
        expected = by_models(*asked)
        assert by_systems(*asked) == expected, text
        said.add(expected)
    assert said == {True, False}
