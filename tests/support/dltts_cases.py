"""What the tests of dltts have in common."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from phverify.disclosure.connectives import Formula, Not
from phverify.disclosure.dltts.knowledge import Atom, FiniteWorlds, Tag
from phverify.disclosure.dltts.system import (
    Branch,
    System,
    Transition,
    build,
)
from phverify.mechanisms.epsilon import epsilon

F = Fraction


TWO_THIRDS = F(2, 3)


# Example 1.  A world says on which line John is, and which viral infection lines 4 and
# 5 stand for.
Hospital = tuple[int, str, str]


COVID = Atom("ailment", ("John", "CoVid"))


NO_FLU = Not(Atom("line", (5, "Flu")))


def on_line(number: int) -> Atom:
    return Atom("on", ("John", f"l{number}"))


def hospital_truth(world: Hospital, atom: Atom) -> bool:
    line, fourth, fifth = world
    viral = {2: "Cancer", 4: fourth, 5: fifth}
    match atom:
        case Atom("on", ("John", name)):
            return name == f"l{line}"
        case Atom("line", (int(number), ailment)):
            return viral[number] == ailment
        case Atom("ailment", ("John", ailment)):
            return viral[line] == ailment
    raise AssertionError(atom)


HOSPITAL_WORLDS = tuple(product((2, 4, 5), ("Flu", "CoVid"), ("Flu", "CoVid")))


def hospital(
    public: Tag = frozenset({NO_FLU}),
    eps: str | None = None,
    fifth: Fraction = TWO_THIRDS,
) -> System:
    if eps is not None:
        pytest.importorskip("flint")
    ailments = [Atom("ailment", ("John", name)) for name in ("Cancer", "Flu", "CoVid")]
    knowledge = FiniteWorlds(
        HOSPITAL_WORLDS, hospital_truth, public, (*ailments, *map(Not, ailments))
    )
    chances = {2: F(0), 4: 1 - fifth, 5: fifth}
    branches = tuple(
        Branch(f"s{n}", p, frozenset({on_line(n)})) for n, p in chances.items()
    )
    query = Transition("start", "ask for men", branches)
    return build(
        "start", [query], knowledge, [COVID], epsilon(eps) if eps is not None else None
    )


# Example 2.  A world gives the five balances.
BALANCES = {"Claude": 320, "Paul": 270, "Jean": 420, "Martin": 150, "Michel": 420}


def sure(source: str, action: str, target: str, *answer: Formula) -> Transition:
    return Transition(source, action, (Branch(target, F(1), frozenset(answer)),))
