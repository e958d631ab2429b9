"""Random releases whose cells carry what they mean, and every figure worked out from
all pairs of records.

A released cell is made together with the probability that each original value becomes
it, so that nothing here reads notations, hierarchies or tables of a policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from phverify import Policy

ONE = Fraction(1)
Meaning = Mapping[str, Fraction]
"""For each original value, how probable it is that it becomes the cell (1 for a
deterministic masking).
"""

ZIPS = ("10", "11", "20", "21")
AGES = ("3", "5", "7", "12")
FLUS = ("flu", "cold", "cough")
TABLE = {
    "flu": {"flu": "3/4", "cold": "1/4"},
    "cold": {"cold": "1/2", "flu": "1/3", "cough": "1/6"},
}


def _all(values: Sequence[str]) -> Meaning:
    return dict.fromkeys(values, ONE)


ZIP_CELLS: dict[str, Meaning] = {
    **{value: {value: ONE} for value in ZIPS},
    "1*": _all(("10", "11")),
    "2*": _all(("20", "21")),
    "{10, 2*}": _all(("10", "20", "21")),
    "{11,20}": _all(("11", "20")),
    "*": _all(ZIPS),
}
AGE_CELLS: dict[str, Meaning] = {
    **{value: {value: ONE} for value in AGES},
    "3-5": _all(("3", "5")),
    "5 to 7": _all(("5", "7")),
    "[3, 7)": _all(("3", "5")),
    "(3, 12]": _all(("5", "7", "12")),
    "[5, 12[": _all(("5", "7")),
    ">=7": _all(("7", "12")),
    "<5": _all(("3",)),
    "7+": _all(("7", "12")),
    "*": _all(AGES),
}
ROUNDED: dict[str, Meaning] = {"0": _all(("3", "5")), "10": _all(("5", "7", "12"))}
BELOW: dict[str, Meaning] = {"0": _all(("3", "5", "7")), "10": _all(("12",))}
BOUNDED: dict[str, Meaning] = {
    str(v): _all([x for x in AGES if -2 <= v - int(x) <= 3]) for v in range(1, 16)
}
CHANCE = {-2: Fraction(1, 4), 0: Fraction(1, 3), 1: Fraction(1, 6), 4: Fraction(1, 4)}
NOISY: dict[str, Meaning] = {
    str(v): {x: CHANCE[v - int(x)] for x in AGES if v - int(x) in CHANCE}
    for v in range(1, 17)
}
SECRET: dict[str, Meaning] = {name: _all(AGES) for name in ("p1", "p2", "3")}
MASKED: dict[str, tuple[Mapping[str, Any], dict[str, Meaning]]] = {
    "said": ({}, AGE_CELLS),
    "rounded": ({"rounding": 10}, ROUNDED),
    "down": ({"rounding": 10, "direction": "down"}, BELOW),
    "bounded": ({"noise": [-2, 3]}, BOUNDED),
    "secret": ({"pseudonyms": True}, SECRET),
    "noisy": (
        {"noise": {str(added): str(chance) for added, chance in CHANCE.items()}},
        NOISY,
    ),
}
"""How ages may be masked: what a policy says of it, and what the cells mean; the last
one needs chance.
"""
RANDOM: dict[str, Meaning] = {
    "flu": {"flu": Fraction(3, 4), "cold": Fraction(1, 3)},
    "cold": {"flu": Fraction(1, 4), "cold": Fraction(1, 2)},
    "cough": {"cold": Fraction(1, 6), "cough": ONE},
}
PLAIN_FLU: dict[str, Meaning] = {value: {value: ONE} for value in FLUS}


@dataclass(frozen=True)
class Case:
    """Rows of both tables in one order, what the released cells mean, and the
    policy.
    """

    original: list[dict[str, str]]
    release: list[dict[str, str]]
    cells: Mapping[str, Mapping[str, Meaning]]
    policy: Policy

    @property
    def random(self) -> set[str]:
        return {
            name
            for name, cells in self.cells.items()
            if cells is RANDOM or cells is NOISY
        }

    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return pd.DataFrame(self.original, dtype=object), pd.DataFrame(
            self.release, dtype=object
        )

    def chance(self, attributes: Sequence[str], x: int, y: int) -> Fraction:
        """How probable it is that original x becomes released record y, as far as the
        attributes tell.
        """
        product = ONE
        for name in attributes:
            product *= self.cells[name][self.release[y][name]].get(
                self.original[x][name], Fraction(0)
            )
        return product

    def belief(self, attributes: Sequence[str], y: int) -> dict[int, Fraction]:
        """The pignistic distribution of released record y: proportional to the
        chances.
        """
        chances = {x: self.chance(attributes, x, y) for x in range(len(self.original))}
        total = sum(chances.values())
        return {x: chance / total for x, chance in chances.items() if chance}


def policy(
    masking: Mapping[str, Any],
    quasi: Sequence[str] = ("zip", "age", "flu"),
    **more: Any,
) -> Policy:
    found: dict[str, Any] = {
        "rows": "same order",
        "columns": {"quasi": list(quasi)},
        "hierarchies": (
            {"zip": {"groups": [{"1*": ["10", "11"], "2*": ["20", "21"]}]}}
            if "zip" in quasi
            else {}
        ),
        "rules": {"k": "k_anonymity(2)"},
    }
    return Policy.from_dict({**found, "masking": dict(masking), **more})


@st.composite
def cases(draw: st.DrawFn, most: int = 6, chance: bool = True) -> Case:
    """A release in the order of its original: zip has a hierarchy, age some masking,
    flu perhaps a random table.
    """
    said, age_cells = MASKED[draw(st.sampled_from([*MASKED][: None if chance else -1]))]
    table = chance and draw(st.booleans())
    masking: dict[str, Any] = {"age": said} if said else {}
    if table:
        masking["flu"] = {"table": TABLE}
    cells = {"zip": ZIP_CELLS, "age": age_cells, "flu": RANDOM if table else PLAIN_FLU}
    row = st.fixed_dictionaries(
        {
            "zip": st.sampled_from(ZIPS),
            "age": st.sampled_from(AGES),
            "flu": st.sampled_from(FLUS),
        }
    )
    original = draw(st.lists(row, min_size=1, max_size=most))
    release = [
        {
            name: draw(
                st.sampled_from(
                    [text for text, meaning in cells[name].items() if value in meaning]
                )
            )
            for name, value in person.items()
        }
        for person in original
    ]
    return Case(original, release, cells, policy(masking))


def subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(
        combinations(names, size) for size in range(len(names) + 1)
    )
