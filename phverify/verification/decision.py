"""What a decision on one rule consists of."""

from __future__ import annotations

from dataclasses import dataclass

from phverify.result import Status
from phverify.spec import syntax as s
from phverify.spec.models import ReleaseModel
from phverify.symbolic.encoding import ReleaseQuestion
from phverify.verification.decode import Leak
from phverify.verification.result import Failing


@dataclass(frozen=True, eq=False)
class AskedQuestion:
    """A question that the solver was asked, its text, and the status of the answer."""

    question: ReleaseQuestion
    text: str
    status: str


@dataclass(frozen=True, eq=False)
class Doubt:
    """A formula that nobody can know: models in which it is false and, unless it is
    false in all, true.

    ``affirming`` is None as well where no such model was found in time.
    """

    formula: s.Formula
    denying: ReleaseModel | None
    affirming: ReleaseModel | None


@dataclass(frozen=True, eq=False)
class Decision:
    """The status of a rule with the leak that refutes it, or why it is undecided.

    ``failing`` says how many classes and rows break it, ``model`` is the one in which
    the leak was confirmed, ``doubts`` say of each ``never_known`` that was asked first
    why it is not known.
    """

    status: Status
    leak: Leak | None = None
    failing: Failing | None = None
    reason: str = ""
    query: str = ""
    queries: int = 0
    model: ReleaseModel | None = None
    doubts: tuple[Doubt, ...] = ()
    asked: tuple[AskedQuestion, ...] = ()
