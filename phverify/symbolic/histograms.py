"""A formula about classes over symbolic histograms: what two classes and their union say, as SMT-LIB.

Rows are grouped into profiles: rows that agree on all that the formula looks at.  The unknowns are how many
rows of each profile a class has.  Relative frequencies are multiplied by the size of the class, so that
everything stays linear.  What a0 knows is constant; it comes from the table, or stays an unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

import numpy as np

from phverify.constraints.smtlib import number
from phverify.errors import PhverifyError
from phverify.exact import Bools, Ints, common_denominator
from phverify.logic.expand import apart
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion, Condition, Rows, Several, TooLong
from phverify.spec.source import Label
from phverify.symbolic.ground import coefficients
from phverify.symbolic.instances import write_inner
from phverify.symbolic.local import classwise, local, propositional
from phverify.symbolic.release import Release

MOST_PROFILES = 256
SHORT = 24


class Unsettled(PhverifyError):
    """Why a question about closure stays open."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The different rows of the table, as far as some attributes go, and how many there are of each."""

    release: Release
    codes: Mapping[str, Ints]
    counts: Ints
    _known: dict[s.Formula, Bools] = field(default_factory=dict)

    def truth(self, formula: s.Formula) -> Bools:
        """The truth of a propositional formula at each kind of row."""
        if formula not in self._known:
            self._known[formula] = self._truth(formula)
        return self._known[formula]

    def _truth(self, formula: s.Formula) -> Bools:
        match formula:
            case s.Truth(value):
                return np.full(len(self.counts), value)
            case s.Descriptor(name, op):
                matching = self.release.signature.attributes[name].matches(op, s.texts(formula))
                labels = self.release.columns[name].labels
                found: Bools = np.array([label in matching for label in labels], dtype=bool)[self.codes[name]]
                return found
            case s.Not(body):
                return ~self.truth(body)
            case s.And(parts):
                return reduce(np.logical_and, map(self.truth, parts), np.full(len(self.counts), True))
            case s.Or(parts):
                return reduce(np.logical_or, map(self.truth, parts), np.full(len(self.counts), False))
            case s.Implies(left, right):
                return ~self.truth(left) | self.truth(right)
            case s.Iff(left, right):
                return ~(self.truth(left) ^ self.truth(right))
        raise Unsettled("a0 is asked about more than descriptors")

    def share(self, formula: s.Formula) -> Fraction:
        """``l_a0`` of a propositional formula."""
        return Fraction(int(self.counts[self.truth(formula)].sum()), int(self.counts.sum()))

    def describe(self, kind: int) -> str:
        """A kind of row in words, by its values."""
        said = [f"{f} = {self.release.columns[f].labels[int(c[kind])]}" for f, c in self.codes.items()]
        return " & ".join(said) or "any"


def kinds(release: Release, attributes: Sequence[str]) -> Kinds:
    """The kinds of rows of a release."""
    columns = {name: release.columns[name] for name in attributes}
    key = np.zeros(release.quotient.rows, dtype=np.int64)
    for column in columns.values():
        key = key * len(column.labels) + column.codes
        key = np.unique(key, return_inverse=True)[1] if len(columns) > 1 else key  # so that no key overflows
    many = np.bincount(key)
    found = np.flatnonzero(many)
    some = np.zeros(len(many), dtype=np.int64)
    some[key] = np.arange(len(key))
    return Kinds(release, {name: column.codes[some[found]] for name, column in columns.items()}, many[found])


def attributes(formula: s.Formula, criteria: Mapping[s.Criterion, ClassCriterion]) -> tuple[str, ...]:
    """All attributes that a formula looks at."""
    found: dict[str, None] = {}
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor):
            found[node.attribute] = None
        elif isinstance(node, s.Criterion) and criteria[node].attribute:
            found[criteria[node].attribute] = None
    return tuple(found)


def parts(formula: s.Formula) -> Iterator[s.Formula]:
    """What a class is seen through: maximal propositional subformulas, and criteria; a0's excepted."""
    if propositional(formula) or isinstance(formula, s.Criterion):
        yield formula
    elif isinstance(formula, s.Compare):
        for term in (*s.likelihoods(formula.left), *s.likelihoods(formula.right)):
            if term.agent == "a1":
                yield from parts(term.body)
    elif not isinstance(formula, s.Diamond | s.Box) or formula.agent == "a1":
        for child in s.children(formula):
            yield from parts(child)


