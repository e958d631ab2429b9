"""Nothing is reported as a leak before the reference semantics has seen it: lawful,
under the assumptions, false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from phverify.errors import Defect
from phverify.spec import syntax as s
from phverify.spec.models import ReleaseModel
from phverify.spec.schemas import expand
from phverify.spec.semantics import Model, holds, true_in
from phverify.spec.walk import is_global
from phverify.spec.witness import completed
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.decode import Leak


def replay(
    leak: Leak, assumptions: s.Formulas, release: SymbolicRelease
) -> tuple[Leak, ReleaseModel]:
    """The leak, at the world where it shows, and the model in which it was confirmed.

    The model places everyone whom the leak places; everyone there is where the formulas
    speak of everyone. Raises Defect when it is no leak.
    """
    place = leak.place
    # A schema ranges over people whom the leak leaves out: all need a row.
    if _speaks_of_everyone((leak.formula, *assumptions)):
        place = complete(place, release)
    formula = expand(denied(leak.formula), release.signature)
    model = confirm(formula, place, leak.world, assumptions, release)
    world = failing_world(model, formula, leak.world)
    return replace(leak, world=world), model


def _speaks_of_everyone(formulas: s.Formulas) -> bool:
    for formula in formulas:
        for node in s.subformulas(formula):
            if isinstance(node, s.Quantified):
                return True
    return False


def denied(formula: s.Formula) -> s.Formula:
    """What is false in the model that is shown of a leak.

    That is the formula; or, of one that never should be known, its negation, since it
    is true in all models.
    """
    if isinstance(formula, s.NeverKnown):
        return s.Not(formula.body)
    return formula


def confirm(
    formula: s.Formula,
    place: Mapping[int, int],
    world: int,
    assumptions: s.Formulas,
    release: SymbolicRelease,
) -> ReleaseModel:
    """The model of a placement, in which all assumptions hold and a formula is false at
    a world.

    Raises Defect unless the placement obeys Definition 7 and all of this is so.
    """
    if not release.lawful(place):
        raise Defect(
            "a placement puts someone outside the own class, or two on one row"
        )
    model = ReleaseModel(release, dict(place))
    for assumption in assumptions:
        if not true_in(model, expand(assumption, release.signature)):
            raise Defect("a witness breaks an assumption")
    if holds(model, world, formula):
        raise Defect("the reference semantics does not confirm a witness")
    return model


def failing_world(model: ReleaseModel, formula: s.Formula, world: int) -> int:
    """The world where a false formula shows that it is: for one that speaks of named
    places only, one of these.
    """
    # A global formula is false at every world alike: readers get a telling one.
    if not is_global(formula):
        return world
    place = _deciding_place(model, formula)
    if place is None:
        return world
    return place


def decisive(model: Model, world: int, formula: s.And | s.Or) -> s.Formulas:
    """The parts each of which decides: a true one a disjunction, a false one a
    conjunction.
    """
    deciding = isinstance(formula, s.Or)
    return tuple(
        part for part in formula.parts if holds(model, world, part) == deciding
    )


def _deciding_place(model: ReleaseModel, formula: s.Formula) -> int | None:
    """The place on which the truth of a formula about named places turns; None where it
    names none.
    """
    parts: s.Formulas
    match formula:
        case s.At(name, body):
            inner = _deciding_place(model, body) if is_global(body) else None
            if inner is None:
                return model.world(name)
            return inner
        case s.And() | s.Or():
            parts = decisive(model, 0, formula) or formula.parts
        case s.Implies(left, right):
            # where the left side is false, the right one has no say
            parts = (right, left) if holds(model, 0, left) else (left,)
        case _:
            parts = tuple(s.children(formula))
    for part in parts:
        place = _deciding_place(model, part)
        if place is not None:
            return place
    return None


def complete(given: Mapping[int, int], release: SymbolicRelease) -> dict[int, int]:
    """A placement of everyone that extends the given one."""
    rows_of: list[list[int]] = [[] for _ in range(release.quotient.classes)]
    class_of_rows = release.class_of_rows(np.arange(release.size))
    for row, number in enumerate(class_of_rows.tolist()):
        rows_of[number].append(row)
    homes = release.class_of_rows(release.homes())
    return completed(given, homes.tolist(), rows_of)
