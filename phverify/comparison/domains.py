"""Which values the columns of a table may have: the named ones, and others that no
formula tells apart.

A *choice* settles, for every column whose values matter as such (a criterion or a
schema ranges over them), which values occur; columns that only descriptors look at have
one other value for all that are not named.

Where the number of values is not bounded, some values are looked at one by one, and a
*bundle* stands for any number of others (``comparison.endless``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from phverify.comparison.naming import Formulas, Seen, seen, values
from phverify.comparison.sides import ComparisonFrame, Names
from phverify.comparison.spread import between, spread
from phverify.errors import PhverifyError
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.base import reciprocal
from phverify.spec.criterion.registry import subjects, unprepared
from phverify.spec.signature import Attribute, Signature
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType

Values = tuple[Label, ...]
Sizes = Mapping[str, int]
"""Numbers of values by column."""
FEWEST_VALUES = 4
MOST_VALUES = 12
"""Without ``--values``, bounds are between these."""
MOST_PROFILES = 96
MOST_CHOICES = 2000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Undecided(PhverifyError):
    """Why a question stays open."""


@dataclass(frozen=True, eq=False)
class ValueChoice:
    """``attributes`` have their possible values as domains; those of ``active`` must
    occur.

    ``bundles`` are labels in these domains that stand for any number of values each,
    which no formula names. A profile gives a row its value in every column.
    """

    attributes: Mapping[str, Attribute]
    active: Mapping[str, Values]
    bundles: Mapping[str, Values] = field(default_factory=dict)

    @cached_property
    def profiles(self) -> list[Mapping[str, Label]]:
        domains = [attribute.domain for attribute in self.attributes.values()]
        many = math.prod(map(len, domains))
        if many > MOST_PROFILES:
            raise Undecided(
                f"the formulas tell {many} kinds of rows apart (at most"
                f" {MOST_PROFILES})"
            )
        return [
            dict(zip(self.attributes, row, strict=True))
            for row in itertools.product(*domains)
        ]

    def single(self, name: str) -> Values:
        """The values of a column that are looked at one by one."""
        return tuple(
            v
            for v in self.attributes[name].domain
            if v not in self.bundles.get(name, ())
        )

    def signature(self, agents: Names = ()) -> Signature:
        """A language whose schemas range over single values."""
        return Signature(
            {n: replace(a, domain=self.single(n)) for n, a in self.attributes.items()},
            agents,
            0,
        )


@dataclass(frozen=True, eq=False)
class Domains:
    """The columns that matter; ``most`` are those whose values are ranged over, with
    how many values each may have.

    ``wanted`` values bring all named thresholds within reach (or are those of a given
    table); nobody asked for fewer where it is more than ``most``.  ``above`` leaves out
    the tables that have no more values than it says. ``endless``: there may be more
    values than ``most``, in bundles.
    """

    frame: ComparisonFrame
    used: Names
    most: Sizes
    wanted: Sizes = field(default_factory=dict)
    above: Sizes = field(default_factory=dict)
    endless: bool = False

    @cached_property
    def count(self) -> int:
        """How many choices there are.  Raises Undecided when there are too many."""
        some = (
            itertools.islice(self._options(name), MOST_CHOICES + 1)
            for name in self.used
        )
        many = math.prod(sum(1 for _ in options) for options in some)
        if many > MOST_CHOICES:
            raise Undecided(
                f"values can be chosen in more than {MOST_CHOICES} ways (--values makes"
                " them fewer)"
            )
        return many

    @property
    def short(self) -> list[str]:
        """The columns where more values are called for than are looked at, and nobody
        asked for so few.
        """
        return [name for name, many in self.wanted.items() if many > self.most[name]]

    def finite(self, name: str) -> int | None:
        """How many values a column can have at all, where a list or a hierarchy says
        which there are.
        """
        listed = self._all(name)
        return (
            len(listed) + self.special(name)
            if listed or self.kind(name).name == "ordered"
            else None
        )

    def special(self, name: str) -> int:
        """How many values are unlike all others."""
        return len(self.required(name)) + len(self._optional(name))

    def choices(self) -> Iterator[ValueChoice]:
        """Every choice, those with few values first."""
        options = [list(self._options(name)) for name in self.used]
        for found in sorted(
            itertools.product(*options),
            key=lambda c: sum(len(domain) for domain, _ in c),
        ):
            chosen = dict(zip(self.used, found, strict=True))
            if self.above and all(
                len(chosen[name][0]) <= many for name, many in self.above.items()
            ):
                continue
            known, active, bundles = {}, {}, {}
            for name, (domain, active[name]) in chosen.items():
                if name in self.most and self.endless:
                    bundles[name] = self._bundles(name, domain)
                whole = self._sorted(name, (*domain, *bundles.get(name, ())))
                known[name] = Attribute(name, self.kind(name), whole, any_value=True)
            yield ValueChoice(known, active, bundles)

    def _bundles(self, name: str, domain: Values) -> Values:
        """Labels for the values that are not looked at one by one: two for each gap
        between named values.

        Fewer values than ``most`` are all there are, and so are those of a list.
        """
        if len(domain) < self.most[name] or self.finite(name) is not None:
            return ()
        found: list[Label] = []
        for gap in self._gaps(name, self.most[name] + 2):
            free = [v for v in gap if v not in domain][:2]
            if len(free) == 1:
                raise Undecided("a single value lies between two that are named")
            found += free
        return tuple(found)

    def kind(self, name: str) -> ValueType:
        return self.frame.types.get(name, TEXT)

    def named(self, name: str) -> list[Label]:
        """The values of a column that formulas name."""
        return list(
            dict.fromkeys(v for f in self.frame.formulas() for v in values(f, name))
        )

    def required(self, name: str) -> list[Label]:
        """Named values that must occur: elsewhere ``verify`` takes them for a slip of
        the pen.
        """
        known = (
            self.frame.hierarchies[name].paths if name in self.frame.hierarchies else {}
        )
        text = self.kind(name) == TEXT
        return [
            v for v in self.named(name) if v is not None and text and v not in known
        ]

    def _optional(self, name: str) -> list[Label]:
        """Values that are unlike all others and need not occur."""
        needed = self.required(name)
        free = [
            v
            for v in self.named(name)
            if v not in needed and not (v is None and self.frame.whole)
        ]
        plain = name not in self._measured and name not in self._distances
        if (
            self.kind(name).ordered
            and None not in free
            and not self.frame.whole
            and plain
        ):
            free.append(None)  # a missing cell has no place in the order
        return free

    def _options(self, name: str) -> Iterator[tuple[Values, Values]]:
        """The possible values and those that must occur."""
        needed, free = self.required(name), self._optional(name)
        if name not in self.most:
            rest = self._all(name) or itertools.chain.from_iterable(self._gaps(name, 1))
            yield self._sorted(name, (*needed, *free, *rest)), tuple(needed)
            return
        for many in range(min(len(free), self.most[name] - len(needed)) + 1):
            for chosen in itertools.combinations(free, many):
                for others in self._others(name, self.most[name] - len(needed) - many):
                    if domain := self._sorted(name, (*needed, *chosen, *others)):
                        yield domain, domain

    def _others(self, name: str, most: int) -> Iterator[Values]:
        """Sets of at most ``most`` values that are not named."""
        if listed := self._all(name):
            for k in range(most + 1):
                yield from itertools.combinations(listed, k)
        elif name in self._distances:
            if self.named(name):
                raise Undecided(
                    f"the distances of the values of {name!r} from those that are named"
                    " are not run through"
                )
            bounds = [unprepared(node).distance_bound for node in self._distances[name]]
            yield from spread(self.kind(name), bounds, most)
        else:
            gaps = self._gaps(name, most)
            for counts in _at_most(most, list(map(len, gaps))):
                taken = (gap[:k] for gap, k in zip(gaps, counts, strict=True))
                yield tuple(itertools.chain.from_iterable(taken))

    @cached_property
    def _measured(self) -> Seen:
        """Columns with a distance between values."""
        return seen(self.frame.formulas(), "order", "tree")

    @cached_property
    def _distances(self) -> Seen:
        """Columns whose values are subtracted."""
        return seen(self.frame.formulas(), "numbers")

    def _all(self, name: str) -> list[Label]:
        """All values that are not named, where a list or a hierarchy says which there
        are.
        """
        listed: Iterable[str] = self.kind(name).order
        if not listed and name in self.frame.hierarchies and name in self._measured:
            listed = self.frame.hierarchies[name].paths
        return [v for v in listed if v not in self.named(name)]

    def _gaps(self, name: str, most: int) -> list[list[str]]:
        """Unnamed values below, between and above the named ones; those of one gap look
        alike.
        """
        kind, named = self.kind(name), self.named(name)
        if not kind.ordered:
            found = itertools.chain(LETTERS, (f"v{k}" for k in itertools.count(1)))
            return [list(itertools.islice((v for v in found if v not in named), most))]
        texts = sorted([v for v in named if v is not None], key=kind.key)
        return [
            between(kind, low, high, most)
            for low, high in itertools.pairwise([None, *texts, None])
        ]

    def _sorted(self, name: str, labels: Values) -> Values:
        kind = self.kind(name)
        texts = sorted(
            [v for v in labels if v is not None], key=lambda v: (kind.key(v), v)
        )
        return (*texts, None) if None in labels else tuple(texts)


def domains(
    frame: ComparisonFrame, most: int | None, counts: Sizes | None = None
) -> Domains:
    """The columns of a comparison.  ``most`` is raised to the named values that must
    occur.

    ``counts`` are the values that the columns of a table have: no release of it has
    more.
    """
    used = tuple(
        dict.fromkeys(name for f in frame.formulas() for name in attributes(f))
    )
    if named := seen(frame.formulas(), "names"):
        node = next(iter(named.values()))[0]
        raise Undecided(
            f"{node.name} speaks of values by their names: no other values can stand"
            " for them"
        )
    inside = [name for name in used if name in frame.quasi]
    if inside:
        raise Undecided(f"a rule looks at values of the quasi-identifier {inside[0]!r}")
    over = set(ranged(frame.formulas()))
    blank = Domains(frame, used, {})
    least = {name: len(blank.required(name)) for name in used if name in over}
    wanted = dict.fromkeys(least, enough(frame, max(least.values(), default=0)))
    if counts is not None:
        wanted = {name: max(many, counts[name]) for name, many in least.items()}
    bounds = {
        name: max(many, most or min(wanted[name], MOST_VALUES))
        for name, many in least.items()
    }
    found = Domains(frame, used, bounds, {} if most else wanted)
    found.count  # noqa: B018  raises Undecided
    return found


def ranged(formulas: Formulas) -> Iterator[str]:
    """The columns over whose values schemas and criteria range; "" for schemas over
    something else.
    """
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Quantified):
                yield from (binder.attribute for binder in node.binders)
            elif isinstance(node, s.Criterion):
                yield from subjects(node)


def enough(frame: ComparisonFrame, least: int) -> int:
    """A number of values at which no threshold of the formulas is out of reach: l + 1,
    1/alpha + 1, 1/c + l, ..
    """
    found: list[Fraction | int] = [FEWEST_VALUES - 1, least]
    for formula in frame.formulas():
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion):
                found += unprepared(node).reach
            elif isinstance(node, s.Compare):
                found += _shares(s.minus(node.left, node.right))
            elif isinstance(node, s.Quantified):
                found += [binder.length for binder in node.binders]
    return math.ceil(max(found)) + 1


def _shares(linear: s.Linear) -> Iterator[Fraction]:
    """One over the share of a value at which its likelihood alone meets the constant.

    The likelihood of a nominal is no share of a value: ``l_a1(i) <= 0.09`` asks for
    rows.
    """
    nodes = [
        node for term in s.likelihoods(linear) for node in s.subformulas(term.body)
    ]
    if any(isinstance(node, s.Nominal | s.At) for node in nodes):
        return
    factors = {Fraction(1), *(abs(coefficient) for coefficient, _ in linear.terms)}
    for factor in factors - {0}:
        yield from reciprocal(linear.constant / factor)


def _at_most(most: int, room: list[int]) -> Iterator[tuple[int, ...]]:
    """Numbers of things taken from places with so much room, at most ``most``
    together.
    """
    if not room:
        yield ()
        return
    for k in range(min(most, room[0]) + 1):
        for rest in _at_most(most - k, room[1:]):
            yield (k, *rest)
