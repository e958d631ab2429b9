"""A part of a policy with each of the numbers that its criterion may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from phverify.budget import Deadline
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.parts import ClassPart
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit, build, given, params
from phverify.symbolic.prover import closure


@dataclass(frozen=True, eq=False)
class NumberedPart:
    """The part with each number, from the least strict to the strictest: made when it
    is asked for, since most never are.
    """

    judge: CandidateJudge
    part: ClassPart
    node: s.Criterion
    parameter: str
    numbers: tuple[Fraction, ...]
    deadline: Deadline
    _criteria: dict[int, s.Criterion] = field(default_factory=dict)
    _parts: dict[int, ClassPart] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        judge: CandidateJudge,
        rule: str,
        parameter: str,
        numbers: Sequence[Fraction],
        deadline: Deadline,
    ) -> NumberedPart | None:
        """The one part of a rule whose criterion has the parameter; None where there is
        none, or it cannot have one of the numbers.
        """
        found = []
        for part in judge.parts.classes:
            node = part.source
            if not isinstance(node, s.Criterion) or part.bodies != (node,):
                continue
            if part.rule == rule and parameter in given(node):
                found.append((part, node))
        if len(found) != 1:
            return None
        part, node = found[0]
        one = cls(judge, part, node, parameter, tuple(numbers), deadline)
        return one if one._fits() else None

    def _fits(self) -> bool:
        """Whether the criterion can have each number: bounds are those of the first and
        the last.
        """
        [param] = [one for one in params(self.node.name) if one.name == self.parameter]
        if param.kind == "whole":
            for number in self.numbers:
                if number.denominator != 1:
                    return False
        try:
            self.criterion(0)
            self.criterion(len(self.numbers) - 1)
        except Unfit:
            return False
        return True

    def criterion(self, place: int) -> s.Criterion:
        """The criterion with one of the numbers."""
        if place not in self._criteria:
            release = self.judge.bound.release
            number = str(self.numbers[place])
            arguments = {**given(self.node), self.parameter: number}
            one = s.Criterion(self.node.name, (), tuple(arguments.items()))
            built = build(one, release.signature, self.judge.paths)
            release.criteria[one] = built  # type: ignore[index]
            self._criteria[place] = one
        return self._criteria[place]

    def at(self, place: int) -> ClassPart:
        """The part with one of the numbers, and what is proved of it."""
        if place not in self._parts:
            one = self.criterion(place)
            proved = closure(one, self.judge.bound.release, self.deadline)
            self._parts[place] = replace(
                self.part, source=one, bodies=(one,), closure=proved
            )
        return self._parts[place]
