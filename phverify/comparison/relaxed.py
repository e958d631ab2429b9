"""Tables with any number of rows and classes: what some classes of every table satisfy.

It is a relaxation.  The classes looked at are those of named individuals and those
where the second rule fails; of the rest only its traces are kept: ``u`` are the rows
that each profile would have in a class with the shares of the whole table, and the
table as one class (``Whole``) satisfies what merging keeps.  Every table with such
classes gives a solution, so that no solution means no table.  A solution need not be a
table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from phverify.budget import Deadline
from phverify.comparison.case import Case
from phverify.comparison.domains import Open
from phverify.comparison.encode import Cell, Chosen, Encoder, Scales, World, is_global
from phverify.comparison.endless import (
    Pair,
    View,
    chosen,
    consequences,
    failures,
    how_many,
    parted,
)
from phverify.comparison.measures import (
    GRID,
    Facts,
    entropy_facts,
    minus_log_facts,
    power_enclosure,
)
from phverify.comparison.parts import Part
from phverify.comparison.shapes import Shape
from phverify.constraints import terms as t
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, EvenCriterion, Several
from phverify.spec.criterion.value import (
    Bound,
    Mix,
    ValueCriterion,
    WithinLog,
    WithinPower,
)
from phverify.spec.walk import propositional
from phverify.symbolic.sums import share


class Relaxed(Encoder):
    """Some classes with any number of rows; the last one is the one whose ``u`` are the
    rows of ``Whole``.

    ``part`` is the conjunct that fails in one of them.  Bounds on logarithms that are
    ``fine``, and ``whole`` numbers of rows, cost time.
    """

    sized = True

    def __init__(
        self,
        case: Case,
        shape: Shape,
        deadline: Deadline,
        fine: bool,
        mark: str = "",
        part: Part | None = None,
        whole: bool = False,
    ) -> None:
        self.sort = "Int" if whole else "Real"
        super().__init__(case, shape, deadline, mark)
        quasi = set(case.frame.quasi)
        self.fine = fine
        self.knows = {
            agent: _kind(agent, set(known), quasi)
            for agent, known in case.frame.agents.items()
        }
        self.extra: dict[str, list[t.Term]] = {}
        """Further unknowns, and what is known of each."""
        self.lone = part is not None and shape.classes == 1 and not is_global(part.body)
        """Whether the only class is the one that single values were chosen for (see
        ``endless``).
        """
        inside = set(s.subformulas(part.body)) if part else set()
        self.failing = {
            found for node, found in case.criteria.items() if node in inside
        }
        """The criteria of the conjunct."""

    def frame(self) -> Facts:
        """What holds in every table."""
        for c in range(self.shape.classes):
            if anchors := list(self.shape.homes.values()).count(c):
                yield t.compare(self.size(c), ">=", anchors)
            yield from self._shares(c)

    def _shares(self, c: int) -> Facts:
        """The rows that the profiles would have in class c if it were like the
        table.
        """
        profiles = range(len(self.profiles))
        some = t.compare(self.size(c), ">", 0)
        yield t.compare(t.added(like(c, p) for p in profiles), "=", self.size(c))
        for p in profiles:
            in_table, expected = (
                t.compare(in_whole(p), ">", 0),
                t.compare(like(c, p), ">", 0),
            )
            own = t.added(
                cell.count for cell in self.cells if (cell.cls, cell.profile) == (c, p)
            )
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
        return sorted(
            {kind for kind in self.knows.values() if kind not in ("a0", "a1")}
        )

    def size(self, c: int) -> t.LinearSum:
        return self.inside(c, self.everything())

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        """The rows with these profiles in what an agent sees around class c (for a0:
        scaled to the class).
        """
        profiles = [p for p, wanted in enumerate(chosen) if wanted]
        return t.added(
            like(c, p) if kind == "a0" else around(kind, c, p) for p in profiles
        )

    def unit(self, agents: Sequence[str], c: int) -> Scales:
        kinds = {self.knows[agent] for agent in agents}
        others = kinds - {"a0", "a1"}
        if others and len(kinds) > 1:
            raise Open("likelihoods of agents with other knowledge stand in one sum")
        scales = dict.fromkeys(agents, 1)
        if not agents:
            return t.whole(1), scales
        return (
            self.like(others.pop(), c, self.everything()) if others else self.size(c)
        ), scales

    def measure(self, agent: str, body: s.Formula, world: World) -> t.LinearSum:
        c = self.cells[world.cell].cls
        if self.knows[agent] == "a1":
            return self.count(body, [c], world.points)
        if not propositional(body):
            raise Open(f"what {agent} knows of other classes is more than descriptors")
        return self.like(self.knows[agent], c, self.plain(body))

    def seen(self, agent: str, body: s.Formula, world: World) -> t.Term:
        if self.knows[agent] == "a1":
            return self.among(body, [self.cells[world.cell].cls], world.points)
        return t.compare(self.measure(agent, body, world), ">", 0)

    def schema(self, formula: s.Quantified, world: World) -> t.Term:
        raise Open("a schema over individuals inside a formula speaks of all classes")

    # Criteria

    def satisfied(self, criterion: ClassCriterion, c: int) -> t.Term:
        f = criterion.attribute
        if self.case.choice.bundles.get(f):
            return self._endless(criterion, c)
        if isinstance(criterion, EvenCriterion):
            return self._holds(criterion, c)
        if isinstance(criterion, ValueCriterion):
            pairs = [self._pair(f, v, c) for v in self.domain(f)]
            return t.conj(
                [
                    self._value_fine(c, criterion, x, u, k)
                    for k, (x, u) in enumerate(pairs)
                ]
            )
        return self.conditions(criterion, c, self.size(c), self.sized)

    def _pair(self, f: str, value: Label, c: int) -> Pair:
        chosen = self.having(f, value)
        return self.inside(c, chosen), self.like("a0", c, chosen)

    def _value_fine(
        self, c: int, criterion: ValueCriterion, x: t.LinearSum, u: t.LinearSum, k: int
    ) -> t.Term:
        """A value that ``x`` rows of class c have, ``u`` if it were like the table,
        keeps all bounds.
        """
        key = f"{c} {self._index(criterion.f)} {k}"
        return t.conj(
            [self._bound(bound, x, u, key, c) for bound in criterion.bounds()]
        )

    def _bound(
        self, bound: Bound, x: t.LinearSum, u: t.LinearSum, key: str, c: int
    ) -> t.Term:
        match bound:
            case Mix(factor, more):
                clear = math.lcm(factor.denominator, more.denominator)
                right = int(factor * clear) * u + int(more * clear) * self.size(c)
                return t.compare(clear * x, "<=", right)
            case WithinLog():
                return t.compare(x - u, "<=", self._minus_log(u, key, c))
            case WithinPower(exponent, absent):
                up = t.compare(x, "<", self._power(exponent, u, f"u {key}"))
                down = t.compare(u, "<", self._power(exponent, x, f"x {key}"))
                some = t.compare(x, ">", 0)
                return t.conj(
                    (up, t.implies(some, down) if absent else t.conj((some, down)))
                )

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
        self.extra[name] = list(
            minus_log_facts(bound, u, self.size(c), GRID if self.fine else 1)
        )
        return bound

    def _endless(self, criterion: ClassCriterion, c: int) -> t.Term:
        """A criterion of a column with any number of values: an unknown, with what
        follows from it and its failure.

        What is said of the number of rows and of the number of values is said as it is.
        """
        view = self._view(criterion.attribute, c)
        said, rest = parted(criterion, self.case.choice.single(criterion.attribute))
        found: list[t.Term] = []
        for condition in said:
            if isinstance(condition, Several):
                found.append(t.compare(view.kinds, ">=", condition.least))
            elif self.sized:
                found.append(t.compare(view.rows, ">=", condition.least))
        if rest is None or rest:
            found.append(self._holds(criterion, c))
        return t.conj(found)

    def _view(self, f: str, c: int) -> View:
        """The values of the column in a class.  Also says what is known of their
        number.
        """
        single = tuple(self._pair(f, v, c) for v in self.case.choice.single(f))
        bundles = tuple(self._pair(f, v, c) for v in self.case.choice.bundles[f])
        name = f"kinds {self.mark}{self._index(f)} {c}"
        view = View(single, bundles, self.size(c), t.number(name, low=None))
        if name not in self.extra:
            known = list(how_many(view, self.sized))
            self.extra[name] = known + (
                list(chosen(view, self.case.frequent[f])) if self.lone else []
            )
        return view

    def _holds(self, criterion: ClassCriterion, c: int) -> t.Flag:
        """Whether a criterion that is not linear holds: an unknown, with what follows
        from it and from its failure.
        """
        f, criteria = criterion.attribute, list(self.case.criteria.values())
        holds = t.Flag(f"holds {self.mark}{criteria.index(criterion)} {c}")
        if holds.name in self.extra:
            return holds
        known: list[t.Term] = []
        self.extra[holds.name] = known
        if self.case.choice.bundles.get(f):
            known += self._endless_facts(criterion, holds, c)
        elif isinstance(criterion, EvenCriterion):
            counts = [self.inside(c, self.having(f, v)) for v in self.domain(f)]
            known += entropy_facts(
                criterion, holds, counts, self.size(c), self._alphas(f)
            )
        for other in criteria:
            if other != criterion and other.attribute == f and criterion.implies(other):
                known.append(t.implies(holds, self._holds(other, c)))
        return holds

    def _endless_facts(self, criterion: ClassCriterion, holds: t.Flag, c: int) -> Facts:
        f, fine, over = (
            criterion.attribute,
            partial(self._value_fine, c),
            list[t.Term](),
        )
        view = self._view(f, c)
        if criterion.frequent is not None:
            over = [
                self.of_class(formula, c)
                for formula in parted(criterion, self.case.choice.single(f))[1] or ()
            ]
        yield from (
            t.implies(holds, fact) for fact in consequences(criterion, view, fine, over)
        )
        if self.lone and (
            criterion in self.failing or not isinstance(criterion, ValueCriterion)
        ):
            yield from (
                t.disj((holds, fact))
                for fact in failures(criterion, view, fine, self._alphas(f), over)
            )

    def _index(self, f: str) -> int:
        return list(self.case.choice.attributes).index(f)

    def _alphas(self, f: str) -> list[Fraction]:
        """Shares at which entropy is compared with other criteria."""
        found = {Fraction(1)}
        for other in self.case.criteria.values():
            if other.attribute == f:
                found.update(other.telling)
        return sorted(found)


class Whole(Relaxed):
    """The table as one class, up to a factor: what merging keeps holds there.  Of its
    size nothing is said.
    """

    sized = False

    def frame(self) -> Facts:
        yield t.compare(self.size(0), ">", 0)
        for f, needed in self.case.choice.active.items():
            yield from (
                t.compare(self.inside(0, self.having(f, v)), ">", 0) for v in needed
            )

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        return self.inside(c, chosen)


class Block(Whole):
    """What an agent with partial knowledge sees around a class: a union of classes,
    where what merging keeps holds.
    """

    def _cells(self) -> Iterator[Cell]:
        kind, _, c = self.mark.partition(" ")
        for p in range(len(self.profiles)):
            yield Cell(0, p, None, "", around(kind, int(c), p))

    def frame(self) -> Facts:
        return iter(())

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        raise Open("the shares of the table are not scaled to this")


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
    return "a1" if known == quasi and quasi else "a0" if not known else agent
