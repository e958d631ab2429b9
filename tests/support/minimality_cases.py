"""What the tests of minimality have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.classes import Asked
from phverify.spec.data import Data, Refused, policy, release_data
from phverify.spec.spaces import Space
from support.search_questions import (
    TREE,
    Case,
)

TYPES = '[types]\nf = ["a", "b", "c"]\ng = "integer"\n'


HEAD = f'[columns]\nquasi = ["q"]\nsensitive = ["f", "g"]\n{TYPES}[rules]\nr = "true"\n'


PATHS = {"f": {v: tuple(path) for v, path in TREE.items()}}


def rows_of(cells: Sequence[str]) -> Data:
    """A table with one class, whose rows have these values of f and g."""
    columns = {
        "q": ("x",) * len(cells),
        "f": tuple(c[0] for c in cells),
        "g": tuple(c[1] for c in cells),
    }
    return replace(
        release_data(policy(HEAD), columns, PATHS), known={"f": "abc", "g": "01"}
    )


def above(one: Sequence[bool], other: Sequence[bool]) -> bool:
    return all(more or not less for more, less in zip(one, other, strict=True))


def asked(
    data: Data,
    rules: dict[str, s.Formula],
    assumptions: tuple[s.Formula, ...],
    share: Fraction,
) -> Asked:
    return Asked(data.signature, data.quasi, data.criterion, rules, assumptions, share)


def truths(space: Space) -> Iterator[tuple[bool, ...]]:
    """All candidates of a space."""
    for bits in itertools.product((False, True), repeat=space.decisions):
        try:
            yield space.candidate([u for u, true in enumerate(bits) if true])
        except Refused:
            continue


def satisfies(case: Case, mapping: Mapping[str, Mapping[Any, Any]]) -> bool:
    """Whether the oracle finds that a mapping satisfies the policy."""
    return any(map(case.question.good, case.question.matching(mapping)))
