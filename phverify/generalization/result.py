"""What a search answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from phverify.errors import BudgetExceeded
from phverify.generalization.standing import Standing
from phverify.microdata.release_file import WritableRelease
from phverify.microdata.table import CodedTable, Label
from phverify.rounded import figure, significant
from phverify.spec.data import Refused
from phverify.spec.sampling import RecordSample
from phverify.verification.result import Report
from phverify.words import plural

if TYPE_CHECKING:
    from phverify.generalization.alternatives import MinimalCandidate, RelaxedRule
    from phverify.generalization.by_tuples import TuplesGlance
    from phverify.generalization.explanation import Explanation
    from phverify.generalization.explored import Explored

Outcome = Literal["optimal", "infeasible", "undecided"]


@dataclass(frozen=True)
class Statistics:
    """How the search went: candidates examined, clauses learned, seconds after reading,
    solvers behind the bound.
    """

    candidates: int
    clauses: int
    seconds: float
    solvers: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """What was proved about a rule: unions of satisfying classes satisfy it
    (``merge``), or all larger classes do.
    """

    rule: str
    formula: str
    merge: bool
    upward: bool
    how: str
    queries: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class SearchResult(WritableRelease):
    """The least generalization that satisfies a policy, or why there is none.

    ``verdict``: optimal (proved to be the least), infeasible (no candidate satisfies
    the policy), or undecided (``reason`` says why; what is found so far is there, not
    proved to be the least).  ``cost`` is exact and ``bound`` a proven lower bound of
    it.  ``levels`` gives the level of each quasi-identifier in the space of levels (of
    ``depths`` steps), ``mapping`` the image of every value in every space.
    ``suppressed`` records are withheld; ``budget`` may be, which is the ``share``
    allowed.  ``helps`` says what could make it feasible. ``minimal`` lists the minimal
    level vectors when asked for.  ``checks`` is the report on the released table, or on
    the most general one when the search is infeasible.  ``history`` are costs and
    bounds on the way; empty for objectives that are no sum, of which no bound is known.
    """

    verb = "search"
    drawn = True

    verdict: Outcome
    space: str
    objective: str
    schemes: Mapping[str, str]
    rows: int
    share: Fraction
    budget: int
    depths: Mapping[str, int]
    proofs: tuple[Proof, ...]
    bound: Fraction | None = None
    levels: dict[str, int] | None = None
    mapping: dict[str, dict[Label, Label]] = field(default_factory=dict)
    cost: Fraction | None = None
    suppressed: int = 0
    fewest_withheld: bool = False
    """Whether no release that costs as little withholds fewer records."""
    minimal: tuple[dict[str, int], ...] = ()
    candidates: tuple[MinimalCandidate, ...] = ()
    """The minimal level vectors with what they cost and risk."""
    explanation: Explanation | None = field(default=None, repr=False)
    """Why the release is not one step finer, where that was asked for."""
    charged: bool = False
    """Whether each withheld record loses 1 in every column."""
    relaxed: tuple[RelaxedRule, ...] = ()
    """Where it is infeasible and that was asked for: how far rules have to give way."""
    checks: Report | None = None
    judged: CodedTable | None = field(default=None, repr=False)
    """The released table as it was judged; of a counted one its groups."""
    history: tuple[Standing, ...] = ()
    glance: TuplesGlance | None = field(default=None, repr=False)
    """What a release by tuples is estimated from; None where nothing is."""
    explored: Explored | None = field(default=None, repr=False)
    """What a page shows of the space."""
    make_certificate: Callable[[], dict[str, Any]] | None = field(
        default=None, repr=False
    )
    """Makes the certificate anew.  Raises Refused and BudgetExceeded where there is
    none: ``certificate`` is None then, and ``uncertified`` says why.
    """
    statistics: Statistics = field(default_factory=lambda: Statistics(0, 0, 0.0, ()))
    reason: str = ""
    helps: str = ""
    sample: RecordSample | None = None
    """The records that all is about; None for the whole table."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def mapping_pairs(self) -> dict[str, list[list[Label]]]:
        """The mapping as JSON holds it: by column, pairs of a value and its image."""
        columns = {}
        for name, images in self.mapping.items():
            columns[name] = [list(pair) for pair in images.items()]
        return columns

    def counted(self) -> str:
        """What the best candidate costs, and how many records were generalized."""
        cost = "nothing found"
        if self.cost is not None:
            decimal = significant(self.cost)
            shown = figure(self.cost, decimal)
            cost = f"{self.objective} {shown}"
        return f"{cost}, {plural(self.rows, 'record')}"

    @cached_property
    def tuples_estimate(self) -> float | None:
        """About what a release by tuples (``--space tuples``) loses, or less; worked
        out when it is looked at.

        Two digits of a quick estimate, which nobody verified.  None where there is
        none, or where these are not below those of the cost.
        """
        if self.glance is None or self.cost is None:
            return None
        loss = self.glance.loss()
        if loss is None:
            return None
        estimate, cost = float(f"{loss:.2g}"), float(f"{float(self.cost):.2g}")
        # 0.33 in place of 1/3 is nothing that is saved.
        return estimate if estimate < cost else None

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """Why the candidate is the least, for ``check`` to verify again; made when it
        is looked at.

        None when there is none: ``uncertified`` says why.
        """
        certified = self._certified
        # a text is the reason why there is none
        if isinstance(certified, str):
            return None
        return certified

    @property
    def uncertified(self) -> str:
        """Why an optimal candidate has no certificate, for example that the budget ran
        out; "" when it has one.
        """
        certified = self._certified
        if isinstance(certified, str):
            return certified
        return ""

    @cached_property
    def _certified(self) -> dict[str, Any] | str | None:
        try:
            if self.make_certificate is None:
                return None
            return self.make_certificate()
        except (Refused, BudgetExceeded) as error:
            # the answer stands without a certificate
            return str(error)
