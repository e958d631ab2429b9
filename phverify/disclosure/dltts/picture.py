"""A DLTTS as a picture: Graphviz DOT, and SVG where Graphviz is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from fractions import Fraction

from phverify.disclosure.dltts.knowledge import TRUE, Tag
from phverify.disclosure.dltts.system import FAIL, State, System, Transition

_COLOURS = {"open": "white", "violated": "#f4b6b6", "near": "#f9dcb0", "impossible": "#d9d9d9", "undecided": "#cfdcf2"}


def dot(
    system: System,
    distances: Mapping[str, Fraction | None] | None = None,
    probabilities: Mapping[str, Fraction] | None = None,
) -> str:
    """DOT text: a box for each state with its tag, what it lets deduce, the oracle's word, distance and probability.

    ``distances`` come from ``dltts.published``, ``probabilities`` from ``schedulers.probabilities``; both optional.
    """
    lines = ["digraph dltts {", "  rankdir=LR;", '  node [shape=box, style="rounded,filled", fillcolor=white];']
    ids = {FAIL: FAIL, **{name: f"s{number}" for number, name in enumerate(system.states)}}
    for name, state in system.states.items():
        text = _label(state, distances, probabilities)
        lines.append(f"  {ids[name]} [label={quoted(text)}, fillcolor={quoted(_COLOURS[state.status])}];")
    if any(branch.target == FAIL for state in system.states.values() for m in state.moves for branch in m.branches):
        text = "\n".join([FAIL, *_probability(FAIL, probabilities)])
        lines.append(f'  {FAIL} [label={quoted(text)}, shape=doublecircle, style=filled, fillcolor="#f4b6b6"];')
    for state in system.states.values():
        for number, move in enumerate(state.moves):
            lines += _edges(move, f"{ids[state.name]}m{number}", ids)
    return "\n".join([*lines, "}", ""])


def _label(
    state: State, distances: Mapping[str, Fraction | None] | None, probabilities: Mapping[str, Fraction] | None
) -> str:
    lines = [state.name, *_formulas(state.tag - {TRUE}), *(f"so: {f}" for f in _formulas(state.saturated - state.tag))]
    if state.status != "open":
        lines.append({"near": "violated up to eps"}.get(state.status, state.status))
    if distances is not None:
        found = distances.get(state.name)
        lines.append("distance: nothing comparable" if found is None else f"distance {found}")
    return "\n".join([*lines, *_probability(state.name, probabilities)])


def _formulas(tag: Tag) -> list[str]:
    return sorted(str(formula) for formula in tag)


def _probability(name: str, probabilities: Mapping[str, Fraction] | None) -> list[str]:
    return [] if probabilities is None else [f"probability {probabilities.get(name, Fraction(0))}"]


def _edges(move: Transition, point: str, ids: Mapping[str, str]) -> Iterator[str]:
    """One arrow for a certain move; otherwise an arrow to a point, and one for each branch from there."""
    source, action = ids[move.source], quoted(move.action)
    if len(move.branches) == 1:
        yield f"  {source} -> {ids[move.branches[0].target]} [label={action}];"
        return
    yield f'  {point} [shape=point, label=""];'
    yield f"  {source} -> {point} [label={action}, arrowhead=none];"
    for branch in move.branches:
        dashed = ", style=dashed" if branch.probability == 0 else ""
        yield f"  {point} -> {ids[branch.target]} [label={quoted(str(branch.probability))}{dashed}];"


def quoted(text: str) -> str:
    """A DOT string; line breaks stay line breaks."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + plain.replace("\r", "").replace("\n", "\\n") + '"'


def svg(text: str, seconds: float = 30) -> str | None:
    """The picture as SVG, drawn by Graphviz's ``dot``; None where it is not installed or does not finish."""
    program = shutil.which("dot")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-Tsvg"], input=text.encode(), capture_output=True, timeout=seconds, check=True)
    except (subprocess.SubprocessError, OSError):
        return None
    return done.stdout.decode()
