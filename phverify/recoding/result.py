"""What a search for a recoding by tuples answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from phverify.errors import BudgetExceeded
from phverify.generalization.standing import Standing as Standing
from phverify.generalization.standing import relative_gap as relative_gap
from phverify.microdata.release_file import WritableRelease
from phverify.recoding.measures import Measures
from phverify.rounded import below, in_places
from phverify.spec.data import Refused
from phverify.spec.necessary import Necessary
from phverify.spec.recoding import TupleRecoding
from phverify.spec.sampling import RecordSample
from phverify.spec.splits import Splits
from phverify.verification.result import Report
from phverify.words import plural

Outcome = Literal["proved", "infeasible", "undecided"]


@dataclass(frozen=True, eq=False)
class RecodingShown:
    """The classes of a release, for who wants to look at them.

    ``redact``: no value is to be said.
    """

    recoding: TupleRecoding
    redact: bool


@dataclass(frozen=True, eq=False)
class RecodingResult(WritableRelease):
    """A release by tuples that satisfies a policy, and a bound on what any other costs.

    ``verdict``: proved (there is a release, and every rule is proved of it), infeasible
    (no recoding satisfies the policy) or undecided (``reason`` says why).  ``cost`` and
    ``bound`` are exact; ``gap`` is (cost - bound) / cost, and ``wanted`` the gap asked
    for.  ``history`` are the releases and bounds on the way.  ``nodes`` says of each
    quasi-identifier what its cells may become.  ``suppressed`` records are withheld, of
    ``budget``; ``stars`` cells are ``*``.  ``splits`` says that no class can be split,
    None where that was not looked at.  ``publish``: what is shown in columns of
    numbers; with medians, ``classes`` are those that the release shows.
    """

    verb = "tuples"
    drawn = True

    verdict: Outcome
    objective: str
    rows: int
    tuples: int
    nodes: Mapping[str, str]
    necessary: Necessary
    bound: Fraction
    budget: int
    disjoint: bool
    cuts: int = 0
    cost: Fraction | None = None
    wanted: Fraction | None = None
    classes: int = 0
    suppressed: int = 0
    stars: int = 0
    measures: Measures | None = None
    checks: Report | None = None
    splits: Splits | None = None
    history: tuple[Standing, ...] = ()
    publish: str = "range"
    shown: RecodingShown | None = field(default=None, repr=False)
    """What a page shows of the release."""
    make_certificate: Callable[[], dict[str, Any]] | None = field(
        default=None, repr=False
    )
    seconds: float = 0.0
    reason: str = ""
    sample: RecordSample | None = None
    """The records that all is about; None for the whole table."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> Fraction | None:
        """How far the cost may be above the least, as a share of the cost."""
        if self.cost is None:
            return None
        return relative_gap(self.cost, self.bound)

    @property
    def reached(self) -> bool:
        """Whether the gap asked for is reached, or none was asked for."""
        if self.gap is None:
            return False
        return self.wanted is None or self.gap <= self.wanted

    @property
    def report(self) -> Report | None:
        """What ``verify`` says of the release."""
        return self.checks

    def counted(self) -> str:
        """What the release costs, and the bound."""
        if self.cost is None:
            return "nothing found"
        return (
            f"{self.objective} {in_places(self.cost)}, none below {below(self.bound)},"
            f" {plural(self.rows, 'record')}"
        )

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """Cost, bound and verdicts for ``check`` to verify again; made when looked at.

        None when there is none: ``uncertified`` says why.
        """
        made = self._certified
        if isinstance(made, str):
            return None
        return made

    @property
    def uncertified(self) -> str:
        """Why a release has no certificate; "" when it has one."""
        made = self._certified
        if isinstance(made, str):
            return made
        return ""

    @cached_property
    def _certified(self) -> dict[str, Any] | str | None:
        if self.make_certificate is None:
            return None
        try:
            return self.make_certificate()
        except (Refused, BudgetExceeded) as error:
            return str(error)
