"""The space of a search: a scheme for each quasi-identifier, and what candidates cost.

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
from phverify.spec.criterion.asked import subjects
from phverify.spec.criterion.registry import CRITERIA
from phverify.spec.data import Label, Paths, PlainPolicy, Refused, domain
from phverify.spec.rules import read
from phverify.spec.schemes import Clause, Scheme, Truth
from phverify.spec.source import Columns, Values
from phverify.spec.types import TEXT, ValueType

SPACES = ("levels", "subtrees", "intervals", "partitions")
WHOLE = ("discernibility", "class-size", "ambiguity")
"""Objectives that are no sum over cells (see ``whole_costs``)."""
OBJECTIVES = ("height", "precision", "loss", "entropy", *WHOLE)
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
        decisions = [scheme.decisions for scheme in self.schemes]
        return list(accumulate(decisions, initial=0))

    @cached_property
    def extras(self) -> list[int]:
        """Where each scheme's further unknowns start in a solution."""
        further = []
        for scheme in self.schemes:
            count = scheme.size - scheme.decisions
            further.append(count)
        return list(accumulate(further, initial=self.decisions))

    @property
    def decisions(self) -> int:
        """How many unknowns a candidate has."""
        return self.starts[-1]

    @property
    def size(self) -> int:
        """How many unknowns a solution has."""
        return self.extras[-1]

    def unknown(self, scheme: int, local: int) -> int:
        """The number of a scheme's unknown in the whole space."""
        decisions = self.schemes[scheme].decisions
        if local < decisions:
            return self.starts[scheme] + local
        return self.extras[scheme] + local - decisions

    def lifted(self, scheme: int, local: Clause) -> Clause:
        """A scheme's clause in the unknowns of the whole space."""
        lifted = []
        for literal in local:
            # Clauses count unknowns from 1, all else from 0.
            own_number = abs(literal) - 1
            number = self.unknown(scheme, own_number) + 1
            whole = number if literal > 0 else -number
            lifted.append(whole)
        return tuple(lifted)

    @cached_property
    def constraints(self) -> list[Clause]:
        """What holds of exactly the solutions: the constraints of all schemes."""
        return list(self.each_constraint())

    def each_constraint(self) -> Iterator[Clause]:
        """The same one by one: of many values there are many."""
        for number, scheme in enumerate(self.schemes):
            yield from (self.lifted(number, one) for one in scheme.constraints())

    def parts(self, candidate: Truth) -> Iterator[tuple[Scheme, Truth]]:
        """The candidate column by column."""
        ends = pairwise(self.starts)
        for scheme, (start, end) in zip(self.schemes, ends, strict=True):
            yield scheme, candidate[start:end]

    def solution(self, candidate: Truth) -> list[bool]:
        """The truth of all unknowns."""
        solution = list(candidate)
        for scheme, part in self.parts(candidate):
            own = scheme.solution(part)
            # The decisions of all schemes come first: they are the candidate.
            solution += own[scheme.decisions :]
        return solution

    def candidate(self, choice: Sequence[int]) -> tuple[bool, ...]:
        """A candidate from the numbers of its true unknowns.

        Raises Refused when there is none such.
        """
        # One way to write each candidate: in order, and nothing twice.
        true = set(choice)
        if not true <= set(range(self.decisions)) or list(choice) != sorted(true):
            raise Refused(
                "a candidate names unknowns that the space does not have, or not in"
                " their order"
            )
        candidate = tuple(unknown in true for unknown in range(self.decisions))
        solution = self.solution(candidate)
        if not all(meets(solution, clause) for clause in self.constraints):
            raise Refused("a candidate is none of the space")
        return candidate

    def mapping(self, candidate: Truth) -> dict[str, dict[Label, Label]]:
        """For each column the released value of every value: s_f of Definition 6."""
        mapping = {}
        for scheme, part in self.parts(candidate):
            released = zip(scheme.values, scheme.images(part), strict=True)
            mapping[scheme.name] = dict(released)
        return mapping

    @property
    def by_levels(self) -> bool:
        """Whether candidates are vectors of levels, one for each column."""
        kinds = {scheme.kind for scheme in self.schemes}
        return kinds <= {"levels"}

    # Clauses

    def cut(self, box: Box) -> Clause:
        """The candidates that do not keep a box apart from everything else."""
        literals: list[int] = []
        for number, scheme in enumerate(self.schemes):
            cut = scheme.cut(box[number])
            literals += self.lifted(number, cut)
        return tuple(literals)

    def avoided(self, box: Box) -> Clause:
        """The candidates in which a box is no class."""
        literals = set(self.cut(box))
        for number, scheme in enumerate(self.schemes):
            # The box is a class iff its blocks are: together, and apart from all else.
            inner = self.lifted(number, scheme.inner(box[number]))
            literals.update(-literal for literal in inner)
        return tuple(sorted(literals))

    def beyond(self, candidate: Truth) -> Clause:
        """Everything that is not at least as fine as a candidate."""
        literals: list[int] = []
        for number, (scheme, part) in enumerate(self.parts(candidate)):
            beyond = scheme.beyond(part)
            literals += self.lifted(number, beyond)
        return tuple(literals)

    def differs(self, candidate: Truth) -> Clause:
        """Everything but a candidate."""
        literals = []
        for number, true in enumerate(candidate, start=1):
            opposite = -number if true else number
            literals.append(opposite)
        return tuple(literals)


