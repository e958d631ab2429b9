"""``lint``: rules that say nothing, rules that others imply, rules that exclude each other, rules out of reach.

Each finding is proved for every table within a stated bound (``compare``), or shown on the given table (``verify``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from phverify.api import decided
from phverify.closure.prover import closure
from phverify.compare.frame import joined, limits
from phverify.compare.result import Comparison
from phverify.compare.run import BUDGET, Progress, compared
from phverify.policy.bind import Bound, bind, present
from phverify.policy.load import beside, look, sound
from phverify.policy.model import Policy
from phverify.report.text import plural, printable, to_lines
from phverify.smt.solver import Deadline, deadline_of
from phverify.tables.read import read
from phverify.tables.table import Column, Table

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("vacuous", "redundant", "contradictory", "out of reach", "open")


@dataclass(frozen=True)
class Finding:
    """``kind`` is vacuous, redundant, contradictory, out of reach, or open (a question the budget left undecided).

    ``rules`` are concerned; ``what`` says what was found, ``why`` on what ground, and ``evidence`` shows it.
    """

    kind: str
    rules: tuple[str, ...]
    what: str
    why: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lint:
    """What was found in a policy; ``verdict`` is clean, findings, or undecided (nothing found, something open)."""

    policy: str
    rules: int
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        kinds = {finding.kind for finding in self.findings}
        return "findings" if kinds - {"open"} else "undecided" if kinds else "clean"

    def __str__(self) -> str:
        return "\n".join(lint_lines(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The findings as ``--json`` writes them."""
        found = [{**vars(f), "rules": list(f.rules), "evidence": list(f.evidence)} for f in self.findings]
        return {"verdict": self.verdict, "policy": self.policy, "rules": self.rules, "findings": found}


def lint(
    policy: Policy | str | PathLike[str],
    table: str | PathLike[str] | pd.DataFrame | None = None,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    progress: Progress = lambda step: None,
) -> Lint:
    """Look for rules that cannot mean what was intended.

    ``table`` is a table before sanitization: a rule that fails even when all its quasi-identifiers are suppressed
    is out of reach there.  ``values`` and ``budget`` are as for ``compare``; the budget is for all questions.
    Raises InputError with all problems of the input.
    """
    limits(values, budget)
    time_left = deadline_of(budget)
    source = policy
    policy, problems = (policy, []) if isinstance(policy, Policy) else look(policy)
    wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
    given = None if table is None else read(table, wanted, "table")
    if given is None:
        sound(policy, problems)
    else:
        present(policy, given, beside(source, problems, given.columns))
    found: list[Finding] = []
    if given is not None:  # first: what is wrong with the table is told at once
        progress("the trivial sanitization")
        found += _out_of_reach(policy, given, time_left)
    found += _Linter(policy, values, time_left, progress).findings()
    return Lint(policy.source, len(policy.rules), tuple(sorted(found, key=lambda f: KINDS.index(f.kind))))


