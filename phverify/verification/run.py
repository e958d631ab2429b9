"""Every rule of a policy that has met its data: ground, encode, solve, decode, replay, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

from phverify.budget import Deadline
from phverify.constraints.solver import version as solver_version
from phverify.errors import BudgetExceeded, InputError, Problem
from phverify.logic.printer import ASCII, Style, to_text
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


def decided(
    bound: Bound,
    policy: str,
    release: str,
    deadline: Deadline,
    encoding: Encoding = "quotient",
    style: Style = ASCII,
    progress: Callable[[str], None] = lambda step: None,
    keep: bool = False,
    partly: bool = False,
) -> Report:
    """The report on a policy that has met its data; ``policy`` and ``release`` say where the two come from."""
    assumptions = _met(bound, deadline, policy)
    results = tuple(_results(bound, policy, assumptions, deadline, encoding, style, progress, keep, partly))
    met = {} if isinstance(assumptions, str) else assumptions.place or {}
    return replace(_report(bound, results, release, encoding, style), met=dict(met))


def shown_as(policy: Policy, redact: bool) -> Style:
    """How formulas are written: with ``redact``, confidential values are left out."""
    return replace(ASCII, hide=lambda attribute: attribute in policy.sensitive) if redact else ASCII


def _assumptions(bound: Bound, deadline: Deadline, source: str) -> Assumptions:
    formulas = tuple(bound.assumptions.values())
    met = meet(formulas, bound.release, deadline)
    if met is None:
        names = ", ".join(conflict(bound.assumptions, bound.release, deadline))
        hint = "nobody could ever know all of this, and anything would follow from it"
        raise InputError(Problem(f"{source}, [assumptions]", f"contradict each other: {names}", hint))
    return met


def _met(bound: Bound, deadline: Deadline, source: str) -> Assumptions | str:
    """The assumptions with a placement that meets them, or why it is open whether there is one."""
    try:
        return _assumptions(bound, deadline, source)
    except (BudgetExceeded, TooLarge) as error:
        return str(error)


def _results(
    bound: Bound,
    source: str,
    assumptions: Assumptions | str,
    deadline: Deadline,
    encoding: Encoding,
    style: Style,
    progress: Callable[[str], None],
    keep: bool,
    partly: bool,
) -> Iterator[RuleResult]:
    """One result for each rule; all are undecided when it is open whether the assumptions can be met."""
    stopped = assumptions if isinstance(assumptions, str) else ""
    for rule in bound.rules:
        if stopped or isinstance(assumptions, str):
            yield _undecided(rule, stopped, style)
            continue
        try:
            progress(f"rule {rule.name}")
            yield _rule(rule, bound, assumptions, deadline, encoding, style, keep)
        except KeyboardInterrupt:
            if not partly:
                raise
            stopped = "interrupted"
            yield _undecided(rule, stopped, style)
        except RecursionError:
            hint = "write it as several rules"
            raise InputError(
                Problem(f"{source}, rules.{rule.name}", "the formula is nested too deeply", hint)
            ) from None


def _undecided(rule: Rule, reason: str, style: Style) -> RuleResult:
    return RuleResult(rule.name, to_text(rule.formula, style), "undecided", 0.0, reason=reason)


def _rule(
    rule: Rule, bound: Bound, assumptions: Assumptions, deadline: Deadline, encoding: Encoding, style: Style, keep: bool
) -> RuleResult:
    start = time.perf_counter()
    if encoding == "full":
        decision = decide_full(rule.expanded, bound.release, assumptions, deadline, comments=style is ASCII)
    else:
        decision = Decider(bound.release, assumptions, deadline, keep=MOST if keep else 0).decide(rule.expanded)
    shown = witness(decision, bound.release, assumptions.formulas, style) if decision.leak else None
    return RuleResult(
        rule.name,
        to_text(rule.formula, style),
        decision.status,
        time.perf_counter() - start,
        shown,
        reason=_reason(decision.reason, deadline),
        query=decision.query,
        queries=decision.queries,
        kept=kept(decision, rule.expanded, assumptions, bound.release, style, encoding) if keep else (),
        unknown=not_known(decision, bound.release, style),
    )


def _reason(reason: str, deadline: Deadline) -> str:
    """Why a rule is undecided, with the budget."""
    told = "" if not reason or deadline.seconds is None or "budget" in reason else f" (budget {deadline.seconds:g} s)"
    return reason + told


def _report(bound: Bound, results: tuple[RuleResult, ...], source: str, encoding: str, style: Style) -> Report:
    sanitized = bound.sanitized
    shown = sanitized and Sanitized(
        sanitized.mappings,
        sanitized.same_order,
        sanitized.proper,
        sanitized.trivial,
        sanitized.by,
        sanitized.certain,
    )
    return Report(
        rules=results,
        rows=bound.release.quotient.rows,
        classes=bound.release.quotient.classes,
        individuals=bound.release.signature.individuals,
        release=source,
        assumptions=tuple(f"{n}: {to_text(f, style)}" for n, f in bound.assumptions.items()),
        version=__version__,
        solver=solver_version(),
        encoding=encoding,
        sanitized=shown or None,
        notes=bound.notes,
        warnings=bound.warnings,
    )
