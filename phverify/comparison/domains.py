"""Which values the columns of a table may have: the named ones, and others that no formula tells apart.

A *choice* settles, for every column whose values matter as such (a criterion or a schema ranges over them), which
values occur; columns that only descriptors look at have one other value for all that are not named.

Where the number of values is not bounded, some values are looked at one by one, and a *bundle* stands for any number
of others (``compare.endless``).
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from phverify.comparison.frame import Frame, ordered_ones, seen, values
from phverify.comparison.spread import spread
from phverify.errors import PhverifyError
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criteria.base import reciprocal
from phverify.spec.criteria.registry import attributes, subjects, unprepared
from phverify.spec.names import Attribute, Signature
from phverify.spec.types import TEXT, ValueType

FEWEST_VALUES = 4
MOST_VALUES = 12
"""Without ``--values``, bounds are between these."""
MOST_PROFILES = 96
MOST_CHOICES = 2000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Open(PhverifyError):
    """Why a question stays open."""


@dataclass(frozen=True, eq=False)
class Choice:
    """``attributes`` have their possible values as domains; those of ``active`` must occur.

    ``bundles`` are labels in these domains that stand for any number of values each, which no formula names.
    A profile gives a row its value in every column.
    """

    attributes: Mapping[str, Attribute]
    active: Mapping[str, tuple[Label, ...]]
    bundles: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)

    @cached_property
    def profiles(self) -> tuple[Mapping[str, Label], ...]:
        many = math.prod(len(a.domain) for a in self.attributes.values())
        if many > MOST_PROFILES:
            raise Open(f"the formulas tell {many} kinds of rows apart (at most {MOST_PROFILES})")
        rows = itertools.product(*(a.domain for a in self.attributes.values()))
        return tuple(dict(zip(self.attributes, row, strict=True)) for row in rows)

    def single(self, name: str) -> tuple[Label, ...]:
        """The values of a column that are looked at one by one."""
        return tuple(v for v in self.attributes[name].domain if v not in self.bundles.get(name, ()))

    def signature(self, agents: tuple[str, ...] = (), rows: int = 0) -> Signature:
        """A language whose schemas range over single values."""
        attributes = {name: replace(a, domain=self.single(name)) for name, a in self.attributes.items()}
        return Signature(attributes, agents, rows)


@dataclass(frozen=True, eq=False)
class Domains:
    """The columns that matter; ``most`` are those whose values are ranged over, with how many values each may have.

    ``wanted`` values bring all named thresholds within reach (or are those of a given table); nobody asked for fewer
    where it is more than ``most``.  ``above`` leaves out the tables that have no more values than it says.
    ``endless``: there may be more values than ``most``, in bundles.
    """

    frame: Frame
    used: tuple[str, ...]
    most: Mapping[str, int]
    wanted: Mapping[str, int] = field(default_factory=dict)
    above: Mapping[str, int] = field(default_factory=dict)
    endless: bool = False

    @cached_property
    def count(self) -> int:
        """How many choices there are.  Raises Open when there are too many."""
        some = (itertools.islice(self._options(name), MOST_CHOICES + 1) for name in self.used)
        many = math.prod(len(list(options)) for options in some)
        if many > MOST_CHOICES:
            raise Open(f"values can be chosen in more than {MOST_CHOICES} ways (--values makes them fewer)")
        return many

    @property
    def short(self) -> list[str]:
        """The columns where more values are called for than are looked at, and nobody asked for so few."""
        return [name for name, many in self.wanted.items() if many > self.most[name]]

    def finite(self, name: str) -> int | None:
        """How many values a column can have at all, where a list or a hierarchy says which there are."""
        listed = self._all(name)
        limited = listed or self.kind(name).name == "ordered"
        return len(listed) + self.special(name) if limited else None

    def special(self, name: str) -> int:
        """How many values are unlike all others."""
        return len(self.required(name)) + len(self.optional(name))

    def choices(self) -> Iterator[Choice]:
        """Every choice, those with few values first."""
        options = [list(self._options(name)) for name in self.used]
        for found in sorted(itertools.product(*options), key=lambda c: sum(len(domain) for domain, _ in c)):
            domains = {name: domain for name, (domain, _) in zip(self.used, found, strict=True)}
            active = {name: needed for name, (_, needed) in zip(self.used, found, strict=True)}
            if self.above and all(len(domains[name]) <= many for name, many in self.above.items()):
                continue
            bundles = {name: self._bundles(name, domains[name]) for name in self.most if self.endless}
            whole = {name: self._sorted(name, [*d, *bundles.get(name, ())]) for name, d in domains.items()}
            yield Choice({n: self._attribute(n, d) for n, d in whole.items()}, active, bundles)

    def _bundles(self, name: str, domain: tuple[Label, ...]) -> tuple[Label, ...]:
        """Labels for the values that are not looked at one by one: two for each gap between named values.

        Fewer values than ``most`` are all there are, and so are those of a list.
        """
        if len(domain) < self.most[name] or self.finite(name) is not None:
            return ()
        free = [[v for v in gap if v not in domain] for gap in self._gaps(name, self.most[name] + 2)]
        if any(len(gap) == 1 for gap in free):
            raise Open("a single value lies between two that are named")
        return tuple(v for gap in free for v in gap[:2])

    def _attribute(self, name: str, domain: tuple[Label, ...]) -> Attribute:
        return Attribute(name, self.kind(name), domain, any_value=True)

    def kind(self, name: str) -> ValueType:
        return self.frame.types.get(name, TEXT)

    def named(self, name: str) -> list[Label]:
        """The values of a column that formulas name."""
        return list(dict.fromkeys(v for f in self.frame.formulas() for v in values(f, name)))

    def required(self, name: str) -> list[Label]:
        """Named values that must occur: elsewhere ``verify`` takes them for a slip of the pen."""
        known = self.frame.hierarchies[name].paths if name in self.frame.hierarchies else {}
        text = self.kind(name) == TEXT
        return [v for v in self.named(name) if v is not None and text and v not in known]

    def optional(self, name: str) -> list[Label]:
        """Values that are unlike all others and need not occur."""
        needed = self.required(name)
        free = [v for v in self.named(name) if v not in needed and not (v is None and self.frame.whole)]
        ordered = self.kind(name).ordered
        if ordered and None not in free and not self.frame.whole and not self._measured(name):
            free.append(None)  # a missing cell has no place in the order
        return free

    def _options(self, name: str) -> Iterator[tuple[tuple[Label, ...], tuple[Label, ...]]]:
        """The possible values and those that must occur."""
        needed, free = self.required(name), self.optional(name)
        if name not in self.most:
            rest = self._all(name) or [v for gap in self._gaps(name, 1) for v in gap]
            yield self._sorted(name, [*needed, *free, *rest]), tuple(needed)
            return
        for chosen in itertools.chain.from_iterable(itertools.combinations(free, k) for k in range(len(free) + 1)):
            if len(needed) + len(chosen) <= self.most[name]:
                for others in self._others(name, self.most[name] - len(needed) - len(chosen)):
                    domain = self._sorted(name, [*needed, *chosen, *others])
                    if domain:
                        yield domain, domain

    def _others(self, name: str, most: int) -> Iterator[tuple[Label, ...]]:
        """Sets of at most ``most`` values that are not named."""
        listed = self._all(name)
        if listed:
            for k in range(most + 1):
                yield from itertools.combinations(listed, k)
            return
        if name in self._distances:
            if self.named(name):
                raise Open(f"the distances of the values of {name!r} from those that are named are not run through")
            yield from spread(self.kind(name), self._distances[name], most)
            return
        gaps = self._gaps(name, most)
        for counts in _at_most(most, [len(gap) for gap in gaps]):
            yield tuple(v for gap, k in zip(gaps, counts, strict=True) for v in gap[:k])

    def _all(self, name: str) -> list[Label]:
        """All values that are not named, where a list or a hierarchy says which there are."""
        kind = self.kind(name)
        listed: tuple[Label, ...] = kind.order if kind.name == "ordered" else ()
        if not listed and name in self._measured_ones and name in self.frame.hierarchies:
            listed = tuple(self.frame.hierarchies[name].paths)
        return [v for v in listed if v not in self.named(name)]

    def _measured(self, name: str) -> bool:
        return name in self._measured_ones or name in self._distances

    @cached_property
    def _measured_ones(self) -> set[str]:
        """Columns with a distance between values."""
        return set(seen(self.frame.formulas(), "order", "tree"))

    @cached_property
    def _distances(self) -> Mapping[str, list[Fraction]]:
        """Columns whose values are subtracted, and what their differences are compared with."""
        found = seen(self.frame.formulas(), "numbers")
        return {name: [unprepared(node).distance_bound for node in nodes] for name, nodes in found.items()}

    def _gaps(self, name: str, most: int) -> list[list[Label]]:
        """Unnamed values below, between and above the named ones; those of one gap look alike."""
        if not self.kind(name).ordered:
            return [_letters(most, self.named(name))]
        if name not in ordered_ones(self.frame.formulas()) and not [v for v in self.named(name) if v is not None]:
            return [_between(self.kind(name), None, None, most)]
        kind = self.kind(name)
        named = sorted([v for v in self.named(name) if v is not None], key=kind.key)
        ends: list[str | None] = [None, *named, None]
        return [_between(kind, low, high, most) for low, high in itertools.pairwise(ends)]

    def _sorted(self, name: str, labels: list[Label]) -> tuple[Label, ...]:
        kind = self.kind(name)
        texts = sorted([v for v in labels if v is not None], key=lambda v: (kind.key(v), v))
        return (*texts, *([None] if None in labels else []))


def domains(frame: Frame, most: int | None, counts: Mapping[str, int] | None = None) -> Domains:
    """The columns of a comparison.  ``most`` is raised to the named values that must occur.

    ``counts`` are the values that the columns of a table have: no release of it has more.
    """
    used = tuple(dict.fromkeys(name for f in frame.formulas() for name in attributes(f)))
    if named := seen(frame.formulas(), "names"):
        node = next(iter(named.values()))[0]
        raise Open(f"{node.name} speaks of values by their names: no other values can stand for them")
    inside = [name for name in used if name in frame.quasi]
    if inside:
        raise Open(f"a rule looks at values of the quasi-identifier {inside[0]!r}")
    ranged = [name for name in used if _ranged(frame, name)]
    blank = Domains(frame, used, {})
    least = {name: len(blank.required(name)) for name in ranged}
    if counts is None:
        wanted = dict.fromkeys(ranged, enough(frame, max(least.values(), default=0)))
    else:
        wanted = {name: max(least[name], counts[name]) for name in ranged}
    bounds = {name: max(least[name], most or min(wanted[name], MOST_VALUES)) for name in ranged}
    found = Domains(frame, used, bounds, {} if most else wanted)
    found.count  # noqa: B018  raises Open
    return found


def _ranged(frame: Frame, name: str) -> bool:
    for formula in frame.formulas():
        for node in s.subformulas(formula):
            if isinstance(node, s.Quantified) and any(b.attribute == name for b in node.binders):
                return True
            if isinstance(node, s.Criterion) and name in subjects(node):
                return True
    return False


def enough(frame: Frame, least: int) -> int:
    """A number of values at which no threshold of the formulas is out of reach: l + 1, 1/alpha + 1, 1/c + l, .."""
    found = [FEWEST_VALUES, least + 1]
    for formula in frame.formulas():
        for node in s.subformulas(formula):
            if isinstance(node, s.Criterion):
                found += [math.ceil(number) + 1 for number in unprepared(node).reach]
            elif isinstance(node, s.Compare):
                found += [math.ceil(number) + 1 for number in _shares(s.minus(node.left, node.right))]
            elif isinstance(node, s.Quantified):
                found += [binder.length + 1 for binder in node.binders]
    return max(found)


def _shares(linear: s.Linear) -> Iterator[Fraction]:
    """One over the share of a value at which its likelihood alone meets the constant.

    The likelihood of a nominal is no share of a value: ``l_a1(i) <= 0.09`` asks for rows.
    """
    nodes = [node for term in s.likelihoods(linear) for node in s.subformulas(term.body)]
    if any(isinstance(node, s.Nominal | s.At) for node in nodes):
        return
    factors = {Fraction(1), *(abs(coefficient) for coefficient, _ in linear.terms)}
    for factor in factors - {0}:
        yield from reciprocal(linear.constant / factor)


def _at_most(most: int, room: list[int]) -> Iterator[tuple[int, ...]]:
    """Numbers of things taken from places with so much room, at most ``most`` together."""
    if not room:
        yield ()
        return
    for k in range(min(most, room[0]) + 1):
        for rest in _at_most(most - k, room[1:]):
            yield (k, *rest)


def _letters(most: int, taken: list[Label]) -> list[Label]:
    """Values that can be named in a formula, none of them taken."""
    found = itertools.chain(LETTERS, (f"v{k}" for k in itertools.count(1)))
    return list(itertools.islice((v for v in found if v not in taken), most))


def _between(kind: ValueType, low: str | None, high: str | None, most: int) -> list[Label]:
    """At most so many values of a type strictly between two of its values (None: no bound), lowest first."""
    if kind.name == "ordered" or most == 0:
        return []
    if kind.name == "date":
        days = [_days(end) for end in (low, high)]
        start = datetime.date(2000, 1, 1).toordinal()
        last = datetime.date.max.toordinal()
        found = [d for d in _numbers(days[0], days[1], most, start) if 0 < d <= last]
        return [datetime.date.fromordinal(d).isoformat() for d in found]
    if kind.name == "integer":
        ends = [None if end is None else int(end) for end in (low, high)]
        return [str(k) for k in _numbers(ends[0], ends[1], most, 1)]
    if low is None or high is None:
        bound = [None if end is None else kind.key(end) for end in (low, high)]
        below = None if bound[0] is None else math.floor(bound[0])
        above = None if bound[1] is None else math.ceil(bound[1])
        return [kind.canonical(str(k)) for k in _numbers(below, above, most, 1)]
    a, b = kind.key(low), kind.key(high)
    return [kind.canonical(str(a + (b - a) * Fraction(k, most + 1))) for k in range(1, most + 1)]


def _days(text: str | None) -> int | None:
    return None if text is None else datetime.date.fromisoformat(text).toordinal()


def _numbers(low: int | None, high: int | None, most: int, start: int) -> list[int]:
    if low is not None:
        last = low + most if high is None else min(low + most, high - 1)
        return list(range(low + 1, last + 1))
    if high is not None:
        return list(range(high - most, high))
    return list(range(start, start + most))
