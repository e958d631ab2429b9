"""The space of a search: a scheme for each quasi-identifier, what a candidate is, and
what it costs.

A *candidate* is the truth of all decisions, column after column; a *solution* has the
unknowns that serve the cost alone behind them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import lcm

from phverify.errors import Problem, nearest
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import CRITERIA, subjects
from phverify.spec.data import Label, Paths, Policy, Refused
from phverify.spec.rules import read
from phverify.spec.schemes import Clause, Scheme, Truth
from phverify.spec.source import Columns, Values
from phverify.spec.types import TEXT, ValueType

SPACES = ("levels", "subtrees", "intervals", "partitions")
OBJECTIVES = ("height", "precision", "loss", "discernibility")
MOST_PARTED = 8
"""Of more values not all partitions are tried."""
Box = Sequence[int]
"""A block for each column: the records whose values all lie in their blocks."""


@dataclass(frozen=True, eq=False)
class Space:
    """The product of the columns' schemes."""

    schemes: tuple[Scheme, ...]

    @cached_property
    def starts(self) -> list[int]:
        """Where each scheme's decisions start in a candidate."""
        return list(
            accumulate((scheme.decisions for scheme in self.schemes), initial=0)
        )

    @cached_property
    def extras(self) -> list[int]:
        """Where each scheme's further unknowns start in a solution."""
        return list(
            accumulate(
                (s.size - s.decisions for s in self.schemes), initial=self.starts[-1]
            )
        )

    @property
    def decisions(self) -> int:
        return self.starts[-1]

    @property
    def size(self) -> int:
        """How many unknowns a solution has."""
        return self.extras[-1]

    def unknown(self, scheme: int, local: int) -> int:
        """The number of a scheme's unknown in the whole space."""
        decisions = self.schemes[scheme].decisions
        return (
            self.starts[scheme] + local
            if local < decisions
            else self.extras[scheme] + local - decisions
        )

    def lifted(self, scheme: int, local: Clause) -> Clause:
        """A scheme's clause in the unknowns of the whole space."""
        return tuple(
            (1 if u > 0 else -1) * (self.unknown(scheme, abs(u) - 1) + 1) for u in local
        )

    @cached_property
    def constraints(self) -> list[Clause]:
        return [
            self.lifted(k, clause)
            for k, scheme in enumerate(self.schemes)
            for clause in scheme.constraints()
        ]

    def parts(self, candidate: Truth) -> Iterator[tuple[Scheme, Truth]]:
        """The candidate column by column."""
        for scheme, (start, end) in zip(
            self.schemes, pairwise(self.starts), strict=True
        ):
            yield scheme, candidate[start:end]

    def solution(self, candidate: Truth) -> list[bool]:
        """The truth of all unknowns."""
        solutions = [
            scheme.solution(part)[scheme.decisions :]
            for scheme, part in self.parts(candidate)
        ]
        return [*candidate, *(true for extra in solutions for true in extra)]

    def candidate(self, choice: Sequence[int]) -> tuple[bool, ...]:
        """A candidate from the numbers of its true unknowns.  Raises Refused when there
        is none such.
        """
        true = set(choice)
        if not true <= set(range(self.decisions)) or list(choice) != sorted(true):
            raise Refused(
                "a candidate names unknowns that the space does not have, or not in"
                " their order"
            )
        found = tuple(u in true for u in range(self.decisions))
        whole = self.solution(found)
        if not all(
            any(whole[abs(u) - 1] == (u > 0) for u in clause)
            for clause in self.constraints
        ):
            raise Refused("a candidate is none of the space")
        return found

    def mapping(self, candidate: Truth) -> dict[str, dict[Label, Label]]:
        """For each column the released value of every value: s_f of Definition 6."""
        return {
            s.name: dict(zip(s.values, s.images(part), strict=True))
            for s, part in self.parts(candidate)
        }

    @property
    def by_levels(self) -> bool:
        return all(scheme.kind == "levels" for scheme in self.schemes)

    # Clauses

    def cut(self, box: Box) -> Clause:
        """The candidates that do not keep a box apart from everything else."""
        return tuple(
            u for k, s in enumerate(self.schemes) for u in self.lifted(k, s.cut(box[k]))
        )

    def avoided(self, box: Box) -> Clause:
        """The candidates in which a box is no class."""
        inner = (
            -u
            for k, s in enumerate(self.schemes)
            for u in self.lifted(k, s.inner(box[k]))
        )
        return tuple(sorted({*self.cut(box), *inner}))

    def beyond(self, candidate: Truth) -> Clause:
        """Everything that is not at least as fine as a candidate."""
        parts = enumerate(self.parts(candidate))
        return tuple(
            u
            for k, (scheme, part) in parts
            for u in self.lifted(k, scheme.beyond(part))
        )

    def differs(self, candidate: Truth) -> Clause:
        """Everything but a candidate."""
        return tuple(-u if true else u for u, true in enumerate(candidate, start=1))


# What can be asked


