"""The space of a search: a scheme for each quasi-identifier, what a candidate is, and what it costs.

A candidate is the truth of all decisions, column after column; a solution has the unknowns that serve the cost
alone behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from math import lcm

from phverify.spec import syntax as s
from phverify.spec.data import Label, Paths, Policy, Refused
from phverify.spec.rules import read
from phverify.spec.schemes import Along, Clause, Intervals, Levels, Partitions, Scheme, Subtrees, Truth, tree

SPACES = ("levels", "subtrees", "intervals", "partitions")
OBJECTIVES = ("height", "precision", "loss", "discernibility")
Box = Sequence[int]
"""A block for each column."""


@dataclass(frozen=True, eq=False)
class Space:
    """The product of the columns' schemes."""

    schemes: tuple[Scheme, ...]

    @cached_property
    def starts(self) -> list[int]:
        return list(accumulate((scheme.decisions for scheme in self.schemes), initial=0))

    @cached_property
    def extras(self) -> list[int]:
        return list(accumulate((s.size - s.decisions for s in self.schemes), initial=self.starts[-1]))

    @property
    def decisions(self) -> int:
        return self.starts[-1]

    def unknown(self, scheme: int, local: int) -> int:
        decisions = self.schemes[scheme].decisions
        return self.starts[scheme] + local if local < decisions else self.extras[scheme] + local - decisions

    def lifted(self, scheme: int, local: Clause) -> Clause:
        """A scheme's clause in the unknowns of the whole space."""
        return tuple((1 if u > 0 else -1) * (self.unknown(scheme, abs(u) - 1) + 1) for u in local)

    @cached_property
    def constraints(self) -> list[Clause]:
        return [self.lifted(k, clause) for k, scheme in enumerate(self.schemes) for clause in scheme.constraints()]

    def parts(self, candidate: Truth) -> list[Truth]:
        return [candidate[a:b] for a, b in pairwise(self.starts)]

    def candidate(self, choice: Sequence[int]) -> tuple[bool, ...]:
        """A candidate from the numbers of its true unknowns.  Raises Refused when there is none such."""
        true = set(choice)
        if not all(0 <= u < self.decisions for u in choice) or list(choice) != sorted(true):
            raise Refused("a candidate names unknowns that the space does not have, or not in their order")
        found = tuple(u in true for u in range(self.decisions))
        whole = self.solution(found)
        if not all(any(whole[abs(u) - 1] == (u > 0) for u in clause) for clause in self.constraints):
            raise Refused("a candidate is none of the space")
        return found

    def solution(self, candidate: Truth) -> list[bool]:
        """The truth of all unknowns."""
        pairs = zip(self.schemes, self.parts(candidate), strict=True)
        return [*candidate, *(true for scheme, part in pairs for true in scheme.solution(part)[scheme.decisions :])]

    def mapping(self, candidate: Truth) -> dict[str, dict[Label, Label]]:
        """For each column the released value of every value."""
        pairs = zip(self.schemes, self.parts(candidate), strict=True)
        return {s.name: dict(zip(s.values, s.images(part), strict=True)) for s, part in pairs}

    # Clauses

    def cut(self, box: Box) -> Clause:
        """The candidates that do not keep a box apart from everything else."""
        return tuple(u for k, s in enumerate(self.schemes) for u in self.lifted(k, s.cut(box[k])))

    def avoided(self, box: Box) -> Clause:
        """The candidates in which a box is no class."""
        inner = (-u for k, s in enumerate(self.schemes) for u in self.lifted(k, s.inner(box[k])))
        return tuple(sorted({*self.cut(box), *inner}))

    def beyond(self, candidate: Truth) -> Clause:
        """Everything that is not at least as fine as a candidate."""
        parts = zip(self.schemes, self.parts(candidate), strict=True)
        return tuple(u for k, (s, part) in enumerate(parts) for u in self.lifted(k, s.beyond(part)))

    def differs(self, candidate: Truth) -> Clause:
        """Everything but a candidate."""
        return tuple(-(u + 1) if true else u + 1 for u, true in enumerate(candidate))

    @property
    def by_levels(self) -> bool:
        return all(isinstance(scheme, Levels) for scheme in self.schemes)


# Which scheme a column gets


