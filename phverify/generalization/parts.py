"""A policy cut into parts that a search can decide class by class, and what is left.

A *class part* is a ground formula that must hold at every world of every class, or of the classes of some named
individuals; its truth in a class depends on that class alone.  An *open part* is anything else: it is decided for
a whole candidate at a time, by the same pipeline as ``verify``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from phverify.budget import Deadline
from phverify.policy.bind import Bound, Rule
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import SAFETY
from phverify.spec.instances import Instance, TooLarge
from phverify.spec.schemas import assignments, size
from phverify.spec.signature import Signature
from phverify.spec.walk import is_ground
from phverify.symbolic.instances import instances
from phverify.symbolic.prover import Closure, closure, local, needs_whole

MANY = 2000
"""Instances of one schema that are kept as ground formulas."""


@dataclass(frozen=True, eq=False)
class ClassPart:
    """All of ``grounds`` hold in every class, or with ``people`` (their indices) in these people's classes."""

    rule: str
    source: s.Formula
    grounds: tuple[s.Formula, ...]
    people: tuple[int, ...]
    closure: Closure


@dataclass(frozen=True, eq=False)
class OpenPart:
    """A formula that is decided for whole candidates; ``again`` when its names depend on the candidate."""

    rule: str
    formula: s.Formula
    again: bool = False


@dataclass(frozen=True, eq=False)
class Parts:
    """``people`` are all named individuals.

    ``again`` says that assumptions speak of quasi-identifiers, and have to be read again for every candidate;
    ``secrets`` that a rule is about secrets.
    """

    classes: tuple[ClassPart, ...]
    open: tuple[OpenPart, ...]
    people: frozenset[int]
    assumptions: tuple[s.Formula, ...]
    again: bool
    secrets: bool


def parts(bound: Bound, records: int, deadline: Deadline) -> Parts:
    """Cut every rule of a policy.  When ``records`` may be withheld, what looks at the whole table is open."""
    classes: list[ClassPart] = []
    left: list[OpenPart] = []
    cutter = _Cutter(bound, records, deadline)
    for rule in bound.rules:
        for part in cutter.cut(rule):
            (classes if isinstance(part, ClassPart) else left).append(part)  # type: ignore[arg-type]
    formulas = [*(rule.expanded for rule in bound.rules), *bound.assumptions.values()]
    assumed = tuple(bound.assumptions.values())
    again = any(map(cutter.speaks_of_quasi, assumed))
    safety = any(isinstance(n, s.Criterion) and n.name in SAFETY for r in bound.rules for n in s.subformulas(r.formula))
    return Parts(tuple(classes), tuple(left), frozenset(_named(formulas)), assumed, again, safety)


def _named(formulas: Sequence[s.Formula]) -> Iterator[int]:
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Person):
                yield node.name.index


def pseudonyms(bound: Bound) -> list[str]:
    """The rules and assumptions that name records by their number."""
    formulas = {rule.name: rule.expanded for rule in bound.rules} | dict(bound.assumptions)
    return [name for name, formula in formulas.items() if any(map(_names_row, s.subformulas(formula)))]


def _names_row(node: s.Formula) -> bool:
    return isinstance(node, s.Nominal | s.At) and isinstance(node.name, s.Row)


