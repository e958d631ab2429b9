"""What a policy demands of single classes: parts whose truth depends on the rows of one
class alone.

A part of a rule is a list of formulas that must be true at every row of every class;
with ``people``, at every row of the classes where these are.  Whatever satisfies the
policy satisfies its parts; the rest is looked at for whole candidates only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import prod

from phverify.spec import syntax as s
from phverify.spec.bitset import first
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import alone, given
from phverify.spec.data import Data
from phverify.spec.enumeration import conjuncts, length
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.nominals import numbered
from phverify.spec.schemas import apart, assignments, expand, size
from phverify.spec.semantics import Worlds as Rows
from phverify.spec.semantics import truth_set
from phverify.spec.signature import Signature
from phverify.spec.walk import CONNECTIVES, classwise, is_ground, propositional

MOST = 2000
"""So many instances of a schema are looked at class by class."""
LONGEST = 20_000
"""So many formulas in one another has an instance that is written out."""


@dataclass(frozen=True)
class Part:
    """All of ``bodies`` hold at every row of every class, or of the classes of
    ``people``.

    ``source`` is the conjunct of the rule that says so.  ``weaker``: it only follows
    from the rule.
    """

    rule: str
    source: s.Formula
    bodies: tuple[s.Formula, ...]
    people: tuple[int, ...] = ()
    weaker: bool = False


@dataclass(frozen=True)
class Whole:
    """A conjunct of a rule that whole candidates are asked for."""

    rule: str
    source: s.Formula


@dataclass(frozen=True, eq=False)
class Asked:
    """The formulas of a policy over a table, some ``share`` of whose records may be
    withheld.
    """

    signature: Signature
    quasi: tuple[str, ...]
    criterion: Callable[[s.Criterion], ClassCriterion]
    rules: Mapping[str, s.Formula]
    assumptions: tuple[s.Formula, ...]
    share: Fraction

    @cached_property
    def named(self) -> list[int]:
        """Everybody whom the policy names: their records may not be withheld."""
        return numbered([*self.rules.values(), *self.assumptions])[0]

    @cached_property
    def parts(self) -> list[Part]:
        return [part for part in self.cut() if isinstance(part, Part)]

    def cut(self) -> Iterator[Part | Whole]:
        """All rules in parts, those about individuals gathered by what they say."""
        for name, rule in self.rules.items():
            about: dict[s.Formula, list[int]] = {}
            for f in conjuncts(rule):
                match f:
                    case s.At(s.Person(k), body) if self.local(body, True):
                        about.setdefault(body, []).append(k)
                    case _:
                        yield from self.of_everybody(name, f)
            for body, people in about.items():
                yield Part(name, body, (body,), tuple(people))

    def of_everybody(self, name: str, f: s.Formula) -> Iterator[Part | Whole]:
        if self.share and isinstance(f, s.Criterion):
            yield from self.necessary(name, f)
        if self.share and any(_ranges(node) for node in s.subformulas(f)):
            yield Whole(name, f)  # a value may be withheld altogether
            return
        found = list(islice(self.instances(apart(f)), MOST + 1))
        bodies = tuple(body for body in found if body is not None)
        yield (
            Part(name, f, bodies)
            if len(bodies) == len(found) <= MOST
            else Whole(name, f)
        )

    def necessary(self, name: str, f: s.Criterion) -> Iterator[Part]:
        """What follows, class by class, from a criterion of the released table, if the
        whole table is looked at.
        """
        weaker = self.criterion(f).necessary(self.share)
        if weaker is None:
            return
        node = s.Criterion(
            f.name, (), tuple((key, str(getattr(weaker, key))) for key in given(f))
        )
        if self.criterion(node).attribute not in self.quasi:
            shown = s.Criterion(f"{f.name} (necessary)", f.args, f.named)
            yield Part(name, shown, (node,), weaker=True)

    def instances(
        self, f: s.Formula, people: frozenset[str] = frozenset()
    ) -> Iterator[s.Formula | None]:
        """What the instances of a rule say of each row; None for one that says
        something else.
        """
        match f:
            case s.And(parts):
                for part in parts:
                    yield from self.instances(part, people)
            case s.Quantified(True, binders, body):
                everybody = people.union(
                    b.var.name for b in binders if b.sort == "individuals"
                )
                listed = tuple(b for b in binders if b.sort != "individuals")
                if prod(size(b, self.signature) for b in listed) > MOST:
                    yield None
                    return
                for values in assignments(listed, self.signature):
                    yield from self.instances(s.substitute(body, values), everybody)
            case s.At(s.Var(name), body) if (
                name in people
            ):  # everybody's place is any place
                yield self.said(body, True)
            case _:
                yield self.said(f, False)

    def said(self, f: s.Formula, placed: bool) -> s.Formula | None:
        """A formula without schemas, if its truth at a row depends on the row's class
        alone.
        """
        schemas = (node for node in s.subformulas(f) if isinstance(node, s.Quantified))
        people = any(
            binder.sort == "individuals" for node in schemas for binder in node.binders
        )
        if people or length(f, self.signature) > LONGEST:
            return None
        written = expand(f, self.signature)
        return written if self.local(written, placed) else None

    def local(self, f: s.Formula, placed: bool) -> bool:
        """Whether the truth of a formula at a row depends on the row's class alone,
        whatever is withheld and assumed.

        ``placed`` says that it is about the place of an individual: assumptions say
        where in the class that can be.
        """
        if placed and self.assumptions and not classwise(f):
            return False
        return is_ground(f) and self.of_class(f)

    def of_class(self, f: s.Formula) -> bool:
        match f:
            case s.Descriptor(column):
                return column not in self.quasi
            case s.Diamond(agent, body) | s.Box(agent, body):
                return self.known(agent, body)
            case s.Compare(left, _, right):
                terms = (*s.likelihoods(left), *s.likelihoods(right))
                return all(self.known(term.agent, term.body) for term in terms)
            case s.Criterion(name):
                return self.criterion(f).attribute not in self.quasi and (
                    not self.share or alone(name)
                )
        return isinstance(f, (s.Truth, *CONNECTIVES)) and all(
            map(self.of_class, s.children(f))
        )

    def known(self, agent: s.Agent, body: s.Formula) -> bool:
        """What a1 knows; what a0 knows is fixed while nothing may be withheld."""
        return self.of_class(body) and (
            agent == "a1" or (agent == "a0" and not self.share and propositional(body))
        )


def _ranges(node: s.Formula) -> bool:
    """A schema over values or clauses."""
    return isinstance(node, s.Quantified) and any(
        binder.sort in ("values", "clauses") for binder in node.binders
    )


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

    def satisfies(self, part: Part, rows: Rows) -> bool:
        """Whether these rows, as a class, satisfy a part."""
        return all(self.true(f, rows) for f in part.bodies)

    def true(self, f: s.Formula, rows: Rows) -> bool:
        """Whether a formula is true at all these rows: at one of them, if it says the
        same of all.
        """
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
    """One class, whatever rows it has; the formulas that are asked look at nothing else
    but what a0 knows.
    """

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
