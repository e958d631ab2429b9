"""Transition systems with tags: random systems against all schedulers, and their picture."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.dltts_cases import (
    COVID,
    HOSPITAL_WORLDS,
    F,
    hospital,
    hospital_truth,
    sure,
)

from phverify.disclosure.connectives import Not
from phverify.disclosure.dltts.knowledge import Atom, FiniteWorlds
from phverify.disclosure.dltts.picture import dot, quoted, svg
from phverify.disclosure.dltts.schedulers import (
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
    System,
    Transition,
    build,
)
from phverify.errors import InputError
from phverify.mechanisms.epsilon import epsilon

# Random systems against all deterministic schedulers, run by run.
SECRET = Atom("is", (0,))


@st.composite
def systems(draw: st.DrawFn) -> System:
    """A random tree of depth up to 3: worlds 0..3, each branch excludes some."""
    vocabulary = tuple(Not(Atom("is", (k,))) for k in range(4))
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


def schedulers(system: System) -> Iterator[dict[str, str]]:
    open_states = [s for s in system.states.values() if len(s.moves) > 1]
    for actions in product(*([m.action for m in s.moves] for s in open_states)):
        yield {s.name: action for s, action in zip(open_states, actions, strict=True)}


@given(systems())
def test_bounds_against_all_schedulers(system: System) -> None:
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
def test_tags_grow_and_the_oracle_is_consistent(system: System) -> None:
    for state in system.states.values():
        said = {n for f in state.tag if isinstance(f, Atom) for n in f.arguments}
        worlds = [
            w
            for w in range(4)
            if all(w in f.arguments for f in state.tag if isinstance(f, Atom))
        ]
        plain = "impossible" if not worlds else "violated" if worlds == [0] else "open"
        assert {k for k in range(4) if Not(Atom("is", (k,))) in state.saturated} == set(
            range(4)
        ) - set(worlds)
        assert state.status == plain or (state.status, plain) == ("near", "open"), said
        for move in state.moves:
            for branch in move.branches:
                if branch.target != FAIL:
                    assert system.states[branch.target].tag >= state.saturated


def half(source: str, action: str, *targets: str) -> Transition:
    return Transition(
        source, action, tuple(Branch(t, F(1, len(targets))) for t in targets)
    )


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
    assert 'label="s5\\non(John, l5)\\nso: ailment(John, CoVid)\\n' in text
    assert "violated\\ndistance: nothing comparable\\nprobability 2/3" in text
    assert "distance 6/5" in text and '[label="2/3"]' in text and "style=dashed" in text
    assert (
        'fail [label="fail\\nprobability 2/3"' in text
        and f'[label="{VIOLATION}"]' in text
    )
    assert quoted('a"b\\N\n') == '"a\\"b\\\\N\\n"'


def test_the_picture_as_svg() -> None:
    drawn = svg(dot(hospital()))
    if shutil.which("dot") is None:
        assert drawn is None
        return
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    words = {
        element.text for element in root.iter() if element.text and element.text.strip()
    }
    assert {"start", "violation", "2/3", "on(John, l5)"} <= words


def test_a_missing_or_failing_graphviz_gives_no_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert svg("digraph {}") is None
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    assert svg("digraph {}") is None
    program.write_text("#!/bin/sh\necho '<svg/>'\n", encoding="utf-8")
    assert svg("digraph {}") == "<svg/>\n"
