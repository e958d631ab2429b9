"""The counts that a verdict rests on, as a certificate lists them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from phverify.spec.meaning import Meaning

MOST = 40
"""So many different counts are listed one by one; more are named by SHA-256."""


def facts(meaning: Meaning) -> list[Any]:
    """What counting looked at for one instance of a rule.

    For each criterion: how often each histogram (counts of one class, descending) occurs.  For each likelihood
    or modality: how often an agent's cell has so many rows of which so many satisfy the formula inside.
    """
    found: dict[tuple[Any, ...], dict[tuple[int, ...], int]] = {}
    for ((name, arguments), _), (counts, true) in meaning.judged.items():
        shown = f"{name}({', '.join(f'{k}={v}' for k, v in arguments)})"
        _tally(found.setdefault(("criterion", shown, true), {}), counts)
    order: dict[int, int] = {}
    for (body, agent, number), count in meaning.counted.items():
        which = order.setdefault(body, len(order))
        size = len(meaning.table.cells[agent][number])
        _tally(found.setdefault(("likelihood", which, agent), {}), (count, size))
    return [[*key, *_listed(many)] for key, many in found.items()]


def _tally(many: dict[tuple[int, ...], int], counts: tuple[int, ...]) -> None:
    many[counts] = many.get(counts, 0) + 1


def _listed(many: dict[tuple[int, ...], int]) -> list[Any]:
    listed = [[*counts, "x", times] for counts, times in sorted(many.items())]
    if len(listed) <= MOST:
        return [listed]
    return [hashlib.sha256(json.dumps(listed).encode()).hexdigest()]