@dataclass(eq=False)
class _Linter:
    policy: Policy
    values: int | None
    deadline: Deadline
    progress: Progress

    def findings(self) -> Iterator[Finding]:
        if self.policy.assumptions and (found := self.assumed()):
            yield found
            return
        yield from (vacuous := list(self.vacuous()))
        empty = {name for f in vacuous for name in f.rules if f.kind == "vacuous"}
        yield from (impossible := list(self.contradictory(empty)))
        never = [set(f.rules) for f in impossible if f.kind == "contradictory"]
        yield from self.redundant([name for name in self.policy.rules if name not in empty], never)

    def asks(self, first: tuple[str, ...], second: Mapping[str, str]) -> Comparison:
        """Do some rules of the policy imply others, or a formula?"""
        rules = {name: self.policy.rules[name] for name in first} or {"nothing": "true"}
        one, two = replace(self.policy, rules=rules), replace(self.policy, rules=dict(second))
        self.progress(f"{', '.join(first) or 'nothing'} => {', '.join(second)}")
        left = self.deadline.left()
        share = None if left is None else max(left / 4, 0.05)
        return compared(joined(one, two, ("the first", "the second")), self.values, Deadline(share), self.progress)

    def assumed(self) -> Finding | None:
        """Assumptions that exclude each other: ``verify`` would refuse every release, and every rule would follow."""
        found = self.asks((), {"false": "false"})
        names = tuple(f"assumptions.{name}" for name in self.policy.assumptions)
        what = "no table satisfies the assumptions, so that nothing can be said about the rules"
        return Finding("contradictory", names, what, _proved(found)) if found.verdict == "implies" else None

    def vacuous(self) -> Iterator[Finding]:
        for name, text in self.policy.rules.items():
            found = self.asks((), {name: text})
            if found.verdict == "implies":
                yield Finding("vacuous", (name,), "no release of any table can violate it", _proved(found))
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
        what = "no table satisfies it" if len(names) == 1 else "no table satisfies them together"
        if found.verdict == "implies":
            return [Finding("contradictory", names, what, _proved(found))]
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
                    yield Finding("redundant", (name, other), f"{other} implies it", _proved(found))
                    break
                if found.verdict == "undecided":
                    yield _open((name, other), f"whether {other} implies it", found)
            if name not in dropped and len(others) > 1 and not any(rules <= set(others) for rules in never):
                found = self.asks(tuple(others), {name: self.policy.rules[name]})
                if found.verdict == "implies":
                    dropped.add(name)
                    said = ", ".join(others)
                    yield Finding("redundant", (name, *others), f"{said} together imply it", _proved(found))


def _proved(found: Comparison) -> str:
    bound = ", ".join(f"at most {plural(many, 'value')} of {name}" for name, many in found.values.items())
    return f"proved for any number of rows and {bound or 'any number of values'}"


def _open(names: tuple[str, ...], what: str, found: Comparison) -> Finding:
    return Finding("open", names[:1], f"undecided: {what}", found.reason)


# With a table


def _out_of_reach(policy: Policy, given: Table, deadline: Deadline) -> Iterator[Finding]:
    """The rules that fail on the trivial sanitization of a table: one class."""
    bound = bind(policy, _suppressed(policy, given), None)
    report = decided(bound, policy.source, "everything suppressed", deadline)
    for rule in report.rules:
        shown = to_lines(replace(report, rules=(rule,), warnings=(), notes=()))
        if rule.verdict == "refuted":
            what = f"it fails on {given.source} even when all quasi-identifiers are suppressed"
            evidence = tuple(line for line in shown[1:-1] if line)
            yield Finding("out of reach", (rule.name,), what, _every(bound, rule.name, deadline), evidence)
        elif rule.verdict == "undecided":
            yield Finding("open", (rule.name,), "undecided: whether it holds with everything suppressed", rule.reason)


def _suppressed(policy: Policy, table: Table) -> Table:
    """The table as one class."""
    columns = {
        name: Column(column.codes * 0, ("*",)) if name in policy.quasi else column
        for name, column in table.columns.items()
    }
    return Table(table.source, columns, table.rows, table.notes)


def _every(bound: Bound, name: str, deadline: Deadline) -> str:
    """Whether a failure in one class means one in every release of the table."""
    rule = next(rule for rule in bound.rules if rule.name == name)
    if bound.assumptions or not closure(rule.expanded, bound.release, deadline).merge:
        return "a finer release may still satisfy it, if not by its coarsest class"
    return "merging classes keeps it (proved), so that no release of this table satisfies it"


def lint_lines(found: Lint) -> list[str]:
    """The findings as text; the first line says how many there are."""
    rules = plural(found.rules, "rule")
    if not found.findings:
        return [f"CLEAN  {found.policy}: {rules}, nothing to complain about"]
    real = sum(f.kind != "open" for f in found.findings)
    head = "FINDINGS" if real else "UNDECIDED"
    lines = [f"{head}  {found.policy}: {rules}, {plural(real, 'finding')}, {len(found.findings) - real} open"]
    for f in found.findings:
        lines += ["", f"  {f.kind}: {f.rules[0] if f.kind != 'contradictory' else ', '.join(f.rules)}", f"    {f.what}"]
        lines += [f"    {f.why}"] if f.why else []
        lines += [f"    {line}" for line in f.evidence]
    return [printable(line) for line in lines]


__all__ = ["Finding", "Lint", "lint", "lint_lines"]
