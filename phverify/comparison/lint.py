"""``lint``: rules that say nothing, rules that others imply, rules that exclude each other, rules out of reach, and
what the rules leave unprotected.

Each finding is proved for every table within a stated bound (``compare``), shown on a table (``verify``), or read off
the text of the policy (``compare.unsaid``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.frame import joined, limits
from phverify.comparison.result import Comparison
from phverify.comparison.run import BUDGET, Progress, compared, counted, share
from phverify.comparison.unsaid import idle, protects, read_rules, uncovered, unused
from phverify.microdata.read import read
from phverify.microdata.table import Column, Table
from phverify.policy.bind import Bound, bind, present
from phverify.policy.load import beside, look, sound
from phverify.policy.model import Policy
from phverify.result import Result
from phverify.spec.parser import parse
from phverify.spec.policy import SecretText
from phverify.spec.safety import asks_all_models
from phverify.symbolic.prover import closure
from phverify.verification.run import decided
from phverify.words import grid

if TYPE_CHECKING:
    import pandas as pd

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
    """``kind`` is vacuous, redundant, contradictory, out of reach, idle (operators that say nothing), unprotected (a
    secret), uncovered (a sensitive column), unused (an agent), or open (a question the budget left undecided).

    ``rules`` are concerned; ``what`` says what was found, ``why`` on what ground, and ``evidence`` shows it.
    ``up_to`` is the bound of what was proved (``4 values of s``), empty where there is none.
    """

    kind: str
    rules: tuple[str, ...]
    what: str
    why: str
    evidence: tuple[str, ...] = ()
    up_to: str = ""


@dataclass(frozen=True)
class Lint(Result):
    """What was found in a policy; ``verdict`` is clean, findings, or undecided (nothing found, something open)."""

    verb = "lint"

    policy: str
    rules: int
    findings: tuple[Finding, ...]
    aside: tuple[str, ...] = ()
    """Rules with ``never_known``, which ask about one release: nothing is said of them."""

    @property
    def verdict(self) -> str:
        kinds = {finding.kind for finding in self.findings}
        return "findings" if kinds - {"open"} else "undecided" if kinds else "clean"


def lint(
    policy: Policy | str | PathLike[str],
    table: str | PathLike[str] | pd.DataFrame | None = None,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    progress: Progress = lambda step: None,
) -> Lint:
    """Look for rules that cannot mean what was intended, and for what no rule protects.

    ``table`` is a table before sanitization: a rule that fails even when all its quasi-identifiers are suppressed
    is out of reach there, and no column has more values than there.  ``values`` and ``budget`` are as for
    ``compare``; the budget is for all questions.
    Raises InputError with all problems of the input.
    """
    limits(values, budget)
    time_left = deadline_of(budget)
    source = policy
    policy, problems = (policy, []) if isinstance(policy, Policy) else look(policy)
    whole = None
    if table is None:
        sound(policy, problems)
    else:  # first: what is wrong with the table is told at once
        wanted = policy.named
        given = read(table, wanted, "table")
        present(policy, given, beside(source, problems, given.columns))
        progress("the trivial sanitization")
        whole = _one_class(policy, given)
    found, hopeless, counts = list(_from_text(policy)), set[str](), None
    if whole is not None:
        counts = counted(whole, [c for c in policy.columns if c not in policy.quasi], policy.types)
        for finding, always in _out_of_reach(policy, whole, time_left):
            found.append(finding)
            hopeless |= set(finding.rules) if always else set()
    rules = read_rules(policy)
    aside = tuple(name for name, rule in rules.items() if asks_all_models(rule))
    asked = replace(policy, rules={name: text for name, text in policy.rules.items() if name not in aside})
    safe = any(map(protects, rules.values()))
    found += _Linter(asked, values, time_left, progress, counts, frozenset(hopeless), safe).findings()
    findings = tuple(sorted(found, key=lambda f: KINDS.index(f.kind)))
    return Lint(policy.source, len(policy.rules), findings, aside)


def _from_text(policy: Policy) -> Iterator[Finding]:
    """What the text of a policy shows."""
    for place, texts in (("", policy.rules), ("assumptions.", policy.assumptions)):
        for name, text in texts.items():
            for what, why in dict.fromkeys(idle(parse(text))):
                yield Finding("idle", (f"{place}{name}",), what, why)
    for name in uncovered(policy):
        what = f"no rule mentions the sensitive column {name}"
        yield Finding("uncovered", (f"columns.{name}",), what, "a class in which all have the same value gives it away")
    if policy.assumptions and policy.secrets and not any(map(asks_all_models, read_rules(policy).values())):
        what = "no rule asks whether a secret follows from the release and the assumptions together"
        why = "[a] and l_a speak of the release alone, whatever is assumed: add a rule never_known()"
        yield Finding("unprotected", ("secrets",), what, why)
    for name in unused(policy):
        what = f"no rule mentions the agent {name}"
        yield Finding("unused", (f"agents.{name}",), what, "every rule speaks of other agents (reidentify may use it)")


@dataclass(eq=False)
class _Linter:
    """``counts`` are the values of the columns of a given table; ``hopeless`` rules fail in each of its releases."""

    policy: Policy
    values: int | None
    deadline: Deadline
    progress: Progress
    counts: Mapping[str, int] | None = None
    hopeless: frozenset[str] = frozenset()
    protected: bool = False
    """Whether some rule is about the secrets as such."""

    def findings(self) -> Iterator[Finding]:
        if self.policy.assumptions and (found := self.assumed()):
            yield found
            return
        yield from (vacuous := list(self.vacuous()))
        aside = {name for f in vacuous for name in f.rules if f.kind == "vacuous"} | self.hopeless
        yield from (impossible := list(self.contradictory(aside)))
        never = [set(f.rules) for f in impossible if f.kind == "contradictory"]
        yield from self.redundant([name for name in self.policy.rules if name not in aside], never)
        if not never and not self.hopeless:
            yield from self.unprotected()

    def asks(self, first: tuple[str, ...], second: Mapping[str, str], secrets: Secrets | None = None) -> Comparison:
        """Do some rules of the policy imply others, or a formula (about other secrets)?"""
        rules = {name: self.policy.rules[name] for name in first} or {"nothing": "true"}
        one, two = replace(self.policy, rules=rules), replace(self.policy, rules=dict(second))
        two = two if secrets is None else replace(two, secrets=secrets)
        self.progress(f"{', '.join(first) or 'nothing'} => {', '.join(second)}")
        both = joined(one, two, ("the first", "the second"))
        return compared(both, self.values, share(self.deadline, 1 / 4, 0.05), self.progress, self.counts)

    def unprotected(self) -> Iterator[Finding]:
        """The secrets that may become certain although all rules hold."""
        if not self.policy.secrets or self.protected:
            return
        for who, secrets in self.policy.secrets.items():
            for secret in secrets:
                found = self.asks(tuple(self.policy.rules), {"safe": "logical_safety()"}, {who: (secret,)})
                name, everyone = f"secrets.{who}", "anyone" if who == "*" else who
                if found.verdict == "separated":
                    what = f"no rule protects {secret.text}: it may become certain of {everyone}"
                    why = "this release satisfies all rules, and logical_safety() fails:"
                    yield Finding("unprotected", (name,), what, why, tuple(grid(found.table)))
                elif found.verdict == "undecided":
                    yield _open((name,), f"whether the rules protect {secret.text}", found)

    def assumed(self) -> Finding | None:
        """Assumptions that exclude each other: ``verify`` would refuse every release, and every rule would follow."""
        found = self.asks((), {"false": "false"})
        names = tuple(f"assumptions.{name}" for name in self.policy.assumptions)
        what = f"no table{_within(found)} satisfies the assumptions, so that nothing can be said about the rules"
        return _finding("contradictory", names, what, found) if found.verdict == "implies" else None

    def vacuous(self) -> Iterator[Finding]:
        for name, text in self.policy.rules.items():
            found = self.asks((), {name: text})
            if found.verdict == "implies":
                yield _finding("vacuous", (name,), f"no release of any table{_within(found)} can violate it", found)
            elif found.verdict == "undecided":
                yield _open((name,), "whether any release can violate it", found)

    def contradictory(self, vacuous: set[str]) -> Iterator[Finding]:
        """Least sets of rules that no table satisfies: single ones, pairs, and all together."""
        names = [name for name in self.policy.rules if name not in vacuous]
        known: list[set[str]] = []
        for size in (1, 2):
            for chosen in itertools.combinations(names, size):
                if not any(rules <= set(chosen) for rules in known):
                    found = self._together(chosen)
                    known += [set(f.rules) for f in found]
                    yield from found
        if len(names) > 2 and not known and (found := self._together(tuple(names))):
            yield from self._together(self._least(names)) if found[0].kind == "contradictory" else found

    def _least(self, names: list[str]) -> tuple[str, ...]:
        """Rules that exclude each other together, none of which can be left out."""
        for name in list(names):
            rest = tuple(other for other in names if other != name)
            if any(f.kind == "contradictory" for f in self._together(rest)):
                names = list(rest)
        return tuple(names)

    def _together(self, names: tuple[str, ...]) -> list[Finding]:
        found = self.asks(names, {"false": "false"})
        what = f"no table{_within(found)} satisfies " + ("it" if len(names) == 1 else "them together")
        if found.verdict == "implies":
            return [_finding("contradictory", names, what, found)]
        if found.verdict == "undecided":
            return [
                _open(names, "whether any table satisfies " + ("it" if len(names) == 1 else "them together"), found)
            ]
        return []

    def redundant(self, names: list[str], never: list[set[str]]) -> Iterator[Finding]:
        """Rules that another one implies; of equivalent ones the later; then those that all others imply.

        From rules that exclude each other (``never``) everything follows, which says nothing.
        """
        names = [name for name in names if {name} not in never]
        dropped: set[str] = set()
        for name in reversed(names):
            others = [other for other in names if other != name and other not in dropped]
            for other in others:
                found = self.asks((other,), {name: self.policy.rules[name]})
                if found.verdict == "implies":
                    dropped.add(name)
                    yield _finding("redundant", (name, other), f"{other} implies it{_within(found)}", found)
                    break
                if found.verdict == "undecided":
                    yield _open((name, other), f"whether {other} implies it", found)
            if name not in dropped and len(others) > 1 and not any(rules <= set(others) for rules in never):
                found = self.asks(tuple(others), {name: self.policy.rules[name]})
                if found.verdict == "implies":
                    dropped.add(name)
                    what = f"{', '.join(others)} together imply it{_within(found)}"
                    yield _finding("redundant", (name, *others), what, found)


def _finding(kind: str, names: tuple[str, ...], what: str, found: Comparison) -> Finding:
    """What was proved, with its bound."""
    bound = f"at most {found.bound}" if found.bound else "of values"
    return Finding(kind, names, what, f"proved for any number of rows and {bound}", up_to=found.bound)


def _within(found: Comparison) -> str:
    return f" with at most {found.bound}" if found.bound else ""


def _open(names: tuple[str, ...], what: str, found: Comparison) -> Finding:
    return Finding("open", names[:1], f"undecided: {what}", found.reason)


# With a table


def _out_of_reach(policy: Policy, given: Table, deadline: Deadline) -> Iterator[tuple[Finding, bool]]:
    """The rules that fail on the trivial sanitization of a table, and whether they fail on every release of it."""
    bound = bind(policy, given, None)
    report = decided(bound, policy.source, "everything suppressed", deadline)
    for rule in report.rules:
        shown = replace(report, rules=(rule,), warnings=(), notes=()).lines()
        if rule.verdict == "refuted":
            always = _every(bound, rule.name, deadline)
            what = f"it fails on {given.source} even when all quasi-identifiers are suppressed"
            evidence = tuple(line for line in shown[1:-1] if line)
            yield Finding("out of reach", (rule.name,), what, _why(always), evidence), always
        elif rule.verdict == "undecided":
            what = "undecided: whether it holds with everything suppressed"
            yield Finding("open", (rule.name,), what, rule.reason), False


def _one_class(policy: Policy, table: Table) -> Table:
    """A table with all its quasi-identifiers suppressed."""
    columns = {
        name: Column(column.codes * 0, ("*",)) if name in policy.quasi else column
        for name, column in table.columns.items()
    }
    return Table(table.source, columns, table.rows, table.notes)


def _every(bound: Bound, name: str, deadline: Deadline) -> bool:
    """Whether a failure in one class means one in every release of the table."""
    rule = next(rule for rule in bound.rules if rule.name == name)
    return not bound.assumptions and closure(rule.expanded, bound.release, deadline).merge is True


def _why(always: bool) -> str:
    if always:
        return "merging classes keeps it (proved), so that no release of this table satisfies it"
    return "a finer release may still satisfy it, if not by its coarsest class"
