"""A DLTTS as a picture: what stands in the box of a state, and Graphviz DOT.

A box shows what is new at its state: the tag grows along a run, and whatever the
predecessors knew is only counted.  ``drawing`` makes SVG of the same boxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from phverify.disclosure.dltts.knowledge import TRUE, Tag
from phverify.disclosure.dltts.system import FAIL, State, TaggedSystem, Transition
from phverify.disclosure.log.statements import shortened
from phverify.errors import InputError, Problem, printable
from phverify.words import plural

COLOURS = {
    "open": "white",
    "violated": "#f4b6b6",
    "near": "#f9dcb0",
    "impossible": "#d9d9d9",
    "undecided": "#cfdcf2",
}
"""What a box is filled with, by the oracle's word."""
WORDS = {"near": "violated up to eps"}
"""What is said of a status whose name does not say it."""
MOST = 200
"""A picture of more states than that is no picture."""
FORMULAS = 8
"""So many formulas of a kind are shown in a box."""
WIDTH = 72
"""So many characters of a formula are shown."""

Distances = Mapping[str, Fraction | None]
Probabilities = Mapping[str, Fraction]
Kind = Literal["name", "told", "secret", "deduced", "status", "measure"]


@dataclass(frozen=True)
class Line:
    """A line in the box of a state, and what it is about."""

    text: str
    kind: Kind


@dataclass(frozen=True)
class Labels:
    """What is written at the states of a system.

    ``distances`` come from ``system.published`` or ``trace.distances``,
    ``probabilities`` from ``schedulers.probabilities``; both optional.
    """

    system: TaggedSystem
    distances: Distances | None = None
    probabilities: Probabilities | None = None

    def __post_init__(self) -> None:
        # Boxes and arrows beyond this are no longer read, and take long to lay out.
        count = len(self.system.states)
        if count > MOST:
            what = f"{count:,} states are too many for a picture of at most {MOST}"
            hint = "as plain data (JSON) the system may have any number"
            problem = Problem("transition system", what, hint)
            raise InputError([problem])

    def states(self) -> Iterator[tuple[State, list[Line]]]:
        """Each state with the lines of its box."""
        before = inherited(self.system)
        for name, state in self.system.states.items():
            known = before[name]
            lines = self.lines(state, known)
            yield state, list(lines)

    def lines(self, state: State, before: Tag) -> Iterator[Line]:
        """What is new at a state, after what was known before."""
        yield Line(printable(state.name), "name")
        earlier = before - {TRUE}
        if earlier:
            many = plural(len(earlier), "formula")
            yield Line(f"as before: {many}", "told")

        # What was deduced before is in the tag by now, as what was answered is.
        told = state.tag - before - {TRUE}
        deduced = state.saturated - state.tag - before
        secrets = deduced & self.system.policy
        others = deduced - self.system.policy
        yield from _formulas("", told, "told")
        yield from _formulas("SECRET: ", secrets, "secret")
        yield from _formulas("so: ", others, "deduced")
        status = state.status
        if status != "open":
            word = WORDS.get(status, status)
            yield Line(word, "status")
        if self.distances is not None:
            distance = self.distances.get(state.name)
            shown = "distance: nothing comparable"
            if distance is not None:
                shown = f"distance {distance}"
            yield Line(shown, "measure")
        yield from self.probability(state.name)

    def fail(self) -> list[Line]:
        """The lines of *fail*."""
        name = Line(FAIL, "name")
        probability = self.probability(FAIL)
        return [name, *probability]

    def probability(self, name: str) -> Iterator[Line]:
        """How likely a state is, where that is known."""
        if self.probabilities is not None:
            never = Fraction(0)
            chance = self.probabilities.get(name, never)
            text = f"probability {chance}"
            yield Line(text, "measure")


def inherited(system: TaggedSystem) -> dict[str, Tag]:
    """What all predecessors of a state know already; of the initial state nothing."""
    known: dict[str, Tag] = {system.initial: frozenset()}
    for state in system.states.values():
        tag = state.saturated
        for move in state.moves:
            for branch in move.branches:
                # All predecessors of a state have given it the same tag.
                target = branch.target
                earlier = known.get(target, tag)
                known[target] = earlier & tag
    return known


def _formulas(sign: str, formulas: Tag, kind: Kind) -> Iterator[Line]:
    """Some formulas, line by line; of many only the first ones."""
    texts = sorted(map(str, formulas))
    first = texts[:FORMULAS]
    for text in first:
        # Cut after it is printable: an escape is longer than what it stands for.
        plain = printable(text)
        shown = shortened(plain, WIDTH)
        yield Line(sign + shown, kind)
    more = len(texts) - FORMULAS
    if more > 0:
        left_out = f"{sign}{more:,} more"
        yield Line(left_out, kind)


def dot(
    system: TaggedSystem,
    distances: Distances | None = None,
    probabilities: Probabilities | None = None,
) -> str:
    """DOT text: a box for each state with what is new in its tag and what follows.

    Secrets that follow are marked; the oracle's word, distance and probability stand
    below.  Raises InputError for more states than a picture has.
    """
    labels = Labels(system, distances, probabilities)
    lines = [
        "digraph dltts {",
        '  node [shape=box, style="rounded,filled", fillcolor=white];',
    ]
    ids = {FAIL: FAIL}

    # Names of states may have any character: identifiers of DOT are numbered.
    for number, (state, label) in enumerate(labels.states()):
        ids[state.name] = f"s{number}"
        colour = quoted(COLOURS[state.status])
        text = _label(label)
        lines.append(f"  s{number} [label={text}, fillcolor={colour}];")
    if fails(system):
        style = 'shape=doublecircle, style=filled, fillcolor="#f4b6b6"'
        text = _label(labels.fail())
        lines.append(f"  {FAIL} [label={text}, {style}];")
    for state in system.states.values():
        for number, move in enumerate(state.moves):
            source = ids[state.name]
            point = f"{source}m{number}"
            lines += _edges(move, point, ids)
    lines += ["}", ""]
    return "\n".join(lines)


def fails(system: TaggedSystem) -> bool:
    """Whether some state moves to *fail*."""
    states = system.states.values()
    statuses = {state.status for state in states}
    unsafe = {"violated", "near"}
    return not statuses.isdisjoint(unsafe)


def _label(lines: Iterable[Line]) -> str:
    """The lines of a box as DOT writes them."""
    texts = [line.text for line in lines]
    text = "\n".join(texts)
    return quoted(text)


def _edges(move: Transition, point: str, ids: Mapping[str, str]) -> Iterator[str]:
    """One arrow for a certain move.

    Otherwise an arrow to a point, and one for each branch from there.
    """
    source = ids[move.source]
    action = quoted(printable(move.action))
    if len(move.branches) == 1:
        (only,) = move.branches
        target = ids[only.target]
        yield f"  {source} -> {target} [label={action}];"
        return
    yield f'  {point} [shape=point, label=""];'
    yield f"  {source} -> {point} [label={action}, arrowhead=none];"
    for branch in move.branches:
        target = ids[branch.target]
        probability = branch.probability
        chance = quoted(str(probability))
        style = f"label={chance}"
        # An answer of probability 0 is one of the system's, and never comes.
        if probability == 0:
            style += ", style=dashed"
        yield f"  {point} -> {target} [{style}];"


def quoted(text: str) -> str:
    """A DOT string; line breaks stay line breaks."""
    # A backslash of the text comes first: those of DOT are added below.
    plain = text.replace("\\", "\\\\")
    plain = plain.replace('"', '\\"')
    plain = plain.replace("\r", "")
    plain = plain.replace("\n", "\\n")
    return f'"{plain}"'
