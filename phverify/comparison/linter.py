"""What ``lint`` asks of all tables: which rules say nothing, which exclude each other,
which others imply, and which secrets nothing protects.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from phverify.budget import GRACE, Deadline, OutOfTime, within
from phverify.comparison.comparing import Progress, share
from phverify.comparison.domains import Sizes
from phverify.comparison.findings import Findings, LintFinding, undecided
from phverify.comparison.result import Comparison
from phverify.comparison.run import compared
from phverify.comparison.sides import joined
from phverify.policy.model import Policy
from phverify.spec.policy import SecretText
from phverify.words import grid

Rules = list[str]
"""Names of rules."""

Secrets = Mapping[str, tuple[SecretText, ...]]


@dataclass(frozen=True, eq=False)
class Linter:
    """``counts`` are the values of the columns of a given table; ``hopeless`` rules
    fail in each of its releases, and those that are ``satisfied`` hold in its coarsest.

    ``protected``: some rule is about the secrets as such.
    """

    policy: Policy
    values: int | None
    deadline: Deadline
    progress: Progress
    counts: Sizes | None
    hopeless: set[str]
    satisfied: set[str]
    protected: bool

    def findings(self) -> Findings:
        """All findings that are proved or shown, question by question."""
        if self.policy.assumptions:
            impossible = self.assumed()
            if impossible is not None:
                yield impossible
                return
        vacuous = list(self.vacuous())
        yield from vacuous
        # A rule that always holds excludes nothing, and is implied by anything.
        say_nothing = _rules_of(vacuous, "vacuous")
        aside = say_nothing | self.hopeless
        names = [name for name in self.policy.rules if name not in aside]
        exclusions = list(self.contradictory(names))
        yield from exclusions
        never = [set(f.rules) for f in exclusions if f.kind == "contradictory"]
        possible = [name for name in names if {name} not in never]
        yield from self.redundant(possible, never)
        # what no release satisfies protects everything
        satisfiable = not never and not self.hopeless
        if satisfiable:
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
        # What is long takes its time before a solver looks at the clock.
        left = self.deadline.left()
        patience = None if left is None else left + GRACE
        try:
            if patience is not None and patience <= 0:
                raise OutOfTime
            with within(patience):
                return self._answer(rules, second, secrets)
        except OutOfTime:
            titles = ("the first", "the second")
            return Comparison(
                "undecided", *titles, reason=self._late(), open=tuple(second)
            )

    def _answer(
        self,
        rules: Mapping[str, str],
        second: Mapping[str, str],
        secrets: Secrets | None,
    ) -> Comparison:
        """The answer of ``compare`` within a share of the budget."""
        # A policy has a rule: without any asked, one that says nothing.
        one = replace(self.policy, rules=dict(rules) or {"nothing": "true"})
        asked_secrets = self.policy.secrets if secrets is None else secrets
        two = replace(self.policy, rules=dict(second), secrets=asked_secrets)
        self.progress(f"{', '.join(rules) or 'nothing'} => {', '.join(second)}")
        both = joined(one, two, ("the first", "the second"), "lint")
        # A hard question leaves time to those after it.
        part = share(self.deadline, 1 / 4, 0.05)
        return compared(
            both, self.values, part, self.progress, self.counts, self._late()
        )

    def _late(self) -> str:
        """What is said where a question's share of the budget runs out."""
        budget = self.deadline.seconds
        if budget is None:
            return ""
        return f"its share of the budget of {budget:g} s ran out"

    def unprotected(self) -> Findings:
        """The secrets that may become certain although all rules hold."""
        if self.protected:
            return
        for who, secrets in self.policy.secrets.items():
            for secret in secrets:
                yield from self._unprotected(who, secret)

    def _unprotected(self, who: str, secret: SecretText) -> Findings:
        """A release that satisfies all rules and gives one secret away."""
        safe = {"safe": "logical_safety()"}
        answer = self.asks(self.policy.rules, safe, {who: (secret,)})
        names = (f"secrets.{who}",)
        if answer.verdict == "separated":
            everyone = "anyone" if who == "*" else who
            what = (
                f"no rule protects {secret.text}: it may become certain of {everyone}"
            )
            why = "this release satisfies all rules, and logical_safety() fails:"
            shown = tuple(grid(answer.table))
            yield LintFinding("unprotected", names, what, why, shown)
        elif answer.verdict == "undecided":
            doubt = f"whether the rules protect {secret.text}"
            yield undecided(names, doubt, answer.reason)

    def assumed(self) -> LintFinding | None:
        """Assumptions that exclude each other: ``verify`` would refuse every release,
        and every rule would follow.
        """
        answer = self.asks((), {"false": "false"})
        if answer.verdict != "implies":
            return None
        names = tuple(f"assumptions.{name}" for name in self.policy.assumptions)
        what = (
            f"no table{_within(answer)} satisfies the assumptions, so that nothing can"
            " be said about the rules"
        )
        return next(_reported("contradictory", names, what, "", answer))

    def vacuous(self) -> Findings:
        """Rules that every release of every table satisfies."""
        for name, text in self.policy.rules.items():
            answer = self.asks((), {name: text})
            what = f"no release of any table{_within(answer)} can violate it"
            doubt = "whether any release can violate it"
            yield from _reported("vacuous", (name,), what, doubt, answer)

    def contradictory(self, names: Rules) -> Findings:
        """Least sets of rules that no table satisfies: single ones, pairs, and all
        together.

        One table that satisfies several shows that these exclude no others of them.
        """
        known: list[set[str]] = []
        for size in (1, 2):
            for chosen in itertools.combinations(names, size):
                together = set(chosen)
                if together <= self.satisfied:
                    continue
                # What excludes each other does so with others, too: only least sets are
                # told.
                if any(rules <= together for rules in known):
                    continue
                findings = self._together(chosen)
                known += [set(finding.rules) for finding in findings]
                yield from findings
        more_than_pairs = len(names) > 2
        open_still = not set(names) <= self.satisfied
        if more_than_pairs and not known and open_still:
            findings = self._together(names)
            if findings and findings[0].kind == "contradictory":
                least = self._least(names)
                findings = self._together(least)
            yield from findings

    def _least(self, names: Rules) -> Rules:
        """Rules that exclude each other together, none of which can be left out."""
        for name in list(names):
            rest = [other for other in names if other != name]
            # without this one the others still exclude each other
            if _rules_of(self._together(rest), "contradictory"):
                names = rest
        return names

    def _together(self, names: Sequence[str]) -> list[LintFinding]:
        """Whether some rules exclude each other, as a finding; none where they do
        not.
        """
        answer = self.asks(names, {"false": "false"})
        them = "it" if len(names) == 1 else "them together"
        what = f"no table{_within(answer)} satisfies {them}"
        doubt = f"whether any table satisfies {them}"
        return list(_reported("contradictory", names, what, doubt, answer))

    def redundant(self, names: Rules, never: list[set[str]]) -> Findings:
        """Rules that another one implies; of equivalent ones the later; then those that
        all others imply.

        From rules that exclude each other (``never``) everything follows, which says
        nothing.
        """
        left = list(names)
        # Of two equivalent rules the later one is called redundant.
        for name in reversed(names):
            others = [other for other in left if other != name]
            implied = False
            for other in others:
                answer = self.asks((other,), {name: self.policy.rules[name]})
                what = f"{other} implies it{_within(answer)}"
                doubt = f"whether {other} implies it"
                yield from _reported("redundant", (name, other), what, doubt, answer)
                if answer.verdict == "implies":
                    implied = True
                    break
            possible = not any(rules <= set(others) for rules in never)
            if not implied and len(others) > 1 and possible:
                answer = self.asks(others, {name: self.policy.rules[name]})
                if answer.verdict == "implies":
                    implied = True
                    what = f"{', '.join(others)} together imply it{_within(answer)}"
                    concerned = (name, *others)
                    yield from _reported("redundant", concerned, what, "", answer)
            if implied:
                left.remove(name)


def _rules_of(findings: Iterable[LintFinding], kind: str) -> set[str]:
    """The rules that findings of a kind concern."""
    rules: set[str] = set()
    for finding in findings:
        if finding.kind == kind:
            rules.update(finding.rules)
    return rules


def _reported(
    kind: str, names: Sequence[str], what: str, doubt: str, answer: Comparison
) -> Findings:
    """What was proved, with its bound; or what is in doubt."""
    if answer.verdict == "implies":
        bound = f"at most {answer.bound}" if answer.bound else "of values"
        why = f"proved for any number of rows and {bound}"
        yield LintFinding(kind, tuple(names), what, why, up_to=answer.bound)
    elif answer.verdict == "undecided":
        yield undecided(names, doubt, answer.reason)


def _within(answer: Comparison) -> str:
    """The bound of a proof, as it stands in a sentence."""
    if answer.bound:
        return f" with at most {answer.bound}"
    return ""
