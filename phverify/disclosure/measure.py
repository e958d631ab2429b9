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
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    CELLS,
    DISCLOSED,
    INTERVAL,
    UNDECIDED,
    UNSUPPORTED,
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
    fact: ProtectedFact, verdict: str, known: Sequence[Remaining], policy: AuditPolicy
) -> Distance:
    """The distance after a step with this verdict; ``known`` says what each cell of the
    fact may be.
    """
    kind = policy.distances.get(fact.column, "") if len(fact.cells) == 1 else "nominal"
    # A distance above 0 says that nothing is disclosed: that is open here.
    if verdict in (UNDECIDED, UNSUPPORTED):
        return Distance(None, kind, reason=verdict)
    of = _known_of(known)
    tight = all(one.tight for one in known)
    if verdict == DISCLOSED:
        return Distance(Fraction(0), kind, of, tight)
    domains = [policy.sensitive[cell.column] for cell in fact.cells]
    distance: Fraction | None = None
    if fact.protected.kind == "left" or (fact.counting and kind not in SETS):
        kind = SETS.get(kind, kind)
        values_left = _size(_pieces(known[0], domains[0], set()))
        distance = 1 - Fraction(fact.wanted - 1, values_left)
    elif kind == "numerical":
        distance = _numerical(fact, known[0], domains[0])
    elif kind == "taxoral":
        tree = policy.taxonomies[fact.column]
        distance = _taxoral(fact, known[0], domains[0], tree)
    if distance is None:
        kind = SETS.get(kind, kind)
        distance = _share(fact, known, domains)
    reason = "" if distance is not None else "too many combinations to count"
    return Distance(distance, kind, of, tight, reason)


def _known_of(known: Sequence[Remaining]) -> str:
    """What stands for the adversary's knowledge."""
    if len(known) > 1:
        return CELLS
    if known[0].values is None:
        return INTERVAL
    return VALUES


def inside(fact: ProtectedFact, value: Value) -> bool:
    """Whether a value of the one cell is in the target."""
    if fact.counting:
        # Where values are counted, the target is the true value alone.
        return value == fact.value
    return fact.holds((value,))


# sets of values


def _share(
    fact: ProtectedFact, known: Sequence[Remaining], domains: Sequence[Domain]
) -> Fraction | None:
    """The share of the combinations where the formula does not hold; None for too
    many.
    """
    pieces = []
    for cell, one, domain in zip(fact.cells, known, domains, strict=True):
        starts = _starts(fact.formula, cell)
        if starts is None and one.values is None:
            if one.high - one.low >= LARGEST:
                return None
            # Compared with another cell, each value is one for itself.
            starts = set(range(one.low, one.high + 1))
        pieces.append(_pieces(one, domain, starts or set()))
    if prod(map(len, pieces)) > LARGEST:
        return None
    outside = 0
    for combination in product(*pieces):
        values, sizes = zip(*combination, strict=True)
        if not fact.holds(values):
            outside += prod(sizes)
    return Fraction(outside, prod(map(_size, pieces)))


def _pieces(known: Remaining, domain: Domain, starts: set[int]) -> Pieces:
    """What a cell may be, cut before each start; a missing cell is a piece of its
    own.
    """
    missing: Pieces = [(None, 1)] if known.missing else []
    low, high = known.low, known.high
    if known.values is not None:
        return [*((value, 1) for value in known.values), *missing]
    if domain.values:
        within = [value for value in domain.values if low <= int(value) <= high]
        return [*((value, 1) for value in within), *missing]
    # Between two starts the formula is the same: the first value stands for all.
    inner = [start for start in starts if low < start <= high]
    cuts = sorted({low, *inner, high + 1})
    ranges: Pieces = [(start, after - start) for start, after in pairwise(cuts)]
    return [*ranges, *missing]


def _size(pieces: Pieces) -> int:
    return sum(size for _, size in pieces)


def _starts(formula: Proposition | None, cell: f.FactCell) -> set[int] | None:
    """Where a range of integers of the cell begins that the formula does not tell
    apart.

    None where the cell is compared with another cell.
    """
    starts: set[int] = set()
    for atom in leaves(formula):
        if isinstance(atom, f.Among) and atom.cell == cell:
            values = [value for value in atom.values if isinstance(value, int)]
            after = [value + 1 for value in values]
            starts.update(values, after)
        if not isinstance(atom, f.CellComparison):
            continue
        compared = f.cells(atom)
        if cell not in compared:
            continue
        if len(compared) > 1:
            return None
        starts |= _bounds(atom)
    return starts


def _bounds(atom: f.CellComparison) -> set[int]:
    """Where the truth of a comparison of one cell with a number may change.

    ``factor * x operator rest``: at the least integer from the quotient on, and at the
    first above it.
    """
    factor = rest = 0
    for sign, side in ((1, atom.left), (-1, atom.right)):
        if isinstance(side, f.LinearSide):
            factor += sign * sum(c for c, _ in side.factors)
            rest -= sign * side.constant
    if not factor:
        return set()
    # Ceiling and floor in whole numbers; the sign of the factor makes no difference.
    return {-(-rest // factor), rest // factor + 1}


# numbers


def _numerical(fact: ProtectedFact, known: Remaining, domain: Domain) -> Fraction:
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
            piece = int(value), int(value) + size - 1
            (target if within else others).append(piece)
        elif not within:
            return Fraction(1)
    if not target:
        return Fraction(1)
    low, high = domain.low, domain.high
    if domain.values:
        low = int(domain.values[0])
        high = int(domain.values[-1])
    far = max((_farthest(a, b, target) for a, b in others), default=0)
    return Fraction(far, high - low + 1)


def _farthest(low: int, high: int, target: Sequence[tuple[int, int]]) -> int:
    """The greatest distance of an integer of ``low..high`` to the ranges of the target,
    which are all outside.
    """
    below = max((end for _, end in target if end < low), default=None)
    above = min((start for start, _ in target if start > high), default=None)
    if above is None:
        return high - (below or 0)
    if below is None:
        return above - low
    # Between two parts of the target the middle is the farthest, if it is there.
    middle = min(max((below + above) // 2, low), high)
    return min(middle - below, above - middle)


# trees


def _taxoral(
    fact: ProtectedFact, known: Remaining, domain: Domain, tree: Taxonomy
) -> Fraction | None:
    """From the node above all that remains to the node of the target; None where the
    target is no node.
    """
    target = [str(value) for value in domain.values if inside(fact, value)]
    if domain.null and inside(fact, None):
        if not target:
            return Fraction(1)
        return None
    node = _above(target, tree)
    if node is None:
        return None
    values = map(str, domain.values)
    # A node says "one of these": it must be of these and of no others.
    leaves_below = {value for value in values if node in tree.path(value)}
    if leaves_below != set(target):
        return None
    left = list(map(str, known.values or ()))
    remaining = _above(left, tree)
    if known.missing or remaining is None:
        return Fraction(1)
    return tree.distance(remaining, node)


def _above(nodes: Sequence[str], tree: Taxonomy) -> str | None:
    """The deepest node at or above all of some."""
    if nodes:
        return reduce(tree.meet, nodes)
    return None
