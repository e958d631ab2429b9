"""Chains of exclusive ors are counted: a system has the solutions that the chain has."""

import itertools

import pytest

from phverify.spec import parities
from phverify.spec import system as systems
from phverify.spec.system import TRUE, Literal, Terms, system


def exclusive_or(terms: Terms, left: Literal, right: Literal) -> Literal:
    both = terms.conj((left, right))
    neither = terms.conj((-left, -right))
    return terms.conj((-both, -neither))


def solutions(made: systems.System, names: list[str]) -> set[tuple[int, ...]]:
    """What the named unknowns are in the solutions."""
    places = [made.names.index(name) for name in names]
    solved = set()
    for point in itertools.product((0, 1), repeat=len(made.names)):
        sums = []
        for parts, constant in made.constraints:
            sums.append(constant + sum(c * point[v] for c, v in parts))
        if min(sums) >= 0:
            solved.add(tuple(point[place] for place in places))
    return solved


@pytest.mark.parametrize("count", range(2, 8))
@pytest.mark.parametrize("odd", [True, False])
@pytest.mark.parametrize("negated", [True, False])
def test_the_solutions_are_those_of_the_parity(
    count: int, odd: bool, negated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parities, "LONG_PARITY", 2)
    monkeypatch.setattr(systems, "CHAINED", 0)
    terms = Terms()
    names = [f"x{number}" for number in range(count)]
    first, *others = map(terms.unknown, names)
    chain = -first if negated else first
    for other in others:
        chain = exclusive_or(terms, chain, other)
    made = system(terms, [chain if odd else -chain])
    assert made is not None
    right = set()
    for point in itertools.product((0, 1), repeat=count):
        if (sum(point) + negated) % 2 == odd:
            right.add(point)
    assert solutions(made, names) == right
    # One unknown for the chain and few digits: no compound term inside it.
    assert len(made.names) <= count + 1 + 3


def test_what_occurs_twice_cancels_out() -> None:
    terms = Terms()
    first, second, third = map(terms.unknown, "abc")
    inner = exclusive_or(terms, first, second)
    chain = exclusive_or(terms, inner, exclusive_or(terms, -second, third))
    assert parities.Chains(terms).of(chain) == {TRUE, first, third}
