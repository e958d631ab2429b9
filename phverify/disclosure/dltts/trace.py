"""An audited log as a DLTTS: states are steps, tags are answers, and the audit is the
oracle.

Definition 1 of Anantharaman, Frittella, Nguyen 2022 over a report: the adversary asks
the queries one after the other, each has the one answer of the data, and
``dltts.build`` makes the tags.  Saturation adds the facts that are disclosed and the
cells that have one value left; the oracle's first role is the verdict of a step, its
second one the distance.

A state is violated when a protected fact is disclosed there.  For one fact (``fact``)
that is the paper's oracle.  With several secrets the paper's is violated, too, when
only their disjunction follows: protect that as one formula with ``or``.  Where a step
is undecided or unsupported, so is the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from phverify.disclosure.connectives import Formula, Not
from phverify.disclosure.dltts.knowledge import Atom, Tag
from phverify.disclosure.dltts.picture import dot
from phverify.disclosure.dltts.schedulers import probabilities
from phverify.disclosure.dltts.system import Branch, System, Transition, build
from phverify.disclosure.log.statements import shortened
from phverify.disclosure.protected import Fact
from phverify.disclosure.result import DISCLOSED, SAFE, AuditReport, Remaining, Step
from phverify.errors import BudgetExceeded

START = "start"
WIDTH = 60
"""So many characters of a query are shown on its arrow."""


def system(report: AuditReport, fact: Fact | None = None) -> System:
    """The log as a system; the policy is one protected fact, or all of them."""
    facts = (
        [finding.fact for finding in report.steps[0].findings]
        if fact is None
        else [fact]
    )
    knowledge = Log(report, dict(zip(map(secret, facts), facts, strict=True)))
    moves = [
        Transition(
            _name(before),
            _action(step),
            (Branch(_name(step), Fraction(1), _answer(step)),),
        )
        for before, step in zip(report.steps, report.steps[1:], strict=False)
    ]
    return build(START, moves, knowledge, list(knowledge.secrets))


def distances(
    report: AuditReport, fact: Fact | None = None
) -> dict[str, Fraction | None]:
    """The oracle's second role: how far the knowledge of each state is from a fact, or
    from the nearest one.
    """
    return {
        _name(step): step.nearest if fact is None else _of(step, fact)
        for step in report.steps
    }


def picture(report: AuditReport, fact: Fact | None = None) -> str:
    """The system as Graphviz DOT with tags, distances and probabilities;
    ``picture.svg`` draws it.
    """
    found = system(report, fact)
    return dot(found, distances(report, fact), probabilities(found, {}))


def secret(fact: Fact) -> Atom:
    """A protected fact as a ground formula."""
    if fact.protected.kind == "exact":
        return Atom(fact.column, (fact.key, fact.value))
    return Atom(fact.text())


@dataclass(frozen=True)
class Log:
    """What an adversary knows who has read some answers of an audited log: the
    saturation procedure by its verdicts.

    ``consistent`` raises BudgetExceeded where the audit did not decide.
    """

    report: AuditReport
    secrets: dict[Atom, Fact]

    def step(self, formulas: Iterable[Formula]) -> Step:
        """The step after which these answers are known."""
        asked = [
            f.arguments[0]
            for f in formulas
            if isinstance(f, Atom) and f.predicate == "answer"
        ]
        return self.report.steps[max((int(str(number)) for number in asked), default=0)]

    def consistent(self, tag: Iterable[Formula]) -> bool:
        """Whether a world has these answers and none of the secrets that the tag
        denies.
        """
        tag = list(tag)
        negated = [f.body for f in tag if isinstance(f, Not)]
        denied = {
            self.secrets[f]
            for f in negated
            if isinstance(f, Atom) and f in self.secrets
        }
        verdicts = {
            finding.verdict
            for finding in self.step(tag).findings
            if finding.fact in denied
        }
        if DISCLOSED in verdicts:
            return False
        if verdicts - {SAFE}:
            raise BudgetExceeded("the audit did not decide whether a secret follows")
        return True

    def saturated(self, tag: Tag) -> Tag:
        """The tag with the secrets that follow, and the cells that have one value
        left.
        """
        step = self.step(tag)
        names = {fact: atom for atom, fact in self.secrets.items()}
        follows = {
            names[finding.fact]
            for finding in step.findings
            if finding.verdict == DISCLOSED and finding.fact in names
        }
        return (
            tag | follows | {atom for cell in step.remaining if (atom := _known(cell))}
        )


def _known(cell: Remaining) -> Atom | None:
    """What a cell is, where one value is left."""
    values = (
        cell.values
        if cell.values is not None
        else range(cell.low, min(cell.high, cell.low + 1) + 1)
    )
    left = [*values, *[None] * cell.missing]
    return Atom(cell.column, (cell.key, left[0])) if len(left) == 1 else None


def _of(step: Step, fact: Fact) -> Fraction | None:
    return next(
        (
            d.value
            for f, d in zip(step.findings, step.distances, strict=True)
            if f.fact == fact
        ),
        None,
    )


def _name(step: Step) -> str:
    return f"after query {step.number}" if step.number else START


def _action(step: Step) -> str:
    return shortened(" ".join(step.sql.split()), WIDTH)


def _answer(step: Step) -> Tag:
    """The formula that an answer adds to the tag; nothing for a statement that had
    none.
    """
    if step.status != "answered":
        return frozenset()
    return frozenset(
        {
            Atom(
                "answer",
                (
                    step.number,
                    *(row[0] if len(row) == 1 else row for row in step.answer),
                ),
            )
        }
    )
