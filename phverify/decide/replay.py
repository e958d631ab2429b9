"""Nothing is reported as a leak before the reference semantics has seen it: lawful, under the assumptions, false."""

from __future__ import annotations

from phverify.decide.decode import Leak
from phverify.decide.release import Release
from phverify.errors import Defect
from phverify.logic import syntax as s
from phverify.logic.expand import expand
from phverify.models.release import ReleaseModel, lawful
from phverify.models.semantics import holds, true_in


def replay(leak: Leak, assumptions: tuple[s.Formula, ...], release: Release) -> ReleaseModel:
    """The model in which the leak was confirmed.  Raises Defect when it is no leak."""
    speaks = any(isinstance(n, s.Quantified) for f in (leak.formula, *assumptions) for n in s.subformulas(f))
    place = complete(leak, release) if speaks else dict(leak.place)
    model = ReleaseModel(release.base, place)
    if not lawful(release.base, leak.place):
        raise Defect("a placement puts someone outside the own class, or two on one row")
    for assumption in assumptions:
        if not true_in(model, expand(assumption, release.signature)):
            raise Defect("a witness breaks an assumption")
    if holds(model, leak.world, expand(leak.formula, release.signature)):
        raise Defect("the reference semantics does not confirm a witness")
    return model


def complete(leak: Leak, release: Release) -> dict[int, int]:
    """A placement of everyone that extends the leak's: each class's other people on its other rows."""
    place = dict(leak.place)
    taken = set(place.values())
    homes = release.class_of_rows(release.home.tolist()).tolist()
    rows: dict[int, list[int]] = {}
    for row, index in enumerate(release.class_of_rows(range(release.quotient.rows)).tolist()):
        if row not in taken:
            rows.setdefault(index, []).append(row)
    for person, index in enumerate(homes):
        if person not in place:
            place[person] = rows[index].pop(0)
    return place
