"""A search space: one scheme for each quasi-identifier, and what a candidate of the space costs.

A *candidate* is the truth of all decisions, attribute after attribute, as one array of Booleans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
from typing import Any

import numpy as np

from phverify.errors import InputError, Problem
from phverify.exact import Bools, Ints
from phverify.generalization.spaces.scheme import Clause, NoLevels, Scheme
from phverify.generalization.spaces.sets import LARGEST, Intervals, Partitions
from phverify.generalization.spaces.tree import Tree, tree
from phverify.generalization.spaces.trees import Levels, Subtrees, TreeScheme
from phverify.logic.parser import parse
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Column, Label
from phverify.policy.load import formulas
from phverify.policy.model import Policy
from phverify.spec import syntax as s

SPACES = ("levels", "subtrees", "intervals", "partitions")
OBJECTIVES = ("height", "precision", "loss", "discernibility")


@dataclass(frozen=True, eq=False)
class Recoding:
    """A partition of one attribute: ``column.codes[value]`` numbers the block of a value, ``blocks`` are the blocks."""

    column: Column
    blocks: Ints


@dataclass(frozen=True, eq=False)
class Space:
    """The product of the attributes' schemes."""

    name: str
    schemes: tuple[Scheme, ...]
    _memo: dict[tuple[int, bytes], Recoding] = field(default_factory=dict)
    _cuts: dict[tuple[int, int], Clause] = field(default_factory=dict)

    @cached_property
    def offsets(self) -> list[int]:
        """Where each scheme's decisions start in a candidate."""
        return list(accumulate((scheme.decisions for scheme in self.schemes), initial=0))

    @cached_property
    def extras(self) -> list[int]:
        """Where each scheme's further unknowns start in a solution."""
        counts = (scheme.size - scheme.decisions for scheme in self.schemes)
        return list(accumulate(counts, initial=self.offsets[-1]))

    @property
    def decisions(self) -> int:
        return self.offsets[-1]

    @property
    def size(self) -> int:
        """How many unknowns a solution has."""
        return self.extras[-1]

    def unknown(self, scheme: int, local: int) -> int:
        """The number of a scheme's unknown in the whole space."""
        decisions = self.schemes[scheme].decisions
        return self.offsets[scheme] + local if local < decisions else self.extras[scheme] + local - decisions

    def clause(self, scheme: int, local: Clause) -> Clause:
        """A scheme's clause in the unknowns of the whole space."""
        return tuple((1 if u > 0 else -1) * (self.unknown(scheme, abs(u) - 1) + 1) for u in local)

    def constraints(self) -> list[Clause]:
        return [self.clause(k, clause) for k, scheme in enumerate(self.schemes) for clause in scheme.constraints()]

    def parts(self, candidate: Bools) -> list[Bools]:
        """The candidate attribute by attribute."""
        return [candidate[a:b] for a, b in zip(self.offsets, self.offsets[1:], strict=False)]

    def top(self) -> Bools:
        return np.concatenate([scheme.top() for scheme in self.schemes])

    def bottom(self) -> Bools:
        return np.zeros(self.decisions, dtype=bool)

    def raised(self, candidate: Bools, unknown: int) -> Bools:
        """The finest coarser candidate with the unknown true."""
        k = int(np.searchsorted(self.offsets, unknown, side="right")) - 1
        parts = self.parts(candidate)
        parts[k] = self.schemes[k].raised(parts[k], unknown - self.offsets[k])
        return np.concatenate(parts)

    def beyond(self, candidate: Bools) -> Clause:
        """Everything that is not at least as fine as the candidate."""
        found = []
        for k, (scheme, part) in enumerate(zip(self.schemes, self.parts(candidate), strict=True)):
            found += [self.offsets[k] + u + 1 for u in scheme.beyond(part)]
        return tuple(found)

    def cut(self, box: Sequence[int]) -> Clause:
        """The candidates that do not keep the box (a block for each attribute) apart from everything else."""
        found: list[int] = []
        for k, block in enumerate(box):
            if (k, block) not in self._cuts:
                self._cuts[k, block] = self.clause(k, self.schemes[k].cut(block))
            found += self._cuts[k, block]
        return tuple(found)

    def avoided(self, box: Sequence[int]) -> Clause:
        """The candidates in which the box is no class."""
        parts = (self.clause(k, s.avoided(block)) for k, (s, block) in enumerate(zip(self.schemes, box, strict=True)))
        return tuple(sorted({u for part in parts for u in part}))

    def differs(self, candidate: Bools) -> Clause:
        """All candidates but this one."""
        return tuple(-(u + 1) if true else u + 1 for u, true in enumerate(candidate.tolist()))

    def solution(self, candidate: Bools) -> Bools:
        """All unknowns of a candidate, those that serve the cost alone too."""
        parts = zip(self.schemes, self.parts(candidate), strict=True)
        extra = [scheme.extended(part)[scheme.decisions :] for scheme, part in parts]
        return np.concatenate([candidate, *extra])

    def total(self, candidate: Bools, cost: Cost) -> int:
        """The cost of a candidate in units of 1 / denominator."""
        return sum(w for w, true in zip(cost.weights, self.solution(candidate).tolist(), strict=True) if true)

    def recoding(self, candidate: Bools) -> list[Recoding]:
        return [self._recoding(k, part) for k, part in enumerate(self.parts(candidate))]

    def _recoding(self, k: int, part: Bools) -> Recoding:
        key = k, part.tobytes()
        if key not in self._memo:
            self._memo[key] = _recoded(self.schemes[k], part)
        return self._memo[key]

    def columns(self, candidate: Bools) -> dict[str, Column]:
        """For each attribute, the image of every value."""
        return {s.name: r.column for s, r in zip(self.schemes, self.recoding(candidate), strict=True)}

    def levels(self, candidate: Bools) -> dict[str, int] | None:
        """The level of each attribute, in the space of levels."""
        pairs = zip(self.schemes, self.parts(candidate), strict=True)
        found = {s.name: s.level(part) for s, part in pairs if isinstance(s, Levels)}
        return found if len(found) == len(self.schemes) else None

    def vector(self, levels: Sequence[int]) -> Bools:
        """The candidate of a level vector."""
        return np.concatenate([s.at(n) for s, n in zip(self.schemes, levels, strict=True) if isinstance(s, Levels)])

    def mapping(self, candidate: Bools) -> dict[str, dict[Label, Label]]:
        """s_f for each attribute: the label of every value's image."""
        found = {}
        for scheme, (name, column) in zip(self.schemes, self.columns(candidate).items(), strict=True):
            found[name] = {v: column.labels[c] for v, c in zip(scheme.values, column.codes.tolist(), strict=True)}
        return found


