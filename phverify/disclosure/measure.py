"""How far the adversary's knowledge is from a protected fact: the oracle's second role,
after each query.

What is known of a cell is the set K of its remaining values, missing counted as one
more.  The target T is the set of values where the fact holds.  The fact is disclosed
when K lies in T, so that the distance is the least one from K to a set that discloses;
it is 0 iff the fact is disclosed, and at most 1.

 * nominal and numerval columns: sets are compared by Jaccard.  The nearest set in T is
   K and T, and the distance ``|K without T| / |K|``: for the exact value ``1 - 1/|K|``.
   That fewer than k values are left is disclosed by any k - 1 of them: ``1 - (k -
   1)/|K|``.  (This last is so for every column: what is protected there is a count.)
 * numerical columns: how far from T a value of K can be, ``|x - t| / D``, with D one
   more than the domain is wide.
 * taxoral columns: what is known of the cell is the deepest node above all of K, the
   target is the node above T, and the distance is theirs by Wu-Palmer: Viral-Infection
   to CoVid is 1/5.  A target that is not all that lies below a node has no place in the
   tree, and is compared by Jaccard.
 * A missing cell that is not in the target is at distance 1 of it, in the last two.

Of long lists only the ends are known: K is then their interval.  For a formula over
several cells K is the product of what each cell may be by itself.  Both hold more than
what is possible, which makes the distance another one, but never 0 where nothing is
disclosed; ``Distance.of`` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import prod

from phverify.disclosure.connectives import Proposition, leaves
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.facts.taxonomy import Taxonomy
from phverify.disclosure.log.query import Value
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.protected import Fact
from phverify.disclosure.result import (
    CELLS,
    DISCLOSED,
    INTERVAL,
    UNDECIDED,
    VALUES,
    Distance,
    Remaining,
)

LARGEST = 4096
"""So many combinations of values are counted."""
SETS = {"numerical": "numerval", "taxoral": "nominal"}
"""The distance by which sets of values of a column are compared, where it is another
one.
"""

Pieces = list[tuple[Value, int]]
"""Values of a cell that a formula does not tell apart: the first of them, and how many
follow each other.
"""


def measured(
    fact: Fact, verdict: str, known: Sequence[Remaining], policy: AuditPolicy
) -> Distance:
    """The distance after a step with this verdict; ``known`` says what each cell of the
    fact may be.
    """
    kind = policy.distances.get(fact.column, "") if len(fact.cells) == 1 else "nominal"
    if verdict == UNDECIDED:
        return Distance(None, kind, reason="undecided")
    first, domains = known[0], [policy.sensitive[cell.column] for cell in fact.cells]
    of = CELLS if len(known) > 1 else VALUES if first.values is not None else INTERVAL
    tight = all(one.tight for one in known)
    found: Fraction | None = None
    if verdict == DISCLOSED:
        found = Fraction(0)
    elif fact.protected.kind == "left" or (fact.counting and kind not in SETS):
        kind = SETS.get(kind, kind)
        found = 1 - Fraction(fact.wanted - 1, _size(_pieces(first, domains[0], set())))
    elif kind == "numerical":
        found = _numerical(fact, first, domains[0])
    elif kind == "taxoral":
        found = _taxoral(fact, first, domains[0], policy.taxonomies[fact.column])
    if found is None:
        kind, found = SETS.get(kind, kind), _share(fact, known, domains)
    return Distance(
        found,
        kind,
        of,
        tight,
        "" if found is not None else "too many combinations to count",
    )


def inside(fact: Fact, value: Value) -> bool:
    """Whether a value of the one cell is in the target."""
    return value == fact.value if fact.counting else fact.holds((value,))


# sets of values


def _share(
    fact: Fact, known: Sequence[Remaining], domains: Sequence[Domain]
) -> Fraction | None:
    """The share of the combinations where the formula does not hold; None for too
    many.
    """
    every = []
    for cell, one, domain in zip(fact.cells, known, domains, strict=True):
        starts = _starts(fact.formula, cell)
        if starts is None and one.values is None:
            if one.high - one.low >= LARGEST:
                return None
            starts = set(range(one.low, one.high + 1))
        every.append(_pieces(one, domain, starts or set()))
    if prod(map(len, every)) > LARGEST:
        return None
    outside = 0
    for chosen in product(*every):
        values, sizes = zip(*chosen, strict=True)
        outside += 0 if fact.holds(values) else prod(sizes)
    return Fraction(outside, prod(map(_size, every)))


def _pieces(known: Remaining, domain: Domain, starts: set[int]) -> Pieces:
    """What a cell may be, cut before each start; a missing cell is a piece of its
    own.
    """
    found: Pieces = [(None, 1)] if known.missing else []
    if known.values is not None:
        return [*((value, 1) for value in known.values), *found]
    if domain.values:
        return [
            *(
                (value, 1)
                for value in domain.values
                if known.low <= int(value) <= known.high
            ),
            *found,
        ]
    cuts = sorted(
        {
            known.low,
            *(start for start in starts if known.low < start <= known.high),
            known.high + 1,
        }
    )
    return [*((low, after - low) for low, after in pairwise(cuts)), *found]


def _size(pieces: Pieces) -> int:
    return sum(size for _, size in pieces)


def _starts(formula: Proposition | None, cell: f.FactCell) -> set[int] | None:
    """Where a range of integers of the cell begins that the formula does not tell
    apart.

    None where the cell is compared with another cell.
    """
    found: set[int] = set()
    for atom in leaves(formula):
        if isinstance(atom, f.Among) and atom.cell == cell:
            values = [value for value in atom.values if isinstance(value, int)]
            found.update(values, (value + 1 for value in values))
        if not isinstance(atom, f.CellComparison) or cell not in f.cells(atom):
            continue
        if len(f.cells(atom)) > 1:
            return None
        # factor * x operator rest: the least integer from the quotient on, and the
        # first above it
        sides = [
            (sign, s)
            for sign, s in ((1, atom.left), (-1, atom.right))
            if isinstance(s, f.LinearSide)
        ]
        factor = sum(sign * c for sign, side in sides for c, _ in side.factors)
        rest = -sum(sign * side.constant for sign, side in sides)
        if factor:
            found |= {-(-rest // factor), rest // factor + 1}
    return found


# numbers


def _numerical(fact: Fact, known: Remaining, domain: Domain) -> Fraction:
    """The greatest distance of a remaining value to the remaining part of the
    target.
    """
    starts = _starts(fact.formula, fact.cells[0]) or set()
    if fact.counting and isinstance(fact.value, int):
        starts |= {fact.value, fact.value + 1}
    target: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for value, size in _pieces(known, domain, starts):
        within = inside(fact, value)
        if value is not None:
            (target if within else others).append((int(value), int(value) + size - 1))
        elif not within:
            return Fraction(1)
    if not target:
        return Fraction(1)
    low, high = (
        (domain.values[0], domain.values[-1])
        if domain.values
        else (domain.low, domain.high)
    )
    far = max((_farthest(a, b, target) for a, b in others), default=0)
    return Fraction(far, int(high) - int(low) + 1)


def _farthest(low: int, high: int, target: Sequence[tuple[int, int]]) -> int:
    """The greatest distance of an integer of ``low..high`` to the ranges of the target,
    which are all outside.
    """
    below = max((b for _, b in target if b < low), default=None)
    above = min((a for a, _ in target if a > high), default=None)
    if below is None or above is None:
        return high - below if below is not None else (above or 0) - low
    middle = min(max((below + above) // 2, low), high)
    return min(middle - below, above - middle)


# trees


def _taxoral(
    fact: Fact, known: Remaining, domain: Domain, tree: Taxonomy
) -> Fraction | None:
    """From the node above all that remains to the node of the target; None where the
    target is no node.
    """
    target = [str(value) for value in domain.values if inside(fact, value)]
    if domain.null and inside(fact, None):
        return Fraction(1) if not target else None
    node = _above(target, tree)
    if node is None or {
        str(v) for v in domain.values if node in tree.path(str(v))
    } != set(target):
        return None
    remaining = _above(list(map(str, known.values or ())), tree)
    return (
        Fraction(1)
        if known.missing or remaining is None
        else tree.distance(remaining, node)
    )


def _above(nodes: Sequence[str], tree: Taxonomy) -> str | None:
    """The deepest node at or above all of some."""
    return reduce(tree.meet, nodes) if nodes else None
