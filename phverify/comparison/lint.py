"""``lint``: rules that say nothing, rules that others imply, rules that exclude each
other, rules out of reach, and what the rules leave unprotected.

Each finding is proved for every table within a stated bound (``compare``), shown on a
table (``verify``), or read off the text of the policy (``compare.unsaid``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.domains import Sizes
from phverify.comparison.frame import joined, limits
from phverify.comparison.result import Comparison
from phverify.comparison.run import BUDGET, Progress, compared, counted, share
from phverify.comparison.unsaid import idle, protects, read_rules, uncovered, unused
from phverify.microdata.read import read
from phverify.microdata.table import Column, Table
from phverify.policy.bind import bind, present
from phverify.policy.model import (
    Policy,
    PolicySource,
    beside,
    examine,
    without_problems,
)
from phverify.result import Result
from phverify.spec.parser import parse
from phverify.spec.policy import SecretText
from phverify.spec.safety import asks_all_models
from phverify.spec.source import File
from phverify.symbolic.prover import closure
from phverify.verification.run import decided
from phverify.words import grid, plural

if TYPE_CHECKING:
    import pandas as pd

Rules = list[str]
"""Names of rules."""

Secrets = Mapping[str, tuple[SecretText, ...]]
KINDS = (
    "vacuous",
    "redundant",
    "contradictory",
    "out of reach",
    "idle",
    "unprotected",
    "uncovered",
    "unused",
    "open",
)


@dataclass(frozen=True)
class Finding:
    """``kind`` is vacuous, redundant, contradictory, out of reach, idle (operators that
    say nothing), unprotected (a secret), uncovered (a sensitive column), unused (an
    agent), or open (a question the budget left undecided).

    ``rules`` are concerned; ``what`` says what was found, ``why`` on what ground, and
    ``evidence`` shows it. ``up_to`` is the bound of what was proved (``4 values of
    s``), empty where there is none.
    """

    kind: str
    rules: tuple[str, ...]
    what: str
    why: str
    evidence: tuple[str, ...] = ()
    up_to: str = ""


Found = Iterator[Finding]


@dataclass(frozen=True)
class Lint(Result):
    """What was found in a policy; ``verdict`` is clean, findings, or undecided (nothing
    found, something open).
    """

    verb = "lint"

    policy: str
    rules: int
    findings: tuple[Finding, ...]
    aside: tuple[str, ...] = ()
    """Rules with ``never_known``, which ask about one release: nothing is said of
    them.
    """

    def counted(self) -> str:
        """How many rules there are, and what was found."""
        findings = plural(len(self.findings), "finding")
        return f"{plural(self.rules, 'rule')}, {findings}"

    @property
    def verdict(self) -> str:
        kinds = {finding.kind for finding in self.findings}
        return "findings" if kinds - {"open"} else "undecided" if kinds else "clean"


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
    limits(values, budget)
    time_left = deadline_of(budget)
    source = policy
    policy, problems = examine(policy)
    found: list[Finding] = []
    hopeless, counts = set[str](), None
    if table is None:
        without_problems(policy, problems)
    else:  # first: what is wrong with the table is told at once
        given = read(table, policy.named, "table")
        present(policy, given, beside(source, problems, given.columns))
        progress("the trivial sanitization")
        whole = _one_class(policy, given)
        counts = counted(
            whole, [c for c in policy.columns if c not in policy.quasi], policy.types
        )
        for finding, always in _out_of_reach(policy, whole, time_left):
            found.append(finding)
            hopeless |= set(finding.rules) if always else set()
    rules = read_rules(policy)
    aside = tuple(name for name, rule in rules.items() if asks_all_models(rule))
    asked = replace(
        policy,
        rules={name: text for name, text in policy.rules.items() if name not in aside},
    )
    safe = any(map(protects, rules.values()))
    found += _from_text(policy)
    found += _Linter(
        asked, values, time_left, progress, counts, hopeless, safe
    ).findings()
    return Lint(
        policy.source,
        len(rules),
        tuple(sorted(found, key=lambda f: KINDS.index(f.kind))),
        aside,
    )


def _from_text(policy: Policy) -> Found:
    """What the text of a policy shows."""
    for place, texts in (("", policy.rules), ("assumptions.", policy.assumptions)):
        for name, text in texts.items():
            for what, why in dict.fromkeys(idle(parse(text))):
                yield Finding("idle", (f"{place}{name}",), what, why)
    for name in uncovered(policy):
        what = f"no rule mentions the sensitive column {name}"
        yield Finding(
            "uncovered",
            (f"columns.{name}",),
            what,
            "a class in which all have the same value gives it away",
        )
    if (
        policy.assumptions
        and policy.secrets
        and not any(map(asks_all_models, read_rules(policy).values()))
    ):
        what = (
            "no rule asks whether a secret follows from the release and the assumptions"
            " together"
        )
        why = (
            "[a] and l_a speak of the release alone, whatever is assumed: add a rule"
            " never_known()"
        )
        yield Finding("unprotected", ("secrets",), what, why)
    for name in unused(policy):
        what = f"no rule mentions the agent {name}"
        yield Finding(
            "unused",
            (f"agents.{name}",),
            what,
            "every rule speaks of other agents (reidentify may use it)",
        )


@dataclass(frozen=True, eq=False)
class _Linter:
    """``counts`` are the values of the columns of a given table; ``hopeless`` rules
    fail in each of its releases.

    ``protected``: some rule is about the secrets as such.
    """

    policy: Policy
    values: int | None
    deadline: Deadline
    progress: Progress
    counts: Sizes | None
    hopeless: set[str]
    protected: bool

    def findings(self) -> Found:
        if self.policy.assumptions and (found := self.assumed()):
            yield found
            return
        yield from (vacuous := list(self.vacuous()))
        aside = {
            name for f in vacuous for name in f.rules if f.kind == "vacuous"
        } | self.hopeless
        names = [name for name in self.policy.rules if name not in aside]
        yield from (impossible := list(self.contradictory(names)))
        never = [set(f.rules) for f in impossible if f.kind == "contradictory"]
        yield from self.redundant(
            [name for name in names if {name} not in never], never
        )
        if not never and not self.hopeless:
            yield from self.unprotected()

    def asks(
        self,
        first: Iterable[str],
        second: Mapping[str, str],
        secrets: Secrets | None = None,
    ) -> Comparison:
        """Do some rules of the policy imply others, or a formula (about other
        secrets)?
        """
        rules = {name: self.policy.rules[name] for name in first}
        one = replace(self.policy, rules=rules or {"nothing": "true"})
        two = replace(
            self.policy,
            rules=dict(second),
            secrets=self.policy.secrets if secrets is None else secrets,
        )
        self.progress(f"{', '.join(rules) or 'nothing'} => {', '.join(second)}")
        both = joined(one, two, ("the first", "the second"))
        return compared(
            both,
            self.values,
            share(self.deadline, 1 / 4, 0.05),
            self.progress,
            self.counts,
        )

    def unprotected(self) -> Found:
        """The secrets that may become certain although all rules hold."""
        for who, secrets in self.policy.secrets.items() if not self.protected else ():
            for secret in secrets:
                found = self.asks(
                    self.policy.rules, {"safe": "logical_safety()"}, {who: (secret,)}
                )
                names = (f"secrets.{who}",)
                if found.verdict == "separated":
                    everyone = "anyone" if who == "*" else who
                    what = (
                        f"no rule protects {secret.text}: it may become certain of"
                        f" {everyone}"
                    )
                    why = (
                        "this release satisfies all rules, and logical_safety() fails:"
                    )
                    yield Finding(
                        "unprotected", names, what, why, tuple(grid(found.table))
                    )
                elif found.verdict == "undecided":
                    yield _open(
                        names, f"whether the rules protect {secret.text}", found.reason
                    )

    def assumed(self) -> Finding | None:
        """Assumptions that exclude each other: ``verify`` would refuse every release,
        and every rule would follow.
        """
        found = self.asks((), {"false": "false"})
        names = tuple(f"assumptions.{name}" for name in self.policy.assumptions)
        what = (
            f"no table{_within(found)} satisfies the assumptions, so that nothing can"
            " be said about the rules"
        )
        return next(
            (
                f
                for f in _told("contradictory", names, what, "", found)
                if f.kind != "open"
            ),
            None,
        )

    def vacuous(self) -> Found:
        for name, text in self.policy.rules.items():
            found = self.asks((), {name: text})
            what = f"no release of any table{_within(found)} can violate it"
            yield from _told(
                "vacuous", (name,), what, "whether any release can violate it", found
            )

    def contradictory(self, names: Rules) -> Found:
        """Least sets of rules that no table satisfies: single ones, pairs, and all
        together.
        """
        known: list[set[str]] = []
        for size in (1, 2):
            for chosen in itertools.combinations(names, size):
                if not any(rules <= set(chosen) for rules in known):
                    found = self._together(chosen)
                    known += [set(f.rules) for f in found]
                    yield from found
        if len(names) > 2 and not known and (found := self._together(names)):
            yield from (
                self._together(self._least(names))
                if found[0].kind == "contradictory"
                else found
            )

    def _least(self, names: Rules) -> Rules:
        """Rules that exclude each other together, none of which can be left out."""
        for name in list(names):
            rest = [other for other in names if other != name]
            if any(f.kind == "contradictory" for f in self._together(rest)):
                names = rest
        return names

    def _together(self, names: Sequence[str]) -> list[Finding]:
        found = self.asks(names, {"false": "false"})
        them = "it" if len(names) == 1 else "them together"
        what, doubt = (
            f"no table{_within(found)} satisfies {them}",
            f"whether any table satisfies {them}",
        )
        return list(_told("contradictory", names, what, doubt, found))

    def redundant(self, names: Rules, never: list[set[str]]) -> Found:
        """Rules that another one implies; of equivalent ones the later; then those that
        all others imply.

        From rules that exclude each other (``never``) everything follows, which says
        nothing.
        """
        left = list(names)
        for name in reversed(names):
            others = [other for other in left if other != name]
            wanted = {name: self.policy.rules[name]}
            for other in others:
                found = self.asks((other,), wanted)
                what, doubt = (
                    f"{other} implies it{_within(found)}",
                    f"whether {other} implies it",
                )
                yield from _told("redundant", (name, other), what, doubt, found)
                if found.verdict == "implies":
                    left.remove(name)
                    break
            if (
                name in left
                and len(others) > 1
                and not any(rules <= set(others) for rules in never)
            ):
                found = self.asks(others, wanted)
                if found.verdict == "implies":
                    left.remove(name)
                    what = f"{', '.join(others)} together imply it{_within(found)}"
                    yield from _told("redundant", (name, *others), what, "", found)


def _told(
    kind: str, names: Sequence[str], what: str, doubt: str, found: Comparison
) -> Found:
    """What was proved, with its bound; or what is in doubt."""
    if found.verdict == "implies":
        bound = f"at most {found.bound}" if found.bound else "of values"
        why = f"proved for any number of rows and {bound}"
        yield Finding(kind, tuple(names), what, why, up_to=found.bound)
    elif found.verdict == "undecided":
        yield _open(names, doubt, found.reason)


def _within(found: Comparison) -> str:
    return f" with at most {found.bound}" if found.bound else ""


def _open(names: Sequence[str], doubt: str, reason: str) -> Finding:
    return Finding("open", (names[0],), f"undecided: {doubt}", reason)


# With a table


def _out_of_reach(
    policy: Policy, given: Table, deadline: Deadline
) -> Iterator[tuple[Finding, bool]]:
    """The rules that fail on the trivial sanitization of a table, and whether they fail
    on every release of it.
    """
    bound = bind(policy, given, None)
    report = decided(bound, policy.source, "everything suppressed", deadline)
    for asked, rule in zip(bound.rules, report.rules, strict=True):
        names = (rule.name,)
        if rule.verdict == "refuted":
            kept = closure(asked.expanded, bound.release, deadline).merge
            always = (
                kept and not bound.assumptions
            )  # a failure in one class is one in every release
            what = (
                f"it fails on {given.source} even when all quasi-identifiers are"
                " suppressed"
            )
            why = "a finer release may still satisfy it, if not by its coarsest class"
            if always:
                why = (
                    "merging classes keeps it (proved), so that no release of this"
                    " table satisfies it"
                )
            shown = replace(report, rules=(rule,), warnings=(), notes=()).lines()
            yield (
                Finding(
                    "out of reach", names, what, why, tuple(filter(None, shown[1:-1]))
                ),
                always,
            )
        elif rule.verdict == "undecided":
            yield (
                _open(
                    names, "whether it holds with everything suppressed", rule.reason
                ),
                False,
            )


def _one_class(policy: Policy, table: Table) -> Table:
    """A table with all its quasi-identifiers suppressed."""
    columns = dict(table.columns)
    for name in policy.quasi:
        columns[name] = Column(columns[name].codes * 0, ("*",))
    return Table(table.source, columns, table.rows, table.notes)