def _recoded(scheme: Scheme, part: Bools) -> Recoding:
    blocks, codes = np.unique(scheme.blocks(part), return_inverse=True)
    labels: list[Label] = [scheme.label(block) for block in blocks.tolist()]
    while len(set(labels)) < len(labels):  # blocks that the release must tell apart
        labels = [f"{label} (group {k + 1})" if labels.count(label) > 1 else label for k, label in enumerate(labels)]
    return Recoding(Column(codes, tuple(labels)), blocks)


# Which scheme an attribute gets


def space(kind: str, policy: Policy, columns: Mapping[str, Column], hierarchies: Mapping[str, Hierarchy]) -> Space:
    """The search space of a kind over the quasi-identifiers.  Raises InputError with all problems."""
    named = described(policy)
    choose: Callable[[str], Scheme] = {
        "levels": lambda name: Levels(name, columns[name].labels, _tree(name, columns[name], hierarchies, kind)),
        "subtrees": lambda name: _subtrees(name, columns[name], hierarchies, kind, name in named),
        "intervals": lambda name: _intervals(name, policy, columns[name], hierarchies, name in named),
        "partitions": lambda name: _partitions(name, columns[name], hierarchies, name in named),
    }[kind]
    schemes: list[Scheme] = []
    problems: list[Problem] = []
    for name in policy.quasi:
        try:
            schemes.append(choose(name))
        except InputError as error:
            problems += error.problems
    if problems or not schemes:
        raise InputError(problems or [Problem(policy.source, "there are no quasi-identifiers to generalize")])
    return Space(kind, tuple(schemes))


def described(policy: Policy) -> set[str]:
    """The columns of which some formula of the policy speaks, so that the names of released values matter."""
    found: set[str] = set()
    for where, text in formulas(policy):
        for node in s.subformulas(parse(text, where)):
            match node:
                case s.Descriptor(attribute):
                    found.add(attribute)
                case s.Quantified(_, binders):
                    found |= {binder.attribute for binder in binders}
                case s.Criterion(_, args, named):
                    found |= {*args, *(text for _, text in named)}
    return found


