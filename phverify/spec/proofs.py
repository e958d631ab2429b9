"""Why a rule is valid where there are too many models: each way to break it is a 0/1
system, and each has a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
class Case:
    """One way in which a rule could be false that counting does not rule out: it has a
    proof, or two solvers agree.
    """

    digest: str
    system: System


def examined(
    rule: s.Formula, given: tuple[s.Formula, ...], where: Table
) -> Iterator[Case | None]:
    """All ways to break some instance of a rule; None for those that counting rules
    out.
    """
    ground = Ground(where)
    for instance in instances(rule, where.data.signature):
        if counted(instance, ground):
            yield None
            continue
        found = list(systems(instance, given, ground))
        yield from (None for one in found if one is None)
        yield from {
            one.digest: Case(one.digest, one) for one in found if one is not None
        }.values()


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
        """Check the proofs that a rule needs; returns what they are.  Raises
        Refused.
        """
        excluded, proofs, agreed = 0, 0, 0
        for case in examined(formula, given, table):
            if case is None:
                excluded += 1
            elif self.settled(name, case):
                proofs += 1
            else:
                agreed += 1
        listed = ["by counting"] if excluded else []
        listed += [f"by {many(proofs, 'proof')} checked in fractions"] if proofs else []
        listed += (
            [f"on {many(agreed, 'system')} two solvers agree: no proof"]
            if agreed
            else []
        )
        return ", and ".join(listed)

    def settled(self, name: str, case: Case) -> bool:
        """Whether a system has a proof, which is checked; False where two solvers agree
        instead.
        """
        if case.digest not in self.leaves:
            if case.digest in self.claimed["proofs"]:
                self.leaves[case.digest] = refute(
                    case.system, self.claimed["proofs"][case.digest]
                )
            elif case.digest in self.claimed["agreed"]:
                self.leaves[case.digest] = self.agreed(name, case)
            else:
                raise Refused(
                    f"a way to break {name} is not ruled out: there is no proof"
                    " against it"
                )
        return self.leaves[case.digest] > 0

    def agreed(self, name: str, case: Case) -> int:
        if self.judge is None:
            raise Refused(
                f"{name} rests on two solvers, and there is none here to ask again"
            )
        if not self.judge(case.system):
            raise Refused(
                f"{name} rests on two solvers, and they do not find the same again"
            )
        return 0