def senseless(
    space: str, objective: str, share: Fraction, weighted: bool, all_minimal: bool
) -> Iterator[Problem]:
    """Why a question makes no sense.

    Discernibility is no sum over cells, and grows with generality only when all is
    released.
    """
    if space not in SPACES:
        yield Problem(
            "space", f"unknown space {space!r}", nearest(space, SPACES, "spaces")
        )
    if objective not in OBJECTIVES:
        yield Problem(
            "objective",
            f"unknown objective {objective!r}",
            nearest(objective, OBJECTIVES, "objectives"),
        )
    if all_minimal and space != "levels":
        yield Problem(
            "all-minimal", f"lists level vectors: use space levels, not {space}"
        )
    if objective != "discernibility":
        return
    if space != "levels":
        yield Problem(
            "objective",
            "discernibility is offered for space levels",
            "use loss in this space",
        )
    if share:
        what = (
            "discernibility does not grow with generality when records may be withheld"
        )
        yield Problem("objective", what, "use loss, or suppress nothing")
    if weighted:
        yield Problem(
            "weights", "discernibility is about whole classes and takes no weights"
        )


# Which scheme a column gets


def chosen(space: str, kind: ValueType, count: int) -> str:
    """The scheme of a column with so many values in a space: along its hierarchy where
    the space has no other.
    """
    if space == "levels" or (space == "intervals" and kind.ordered):
        return space
    return space if space == "partitions" and count <= MOST_PARTED else "subtrees"


def scheme(
    space: str,
    policy: Policy,
    name: str,
    values: Values,
    paths: Paths | None,
    named: bool,
) -> Scheme:
    """The scheme of a column; ``named`` says that the policy speaks of it.  Raises
    Refused.
    """
    kind = policy.types.get(name, TEXT)
    found = chosen(space, kind, len(values))
    if found in ("intervals", "partitions"):
        from phverify.spec.together import Intervals, Partitions

        return (
            Intervals(name, in_order(name, kind, values))
            if found == "intervals"
            else Partitions(name, values)
        )
    from phverify.spec.along import Levels, Subtrees, tree

    if paths is None and kind == TEXT:
        paths = keep_or_suppress(values)
    over = tree(name, values, paths)
    return (
        Levels(name, values, over)
        if found == "levels"
        else Subtrees(name, values, over, named)
    )


def keep_or_suppress(values: Values) -> Paths:
    """The hierarchy of a text column without one: a value is kept, or becomes ``*``."""
    return {value or "": (value or "", "*") for value in values}


def by_default(found: Space, hierarchies: Collection[str]) -> tuple[str, ...]:
    """The columns of a space that are kept or suppressed for want of a hierarchy."""
    return tuple(
        one.name
        for one in found.schemes
        if one.kind in ("levels", "subtrees") and one.name not in hierarchies
    )


def in_order(name: str, kind: ValueType, values: Sequence[Label]) -> Values:
    """The values lowest first, a missing one last.  Raises Refused."""
    texts = [value for value in values if value is not None]
    try:
        ordered = sorted(texts, key=lambda text: (kind.key(kind.canonical(text)), text))
    except ValueError as error:
        raise Refused(f"{name!r} has a value that is no {kind.name}: {error}") from None
    return (*ordered, None) if None in values else tuple(ordered)


def space(
    kind: str, policy: Policy, orders: Columns, hierarchies: Mapping[str, Paths]
) -> Space:
    """The space over the quasi-identifiers; ``orders`` are the values of each.  Raises
    Refused.
    """
    if not policy.quasi:
        raise Refused("there is nothing to generalize")
    named = described(policy)
    schemes = (
        scheme(kind, policy, f, orders[f], hierarchies.get(f), f in named)
        for f in policy.quasi
    )
    return Space(tuple(schemes))


def formulas(policy: Policy) -> list[str]:
    """All formulas of a policy."""
    secrets = (text for own in policy.secrets.values() for text, _ in own)
    return [*policy.rules.values(), *policy.assumptions.values(), *secrets]


def attributes(formula: s.Formula) -> Iterator[str]:
    """The columns that a formula mentions."""
    for node in s.subformulas(formula):
        match node:
            case s.Descriptor(column):
                yield column
            case s.Quantified(_, binders):
                yield from (binder.attribute for binder in binders if binder.attribute)
            case s.Criterion(name) if name in CRITERIA:
                yield from subjects(node)


def described(policy: Policy) -> set[str]:
    """The columns that some formula of the policy speaks of: the names of their
    released values matter.
    """
    found: set[str] = set()
    for text in formulas(policy):
        found.update(attributes(read(text)))
    return found


# What a candidate costs


@dataclass(frozen=True, eq=False)
class Cost:
    """``cost * denominator`` of a solution is the sum of ``weights`` over its true
    unknowns: exact integers.
    """

    weights: tuple[int, ...]
    denominator: int

    def total(self, solution: Truth) -> int:
        return sum(
            weight for weight, true in zip(self.weights, solution, strict=True) if true
        )

    def fraction(self, total: int) -> Fraction:
        return Fraction(total, self.denominator)


def cost(
    found: Space,
    objective: str,
    records: Mapping[str, Mapping[Label, int]],
    weights: Mapping[str, Fraction],
    rows: int,
) -> Cost:
    """Height, precision or loss as a sum over unknowns.  Raises Refused.

    ``records`` says how many of the ``rows`` have each value.
    """
    share = Fraction(1, rows) / (
        1 if objective == "height" else sum(weights.values()) or 1
    )
    prices = [Fraction(0)] * found.size
    for k, one in enumerate(found.schemes):
        each = [records[one.name][value] for value in one.values]
        for u, price in one.costs(objective, each):
            prices[found.unknown(k, u)] += price * share * weights[one.name]
    denominator = lcm(1, *(price.denominator for price in prices))
    return Cost(tuple(int(price * denominator) for price in prices), denominator)
