"""What merging classes keeps of the parts of a policy, where two solvers say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phverify.spec import syntax as s
from phverify.spec.data import Data, Refused
from phverify.spec.merging import Merging, known

if TYPE_CHECKING:
    from phverify.spec.minimal import Minimality

HOW = ("each", "each, within the table", "together", "together, within the table")
"""How queries show a closure that is not known: one for each formula, or for all."""


def agreed(checked: Minimality) -> int:
    """In how many texts solvers find again what a certificate says of closures.

    Raises Refused.
    """
    questions = _questions(checked)
    if checked.judges.texts is None:
        raise Refused(
            "what merging classes keeps rests on two solvers, and there is none"
            " here to ask again"
        )
    texts = checked.judges.texts(questions)
    if not texts:
        raise Refused(
            "what is kept when classes are merged rests on two solvers, and they do"
            " not find it again"
        )
    return texts


def _questions(checked: Minimality) -> list[Merging]:
    said = checked.claimed["closures"]
    shown = checked.violations.shown
    if len(said) != len(shown) or not checked.violations.used.issuperset(shown):
        raise Refused(
            "the certificate speaks twice of the closure of a part under merging,"
            " or of one that no clause needs"
        )
    questions: list[Merging] = []
    for claim in said:
        number, how = claim["part"], claim["how"]
        part = checked.violations.part(number)
        questions += queries(part.bodies, shown[number], how, checked.data)
    return questions


def queries(bodies: s.Formulas, goal: int, how: str, data: Data) -> list[Merging]:
    """The questions that show that a part is closed, where it is not known to be.

    Raises Refused where it is known, or ``how`` is no way to show it.
    """
    # What a lemma says of a body is not asked again.
    unknown = [body for body in dict.fromkeys(bodies) if known(body, data) < goal]
    if not unknown or how not in HOW:
        raise Refused(
            "what the certificate says about closure under merging is known, or is"
            " shown in no way there is"
        )
    exact = how.endswith("table")
    if how.startswith("together"):
        return [Merging(bodies, goal, exact, data)]
    return [Merging((body,), goal, exact, data) for body in unknown]
