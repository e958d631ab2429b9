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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from phverify.comparison.naming import Formulas, Seen, seen, unprepared, values
from phverify.comparison.sides import ComparisonFrame, Names
from phverify.comparison.spread import between, spread
from phverify.errors import PhverifyError
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.asked import subjects
from phverify.spec.criterion.shares import reciprocal
from phverify.spec.signature import Attribute, Signature
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType

Values = tuple[Label, ...]
Option = tuple[Values, Values]
"""The possible values of a column, and those that must occur."""
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
        """Every row that formulas tell apart.  Raises Undecided for too many."""
        domains = [attribute.domain for attribute in self.attributes.values()]
        many = math.prod(map(len, domains))
        # counted before any row is made
        if many > MOST_PROFILES:
            raise Undecided(
                f"the formulas tell {many} kinds of rows apart (at most"
                f" {MOST_PROFILES})"
            )
        rows = itertools.product(*domains)
        return [dict(zip(self.attributes, row, strict=True)) for row in rows]

    def single(self, name: str) -> Values:
        """The values of a column that are looked at one by one."""
        bundles = self.bundles.get(name, ())
        attribute = self.attributes[name]
        left = [value for value in attribute.domain if value not in bundles]
        return tuple(left)

    def signature(self, agents: Names = ()) -> Signature:
        """A language whose schemas range over single values."""
        single: dict[str, Attribute] = {}
        for name, attribute in self.attributes.items():
            domain = self.single(name)
            single[name] = replace(attribute, domain=domain)
        return Signature(single, agents, 0)


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
        many = 1
        for name in self.used:
            # one more than the limit is enough to see that it is exceeded
            options = itertools.islice(self._options(name), MOST_CHOICES + 1)
            many *= len(list(options))
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
        names = self.wanted
        return [name for name in names if self.wanted[name] > self.most[name]]

    def finite(self, name: str) -> int | None:
        """How many values a column can have at all, where a list or a hierarchy says
        which there are.
        """
        listed = self._all(name)
        kind = self.kind(name)
        if not listed and kind.name != "ordered":
            return None
        unlisted = self.special(name)
        return len(listed) + unlisted

    def special(self, name: str) -> int:
        """How many values are unlike all others."""
        required = self.required(name)
        optional = self._optional(name)
        return len(required) + len(optional)

    def choices(self) -> Iterator[ValueChoice]:
        """Every choice, those with few values first."""
        options = [list(self._options(name)) for name in self.used]
        # few values first: such tables are small, and asked about quickly
        for chosen in sorted(itertools.product(*options), key=_values_in_all):
            by_column = dict(zip(self.used, chosen, strict=True))
            if not self._left_out(by_column):
                yield self._choice(by_column)

    def _left_out(self, by_column: Mapping[str, Option]) -> bool:
        """Whether these tables have no more values than ``above`` says."""
        if not self.above:
            return False
        for name, many in self.above.items():
            domain, _ = by_column[name]
            if len(domain) > many:
                return False
        return True

    def _choice(self, by_column: Mapping[str, Option]) -> ValueChoice:
        """The choice of these values, with bundles where there may be more."""
        known: dict[str, Attribute] = {}
        active: dict[str, Values] = {}
        bundles: dict[str, Values] = {}
        for name, (domain, needed) in by_column.items():
            active[name] = needed
            if name in self.most and self.endless:
                bundles[name] = self._bundles(name, domain)
            whole = self._sorted(name, (*domain, *bundles.get(name, ())))
            known[name] = Attribute(name, self.kind(name), whole, any_value=True)
        return ValueChoice(known, active, bundles)

    def _bundles(self, name: str, domain: Values) -> Values:
        """Labels for the values that are not looked at one by one: two for each gap
        between named values.

        Fewer values than ``most`` are all there are, and so are those of a list.
        """
        most = self.most[name]
        few = len(domain) < most
        if few or self.finite(name) is not None:
            return ()
        labels: list[Label] = []
        for gap in self._gaps(name, most + 2):
            free = [value for value in gap if value not in domain]
            if len(free) == 1:
                what = "a single value lies between two that are named"
                raise Undecided(what)
            labels += free[:2]
        return tuple(labels)

    def kind(self, name: str) -> ValueType:
        """The type of a column."""
        return self.frame.types.get(name, TEXT)

    def named(self, name: str) -> list[Label]:
        """The values of a column that formulas name."""
        # in the order of the formulas, so that each run numbers them alike
        named: dict[Label, None] = {}
        for formula in self.frame.formulas():
            for value in values(formula, name):
                named[value] = None
        return list(named)

    def required(self, name: str) -> list[Label]:
        """Named values that must occur: elsewhere ``verify`` takes them for a slip of
        the pen.
        """
        if self.kind(name) != TEXT:
            return []
        hierarchies = self.frame.hierarchies
        known = hierarchies[name].paths if name in hierarchies else {}
        texts = [value for value in self.named(name) if value is not None]
        return [value for value in texts if value not in known]

    def _optional(self, name: str) -> list[Label]:
        """Values that are unlike all others and need not occur."""
        needed = self.required(name)
        free = [value for value in self.named(name) if value not in needed]
        if self.frame.whole:
            # no cell may be missing
            return [value for value in free if value is not None]
        plain = name not in self._measured and name not in self._distances
        if self.kind(name).ordered and plain and None not in free:
            free.append(None)  # a missing cell has no place in the order
        return free

    def _options(self, name: str) -> Iterator[Option]:
        """The possible values and those that must occur."""
        needed = self.required(name)
        free = self._optional(name)
        # only descriptors look at it: one value stands for all of a gap
        if name not in self.most:
            rest = self._all(name) or itertools.chain.from_iterable(self._gaps(name, 1))
            yield self._sorted(name, (*needed, *free, *rest)), tuple(needed)
            return
        room = self.most[name] - len(needed)
        for many in range(min(len(free), room) + 1):
            for chosen in itertools.combinations(free, many):
                for others in self._others(name, room - many):
                    domain = self._sorted(name, (*needed, *chosen, *others))
                    if domain:
                        yield domain, domain

    def _others(self, name: str, most: int) -> Iterator[Values]:
        """Sets of at most ``most`` values that are not named."""
        listed = self._all(name)
        if listed:
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
                # those of one gap look alike: the first ones stand for all
                taken: list[Label] = []
                for gap, many in zip(gaps, counts, strict=True):
                    taken += gap[:many]
                yield tuple(taken)

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
        hierarchies = self.frame.hierarchies
        if not listed and name in hierarchies and name in self._measured:
            listed = hierarchies[name].paths
        named = self.named(name)
        return [value for value in listed if value not in named]

    def _gaps(self, name: str, most: int) -> list[list[str]]:
        """Unnamed values below, between and above the named ones; those of one gap look
        alike.
        """
        kind = self.kind(name)
        named = self.named(name)
        if not kind.ordered:
            letters = itertools.chain(LETTERS, map("v{}".format, itertools.count(1)))
            free = (letter for letter in letters if letter not in named)
            return [list(itertools.islice(free, most))]
        texts = sorted([v for v in named if v is not None], key=kind.key)
        ends = itertools.pairwise([None, *texts, None])
        return [between(kind, low, high, most) for low, high in ends]

    def _sorted(self, name: str, labels: Values) -> Values:
        """Labels in the order of their type, a missing one last."""
        kind = self.kind(name)
        texts = [label for label in labels if label is not None]
        # two texts may be one number: then the texts settle the order
        texts.sort(key=lambda text: (kind.key(text), text))
        if None in labels:
            return (*texts, None)
        return tuple(texts)