def meets(solution: Truth, clause: Clause) -> bool:
    """Whether one of the literals of a clause is true."""
    for literal in clause:
        wanted = literal > 0
        if solution[abs(literal) - 1] == wanted:
            return True
    return False


# What can be asked


def senseless(
    space: str, objective: str, share: Fraction, weighted: bool, all_minimal: bool
) -> Iterator[Problem]:
    """Why a question makes no sense.

    Some objectives are no sum over cells, and grow with generality only when all is
    released.
    """
    if space not in SPACES:
        hint = nearest(space, [*SPACES, "tuples"], "spaces")
        yield Problem("space", f"unknown space {space!r}", hint)
    if objective not in OBJECTIVES:
        hint = nearest(objective, OBJECTIVES, "objectives")
        yield Problem("objective", f"unknown objective {objective!r}", hint)
    if all_minimal and space != "levels":
        what = f"lists level vectors: use space levels, not {space}"
        yield Problem("all-minimal", what)
    if objective == "entropy" and space not in ("levels", "subtrees"):
        what = "entropy is offered for the spaces levels and subtrees"
        yield Problem("objective", what, "use loss in this space")
    if objective in WHOLE:
        yield from _of_classes(space, objective, share, weighted, all_minimal)


def _of_classes(
    space: str, objective: str, share: Fraction, weighted: bool, all_minimal: bool
) -> Iterator[Problem]:
    """Why an objective about whole classes makes no sense in a question."""
    if space != "levels":
        what = f"{objective} is offered for space levels"
        yield Problem("objective", what, "use loss in this space")
    if share and all_minimal:
        what = (
            f"{objective} does not grow with generality when records may be withheld:"
            " the least need not be minimal"
        )
        yield Problem("all-minimal", what, "leave one of the two out")
    if weighted:
        what = f"{objective} is about whole classes and takes no weights"
        yield Problem("weights", what)


# Which scheme a column gets


def chosen(space: str, kind: ValueType, count: int) -> str:
    """The kind of scheme of a column with so many values in a space.

    Along its hierarchy where the space has no other.
    """
    offered = {
        "levels": True,
        "intervals": kind.ordered,
        "partitions": count <= MOST_PARTED,
    }
    if offered.get(space, False):
        return space
    return "subtrees"


