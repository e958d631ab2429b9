"""What a policy demands of single classes: parts whose truth depends on the rows of one class alone.

A part of a rule is a list of formulas that must be true at every row of every class; with ``people``, at every row of
the classes where these are.  Whatever satisfies the policy satisfies its parts; what is no part is looked at for
whole candidates only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice

from phverify.spec import syntax as s
from phverify.spec.bitset import first
from phverify.spec.criterion.registry import alone
from phverify.spec.data import Data, Label, Refused
from phverify.spec.enumeration import conjuncts
from phverify.spec.instances import instances
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.nominals import numbered
from phverify.spec.semantics import Worlds as Rows
from phverify.spec.semantics import truth_set
from phverify.spec.walk import CONNECTIVES, classwise, is_ground, propositional

MOST = 2000
"""So many instances of a schema are looked at class by class."""


@dataclass(frozen=True)
class Part:
    """All of ``bodies`` hold at every row of every class, or of the classes of ``people``."""

    rule: str
    bodies: tuple[s.Formula, ...]
    people: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Asked:
    """The formulas of a policy over a table, some ``share`` of whose records may be withheld."""

    data: Data
    rules: dict[str, s.Formula]
    assumptions: tuple[s.Formula, ...]
    share: Fraction

    @cached_property
    def named(self) -> frozenset[int]:
        """Everybody whom the policy names: their records may not be withheld."""
        return frozenset(numbered([*self.rules.values(), *self.assumptions])[0])

    @cached_property
    def parts(self) -> list[Part]:
        return [part for name, rule in self.rules.items() for part in self.cut(name, rule)]

    def cut(self, name: str, rule: s.Formula) -> Iterator[Part]:
        """The parts of a rule, those about individuals gathered by what they say."""
        about: dict[s.Formula, list[int]] = {}
        for f in conjuncts(rule):
            match f:
                case s.At(s.Person(k), body) if self.local(body, True):
                    about.setdefault(body, []).append(k)
                case _:
                    yield from self.whole(name, f)
        for body, people in about.items():
            yield Part(name, (body,), tuple(people))

    def whole(self, name: str, f: s.Formula) -> Iterator[Part]:
        if self.share and (weaker := self.weakened(f)) is not None:
            yield Part(name, (weaker,))
        if self.share and any(_ranges(node) for node in s.subformulas(f)):
            return  # a value may be withheld altogether
        found = list(islice(self.bodies(f), MOST + 1))
        if len(found) <= MOST and all(body is not None and self.local(body, False) for body in found):
            yield Part(name, tuple(body for body in found if body is not None))

    def bodies(self, f: s.Formula) -> Iterator[s.Formula | None]:
        """What an instance of a rule says of each row; None for one that says something else."""
        try:
            for found in instances(f, self.data.signature):
                match found.body:
                    case s.At(s.Var() as var, body) if found.people == (var,) and not found.clauses:
                        yield body if classwise(body) or not self.assumptions else None
                    case body:
                        yield body if not found.people and not found.clauses else None
        except Refused:  # a schema that is too long to write out
            yield None

    def weakened(self, f: s.Formula) -> s.Formula | None:
        """What follows, class by class, from a criterion of the released table, if the whole table is looked at."""
        if not isinstance(f, s.Criterion):
            return None
        weaker = self.data.criterion(f).necessary(self.share)
        if weaker is None or weaker.attribute in self.data.quasi:
            return None
        return s.Criterion(f.name, (), tuple((name, str(getattr(weaker, name))) for name, _ in f.named))

    def local(self, f: s.Formula, placed: bool) -> bool:
        """Whether the truth of a formula at a row depends on the row's class alone, whatever is withheld and assumed.

        ``placed`` says that it is about the place of an individual: assumptions say where in the class that can be.
        """
        if placed and self.assumptions and not classwise(f):
            return False
        return is_ground(f) and self.of_class(f)

    def of_class(self, f: s.Formula) -> bool:
        quasi = self.data.quasi
        match f:
            case s.Descriptor(column):
                return column not in quasi
            case s.Diamond(agent, body) | s.Box(agent, body):
                return self.known(agent, body)
            case s.Compare(left, _, right):
                terms = [term for side in (left, right) for term in s.likelihoods(side)]
                return all(self.known(term.agent, term.body) for term in terms)
            case s.Criterion(name):
                return self.data.criterion(f).attribute not in quasi and (not self.share or alone(name))
        return isinstance(f, (s.Truth, *CONNECTIVES)) and all(map(self.of_class, s.children(f)))

    def known(self, agent: s.Agent, body: s.Formula) -> bool:
        """What a1 knows; what a0 knows is fixed while nothing may be withheld."""
        return self.of_class(body) and (agent == "a1" or (agent == "a0" and not self.share and propositional(body)))


def _ranges(node: s.Formula) -> bool:
    """A schema over values or clauses."""
    return isinstance(node, s.Quantified) and any(binder.sort in ("values", "clauses") for binder in node.binders)


# One class


@dataclass(eq=False)
class Counting:
    """Sets of rows as classes of a table."""

    data: Data
    _known: dict[s.Formula, Rows] = field(default_factory=dict)

    @cached_property
    def table(self) -> Table:
        return Table(self.data)

    @property
    def everybody(self) -> Rows:
        return self.table.everything

    @property
    def having(self) -> Mapping[str, Mapping[Label, Rows]]:
        return self.table.having

    def satisfies(self, part: Part, rows: Rows) -> bool:
        """Whether these rows, as a class, satisfy a part."""
        return all(self.true(f, rows) for f in part.bodies)

    def true(self, f: s.Formula, rows: Rows) -> bool:
        """Whether a formula is true at all these rows: at one of them, if it says the same of all."""
        if propositional(f):
            return rows & ~self.where(f) == 0
        among = 1 << first(rows) if classwise(f) else rows
        return truth_set(ReleaseModel(InClass(self.table, rows)), f, among) == among

    def where(self, f: s.Formula) -> Rows:
        """The rows at which a formula of descriptors is true."""
        if f not in self._known:
            self._known[f] = truth_set(ReleaseModel(self.table), f, self.everybody)
        return self._known[f]


@dataclass(frozen=True, eq=False)
class InClass:
    """One class, whatever rows it has; the formulas that are asked look at nothing else but what a0 knows."""

    table: Table
    rows: Rows

    @property
    def size(self) -> int:
        return self.table.size

    def cell(self, agent: str, row: int) -> Rows:
        return self.rows if agent == "a1" else self.table.everything

    def extension(self, descriptor: s.Descriptor) -> Rows:
        return self.table.extension(descriptor)

    def satisfies(self, node: s.Criterion, rows: Rows) -> bool:
        return self.table.satisfies(node, rows)
