"""An audited log as a DLTTS: states are steps, tags are answers, and the audit is the
oracle.

Definition 1 of Anantharaman, Frittella, Nguyen 2022 over a report: the adversary asks
the queries one after the other, each has the one answer of the data, and
``dltts.build`` makes the tags.  Saturation adds the facts that are disclosed, and of
the cells that facts name those with one value left; the oracle's first role is the
verdict of a step, its second one the distance.

A state is violated when a protected fact is disclosed there.  For one fact (``fact``)
that is the paper's oracle.  With several secrets the paper's is violated, too, when
only their disjunction follows: protect that as one formula with ``or``.  Where a step
is undecided or unsupported, the state is undecided: an answer that is not audited
stands in the tag as such, and after it nothing is known to be safe.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from phverify.disclosure.connectives import Negation, Proposition
from phverify.disclosure.dltts.knowledge import Atom, Tag
from phverify.disclosure.dltts.system import Branch, TaggedSystem, Transition, build
from phverify.disclosure.log.statements import one_line, shortened
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import DISCLOSED, SAFE, AuditReport, Remaining, Step
from phverify.errors import BudgetExceeded

START = "start"
NOT_AUDITED = "(not audited)"
TOLD_NOTHING = ("silent", "failed")
"""Statuses of statements that leave everything as it was."""
WIDTH = 90
"""So many characters of a query are shown on its arrow."""


def system(report: AuditReport, fact: ProtectedFact | None = None) -> TaggedSystem:
    """The log as a system; the policy is one protected fact, or all of them."""
    # Each query of a log has the one answer of the data.
    policy = secrets(report, fact)
    knowledge = AuditedLog(report, policy)
    moves = []
    before = START
    for step in report.steps[1:]:
        after = _name(step)
        branch = Branch(after, Fraction(1), _answer(step))
        action = _action(step)
        transition = Transition(before, action, (branch,))
        moves.append(transition)
        before = after
    return build(START, moves, knowledge, list(knowledge.secrets))


def secrets(
    report: AuditReport, fact: ProtectedFact | None = None
) -> dict[Atom, ProtectedFact]:
    """The policy: one protected fact or all of them, each by its ground formula."""
    if fact is not None:
        return {secret(fact): fact}
    # Every step has a finding for each fact: those of the first say which there are.
    facts = [finding.fact for finding in report.steps[0].findings]
    return {secret(protected): protected for protected in facts}


def distances(
    report: AuditReport, fact: ProtectedFact | None = None
) -> dict[str, Fraction | None]:
    """The oracle's second role: how far the knowledge of each state is from a fact.

    Without a fact: from the nearest one.
    """
    return {
        _name(step): step.nearest if fact is None else _distance(step, fact)
        for step in report.steps
    }


class QueryAnswer(Atom):
    """What a query answered: never equal to a cell, however its column is called."""


def secret(fact: ProtectedFact) -> Atom:
    """A protected fact as a ground formula."""
    exact = fact.protected.kind == "exact"
    if exact:
        arguments = fact.key, fact.shown
        return Atom(fact.column, arguments)
    return Atom(fact.text())


@dataclass(frozen=True)
class AuditedLog:
    """What an adversary knows who has read some answers of an audited log.

    The saturation procedure by the audit's verdicts.  ``consistent`` raises
    BudgetExceeded where the audit did not decide.
    """

    report: AuditReport
    secrets: Mapping[Atom, ProtectedFact]

    @cached_property
    def formulas(self) -> dict[ProtectedFact, Atom]:
        """The ground formula of each protected fact."""
        pairs = self.secrets.items()
        return {fact: formula for formula, fact in pairs}

    def step(self, formulas: Iterable[Proposition]) -> Step:
        """The last step at which these answers are known, and no others."""
        latest = 0
        for formula in formulas:
            if isinstance(formula, QueryAnswer):
                number = formula.arguments[0]
                answered = int(str(number))
                latest = max(latest, answered)
        # After a statement that told nothing more may be decided, of the same answers.
        steps = self.report.steps
        while latest + 1 < len(steps) and steps[latest + 1].status in TOLD_NOTHING:
            latest += 1
        return steps[latest]

    def consistent(self, tag: Iterable[Proposition]) -> bool:
        """Whether a world has the tag's answers and none of the secrets it denies."""
        formulas = list(tag)
        denied = set(_denied(formulas))
        verdicts = {
            finding.verdict
            for finding in self.step(formulas).findings
            if self.formulas.get(finding.fact) in denied
        }

        # SAFE is shown by a world with these answers, for each fact by itself.
        if DISCLOSED in verdicts:
            return False
        if verdicts - {SAFE}:
            raise BudgetExceeded("the audit did not decide whether a secret follows")
        return True

    def saturated(self, tag: Tag) -> Tag:
        """The tag with the secrets that follow, and the cells with one value left of
        those that facts name.
        """
        step = self.step(tag)
        follows: set[Proposition] = set()
        for finding in step.findings:
            disclosed = finding.verdict == DISCLOSED
            if disclosed and finding.fact in self.formulas:
                follows.add(self.formulas[finding.fact])

        # Such a cell is deduced even where its value is not what is protected.
        for cell in step.remaining:
            known = _known(cell)
            if known is not None:
                follows.add(known)
        return tag | follows


def _denied(formulas: Iterable[Proposition]) -> Iterator[Proposition]:
    """What formulas say is not so."""
    for formula in formulas:
        if isinstance(formula, Negation):
            yield formula.body


def _known(cell: Remaining) -> Atom | None:
    """What a cell is, where one value is left; missing is a value, too."""
    left: list[Hashable]
    if cell.values is not None:
        left = list(cell.values)
    else:
        # Two values are enough to know that there is not one.
        left = list(range(cell.low, min(cell.high, cell.low + 1) + 1))
    if cell.missing:
        left.append(None)
    if len(left) != 1:
        return None
    return Atom(cell.column, (cell.key, left[0]))


def _distance(step: Step, fact: ProtectedFact) -> Fraction | None:
    """How far a fact is from being known after a step."""
    for finding, distance in zip(step.findings, step.distances, strict=True):
        if finding.fact == fact:
            return distance.value
    return None


def _name(step: Step) -> str:
    if step.number:
        return f"after query {step.number}"
    return START


def _action(step: Step) -> str:
    """The query with its number."""
    # Without the number a statement could read like the oracle's own action.
    sql = shortened(one_line(step.sql), WIDTH)
    return f"query {step.number}: {sql}"


def _answer(step: Step) -> Tag:
    """The formula that an answer adds to the tag.

    Nothing for a statement that told nothing; an answer that is not audited says
    something that nobody knows.
    """
    # The tag stays as it is: nothing was told.
    if step.status in TOLD_NOTHING:
        return frozenset()
    if step.status == "answered":
        rows = [row[0] if len(row) == 1 else row for row in step.answer]
        arguments = (step.number, *rows)
    else:
        arguments = (step.number, NOT_AUDITED)
    answer = QueryAnswer("answer", arguments)
    return frozenset({answer})
