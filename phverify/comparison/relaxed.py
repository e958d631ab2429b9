"""Tables with any number of rows and classes: what some classes of every table satisfy.

It is a relaxation.  The classes looked at are those of named individuals and those where the second rule fails; of the
rest only its traces are kept: ``u`` are the rows that each profile would have in a class with the shares of the whole
table, and the table as one class (``Whole``) satisfies what merging keeps.  Every table with such classes gives a
solution, so that no solution means no table.  A solution need not be a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from phverify.budget import Deadline
from phverify.comparison.domains import Choice, Open
from phverify.comparison.encode import Cell, Encoder, Points, Shape, Spot, times
from phverify.comparison.endless import View, chosen, consequences, failures, how_many, parted
from phverify.comparison.measures import (
    GRID,
    entropy_facts,
    minus_log_facts,
    over,
    power_enclosure,
    scaled,
)
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion, EvenCriterion, Several
from phverify.spec.criteria.value import Bound, Mix, ValueCriterion, WithinLog, WithinPower
from phverify.symbolic.histograms import addition, conjunction
from phverify.symbolic.local import propositional


class Relaxed(Encoder):
    """Some classes with any number of rows; the last one is the one whose ``u`` are the rows of ``Whole``."""

    sort = "Real"
    sized = True
    fine = True

    def __init__(
        self,
        shape: Shape,
        choice: Choice,
        criteria: Mapping[s.Criterion, ClassCriterion],
        deadline: Deadline,
        knows: Mapping[str, tuple[str, ...]],
        quasi: Sequence[str],
        mark: str = "",
    ) -> None:
        super().__init__(shape, choice, criteria, deadline, mark)
        self.knows = {agent: _kind(agent, set(known), set(quasi)) for agent, known in knows.items()}
        self.extra: dict[str, list[str]] = {}
        """Further unknowns, and what is known of each."""
        self.lone = False
        """Whether the only class is the one that single values were chosen for (see ``endless``)."""
        self.failing: frozenset[ClassCriterion] = frozenset()
        """The criteria of the conjunct that fails in it."""
        self.frequent: Mapping[str, int] = {}
        """How many of its most frequent values were chosen."""

    def frame(self, whole: bool) -> list[str]:
        """Declarations, and what holds in every table.  With ``whole`` numbers only, counts are integers."""
        lines = []
        for cell in self.cells:
            if cell.row is None and whole:
                lines.append(
                    f"(declare-const i{cell.text} Int)\n(define-fun {cell.text} () Real (to_real i{cell.text}))"
                )
            elif cell.row is None:
                lines.append(f"(declare-const {cell.text} Real)")
            lines += [f"(assert (>= {cell.text} 0))"] if cell.row is None else []
        for c in range(self.shape.classes):
            anchors = sum(home == c for _, home in self.shape.homes)
            lines += [f"(assert (>= {self.size(c)} {anchors}))"] if anchors else []
            lines += self._shares(c)
        return lines

    def _shares(self, c: int) -> list[str]:
        """The rows that the profiles would have in class c if it were like the table."""
        profiles = range(len(self.choice.profiles))
        lines = [f"(declare-const u{c}_{p} Real)\n(assert (>= u{c}_{p} 0))" for p in profiles]
        lines.append(f"(assert (= {addition([f'u{c}_{p}' for p in profiles])} {self.size(c)}))")
        for p in profiles:
            own = addition([cell.text for cell in self.cells if (cell.cls, cell.profile) == (c, p)])
            lines.append(f"(assert (=> (> {own} 0) (> u{c}_{p} 0)))")
            lines.append(f"(assert (=> (> {self.size(c)} 0) (= (> u{c}_{p} 0) (> nw0_{p} 0))))")
            lines += [f"(declare-const {b} Real)\n(assert (>= {b} {own}))" for b in self._blocks(c, p)]
            lines += [f"(assert (=> (> {b} 0) (> nw0_{p} 0)))" for b in self._blocks(c, p)]
        if c == self.shape.classes - 1:
            lines += [f"(assert (=> (> {self.size(c)} 0) (= u{c}_{p} nw0_{p})))" for p in profiles]
        return lines

    @property
    def partial(self) -> list[str]:
        """The agents that know some quasi-identifiers only."""
        return sorted({kind for kind in self.knows.values() if kind not in ("a0", "a1")})

    def _blocks(self, c: int, p: int) -> list[str]:
        return [f"|b {agent} {c} {p}|" for agent in self.partial]

    def size(self, c: int) -> str:
        return self.inside(c, self.everything())

    def like(self, kind: str, c: int, profiles: Sequence[bool]) -> str:
        """The rows with these profiles in what an agent sees around class c (for a0: scaled to the class)."""
        chosen = [p for p, wanted in enumerate(profiles) if wanted]
        if kind == "a0":
            return addition([f"u{c}_{p}" for p in chosen])
        return addition([f"|b {kind} {c} {p}|" for p in chosen])

    def scales(self, linear: s.Linear, c: int) -> dict[str, int]:
        agents = {str(term.agent) for term in s.likelihoods(linear)}
        kinds = {self.knows[agent] for agent in agents}
        if not kinds <= {"a0", "a1"} and len(kinds) > 1:
            raise Open("likelihoods of agents with other knowledge stand in one sum")
        return dict.fromkeys(agents, 1)

    def measure(self, agent: str, body: s.Formula, spot: Spot, points: Points, scales: Mapping[str, int]) -> str:
        c, kind = self.cells[spot[0]].cls, self.knows[agent]
        if kind == "a1":
            return self.count(body, [c], points)
        return self.like(kind, c, self.plain(self._only_plain(agent, body)))

    def constant(self, value: int, scales: Mapping[str, int], c: int) -> str:
        kinds = {self.knows[agent] for agent in scales} - {"a0", "a1"}
        if not scales:
            return times(value, "1")
        return times(value, self.like(kinds.pop(), c, self.everything()) if kinds else self.size(c))

    def somewhere(self, agent: str, body: s.Formula, spot: Spot, points: Points) -> str:
        c, kind = self.cells[spot[0]].cls, self.knows[agent]
        if kind == "a1":
            return self.among(body, [c], points)
        return f"(> {self.like(kind, c, self.plain(self._only_plain(agent, body)))} 0)"

    def _only_plain(self, agent: str, body: s.Formula) -> s.Formula:
        if not propositional(body):
            raise Open(f"what {agent} knows of other classes is more than descriptors")
        return body

    def quantified(
        self, universal: bool, binders: tuple[s.Binder, ...], body: s.Formula, spot: Spot, points: Points
    ) -> str:
        raise Open("a schema over individuals inside a formula speaks of all classes")

    # Criteria

    def criterion(self, criterion: ClassCriterion, c: int) -> str:
        f, rows = criterion.attribute, self.size(c)
        if self.choice.bundles.get(f):
            return self._endless(criterion, c)
        domain = self.choice.attributes[f].domain if f else ()
        counts = [self.inside(c, self.having(f, v)) for v in domain]
        if isinstance(criterion, EvenCriterion):
            return self._entropy(criterion, c, counts)
        if isinstance(criterion, ValueCriterion):
            likes = [self.like("a0", c, self.having(f, v)) for v in domain]
            pairs = enumerate(zip(counts, likes, strict=True))
            return conjunction(
                [self._value_fine(criterion, x, u, f"{c} {self._index(f)} {k}", c) for k, (x, u) in pairs]
            )
        return self.conditions(criterion, c, rows, self.sized)

    def _value_fine(self, criterion: ValueCriterion, x: str, u: str, key: str, c: int) -> str:
        """A value that ``x`` rows of the class have, ``u`` if it were like the table, keeps all bounds."""
        return conjunction([self._bound(bound, x, u, key, c) for bound in criterion.bounds()])

    def _bound(self, bound: Bound, x: str, u: str, key: str, c: int) -> str:
        match bound:
            case Mix(factor, more):
                clear = math.lcm(factor.denominator, more.denominator)
                right = [times(int(factor * clear), u), times(int(more * clear), self.size(c))]
                return f"(<= {times(clear, x)} {addition([text for text in right if text != '0'])})"
            case WithinLog():
                return f"(<= (- {x} {u}) {self._minus_log(u, key, c)})"
            case WithinPower(exponent, absent):
                up = f"(< {x} {self._power(exponent, u, f'u {key}')})"
                down = f"(< {u} {self._power(exponent, x, f'x {key}')})"
                down = f"(or (= {x} 0) {down})" if absent else f"(and (> {x} 0) {down})"
                return f"(and {up} {down})"

    def _power(self, delta: Fraction, text: str, key: str) -> str:
        """2^delta times a count: itself where that is an integer, else an unknown between close bounds."""
        if delta.denominator == 1 and delta <= 64:
            return f"(* {2 ** int(delta)} {text})"
        low, high = power_enclosure(delta)
        name = f"|2^{delta} {self.mark}{key}|"
        self.extra[name] = [
            f"(>= {over(low, name)} {scaled(low, text)})",
            f"(<= {over(high, name)} {scaled(high, text)})",
        ]
        return name

    def _minus_log(self, u: str, key: str, c: int) -> str:
        """u times -ln p: the same unknown wherever it occurs, between bounds."""
        name = f"|-ln {self.mark}{key}|"
        self.extra[name] = list(minus_log_facts(name, u, self.size(c), GRID if self.fine else 1))
        return name

    def _entropy(self, criterion: EvenCriterion, c: int, counts: Sequence[str]) -> str:
        f = criterion.attribute
        name = self._entropy_name(criterion, c)
        facts = [f"(or (= {name} 0) (= {name} 1))"]
        facts += entropy_facts(criterion, f"(= {name} 1)", counts, self.size(c), self._alphas(f))
        for other in self.criteria.values():
            alike = isinstance(other, EvenCriterion) and other.attribute == f and other != criterion
            if alike and isinstance(other, EvenCriterion) and criterion.implies(other):
                weaker = self._entropy_name(other, c)
                self.extra.setdefault(weaker, [])
                facts.append(f"(<= {name} {weaker})")
        self.extra[name] = facts
        return f"(= {name} 1)"

    def _entropy_name(self, criterion: EvenCriterion, c: int) -> str:
        return f"|entropy {self.mark}{self._index(criterion.attribute)} {criterion.effective} {c}|"

    def _endless(self, criterion: ClassCriterion, c: int) -> str:
        """A criterion of a column with any number of values: an unknown, with what follows from it and its failure.

        What is said of the number of rows and of the number of values is said as it is.
        """
        view = self._view(criterion.attribute, c)
        said, rest = parted(criterion, self.choice.single(criterion.attribute))
        found = []
        for condition in said:
            if isinstance(condition, Several):
                found.append(f"(>= {view.kinds} {condition.least})")
            elif self.sized:
                found.append(f"(>= {view.rows} {condition.least})")
        if rest is None or rest:
            found.append(f"(= {self._known_at(criterion, view, c, rest or [])} 1)")
        return conjunction(found)

    def _view(self, f: str, c: int) -> View:
        """The values of the column in a class.  Also says what is known of their number."""
        pairs = {}
        for v in self.choice.attributes[f].domain:
            profiles = self.having(f, v)
            pairs[v] = self.inside(c, profiles), self.like("a0", c, profiles)
        single = tuple(pairs[v] for v in self.choice.single(f))
        bundles = tuple(pairs[v] for v in self.choice.bundles[f])
        view = View(single, bundles, self.size(c), f"|kinds {self.mark}{self._index(f)} {c}|")
        if view.kinds not in self.extra:
            known = list(how_many(view, self.sized))
            self.extra[view.kinds] = known + (list(chosen(view, self.frequent[f])) if self.lone else [])
        return view

    def _known_at(self, criterion: ClassCriterion, view: View, c: int, rest: list[s.Formula]) -> str:
        """1 where the criterion holds, as far as its other conditions go, else 0."""
        f = criterion.attribute
        name = f"|holds {self.mark}{list(self.criteria.values()).index(criterion)} {c}|"
        if name in self.extra:
            return name

        def fine(other: ValueCriterion, x: str, u: str, k: int) -> str:
            return self._value_fine(other, x, u, f"{c} {self._index(f)} {k}", c)

        decided = criterion.frequent is not None
        over = [self.of_class(formula, c) for formula in rest] if decided else []
        self.extra[name] = known = [f"(or (= {name} 0) (= {name} 1))"]
        known += [f"(=> (= {name} 1) {fact})" for fact in consequences(criterion, view, fine, over)]
        if self.lone and (criterion in self.failing or not isinstance(criterion, ValueCriterion)):
            known += [f"(=> (= {name} 0) {fact})" for fact in failures(criterion, view, fine, self._alphas(f), over)]
        for other in self.criteria.values():
            if other != criterion and other.attribute == f and criterion.implies(other):
                weaker = parted(other, self.choice.single(f))[1]
                known.append(f"(<= {name} {self._known_at(other, view, c, weaker or [])})")
        return name

    def _index(self, f: str) -> int:
        return list(self.choice.attributes).index(f)

    def _alphas(self, f: str) -> list[Fraction]:
        """Shares at which entropy is compared with other criteria."""
        found = {Fraction(1)}
        for other in self.criteria.values():
            if other.attribute == f:
                found.update(other.telling)
        return sorted(found)


class Whole(Relaxed):
    """The table as one class, up to a factor: what merging keeps holds there.  Of its size nothing is said."""

    sized = False

    def frame(self, whole: bool) -> list[str]:
        lines = [f"(declare-const {cell.text} Real)\n(assert (>= {cell.text} 0))" for cell in self.cells]
        lines.append(f"(assert (> {self.size(0)} 0))")
        for f, needed in self.choice.active.items():
            lines += [f"(assert (> {self.inside(0, self.having(f, v))} 0))" for v in needed]
        return lines

    def like(self, kind: str, c: int, profiles: Sequence[bool]) -> str:
        return self.inside(c, profiles)


class Block(Whole):
    """What an agent with partial knowledge sees around a class: a union of classes, where what merging keeps holds."""

    def _cells(self) -> Iterator[Cell]:
        kind, _, c = self.mark.partition(" ")
        for p in range(len(self.choice.profiles)):
            yield Cell(0, p, None, f"|b {kind} {c} {p}|")

    def frame(self, whole: bool) -> list[str]:
        return []

    def named(self, text: str, sort: str = "Bool") -> str:
        return text

    def like(self, kind: str, c: int, profiles: Sequence[bool]) -> str:
        raise Open("the shares of the table are not scaled to this")


def unknowns(encoder: Relaxed) -> Iterator[str]:
    """The declarations of further unknowns."""
    yield from (f"(declare-const {name} Real)" for name in encoder.extra)


def facts(encoder: Relaxed) -> Iterator[str]:
    for known in encoder.extra.values():
        yield from (f"(assert {fact})" for fact in known)


def _kind(agent: str, known: set[str], quasi: set[str]) -> str:
    """Who knows all quasi-identifiers is like a1, who knows none like a0."""
    return "a1" if known == quasi and quasi else "a0" if not known else agent
