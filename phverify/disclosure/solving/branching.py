"""All integer solutions of bounded linear equations, by branching; every branch that is
cut is refuted in integers.

Let A x = b for integers x in a box; y stands for 2 x - low - high, so that |y_i| <=
w_i, the width of the box.

Lemma 1.  Let A p = b, let B have rows with A B_j = 0, let D B^T be the unit matrix for
an integer D, and let B have as many rows as A has columns beyond its rank.  Then x is
an integer solution of A x = b iff x = p + z B for some integer vector z, and then z = D
(x - p).  Proof: the rows of B are independent, so that x - p, which A sends to 0, is z
B with rational z, and D (x - p) = z is integer.

Lemma 2.  Let F_k B_j = 0 for all j < k, and g = 2 F_k B_k > 0.  Then F_k y depends on
z_k and later z alone: where the later ones are chosen, it is t + g z_k.

Lemma 3.  Let P be a linear form of which P y = V is known where some z are chosen.
When V > sum |P_i| w_i, there is no solution with that choice.  When P came from P' by
adding e F_k with e > 0, there is none with a greater z_k either: P y grows with z_k
while P stays.  Likewise for e < 0 and smaller ones.

So the tree is complete: z_m is branched on first, z_1 last; at each node the values of
z_k that are looked at form an interval whose two ends were cut with the sign of Lemma
3, or are those that the box allows.  Which basis, which multiples e and which intervals
are looked at is proposed by floating-point numbers; whether a branch is cut is decided
by integers, that are shown beforehand not to overflow.  The forms are the projections
of Ritter's bound on market split problems (Aardal et al., INFORMS J. Comput. 12, 2000;
Wassermann, J. Comb. Optim. 6, 2002).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phverify.budget import Deadline
from phverify.disclosure.solving.branch_conditions import Checked
from phverify.disclosure.solving.equations import Ints
from phverify.disclosure.solving.lattice import GAIN, SCALE, Reals
from phverify.errors import Defect

NARROW, WIDE = 64, 2048
"""So many nodes are looked at together, the others wait: few on a dive, which is sooner
at the bottom.
"""
BRANCHES = 2**15
"""Fewer, where all their branches together would be more than this: a range of
thousands has as many.
"""
DEPTH = 2
"""A dive looks at nodes for so many times the height of the tree."""
SAMPLE = 200
"""So many nodes of a level tell how many there are of the next."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of one level, a row each: z from ``level`` on are chosen.

    ``values`` are of the forms below, where the other z are 0; ``form`` and ``value``
    are P and V of Lemma 3.
    """

    level: int
    values: Ints
    form: Ints
    value: Ints
    chosen: Ints

    def part(self, where: Ints | slice) -> Nodes:
        """Some of the nodes."""
        return Nodes(
            self.level,
            self.values[where],
            self.form[where],
            self.value[where],
            self.chosen[where],
        )


FIELDS = ("values", "form", "value", "chosen")


class BranchTree:
    """The search, which can be continued; ``done`` says that all solutions were handed
    out.

    A dive goes down from the top with few nodes, those that lean to where solutions are
    wanted.  In which order nodes are looked at makes no difference to what is found in
    the end.
    """

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.nodes = 0
        many = len(checked.steps)
        nothing_chosen = np.zeros((1, many), dtype=checked.least.dtype)
        values = checked.start[None, :many]
        # At the root P is the last form, which all vectors leave alone.
        value = checked.start[-1:].astype(np.int64)
        self.root = Nodes(many, values, checked.weighted[-1:], value, nothing_chosen)
        self.waiting = [self.root]

    @property
    def done(self) -> bool:
        """Whether all solutions were handed out."""
        return not self.waiting

    def dive(self, deadline: Deadline, toward: Reals | None) -> Iterator[list[Ints]]:
        """Solutions that few nodes lead to; ``toward``: how much each column is to be
        large (small, where negative).
        """
        if self.waiting:
            # The oldest nodes stand highest: a dive begins where all is open.
            oldest = self.waiting.pop(0)
            self.waiting.append(oldest)
        levels = len(self.checked.steps) + 1
        for _ in range(DEPTH * levels):
            if self.waiting and _left(deadline):
                nodes = self.next(NARROW, toward)
                yield from self.expand(nodes)

    def grow(self, deadline: Deadline) -> Iterator[list[Ints]]:
        """All solutions, one part of the tree after the other, while there is time."""
        while self.waiting and _left(deadline):
            yield from self.expand(self.next(WIDE, None))

    def guess(self) -> float:
        """About how many nodes there are, by a sample at each level (Knuth, Math. Comp.
        29, 1975).
        """
        pick = np.random.default_rng(1)
        nodes = self.root
        size = 1.0
        total = 1.0
        while nodes.level and len(nodes.value):
            nodes = nodes.part(slice(_few(self.checked, nodes)))
            below, later = children(self.checked, nodes)
            size *= len(below.value) / (len(nodes.value) - len(later.value))
            total += size
            sample = pick.permutation(len(below.value))[:SAMPLE]
            nodes = below.part(sample)
        return total

    def expand(self, nodes: Nodes) -> list[list[Ints]]:
        """The solutions that nodes are, or what is below them waits."""
        if not nodes.level:
            return [points(self.checked, nodes.chosen)]
        few = _few(self.checked, nodes)
        if few < len(nodes.value):
            self.waiting.append(nodes.part(slice(few, None)))
        below, later = children(self.checked, nodes.part(slice(few)))
        self.nodes += len(below.value)
        # The children are taken first: depth first, so that few nodes wait.
        self.waiting += [some for some in (later, below) if len(some.value)]
        return []

    def next(self, chunk: int, toward: Reals | None) -> Nodes:
        """What is looked at next: of the latest nodes no more than go together, of a
        dive those that lean most.
        """
        nodes = self.waiting.pop()
        size = len(nodes.value)
        if size <= chunk:
            return nodes
        if toward is not None:
            leaning = nodes.value - nodes.form @ toward
            order = np.argsort(leaning, kind="stable")
            nodes = nodes.part(order)
        first = slice(chunk)
        others = slice(chunk, None)
        self.waiting.append(nodes.part(others))
        return nodes.part(first)


def _left(deadline: Deadline) -> bool:
    left = deadline.left()
    if left is None:
        return True
    return left > 0


def children(tree: Checked, nodes: Nodes) -> tuple[Nodes, Nodes]:
    """The nodes one level down that are not cut, the most central first; and those of
    the nodes that are left.

    They are left where many intervals were proposed much too narrow: all together would
    take too long.
    """
    left = []
    below, open_, slack = _below(tree, nodes, 0.0)
    while len(open_):
        # Their intervals were proposed too narrow.
        slack = 2 * slack + 1.0
        few = max(1, int(BRANCHES / slack))
        left.append(nodes.part(open_[few:]))
        nodes = nodes.part(open_[:few])
        more, open_, slack = _below(tree, nodes, slack)
        below = _joined(below, more)
    return below, _joined(nodes.part(slice(0)), *left)


def _below(tree: Checked, nodes: Nodes, slack: float) -> tuple[Nodes, Ints, float]:
    """The children that are not cut of all nodes whose interval is closed; and the
    other nodes.
    """
    k = nodes.level - 1
    owner, z, first = _candidates(tree, nodes, slack)
    factor, form, value = _tried(tree, nodes, owner, z)
    # Lemma 3: no solution, and none beyond on the side of the factor's sign.
    cut = value > np.abs(form).sum(axis=1, dtype=form.dtype)
    last = np.append(first[1:], len(owner)) - 1
    cut_below = cut[first] & (factor[first] < 0)
    cut_above = cut[last] & (factor[last] > 0)
    # An end is closed where the box ends, and where Lemma 3 cuts what is beyond.
    closed = (z[first] == tree.least[k]) | cut_below
    closed &= (z[last] == tree.most[k]) | cut_above
    alive = np.flatnonzero(~cut & closed[owner])
    alive = alive[np.argsort(value[alive], kind="stable")]
    owner, z = owner[alive], z[alive]
    values = nodes.values[owner, :k]
    values += z[:, None] * tree.steps[k, :k]
    chosen = nodes.chosen[owner]
    chosen[:, k] = z
    below = Nodes(k, values, form[alive], value[alive], chosen)
    return below, np.flatnonzero(~closed), slack


def _few(tree: Checked, nodes: Nodes) -> int:
    """How many of some nodes, one at least, have no more branches than are looked at
    together.
    """
    low, high = _interval(tree, nodes, 0.0)
    branches = np.cumsum(high.astype(np.int64) - low + 1)
    few = np.searchsorted(branches, BRANCHES, side="right")
    return max(1, int(few))


def _interval(tree: Checked, nodes: Nodes, slack: float) -> tuple[Ints, Ints]:
    """The least and greatest value of z_k that are looked at for each node.  Proposed,
    not proved.
    """
    k = nodes.level - 1
    n = tree.weighted.shape[1]
    step = float(tree.steps[k, k])
    center = nodes.values[:, k] / -step
    value = nodes.value / float(GAIN * SCALE)
    room = np.maximum(0.0, n - value)
    half = np.sqrt(room / tree.proposal.norms[k]) + slack
    first = np.floor(center - half)
    last = np.ceil(center + half)

    kind = tree.least.dtype
    low = np.clip(first, tree.least[k], tree.most[k])
    high = np.clip(last, tree.least[k], tree.most[k])
    return low.astype(kind), high.astype(kind)


def _candidates(tree: Checked, nodes: Nodes, slack: float) -> tuple[Ints, Ints, Ints]:
    """Values of z_k around the center of each node, in order: which node, which value,
    and where each node's begin.
    """
    low, high = _interval(tree, nodes, slack)
    counts = high - low + 1
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    offset = low - first.astype(low.dtype)
    z = offset[owner] + np.arange(len(owner), dtype=low.dtype)
    return owner, z, first


def _tried(
    tree: Checked, nodes: Nodes, owner: Ints, z: Ints
) -> tuple[Ints, Ints, Ints]:
    """For one more z chosen: the multiple of its form that is added, the form P, and
    its value V.
    """
    k = nodes.level - 1
    value = nodes.values[owner, k] + tree.steps[k, k] * z
    limit = tree.proposal.limits[k]
    # Lemma 3 holds for every multiple: this one is likely to cut most.
    nearest = np.rint(value * tree.proposal.gains[k])
    factor = np.clip(nearest, -limit, limit).astype(z.dtype)
    form = factor[:, None] * tree.weighted[k]
    form += nodes.form[owner]
    total = nodes.value[owner] + factor.astype(np.int64) * value
    return factor, form, total


def _joined(*several: Nodes) -> Nodes:
    parts = []
    for name in FIELDS:
        arrays = [getattr(nodes, name) for nodes in several]
        joined = np.concatenate(arrays)
        parts.append(joined)
    return Nodes(several[0].level, *parts)


def points(tree: Checked, chosen: Ints) -> list[Ints]:
    """The points of the box that choices of all z are.  Raises Defect where one
    violates the equations.
    """
    given = tree.proposal.equations
    lattice = tree.proposal.lattice
    every = lattice.point + chosen.astype(np.int64) @ lattice.basis
    # The tree is over the lattice; a leaf may still be outside the box.
    inside = ((given.low <= every) & (every <= given.high)).all(axis=1)
    of_box = every[inside]
    if (of_box @ given.matrix.T != given.right).any():
        raise Defect("a point of the lattice violates the equations")
    return list(of_box)
