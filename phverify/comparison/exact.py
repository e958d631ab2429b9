"""Tables of a given shape and size: exactly when formulas are true in them, in linear integer arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phverify.comparison.encode import Encoder, Points, Spot
from phverify.comparison.measures import entropy, value_by_value
from phverify.constraints.smtlib import number
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion, EvenCriterion
from phverify.spec.criteria.value import ValueCriterion
from phverify.symbolic.histograms import addition, conjunction, disjunction, negation


class Exact(Encoder):
    """Every class has a known number of rows, and there are no other classes."""

    @property
    def sizes(self) -> tuple[int, ...]:
        assert self.shape.sizes is not None
        return self.shape.sizes

    @property
    def rows(self) -> int:
        return sum(self.sizes)

    def frame(self) -> list[str]:
        """Declarations, the sizes of classes, and the values that must occur."""
        own = [cell.text for cell in self.cells if cell.row is None]
        lines = [f"(declare-const {x} Int)\n(assert (>= {x} 0))" for x in own]
        everyone = self.everything()
        lines += [f"(assert (= {self.inside(c, everyone)} {size}))" for c, size in enumerate(self.sizes)]
        for f, needed in self.choice.active.items():
            lines += [f"(assert (> {self.total(self.having(f, v))} 0))" for v in needed]
        return lines

    def total(self, profiles: Sequence[bool]) -> str:
        """How many rows of the table have one of the profiles."""
        return addition([cell.text for cell in self.cells if profiles[cell.profile]])

    def together(self, agent: str, c: int) -> list[int]:
        """The classes that an agent does not tell from class c."""
        if agent == "a1":
            return [c]
        block = dict(self.shape.blocks).get(agent, (0,) * self.shape.classes)
        return [k for k in range(self.shape.classes) if block[k] == block[c]]

    def scales(self, linear: s.Linear, c: int) -> dict[str, int]:
        agents = {str(term.agent) for term in s.likelihoods(linear)}
        return {agent: sum(self.sizes[k] for k in self.together(agent, c)) for agent in agents}

    def measure(self, agent: str, body: s.Formula, spot: Spot, points: Points, scales: Mapping[str, int]) -> str:
        return self.count(body, self.together(agent, self.cells[spot[0]].cls), points)

    def constant(self, value: int, scales: Mapping[str, int], c: int) -> str:
        return number(value)

    def somewhere(self, agent: str, body: s.Formula, spot: Spot, points: Points) -> str:
        return self.among(body, self.together(agent, self.cells[spot[0]].cls), points)

    def quantified(
        self, universal: bool, binders: tuple[s.Binder, ...], body: s.Formula, spot: Spot, points: Points
    ) -> str:
        first, *rest = binders
        body = body if universal else s.Not(body)
        inner = s.Quantified(True, tuple(rest), body) if rest else body
        found = [self.truth(s.substitute(inner, {first.var.name: name}), spot, points) for name, _ in points]
        for k in range(len(self.cells)):
            there = self.exists(k, points)
            if there == "false":
                continue
            more = (*points, (first.var, k))
            if spot == (k, -1):  # the individual may be at this very world, or at another alike
                found.append(self.truth(inner, (k, len(points)), more))
                there = self.exists(k, more)
            if there != "false":
                found.append(disjunction([negation(there), self.truth(inner, spot, more)]))
        everyone = conjunction(found)
        return everyone if universal else negation(everyone)

    def criterion(self, criterion: ClassCriterion, c: int) -> str:
        f, size = criterion.attribute, self.sizes[c]
        domain = self.choice.attributes[f].domain if f else ()
        counts = [self.inside(c, self.having(f, v)) for v in domain]
        if isinstance(criterion, EvenCriterion):
            return entropy(criterion, counts, size)
        if isinstance(criterion, ValueCriterion):
            wholes = [self.total(self.having(f, v)) for v in domain]
            pairs = zip(counts, wholes, strict=True)
            return conjunction([value_by_value(criterion, x, w, size, self.rows) for x, w in pairs])
        return self.conditions(criterion, c, str(size))
