"""What is kept when classes are merged.

A formula is *merge-closed* if the union of two classes that satisfy it satisfies it, and *upward-closed* if the union
of one that does with any other does.  ``known`` knows it of the criteria that have a lemma (``criterion/lemma.py``), of
simple formulas about likelihoods, and of conjunctions and disjunctions of such; the proofs are in
encodings/merge-closure.md.  Of any other formula ``query`` writes a text that is unsatisfiable only if it is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Condition, Rows, Several, TooLong
from phverify.spec.criterion.lemma import MERGE as MERGE
from phverify.spec.criterion.lemma import OPEN as OPEN
from phverify.spec.criterion.lemma import UPWARD as UPWARD
from phverify.spec.data import Data, Label, Refused
from phverify.spec.fold import Carrier, fold
from phverify.spec.linear import Cleared, cleared
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.schemas import expand
from phverify.spec.semantics import Worlds, everything, truth_set
from phverify.spec.walk import classwise, propositional

MOST_PROFILES = 256


def known(f: s.Formula, data: Data) -> int:
    """How closed a formula about a class is, as far as it is known without asking.

    It stands for the property of a class that it is true at every row.  An inequality between likelihoods, multiplied
    by the size of the class, is one between sums of counts: both sides add up.
    """
    match f:
        case s.Truth():
            return UPWARD
        case s.Criterion():
            lemma = data.criterion(f).lemma()
            return lemma.closed() if lemma else OPEN
        case s.Diamond("a1", body) | s.Not(s.Box("a1", body)) if propositional(body):
            return UPWARD  # some row stays where it is
        case s.Box("a1", body) | s.Not(s.Diamond("a1", body)) if propositional(body):
            return MERGE
        case s.Compare(left, op, right) if op != "!=" and _linear(left) and _linear(right):
            return MERGE
        case s.And(parts):
            return together(parts, data)
        case s.Or(parts):
            return _either(list(parts), data)
        case s.Implies(first, second):
            return _either([s.Not(first), second], data)
        case s.Not(s.Not(body)):
            return known(body, data)
        case s.Not(s.And(parts)):
            return _either([s.Not(part) for part in parts], data)
        case s.Not(s.Or(parts)):
            return together([s.Not(part) for part in parts], data)
    return MERGE if propositional(f) else OPEN


def together(bodies: Iterable[s.Formula], data: Data) -> int:
    """How closed it is that all these formulas hold."""
    return min((known(body, data) for body in bodies), default=UPWARD)


def _linear(side: s.Linear) -> bool:
    """A sum of likelihoods of plain formulas, without absolute values."""
    return all(isinstance(q, s.Likelihood) and q.agent in ("a0", "a1") and propositional(q.body) for _, q in side.terms)


def _either(sides: list[s.Formula], data: Data) -> int:
    """Upward-closed properties of whole classes, and at most one property that is merge-closed.

    If the one holds of both classes, it holds of the union; otherwise another one holds of a class, and stays.
    """
    sides = [one for side in sides for one in (side.parts if isinstance(side, s.Or) else (side,))]
    found = [known(side, data) for side in sides]
    weak = [k for k, side in enumerate(sides) if found[k] < UPWARD or not classwise(side)]
    if len(weak) > 1 or OPEN in found:
        return MERGE if all(map(propositional, sides)) else OPEN
    return MERGE if weak else UPWARD


# Any other formula


def query(bodies: tuple[s.Formula, ...], goal: int, exact: bool, data: Data) -> str:
    """A text that is unsatisfiable only if the property of a class that all bodies hold at all rows is closed.

    The unknowns are how many rows of each kind two classes have; rows are of one kind if they agree on all that the
    formulas look at.  ``exact`` counts are whole and within the table, others any numbers from 0.  Raises Refused when
    there is no such text.
    """
    return _Query(bodies, exact, data).text(goal)


Place = tuple[int, str]
"""A kind of row and a class."""


@dataclass(eq=False)
class _Query(Carrier[str, Place]):
    bodies: tuple[s.Formula, ...]
    exact: bool
    data: Data
    _names: dict[str, str] = field(default_factory=dict)
    _where: dict[s.Formula, Worlds] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> list[tuple[int, int]]:
        """A row of each kind, and how many rows there are of it."""
        looks = [list(self._look(node)) for node in self._looked()]
        found: dict[tuple[Any, ...], list[int]] = {}
        for row in range(self.data.rows):
            found.setdefault(tuple(look[row] for look in looks), []).append(row)
        if len(found) > MOST_PROFILES:
            raise Refused(f"a rule tells {len(found)} kinds of rows apart")
        return [(rows[0], len(rows)) for rows in found.values()]

    def _looked(self) -> Iterator[s.Formula]:
        """Descriptors outside of what a0 knows, and criteria."""
        for body in dict.fromkeys(self.bodies):
            for node in s.subformulas(body):
                if isinstance(node, s.Descriptor | s.Criterion):
                    yield node

    def _look(self, node: s.Formula) -> Iterator[Any]:
        column = self.data.criterion(node).attribute if isinstance(node, s.Criterion) else ""
        if isinstance(node, s.Descriptor):
            yield from (self.true(node, row) for row in range(self.data.rows))
        elif column:
            yield from self.data.columns[column]
        else:
            yield from [None] * self.data.rows

    @cached_property
    def table(self) -> Table:
        return Table(self.data)

    @cached_property
    def model(self) -> ReleaseModel:
        return ReleaseModel(self.table)

    def where(self, f: s.Formula) -> Worlds:
        """The rows where a formula of descriptors is true."""
        if f not in self._where:
            self._where[f] = truth_set(self.model, f, everything(self.model))
        return self._where[f]

    def true(self, f: s.Formula, row: int) -> bool:
        return bool(self.where(f) >> row & 1)

    def text(self, goal: int) -> str:
        x, y, z = (self.holds(h) for h in "xyz")
        claims = [x, y, f"(not {z})"] if goal == MERGE else [x, f"(not {z})"]
        sort, kinds = ("Int" if self.exact else "Real"), range(len(self.kinds))
        lines = [f"(set-logic QF_L{sort[0]}A)"]
        lines += [f"(declare-const {h}{k} {sort})" for h in "xy" for k in kinds]
        lines += [f"(define-fun z{k} () {sort} (+ x{k} y{k}))" for k in kinds]
        lines += [f"(define-fun {h}n () {sort} {_sum([f'{h}{k}' for k in kinds])})" for h in "xyz"]
        lines += [f"(assert (>= {h}{k} 0))" for h in "xy" for k in kinds]
        lines += [f"(assert (<= z{k} {count}))" for k, (_, count) in enumerate(self.kinds) if self.exact]
        lines += ["(assert (>= xn 1))", "(assert (>= yn 1))"]
        lines += [f"(define-fun {name} () {said})" for said, name in self._names.items()]
        return "\n".join([*lines, *(f"(assert {claim})" for claim in claims), "(check-sat)", ""])

    def short(self, said: str, sort: str = "Bool") -> str:
        """A name for a long text, the same for the same."""
        return said if len(said) < 24 else self._names.setdefault(f"{sort} {said}", f"e{len(self._names)}")

    def holds(self, h: str) -> str:
        """All bodies hold at all rows of class h."""
        found = []
        for body in dict.fromkeys(self.bodies):
            if classwise(body):
                found.append(self.truth(body, (0, h)))
            else:
                found += [_or([f"(= {h}{k} 0)", self.truth(body, (k, h))]) for k in range(len(self.kinds))]
        return _and(found)

    # A carrier of the fold: the truth of a formula at a kind of row is a text

    def truth(self, formula: s.Formula, place: Place) -> str:
        if propositional(formula):
            return self.constant(self.true(formula, self.kinds[place[0]][0]), place)
        return fold(self, formula, place)

    def constant(self, value: bool, place: Place) -> str:
        return "true" if value else "false"

    def negation(self, truth: str, place: Place) -> str:
        return _not(truth)

    def conjunction(self, truths: Iterator[str], place: Place) -> str:
        return _and(list(truths))

    def disjunction(self, truths: Iterator[str], place: Place) -> str:
        return _or(list(truths))

    def same(self, left: str, right: str, place: Place) -> str:
        return f"(= {left} {right})"

    def somewhere(self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: Place) -> str:
        body = formula.body if wanted else s.Not(formula.body)
        if agent == "a0":
            return self.constant(self.where(body) != 0, place)
        return f"(> {self.count(body, place[1])} 0)" if agent == "a1" else self.other(formula, place)

    def compare(self, formula: s.Compare, difference: s.Linear, place: Place) -> str:
        """The difference, times the size of the class and a common denominator."""
        value = self.value(cleared(self.constants(difference)), place[1])
        said = f"({'=' if formula.op == '!=' else formula.op} {value} 0)"
        return self.short(_not(said) if formula.op == "!=" else said)

    def criterion(self, formula: s.Criterion, place: Place) -> str:
        return self.short(_and(list(self.conditions(self.data.criterion(formula), place[1]))))

    def other(self, formula: s.Formula, place: Place) -> str:
        raise Refused(f"merging is not written out for {formula!r}")

    def share(self, body: s.Formula) -> Fraction:
        """``l_a0`` of a plain formula."""
        return Fraction(self.where(body).bit_count(), self.data.rows)

    def count(self, body: s.Formula, h: str) -> str:
        """How many rows of class h satisfy a formula."""
        found = []
        for k in range(len(self.kinds)):
            truth = self.short(self.truth(body, (k, h)))
            if truth != "false":
                found.append(f"{h}{k}" if truth == "true" else f"(ite {truth} {h}{k} 0)")
        return self.short(_sum(found), "Int" if self.exact else "Real")

    def constants(self, side: s.Linear) -> s.Linear:
        """The side with what a0 knows as a number."""
        terms: list[tuple[Fraction, s.Likelihood | s.Abs]] = []
        rest = side.constant
        for factor, quantity in side.terms:
            if isinstance(quantity, s.Abs):
                terms.append((factor, s.Abs(self.constants(quantity.body))))
            elif quantity.agent == "a0":
                rest += factor * self.share(quantity.body)
            else:
                terms.append((factor, quantity))
        return s.Linear(tuple(terms), rest)

    def value(self, linear: Cleared, h: str) -> str:
        """The sum, times the size of class h."""
        found = [_times(Fraction(linear.constant), f"{h}n")] if linear.constant else []
        found += [_times(Fraction(factor), self.count(term.body, h)) for factor, term in linear.terms]
        for sign, inside in linear.magnitudes:
            inner = self.value(inside, h)
            found.append(f"(ite (>= {inner} 0) {inner} (- {inner}))" if sign > 0 else _minus(inner))
        return self.short(_sum(found), self.sort)

    @property
    def sort(self) -> str:
        return "Int" if self.exact else "Real"

    # Criteria inside formulas

    def conditions(self, criterion: ClassCriterion, h: str) -> Iterator[str]:
        """The conditions of a criterion over the values of its column."""
        f = criterion.attribute
        domain = self.data.domains.get(f, ())
        try:
            for condition in criterion.conditions(domain, self.table.whole[f]):
                yield self.condition(condition, f, h)
        except TooLong as error:
            raise Refused(str(error)) from None

    def condition(self, condition: Condition, f: str, h: str) -> str:
        match condition:
            case Rows(least):
                return f"(>= {h}n {least})"
            case Several(least):
                counts = [self.having(f, value, h) for value in self.data.domains[f]]
                return f"(>= {_sum([f'(ite (> {count} 0) 1 0)' for count in counts])} {least})"
        return self.truth(expand(condition, self.data.signature), (0, h))

    def having(self, f: str, value: Label, h: str) -> str:
        rows = self.data.columns[f]
        return _sum([f"{h}{k}" for k, (row, _) in enumerate(self.kinds) if rows[row] == value])


def _minus(term: str) -> str:
    """Minus the absolute value."""
    return f"(ite (>= {term} 0) (- {term}) {term})"


def _times(factor: Fraction, term: str) -> str:
    if factor.denominator != 1:
        raise Refused("a coefficient is not whole")
    number = str(factor) if factor >= 0 else f"(- {-factor})"
    return f"(* {number} {term})"


def _not(said: str) -> str:
    return {"true": "false", "false": "true"}.get(said, f"(not {said})")


def _and(said: Sequence[str]) -> str:
    return _joined("and", "true", "false", said)


def _or(said: Sequence[str]) -> str:
    return _joined("or", "false", "true", said)


def _joined(sign: str, neutral: str, strong: str, said: Sequence[str]) -> str:
    kept = [one for one in dict.fromkeys(said) if one != neutral]
    if strong in kept:
        return strong
    return f"({sign} {' '.join(kept)})" if len(kept) > 1 else kept[0] if kept else neutral


def _sum(said: Sequence[str]) -> str:
    return f"(+ {' '.join(said)})" if len(said) > 1 else said[0] if said else "0"
