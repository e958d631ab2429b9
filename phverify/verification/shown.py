"""What is shown of a leak: who is where, at which row a rule fails and why, replayed as
it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from phverify.logic.printer import ASCII, Style
from phverify.spec import syntax as s
from phverify.spec.criterion.base import Counterexample
from phverify.spec.models import ReleaseModel
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import expand
from phverify.symbolic.release import Release
from phverify.verification.decode import Leak
from phverify.verification.explain import facts, instance_text
from phverify.verification.replay import confirm, denied
from phverify.verification.result import NotKnown, Placed, Witness
from phverify.verification.rule import Decision, Doubt

FEW = 12
"""Rows of a class whose people are all shown."""


def witness(
    decision: Decision, release: Release, assumptions: s.Formulas, style: Style
) -> Witness:
    """A confirmed leak in words and numbers.  Raises Defect when it is none as it is
    shown.
    """
    leak, model = decision.leak, decision.model
    assert leak is not None and model is not None
    told = _told(leak, release)
    instance = leak.formula if told is None or told.instance is None else told.instance
    person = _person_at(leak.world, model, release)
    shown = s.substitute(instance, {"i": person})
    place = (
        {**model.place, person.index: leak.world}
        if shown != instance
        else dict(model.place)
    )
    place |= _neighbours(leak.world, place, release)
    model = confirm(
        expand(denied(shown), release.signature),
        place,
        leak.world,
        assumptions,
        release,
    )
    bindings = {**leak.bindings, **(told.bindings if told else {})}
    if shown != instance:
        bindings["i"] = _called(person, release, style)
    index = release.class_at(leak.world)
    hidden = style.hide if style is not ASCII else None
    return Witness(
        f"d{leak.world + 1}",
        _placed(place, release, style),
        release.quotient.class_values(index),
        int(release.quotient.sizes[index]),
        instance_text(shown, style),
        facts(model, leak.world, denied(shown), release.signature, style),
        {} if hidden else bindings,
        "" if told is None or (hidden and told.instance is None) else told.statement,
        decision.failing,
        None if hidden else Placed(leak.place, leak.world, leak.path),
    )


def not_known(
    decision: Decision, release: Release, style: Style
) -> tuple[NotKnown, ...]:
    """The models that leave formulas open, by the individuals that they name."""
    return tuple(_not_known(doubt, release, style) for doubt in decision.doubts)


def _not_known(doubt: Doubt, release: Release, style: Style) -> NotKnown:
    named = {person.index for person in mentioned([doubt.formula])[0]}

    def said(model: ReleaseModel) -> dict[str, str]:
        placed = {i: row for i, row in model.place.items() if i in named}
        return _placed(placed, release, style)

    assert doubt.denying is not None
    affirming = None if doubt.affirming is None else said(doubt.affirming)
    return NotKnown(instance_text(doubt.formula, style), said(doubt.denying), affirming)


def _placed(place: Mapping[int, int], release: Release, style: Style) -> dict[str, str]:
    """Who is on which row, by their names."""
    placed = {}
    for index, row in place.items():
        person = release.signature.person(index)
        placed[_called(person, release, style)] = f"d{row + 1}"
    return placed


def _called(person: s.Person, release: Release, style: Style) -> str:
    """What an individual is called; no identifier where those are confidential."""
    if style.positions:
        return f"i{person.index + 1}"
    return release.signature.called(person)


def _told(leak: Leak, release: Release) -> Counterexample | None:
    """What breaks a criterion of classes at the leak's world, or makes a formula known,
    in words.
    """
    if isinstance(leak.formula, s.NeverKnown):
        return Counterexample(
            leak.formula,
            "known: it is true in every model that satisfies the assumptions",
        )
    if not isinstance(leak.formula, s.Criterion):
        return None
    criterion = release.criteria[leak.formula]
    histogram = release.ground.histogram(criterion.attribute)
    inside = histogram.inside(release.class_at(leak.world))
    return criterion.counterexample(inside, histogram.outside())


def _person_at(row: int, model: ReleaseModel, release: Release) -> s.Person:
    """Who is on a row: the one whom the model puts there, else somebody of its class
    whom it leaves out.
    """
    there = next(
        (person for person, place in model.place.items() if place == row), None
    )
    return (
        release.signature.person(there)
        if there is not None
        else release.someone(row, model.place)
    )


def _neighbours(row: int, place: Mapping[int, int], release: Release) -> dict[int, int]:
    """The other people of a small class on its other rows, everyone on the own row
    where that is free.
    """
    index = release.class_at(row)
    if int(release.quotient.sizes[index]) > FEW:
        return {}
    taken = set(place.values())
    people = [i for i in release.people_of_class(index) if i not in place]
    rows = [row for row in release.rows_of_class(index).tolist() if row not in taken]
    own = {i: i for i in people if i in rows and int(release.home[i]) == i}
    left = [row for row in rows if row not in own]
    return own | dict(zip((i for i in people if i not in own), left, strict=True))
