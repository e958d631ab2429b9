"""From a candidate that satisfies the policy to finer ones that do: one decision is
taken back at a time, the dearest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from phverify.exact import Bools
from phverify.generalization.space import CodedSpace
from phverify.spec.spaces import Cost


@dataclass(eq=False)
class Descent:
    """Where a descent has come to, so that it can be continued.

    ``satisfies`` says whether a candidate does; ``failed`` are those that did not.
    """

    space: CodedSpace
    cost: Cost
    current: Bools
    satisfies: Callable[[Bools], bool]
    failed: set[int] = field(default_factory=set)
    """Decisions that could not be taken back.

    What is finer breaks rules that merging keeps all the more: they are not tried
    again.
    """
    tried: set[bytes] = field(default_factory=set)

    def steps(self) -> Iterator[Bools]:
        """Each finer candidate that satisfies the policy, until none does.

        May be left at any step, and begun again.
        """
        while True:
            found = self._next()
            if found is None:
                return
            self.current = found
            yield found

    def _next(self) -> Bools | None:
        for unknown, candidate in self._finer():
            # Several decisions may lead to one candidate.
            if candidate.tobytes() in self.tried:
                continue
            # Once it is looked at, whatever interrupts that.
            self.tried.add(candidate.tobytes())
            self.failed.add(unknown)
            if self.satisfies(candidate):
                self.failed.discard(unknown)
                return candidate
        return None

    def _finer(self) -> list[tuple[int, Bools]]:
        """What one decision less leads to, what gains most first."""
        found = []
        for unknown in np.flatnonzero(self.current).tolist():
            if unknown in self.failed:
                continue
            candidate = self.space.lowered(self.current, unknown)
            dropped = int(self.current.sum() - candidate.sum())
            after = self.space.total(candidate, self.cost)
            found.append((dropped, after, unknown, candidate))
        # As few decisions as possible: those above are taken back first.
        found.sort(key=lambda one: one[:3])
        return [(unknown, candidate) for _, _, unknown, candidate in found]
