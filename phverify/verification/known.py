"""``never_known(phi)``: can an adversary who has the release and all assumptions infer
phi?

Phi is inferred when it is true in every model that satisfies the assumptions.  Two
questions decide it: is there such a model in which phi is false (then it is not known),
and one in which it is true (what the adversary would know)?

A schema ``forall i: never_known(phi)`` asks for each individual.  Individuals of one
class whom neither phi nor an assumption names are interchangeable: exchanging two of
them in every model maps the models onto themselves.  One of them answers for all.
Classes in which an assumption names nobody are not touched by the assumptions, since
placements in different classes are independent and all assumptions can be met together:
there, ``@i phi`` with a phi that names nobody is known iff phi is true on every row of
the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from phverify.exact import Bools
from phverify.logic.printer import individual
from phverify.spec import syntax as s
from phverify.spec.instances import INSTANCES, Instance, TooLarge
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import Substitution, assignments, size
from phverify.spec.walk import is_ground
from phverify.symbolic.instances import bindings, said_name
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.decode import Labels, Leak, chosen_path


def possible(
    instance: Instance, release: SymbolicRelease, assumptions: s.Formulas
) -> Iterator[Substitution]:
    """The values of an instance's variables that answer for all: representative
    individuals, and every clause.

    Individuals of whom it is certain that nothing is known are left out.  Raises
    TooLarge.
    """
    body = instance.body
    assert isinstance(body, s.NeverKnown)
    named, _ = mentioned([body.body, *assumptions])
    asked = _classes_asked(instance, body.body, assumptions, release)
    people = _representatives(asked, named, len(instance.people), release)
    # counted before the first is asked
    many = len(people) ** len(instance.people)
    for binder in instance.clauses:
        many *= size(binder, release.signature)
    if many > INSTANCES:
        raise TooLarge(f"never_known asks {many} questions (at most {INSTANCES})")

    names = [variable.name for variable in instance.people]
    for chosen in product(people, repeat=len(names)):
        who: Substitution = dict(zip(names, chosen, strict=True))
        for clauses in assignments(instance.clauses, release.signature):
            yield who | clauses


def _classes_asked(
    instance: Instance,
    phi: s.Formula,
    assumptions: s.Formulas,
    release: SymbolicRelease,
) -> Bools:
    """The classes whose people are asked about: all, unless phi says something ground
    of each.
    """
    if isinstance(phi, s.At) and phi.name in instance.people and is_ground(phi.body):
        return _telling_classes(phi.body, assumptions, release)
    return np.ones(release.quotient.classes, dtype=bool)


def _telling_classes(
    phi: s.Formula, assumptions: s.Formulas, release: SymbolicRelease
) -> Bools:
    """The classes whose people are asked about a ground formula.

    One where it is true throughout, if there is one (that settles it), else those that
    an assumption touches, and one where it is true somewhere, for an example.
    """
    truth = release.ground.truth(phi)
    starts = release.quotient.starts[:-1]
    throughout = np.logical_and.reduceat(truth, starts)
    somewhere = np.logical_or.reduceat(truth, starts)
    asked = np.zeros(release.quotient.classes, dtype=bool)
    if throughout.any():
        asked[np.argmax(throughout)] = True
        return asked
    people, _ = mentioned(list(assumptions))
    asked[[release.class_of(person) for person in people]] = True
    asked[np.argmax(somewhere)] = True
    return asked


def _representatives(
    asked: Bools, named: set[s.Person], count: int, release: SymbolicRelease
) -> list[s.Person]:
    """Everyone who is named, and of each class so many others as there are
    variables.
    """
    if not count:
        return []
    numbers = {person.index for person in named}
    own = [person for person in named if asked[release.class_of(person)]]
    # A set has no order: without one, runs would ask in different orders.
    own.sort(key=lambda person: person.index)
    others: list[s.Person] = []
    for index in np.flatnonzero(asked).tolist():
        # Even if all who are named were among them, enough others are left.
        members = release.people_of_class(index, len(numbers) + count)
        unnamed = [release.signature.person(i) for i in members if i not in numbers]
        others += unnamed[:count]
    return [*own, *others]


def leak_of_known(
    instance: Instance,
    phi: s.Formula,
    chosen: Substitution,
    placed: Mapping[int, int],
    release: SymbolicRelease,
) -> Leak:
    """The leak of a formula that is known.

    The model shown is one of those that are left: phi is true in all of them.
    """
    people = {}
    clauses = {}
    for name, value in chosen.items():
        if isinstance(value, s.Person):
            people[name] = value
        elif isinstance(value, s.Formula):
            clauses[name] = _clause_values(value)
    numbers = {name: person.index + 1 for name, person in people.items()}
    path = chosen_path(instance.path, {**numbers, **clauses})
    said = bindings(instance)
    for name, person in people.items():
        said[said_name(name)] = individual(release.signature, person)
    place = _with_everyone_named(phi, placed, release)
    return Leak(s.NeverKnown(phi), place, 0, said, path)


def _with_everyone_named(
    phi: s.Formula, placed: Mapping[int, int], release: SymbolicRelease
) -> dict[int, int]:
    """The placement, with whoever else phi names on the first free row of the own
    class.
    """
    place = dict(placed)
    named, _ = mentioned([phi])
    in_order = sorted(named, key=lambda person: person.index)
    for person in in_order:
        index = person.index
        if index in place:
            continue
        own_class = release.class_of(person)
        rows = release.rows_of_class(own_class).tolist()
        taken = set(place.values())
        # a class has at least as many rows as individuals: one of them is free
        free = (row for row in rows if row not in taken)
        place[index] = next(free)
    return place


def _clause_values(clause: s.Formula) -> Labels:
    """The values of a clause."""
    if not isinstance(clause, s.Descriptor):
        return ()
    return tuple(s.texts(clause))