@dataclass(eq=False)
class Property:
    """The property of a class that a local formula without schemas states.

    ``exact`` histograms are integers within the table and use its constants; the others are rationals >= 0
    without bound, for whatever constants: a superset that makes the instances of a schema look alike.
    """

    formula: s.Formula
    kinds: Kinds
    exact: bool
    members: list[list[int]] = field(init=False)
    """The kinds of rows of each profile."""
    profiles: list[int] = field(init=False)
    """One of them each."""
    totals: list[int] = field(init=False)
    _definitions: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[s.Formula, int, str], str] = field(default_factory=dict)
    _products: dict[s.Linear, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = [self._looks(part) for part in dict.fromkeys(parts(self.formula))]
        seen = np.array(rows, dtype=np.int64).reshape(len(rows), len(self.kinds.counts))
        groups: dict[bytes, list[int]] = {}
        for kind, vector in enumerate(np.ascontiguousarray(seen.T)):
            groups.setdefault(vector.tobytes(), []).append(kind)
        groups = dict(sorted(groups.items()))
        if len(groups) > MOST_PROFILES:
            raise Unsettled(f"the formula tells {len(groups)} kinds of rows apart (at most {MOST_PROFILES})")
        self.members = list(groups.values())
        self.profiles = [members[0] for members in self.members]
        self.totals = [int(self.kinds.counts[members].sum()) for members in self.members]

    def _looks(self, part: s.Formula) -> Ints:
        if isinstance(part, s.Criterion):
            name = self.criterion(part).attribute
            return self.kinds.codes[name] if name else np.zeros(len(self.kinds.counts), dtype=np.int64)
        return self.kinds.truth(part).astype(np.int64)

    def criterion(self, node: s.Criterion) -> ClassCriterion:
        return self.kinds.release.criteria[node]

    @property
    def range(self) -> range:
        return range(len(self.profiles))

    def text(self, goal: str) -> str:
        """Unsatisfiable only if the property is merge-closed, or upward-closed.  The classes are x and y, z is both."""
        first, second, both = map(self.holds, "xyz")
        claims = [first, second, negation(both)] if goal == "merge" else [first, negation(both)]
        sort = "Int" if self.exact else "Real"
        lines = [f"; {goal}-closed: two classes and their union", f"(set-logic QF_L{sort[0]}A)"]
        lines += [f"(declare-const {h}{p} {sort})" for h in "xy" for p in self.range]
        lines += [f"(declare-const {h}w{k} Real)" for h in "xy" for k in self._products.values()]
        lines += [f"(define-fun z{p} () {sort} (+ x{p} y{p}))" for p in self.range]
        lines += [f"(define-fun zw{k} () Real (+ xw{k} yw{k}))" for k in self._products.values()]
        lines += [f"(define-fun {h}n () {sort} {addition([f'{h}{p}' for p in self.range])})" for h in "xyz"]
        lines += [f"(assert (>= {h}{p} 0))" for h in "xy" for p in self.range]
        lines += [f"(assert (<= z{p} {total}))" for p, total in enumerate(self.totals) if self.exact]
        lines += ["(assert (>= xn 1))", "(assert (>= yn 1))"]
        lines += [f"(define-fun {name} () {text}" for text, name in self._definitions.items()]
        return "\n".join([*lines, *(f"(assert {claim})" for claim in claims), "(check-sat)", ""])

    def holds(self, h: str) -> str:
        """The property of the class h: true at every profile that occurs."""
        if classwise(self.formula):
            return self.at(self.formula, 0, h)
        return conjunction([disjunction([f"(= {h}{p} 0)", self.at(self.formula, p, h)]) for p in self.range])

    def named(self, text: str, sort: str = "Bool") -> str:
        """A short name for a long text, the same for the same."""
        if len(text) < SHORT:
            return text
        return self._definitions.setdefault(f"{sort} {text})", f"e{len(self._definitions)}")

    def at(self, formula: s.Formula, p: int, h: str) -> str:
        """The formula at a row of profile p in class h."""
        key = formula, -1 if classwise(formula) else p, h
        if key not in self._known:
            self._known[key] = self.named(self._at(formula, p, h))
        return self._known[key]

    def _at(self, formula: s.Formula, p: int, h: str) -> str:
        if propositional(formula):
            return "true" if self.kinds.truth(formula)[self.profiles[p]] else "false"
        match formula:
            case s.Not(body):
                return negation(self.at(body, p, h))
            case s.And(parts):
                return conjunction([self.at(part, p, h) for part in parts])
            case s.Or(parts):
                return disjunction([self.at(part, p, h) for part in parts])
            case s.Implies(left, right):
                return disjunction([negation(self.at(left, p, h)), self.at(right, p, h)])
            case s.Iff(left, right):
                return f"(= {self.at(left, p, h)} {self.at(right, p, h)})"
            case s.Diamond("a0", body):
                return "true" if self.kinds.truth(body).any() else "false"
            case s.Box("a0", body):
                return "true" if self.kinds.truth(body).all() else "false"
            case s.Diamond("a1", body):
                return f"(> {self.count(body, h)} 0)"
            case s.Box("a1", body):
                return f"(= {self.count(s.Not(body), h)} 0)"
            case s.Compare(left, op, right):
                return self._compare(s.minus(left, right), op, h)
            case s.Criterion():
                return self._criterion(self.criterion(formula), h)
        raise Unsettled(f"no symbolic form of {type(formula).__name__}")

    def count(self, body: s.Formula, h: str) -> str:
        """How many rows of class h satisfy a formula."""
        found = []
        for p in self.range:
            truth = self.at(body, p, h)
            if truth != "false":
                found.append(f"{h}{p}" if truth == "true" else f"(ite {truth} {h}{p} 0)")
        return self.named(addition(found), "Int" if self.exact else "Real")

    def _compare(self, linear: s.Linear, op: str, h: str) -> str:
        linear = self._constants(linear) if self.exact else linear
        clear = common_denominator(coefficients(linear))
        value = self._value(linear, Fraction(clear), h)
        return negation(f"(= {value} 0)") if op == "!=" else f"({op} {value} 0)"

    def _constants(self, linear: s.Linear) -> s.Linear:
        """The sum with what a0 knows as a number."""
        terms: list[tuple[Fraction, s.Likelihood | s.Abs]] = []
        constant = linear.constant
        for coefficient, quantity in linear.terms:
            if isinstance(quantity, s.Abs):
                terms.append((coefficient, s.Abs(self._constants(quantity.body))))
            elif quantity.agent == "a0":
                constant += coefficient * self.kinds.share(quantity.body)
            else:
                terms.append((coefficient, quantity))
        return s.Linear(tuple(terms), constant)

    def _value(self, linear: s.Linear, clear: Fraction, h: str) -> str:
        """The value of a sum times ``clear`` times the rows of h."""
        found = []
        for coefficient, quantity in linear.terms:
            if isinstance(quantity, s.Abs):
                inner = self._value(quantity.body, clear * abs(coefficient), h)
                size = f"(ite (>= {inner} 0) {inner} (- {inner}))"
                found.append(size if coefficient > 0 else f"(- {size})" if coefficient else "0")
            elif quantity.agent == "a1":
                found.append(f"(* {number(int(coefficient * clear))} {self.count(quantity.body, h)})")
            elif quantity.agent != "a0":
                raise Unsettled(f"{quantity.agent} sees other classes")
        found.append(self._constant(linear, clear, h))
        return self.named(addition(found), "Int" if self.exact else "Real")

    def _constant(self, linear: s.Linear, clear: Fraction, h: str) -> str:
        """The constant part times the rows; with an unknown of a0 in it, a quantity that adds up."""
        if any(isinstance(q, s.Likelihood) and q.agent == "a0" for _, q in linear.terms):
            return f"{h}w{self._products.setdefault(s.times(clear, linear), len(self._products))}"
        return f"(* {number(int(linear.constant * clear))} {h}n)"

    def _criterion(self, criterion: ClassCriterion, h: str) -> str:
        """All its conditions over the values of its column."""
        f, release = criterion.attribute, self.kinds.release
        domain = release.signature.attributes[f].domain if f else ()
        whole = {value: int(self.kinds.counts[self.kinds.truth(s.equals(f, value))].sum()) for value in domain}
        found = []
        try:
            for condition in criterion.conditions(domain, whole):
                found.append(self._condition(condition, f, domain, h))
        except TooLong as error:
            raise Unsettled(str(error)) from None
        return conjunction(found)

    def _condition(self, condition: Condition, f: str, domain: tuple[Label, ...], h: str) -> str:
        match condition:
            case Rows(least):
                return f"(>= {h}n {least})"
            case Several(least):
                present = [f"(ite (> {self.count(s.equals(f, value), h)} 0) 1 0)" for value in domain]
                return f"(>= {addition(present)} {least})"
        return self.at(without_schemas(condition, self.kinds.release), 0, h)


def written(formula: s.Formula, release: Release) -> s.Formula:
    """A formula without schemas, and without criteria that no lemma knows: a subclass may mean something else."""

    def known(part: s.Formula) -> s.Formula:
        if isinstance(part, s.Criterion):
            criterion = release.criteria[part]
            return part if criterion.lemma() else by_formula(criterion, release)
        return s.rebuild(part, known)

    return known(write_inner(formula, release.signature))


def by_formula(criterion: ClassCriterion, release: Release) -> s.Formula:
    """The theorem's formula of a criterion, without schemas.  Raises Unsettled when it names individuals."""
    return without_schemas(criterion.formula(release.signature), release)


def without_schemas(formula: s.Formula, release: Release) -> s.Formula:
    """What a criterion says of a class.  Raises Unsettled when it names individuals."""
    if not local(s.Not(s.Not(formula)), release.quotient.quasi):  # not as a rule: below a connective
        raise Unsettled("a criterion about individuals has no symbolic form")
    return write_inner(apart(formula), release.signature)


def negation(text: str) -> str:
    return {"true": "false", "false": "true"}.get(text, f"(not {text})")


def conjunction(texts: Sequence[str]) -> str:
    return _joined("and", "true", "false", texts)


def disjunction(texts: Sequence[str]) -> str:
    return _joined("or", "false", "true", texts)


def _joined(sign: str, neutral: str, strong: str, texts: Sequence[str]) -> str:
    kept = [t for t in dict.fromkeys(texts) if t != neutral]
    if strong in kept:
        return strong
    return f"({sign} {' '.join(kept)})" if len(kept) > 1 else kept[0] if kept else neutral


def addition(texts: Sequence[str]) -> str:
    return f"(+ {' '.join(texts)})" if len(texts) > 1 else texts[0] if texts else "0"
