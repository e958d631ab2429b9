"""What is kept when classes are merged.

A formula is *merge-closed* if the union of two classes that satisfy it satisfies it, and *upward-closed* if the union
of one that does with any other does.  ``known`` knows it of the published criteria, each with its reason in
``CRITERIA``, of simple formulas about likelihoods, and of conjunctions and disjunctions of such; the lemmas behind them
are in encodings/merge-closure.md.  Of any other formula ``query`` writes a text that is unsatisfiable only if it is
closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.criteria import attribute, given, spread
from phverify.spec.data import Data, Label, Refused
from phverify.spec.fold import Carrier, fold
from phverify.spec.linear import Cleared, cleared
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.semantics import Worlds, everything, truth_set
from phverify.spec.walk import classwise, propositional

OPEN, MERGE, UPWARD = 0, 1, 2
"""How closed something is; upward-closed is merge-closed, too."""
MOST_PROFILES, MOST_SETS = 256, 3000

CRITERIA: Mapping[str, Callable[[Mapping[str, Any]], int]] = {
    # n >= k: sizes add up.
    "k_anonymity": lambda args: UPWARD,
    # n >= k, and for every value a <= alpha n; both sides add up.  Any n and a do for alpha >= 1.
    "alpha_k_anonymity": lambda args: UPWARD if args["alpha"] >= 1 else MERGE,
    # For every set of l - 1 values some row lies outside it, and stays there.
    "l_diversity": lambda args: UPWARD,
    # For every value and every set of l - 1 values: a < c (n - b), where a rows have the value and b are in the set.
    "recursive_l_diversity": lambda args: MERGE,
    # By Gibbs' inequality, for every distribution r of the values: sum of a_v log(1/r_v) >= n log l; both sides add up.
    "entropy_l_diversity": lambda args: UPWARD if args["l"] == 1 else MERGE,
    # n times the distance is a sum of absolute values of a - p n, which add up inside: it is at most the sum.
    "t_closeness": lambda args: MERGE,
    # For every value p n / 2^delta < a < p n 2^delta.  Where a = 0 is ignored, it may be broken: it is diluted.
    "delta_disclosure": lambda args: MERGE if args["absent"] == "violates" else OPEN,
    # For every value a <= (1 + beta) p n.
    "beta_likeness": lambda args: MERGE,
    # For every value a <= (1 + min(beta, -ln p)) p n.
    "enhanced_beta_likeness": lambda args: MERGE,
    # For every value a <= (b + p) n.
    "average_benefit": lambda args: MERGE,
}
"""By criterion: whether a condition on quantities that add up carries over to sums.  Whatever holds of all classes
alike is upward-closed; where that is not said here, nothing is lost but time."""


def known(f: s.Formula) -> int:
    """How closed a formula about a class is, as far as it is known without asking.

    It stands for the property of a class that it is true at every row.  An inequality between likelihoods, multiplied
    by the size of the class, is one between sums of counts: both sides add up.
    """
    match f:
        case s.Truth():
            return UPWARD
        case s.Criterion(name):
            return CRITERIA[name](given(f)) if name in CRITERIA else OPEN
        case s.Diamond("a1", body) | s.Not(s.Box("a1", body)) if propositional(body):
            return UPWARD  # some row stays where it is
        case s.Box("a1", body) | s.Not(s.Diamond("a1", body)) if propositional(body):
            return MERGE
        case s.Compare(left, op, right) if op != "!=" and _linear(left) and _linear(right):
            return MERGE
        case s.And(parts):
            return min(map(known, parts), default=UPWARD)
        case s.Or(parts):
            return _either(list(parts))
        case s.Implies(first, second):
            return _either([s.Not(first), second])
        case s.Not(s.Not(body)):
            return known(body)
        case s.Not(s.And(parts)):
            return _either([s.Not(part) for part in parts])
        case s.Not(s.Or(parts)):
            return min((known(s.Not(part)) for part in parts), default=UPWARD)
    return MERGE if propositional(f) else OPEN


def _linear(side: s.Linear) -> bool:
    """A sum of likelihoods of plain formulas, without absolute values."""
    return all(isinstance(q, s.Likelihood) and q.agent in ("a0", "a1") and propositional(q.body) for _, q in side.terms)


def _either(sides: list[s.Formula]) -> int:
    """Upward-closed properties of whole classes, and at most one property that is merge-closed.

    If the one holds of both classes, it holds of the union; otherwise another one holds of a class, and stays.
    """
    sides = [one for side in sides for one in (side.parts if isinstance(side, s.Or) else (side,))]
    found = [known(side) for side in sides]
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
    _scaled: dict[Any, int] = field(default_factory=dict)
    """Quantities of a class that are not rational: an unknown constant times its size, which adds up."""
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
        column = attribute(node.name, given(node)) if isinstance(node, s.Criterion) else ""
        if isinstance(node, s.Descriptor):
            yield from (self.true(node, row) for row in range(self.data.rows))
        elif column:
            yield from self.data.columns[column]
        else:
            yield from [None] * self.data.rows

    @cached_property
    def model(self) -> ReleaseModel:
        return ReleaseModel(Table(self.data))

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
        lines += [f"(declare-const {h}w{k} Real)" for h in "xy" for k in self._scaled.values()]
        lines += [f"(define-fun z{k} () {sort} (+ x{k} y{k}))" for k in kinds]
        lines += [f"(define-fun zw{k} () Real (+ xw{k} yw{k}))" for k in self._scaled.values()]
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
        return self.short(_and(list(self.conditions(formula.name, given(formula), place[1]))))

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

    def conditions(self, name: str, args: Mapping[str, Any], h: str) -> Iterator[str]:
        """The conditions of a criterion; both sides of each add up."""
        size, f = f"{h}n", attribute(name, args)
        counts = {value: self.having(f, value, h) for value in self.data.domains.get(f, ())}
        if name in ("k_anonymity", "alpha_k_anonymity"):
            yield f"(>= {size} {args['k']})"
        if name == "alpha_k_anonymity":
            yield from (_at_most(a, args["alpha"], size) for a in counts.values())
        elif name == "l_diversity":
            yield f"(>= {_sum([f'(ite (> {a} 0) 1 0)' for a in counts.values()])} {args['l']})"
        elif name == "recursive_l_diversity":
            yield from self.recursive(counts, args, size)
        elif name == "t_closeness":
            yield self.closeness(counts, args, size)
        elif name in ("beta_likeness", "average_benefit", "enhanced_beta_likeness", "delta_disclosure"):
            for value, a in counts.items():
                yield self.gain(name, args, value, a, h)
        elif name != "k_anonymity":
            raise Refused(f"{name} is not linear: below a connective it is not looked at")

    def having(self, f: str, value: Label, h: str) -> str:
        rows = self.data.columns[f]
        return _sum([f"{h}{k}" for k, (row, _) in enumerate(self.kinds) if rows[row] == value])

    def part(self, f: str, value: Label) -> Fraction:
        """The share of a value in the table."""
        return Fraction(self.data.columns[f].count(value), self.data.rows)

    def recursive(self, counts: Mapping[Label, str], args: Mapping[str, Any], size: str) -> Iterator[str]:
        chosen = min(args["l"] - 1, len(counts))
        if comb(len(counts), chosen) * max(chosen, 1) > MOST_SETS:
            raise Refused("recursive diversity has too many conditions to write out")
        for some in combinations(counts, chosen):
            rest = f"(- {size} {_sum([counts[v] for v in some])})"
            yield from (_at_most(counts[v], args["c"], rest, "<") for v in (some or counts))

    def closeness(self, counts: Mapping[Label, str], args: Mapping[str, Any], size: str) -> str:
        factor, sets = spread(args, tuple(counts), self.data)
        found = []
        for values in sets:
            share = sum((self.part(args["f"], v) for v in values), Fraction(0))
            inside = _sum([counts[v] for v in values])
            times = f"(- (* {share.denominator} {inside}) (* {share.numerator} {size}))"
            gap = self.short(times, self.sort)
            found.append(_times(Fraction(self.data.rows, share.denominator), f"(ite (>= {gap} 0) {gap} (- {gap}))"))
        bound = args["t"] * self.data.rows / factor
        return _at_most(_sum(found), bound, size)

    def gain(self, name: str, args: Mapping[str, Any], value: Label, a: str, h: str) -> str:
        share = self.part(args["f"], value)
        if name == "beta_likeness":
            return _at_most(a, share * (1 + args["beta"]), f"{h}n")
        if name == "average_benefit":
            return _at_most(a, share + args["b"], f"{h}n")
        if name == "enhanced_beta_likeness":
            return f"(<= {a} {self.scaled((name, args['beta'], share), h)})"
        most, least = (self.scaled((name, args["delta"], share, k), h) for k in (1, -1))
        said = f"(and (< {a} {most}) (< {least} {a}))"
        return f"(or (= {a} 0) {said})" if args["absent"] == "ignored" else said

    def scaled(self, constant: Any, h: str) -> str:
        if self.exact:
            raise Refused("a constant is not rational")
        return f"{h}w{self._scaled.setdefault(constant, len(self._scaled))}"


def _minus(term: str) -> str:
    """Minus the absolute value."""
    return f"(ite (>= {term} 0) (- {term}) {term})"


def _at_most(left: str, factor: Fraction, right: str, sign: str = "<=") -> str:
    """``left <= factor * right``, in whole numbers."""
    return f"({sign} {_times(Fraction(factor.denominator), left)} {_times(Fraction(factor.numerator), right)})"


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
