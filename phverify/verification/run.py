"""Every rule of a policy that has met its data: ground, encode, solve, decode, replay,
report.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from phverify.budget import Deadline, Tell
from phverify.constraints.solver import version as solver_version
from phverify.errors import BudgetExceeded, Contradiction, Problem, refusal
from phverify.logic.english import Wording, clause, in_english
from phverify.logic.printer import ASCII, Style, reference, to_text
from phverify.logic.threats import Subject, subject_of
from phverify.microdata.explained import Sanitization
from phverify.microdata.quotient import Quotient
from phverify.policy.bind import BoundPolicy
from phverify.policy.bound_formulas import Rule
from phverify.policy.model import Policy
from phverify.spec.instances import TooLarge
from phverify.spec.safety import Secret
from phverify.verification.assumptions import Assumptions, conflict, meet
from phverify.verification.decision import Decision
from phverify.verification.full import decide_full
from phverify.verification.result import (
    Report,
    RuleResult,
    Sanitized,
    SavedQuery,
    StatedSecret,
    TupleCounts,
)
from phverify.verification.rule import Decider
from phverify.verification.saved import MOST, saved
from phverify.verification.shown import not_known, witness
from phverify.verification.turns import in_turns
from phverify.version import __version__

Encoding = Literal["quotient", "full"]
SUPPRESSED = "*"
"""What is released instead of a value of which nothing is said."""


def decided(
    bound: BoundPolicy,
    policy: str,
    release: str,
    deadline: Deadline,
    encoding: Encoding = "quotient",
    style: Style = ASCII,
    progress: Tell = lambda step: None,
    keep: bool = False,
    partly: bool = False,
) -> Report:
    """The report on a policy that has met its data.

    ``policy`` and ``release`` say where the two come from.  With ``partly``, Ctrl-C
    leaves the rules undecided that have no verdict yet.  Raises InputError when the
    assumptions contradict each other.
    """
    if bound.release.places is not None:
        style = replace(style, row=bound.release.row)
    return _Run(
        bound, policy, release, deadline, encoding, style, progress, keep, partly
    ).report()


def shown_as(policy: Policy, redact: bool) -> Style:
    """How formulas are written.

    With ``redact``, confidential values are left out, and individuals go by their
    positions.
    """
    if not redact:
        return ASCII
    confidential = frozenset(policy.sensitive)
    return replace(ASCII, hide=confidential.__contains__, positions=True)


def _assumptions(bound: BoundPolicy, deadline: Deadline, source: str) -> Assumptions:
    """The assumptions with a placement that meets them.  Raises InputError where there
    is none.
    """
    formulas = tuple(bound.assumptions.values())
    assumptions = meet(formulas, bound.release, deadline)
    if assumptions is not None:
        return assumptions
    culprits = conflict(bound.assumptions, bound.release, deadline)
    names = ", ".join(culprits)
    where = f"{source}, [assumptions]"
    hint = "nobody could ever know all of this, and anything would follow from it"
    what = f"contradict each other: {names}"
    if len(culprits) == 1:
        what = f"contradicts the release, of which no model meets it: {names}"
        hint = "nobody could ever know this, and anything would follow from it"
    raise Contradiction(Problem(where, what, hint))


def _met(bound: BoundPolicy, deadline: Deadline, source: str) -> Assumptions | str:
    """The assumptions with a placement that meets them, or why it is open whether there
    is one.
    """
    try:
        return _assumptions(bound, deadline, source)
    except (BudgetExceeded, TooLarge) as error:
        return str(error)


@dataclass(frozen=True, eq=False)
class _Run:
    """One ``verify``: what it is given, and its answer."""

    bound: BoundPolicy
    source: str
    release: str
    deadline: Deadline
    encoding: Encoding
    style: Style
    progress: Tell
    keep: bool
    partly: bool

    def report(self) -> Report:
        """The verdicts on all rules, in the policy's order."""
        assumptions = _met(self.bound, self.deadline, self.source)
        results = self.results(assumptions)
        met: dict[int, int] = {}
        if isinstance(assumptions, Assumptions):
            for person, world in assumptions.placed.items():
                met[person] = self.bound.release.row(world)

        release = self.bound.release
        sanitized = self.bound.sanitized
        return Report(
            rules=results,
            rows=release.quotient.rows,
            classes=release.quotient.classes,
            individuals=release.signature.individuals,
            release=self.release,
            assumptions=tuple(
                f"{name}: {to_text(formula, self.style)}"
                for name, formula in self.bound.assumptions.items()
            ),
            version=__version__,
            solver=solver_version(),
            encoding=self.encoding,
            sanitized=_sanitized(sanitized, self.style) if sanitized else None,
            notes=self.bound.notes,
            warnings=self.bound.warnings,
            met=met,
            suppressed=suppressed(release.quotient),
            identified=self.bound.identified,
            agents=dict(release.agents),
            secrets=tuple(self.secrets()),
            assumed=tuple(
                in_english(formula, self.wording)
                for formula in self.bound.assumptions.values()
            ),
        )

    def secrets(self) -> Iterator[StatedSecret]:
        """What is secret, everybody's first."""
        declared = self.bound.secrets
        owned: list[tuple[str, Secret]] = [("", one) for one in declared.everyone]
        for person, own in declared.personal.items():
            whose = reference(person, self.style.positions, self.style.row)
            owned += [(whose, one) for one in own]
        for whose, secret in owned:
            words = clause(secret.formula, self.wording)
            public_words = clause(secret.formula, self.public_wording)
            yield StatedSecret(whose, words, public_words, secret.weight)

    def results(self, assumptions: Assumptions | str) -> tuple[RuleResult, ...]:
        """One result for each rule, in the policy's order.

        All are undecided when it is open whether the assumptions can be met.
        """
        rules = self.bound.rules
        if isinstance(assumptions, str):
            return tuple(self.undecided(rule, assumptions) for rule in rules)

        def decide(rule: Rule, share: Deadline) -> RuleResult:
            return self.careful(rule, assumptions, share)

        results: dict[str, RuleResult] = {}
        try:
            in_turns(rules, self.deadline, decide, results)
        # what is decided is final: whoever interrupts may be shown that much
        except KeyboardInterrupt:
            if not self.partly:
                raise
            for rule in rules:
                results.setdefault(rule.name, self.undecided(rule, "interrupted"))
        return tuple(results[rule.name] for rule in rules)

    def careful(
        self, rule: Rule, assumptions: Assumptions, share: Deadline
    ) -> RuleResult:
        """The result of a rule.  Raises InputError where it is nested too deeply."""
        try:
            self.progress(f"rule {rule.name}")
            return self.rule(rule, assumptions, share)
        except RecursionError:
            where = f"{self.source}, rules.{rule.name}"
            hint = "write it as several rules"
            raise refusal(where, "the formula is nested too deeply", hint) from None

    def undecided(self, rule: Rule, reason: str) -> RuleResult:
        """The result of a rule that was not looked at."""
        formula = to_text(rule.formula, self.style)
        return RuleResult(
            rule.name,
            formula,
            "undecided",
            0.0,
            reason=reason,
            **self.said(rule),
        )

    def said(self, rule: Rule) -> dict[str, Any]:
        """What a rule promises, and what it speaks of."""
        subject = _subject(rule)
        return {
            "promise": _in_words(rule, self.wording),
            "public_promise": _in_words(rule, self.public_wording),
            "criteria": subject.criteria,
            "threats": subject.threats,
        }

    @property
    def wording(self) -> Wording:
        """The words of formulas, which leave out what their text leaves out."""
        style = self.style
        knows = self.bound.release.agents
        return Wording(knows, style.hide, positions=style.positions, row=style.row)

    @property
    def public_wording(self) -> Wording:
        """The words of formulas for everybody."""
        knows = self.bound.release.agents
        return Wording(knows, lambda column: True, hide_people=True)

    def rule(
        self, rule: Rule, assumptions: Assumptions, deadline: Deadline
    ) -> RuleResult:
        """The result of a rule within a share of the time."""
        start = time.perf_counter()
        release = self.bound.release
        style = self.style
        decision = self.decision(rule, assumptions, deadline)
        shown = None
        if decision.leak:
            shown = witness(decision, release, assumptions.formulas, style)
        return RuleResult(
            rule.name,
            to_text(rule.formula, style),
            decision.status,
            time.perf_counter() - start,
            shown,
            # the budget of the run is what the user gave, not this rule's share
            reason=_reason(decision.reason, self.deadline),
            query=decision.query,
            queries=decision.queries,
            kept=self.saved(rule, decision, assumptions),
            unknown=not_known(decision, release, style),
            **self.said(rule),
        )

    def decision(
        self, rule: Rule, assumptions: Assumptions, deadline: Deadline
    ) -> Decision:
        """The decision on a rule, in the encoding that was asked for."""
        formula = rule.expanded
        release = self.bound.release
        if self.encoding == "full":
            # The comments of the full encoding quote cells.
            in_clear = not self.style.hides
            return decide_full(
                formula, release, assumptions, deadline, comments=in_clear
            )
        most = MOST if self.keep else 0
        decider = Decider(release, assumptions, deadline, keep=most)
        return decider.decide(formula)

    def saved(
        self, rule: Rule, decision: Decision, assumptions: Assumptions
    ) -> tuple[SavedQuery, ...]:
        """The questions behind a decision, where they were to be kept."""
        if not self.keep:
            return ()
        release = self.bound.release
        return saved(
            decision, rule.expanded, assumptions, release, self.style, self.encoding
        )


