"""Transition systems with tags: the paper's examples with their numbers, schedulers
against enumeration, pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from support.audit_distances_cases import HOSPITAL, JOHN, L2, L4, L5
from support.dltts_cases import (
    BALANCES,
    COVID,
    F,
    hospital,
    on_line,
    sure,
)

from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
)
from phverify.disclosure.dltts.knowledge import TRUE, Atom, FiniteWorlds, Tag, judged
from phverify.disclosure.dltts.schedulers import (
    Run,
    likeliest,
    outcomes,
    probabilities,
    runs,
    violation,
)
from phverify.disclosure.dltts.system import (
    FAIL,
    VIOLATION,
    Branch,
    Transition,
    build,
    published,
)
from phverify.disclosure.facts.distances import Row
from phverify.mechanisms.epsilon import epsilon

LINES: Mapping[str, Row] = {"l2": L2, "l4": L4, "l5": L5}


def test_example_1() -> None:
    """Branches 0, 1/3, 2/3; the policy is violated on the branch of l5: probability
    2/3.
    """
    system = hospital()
    assert [s.status for s in system.states.values()] == [
        "open",
        "open",
        "open",
        "violated",
    ]
    found = violation(system)
    assert found.least == found.most == F(2, 3)
    assert found.likeliest == Run(
        ("start", "s5", FAIL), ("ask for men", VIOLATION), F(2, 3), "fail"
    )
    assert (
        COVID in system.states["s5"].saturated and COVID not in system.states["s5"].tag
    )
    assert Negation(COVID) in system.states["s2"].saturated
    assert system.states["start"].tag == {TRUE} and system.states["s5"].tag >= {
        on_line(5)
    }
    assert [m.action for m in system.states["s5"].moves] == [VIOLATION]
    assert list(runs(system, {})) == [
        Run(("start", "s4"), ("ask for men",), F(1, 3), "end"),
        Run(("start", "s5", FAIL), ("ask for men", VIOLATION), F(2, 3), "fail"),
    ]
    assert probabilities(system, {}) == {
        "start": 1,
        "s2": 0,
        "s4": F(1, 3),
        "s5": F(2, 3),
        FAIL: F(2, 3),
    }


def test_what_never_happens_is_no_run() -> None:
    """A violated state on a branch of probability 0: nothing is violated, and there is
    no likeliest run.
    """
    system = hospital(fifth=F(0))
    assert system.states["s5"].status == "violated"
    assert violation(system).most == 0 and likeliest(system) is None


def test_example_1_needs_the_public_fact() -> None:
    """Without what rules out Flu for l5, nothing is violated: John may have either."""
    found = violation(hospital(public=frozenset()))
    assert (found.least, found.most, found.likeliest) == (0, 0, None)


def test_example_1bis_distances_are_published() -> None:
    """The oracle's second role: l5's state is nearest to the target, then l4's, then
    l2's.
    """

    def row_of(formula: Proposition) -> Row | None:
        return (
            LINES[str(formula.arguments[1])]
            if isinstance(formula, Atom) and formula.predicate == "on"
            else None
        )

    found = published(hospital(), HOSPITAL, [JOHN], row_of)
    assert found["start"] is None
    far, middle, near = found["s2"], found["s4"], found["s5"]
    assert far is not None and middle is not None and near is not None
    assert near < middle < far and (near, far) == (
        F(10, 11) + F(1, 5),
        F(10, 11) + F(3, 5),
    )


def test_violation_up_to_epsilon() -> None:
    """1/3 and 2/3 are ln(2)-indistinguishable: with eps = ln(2) the branch of l4 is
    near, and fails too.
    """
    system = hospital(eps="ln(2)")
    assert system.states["s4"].status == "near" and system.states["s2"].status == "open"
    assert violation(system).least == 1
    below = hospital(eps="ln(2) - 1/1000000")
    assert below.states["s4"].status == "open" and violation(below).most == F(2, 3)
    turned = hospital(
        eps="ln(2) - 1/1000000", fifth=F(1, 3)
    )  # indistinguishable means in both directions
    assert turned.states["s4"].status == "open" and violation(turned).most == F(1, 3)


def test_epsilon_zero_is_not_no_epsilon() -> None:
    """Slip: by Definition 3 outputs of equal probability are 0-indistinguishable, so
    0-violation is weaker.
    """
    knowledge = FiniteWorlds(
        (0, 1), lambda world, atom: atom.arguments == (world,), frozenset(), ()
    )
    halves = tuple(
        Branch(f"s{k}", F(1, 2), frozenset({Atom("is", (k,))})) for k in (0, 1)
    )
    query, secret = Transition("start", "ask", halves), [Atom("is", (1,))]
    assert violation(build("start", [query], knowledge, secret)).most == F(1, 2)
    assert violation(build("start", [query], knowledge, secret, epsilon(0))).most == 1


BANK_WORLDS = tuple(
    dict(zip(BALANCES, w, strict=True))
    for w in product((150, 270, 320, 420, 500), repeat=5)
)


JEAN = Atom("at least", ("Jean", 420))


def bank_truth(world: Mapping[str, int], atom: Atom) -> bool:
    match atom:
        case Atom("sum", (total,)):
            return sum(world.values()) == total
        case Atom("sum without", (str(name), total)):
            return sum(v for n, v in world.items() if n != name) == total
        case Atom("balance", (str(name), value)):
            return world[name] == value
        case Atom("at least", (str(name), int(value))):
            return world[name] >= value
        case Atom("total at least", (int(value),)):
            return sum(world.values()) >= value
    raise AssertionError(atom)


def bank(public: Tag = frozenset()) -> FiniteWorlds[Mapping[str, int]]:
    vocabulary = (
        JEAN,
        *(Atom("balance", ("Jean", v)) for v in (150, 270, 320, 420, 500)),
    )
    return FiniteWorlds(BANK_WORLDS, bank_truth, public, vocabulary)


def test_example_2_two_sums() -> None:
    """SUM over all is 1580, without Jean 1160: Jean has 420.  Either sum alone is
    harmless: a scheduler decides.
    """
    assert sum(BALANCES.values()) == 1580
    total, others = Atom("sum", (1580,)), Atom("sum without", ("Jean", 1160))
    moves = [
        sure("start", "sum of all", "one", total),
        sure("one", "sum without Jean", "two", others),
        sure("one", "sum of all again", "same", total),
    ]
    system = build("start", moves, bank(), [JEAN])
    assert [s.status for s in system.states.values()] == [
        "open",
        "open",
        "violated",
        "open",
    ]
    assert {JEAN, Atom("balance", ("Jean", 420))} <= system.states["two"].saturated
    found = violation(system)
    assert (found.least, found.most) == (0, 1)
    assert found.safest == {"one": "sum of all again"} and found.worst == {
        "one": "sum without Jean"
    }
    assert outcomes(system, found.worst) == {"fail": 1, "impossible": 0, "end": 0}


def test_example_2_minimum_total() -> None:
    """Table 5' lists everyone but Jean; the published minimum total gives Jean >= 420,
    and nothing does without.
    """
    listed = [Atom("balance", (n, v)) for n, v in BALANCES.items() if n != "Jean"]
    query = sure("start", "list clients", "listed", *listed)
    minimum = frozenset({Atom("total at least", (1580,))})
    assert violation(build("start", [query], bank(minimum), [JEAN])).least == 1
    assert violation(build("start", [query], bank(), [JEAN])).most == 0


def test_impossible_is_not_violated() -> None:
    """Contradictory answers: everything follows from them, and yet no policy is
    violated.
    """
    contradiction = sure(
        "start", "ask", "no world", Atom("sum", (1580,)), Atom("sum", (1581,))
    )
    system = build("start", [contradiction], bank(), [JEAN])
    assert (
        system.states["no world"].status == "impossible"
        and system.states["no world"].moves == ()
    )
    assert violation(system).most == 0
    assert outcomes(system, {}) == {"fail": 0, "impossible": 1, "end": 0}
    assert [run.end for run in runs(system, {})] == ["impossible"]


def test_a_policy_is_violated_by_a_disjunction_of_secrets() -> None:
    """Every world left contains a secret, none of them surely: tag and all negations
    are inconsistent.
    """
    knowledge = FiniteWorlds(
        ("a", "b", "c"), lambda world, atom: atom.predicate == world
    )
    secrets, tag = (
        (Atom("a"), Atom("b")),
        frozenset({AnyOf((Atom("a"), Atom("b")))}),
    )
    assert judged(knowledge, tag, secrets) == "violated"
    assert not any(knowledge.deduced(tag, secret) for secret in secrets)
    assert judged(knowledge, frozenset({TRUE}), secrets) == "open"
    assert judged(knowledge, tag, ()) == "open"
    assert str(AllOf((Negation(Atom("a")), AnyOf(())))) == "(not a and false)"
