"""What is shown of a leak: who is where, at which row a rule fails and why, replayed as
it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from phverify.errors.redaction import hidden
from phverify.logic.printer import Style, individual
from phverify.spec import syntax as s
from phverify.spec.criterion.base import Counterexample
from phverify.spec.models import ReleaseModel
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import expand
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.decision import Decision, Doubt
from phverify.verification.decode import Leak
from phverify.verification.explain import facts, instance_text
from phverify.verification.replay import confirm, denied
from phverify.verification.result import NotKnown, Placed, Witness

FEW = 12
"""Rows of a class whose people are all shown."""


def witness(
    decision: Decision, release: SymbolicRelease, assumptions: s.Formulas, style: Style
) -> Witness:
    """A confirmed leak in words and numbers.  Raises Defect when it is none as it is
    shown.
    """
    leak = decision.leak
    model = decision.model
    assert leak is not None and model is not None
    broken = _broken(leak, release)
    instance = leak.formula
    if broken is not None and broken.instance is not None:
        instance = broken.instance

    # Whom the criterion's theorem calls i is whoever is at the world.
    world = leak.world
    person = _person_at(world, model, release)
    shown = s.substitute(instance, {"i": person})
    place = dict(model.place)
    bindings = dict(leak.bindings)
    if broken is not None:
        bindings |= broken.bindings
    # Nobody is put there unless the formula speaks of i.
    if shown != instance:
        place[person.index] = world
        bindings["i"] = _called(person, release, style)
    place |= _neighbours(world, place, release)
    negation = denied(shown)
    formula = expand(negation, release.signature)
    # Filled up, it is another placement than the one that was replayed.
    model = confirm(formula, place, world, assumptions, release)

    hiding = style.hides
    statement = "" if broken is None else broken.statement
    if hiding:
        statement = _unquoted(broken)
    index = release.class_at(world)
    rows = {person: release.row(place) for person, place in leak.place.items()}
    return Witness(
        f"d{release.row(world) + 1}",
        _placed(place, release, style),
        release.quotient.class_values(index),
        int(release.quotient.sizes[index]),
        instance_text(shown, style),
        facts(model, world, negation, release.signature, style),
        {} if hiding else bindings,
        statement,
        decision.failing,
        None if hiding else Placed(rows, release.row(world), leak.path),
    )


def not_known(
    decision: Decision, release: SymbolicRelease, style: Style
) -> tuple[NotKnown, ...]:
    """The models that leave formulas open, by the individuals that they name."""
    return tuple(_not_known(doubt, release, style) for doubt in decision.doubts)


def _not_known(doubt: Doubt, release: SymbolicRelease, style: Style) -> NotKnown:
    people, _ = mentioned([doubt.formula])
    named = {person.index for person in people}

    def placed(model: ReleaseModel) -> dict[str, str]:
        place = {i: row for i, row in model.place.items() if i in named}
        return _placed(place, release, style)

    assert doubt.denying is not None
    true_if = None if doubt.affirming is None else placed(doubt.affirming)
    return NotKnown(instance_text(doubt.formula, style), placed(doubt.denying), true_if)


def _placed(
    place: Mapping[int, int], release: SymbolicRelease, style: Style
) -> dict[str, str]:
    """Who is on which row, by their names."""
    placed = {}
    for index, row in place.items():
        person = release.signature.person(index)
        called = _called(person, release, style)
        placed[called] = f"d{release.row(row) + 1}"
    return placed


def _called(person: s.Person, release: SymbolicRelease, style: Style) -> str:
    """What an individual is called; no identifier where those are confidential."""
    if style.positions:
        return f"i{person.index + 1}"
    return individual(release.signature, person)


def _unquoted(broken: Counterexample | None) -> str:
    """What breaks a criterion, without the values that it quotes."""
    if broken is None or broken.instance is None:
        return ""  # without an instance it counts values
    return hidden(broken.statement)


def _broken(leak: Leak, release: SymbolicRelease) -> Counterexample | None:
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


def _person_at(row: int, model: ReleaseModel, release: SymbolicRelease) -> s.Person:
    """Who is on a row: the one whom the model puts there, else somebody of its class
    whom it leaves out.
    """
    for person, place in model.place.items():
        if place == row:
            return release.signature.person(person)
    return release.someone(row, model.place)


def _neighbours(
    row: int, place: Mapping[int, int], release: SymbolicRelease
) -> dict[int, int]:
    """The other people of a small class on its other rows, everyone on the own row
    where that is free.
    """
    index = release.class_at(row)
    if int(release.quotient.sizes[index]) > FEW:
        return {}
    taken = set(place.values())
    free_rows = [r for r in release.rows_of_class(index).tolist() if r not in taken]
    people = [i for i in release.people_of_class(index) if i not in place]
    # Whoever can be at home is: a reader has fewer moves to follow.
    at_home = {}
    for person in people:
        own = release.own_world(person)
        if own is not None and own in free_rows:
            at_home[person] = own
    others = [i for i in people if i not in at_home]
    other_rows = [r for r in free_rows if r not in at_home.values()]
    # A class has as many people as rows: as many of both are left.
    return at_home | dict(zip(others, other_rows, strict=True))