def _in_words(rule: Rule, wording: Wording) -> str:
    """What a rule promises, in English; no verdict waits for it."""
    try:
        return in_english(rule.formula, wording)
    except RecursionError:
        return "The rule is nested too deeply to be put into words."


def _subject(rule: Rule) -> Subject:
    """What a rule speaks of; no verdict waits for it."""
    try:
        return subject_of(rule.formula)
    except RecursionError:
        return Subject()


def suppressed(quotient: Quotient) -> tuple[str, ...]:
    """The quasi-identifiers of which nothing is released."""
    return tuple(
        name for name in quotient.quasi if quotient.labels[name] == (SUPPRESSED,)
    )


def _reason(reason: str, deadline: Deadline) -> str:
    """Why a rule is undecided, with the budget."""
    budget = deadline.seconds
    if not reason or budget is None or "budget" in reason:
        return reason
    return f"{reason} (budget {budget:g} s)"


def _sanitized(explained: Sanitization, style: Style) -> Sanitized:
    """What is said of the mappings; redacted, how many values there are, no more."""
    tupled = None
    if explained.tupled is not None:
        tuple_recoding = explained.tupled
        torn = int(tuple_recoding.torn.sum())
        tupled = TupleCounts(
            tuple_recoding.tuples,
            tuple_recoding.boxes,
            torn,
            tuple_recoding.example,
            tuple_recoding.withheld,
        )
    sizes = {}
    for name, images in explained.mappings.items():
        sizes[name] = (len(images), len(set(images.values())))
    return Sanitized(
        # another style hides values, and a mapping is made of them
        {} if style.hides else explained.mappings,
        explained.same_order,
        explained.proper,
        explained.trivial,
        explained.by,
        explained.certain,
        sizes,
        tupled,
    )
