"""Schemas: what their variables range over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb
from typing import Any

from phverify.spec.data import Data


def assignments(binders: tuple[Any, ...], data: Data) -> Iterator[dict[str, Any]]:
    """All values of schema variables."""
    names = [binder[0] for binder in binders]
    for chosen in product(*(list(ranges(binder, data)) for binder in binders)):
        yield dict(zip(names, chosen, strict=True))


def ranges(binder: tuple[Any, ...], data: Data) -> Iterator[Any]:
    """Everything that a schema variable ranges over."""
    _, sort, column, length = binder
    match sort:
        case "individuals":
            yield from (("person", k) for k in range(len(data.home)))
        case "agents":
            yield from data.agents
        case "values":
            yield from data.domains[column]
        case _:
            for size in range(1, min(length, len(data.domains[column])) + 1):
                yield from (("is", column, "in", values) for values in combinations(data.domains[column], size))


def many(binder: tuple[Any, ...], data: Data) -> int:
    """How many values a schema variable has."""
    _, sort, column, length = binder
    if sort == "clauses":
        m = len(data.domains[column])
        return sum(comb(m, size) for size in range(1, min(length, m) + 1))
    return {"individuals": len(data.home), "agents": len(data.agents)}.get(sort) or len(data.domains[column])
