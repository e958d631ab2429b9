"""A rule cut into conjuncts, and what each of them looks at outside its own class.

Validity is truth at every world of every model.  So a valid ``[a] phi`` says no more
than a valid ``phi``, and a valid ``forall i: @i phi``, without ``i`` in ``phi``,
neither: somebody is at every world.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from phverify.budget import Deadline
from phverify.comparison.domains import Choice
from phverify.constraints.solver import solve
from phverify.microdata.hierarchy import Hierarchies
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import CRITERIA, alone, build
from phverify.spec.instances import variables
from phverify.spec.schemas import apart, assignments
from phverify.spec.signature import Signature
from phverify.spec.walk import is_global, propositional
from phverify.symbolic.instances import write_inner
from phverify.symbolic.lemmas import texts

QUICK = 5.0
"""Seconds for the proof of one lemma, which takes milliseconds."""
OWN, TOTALS, ALL = range(3)
"""What the truth of a conjunct depends on: the own class and those of named
individuals; also how often each kind of row and which values occur in the table; more
than that.
"""


Criteria = Mapping[s.Criterion, ClassCriterion]


@dataclass(frozen=True)
class Part:
    """A conjunct without schemas over values, clauses and agents: ``forall people:
    body``.
    """

    body: s.Formula
    people: tuple[s.Var, ...]
    reach: int


def parts(formula: s.Formula, signature: Signature) -> tuple[Part, ...]:
    """The conjuncts whose joint validity is the formula's, each once."""
    floor = TOTALS if _ranges(formula) else OWN
    found = dict.fromkeys(_cut(apart(formula), (), signature))
    return tuple(Part(body, people, max(floor, reach(body))) for body, people in found)


def _ranges(formula: s.Formula) -> bool:
    """Whether a schema ranges over the values that occur."""
    nodes = (n for n in s.subformulas(formula) if isinstance(n, s.Quantified))
    return any(b.sort in ("values", "clauses") for n in nodes for b in n.binders)


def _cut(
    formula: s.Formula, people: tuple[s.Var, ...], signature: Signature
) -> Iterator[tuple[s.Formula, tuple[s.Var, ...]]]:
    match formula:
        case s.And(conjuncts):
            for conjunct in conjuncts:
                yield from _cut(conjunct, people, signature)
        case s.Quantified(True, binders, body):
            own = tuple(b.var for b in binders if b.sort == "individuals")
            listed = tuple(b for b in binders if b.sort != "individuals")
            for chosen in assignments(listed, signature):
                yield from _cut(s.substitute(body, chosen), (*people, *own), signature)
        case s.At(s.Var() as var, body) if var in people and var.name not in variables(
            body
        ):
            yield from _cut(body, tuple(p for p in people if p != var), signature)
        case s.Box(_, body):
            yield from _cut(body, people, signature)
        case _:
            written = write_inner(formula, signature)
            used = variables(written)
            yield written, tuple(p for p in people if p.name in used)


def reach(formula: s.Formula) -> int:
    """What the truth of a formula without schemas over values depends on."""
    match formula:
        case s.Quantified():
            return ALL
        case s.Criterion(name):
            return OWN if alone(name) else TOTALS if name in CRITERIA else ALL
        case s.Diamond(agent, body) | s.Box(agent, body):
            return reach(body) if is_global(body) else _known(agent, body)
        case s.Compare(left, _, right):
            return max(
                (
                    _known(q.agent, q.body)
                    for q in (*s.likelihoods(left), *s.likelihoods(right))
                ),
                default=OWN,
            )
    return max(map(reach, s.children(formula)), default=OWN)


def _known(agent: s.Agent, body: s.Formula) -> int:
    if agent == "a1":
        return reach(body)
    return TOTALS if agent == "a0" and propositional(body) else ALL


def mergeable(part: Part, criteria: Criteria) -> bool:
    """Whether a conjunct stays true when two classes without named individuals are
    merged.

    A criterion by its lemma, which is proved; sums of l_a1 and l_a0 of descriptors
    against 0 because they add up, scaled by the rows of each class, while the totals
    stay; ``~[a1]`` and ``<a1>`` of descriptors because rows stay. A conjunct that
    speaks of named places only does not look at the classes that are merged.
    """
    if part.people or part.reach > TOTALS:
        return False
    return is_global(part.body) or additive(part.body, criteria)


def additive(body: s.Formula, criteria: Criteria) -> bool:
    """The syntactic lemma of ``mergeable``, for formulas that name no place."""
    if propositional(body):
        return True
    match body:
        case s.Criterion():
            return survives(criteria[body])
        case s.Not(s.Box("a1", inner)) | s.Diamond("a1", inner) | s.Box("a1", inner):
            return propositional(inner)
        case s.Compare(left, op, right):
            return op != "!=" and all(map(_simple, (*left.terms, *right.terms)))
    return False


@lru_cache(maxsize=256)
def survives(criterion: ClassCriterion) -> bool:
    """Whether a criterion's lemma proves that merging keeps it.

    To have a lemma is not enough: that of delta-disclosure with absent values ignored
    fails, since a class without a value dilutes one where the value is just frequent
    enough.
    """
    found = criterion.lemma()
    if found is None:
        return False
    return all(
        solve(text, Deadline(QUICK)).status == "unsat" for text in texts(found, "merge")
    )


def _simple(term: tuple[object, s.Likelihood | s.Abs]) -> bool:
    quantity = term[1]
    return (
        isinstance(quantity, s.Likelihood)
        and quantity.agent in ("a0", "a1")
        and propositional(quantity.body)
    )


def criteria(
    formulas: list[s.Formula], choice: Choice, hierarchies: Hierarchies
) -> Criteria:
    """The criteria of classes in formulas, built for a choice of values.  Raises
    Unfit.
    """
    nodes = {
        n for f in formulas for n in s.subformulas(f) if isinstance(n, s.Criterion)
    }
    return {node: build(node, choice.signature(), hierarchies) for node in nodes}
