"""Transition systems with tags: the paper's examples with their numbers, schedulers
against enumeration, pictures.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_audit_distances import HOSPITAL, JOHN, L2, L4, L5

from phverify.disclosure.connectives import (
    Conjunction,
    Disjunction,
    Negation,
    Proposition,
)
from phverify.disclosure.dltts.drawing import svg
from phverify.disclosure.dltts.knowledge import TRUE, Atom, FiniteWorlds, Tag, judged
from phverify.disclosure.dltts.picture import dot, quoted
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
    TaggedSystem,
    Transition,
    build,
    published,
)
from phverify.disclosure.facts.distances import Row
from phverify.errors import InputError
from phverify.mechanisms.epsilon import epsilon

F = Fraction
TWO_THIRDS = F(2, 3)

# Example 1.  A world says on which line John is, and which viral infection lines 4 and
# 5 stand for.
Hospital = tuple[int, str, str]
LINES: Mapping[str, Row] = {"l2": L2, "l4": L4, "l5": L5}
COVID = Atom("ailment", ("John", "CoVid"))
NO_FLU = Negation(Atom("line", (5, "Flu")))


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
) -> TaggedSystem:
    if eps is not None:
        pytest.importorskip("flint")
    ailments = [Atom("ailment", ("John", name)) for name in ("Cancer", "Flu", "CoVid")]
    knowledge = FiniteWorlds(
        HOSPITAL_WORLDS, hospital_truth, public, (*ailments, *map(Negation, ailments))
    )
    chances = {2: F(0), 4: 1 - fifth, 5: fifth}
    branches = tuple(
        Branch(f"s{n}", p, frozenset({on_line(n)})) for n, p in chances.items()
    )
    query = Transition("start", "ask for men", branches)
    return build(
        "start", [query], knowledge, [COVID], epsilon(eps) if eps is not None else None
    )


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


# Example 2.  A world gives the five balances.
BALANCES = {"Claude": 320, "Paul": 270, "Jean": 420, "Martin": 150, "Michel": 420}
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


def sure(source: str, action: str, target: str, *answer: Proposition) -> Transition:
    return Transition(source, action, (Branch(target, F(1), frozenset(answer)),))


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
        frozenset({Disjunction((Atom("a"), Atom("b")))}),
    )
    assert judged(knowledge, tag, secrets) == "violated"
    assert not any(knowledge.deduced(tag, secret) for secret in secrets)
    assert judged(knowledge, frozenset({TRUE}), secrets) == "open"
    assert judged(knowledge, tag, ()) == "open"
    assert (
        str(Conjunction((Negation(Atom("a")), Disjunction(())))) == "(not a and false)"
    )


# Random systems against all deterministic schedulers, run by run.
SECRET = Atom("is", (0,))


@st.composite
def systems(draw: st.DrawFn) -> TaggedSystem:
    """A random tree of depth up to 3: worlds 0..3, each branch excludes some."""
    vocabulary = tuple(Negation(Atom("is", (k,))) for k in range(4))
    knowledge = FiniteWorlds(
        tuple(range(4)),
        lambda world, atom: world in atom.arguments,
        frozenset(),
        vocabulary,
    )
    transitions: list[Transition] = []
    level, count = ["s"], 0
    for _ in range(draw(st.integers(1, 3))):
        below: list[str] = []
        for name in level[:3]:
            for action in draw(st.sampled_from([("a",), ("a", "b"), ()])):
                weights = draw(
                    st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(any)
                )
                names = [f"t{count + k}" for k in range(len(weights))]
                count += len(weights)
                below += names
                subsets = [
                    tuple(draw(st.sets(st.integers(0, 3), min_size=0, max_size=3)))
                    for _ in weights
                ]
                branches = [
                    Branch(n, F(w, sum(weights)), frozenset({Atom("is", s)}))
                    for n, w, s in zip(names, weights, subsets, strict=True)
                ]
                transitions.append(Transition(name, action, tuple(branches)))
        level = below
    return build(
        "s",
        transitions,
        knowledge,
        [SECRET],
        draw(st.sampled_from([None, epsilon("ln(2)")])),
    )


def schedulers(system: TaggedSystem) -> Iterator[dict[str, str]]:
    open_states = [s for s in system.states.values() if len(s.moves) > 1]
    for actions in product(*([m.action for m in s.moves] for s in open_states)):
        yield {s.name: action for s, action in zip(open_states, actions, strict=True)}


@given(systems())
def test_bounds_against_all_schedulers(system: TaggedSystem) -> None:
    every = []
    for scheduler in schedulers(system):
        all_runs = list(runs(system, scheduler))
        fails = sum((run.probability for run in all_runs if run.end == "fail"), F(0))
        ends = outcomes(system, scheduler)
        assert (
            sum((run.probability for run in all_runs), F(0)) == 1 == sum(ends.values())
        )
        assert ends["fail"] == fails == probabilities(system, scheduler)[FAIL]
        every.append(
            (
                fails,
                max(
                    (run.probability for run in all_runs if run.end == "fail"),
                    default=None,
                ),
            )
        )
    found = violation(system)
    assert (found.least, found.most) == (
        min(f for f, _ in every),
        max(f for f, _ in every),
    )
    assert outcomes(system, found.safest)["fail"] == found.least
    assert outcomes(system, found.worst)["fail"] == found.most
    longest = max((p for _, p in every if p is not None), default=None)
    run = likeliest(system)
    assert (run.probability if run else None) == longest


@given(systems())
def test_tags_grow_and_the_oracle_is_consistent(system: TaggedSystem) -> None:
    for state in system.states.values():
        said = {n for f in state.tag if isinstance(f, Atom) for n in f.arguments}
        worlds = [
            w
            for w in range(4)
            if all(w in f.arguments for f in state.tag if isinstance(f, Atom))
        ]
        plain = "impossible" if not worlds else "violated" if worlds == [0] else "open"
        assert {
            k for k in range(4) if Negation(Atom("is", (k,))) in state.saturated
        } == set(range(4)) - set(worlds)
        assert state.status == plain or (state.status, plain) == ("near", "open"), said
        for move in state.moves:
            for branch in move.branches:
                if branch.target != FAIL:
                    assert system.states[branch.target].tag >= state.saturated


def half(source: str, action: str, *targets: str) -> Transition:
    return Transition(
        source, action, tuple(Branch(t, F(1, len(targets))) for t in targets)
    )


def with_answers(
    source: str, action: str, target: str, *answer: Proposition
) -> Transition:
    return sure(source, action, target, *answer)


@pytest.mark.parametrize(
    ("transitions", "message"),
    [
        (
            [Transition("s", "a", (Branch("t", F(1, 2)),))],
            "the probabilities sum to 1/2, not 1",
        ),
        (
            [Transition("s", "a", (Branch("t", F(3, 2)), Branch("u", F(-1, 2))))],
            "a probability is negative",
        ),
        ([half("s", "a", "t"), half("s", "a", "u")], "there are two such transitions"),
        ([half("s", "a", "t", "t")], "two branches lead to one state"),
        (
            [half("s", "a", "t"), half("t", "a", "u"), half("u", "a", "t")],
            "form a cycle",
        ),
        ([half("s", "a", FAIL)], "only the oracle moves to"),
        ([half("s", VIOLATION, "t")], "only the oracle moves to"),
        ([half("s", "a", "t"), half(FAIL, "a", "t")], "no transition leaves"),
        (
            [
                half("s", "a", "t", "u"),
                sure("t", "a", "v", Atom("is", (0, 1))),
                half("u", "a", "v"),
            ],
            r"'v'.*two tags, which differ in is\(0, 1\)",
        ),
    ],
)
def test_bad_systems_are_told(transitions: Sequence[Transition], message: str) -> None:
    knowledge = FiniteWorlds(
        tuple(range(4)), lambda world, atom: world in atom.arguments
    )
    with pytest.raises(InputError, match=message):
        build("s", transitions, knowledge, [SECRET])


def test_a_successor_named_like_the_initial_state() -> None:
    """Slip: Example 1 calls both the initial state and a successor s0, whose tags
    differ.
    """
    knowledge = FiniteWorlds(HOSPITAL_WORLDS, hospital_truth)
    with pytest.raises(InputError, match="leads to the initial state 's0'"):
        build("s0", [half("s0", "ask", "s0", "s1", "s2")], knowledge, [COVID])


def test_states_may_be_shared_when_their_tags_agree() -> None:
    knowledge = FiniteWorlds(
        tuple(range(4)), lambda world, atom: world in atom.arguments
    )
    diamond = [half("s", "a", "t", "u"), half("t", "a", "v"), half("u", "a", "v")]
    system = build("s", diamond, knowledge, [SECRET])
    assert probabilities(system, {})["v"] == 1 and len(list(runs(system, {}))) == 2


def test_what_might_have_been_said_on_any_way_to_a_state() -> None:
    """On one way to x the answer that gives the secret away is indistinguishable, on
    the other there is none.
    """
    knowledge = FiniteWorlds(
        tuple(range(4)), lambda world, atom: world in atom.arguments
    )
    said, secret = frozenset({Atom("is", (0, 1))}), frozenset({SECRET})
    likely = Transition(
        "s", "a", (Branch("x", F(1, 2), said), Branch("y", F(1, 2), secret))
    )
    certain = Transition("s", "b", (Branch("x", F(1), said),))
    for moves in ([likely, certain], [certain, likely]):
        assert (
            build("s", moves, knowledge, [SECRET], epsilon("0")).states["x"].status
            == "near"
        )
        assert build("s", moves, knowledge, [SECRET]).states["x"].status == "open"


def test_schedulers_are_checked() -> None:
    knowledge = FiniteWorlds(
        tuple(range(4)), lambda world, atom: world in atom.arguments
    )
    system = build(
        "s", [half("s", "ask", "t"), half("s", "wait", "u")], knowledge, [SECRET]
    )
    with pytest.raises(InputError, match="does not say what fires"):
        probabilities(system, {})
    with pytest.raises(InputError, match="names the action 'aks'"):
        list(runs(system, {"s": "aks"}))


def test_the_picture_in_words() -> None:
    system = hospital()
    text = dot(system, {"start": None, "s4": F(6, 5)}, probabilities(system, {}))
    assert text.startswith("digraph dltts {") and text.endswith("}\n")
    assert 'label="s5\\non(John, l5)\\nSECRET: ailment(John, CoVid)\\n' in text
    assert "violated\\ndistance: nothing comparable\\nprobability 2/3" in text
    assert "distance 6/5" in text and '[label="2/3"]' in text and "style=dashed" in text
    assert (
        'fail [label="fail\\nprobability 2/3"' in text
        and f'[label="{VIOLATION}"]' in text
    )
    assert quoted('a"b\\N\n') == '"a\\"b\\\\N\\n"'


def test_the_picture_as_svg() -> None:
    system = hospital()
    root = ElementTree.fromstring(svg(system, None, probabilities(system, {})))
    words = [element.text for element in root.iter() if (element.text or "").strip()]
    said = {"start", "violation", "2/3", "on(John, l5)", "probability 2/3", "fail"}
    assert said <= set(words)
    assert "SECRET: ailment(John, CoVid)" in words
    assert "so: not ailment(John, CoVid)" in words
    dashed = [element for element in root.iter() if element.get("stroke-dasharray")]
    assert len(dashed) == 1  # the branch of probability 0


def test_boxes_of_a_picture_do_not_overlap() -> None:
    root = ElementTree.fromstring(svg(hospital()))
    boxes = [
        [float(element.attrib[name]) for name in ("x", "y", "width", "height")]
        for element in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    frames = boxes[:-1]  # the last one doubles the frame of *fail*
    for number, (left, top, width, height) in enumerate(frames):
        for other_left, other_top, other_width, other_height in frames[:number]:
            beside = left >= other_left + other_width or other_left >= left + width
            below = top >= other_top + other_height or other_top >= top + height
            assert beside or below
