"""The certificate of a recoding by tuples: classes, cost, prices, and why rules hold.

It is written with the checker's own code, from the texts that it will read; solvers
only find the proofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from phverify.budget import Deadline, Tell
from phverify.exact import Ints
from phverify.recoding.release import PosedRelease
from phverify.spec.certificate import digest
from phverify.spec.data import Refused
from phverify.spec.models import Table
from phverify.spec.recoded import BOXES, RecodedTable
from phverify.spec.recoded_form import FORMAT, KIND
from phverify.spec.recoding import TupleRecoding
from phverify.spec.released import Given
from phverify.spec.splits import Splits
from phverify.verification.claims import claims
from phverify.verification.result import Report


@dataclass(frozen=True, eq=False)
class Bound:
    """Prices that prove a bound, in parts of ``unit``; what they add up to.

    ``by`` says what they are held against: boxes, or neighbours.  ``cuts`` has a line
    for each: three tuples and a multiplier, which is taken off.
    """

    prices: Ints
    relief: int
    unit: int
    value: Fraction
    note: str = ""
    by: str = BOXES
    cuts: Ints = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))

    def said(self) -> dict[str, Any]:
        """The bound as a certificate has it."""
        prices = {
            "by": self.by,
            "unit": self.unit,
            "prices": self.prices.tolist(),
            "relief": self.relief,
            "value": str(self.value),
        }
        return {**prices, "cuts": self.cuts.tolist()} if len(self.cuts) else prices


@dataclass(frozen=True, eq=False)
class Certified:
    """What a certificate is about."""

    posed: PosedRelease
    recoding: TupleRecoding
    bound: Bound
    splits: Splits | None
    weights: Mapping[str, Fraction]
    ranges: tuple[str, ...]
    share: Fraction
    cells: Fraction
    disjoint: bool
    publish: str


def certificate(
    made: Certified,
    report: Report,
    deadline: Deadline,
    progress: Tell = lambda step: None,
) -> dict[str, Any]:
    """The certificate as plain data.  Raises Refused where a rule has no proof, and
    BudgetExceeded.
    """
    posed = made.posed
    draft: dict[str, Any] = {
        "kind": KIND,
        "format": FORMAT,
        "files": {"table": None, "policy": None, "release": None},
        "rules": dict(posed.policy.rules),
        "objective": made.recoding.space.objective,
        "weights": {name: str(weight) for name, weight in made.weights.items()},
        "ranges": list(made.ranges),
        "suppress": str(made.share),
        "cells": str(made.cells),
        "disjoint": made.disjoint,
        "publish": made.publish,
        "classes": [list(one) for one in made.recoding.classes],
        "cost": str(made.recoding.cost),
        "released": {},
        "bound": made.bound.said(),
        "splits": None if made.splits is None else list(made.splits.reasons),
        "proofs": {},
    }
    if posed.table.sample is not None:
        draft["sample"] = posed.table.sample.said()
    progress("certificate: what is released")
    paths = {name: hierarchy.paths for name, hierarchy in posed.paths.items()}
    given = Given(posed.policy, posed.table.plain(posed.policy.named), paths)
    # The released rows as the checker makes them from the classes: what is proved is
    # about those.
    rows = Table(RecodedTable(draft, given).data())
    content = claims(report, posed.policy, rows, deadline)
    for rule in content["rules"]:
        if rule["verdict"] != "proved":
            deadline.check()
            # The search accepts what ``verify`` proves; a proof that fits into a file
            # is more.
            why = rule.get("reason", rule["verdict"])
            raise Refused(
                f"nothing shows that the released table satisfies {rule['name']}: {why}"
            )
    if content["agreed"]:
        raise Refused("a rule rests on two solvers, which such a certificate has not")
    said = {"assumptions": content["assumptions"], "rules": content["rules"]}
    draft |= {"released": said, "proofs": content["proofs"]}
    return {**draft, "digest": digest(draft)}