def scheme(
    space: str,
    policy: PlainPolicy,
    name: str,
    values: Values,
    paths: Paths | None,
    named: bool,
) -> Scheme:
    """The scheme of a column; ``named`` says that the policy speaks of it.

    Raises Refused without the order or the hierarchy that it needs.
    """
    # What a certificate does not need is not loaded: the checker stays small.
    kind = policy.types.get(name, TEXT)
    scheme_kind = chosen(space, kind, len(values))
    if scheme_kind in ("intervals", "partitions"):
        from phverify.spec.together import Intervals, Partitions

        if scheme_kind == "intervals":
            return Intervals(name, in_order(name, kind, values))
        return Partitions(name, values)

    from phverify.spec.along import Levels, Subtrees, tree

    if paths is None and kind == TEXT:
        paths = keep_or_suppress(values)
    hierarchy = tree(name, values, paths)
    if scheme_kind == "levels":
        return Levels(name, values, hierarchy)
    return Subtrees(name, values, hierarchy, named)


def keep_or_suppress(values: Values) -> Paths:
    """The hierarchy of a text column without one: a value is kept, or becomes ``*``."""
    return {value or "": (value or "", "*") for value in values}


def by_default(space: Space, hierarchies: Collection[str]) -> tuple[str, ...]:
    """The columns of a space that are kept or suppressed for want of a hierarchy."""
    return tuple(
        one.name
        for one in space.schemes
        if one.kind in ("levels", "subtrees") and one.name not in hierarchies
    )


def in_order(name: str, kind: ValueType, values: Sequence[Label]) -> Values:
    """The values lowest first, a missing one last.  Raises Refused."""
    try:
        return domain(kind, values)
    except ValueError as error:
        raise Refused(f"{name!r} has a value that is no {kind.name}: {error}") from None


def space(
    kind: str, policy: PlainPolicy, orders: Columns, hierarchies: Mapping[str, Paths]
) -> Space:
    """The space over the quasi-identifiers; ``orders`` are the values of each.

    Raises Refused where there are none, or one has no scheme.
    """
    if not policy.quasi:
        raise Refused("there is nothing to generalize")
    # What no formula speaks of may be called as one likes.
    named = described(policy)
    schemes = []
    for name in policy.quasi:
        paths = hierarchies.get(name)
        in_formulas = name in named
        schemes.append(scheme(kind, policy, name, orders[name], paths, in_formulas))
    return Space(tuple(schemes))


def formulas(policy: PlainPolicy) -> list[str]:
    """All formulas of a policy."""
    texts = [*policy.rules.values(), *policy.assumptions.values()]
    for own in policy.secrets.values():
        texts += [text for text, _ in own]
    return texts


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


def described(policy: PlainPolicy) -> set[str]:
    """The columns that some formula of the policy speaks of.

    The names of their released values matter.
    """
    columns: set[str] = set()
    for text in formulas(policy):
        columns.update(attributes(read(text)))
    return columns


# What a candidate costs


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of a solution times ``denominator``, which makes it whole.

    It is the sum of ``weights`` over the true unknowns: exact integers.
    """

    weights: tuple[int, ...]
    denominator: int

    def total(self, solution: Truth) -> int:
        """The cost times the denominator."""
        weighted = zip(self.weights, solution, strict=True)
        costs = [weight for weight, true in weighted if true]
        return sum(costs)

    def fraction(self, total: int) -> Fraction:
        """The cost of a total."""
        return Fraction(total, self.denominator)


def cost(
    space: Space,
    objective: str,
    records: Mapping[str, Mapping[Label, int]],
    weights: Mapping[str, Fraction],
    rows: int,
) -> Cost:
    """Height, precision, loss or entropy as a sum over unknowns.  Raises Refused.

    ``records`` says how many of the ``rows`` have each value.
    """
    # Height adds levels up; the others are means over columns, by weight.
    whole_weight = sum(weights.values()) or 1
    divisor = 1 if objective == "height" else whole_weight
    share = Fraction(1, rows) / divisor
    prices = [Fraction(0)] * space.size
    for number, scheme in enumerate(space.schemes):
        factor = share * weights[scheme.name]
        having = records[scheme.name]
        counts = [having[value] for value in scheme.values]
        for local, price in scheme.costs(objective, counts):
            prices[space.unknown(number, local)] += price * factor

    denominator = lcm(*{price.denominator for price in prices})
    whole = [one.numerator * (denominator // one.denominator) for one in prices]
    return Cost(tuple(whole), denominator)