def _subtrees(name: str, column: Column, hierarchies: Mapping[str, Hierarchy], kind: str, named: bool) -> Scheme:
    return Subtrees(name, column.labels, _tree(name, column, hierarchies, kind), named)


def _tree(name: str, column: Column, hierarchies: Mapping[str, Hierarchy], kind: str) -> Tree:
    if name not in hierarchies:
        hint = f'under [hierarchies]: {name} = "{name}.csv", or a builder such as {name} = {{masking = "right"}}'
        raise InputError(Problem(f"--space {kind}", f"the quasi-identifier {name!r} needs a hierarchy", hint))
    return tree(name, column.labels, hierarchies[name])


def _intervals(name: str, policy: Policy, column: Column, hierarchies: Mapping[str, Hierarchy], named: bool) -> Scheme:
    kind = policy.types.get(name)
    if kind is None or not kind.ordered:
        if name in hierarchies:
            return _subtrees(name, column, hierarchies, "intervals", named)
        hint = f'say {name} = "integer" (or decimal, date, a list of values) under [types], or give a hierarchy'
        raise InputError(Problem("--space intervals", f"{name!r} is text, which has no order", hint))
    try:
        keys = {label: kind.key(kind.canonical(label)) for label in column.labels if label is not None}
    except ValueError as error:
        hint = f"the policy's [types] says {kind.name}"
        raise InputError(Problem(f"column {name}", str(error), hint, True)) from None
    return Intervals(name, _in_order(keys, column))


def _in_order(keys: Mapping[str, Any], column: Column) -> tuple[Label, ...]:
    """The labels lowest first, a missing one last."""
    ordered = sorted(keys, key=lambda label: (keys[label], label))
    return (*ordered, None) if None in column.labels else tuple(ordered)


def _partitions(name: str, column: Column, hierarchies: Mapping[str, Hierarchy], named: bool) -> Scheme:
    if len(column.labels) <= LARGEST:
        return Partitions(name, column.labels)
    if name in hierarchies:
        return _subtrees(name, column, hierarchies, "partitions", named)
    what = f"{name!r} has {len(column.labels)} values: all partitions are tried up to {LARGEST}"
    raise InputError(Problem("--space partitions", what, "give it a hierarchy, or use --space intervals"))


# What a candidate costs


@dataclass(frozen=True, eq=False)
class Cost:
    """``cost * denominator`` of a solution is the sum of ``weights`` over its true unknowns: exact integers."""

    weights: tuple[int, ...]
    denominator: int

    def fraction(self, total: int) -> Fraction:
        return Fraction(total, self.denominator)


def cost(
    space: Space, objective: str, occurrences: Mapping[str, Ints], weights: Mapping[str, Fraction], rows: int
) -> Cost:
    """The linear cost of an objective: height, precision or loss.  Raises InputError.

    ``occurrences`` says how often each value of a scheme occurs among the ``rows``.
    """
    whole = sum(weights.values())
    share = Fraction(1, rows) if objective == "height" else Fraction(1, rows) / whole
    found = [Fraction(0)] * space.size
    for k, scheme in enumerate(space.schemes):
        counts = occurrences[scheme.name]
        try:
            local = scheme.costs(_measure(scheme, objective), counts)
        except NoLevels as error:
            hint = "use --objective loss"
            what = f"{objective} counts levels of a hierarchy, and {error} is generalized without one"
            raise InputError(Problem("--objective", what, hint)) from None
        for u, value in enumerate(local):
            found[space.unknown(k, u)] = value * share * weights[scheme.name]
    denominator = lcm(1, *(value.denominator for value in found))
    return Cost(tuple(int(value * denominator) for value in found), denominator)


def _measure(scheme: Scheme, objective: str) -> list[Fraction]:
    """What a cell costs at each node of the scheme's hierarchy; empty for the loss without a hierarchy."""
    if not isinstance(scheme, TreeScheme):
        return [] if objective == "loss" else [Fraction(1)]
    tree = scheme.tree
    if objective == "height":
        return [Fraction(level) for level in tree.levels]
    if objective == "precision":
        return [Fraction(level, max(tree.depth, 1)) for level in tree.levels]
    return [Fraction(leaves - 1, max(tree.domain - 1, 1)) for leaves in tree.leaves]
