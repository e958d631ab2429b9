"""The conditions of the lemmas of ``branching``, in integers that cannot overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phverify.disclosure.solving.equations import Ints
from phverify.disclosure.solving.lattice import Lattice, Proposal, rank, small

LIMIT = 2**62
"""Sums of two numbers below it fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class Checked:
    """A proposal that was found to be right, with what the tree is computed from; all
    numbers of a tree fit.
    """

    proposal: Proposal
    steps: Ints
    """[k, j]: what z_k adds to form j (Lemma 2), zero for j > k."""
    weighted: Ints
    """Each form, entries times widths: sums of their absolute values are the bounds of
    Lemma 3.
    """
    start: Ints
    """Each form's value where all z are 0."""
    least: Ints
    most: Ints
    """What the box allows for each z."""

    @property
    def lattice(self) -> Lattice:
        """The integer solutions that the tree goes through."""
        return self.proposal.lattice


def checked(proposal: Proposal) -> Checked | None:
    """The conditions of the lemmas, in integers that cannot overflow; None where one of
    them does not hold.
    """
    given, forms = proposal.equations, proposal.forms
    if not (_fits(proposal) and _solves(proposal)):
        return None
    basis = proposal.lattice.basis
    point = proposal.lattice.point
    # Forms are of y = 2 x - low - high: a step of x counts twice.
    steps = 2 * basis @ forms.T
    if not _triangular(steps):
        return None
    start = forms @ (2 * point - given.low - given.high)
    weighted = forms * (given.high - given.low)
    tree = Checked(proposal, steps, weighted, start, *_ends(proposal))
    size = _largest(tree)
    if size >= LIMIT:
        return None
    if size >= 2**31:
        return tree
    # Smaller numbers are faster.
    parts = [tree.steps, tree.weighted, tree.start, tree.least, tree.most]
    return Checked(proposal, *(part.astype(np.int32) for part in parts))


def _fits(proposal: Proposal) -> bool:
    """Whether all is of the right shape, and products of two entries, added up over the
    columns, stay below 2^62.
    """
    given, forms, lattice = proposal.equations, proposal.forms, proposal.lattice
    many, n = lattice.basis.shape
    of_lattice = small(lattice.basis, lattice.inverse, lattice.point)
    of_equations = small(given.matrix, given.right, given.low, given.high)
    # Twice 2^28 (forms) times 2^20 (a basis), n times, is at most 2^61.
    if n > 2**12 or not (of_lattice and of_equations):
        return False
    norms = proposal.norms
    # Proposed in floating point: what is no number compares as it likes.
    if not np.isfinite(proposal.gains).all():
        return False
    if not (np.isfinite(norms) & (norms > 0)).all():
        return False
    shapes = forms.shape == (many + 1, n) and lattice.inverse.shape == (many, n)
    return shapes and small(forms, limit=2**28)


def _solves(proposal: Proposal) -> bool:
    """The conditions of Lemma 1."""
    given, lattice = proposal.equations, proposal.lattice
    many, n = lattice.basis.shape
    if (given.matrix @ lattice.point != given.right).any():
        return False
    if (given.matrix @ lattice.basis.T).any():
        return False
    unit = np.eye(many, dtype=np.int64)
    if (lattice.inverse @ lattice.basis.T != unit).any():
        return False
    # With fewer vectors than the equations leave free, solutions would be missed.
    return bool(n - rank(given.matrix) == many)


def _triangular(steps: Ints) -> bool:
    """The conditions of Lemma 2; the last form is one that all rows leave alone."""
    many = len(steps)
    square = steps[:, :many]
    last = steps[:, many]
    above = np.triu(square, 1)
    if above.any() or last.any():
        return False
    diagonal = np.diag(steps)
    positive = diagonal > 0
    return bool(positive.all())


def _ends(proposal: Proposal) -> tuple[Ints, Ints]:
    """What the box allows for each z = D (x - p)."""
    given = proposal.equations
    rows = proposal.lattice.inverse
    point = proposal.lattice.point
    low = given.low - point
    high = given.high - point
    # A positive entry of D is least at the low end of x, a negative one at the high.
    up = np.maximum(rows, 0)
    down = np.minimum(rows, 0)
    return up @ low + down @ high, up @ high + down @ low


def _largest(tree: Checked) -> int:
    """A bound of all numbers of the tree: z within its ends, multiples within their
    limits; V has 64 bits anyway.

    In Python's integers, which do not overflow.
    """
    steps = abs(tree.steps.astype(object))
    weighted = abs(tree.weighted.astype(object))
    start = abs(tree.start.astype(object))
    limits = tree.proposal.limits.astype(object)
    if len(limits) != len(steps) or (limits < 1).any():
        return LIMIT
    least = abs(tree.least.astype(object))
    most = abs(tree.most.astype(object))
    far = np.maximum(least, most)
    points = far @ abs(tree.lattice.basis).max(axis=1).astype(object)
    values = start + far @ steps
    sizes = weighted.sum(axis=1)
    value = limits @ values[:-1] + values[-1]
    form = limits @ sizes[:-1] + sizes[-1]
    if max(value, points) >= LIMIT:
        return LIMIT
    return int(max(form, steps.max(initial=0), *values, *far))
