"""From a candidate that satisfies the policy to finer ones that do: one decision is
taken back at a time, the dearest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from phverify.exact import Bools
from phverify.generalization.steps_down import StepDown, StepsDown


@dataclass(eq=False)
class Descent:
    """Where a descent has come to, so that it can be continued.

    ``satisfies`` says whether a candidate does; ``kept`` are the decisions that stay.
    """

    steps_down: StepsDown
    current: Bools
    satisfies: Callable[[Bools], bool]
    kept: frozenset[int] = frozenset()
    failed: set[int] = field(default_factory=set)
    """Decisions that could not be taken back.

    What is finer breaks rules that merging keeps all the more: they are not tried
    again.
    """
    tried: set[bytes] = field(default_factory=set)

    def steps(self) -> Iterator[Bools]:
        """Look at one finer candidate after the other, and go on from each that
        satisfies the policy, until none does: where it stands after each look.

        May be left at any step, and begun again.
        """
        goes_on = True
        while goes_on:
            goes_on = False
            for step in self._finer():
                candidate = step.taken(self.current)
                # Several decisions may lead to one candidate.
                if candidate.tobytes() in self.tried:
                    continue
                # Once it is looked at, whatever interrupts that.
                self.tried.add(candidate.tobytes())
                self.failed.add(step.unknown)
                goes_on = self.satisfies(candidate)
                if goes_on:
                    self.failed.discard(step.unknown)
                    self.current = candidate
                yield self.current
                if goes_on:
                    break

    def whole(self) -> Bools:
        """Where it ends."""
        for _ in self.steps():
            pass
        return self.current

    def _finer(self) -> list[StepDown]:
        """What one decision less leads to, what gains most first."""
        passed_over = self.failed | self.kept
        steps = []
        for step in self.steps_down.each(self.current):
            if step.unknown not in passed_over:
                steps.append(step)
        # The first three say which one is tried first.
        steps.sort(key=lambda step: step[:3])
        return steps
