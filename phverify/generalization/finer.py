"""The partitions of a column that are one step finer than another one."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.spec.along import Along, Levels
from phverify.spec.bitset import members
from phverify.spec.schemes import Scheme, Truth
from phverify.spec.together import Intervals, Partitions, Together

Partition = tuple[bool, ...]
"""The decisions of one column."""


def finer_steps(scheme: Scheme, truth: Truth) -> Iterator[Partition]:
    """Each partition below this one with none between them.

    A level less; a node of the cut replaced by those below it; an interval cut in two;
    a block split in two.
    """
    if isinstance(scheme, Levels):
        yield from _level_less(truth)
    elif isinstance(scheme, Along):
        yield from _nodes_opened(scheme, truth)
    elif isinstance(scheme, Intervals):
        yield from _intervals_cut(scheme, truth)
    else:
        assert isinstance(scheme, Partitions)
        yield from _blocks_split(scheme, truth)


def _level_less(truth: Truth) -> Iterator[Partition]:
    level = sum(truth)
    if level:
        # Decision d says "above level d".
        yield tuple(decision < level - 1 for decision in range(len(truth)))


def _nodes_opened(scheme: Along, truth: Truth) -> Iterator[Partition]:
    for node in sorted(set(scheme.blocks(truth))):
        if node in scheme.unknown:
            yield _without(truth, scheme.unknown[node])


def _intervals_cut(scheme: Intervals, truth: Truth) -> Iterator[Partition]:
    last = scheme.decisions - 1
    if scheme.lonely and truth[last]:
        # Everything is one block: the missing cell leaves it before it can be cut.
        yield _without(truth, last)
        return
    for decision, joined in enumerate(truth):
        if joined:
            yield _without(truth, decision)


def _without(truth: Truth, decision: int) -> Partition:
    """The same with one decision taken back."""
    return tuple(true and place != decision for place, true in enumerate(truth))


def _blocks_split(scheme: Together, truth: Truth) -> Iterator[Partition]:
    for block in sorted(set(scheme.blocks(truth))):
        inside = scheme.members(block)
        # The first value stays: each split once.
        for chosen in range(1, 1 << (len(inside) - 1)):
            part = {inside[place + 1] for place in members(chosen)}
            yield _apart(scheme, truth, part, set(inside) - part)


def _apart(scheme: Together, truth: Truth, part: set[int], rest: set[int]) -> Partition:
    """The partition with these values of a block apart from the others of it."""
    kept = []
    for pair, joined in zip(scheme.deciding, truth, strict=True):
        across = not part.isdisjoint(pair) and not rest.isdisjoint(pair)
        stays = bool(joined) and not across
        kept.append(stays)
    return tuple(kept)
