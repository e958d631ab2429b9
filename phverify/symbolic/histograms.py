"""A formula about classes over symbolic histograms: what two classes and their union
say, as SMT-LIB.

Rows are grouped into profiles: rows that agree on all that the formula looks at.  The
unknowns are how many rows of each profile a class has.  Relative frequencies are
multiplied by the size of the class, so that everything stays linear.  What a0 knows is
constant; it comes from the table, or stays an unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.exact import Bools, Ints
from phverify.microdata.quotient import packed
from phverify.microdata.table import CodedColumn
from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Rows,
    Several,
    TooLong,
)
from phverify.spec.data import Data
from phverify.spec.fold import fold
from phverify.spec.linear import cleared
from phverify.spec.merging import UPWARD, Merging
from phverify.spec.schemas import apart
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Unsettled, Values
from phverify.spec.walk import classwise, propositional
from phverify.symbolic.columns import TruthColumns, matching
from phverify.symbolic.instances import write_inner
from phverify.symbolic.local import local
from phverify.symbolic.release import SymbolicRelease
from phverify.symbolic.sums import TermCarrier, weighed

MOST_PROFILES = 256
Names = tuple[str, ...]
Criteria = Callable[[s.Criterion], ClassCriterion]


@dataclass(frozen=True, eq=False)
class Kinds(TruthColumns[None]):
    """The different rows of the table, as far as some attributes go, and how many there
    are of each.
    """

    signature: Signature
    quasi: Names
    criteria: Criteria
    columns: Mapping[str, CodedColumn]
    counts: Ints
    _known: dict[s.Formula, Bools] = field(default_factory=dict)

    def truth(self, formula: s.Formula, place: None = None) -> Bools:
        """The truth of a propositional formula at each kind of row."""
        truth = self._known.get(formula)
        if truth is None:
            truth = fold(self, formula, place)
            self._known[formula] = truth
        return truth

    def length(self, place: None) -> int:
        """How many kinds of rows there are."""
        return len(self.counts)

    def descriptor(self, formula: s.Descriptor, place: None) -> Bools:
        """Where a kind's value is one of those described."""
        column = self.columns[formula.attribute]
        of_labels = matching(formula, self.signature, column.labels)
        of_kinds: Bools = of_labels[column.codes]
        return of_kinds

    def other(self, formula: s.Formula, place: None) -> Bools:
        """Raises Unsettled."""
        raise Unsettled("a0 is asked about more than descriptors")

    def share(self, formula: s.Formula) -> Fraction:
        """``l_a0`` of a propositional formula."""
        true_rows = int(self.counts[self.truth(formula)].sum())
        return Fraction(true_rows, int(self.counts.sum()))

    def whole(self, name: str) -> dict[Label, int]:
        """How often each value of a column occurs; without one, nothing."""
        if not name:
            return {}
        domain = self.signature.attributes[name].domain
        occurring = {}
        for value in domain:
            of_value = s.equals(name, value)
            true_of_kinds = self.truth(of_value)
            occurring[value] = int(self.counts[true_of_kinds].sum())
        return occurring

    def describe(self, kind: int) -> str:
        """A kind of row in words, by its values."""
        said = [
            f"{f} = {column.labels[int(column.codes[kind])]}"
            for f, column in self.columns.items()
        ]
        joined = " & ".join(said)
        return joined or "any"


def kinds(release: SymbolicRelease, names: Names) -> Kinds:
    """The kinds of rows of a release."""
    columns = {name: release.columns[name] for name in names}
    criteria = release.criteria.__getitem__
    each = np.ones(release.size, np.int64)
    if release.places is not None:
        # Equal rows stand once.
        each = release.places.elsewhere.counts
    quasi = release.quotient.quasi
    return _distinct(Kinds(release.signature, quasi, criteria, columns, each))


