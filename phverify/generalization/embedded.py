"""A candidate of one space as a candidate of another: the same partitions where that
has them, else coarser ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phverify.exact import Bools
from phverify.generalization.space import CodedSpace, implied
from phverify.spec.along import Along
from phverify.spec.data import Label
from phverify.spec.schemes import Scheme, Truth
from phverify.spec.together import Together


def embedded(space: CodedSpace, candidate: Bools, richer: CodedSpace) -> Bools:
    """What a candidate of ``space`` is in a richer space over the same columns."""
    parts = []
    columns = zip(
        space.schemes,
        space.each(candidate),
        richer.schemes,
        richer.implications,
        strict=True,
    )
    for scheme, part, target, implications in columns:
        blocks = scheme.blocks(part.tolist())
        by_value = dict(zip(scheme.values, blocks, strict=True))
        true = implied(implications, _joined(target, by_value))
        truth = [decision in true for decision in range(target.decisions)]
        parts.append(np.array(_least(target, truth), dtype=bool))
    return np.concatenate(parts)


def _joined(scheme: Scheme, block_of: dict[Label, int]) -> set[int]:
    """The decisions that join values of one block and no others."""
    blocks = [block_of[value] for value in scheme.values]
    if isinstance(scheme, Together):
        pairs = enumerate(scheme.deciding)
        return {unknown for unknown, (v, w) in pairs if blocks[v] == blocks[w]}
    assert isinstance(scheme, Along)
    apart = set()
    for node, unknown in scheme.unknown.items():
        values = scheme.members(node)
        # Nodes of one level share a decision: it joins the values below each of them.
        if len({blocks[value] for value in values}) > 1:
            apart.add(unknown)
    return set(scheme.unknown.values()) - apart


def _least(scheme: Scheme, truth: Truth) -> Truth:
    """The least of what makes the same partition."""
    if not isinstance(scheme, Along):
        return truth
    wanted = _partition(scheme, truth)
    current = list(truth)

    def level(node: int) -> int:
        own_level, _ = scheme.tree.places[node]
        return own_level

    # A node that joins nothing new: from above, as what is below follows from it.
    for node in sorted(scheme.unknown, key=level, reverse=True):
        tried = [*current]
        tried[scheme.unknown[node]] = False
        if _partition(scheme, tried) == wanted and _allowed(scheme, tried):
            current = tried
    return current


def _partition(scheme: Scheme, truth: Truth) -> Sequence[int]:
    """For each value the first one of its block."""
    blocks = scheme.blocks(truth)
    firsts = []
    for block in blocks:
        first = blocks.index(block)
        firsts.append(first)
    return firsts


def _allowed(scheme: Scheme, truth: Truth) -> bool:
    """Whether these decisions are a candidate."""
    solution = scheme.solution(truth)
    for clause in scheme.constraints():
        met = [solution[abs(literal) - 1] == (literal > 0) for literal in clause]
        if not any(met):
            return False
    return True
