"""A formula about classes over symbolic histograms: what two classes and their union say, as SMT-LIB.

Rows are grouped into profiles: rows that agree on all that the formula looks at.  The unknowns are how many
rows of each profile a class has.  Relative frequencies are multiplied by the size of the class, so that
everything stays linear.  What a0 knows is constant; it comes from the table, or stays an unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.errors import PhverifyError
from phverify.exact import Bools, Ints
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Condition, Rows, Several, TooLong
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.schemas import apart
from phverify.spec.source import Label
from phverify.spec.walk import classwise, propositional
from phverify.symbolic.columns import Columns
from phverify.symbolic.instances import write_inner
from phverify.symbolic.local import local
from phverify.symbolic.release import Release
from phverify.symbolic.sums import Terms, weighed

MOST_PROFILES = 256


class Unsettled(PhverifyError):
    """Why a question about closure stays open."""


@dataclass(frozen=True, eq=False)
class Kinds(Columns[None]):
    """The different rows of the table, as far as some attributes go, and how many there are of each."""

    release: Release
    codes: Mapping[str, Ints]
    counts: Ints
    _known: dict[s.Formula, Bools] = field(default_factory=dict)

    def truth(self, formula: s.Formula, place: None = None) -> Bools:
        """The truth of a propositional formula at each kind of row."""
        if formula not in self._known:
            self._known[formula] = fold(self, formula, place)
        return self._known[formula]

    def length(self, place: None) -> int:
        return len(self.counts)

    def descriptor(self, formula: s.Descriptor, place: None) -> Bools:
        name = formula.attribute
        matching = self.release.signature.attributes[name].matches(formula.op, s.texts(formula))
        labels = self.release.columns[name].labels
        found: Bools = np.array([label in matching for label in labels], dtype=bool)[self.codes[name]]
        return found

    def other(self, formula: s.Formula, place: None) -> Bools:
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


class Place(NamedTuple):
    """Any row of a profile in the class x, in y, or in their union z."""

    h: str
    profile: int


@dataclass(eq=False)
class Property(Terms[Place]):
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
    _known: dict[tuple[s.Formula, Place], t.Term] = field(default_factory=dict)
    _counts: dict[tuple[s.Formula, str], t.Sum] = field(default_factory=dict)
    _products: dict[s.Likelihood, int] = field(default_factory=dict)

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
            name = self.criteria(part).attribute
            return self.kinds.codes[name] if name else np.zeros(len(self.kinds.counts), dtype=np.int64)
        return self.kinds.truth(part).astype(np.int64)

    def criteria(self, node: s.Criterion) -> ClassCriterion:
        return self.kinds.release.criteria[node]

    @property
    def range(self) -> range:
        return range(len(self.profiles))

    def text(self, goal: str) -> str:
        """Unsatisfiable only if the property is merge-closed, or upward-closed.  The classes are x and y, z is both."""
        first, second, both = map(self.holds, "xyz")
        claims = [first, second, t.neg(both)] if goal == "merge" else [first, t.neg(both)]
        return script([*self.frame(), *claims], f"{goal}-closed: two classes and their union")

    def frame(self) -> list[t.Term]:
        """What holds of any two classes: they have rows, and no more than there are in the table."""
        pairs = enumerate(self.totals) if self.exact else ()
        within = [t.compare(self.rows("z", p), "<=", total) for p, total in pairs]
        return [*within, *(t.compare(self.size(h), ">=", 1) for h in "xy")]

    def rows(self, h: str, p: int) -> t.Sum:
        """The rows of profile p in class h."""
        return self.unknown(h, str(p), "Int" if self.exact else "Real", 0)

    def unknown(self, h: str, name: str, sort: str, low: int | None) -> t.Sum:
        """A quantity of class h that adds up."""
        if h == "z":
            return self.unknown("x", name, sort, low) + self.unknown("y", name, sort, low)
        return t.number(f"{h}{name}", sort, low)

    def size(self, h: str) -> t.Sum:
        return self.count(s.TRUE, h)

    def holds(self, h: str) -> t.Term:
        """The property of the class h: true at every profile that occurs."""
        if classwise(self.formula):
            return self.truth(self.formula, Place(h, 0))
        places = [Place(h, p) for p in self.range]
        absent = [t.compare(self.rows(*place), "=", 0) for place in places]
        return t.conj(t.disj((none, self.truth(self.formula, at))) for none, at in zip(absent, places, strict=True))

    # The formula at a row of a profile in a class

    def truth(self, formula: s.Formula, place: Place) -> t.Term:
        key = formula, Place(place.h, -1) if classwise(formula) else place
        if key not in self._known:
            if propositional(formula):
                self._known[key] = t.constant(self.kinds.truth(formula)[self.profiles[place.profile]])
            else:
                self._known[key] = fold(self, formula, place)
        return self._known[key]

    def somewhere(self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: Place) -> t.Term:
        body = formula.body if wanted else s.Not(formula.body)
        if agent == "a0":
            return t.constant(bool(self.kinds.truth(body).any()))
        if agent == "a1":
            return t.compare(self.count(body, place.h), ">", 0)
        return self.other(formula, place)

    def compare(self, formula: s.Compare, difference: s.Linear, place: Place) -> t.Term:
        """Multiplied by all denominators and by the rows of the class."""
        linear = cleared(self._constants(difference) if self.exact else difference)
        return t.compare(weighed(linear, self.size(place.h), lambda term: self._counted(term, place.h)), formula.op, 0)

    def criterion(self, formula: s.Criterion, place: Place) -> t.Term:
        return self._criterion(self.criteria(formula), place.h)

    def other(self, formula: s.Formula, place: Place) -> t.Term:
        raise Unsettled(f"no symbolic form of {type(formula).__name__}")

    def count(self, body: s.Formula, h: str) -> t.Sum:
        """How many rows of class h satisfy a formula."""
        if (body, h) not in self._counts:
            rows = (t.choice(self.truth(body, Place(h, p)), self.rows(h, p)) for p in self.range)
            self._counts[body, h] = t.shared(t.added(rows))
        return self._counts[body, h]

    def _counted(self, term: s.Likelihood, h: str) -> t.Sum:
        """A likelihood times the rows of h; what a0 knows is an unknown constant, and its product adds up."""
        if term.agent == "a1":
            return self.count(term.body, h)
        if term.agent == "a0":
            return self.unknown(h, f"w{self._products.setdefault(term, len(self._products))}", "Real", None)
        raise Unsettled(f"{term.agent} sees other classes")

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

    def _criterion(self, criterion: ClassCriterion, h: str) -> t.Term:
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
        return t.conj(found)

    def _condition(self, condition: Condition, f: str, domain: tuple[Label, ...], h: str) -> t.Term:
        match condition:
            case Rows(least):
                return t.compare(self.size(h), ">=", least)
            case Several(least):
                present = [t.compare(self.count(s.equals(f, value), h), ">", 0) for value in domain]
                return t.compare(t.count((1, there) for there in present), ">=", least)
        return self.truth(without_schemas(condition, self.kinds.release), Place(h, 0))


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