def told_apart(data: Data, names: Names) -> Kinds:
    """The kinds of rows of a checker's table."""
    columns = {}
    for name in names:
        numbers = {label: number for number, label in enumerate(data.domains[name])}
        codes = [numbers[label] for label in data.columns[name]]
        columns[name] = CodedColumn(np.array(codes, dtype=np.int64), data.domains[name])
    return _distinct(
        Kinds(
            data.signature,
            data.quasi,
            data.criterion,
            columns,
            np.ones(data.rows, np.int64),
        )
    )


def _distinct(rows: Kinds) -> Kinds:
    """Rows that are alike, counted."""
    columns = rows.columns.values()
    sizes = [len(column.labels) for column in columns]
    packing, keys, _ = packed(
        [column.codes for column in columns], sizes, len(rows.counts)
    )
    distinct, rank = np.unique(keys, return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, rank, rows.counts)
    codes = dict(zip(rows.columns, packing.unpack(distinct), strict=True))
    shown = {
        name: CodedColumn(codes[name], column.labels)
        for name, column in rows.columns.items()
    }
    # what was known of rows does not fit the kinds
    return replace(rows, columns=shown, counts=counts, _known={})


def attributes(formula: s.Formula, criterion: Criteria) -> Names:
    """All attributes that a formula looks at."""
    names: dict[str, None] = {}
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor):
            names[node.attribute] = None
        elif isinstance(node, s.Criterion):
            attribute = criterion(node).attribute
            if attribute:  # a criterion of sizes has none
                names[attribute] = None
    return tuple(names)


def parts(formula: s.Formula) -> Iterator[s.Formula]:
    """What a class is seen through: maximal propositional subformulas, and criteria;
    a0's excepted.
    """
    if propositional(formula) or isinstance(formula, s.Criterion):
        yield formula
    elif isinstance(formula, s.Compare):
        for term in (*s.likelihoods(formula.left), *s.likelihoods(formula.right)):
            if term.agent == "a1":
                yield from parts(term.body)
    elif not isinstance(formula, s.Diamond | s.Box) or formula.agent == "a1":
        for child in s.children(formula):
            yield from parts(child)


class ProfilePlace(NamedTuple):
    """Any row of a profile in the class x, in y, or in their union z."""

    h: str
    profile: int


