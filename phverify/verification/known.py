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

from collections.abc import Iterator
from itertools import product

import numpy as np

from phverify.exact import Bools
from phverify.spec import syntax as s
from phverify.spec.instances import INSTANCES, Instance, TooLarge
from phverify.spec.nominals import mentioned
from phverify.spec.schemas import Substitution, assignments, size
from phverify.spec.walk import is_ground
from phverify.symbolic.release import Release


def possible(
    instance: Instance, release: Release, assumptions: s.Formulas
) -> Iterator[Substitution]:
    """The values of an instance's variables that answer for all: representative
    individuals, and every clause.

    Individuals of whom it is certain that nothing is known are left out.  Raises
    TooLarge.
    """
    body = instance.body
    assert isinstance(body, s.NeverKnown)
    named = mentioned([body.body, *assumptions])[0]
    asked = np.ones(release.quotient.classes, dtype=bool)
    if (
        isinstance(body.body, s.At)
        and body.body.name in instance.people
        and is_ground(body.body.body)
    ):
        asked = _asked(body.body.body, assumptions, release)
    people = _representatives(asked, named, len(instance.people), release)
    many = len(people) ** len(instance.people)
    for binder in instance.clauses:
        many *= size(binder, release.signature)
    if many > INSTANCES:
        raise TooLarge(f"never_known asks {many} questions (at most {INSTANCES})")
    for chosen in product(people, repeat=len(instance.people)):
        who: Substitution = {
            var.name: person
            for var, person in zip(instance.people, chosen, strict=True)
        }
        for clauses in assignments(instance.clauses, release.signature):
            yield who | clauses


def _asked(phi: s.Formula, assumptions: s.Formulas, release: Release) -> Bools:
    """The classes whose people are asked about a ground formula.

    One where it is true throughout, if there is one (that settles it), else those that
    an assumption touches, and one where it is true somewhere, for an example.
    """
    truth, starts = release.ground.truth(phi), release.quotient.starts[:-1]
    throughout, somewhere = (
        np.logical_and.reduceat(truth, starts),
        np.logical_or.reduceat(truth, starts),
    )
    asked = np.zeros(release.quotient.classes, dtype=bool)
    if throughout.any():
        asked[np.argmax(throughout)] = True
    else:
        asked[
            [release.class_of(person) for person in mentioned(list(assumptions))[0]]
        ] = True
        asked[np.argmax(somewhere)] = True
    return asked


def _representatives(
    asked: Bools, named: set[s.Person], count: int, release: Release
) -> list[s.Person]:
    """Everyone who is named, and of each class so many others as there are
    variables.
    """
    if not count:
        return []
    own = [person for person in named if asked[release.class_of(person)]]
    numbers = {person.index for person in named}
    others: list[s.Person] = []
    for index in np.flatnonzero(asked).tolist():
        members = release.people_of_class(index, len(numbers) + count)
        others += [release.signature.person(i) for i in members if i not in numbers][
            :count
        ]
    return [*sorted(own, key=lambda person: person.index), *others]
