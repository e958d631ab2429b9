"""Rules with ``never_known``: about all models of a release at once.

What they say of each model steers the search class by class.  Whether nothing follows
from a release and the assumptions together is asked of the release as it is, by the
steps of ``verify``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from phverify.budget import Deadline
from phverify.logic.printer import Style
from phverify.recoding.release import PosedRelease, judged, released, released_rows
from phverify.spec import syntax as s
from phverify.spec.recoded_rows import DECIDED, ROWS
from phverify.spec.recoding import TupleRecoding
from phverify.spec.safety import asks_all_models
from phverify.spec.walk import CONNECTIVES
from phverify.verification.result import Report

OF_PEOPLE = (*CONNECTIVES, s.Truth, s.Nominal, s.At, s.Chosen, s.Quantified)
"""What a formula about who has which values is made of, beside the values."""


def about_all_models(posed: PosedRelease) -> bool:
    """Whether a rule of the policy has ``never_known``."""
    formulas = [rule.formula for rule in posed.bound.rules]
    return any(map(asks_all_models, formulas))


def kept_by_joining(posed: PosedRelease) -> Iterator[str]:
    """The rules that hold in one class of all tuples if in any release of all.

    A placement within classes is one within all rows: joined classes have more models,
    and where phi and the assumptions speak of nothing but values that stay as they are,
    each model keeps what is true in it.  So less is known.
    """
    quasi = posed.policy.quasi
    for assumed in posed.bound.assumptions.values():
        if not _stays(assumed, quasi):
            return
    for rule in posed.bound.rules:
        if not asks_all_models(rule.formula):
            continue
        if _stays(rule.expanded, quasi):
            yield rule.name


def _stays(formula: s.Formula, quasi: tuple[str, ...]) -> bool:
    """Whether joining classes changes nothing in the truth of a formula in a model."""
    for node in s.subformulas(formula):
        if isinstance(node, s.Descriptor):
            if node.attribute in quasi:
                return False
        elif isinstance(node, s.Quantified):
            if any(binder.attribute in quasi for binder in node.binders):
                return False
        elif not isinstance(node, (*OF_PEOPLE, s.NeverKnown)):
            return False
    return True


def broken_by_all(posed: PosedRelease, most_general: Callable[[], Report]) -> str:
    """A rule that every release of all tuples breaks, as one class does; "" for none.

    ``most_general`` tells what ``verify`` says of that class.
    """
    kept = set(kept_by_joining(posed))
    if not kept:
        return ""
    for rule in most_general().rules:
        if rule.name not in kept:
            continue
        if rule.verdict == "refuted":
            return rule.name
    return ""


@dataclass(eq=False)
class VerifiedReleases:
    """Judges releases as ``verify`` does; ``left`` of them, no more."""

    posed: PosedRelease
    deadline: Deadline
    style: Style
    left: int = DECIDED

    def satisfied(self, recoding: TupleRecoding) -> bool | None:
        """Whether a release satisfies every rule; None where that is not decided."""
        if self.left == 0 or recoding.space.rows > ROWS:
            return None
        self.left -= 1
        after = released(self.posed, recoding)
        rows = released_rows(recoding)
        report = judged(self.posed, after, rows, self.deadline, self.style)
        verdicts = {rule.verdict for rule in report.rules}
        if "refuted" in verdicts:
            return False
        if "undecided" in verdicts:
            return None
        return True