@dataclass(eq=False)
class Property(TermCarrier[ProfilePlace]):
    """The property of a class that a local formula without schemas states.

    ``exact`` histograms are integers within the table, the others rationals >= 0
    without bound.  What a0 knows are the table's constants where ``fixed``, else
    whatever constants: then the instances of a schema look alike.
    """

    formula: s.Formula
    kinds: Kinds
    exact: bool
    fixed: bool
    members: list[list[int]] = field(init=False)
    """The kinds of rows of each profile."""
    profiles: list[int] = field(init=False)
    """One of them each."""
    totals: list[int] = field(init=False)
    _known: dict[tuple[s.Formula, ProfilePlace], t.Term] = field(default_factory=dict)
    _counts: dict[tuple[s.Formula, str], t.LinearSum] = field(default_factory=dict)
    _products: dict[s.Likelihood, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        looks = [self._looks(part) for part in dict.fromkeys(parts(self.formula))]
        shape = len(looks), len(self.kinds.counts)
        seen = np.array(looks, dtype=np.int64).reshape(shape)
        # Kinds that look alike make up a profile.
        groups: dict[bytes, list[int]] = {}
        for kind, vector in enumerate(np.ascontiguousarray(seen.T)):
            groups.setdefault(vector.tobytes(), []).append(kind)
        # in an order of their own: the text does not depend on that of the rows
        groups = dict(sorted(groups.items()))
        if len(groups) > MOST_PROFILES:
            raise Unsettled(
                f"the formula tells {len(groups)} kinds of rows apart (at most"
                f" {MOST_PROFILES})"
            )
        self.members = list(groups.values())
        self.profiles = [members[0] for members in self.members]
        self.totals = [
            int(self.kinds.counts[members].sum()) for members in self.members
        ]

    def _looks(self, part: s.Formula) -> Ints:
        if isinstance(part, s.Criterion):
            name = self.kinds.criteria(part).attribute
            if name:
                return self.kinds.columns[name].codes
            # a criterion of sizes has no column: to it all kinds look alike
            return np.zeros(len(self.kinds.counts), dtype=np.int64)
        return self.kinds.truth(part).astype(np.int64)

    @property
    def range(self) -> range:
        """The numbers of the profiles."""
        return range(len(self.profiles))

    def text(self, goal: str) -> str:
        """Unsatisfiable only if the property is merge-closed, or upward-closed.  The
        classes are x and y, z is both.
        """
        first, second, both = map(self.holds, "xyz")
        if goal == "merge":
            claims = [first, second, t.neg(both)]
        else:
            # of the other class nothing is asked: it may be any
            claims = [first, t.neg(both)]
        return script(
            [*self.frame(), *claims],
            f"{goal}-closed: two classes and their union",
            logic=True,
        )

    def frame(self) -> list[t.Term]:
        """What holds of any two classes: they have rows, and no more than there are in
        the table.
        """
        limits = [t.compare(self.size(h), ">=", 1) for h in "xy"]
        if not self.exact:
            return limits
        # z holds x and y: both fit into the table
        within = []
        for profile, total in enumerate(self.totals):
            within.append(t.compare(self.rows("z", profile), "<=", total))
        return [*within, *limits]

    def rows(self, h: str, p: int) -> t.LinearSum:
        """The rows of profile p in class h."""
        sort = "Int" if self.exact else "Real"
        return self.unknown(h, str(p), sort, 0)

    def unknown(self, h: str, name: str, sort: str, low: int | None) -> t.LinearSum:
        """A quantity of class h that adds up."""
        # z is the union of x and y: what adds up is their sum
        if h == "z":
            return self.unknown("x", name, sort, low) + self.unknown(
                "y", name, sort, low
            )
        return t.number(f"{h}{name}", sort, low)

    def size(self, h: str) -> t.LinearSum:
        """The rows of class h."""
        return self.count(s.TRUE, h)

    def holds(self, h: str) -> t.Term:
        """The property of the class h: true at every profile that occurs."""
        formula = self.formula
        if classwise(formula):  # any profile will do
            return self.truth(formula, ProfilePlace(h, 0))
        claims = []
        for profile in self.range:
            rows = self.rows(h, profile)
            absent = t.compare(rows, "=", 0)
            place = ProfilePlace(h, profile)
            true_there = self.truth(formula, place)
            claims.append(t.disj((absent, true_there)))
        return t.conj(claims)

    # The formula at a row of a profile in a class

    def truth(self, formula: s.Formula, place: ProfilePlace) -> t.Term:
        """The truth of a formula at a row, worked out once."""
        # what speaks of the class as such is the same at all its rows
        where = ProfilePlace(place.h, -1) if classwise(formula) else place
        key = formula, where
        term = self._known.get(key)
        if term is not None:
            return term
        if propositional(formula):
            kind = self.profiles[place.profile]
            here = self.kinds.truth(formula)[kind]
            term = t.constant(here)
        else:
            term = fold(self, formula, place)
        self._known[key] = term
        return term

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, place: ProfilePlace
    ) -> t.Term:
        """Some row of the agent's cell has the wanted truth."""
        body = formula.body if wanted else s.Not(formula.body)
        # a0 sees all rows of the table, whichever the class
        if agent == "a0":
            return t.constant(bool(self.kinds.truth(body).any()))
        if agent == "a1":
            return t.compare(self.count(body, place.h), ">", 0)
        return self.other(formula, place)

    def compare(
        self, formula: s.Compare, difference: s.Linear, place: ProfilePlace
    ) -> t.Term:
        """Multiplied by all denominators and by the rows of the class."""
        # what a0 knows becomes a constant: so the sum stays linear
        linear = cleared(
            s.map_linear(difference, self._constant) if self.fixed else difference
        )
        return t.compare(
            weighed(
                linear, self.size(place.h), lambda term: self._counted(term, place.h)
            ),
            formula.op,
            0,
        )

    def criterion(self, formula: s.Criterion, place: ProfilePlace) -> t.Term:
        """All conditions of a criterion."""
        criterion = self.kinds.criteria(formula)
        return self._criterion(criterion, place.h)

    def other(self, formula: s.Formula, place: ProfilePlace) -> t.Term:
        """Raises Unsettled."""
        raise Unsettled(f"no symbolic form of {type(formula).__name__}")

    def count(self, body: s.Formula, h: str) -> t.LinearSum:
        """How many rows of class h satisfy a formula."""
        key = body, h
        total = self._counts.get(key)
        if total is None:
            rows = []
            for profile in self.range:
                true_there = self.truth(body, ProfilePlace(h, profile))
                own_rows = self.rows(h, profile)
                rows.append(t.conditional(true_there, own_rows))
            total = t.shared(t.added(rows))
            self._counts[key] = total
        return total

    def _counted(self, term: s.Likelihood, h: str) -> t.LinearSum:
        """A likelihood times the rows of h; what a0 knows is an unknown constant, and
        its product adds up.
        """
        agent = term.agent
        if agent == "a1":
            return self.count(term.body, h)
        if agent == "a0":
            unused = len(self._products)
            number = self._products.setdefault(term, unused)
            name = f"w{number}"
            return self.unknown(h, name, "Real", None)
        raise Unsettled(f"{agent} sees other classes")

    def _constant(self, term: s.Likelihood) -> Fraction | s.Likelihood:
        """What a0 knows as a number."""
        if term.agent != "a0":
            return term
        return self.kinds.share(term.body)

    def _criterion(self, criterion: ClassCriterion, h: str) -> t.Term:
        """All its conditions over the values of its column."""
        f = criterion.attribute
        whole = self.kinds.whole(f)
        domain = tuple(whole)
        terms = []
        try:
            for condition in criterion.conditions(domain, whole):
                terms.append(self._condition(condition, f, domain, h))
        except TooLong as error:
            raise Unsettled(str(error)) from None
        return t.conj(terms)

    def _condition(
        self, condition: Condition, f: str, domain: Values, h: str
    ) -> t.Term:
        match condition:
            case Rows(least):
                return t.compare(self.size(h), ">=", least)
            case Several(least):
                present = [
                    t.compare(self.count(s.equals(f, value), h), ">", 0)
                    for value in domain
                ]
                return t.compare(t.count((1, there) for there in present), ">=", least)
        return self.truth(
            without_schemas(condition, self.kinds.signature, self.kinds.quasi),
            ProfilePlace(h, 0),
        )


