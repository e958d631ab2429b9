"""``lint``: rules that say nothing, rules that others imply, rules that exclude each
other, rules out of reach, and what the rules leave unprotected.

Each finding is proved for every table within a stated bound (``compare``), shown on a
table (``verify``), or read off the text of the policy (``comparison.unsaid``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.comparing import Progress
from phverify.comparison.domains import Sizes
from phverify.comparison.findings import KINDS, Findings, Lint, LintFinding, undecided
from phverify.comparison.linter import Linter
from phverify.comparison.naming import beside_original
from phverify.comparison.run import BUDGET, counted
from phverify.comparison.sides import limits
from phverify.comparison.unsaid import idle, protects, read_rules, uncovered, unused
from phverify.given import refuse, wrong_progress
from phverify.microdata.read import read
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.model import (
    Policy,
    PolicySource,
    beside,
    examine,
    without_problems,
)
from phverify.policy.typed_columns import present
from phverify.spec import syntax as s
from phverify.spec.parser import parse
from phverify.spec.safety import asks_all_models
from phverify.spec.source import File
from phverify.symbolic.prover import closure
from phverify.verification.result import Report
from phverify.verification.run import decided

if TYPE_CHECKING:
    import pandas as pd


def lint(
    policy: PolicySource,
    table: File | pd.DataFrame | None = None,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    progress: Progress = lambda step: None,
) -> Lint:
    """Look for rules that cannot mean what was intended, and for what no rule protects.

    ``table`` is a table before sanitization: a rule that fails even when all its
    quasi-identifiers are suppressed is out of reach there, and no column has more
    values than there.  ``values`` and ``budget`` are as for ``compare``; the budget is
    for all questions. Raises InputError with all problems of the input.
    """
    refuse(wrong_progress(progress))
    limits(values, budget)
    time_left = deadline_of(budget)
    source = policy
    policy, problems = examine(policy)
    if table is None:
        without_problems(policy, problems)
        shown = _Coarsest()
    else:  # first: what is wrong with the table is told at once
        given = read(table, policy.named, "table")
        present(policy, given, beside(source, problems, given.columns))
        progress("the trivial sanitization")
        shown = _coarsest(policy, given, time_left)

    rules = read_rules(policy)
    aside = tuple(name for name, rule in rules.items() if _beyond(rule))
    asked = {name: text for name, text in policy.rules.items() if name not in aside}
    linter = Linter(
        replace(policy, rules=asked),
        values,
        time_left,
        progress,
        shown.counts,
        shown.hopeless,
        # That table may have more values than are asked about.
        shown.satisfied if values is None else set(),
        any(map(protects, rules.values())),
    )
    findings = [*shown.findings, *_from_text(policy), *linter.findings()]
    findings.sort(key=lambda finding: KINDS.index(finding.kind))
    return Lint(policy.source, len(rules), tuple(findings), aside)


def _beyond(rule: s.Formula) -> bool:
    """Whether a rule asks about one release: its models, or its original table."""
    return asks_all_models(rule) or beside_original(rule)


def _from_text(policy: Policy) -> Findings:
    """What the text of a policy shows."""
    yield from _idle_operators(policy)
    for name in uncovered(policy):
        what = f"no rule mentions the sensitive column {name}"
        why = "a class in which all have the same value gives it away"
        yield LintFinding("uncovered", (f"columns.{name}",), what, why)
    asking = any(map(asks_all_models, read_rules(policy).values()))
    if policy.assumptions and policy.secrets and not asking:
        what = (
            "no rule asks whether a secret follows from the release and the assumptions"
            " together"
        )
        why = (
            "[a] and l_a speak of the release alone, whatever is assumed: add a rule"
            " never_known()"
        )
        yield LintFinding("unprotected", ("secrets",), what, why)
    for name in unused(policy):
        what = f"no rule mentions the agent {name}"
        why = "every rule speaks of other agents (reidentify may use it)"
        yield LintFinding("unused", (f"agents.{name}",), what, why)


def _idle_operators(policy: Policy) -> Findings:
    """Operators that say nothing where they stand."""
    for place, texts in (("", policy.rules), ("assumptions.", policy.assumptions)):
        for name, text in texts.items():
            for what, why in dict.fromkeys(idle(parse(text))):
                yield LintFinding("idle", (f"{place}{name}",), what, why)


# With a table


@dataclass(frozen=True, eq=False)
class _Coarsest:
    """What the coarsest release of a table shows; without a table nothing."""

    counts: Sizes | None = None
    hopeless: set[str] = field(default_factory=set)
    satisfied: set[str] = field(default_factory=set)
    findings: list[LintFinding] = field(default_factory=list)


def _coarsest(policy: Policy, table: CodedTable, deadline: Deadline) -> _Coarsest:
    """Everything suppressed: what merging keeps fails there or in no release."""
    whole = _one_class(policy, table)
    released = [name for name in policy.columns if name not in policy.quasi]
    shown = _Coarsest(counted(whole, released, policy.types))
    bound = bind(policy, whole, None, unsanitized=True)
    report = decided(bound, policy.source, "everything suppressed", deadline)
    for rule in report.rules:
        if rule.verdict == "proved":
            shown.satisfied.add(rule.name)
    for finding, always in _out_of_reach(bound, report, table.source, deadline):
        shown.findings.append(finding)
        if always:
            shown.hopeless.update(finding.rules)
    return shown


def _out_of_reach(
    bound: BoundPolicy, report: Report, source: str, deadline: Deadline
) -> Iterator[tuple[LintFinding, bool]]:
    """The rules that fail on the trivial sanitization of a table, and whether they fail
    on every release of it.
    """
    for asked, rule in zip(bound.rules, report.rules, strict=True):
        if rule.verdict == "refuted":
            # a failure in one class is one in every release, where merging keeps it
            merges = closure(asked.expanded, bound.release, deadline).merge
            always = bool(merges and not bound.assumptions)
            shown = replace(report, rules=(rule,), warnings=(), notes=()).lines()
            evidence = tuple(filter(None, shown[1:-1]))
            yield _failing(rule.name, source, always, evidence), always
        elif rule.verdict == "undecided":
            doubt = "whether it holds with everything suppressed"
            yield undecided((rule.name,), doubt, rule.reason), False


def _failing(
    name: str, source: str, always: bool, evidence: tuple[str, ...]
) -> LintFinding:
    """A rule that fails even with everything suppressed."""
    what = f"it fails on {source} even when all quasi-identifiers are suppressed"
    if always:
        why = (
            "merging classes keeps it (proved), so that no release of this table"
            " satisfies it"
        )
    else:
        why = "a finer release may still satisfy it, if not by its coarsest class"
    return LintFinding("out of reach", (name,), what, why, evidence)


def _one_class(policy: Policy, table: CodedTable) -> CodedTable:
    """A table with all its quasi-identifiers suppressed."""
    columns = dict(table.columns)
    for name in policy.quasi:
        columns[name] = CodedColumn(columns[name].codes * 0, ("*",))
    return CodedTable(table.source, columns, table.rows, table.notes)