def _values_in_all(options: Sequence[Option]) -> int:
    """How many values all columns have together."""
    return sum(len(domain) for domain, _ in options)


def domains(
    frame: ComparisonFrame, most: int | None, counts: Sizes | None = None
) -> Domains:
    """The columns of a comparison.  ``most`` is raised to the named values that must
    occur.

    ``counts`` are the values that the columns of a table have: no release of it has
    more.
    """
    used: dict[str, None] = {}
    for formula in frame.formulas():
        used |= dict.fromkeys(attributes(formula))
    named = seen(frame.formulas(), "names")
    if named:
        node = next(iter(named.values()))[0]
        raise Undecided(
            f"{node.name} speaks of values by their names: no other values can stand"
            " for them"
        )
    inside = [name for name in used if name in frame.quasi]
    if inside:
        raise Undecided(f"a rule looks at values of the quasi-identifier {inside[0]!r}")
    over = set(ranged(frame.formulas()))
    blank = Domains(frame, tuple(used), {})
    least = {name: len(blank.required(name)) for name in used if name in over}
    wanted = dict.fromkeys(least, enough(frame, max(least.values(), default=0)))
    if counts is not None:
        wanted = {name: max(many, counts[name]) for name, many in least.items()}
    bounds: dict[str, int] = {}
    for name, many in least.items():
        bounds[name] = max(many, most or min(wanted[name], MOST_VALUES))
    space = Domains(frame, tuple(used), bounds, {} if most else wanted)
    space.count  # noqa: B018  raises Undecided
    return space


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
    thresholds: list[Fraction | int] = [FEWEST_VALUES - 1, least]
    for formula in frame.formulas():
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion):
                thresholds += unprepared(node).reach
            elif isinstance(node, s.Compare):
                thresholds += _shares(s.minus(node.left, node.right))
            elif isinstance(node, s.Quantified):
                thresholds += [binder.length for binder in node.binders]
    return math.ceil(max(thresholds)) + 1


def _shares(linear: s.Linear) -> Iterator[Fraction]:
    """One over the share of a value at which its likelihood alone meets the constant.

    The likelihood of a nominal is no share of a value: ``l_a1(i) <= 0.09`` asks for
    rows.
    """
    for term in s.likelihoods(linear):
        for node in s.subformulas(term.body):
            if isinstance(node, s.Nominal | s.At):
                return
    magnitudes = [abs(coefficient) for coefficient, _ in linear.terms]
    factors = {Fraction(1), *magnitudes}
    for factor in factors:
        if factor:
            share = linear.constant / factor
            yield from reciprocal(share)


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
