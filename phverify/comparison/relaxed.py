"""Tables with any number of rows and classes: what some classes of every table satisfy.

It is a relaxation.  The classes looked at are those of named individuals and those
where the second rule fails; of the rest only its traces are kept: ``u`` are the rows
that each profile would have in a class with the shares of the whole table, and the
table as one class (``unions.WholeTable``) satisfies what merging keeps.  Every table
with such classes gives a solution, so that no solution means no table.  A solution need
not be a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase
from phverify.comparison.criterion_terms import (
    GRID,
    Facts,
    entropy_facts,
    minus_log_facts,
    power_enclosure,
)
from phverify.comparison.domains import Undecided
from phverify.comparison.encode import (
    Chosen,
    Scales,
    ShapeEncoder,
    World,
    is_global,
)
from phverify.comparison.endless import (
    EndlessClass,
    Pair,
    chosen,
    consequences,
    failures,
    how_many,
    parted,
)
from phverify.comparison.parts import RulePart
from phverify.comparison.shapes import TableShape
from phverify.constraints import terms as t
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Several
from phverify.spec.criterion.even import EvenCriterion
from phverify.spec.criterion.value import (
    Bound,
    Mix,
    ValueCriterion,
    WithinLog,
    WithinPower,
)
from phverify.spec.walk import agents, propositional
from phverify.symbolic.sums import share


class Relaxed(ShapeEncoder):
    """Some classes with any number of rows; the last one is the one whose ``u`` are the
    rows of ``Whole``.

    ``part`` is the conjunct that fails in one of them.  Bounds on logarithms that are
    ``fine``, and ``whole`` numbers of rows, cost time.
    """

    sized = True

    def __init__(
        self,
        case: ComparedCase,
        shape: TableShape,
        deadline: Deadline,
        fine: bool,
        mark: str = "",
        part: RulePart | None = None,
        whole: bool = False,
    ) -> None:
        self.sort = "Int" if whole else "Real"
        super().__init__(case, shape, deadline, mark)
        quasi = set(case.frame.quasi)
        self.fine = fine
        self.knows: dict[str, str] = {}
        for agent, known in case.frame.agents.items():
            self.knows[agent] = _kind(agent, set(known), quasi)
        self.extra: dict[str, list[t.Term]] = {}
        """Further unknowns, and what is known of each."""
        self.lone = part is not None and shape.classes == 1 and not is_global(part.body)
        """Whether the only class is the one that single values were chosen for (see
        ``endless``).
        """
        self.failing: set[ClassCriterion] = set()
        """The criteria of the conjunct."""
        if part is not None:
            inside = set(s.subformulas(part.body))
            for node, criterion in case.criteria.items():
                if node in inside:
                    self.failing.add(criterion)

    def frame(self) -> Facts:
        """What holds in every table."""
        shape = self.shape
        homes = list(shape.homes.values())
        for c in range(shape.classes):
            residents = homes.count(c)
            if residents:
                yield t.compare(self.size(c), ">=", residents)
            yield from self._shares(c)

    def _shares(self, c: int) -> Facts:
        """The rows that the profiles would have in class c if it were like the
        table.
        """
        profiles = range(len(self.profiles))
        some = t.compare(self.size(c), ">", 0)
        yield t.compare(t.added(like(c, p) for p in profiles), "=", self.size(c))
        for p in profiles:
            in_table = t.compare(in_whole(p), ">", 0)
            expected = t.compare(like(c, p), ">", 0)
            cells = [one for one in self.cells if (one.cls, one.profile) == (c, p)]
            own = t.added(cell.count for cell in cells)
            yield t.implies(t.compare(own, ">", 0), expected)
            yield t.implies(some, t.iff(expected, in_table))
            for agent in self.part_knowing:
                seen = around(agent, c, p)
                yield t.compare(seen, ">=", own)
                yield t.implies(t.compare(seen, ">", 0), in_table)
            if c == self.shape.classes - 1:
                yield t.implies(some, t.compare(like(c, p), "=", in_whole(p)))

    @property
    def part_knowing(self) -> list[str]:
        """The agents that know some quasi-identifiers only."""
        kinds = set(self.knows.values())
        return sorted(kinds - {"a0", "a1"})

    def size(self, c: int) -> t.LinearSum:
        """The rows of a class."""
        return self.inside(c, self.everything())

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        """The rows with these profiles in what an agent sees around class c (for a0:
        scaled to the class).
        """
        profiles = [p for p, wanted in enumerate(chosen) if wanted]
        if kind == "a0":
            return t.added(like(c, p) for p in profiles)
        return t.added(around(kind, c, p) for p in profiles)

    def unit(self, agents: Sequence[str], c: int) -> Scales:
        """The rows that the likelihoods of these agents are shares of.

        Raises Undecided where two agents see different rows.
        """
        kinds = {self.knows[agent] for agent in agents}
        others = kinds - {"a0", "a1"}
        if others and len(kinds) > 1:
            raise Undecided(
                "likelihoods of agents with other knowledge stand in one sum"
            )
        scales = dict.fromkeys(agents, 1)
        if not agents:
            return t.whole(1), scales
        if others:
            return self.like(others.pop(), c, self.everything()), scales
        return self.size(c), scales

    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        """How many rows that the agent takes for possible satisfy the body, scaled.

        Raises Undecided where that takes more than counts of descriptors.
        """
        c = self.cells[world.cell].cls
        if self.knows[agent] == "a1":
            return self.count(body, [c], world.points)
        if not propositional(body):
            raise Undecided(self._too_much(agent))
        return self.like(self.knows[agent], c, self.plain(body))

    def _too_much(self, agent: str) -> str:
        """Why what an agent knows has no form here.

        ``write_inner`` has written schemas over individuals as what a0 knows: where no
        formula speaks of a0, such a schema is meant.
        """
        if agent == "a0" and not self._speaks_of_a0():
            return (
                "a schema over individuals inside a formula speaks of all classes, and"
                " of more than descriptors"
            )
        return f"what {agent} knows of other classes is more than descriptors"

    def _speaks_of_a0(self) -> bool:
        """Whether a formula names a0, as it was given."""
        for formula in self.case.frame.formulas():
            for node in s.subformulas(formula):
                if "a0" in agents(node):
                    return True
        return False

    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        """Some row that the agent takes for possible satisfies the body."""
        if self.knows[agent] == "a1":
            return self.among(body, [self.cells[world.cell].cls], world.points)
        return t.compare(self.measure(agent, body, world), ">", 0)

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        """Raises Undecided: the classes at hand are some classes only."""
        raise Undecided(
            "a schema over individuals inside a formula speaks of all classes"
        )

    # Criteria

    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        """When class c, of any size, satisfies a criterion."""
        f = criterion.attribute
        if self.case.choice.bundles.get(f):
            return self._endless(criterion, c)
        if isinstance(criterion, EvenCriterion):
            return self._holds(criterion, c)
        if isinstance(criterion, ValueCriterion):
            pairs = [self._pair(f, value, c) for value in self.domain(f)]
            fine: list[t.Term] = []
            for k, (x, u) in enumerate(pairs):
                fine.append(self._value_fine(c, criterion, x, u, k))
            return t.conj(fine)
        return self.conditions(criterion, c, self.size(c), self.sized)

    def _pair(self, f: str, value: Label, c: int) -> Pair:
        """The rows of a value in class c, and those of a class like the table."""
        chosen = self.having(f, value)
        return self.inside(c, chosen), self.like("a0", c, chosen)

    def _value_fine(
        self, c: int, criterion: ValueCriterion, x: t.LinearSum, u: t.LinearSum, k: int
    ) -> t.Term:
        """A value that ``x`` rows of class c have, ``u`` if it were like the table,
        keeps all bounds.
        """
        key = f"{c} {self._index(criterion.f)} {k}"
        bounds = [self._bound(bound, x, u, key, c) for bound in criterion.bounds()]
        return t.conj(bounds)

    def _bound(
        self, bound: Bound, x: t.LinearSum, u: t.LinearSum, key: str, c: int
    ) -> t.Term:
        """One bound on the share of a value: ``x`` against ``u``, both times the rows
        of the class.
        """
        match bound:
            case Mix(factor, more):
                clear = math.lcm(factor.denominator, more.denominator)
                shared = int(factor * clear) * u
                right = shared + int(more * clear) * self.size(c)
                return t.compare(clear * x, "<=", right)
            case WithinLog():
                return t.compare(x - u, "<=", self._minus_log(u, key, c))
            case WithinPower(exponent, absent):
                up = t.compare(x, "<", self._power(exponent, u, f"u {key}"))
                down = t.compare(u, "<", self._power(exponent, x, f"x {key}"))
                some = t.compare(x, ">", 0)
                if absent:
                    # a value that the class has not is ignored
                    return t.conj((up, t.implies(some, down)))
                return t.conj((up, t.conj((some, down))))

    def _power(self, delta: Fraction, rows: t.LinearSum, key: str) -> t.LinearSum:
        """2^delta times a count: itself where that is an integer, else an unknown
        between close bounds.
        """
        if delta.denominator == 1 and delta <= 64:
            factor: int = 2 ** int(delta)
            return factor * rows
        low, high = power_enclosure(delta)
        name = f"2^{delta} {self.mark}{key}"
        power = t.number(name, low=None)
        self.extra[name] = [
            share(power, ">=", low, rows),
            share(power, "<=", high, rows),
        ]
        return power

    def _minus_log(self, u: t.LinearSum, key: str, c: int) -> t.LinearSum:
        """u times -ln p: the same unknown wherever it occurs, between bounds."""
        name = f"-ln {self.mark}{key}"
        bound = t.number(name, low=None)
        grid = GRID if self.fine else 1
        size = self.size(c)
        known = minus_log_facts(bound, u, size, grid)
        self.extra[name] = list(known)
        return bound

    def _endless(self, criterion: ClassCriterion, c: int) -> t.Term:
        """A criterion of a column with any number of values: an unknown, with what
        follows from it and its failure.

        What is said of the number of rows and of the number of values is said as it is.
        """
        view = self._view(criterion.attribute, c)
        single = self.case.choice.single(criterion.attribute)
        counted, rest = parted(criterion, single)
        conditions: list[t.Term] = []
        for condition in counted:
            if isinstance(condition, Several):
                conditions.append(t.compare(view.kinds, ">=", condition.least))
            elif self.sized:
                conditions.append(t.compare(view.rows, ">=", condition.least))
        if rest is None or rest:
            conditions.append(self._holds(criterion, c))
        return t.conj(conditions)

    def _view(self, f: str, c: int) -> EndlessClass:
        """The values of the column in a class.  Also says what is known of their
        number.
        """
        choice = self.case.choice
        single = tuple(self._pair(f, value, c) for value in choice.single(f))
        bundles = tuple(self._pair(f, label, c) for label in choice.bundles[f])
        name = f"kinds {self.mark}{self._index(f)} {c}"
        view = EndlessClass(single, bundles, self.size(c), t.number(name, low=None))
        if name not in self.extra:
            known = list(how_many(view, self.sized))
            if self.lone:
                known += chosen(view, self.case.frequent[f])
            self.extra[name] = known
        return view

    def _holds(self, criterion: ClassCriterion, c: int) -> t.Flag:
        """Whether a criterion that is not linear holds: an unknown, with what follows
        from it and from its failure.
        """
        f = criterion.attribute
        criteria = list(self.case.criteria.values())
        holds = t.Flag(f"holds {self.mark}{criteria.index(criterion)} {c}")
        if holds.name in self.extra:
            return holds
        known: list[t.Term] = []
        # entered before it is filled: criteria that imply each other meet it again
        self.extra[holds.name] = known
        if self.case.choice.bundles.get(f):
            known += self._endless_facts(criterion, holds, c)
        elif isinstance(criterion, EvenCriterion):
            counts = [self.inside(c, self.having(f, v)) for v in self.domain(f)]
            alphas = self._alphas(f)
            known += entropy_facts(criterion, holds, counts, self.size(c), alphas)
        for other in criteria:
            if other == criterion or other.attribute != f:
                continue
            if criterion.implies(other):
                known.append(t.implies(holds, self._holds(other, c)))
        return holds

    def _endless_facts(self, criterion: ClassCriterion, holds: t.Flag, c: int) -> Facts:
        """What follows where a criterion of a column without a bound holds, and where
        it fails.
        """
        f = criterion.attribute
        fine = partial(self._value_fine, c)
        view = self._view(f, c)
        over: list[t.Term] = []
        if criterion.frequent is not None:
            _, linear = parted(criterion, self.case.choice.single(f))
            over = [self.of_class(formula, c) for formula in linear or ()]
        for fact in consequences(criterion, view, fine, over):
            yield t.implies(holds, fact)
        # values at which it fails are single only for criteria of the failing conjunct
        single = criterion in self.failing or not isinstance(criterion, ValueCriterion)
        if self.lone and single:
            for fact in failures(criterion, view, fine, self._alphas(f), over):
                yield t.disj((holds, fact))

    def _index(self, f: str) -> int:
        """The number of a column, for names of unknowns."""
        return list(self.case.choice.attributes).index(f)

    def _alphas(self, f: str) -> list[Fraction]:
        """Shares at which entropy is compared with other criteria."""
        alphas = {Fraction(1)}
        for other in self.case.criteria.values():
            if other.attribute == f:
                alphas.update(other.telling)
        return sorted(alphas)


def like(c: int, p: int) -> t.LinearSum:
    """The rows of a profile in class c if it were like the table."""
    return t.number(f"u{c}_{p}")


def in_whole(p: int) -> t.LinearSum:
    """The rows of a profile in the table as one class."""
    return t.number(f"nw0_{p}")


def around(agent: str, c: int, p: int) -> t.LinearSum:
    """The rows of a profile that an agent with partial knowledge does not tell from
    those of class c.
    """
    return t.number(f"b {agent} {c} {p}")


def _kind(agent: str, known: set[str], quasi: set[str]) -> str:
    """Who knows all quasi-identifiers is like a1, who knows none like a0."""
    if quasi and known == quasi:
        return "a1"
    return agent if known else "a0"
