"""A DLTTS as a picture: Graphviz DOT, and SVG where Graphviz is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from fractions import Fraction

from phverify.disclosure.dltts.knowledge import TRUE
from phverify.disclosure.dltts.system import FAIL, State, System, Transition

_COLOURS = {
    "open": "white",
    "violated": "#f4b6b6",
    "near": "#f9dcb0",
    "impossible": "#d9d9d9",
    "undecided": "#cfdcf2",
}


Distances = Mapping[str, Fraction | None]
Probabilities = Mapping[str, Fraction]


def dot(
    system: System,
    distances: Distances | None = None,
    probabilities: Probabilities | None = None,
) -> str:
    """DOT text: a box for each state with its tag, what it lets deduce, the oracle's
    word, distance and probability.

    ``distances`` come from ``dltts.published``, ``probabilities`` from
    ``schedulers.probabilities``; both optional.
    """
    lines = [
        "digraph dltts {",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled", fillcolor=white];',
    ]
    ids = {
        FAIL: FAIL,
        **{name: f"s{number}" for number, name in enumerate(system.states)},
    }
    moves = [
        (state, number, move)
        for state in system.states.values()
        for number, move in enumerate(state.moves)
    ]
    for name, state in system.states.items():
        text = "\n".join(_label(state, distances, probabilities))
        lines.append(
            f"  {ids[name]} [label={quoted(text)},"
            f" fillcolor={quoted(_COLOURS[state.status])}];"
        )
    if any(branch.target == FAIL for _, _, move in moves for branch in move.branches):
        text = "\n".join([FAIL, *_probability(FAIL, probabilities)])
        lines.append(
            f"  {FAIL} [label={quoted(text)}, shape=doublecircle, style=filled,"
            ' fillcolor="#f4b6b6"];'
        )
    for state, number, move in moves:
        lines += _edges(move, f"{ids[state.name]}m{number}", ids)
    return "\n".join([*lines, "}", ""])


def _label(
    state: State, distances: Distances | None, probabilities: Probabilities | None
) -> Iterator[str]:
    yield state.name
    yield from sorted(map(str, state.tag - {TRUE}))
    yield from sorted(f"so: {formula}" for formula in state.saturated - state.tag)
    if state.status != "open":
        yield "violated up to eps" if state.status == "near" else state.status
    if distances is not None:
        found = distances.get(state.name)
        yield "distance: nothing comparable" if found is None else f"distance {found}"
    yield from _probability(state.name, probabilities)


def _probability(name: str, probabilities: Probabilities | None) -> list[str]:
    return (
        []
        if probabilities is None
        else [f"probability {probabilities.get(name, Fraction(0))}"]
    )


def _edges(move: Transition, point: str, ids: Mapping[str, str]) -> Iterator[str]:
    """One arrow for a certain move; otherwise an arrow to a point, and one for each
    branch from there.
    """
    source, action = ids[move.source], quoted(move.action)
    if len(move.branches) == 1:
        yield f"  {source} -> {ids[move.branches[0].target]} [label={action}];"
        return
    yield f'  {point} [shape=point, label=""];'
    yield f"  {source} -> {point} [label={action}, arrowhead=none];"
    for branch in move.branches:
        dashed = ", style=dashed" if branch.probability == 0 else ""
        yield (
            f"  {point} -> {ids[branch.target]}"
            f" [label={quoted(str(branch.probability))}{dashed}];"
        )


def quoted(text: str) -> str:
    """A DOT string; line breaks stay line breaks."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + plain.replace("\r", "").replace("\n", "\\n") + '"'


def svg(text: str, seconds: float = 30) -> str | None:
    """The picture as SVG, drawn by Graphviz's ``dot``; None where it is not installed
    or does not finish.
    """
    program = shutil.which("dot")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=text.encode(),
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return None
    return done.stdout.decode()