def space(
    kind: str, policy: Policy, orders: Mapping[str, tuple[Label, ...]], hierarchies: Mapping[str, Paths]
) -> Space:
    """The space over the quasi-identifiers; ``orders`` are the values of each.  Raises Refused."""
    if kind not in SPACES or not policy.quasi:
        raise Refused(f"there is no space {kind!r}")
    named = described(policy)
    return Space(tuple(_scheme(kind, name, policy, orders[name], hierarchies, name in named) for name in policy.quasi))


def _scheme(
    kind: str, name: str, policy: Policy, values: tuple[Label, ...], hierarchies: Mapping[str, Paths], named: bool
) -> Scheme:
    if kind == "levels":
        return Levels(name, values, tree(name, values, hierarchies.get(name)))
    if kind == "intervals" and name in policy.types and policy.types[name].ordered:
        if values != _in_order(policy, name, values):
            raise Refused(f"the values of {name!r} are not in their order")
        return Intervals(name, values)
    if kind == "partitions" and len(values) <= Partitions.largest:
        return Partitions(name, values)
    return Subtrees(name, values, tree(name, values, hierarchies.get(name)), named)


def _in_order(policy: Policy, name: str, values: tuple[Label, ...]) -> tuple[Label, ...]:
    kind, texts = policy.types[name], [value for value in values if value is not None]
    try:
        ordered = sorted(texts, key=lambda text: (kind.key(kind.canonical(text)), text))
    except ValueError as error:
        raise Refused(f"{name!r} has a value that is no {kind.name}: {error}") from None
    return (*ordered, None) if None in values else tuple(ordered)


def described(policy: Policy) -> set[str]:
    """The columns that some formula of the policy speaks of: the names of their released values matter."""
    secrets = (text for own in policy.secrets.values() for text, _ in own)
    found: set[str] = set()
    for text in (*policy.rules.values(), *policy.assumptions.values(), *secrets):
        for node in s.subformulas(read(text)):
            found |= set(_columns(node))
    return found


def _columns(node: s.Formula) -> Iterator[str]:
    match node:
        case s.Descriptor(column):
            yield column
        case s.Quantified(_, binders):
            yield from (binder.attribute for binder in binders)
        case s.Criterion(_, given, named):
            yield from (*given, *(text for _, text in named))


# What a candidate costs


@dataclass(frozen=True, eq=False)
class Cost:
    """``cost * denominator`` of a solution is the sum of ``weights`` over its true unknowns."""

    weights: tuple[int, ...]
    denominator: int

    def total(self, solution: Truth) -> int:
        return sum(weight for weight, true in zip(self.weights, solution, strict=True) if true)


def cost(
    found: Space, objective: str, counts: Mapping[str, Mapping[Label, int]], weights: Mapping[str, Fraction], rows: int
) -> Cost:
    """Height, precision or loss as a sum over unknowns; ``counts`` says how often a value occurs.  Raises Refused."""
    share = Fraction(1, rows) / (1 if objective == "height" else sum(weights.values()) or 1)
    prices = [Fraction(0)] * (found.extras[-1])
    for k, scheme in enumerate(found.schemes):
        many = [counts[scheme.name][value] for value in scheme.values]
        for u, price in _steps(scheme, objective, many):
            prices[found.unknown(k, u)] += price * share * weights[scheme.name]
    denominator = lcm(1, *(price.denominator for price in prices))
    return Cost(tuple(int(price * denominator) for price in prices), denominator)


def _steps(scheme: Scheme, objective: str, many: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
    """What making an unknown true costs in all records.

    Along a hierarchy, what a record loses adds up step by step; without one, (size - 1) is the number of other values
    in its block, so that a pair of values that share a block costs what the records of both lose.
    """
    price = scheme.price(objective)
    if isinstance(scheme, Along):
        for v, ladder in enumerate(scheme.ladders if isinstance(scheme, Subtrees) else scheme.tree.paths):
            for step, (low, high) in enumerate(pairwise(ladder)):
                unknown = scheme.unknown[high] if isinstance(scheme, Subtrees) else step
                yield unknown, many[v] * (price(high) - price(low))
    elif isinstance(scheme, Intervals | Partitions):
        m = len(scheme.values)
        for v, w in combinations(range(m), 2):  # a missing cell shares a block iff all values do
            yield scheme.pairs.get((v, w), m - 2), Fraction(many[v] + many[w], max(m - 1, 1))
