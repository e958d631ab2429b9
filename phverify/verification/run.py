"""Every rule of a policy that has met its data: ground, encode, solve, decode, replay,
report.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from phverify.budget import Deadline, Tell
from phverify.constraints.solver import version as solver_version
from phverify.errors import BudgetExceeded, refusal
from phverify.logic.printer import ASCII, Style, to_text
from phverify.microdata.quotient import Quotient
from phverify.microdata.sanitization import Sanitization
from phverify.policy.bind import Bound, Rule
from phverify.policy.model import Policy
from phverify.spec.instances import TooLarge
from phverify.verification.full import decide_full
from phverify.verification.kept import MOST, kept
from phverify.verification.result import Report, RuleResult, Sanitized
from phverify.verification.rule import Assumptions, Decider, conflict, meet
from phverify.verification.shown import not_known, witness
from phverify.version import __version__

Encoding = Literal["quotient", "full"]
SUPPRESSED = "*"
"""What is released instead of a value of which nothing is said."""


def decided(
    bound: Bound,
    policy: str,
    release: str,
    deadline: Deadline,
    encoding: Encoding = "quotient",
    style: Style = ASCII,
    progress: Tell = lambda step: None,
    keep: bool = False,
    partly: bool = False,
) -> Report:
    """The report on a policy that has met its data; ``policy`` and ``release`` say
    where the two come from.
    """
    return _Run(
        bound, policy, release, deadline, encoding, style, progress, keep, partly
    ).report()


def shown_as(policy: Policy, redact: bool) -> Style:
    """How formulas are written: with ``redact``, confidential values are left out, and
    individuals go by their positions.
    """
    if not redact:
        return ASCII
    confidential = frozenset(policy.sensitive)
    return replace(ASCII, hide=confidential.__contains__, positions=True)


def _assumptions(bound: Bound, deadline: Deadline, source: str) -> Assumptions:
    formulas = tuple(bound.assumptions.values())
    met = meet(formulas, bound.release, deadline)
    if met is None:
        names = ", ".join(conflict(bound.assumptions, bound.release, deadline))
        hint = "nobody could ever know all of this, and anything would follow from it"
        raise refusal(
            f"{source}, [assumptions]", f"contradict each other: {names}", hint
        )
    return met


def _met(bound: Bound, deadline: Deadline, source: str) -> Assumptions | str:
    """The assumptions with a placement that meets them, or why it is open whether there
    is one.
    """
    try:
        return _assumptions(bound, deadline, source)
    except (BudgetExceeded, TooLarge) as error:
        return str(error)


@dataclass(frozen=True, eq=False)
class _Run:
    bound: Bound
    source: str
    release: str
    deadline: Deadline
    encoding: Encoding
    style: Style
    progress: Tell
    keep: bool
    partly: bool

    def report(self) -> Report:
        assumptions = _met(self.bound, self.deadline, self.source)
        results = tuple(self.results(assumptions))
        release, sanitized = self.bound.release, self.bound.sanitized
        return Report(
            rules=results,
            rows=release.quotient.rows,
            classes=release.quotient.classes,
            individuals=release.signature.individuals,
            release=self.release,
            assumptions=tuple(
                f"{n}: {to_text(f, self.style)}"
                for n, f in self.bound.assumptions.items()
            ),
            version=__version__,
            solver=solver_version(),
            encoding=self.encoding,
            sanitized=_shown(sanitized, self.style) if sanitized else None,
            notes=self.bound.notes,
            warnings=self.bound.warnings,
            met={} if isinstance(assumptions, str) else dict(assumptions.place or {}),
            suppressed=_suppressed(release.quotient),
        )

    def results(self, assumptions: Assumptions | str) -> Iterator[RuleResult]:
        """One result for each rule; all are undecided when it is open whether the
        assumptions can be met.
        """
        stopped = assumptions if isinstance(assumptions, str) else ""
        for rule in self.bound.rules:
            if stopped or isinstance(assumptions, str):
                yield self.undecided(rule, stopped)
                continue
            try:
                self.progress(f"rule {rule.name}")
                yield self.rule(rule, assumptions)
            except KeyboardInterrupt:
                if not self.partly:
                    raise
                stopped = "interrupted"
                yield self.undecided(rule, stopped)
            except RecursionError:
                where, hint = (
                    f"{self.source}, rules.{rule.name}",
                    "write it as several rules",
                )
                raise refusal(where, "the formula is nested too deeply", hint) from None

    def undecided(self, rule: Rule, reason: str) -> RuleResult:
        return RuleResult(
            rule.name,
            to_text(rule.formula, self.style),
            "undecided",
            0.0,
            reason=reason,
        )

    def rule(self, rule: Rule, assumptions: Assumptions) -> RuleResult:
        start, release, style = time.perf_counter(), self.bound.release, self.style
        if self.encoding == "full":
            decision = decide_full(
                rule.expanded,
                release,
                assumptions,
                self.deadline,
                comments=style is ASCII,
            )
        else:
            decider = Decider(
                release, assumptions, self.deadline, keep=MOST if self.keep else 0
            )
            decision = decider.decide(rule.expanded)
        shown = (
            witness(decision, release, assumptions.formulas, style)
            if decision.leak
            else None
        )
        return RuleResult(
            rule.name,
            to_text(rule.formula, style),
            decision.status,
            time.perf_counter() - start,
            shown,
            reason=_reason(decision.reason, self.deadline),
            query=decision.query,
            queries=decision.queries,
            kept=(
                kept(
                    decision, rule.expanded, assumptions, release, style, self.encoding
                )
                if self.keep
                else ()
            ),
            unknown=not_known(decision, release, style),
        )


def _suppressed(quotient: Quotient) -> tuple[str, ...]:
    """The quasi-identifiers of which nothing is released."""
    return tuple(
        name for name in quotient.quasi if quotient.labels[name] == (SUPPRESSED,)
    )


def _reason(reason: str, deadline: Deadline) -> str:
    """Why a rule is undecided, with the budget."""
    told = (
        ""
        if not reason or deadline.seconds is None or "budget" in reason
        else f" (budget {deadline.seconds:g} s)"
    )
    return reason + told


def _shown(found: Sanitization, style: Style) -> Sanitized:
    """What is said of the mappings; redacted, how many values there are, no more."""
    sizes = {}
    for name, images in found.mappings.items():
        sizes[name] = (len(images), len(set(images.values())))
    return Sanitized(
        found.mappings if style is ASCII else {},
        found.same_order,
        found.proper,
        found.trivial,
        found.by,
        found.certain,
        sizes,
    )
