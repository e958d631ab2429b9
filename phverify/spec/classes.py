"""What a policy demands of single classes.

A part of a rule is a list of formulas that must be true at every row of every class;
with ``people``, at every row of the classes where these are.  The truth of a part
depends on the rows of one class alone.  Whatever satisfies the policy satisfies its
parts; the rest is asked of whole candidates only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import prod
from typing import Protocol

from phverify.spec import syntax as s
from phverify.spec.bitset import first, within
from phverify.spec.criterion.asked import alone
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import given
from phverify.spec.data import Data
from phverify.spec.enumeration import conjuncts, length
from phverify.spec.memory import remembered
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.nominals import numbered
from phverify.spec.schemas import apart, assignments, expand, size
from phverify.spec.semantics import Worlds as Rows
from phverify.spec.semantics import truth_set
from phverify.spec.signature import Signature
from phverify.spec.walk import CONNECTIVES, classwise, is_ground, propositional

MOST = 2000
"""So many instances of a schema are decided class by class."""
LONGEST = 20_000
"""So many formulas in one another has an instance that is written out."""


@dataclass(frozen=True)
class PolicyPart:
    """All of ``bodies`` hold at every row of every class, or of those of ``people``.

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
class Demands:
    """The formulas of a policy over a table.

    Some ``share`` of its records may be withheld.
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
        formulas = [*self.rules.values(), *self.assumptions]
        people, _ = numbered(formulas)
        return people

    @cached_property
    def parts(self) -> list[PolicyPart]:
        """The parts of all rules."""
        pieces = self.cut()
        return [piece for piece in pieces if isinstance(piece, PolicyPart)]

    @cached_property
    def compared(self) -> list[s.Criterion]:
        """The criteria that compare classes with what is released of the table.

        Each stands for a conjunct that whole candidates are asked for.
        """
        found = []
        for piece in self.cut():
            # Of a quasi-identifier classes show other values than the table has.
            if (
                isinstance(piece, Whole)
                and isinstance(piece.source, s.Criterion)
                and self.criterion(piece.source).attribute not in self.quasi
            ):
                found.append(piece.source)
        return found

    def cut(self) -> Iterator[PolicyPart | Whole]:
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
                yield PolicyPart(name, body, (body,), tuple(people))

    def of_everybody(self, name: str, f: s.Formula) -> Iterator[PolicyPart | Whole]:
        """What a conjunct says of every class, else the conjunct as a whole."""
        if self.share and isinstance(f, s.Criterion):
            yield from self.necessary(name, f)
        if self.share and any(_ranges(node) for node in s.subformulas(f)):
            # A value may be withheld altogether: there are fewer instances then.
            yield Whole(name, f)
            return
        instances = list(islice(self.instances(apart(f)), MOST + 1))
        bodies = tuple(body for body in instances if body is not None)
        if len(bodies) == len(instances) <= MOST:
            yield PolicyPart(name, f, bodies)
        else:
            yield Whole(name, f)

    def necessary(self, name: str, f: s.Criterion) -> Iterator[PolicyPart]:
        """What follows, class by class, from a criterion of the released table.

        Classes are compared with the whole table, the withheld records with it.
        """
        # Withheld records change the table that classes are compared with.
        weaker = self.criterion(f).necessary(self.share)
        if weaker is None:
            return
        # What is no field, such as the table it compares with, stays as it is.
        texts = given(f).items()
        named = tuple((key, str(getattr(weaker, key, text))) for key, text in texts)
        node = s.Criterion(f.name, (), named)
        attribute = self.criterion(node).attribute
        if attribute not in self.quasi:
            shown = s.Criterion(f"{f.name} (necessary)", f.args, f.named)
            yield PolicyPart(name, shown, (node,), weaker=True)

    def instances(
        self, f: s.Formula, people: frozenset[str] = frozenset()
    ) -> Iterator[s.Formula | None]:
        """What the instances of a rule say of each row.

        None for one that says something else.
        """
        match f:
            case s.And(parts):
                for part in parts:
                    yield from self.instances(part, people)
            case s.Quantified(True, binders, body):
                bound = [b.var.name for b in binders if b.sort == "individuals"]
                everybody = people.union(bound)
                listed = tuple(b for b in binders if b.sort != "individuals")
                if prod(size(b, self.signature) for b in listed) > MOST:
                    yield None
                    return
                for values in assignments(listed, self.signature):
                    yield from self.instances(s.substitute(body, values), everybody)
            case s.At(s.Var(name), body) if name in people:
                # Everybody's place is any place.
                yield self.local_body(body, True)
            case _:
                yield self.local_body(f, False)

    def local_body(self, f: s.Formula, placed: bool) -> s.Formula | None:
        """The formula without schemas, if it depends on the row's class alone."""
        # Who is elsewhere in the table is no matter of the class alone.
        speaks_of_people = any(_binds(node, "individuals") for node in s.subformulas(f))
        if speaks_of_people:
            return None
        # What is too long to be written out is decided as a whole.
        if length(f, self.signature) > LONGEST:
            return None
        written = expand(f, self.signature)
        if self.local(written, placed):
            return written
        return None

    def local(self, f: s.Formula, placed: bool) -> bool:
        """Whether the truth of a formula at a row depends on the row's class alone.

        That is, whatever is withheld and assumed.
        ``placed`` says that it is about the place of an individual: assumptions say
        where in the class that can be.
        """
        if placed and self.assumptions and not classwise(f):
            return False
        if not is_ground(f):
            return False
        return self.of_class(f)

    def of_class(self, f: s.Formula) -> bool:
        """Whether nothing in a formula depends on other classes.

        The values of quasi-identifiers do: they depend on what a class is merged with.
        """
        match f:
            # The value that is released depends on what the class is merged into.
            case s.Descriptor(column):
                return column not in self.quasi
            case s.Diamond(agent, body) | s.Box(agent, body):
                return self.known(agent, body)
            case s.Compare(left, _, right):
                terms = (*s.likelihoods(left), *s.likelihoods(right))
                return all(self.known(term.agent, term.body) for term in terms)
            case s.Criterion():
                if self.criterion(f).attribute in self.quasi:
                    return False
                # Withheld records change the table that some compare a class with.
                if not self.share:
                    return True
                return alone(f)
            case s.Truth():
                return True
        if not isinstance(f, CONNECTIVES):
            return False
        return all(map(self.of_class, s.children(f)))

    def known(self, agent: s.Agent, body: s.Formula) -> bool:
        """Whether what an agent thinks of a body depends on the class alone.

        What a1 thinks does; what a0 thinks is fixed while nothing may be withheld.
        """
        if not self.of_class(body):
            return False
        if agent == "a1":
            return True
        return agent == "a0" and not self.share and propositional(body)


