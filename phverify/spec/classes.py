"""What a policy demands of single classes: parts whose truth depends on the rows of one class alone.

A part of a rule is a list of formulas that must be true at every row of every class; with ``people``, at every row of
the classes where these are.  Whatever satisfies the policy satisfies its parts; what is no part is looked at for
whole candidates only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from itertools import islice
from operator import and_, or_
from typing import Any

from phverify.spec.bitset import bits, first
from phverify.spec.bitset import members as rows_of
from phverify.spec.criteria.registry import alone
from phverify.spec.data import Data, Refused
from phverify.spec.meaning import Meaning, Table
from phverify.spec.question import instances, is_ground
from phverify.spec.tuples import Formula, alike, below, children, likelihoods

Rows = int
"""A set of rows as the bits of one number."""
MOST = 2000
"""So many instances of a schema are looked at class by class."""


@dataclass(frozen=True)
class Part:
    """All of ``bodies`` hold at every row of every class, or of the classes of ``people``."""

    rule: str
    bodies: tuple[Formula, ...]
    people: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Asked:
    """The formulas of a policy over a table, some ``share`` of whose records may be withheld."""

    data: Data
    rules: dict[str, Formula]
    assumptions: tuple[Formula, ...]
    share: Fraction

    @cached_property
    def named(self) -> frozenset[int]:
        """Everybody whom the policy names: their records may not be withheld."""
        nodes = (node for f in (*self.rules.values(), *self.assumptions) for node in below(f))
        return frozenset(node[1][1] for node in nodes if node[0] in ("who", "at") and node[1][0] == "person")

    @cached_property
    def parts(self) -> list[Part]:
        return [part for name, rule in self.rules.items() for part in self.cut(name, rule)]

    def cut(self, name: str, rule: Formula) -> Iterator[Part]:
        """The parts of a rule, those about individuals gathered by what they say."""
        about: dict[Formula, list[int]] = {}
        for f in conjuncts(rule):
            match f:
                case ("at", ("person", k), body) if self.local(body, True):
                    about.setdefault(body, []).append(k)
                case _:
                    yield from self.whole(name, f)
        for body, people in about.items():
            yield Part(name, (body,), tuple(people))

    def whole(self, name: str, f: Formula) -> Iterator[Part]:
        if self.share and (weaker := self.weakened(f)) is not None:
            yield Part(name, (weaker,))
        if self.share and any(_ranges(node) for node in below(f)):
            return  # a value may be withheld altogether
        found = list(islice(self.bodies(f), MOST + 1))
        if len(found) <= MOST and all(body is not None and self.local(body, False) for body in found):
            yield Part(name, tuple(body for body in found if body is not None))

    def bodies(self, f: Formula) -> Iterator[Formula | None]:
        """What an instance of a rule says of each row; None for one that says something else."""
        try:
            for found in instances(f, Table(self.data)):
                match found.body:
                    case ("at", ("var", name), body) if found.people == (name,) and not found.clauses:
                        yield body if alike(body) or not self.assumptions else None
                    case body:
                        yield body if not found.people and not found.clauses else None
        except Refused:  # a schema that is too long to write out
            yield None

    def weakened(self, f: Formula) -> Formula | None:
        """What follows, class by class, from a criterion of the released table, if the whole table is looked at."""
        if f[0] != "criterion":
            return None
        weaker = self.data.criterion(f).necessary(self.share)
        if weaker is None or weaker.attribute in self.data.quasi:
            return None
        return ("criterion", f[1], tuple((name, getattr(weaker, name)) for name, _ in f[2]))

    def local(self, f: Formula, placed: bool) -> bool:
        """Whether the truth of a formula at a row depends on the row's class alone, whatever is withheld and assumed.

        ``placed`` says that it is about the place of an individual: assumptions say where in the class that can be.
        """
        if placed and self.assumptions and not alike(f):
            return False
        return is_ground(f) and self.of_class(f)

    def of_class(self, f: Formula) -> bool:
        quasi = self.data.quasi
        match f:
            case ("is", column, _, _):
                return column not in quasi
            case ("some" | "every", agent, body):
                return self.known(agent, body)
            case ("compare", left, _, right):
                terms = [term for side in (left, right) for term in likelihoods(side)]
                return all(self.known(agent, body) for _, agent, body in terms)
            case ("criterion", name, _):
                return self.data.criterion(f).attribute not in quasi and (not self.share or alone(name))
            case ("true",) | ("false",) | ("not" | "and" | "or" | "implies" | "iff", *_):
                return all(map(self.of_class, children(f)))
        return False

    def known(self, agent: Any, body: Formula) -> bool:
        """What a1 knows; what a0 knows is fixed while nothing may be withheld."""
        return self.of_class(body) and (agent == "a1" or (agent == "a0" and not self.share and plain(body)))


def conjuncts(f: Formula) -> Iterator[Formula]:
    if f[0] == "and":
        for part in f[1]:
            yield from conjuncts(part)
    else:
        yield f


def _ranges(node: Formula) -> bool:
    """A schema over values or clauses."""
    return node[0] in ("forall", "exists") and any(binder[1] in ("values", "clauses") for binder in node[1])


def plain(f: Formula) -> bool:
    """Only descriptors and connectives."""
    return f[0] in ("is", "true", "false", "not", "and", "or", "implies", "iff") and all(map(plain, children(f)))


# One class


@dataclass(eq=False)
class Counting:
    """Sets of rows as bits, counted value by value."""

    data: Data
    known: dict[Formula, Rows] = field(default_factory=dict)
    """The rows at which formulas of descriptors are true."""

    @cached_property
    def everybody(self) -> Rows:
        return (1 << self.data.rows) - 1

    @cached_property
    def having(self) -> dict[str, dict[Any, Rows]]:
        """For each column and value, the rows that have it."""
        return {name: {value: bits(where) for value, where in self._where(name)} for name in self.data.columns}

    def _where(self, name: str) -> Iterator[tuple[Any, list[int]]]:
        found: dict[Any, list[int]] = {}
        for row, value in enumerate(self.data.columns[name]):
            found.setdefault(value, []).append(row)
        yield from found.items()

    def satisfies(self, part: Part, rows: Rows) -> bool:
        """Whether these rows, as a class, satisfy a part."""
        return all(self.criterion(f, rows) if f[0] == "criterion" else self.formula(f, rows) for f in part.bodies)

    def criterion(self, f: Formula, rows: Rows) -> bool:
        criterion = self.data.criterion(f)
        column = criterion.attribute
        if not column:
            return criterion.holds({"": rows.bit_count()}, {"": self.data.rows})
        inside = {value: n for value, where in self.having[column].items() if (n := (rows & where).bit_count())}
        return criterion.holds(inside, self.totals[column])

    @cached_property
    def totals(self) -> dict[str, dict[Any, int]]:
        return {name: {v: where.bit_count() for v, where in found.items()} for name, found in self.having.items()}

    def formula(self, f: Formula, rows: Rows) -> bool:
        """Whether a formula is true at all these rows: at one of them, if it says the same of all."""
        if plain(f):
            return rows & ~self.where(f) == 0
        meaning = InClass(self.table, counting=self, rows=rows)
        members = [first(rows)] if alike(f) else list(rows_of(rows))
        return all(meaning.true(f, row) for row in members)

    def where(self, f: Formula) -> Rows:
        """The rows at which a formula of descriptors is true."""
        if f not in self.known:
            self.known[f] = self._where_true(f)
        return self.known[f]

    def _where_true(self, f: Formula) -> Rows:
        match f:
            case ("is", column, op, values):
                matching = self.table.matching(column, op, values)
                return reduce(or_, (self.having[column][value] for value in matching), 0)
            case ("not", body):
                return self.everybody & ~self.where(body)
            case ("and", parts):
                return reduce(and_, map(self.where, parts), self.everybody)
            case ("or", parts):
                return reduce(or_, map(self.where, parts), 0)
            case ("implies", left, right):
                return self.everybody & ~self.where(left) | self.where(right)
            case ("iff", left, right):
                return self.everybody & ~(self.where(left) ^ self.where(right))
        return self.everybody if f == ("true",) else 0

    @cached_property
    def table(self) -> Table:
        return Table(self.data)


@dataclass(eq=False)
class InClass(Meaning):
    """The truth of formulas in one class, whatever rows it has; they look at nothing else but what a0 knows."""

    counting: Counting | None = None
    rows: Rows = 0
    _counts: dict[tuple[int, str], int] = field(default_factory=dict)

    @cached_property
    def members(self) -> list[int]:
        return list(rows_of(self.rows))

    def cell(self, agent: str, row: int) -> Sequence[int]:
        return self.members if agent == "a1" else range(self.table.data.rows)

    def count(self, agent: str, body: Formula, row: int) -> int:
        assert self.counting is not None
        if plain(body):
            seen = self.rows if agent == "a1" else self.counting.everybody
            return (self.counting.where(body) & seen).bit_count()
        key = id(body), agent
        if key not in self._counts:
            self._counts[key] = sum(self.true(body, row) for row in self.cell(agent, row))
            self._kept.append(body)
        return self._counts[key]

    def criterion(self, f: Formula, row: int) -> bool:
        assert self.counting is not None
        return self.counting.criterion(f, self.rows)
