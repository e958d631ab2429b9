"""Why a rule is valid where there are too many models.

Each way to break it is a 0/1 system, and each has a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat

from phverify.spec import syntax as s
from phverify.spec.farkas import refute
from phverify.spec.ground import Ground
from phverify.spec.instances import instances
from phverify.spec.models import Table
from phverify.spec.question import counted, systems
from phverify.spec.source import Plain, Refused
from phverify.spec.system import System
from phverify.spec.wording import many


@dataclass(frozen=True, eq=False)
class UndecidedCase:
    """One way in which a rule could be false that counting does not rule out.

    It has a proof, or two solvers agree.
    """

    digest: str
    system: System


def examined(
    rule: s.Formula, given: tuple[s.Formula, ...], where: Table
) -> Iterator[UndecidedCase | None]:
    """All ways to break some instance of a rule.

    None for those that counting rules out.
    """
    ground = Ground(where)
    for instance in instances(rule, where.data.signature):
        # Where only the counts of classes matter no system is needed.
        if counted(instance, ground):
            yield None
            continue
        # Of systems that are alike one is examined.
        undecided: dict[str, UndecidedCase] = {}
        excluded = 0
        for system in systems(instance, given, ground):
            if system is None:
                excluded += 1
                continue
            digest = system.digest
            undecided[digest] = UndecidedCase(digest, system)
        yield from repeat(None, excluded)
        yield from undecided.values()


@dataclass(eq=False)
class Proofs:
    """The proofs that a certificate holds.

    ``leaves`` gets the leaves of each proof that was checked, and 0 for systems on
    which two solvers agree.
    """

    claimed: Plain
    leaves: dict[str, int]
    judge: Callable[[System], bool] | None

    def needed(
        self, name: str, formula: s.Formula, given: tuple[s.Formula, ...], table: Table
    ) -> str:
        """Check the proofs that a rule needs; returns what they are.

        Raises Refused where there is none, or one that proves nothing.
        """
        excluded = proofs = agreed = 0
        for case in examined(formula, given, table):
            if case is None:
                excluded += 1
            elif self.settled(name, case):
                proofs += 1
            else:
                agreed += 1
        listed = []
        if excluded:
            listed.append("by counting")
        if proofs:
            listed.append(f"by {many(proofs, 'proof')} checked in fractions")
        if agreed:
            listed.append(f"on {many(agreed, 'system')} two solvers agree: no proof")
        return ", and ".join(listed)

    def settled(self, name: str, case: UndecidedCase) -> bool:
        """Whether a system has a proof, which is checked.

        False where two solvers agree instead.  Raises Refused.
        """
        # Rules may share a system: its proof is read once.
        if case.digest not in self.leaves:
            self.leaves[case.digest] = self._leaves(name, case)
        return self.leaves[case.digest] > 0

    def _leaves(self, name: str, case: UndecidedCase) -> int:
        proofs = self.claimed["proofs"]
        if case.digest in proofs:
            return refute(case.system, proofs[case.digest])
        if case.digest in self.claimed["agreed"]:
            return self.agreed(name, case)
        raise Refused(
            f"a way to break {name} is not ruled out: there is no proof against it"
        )

    def agreed(self, name: str, case: UndecidedCase) -> int:
        """The 0 leaves of a system on which two solvers agree again.

        Raises Refused where there are none to ask, or they do not.
        """
        # Agreement is no proof: it counts when it is found here as well.
        if self.judge is None:
            raise Refused(
                f"{name} rests on two solvers, and there is none here to ask again"
            )
        if not self.judge(case.system):
            raise Refused(
                f"{name} rests on two solvers, and they do not find the same again"
            )
        return 0