def _ranges(node: s.Formula) -> bool:
    """A schema over values or clauses."""
    return _binds(node, "values", "clauses")


def _binds(node: s.Formula, *sorts: str) -> bool:
    """A schema over one of these sorts."""
    if not isinstance(node, s.Quantified):
        return False
    return any(binder.sort in sorts for binder in node.binders)


# One class


@dataclass(eq=False)
class Counting:
    """Sets of rows as classes of a table."""

    data: Data

    @cached_property
    def table(self) -> Table:
        """The whole table."""
        return Table(self.data)

    @property
    def everybody(self) -> Rows:
        """All rows."""
        return self.table.everything

    def satisfies(self, part: PolicyPart, rows: Rows) -> bool:
        """Whether these rows, as a class, satisfy a part."""
        bodies = part.bodies
        return all(self.true(body, rows) for body in bodies)

    def true(self, f: s.Formula, rows: Rows) -> bool:
        """Whether a formula is true at all these rows, as one class."""
        if propositional(f):
            return within(rows, self.where(f))
        # What says the same of all rows of a class is asked at one of them.
        among = 1 << first(rows) if classwise(f) else rows
        model = ReleaseModel(InClass(self.table, rows))
        return truth_set(model, f, among) == among

    @remembered
    def where(self, f: s.Formula) -> Rows:
        """The rows at which a formula of descriptors is true."""
        return truth_set(ReleaseModel(self.table), f, self.everybody)


class ReleaseView(Protocol):
    """The rows of a release as the agents see them: what all its models share."""

    @property
    def size(self) -> int:
        """How many rows there are."""

    def cell(self, agent: str, row: int) -> Rows:
        """The rows that an agent cannot tell from this one."""

    def extension(self, descriptor: s.Descriptor) -> Rows:
        """The rows where a descriptor is true."""

    def satisfies(self, node: s.Criterion, rows: Rows) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""


@dataclass(frozen=True, eq=False)
class InClass:
    """One class, whatever rows it has, in a table.

    The formulas that are asked depend on nothing else but what a0 knows.
    """

    table: Table
    rows: Rows

    @property
    def size(self) -> int:
        """How many rows the table has."""
        return self.table.size

    def cell(self, agent: str, row: int) -> Rows:
        """The class for a1, all rows for a0."""
        if agent == "a1":
            return self.rows
        return self.table.everything

    def extension(self, descriptor: s.Descriptor) -> Rows:
        """The rows of the table where a descriptor is true."""
        return self.table.extension(descriptor)

    def satisfies(self, node: s.Criterion, rows: Rows) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""
        return self.table.satisfies(node, rows)
