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
from phverify.comparison.choice import ValueChoice
from phverify.constraints.solver import solve
from phverify.microdata.hierarchy import Hierarchies
from phverify.spec import syntax as s
from phverify.spec.criterion.asked import alone
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import CRITERIA, build
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
class RulePart:
    """A conjunct without schemas over values, clauses and agents: ``forall people:
    body``.
    """

    body: s.Formula
    people: tuple[s.Var, ...]
    reach: int


def parts(formula: s.Formula, signature: Signature) -> tuple[RulePart, ...]:
    """The conjuncts whose joint validity is the formula's, each once."""
    floor = TOTALS if _ranges(formula) else OWN
    separated = apart(formula)
    conjuncts = dict.fromkeys(_cut(separated, (), signature))
    each_once = []
    for body, people in conjuncts:
        # a schema over values depends on which of them occur
        furthest = max(floor, reach(body))
        part = RulePart(body, people, furthest)
        each_once.append(part)
    return tuple(each_once)


def _ranges(formula: s.Formula) -> bool:
    """Whether a schema ranges over the values that occur."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Quantified):
            sorts = {binder.sort for binder in node.binders}
            if sorts & {"values", "clauses"}:
                return True
    return False


def _cut(
    formula: s.Formula, people: tuple[s.Var, ...], signature: Signature
) -> Iterator[tuple[s.Formula, tuple[s.Var, ...]]]:
    """The conjuncts, each with the people whom its schemas range over."""
    match formula:
        case s.And(conjuncts):
            for conjunct in conjuncts:
                yield from _cut(conjunct, people, signature)
        case s.Quantified(True, binders, body):
            own = tuple(b.var for b in binders if b.sort == "individuals")
            listed = tuple(b for b in binders if b.sort != "individuals")
            for chosen in assignments(listed, signature):
                yield from _cut(s.substitute(body, chosen), (*people, *own), signature)
        case s.At(s.Var() as var, body) if _binds_place_only(var, body, people):
            # Somebody is at every world: the place says nothing.
            others = tuple(person for person in people if person != var)
            yield from _cut(body, others, signature)
        case s.Box(_, body):
            # What is valid is known to everybody.
            yield from _cut(body, people, signature)
        case _:
            written = write_inner(formula, signature)
            used = variables(written)
            yield written, tuple(p for p in people if p.name in used)


def _binds_place_only(var: s.Var, body: s.Formula, people: tuple[s.Var, ...]) -> bool:
    """Whether somebody a schema ranges over is the place of a body, and no more."""
    return var in people and var.name not in variables(body)


def reach(formula: s.Formula) -> int:
    """What the truth of a formula without schemas over values depends on."""
    match formula:
        case s.Quantified():
            return ALL
        case s.Criterion(name):
            if alone(formula):
                return OWN
            if name in CRITERIA:
                return TOTALS
            return ALL
        case s.Diamond(agent, body) | s.Box(agent, body):
            if is_global(body):
                return reach(body)
            return _reach_of(agent, body)
        case s.Compare(left, _, right):
            likelihoods = (*s.likelihoods(left), *s.likelihoods(right))
            reaches = [_reach_of(term.agent, term.body) for term in likelihoods]
            return max(reaches, default=OWN)
    return max(map(reach, s.children(formula)), default=OWN)


def _reach_of(agent: s.Agent, body: s.Formula) -> int:
    """The same for what an agent knows of a body."""
    if agent == "a1":
        return reach(body)
    # a0 sees the whole table: of descriptors its totals are enough.
    if agent == "a0" and propositional(body):
        return TOTALS
    return ALL


def mergeable(part: RulePart, criteria: Criteria) -> bool:
    """Whether a conjunct stays true when two classes without named individuals are
    merged.

    A criterion by its lemma, which is proved; sums of l_a1 and l_a0 of descriptors
    against 0 because they add up, scaled by the rows of each class, while the totals
    stay; ``~[a1]`` and ``<a1>`` of descriptors because rows stay. A conjunct that
    speaks of named places only does not look at the classes that are merged.
    """
    beyond_totals = part.reach > TOTALS
    if part.people or beyond_totals:
        return False
    body = part.body
    return is_global(body) or additive(body, criteria)


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
            if op == "!=":  # two sums that are not 0 may add up to it
                return False
            terms = (*left.terms, *right.terms)
            return all(map(_simple, terms))
    return False


@lru_cache(maxsize=256)
def survives(criterion: ClassCriterion) -> bool:
    """Whether a criterion's lemma proves that merging keeps it.

    To have a lemma is not enough: that of delta-disclosure with absent values ignored
    fails, since a class without a value dilutes one where the value is just frequent
    enough.
    """
    lemma = criterion.lemma()
    if lemma is None:
        return False
    for text in texts(lemma, "merge"):
        answer = solve(text, Deadline(QUICK))
        if answer.status != "unsat":
            return False
    return True


def _simple(term: tuple[object, s.Likelihood | s.Abs]) -> bool:
    """Whether a term is what a0 or a1 knows of descriptors."""
    _, quantity = term
    if not isinstance(quantity, s.Likelihood):
        return False
    sees_rows = quantity.agent in ("a0", "a1")
    return sees_rows and propositional(quantity.body)


def criteria(
    formulas: list[s.Formula], choice: ValueChoice, hierarchies: Hierarchies
) -> Criteria:
    """The criteria of classes in formulas, built for a choice of values.

    Raises Unfit for one that is not defined for these values.
    """
    signature = choice.signature()
    built: dict[s.Criterion, ClassCriterion] = {}
    # In the order of the formulas: unknowns are numbered by it, and with them the
    # answer of a solver is the same in every run.
    for formula in formulas:
        for node in s.subformulas(formula):
            if not isinstance(node, s.Criterion):
                continue
            if node not in built:
                built[node] = build(node, signature, hierarchies)
    return built