@dataclass(frozen=True, eq=False)
class _Cutter:
    bound: Bound
    records: int
    deadline: Deadline

    @property
    def withholding(self) -> bool:
        return self.records > 0

    @property
    def share(self) -> Fraction:
        return Fraction(self.records, self.bound.release.quotient.rows)

    @property
    def signature(self) -> Signature:
        return self.bound.release.signature

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.bound.release.quotient.quasi

    def cut(self, rule: Rule) -> Iterator[ClassPart | OpenPart]:
        """The parts of one rule: its conjuncts, those about named individuals gathered by what they say."""
        about: dict[s.Formula, list[int]] = {}
        for formula in _conjuncts(rule.expanded):
            person, body = _personal(formula)
            if person is not None and self._local(body, True):
                about.setdefault(body, []).append(person)
                continue
            yield from self._whole(rule.name, formula)
        for body, people in about.items():
            yield self._part(rule.name, body, (body,), tuple(people))

    def _whole(self, rule: str, formula: s.Formula) -> Iterator[ClassPart | OpenPart]:
        if self.withholding and isinstance(formula, s.Criterion):
            yield from self._necessary(rule, formula)
        grounds = self._grounds(formula)
        if grounds is None or not all(self._local(g, False) for g in grounds):
            yield OpenPart(rule, formula, self.speaks_of_quasi(formula))
        else:
            yield self._part(rule, formula, grounds, ())

    def _necessary(self, rule: str, formula: s.Criterion) -> Iterator[ClassPart]:
        """What follows, class by class, from a criterion that compares with a table of which a share is withheld."""
        release = self.bound.release
        implied = release.criteria[formula].necessary(self.share)
        if implied is not None and implied.attribute not in self.quasi:
            node = s.Criterion(f"{formula.name} (necessary)", formula.args, formula.named)
            release.criteria[node] = implied  # type: ignore[index]
            told = Closure(False, False, f"each released class must satisfy it within {self.share} of the bound")
            yield ClassPart(rule, node, (node,), (), told)

    def _part(self, rule: str, source: s.Formula, grounds: tuple[s.Formula, ...], people: tuple[int, ...]) -> ClassPart:
        return ClassPart(rule, source, grounds, people, closure(source, self.bound.release, self.deadline))

    def _local(self, formula: s.Formula, placed: bool) -> bool:
        """Whether a ground formula's truth depends on one class, whatever is withheld and assumed."""
        if placed and self.bound.assumptions and not _same_in_class(formula):
            return False  # assumptions say where in the class somebody can be
        return is_ground(formula) and local(formula, self.quasi) and not (self.withholding and needs_whole(formula))

    def _grounds(self, formula: s.Formula) -> tuple[s.Formula, ...] | None:
        """The ground formulas that must hold everywhere; None when there are others, or too many."""
        if self.withholding and any(isinstance(n, s.Quantified) and _ranges(n) for n in s.subformulas(formula)):
            return None  # a value may be withheld altogether
        try:
            found = list(islice((g for i in instances(formula, self.signature) for g in self._each(i)), MANY + 1))
        except TooLarge:
            return None
        return None if len(found) > MANY or None in found else tuple(g for g in found if g is not None)

    def _each(self, item: Instance) -> Iterator[s.Formula | None]:
        body = item.body
        if isinstance(body, s.At) and isinstance(body.name, s.Var) and is_ground(body.body):
            usable = _same_in_class(body.body) or not self.bound.assumptions
            yield body.body if usable and not item.clauses else None
        elif item.people:
            yield None
        elif item.clauses and sum(size(b, self.signature) for b in item.clauses) <= MANY:
            for values in assignments(item.clauses, self.signature):
                yield from self._each(Instance(s.substitute(body, values)))
        else:
            yield body if is_ground(body) else None

    def speaks_of_quasi(self, formula: s.Formula) -> bool:
        """Whether a formula describes released quasi-identifier values, which depend on the candidate."""
        return any(name in self.quasi for node in s.subformulas(formula) for name in self._columns(node))

    def _columns(self, node: s.Formula) -> Iterator[str]:
        match node:
            case s.Descriptor(attribute):
                yield attribute
            case s.Quantified(_, binders):
                yield from (binder.attribute for binder in binders)
            case s.Criterion():
                yield self.bound.release.criteria[node].attribute


def _conjuncts(formula: s.Formula) -> Iterator[s.Formula]:
    if isinstance(formula, s.And):
        for part in formula.parts:
            yield from _conjuncts(part)
    else:
        yield formula


def _personal(formula: s.Formula) -> tuple[int | None, s.Formula]:
    """``@i psi`` with a ground psi as the index of i and psi."""
    if isinstance(formula, s.At) and isinstance(formula.name, s.Person) and is_ground(formula.body):
        return formula.name.index, formula.body
    return None, formula


def _ranges(node: s.Quantified) -> bool:
    return any(binder.sort in ("values", "clauses") for binder in node.binders)


def _same_in_class(formula: s.Formula) -> bool:
    """Whether a ground formula has one truth value in a class: no descriptor stands outside the operators."""
    match formula:
        case s.Descriptor():
            return False
        case s.Compare() | s.Diamond() | s.Box() | s.Criterion():
            return True
    return all(map(_same_in_class, s.children(formula)))