def merging(asked: Merging) -> str:
    """The text of a checker's question.  Raises Refused when there is none."""
    formula = s.conj(*dict.fromkeys(asked.bodies))
    rows = told_apart(asked.data, attributes(formula, asked.data.criterion))
    return Property(formula, rows, asked.exact, fixed=True).text(
        "upward" if asked.goal == UPWARD else "merge"
    )


def written(formula: s.Formula, release: SymbolicRelease) -> s.Formula:
    """A formula without schemas, and without criteria that no lemma knows: a subclass
    may mean something else.
    """

    def known(part: s.Formula) -> s.Formula:
        if isinstance(part, s.Criterion):
            criterion = release.criteria[part]
            if criterion.lemma():
                return part
            return by_formula(criterion, release)
        return s.rebuild(part, known)

    return known(write_inner(formula, release.signature))


def by_formula(criterion: ClassCriterion, release: SymbolicRelease) -> s.Formula:
    """The theorem's formula of a criterion, without schemas.  Raises Unsettled when it
    names individuals.
    """
    return without_schemas(
        criterion.formula(release.signature), release.signature, release.quotient.quasi
    )


def without_schemas(
    formula: s.Formula, signature: Signature, quasi: Names
) -> s.Formula:
    """What a criterion says of a class.  Raises Unsettled when it names individuals."""
    # not as a rule, where everyone's place is any place: below a connective
    inside = s.Not(s.Not(formula))
    if not local(inside, quasi):
        raise Unsettled("a criterion about individuals has no symbolic form")
    separated = apart(formula)
    return write_inner(separated, signature)
