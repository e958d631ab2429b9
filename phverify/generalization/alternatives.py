"""What stands beside the answer of a search: the minimal candidates, each with what it
costs and risks, and, where nothing fits, how far a rule has to give way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from phverify.generalization.fitting import Fitting
from phverify.microdata.risk import ProsecutorRisk, prosecutor_risk


@dataclass(frozen=True)
class MinimalCandidate:
    """A minimal level vector: its cost by the objective asked for, the records that are
    withheld, the classes that are released, and their prosecutor risk.
    """

    levels: Mapping[str, int]
    cost: Fraction
    withheld: int
    classes: int
    risk: ProsecutorRisk


def minimal_candidate(
    fitting: Fitting, levels: Mapping[str, int], cost: Fraction
) -> MinimalCandidate:
    """A candidate that satisfies the policy, counted."""
    view = fitting.finding.view
    assert view is not None
    withheld = fitting.finding.withheld
    sizes = np.delete(view.quotient.sizes, withheld)
    classes, records = len(sizes), int(sizes.sum())
    smallest = int(sizes.min(initial=view.quotient.rows))
    risk = prosecutor_risk(smallest, classes, records)
    return MinimalCandidate(levels, cost, view.rows(withheld), classes, risk)


@dataclass(frozen=True)
class RelaxedRule:
    """How far one number of one rule has to give way, all else kept.

    The ``criterion`` of the ``rule`` has the ``parameter`` (k, l or t), whose number in
    the policy is ``asked``.  With the number ``works`` some candidate satisfies the
    policy, with ``fails`` none does: there is nothing between them where they are
    ``whole``, and elsewhere no multiple of 1/1000.  ``works`` is None where no number
    does, or where that is not known; ``reason`` says what ended the search for it, ""
    where it is settled.
    """

    rule: str
    criterion: str
    parameter: str
    whole: bool
    asked: Fraction
    works: Fraction | None
    fails: Fraction
    reason: str = ""
