"""A policy cut into parts that a search can decide class by class, and what is left.

What a part is stands in ``phverify.spec.classes``.  What is left is *open*: it is
decided for a whole candidate at a time, by the same pipeline as ``verify``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

from phverify.budget import Deadline
from phverify.microdata.hierarchy import Hierarchies
from phverify.policy.bind import BoundPolicy
from phverify.spec import syntax as s
from phverify.spec.classes import Demands, PolicyPart
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import SAFETY, build
from phverify.spec.nominals import mentioned
from phverify.spec.spaces import attributes
from phverify.symbolic.prover import Closure, closure

WEAKER = "each released class must satisfy it"
"""How a proof begins that is about what any released table asks of its classes."""
AS_A_WHOLE = "decided for each candidate as a whole"
"""What is said of a criterion of which no released table asks anything known."""


@dataclass(frozen=True)
class ClassPart(PolicyPart):
    """A part with what is proved of it."""

    closure: Closure = field(default_factory=lambda: Closure(False, False, ""))

    @property
    def kept_by_merging(self) -> bool:
        """Whether the part holds of a single class once it holds of some classes."""
        # Classes without these people may break it: merged with them, it may be lost.
        if self.people:
            return self.closure.upward
        return self.closure.merge or self.closure.upward


@dataclass(frozen=True, eq=False)
class OpenPart:
    """A formula that is decided for whole candidates; ``again`` when its names depend
    on the candidate.
    """

    rule: str
    formula: s.Formula
    again: bool


@dataclass(frozen=True, eq=False)
class Parts:
    """``people`` are all named individuals.

    ``again`` says that assumptions speak of quasi-identifiers, and have to be read
    again for every candidate; ``secrets`` that a rule is about secrets.
    """

    classes: tuple[ClassPart, ...]
    open: tuple[OpenPart, ...]
    people: tuple[int, ...]
    assumptions: tuple[s.Formula, ...]
    again: bool
    secrets: bool


def parts(
    bound: BoundPolicy, records: int, paths: Hierarchies, deadline: Deadline
) -> Parts:
    """Cut every rule of a policy.  When ``records`` may be withheld, what looks at the
    whole table is open.
    """
    release, quasi = bound.release, bound.release.quotient.quasi
    share = Fraction(records, release.quotient.rows)

    def closed(part: PolicyPart) -> Closure:
        if part.weaker:
            return Closure(
                False,
                False,
                f"{WEAKER} within {share} of the bound",
            )
        return closure(part.source, release, deadline)

    assumed = tuple(bound.assumptions.values())
    asked = _demands(bound, share, paths)
    classes: list[ClassPart] = []
    left: list[OpenPart] = []
    for part in asked.cut():
        if isinstance(part, PolicyPart):
            classes.append(ClassPart(**vars(part), closure=closed(part)))
        else:
            left.append(
                OpenPart(part.rule, part.source, _speaks_of(quasi, part.source))
            )
    again = any(_speaks_of(quasi, formula) for formula in assumed)
    nodes = (node for rule in bound.rules for node in s.subformulas(rule.formula))
    safety = any(
        isinstance(node, s.Criterion) and node.name in SAFETY for node in nodes
    )
    return Parts(
        tuple(classes), tuple(left), tuple(asked.named), assumed, again, safety
    )


def _demands(bound: BoundPolicy, share: Fraction, paths: Hierarchies) -> Demands:
    """What the policy demands of single classes, when a share may be withheld."""
    release, quasi = bound.release, bound.release.quotient.quasi

    def criterion(node: s.Criterion) -> ClassCriterion:
        if node not in release.criteria:  # what follows from one of the policy's
            release.criteria[node] = build(node, release.signature, paths)  # type: ignore[index]
        return release.criteria[node]

    rules = {rule.name: rule.expanded for rule in bound.rules}
    assumed = tuple(bound.assumptions.values())
    return Demands(release.signature, quasi, criterion, rules, assumed, share)


def of_single_classes(bound: BoundPolicy, paths: Hierarchies) -> bool:
    """Whether withholding a class changes nothing for the others: no rule looks at the
    whole table, and nothing is assumed.
    """
    if bound.assumptions:
        return False
    least = Fraction(1, bound.release.quotient.rows)
    cut = _demands(bound, least, paths).cut()
    return all(isinstance(part, PolicyPart) and not part.weaker for part in cut)


def pseudonyms(bound: BoundPolicy) -> list[str]:
    """The rules and assumptions that name records by their number."""
    formulas = {rule.name: rule.expanded for rule in bound.rules} | dict(
        bound.assumptions
    )
    return [name for name, formula in formulas.items() if mentioned([formula])[1]]


def _speaks_of(quasi: Collection[str], formula: s.Formula) -> bool:
    """Whether a formula describes released quasi-identifier values, which depend on the
    candidate.
    """
    return any(name in quasi for name in attributes(formula))
